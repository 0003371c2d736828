// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Targets for Python.

#include "python/bindings/Bindings.h"
#include "python/bindings/Errors.h"

#include "dialects/CAPI/NPUTarget.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;
using namespace npu_bindings;

static std::vector<std::string> targetPresets() {
  std::vector<std::string> names;
  for (intptr_t i = 0; i < npuTargetGetNumPresets(); ++i) {
    names.push_back(toString(npuTargetGetPreset(i)));
  }
  return names;
}

static nb::tuple loadTarget(const std::string &nameOrPath) {
  Text json, hash, explanation, error;
  if (!npuTargetLoad(toRef(nameOrPath), Text::append, &json, Text::append, &hash, Text::append, &explanation,
                     Text::append, &error)) {
    throw NativeError(error.value);
  }
  return nb::make_tuple(json.value, hash.value, explanation.value);
}

static MlirAttribute targetAttribute(MlirContext context, const std::string &nameOrPath) {
  Text error;
  MlirAttribute attribute = npuTargetGetAttribute(context, toRef(nameOrPath), Text::append, &error);
  if (!attribute.ptr) {
    throw NativeError(error.value);
  }
  return attribute;
}

void npu_bindings::addTarget(nb::module_ &module) {
  module.def("target_presets", &targetPresets, "The names of the built-in targets.");
  module.def("load_target", &loadTarget, nb::arg("name_or_path"),
             nb::sig("def load_target(name_or_path: str) -> tuple[str, str, str]"),
             "Reads a preset or a target file (a name with a '/' or a '.'). Returns (parameters, hash, units and derived "
             "figures), the first and the last as JSON. Raises NativeError that names the file, the line, the key and "
             "the rule.");
  module.def("target_attribute", &targetAttribute, nb::arg("context"), nb::arg("name_or_path"),
             "The attribute #npu.target of a target, for 'npu.target' of a module.");
}
