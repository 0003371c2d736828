// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loaded by npu_mlir.mlir.ir for every new context: makes all dialects and passes of the project known there.

#include "dialects/CAPI/NPUDialects.h"
#include "dialects/CAPI/NPUSource.h"
#include "passes/CAPI/NPUPasses.h"

#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

NB_MODULE(_site_initialize_0, module) {
  module.doc() = "registration of the npu-mlir dialects and passes";
  npuRegisterAllPasses();
  module.def("register_dialects", [](MlirDialectRegistry registry) { npuRegisterAllDialects(registry); });
  module.def(
      "clone_module",
      [](MlirModule source) { return mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(source))); },
      nb::arg("module"), "A copy of a module in its context. Constants are shared.");
  module.def(
      "argument_names",
      [](MlirContext context, const std::string &text, const std::string &function) {
        std::vector<std::string> names;
        auto receive = [](MlirStringRef name, void *list) {
          static_cast<std::vector<std::string> *>(list)->emplace_back(name.data, name.length);
        };
        npuSourceGetArgumentNames(context, mlirStringRefCreate(text.data(), text.size()),
                                  mlirStringRefCreate(function.data(), function.size()), receive, &names);
        return names;
      },
      nb::arg("context"), nb::arg("text"), nb::arg("function"),
      "The names of a function's arguments in the text of a module, without '%'; empty if it does not parse.");
  module.def(
      "pipeline_steps",
      [] {
        nb::list steps;
        for (intptr_t i = 0; i < npuPipelineGetNumSteps(); ++i) {
          MlirStringRef phase = npuPipelineGetPhase(i), step = npuPipelineGetStep(i);
          steps.append(nb::make_tuple(nb::str(phase.data, phase.length), nb::str(step.data, step.length)));
        }
        return steps;
      },
      nb::sig("def pipeline_steps() -> list[tuple[str, str]]"),
      "The steps of the compilation in order, as (phase, pass pipeline).");
}
