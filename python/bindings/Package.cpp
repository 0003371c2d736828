// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// _npu.Package: a compiled model on the simulator. Also device programs as bytes and text.

#include "python/bindings/Arrays.h"
#include "python/bindings/Bindings.h"
#include "python/bindings/Errors.h"

#include "runtime/CAPI/NPUPackage.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;
using namespace npu_bindings;

namespace {

class Package {
public:
  explicit Package(NpuPackage handle) : handle(handle) {
    for (intptr_t i = 0; i < npuPackageGetNumInputs(handle); ++i) {
      inputs.push_back(npuPackageGetInput(handle, i));
    }
    for (intptr_t i = 0; i < npuPackageGetNumOutputs(handle); ++i) {
      outputs.push_back(npuPackageGetOutput(handle, i));
    }
  }
  Package(const Package &) = delete;
  Package &operator=(const Package &) = delete;
  ~Package() { npuPackageDestroy(handle); }

  /// (outputs, profile as JSON, trace as JSON or None)
  nb::tuple run(nb::sequence arrays, const NpuRunOptions &options) {
    Arrays in = takeInputs(inputs, arrays);
    Arrays out = makeOutputs(outputs);
    Text profile, trace, error;
    bool prepared, ok = false;
    {
      nb::gil_scoped_release unlocked;
      prepared = npuPackagePrepare(handle, options, Text::append, &error);
      ok = prepared &&
           npuPackageRun(handle, in.pointers.data(), out.pointers.data(), options, Text::append, Text::append,
                         Text::append, &profile, &trace, &error);
    }
    if (!prepared) {
      throw PackageError(error.value);
    }
    if (!ok) {
      throw NativeError(error.value);
    }
    nb::object traceText = options.trace ? nb::cast(trace.value) : nb::none();
    return nb::make_tuple(finishOutputs(outputs, out), profile.value, traceText);
  }

  nb::bytes write() const {
    Text bytes;
    npuPackageWrite(handle, Text::append, &bytes);
    return nb::bytes(bytes.value.data(), bytes.value.size());
  }

  std::string manifest() const {
    Text text;
    npuPackageGetManifest(handle, Text::append, &text);
    return text.value;
  }

  std::string assembly() const {
    Text text;
    npuPackageGetAssembly(handle, Text::append, &text);
    return text.value;
  }

  std::vector<NpuTensorInfo> inputs, outputs;

private:
  NpuPackage handle;
};

} // namespace

static std::vector<Tensor> list(const std::vector<NpuTensorInfo> &infos) {
  std::vector<Tensor> tensors;
  for (const NpuTensorInfo &info : infos) {
    tensors.push_back(toTensor(info));
  }
  return tensors;
}

static MlirStringRef toRef(const nb::bytes &bytes) { return mlirStringRefCreate(bytes.c_str(), bytes.size()); }

static Package *buildPackage(MlirModule module, const std::string &entry, const std::string &extra) {
  NpuPackage handle;
  Text error;
  bool ok;
  {
    nb::gil_scoped_release unlocked;
    ok = npuPackageBuild(module, npu_bindings::toRef(entry), npu_bindings::toRef(extra), &handle, Text::append, &error);
  }
  if (!ok) {
    throw NativeError(error.value);
  }
  return new Package(handle);
}

static Package *readPackage(const nb::bytes &bytes, const std::string &targetHash) {
  NpuPackage handle;
  Text error;
  if (!npuPackageRead(toRef(bytes), npu_bindings::toRef(targetHash), &handle, Text::append, &error)) {
    throw NativeError(error.value);
  }
  return new Package(handle);
}

static nb::bytes encodeProgram(MlirOperation program) {
  Text bytes, error;
  if (!npuProgramEncode(program, Text::append, &bytes, Text::append, &error)) {
    throw NativeError(error.value);
  }
  return nb::bytes(bytes.value.data(), bytes.value.size());
}

static std::string disassemble(const nb::bytes &bytes) {
  Text text, error;
  if (!npuProgramDisassemble(toRef(bytes), Text::append, &text, Text::append, &error)) {
    throw NativeError(error.value);
  }
  return text.value;
}

static nb::bytes assemble(const std::string &text) {
  Text bytes, error;
  if (!npuProgramAssemble(npu_bindings::toRef(text), Text::append, &bytes, Text::append, &error)) {
    throw NativeError(error.value);
  }
  return nb::bytes(bytes.value.data(), bytes.value.size());
}

void npu_bindings::addPackage(nb::module_ &module) {
  nb::class_<Package>(module, "Package", "compiled model: host code and device programs")
      .def_prop_ro("inputs", [](const Package &self) { return list(self.inputs); })
      .def_prop_ro("outputs", [](const Package &self) { return list(self.outputs); })
      .def_prop_ro("manifest", &Package::manifest, "the manifest as JSON (schema npu.package/1)")
      .def("assembly", &Package::assembly, "the assembly of all device programs")
      .def("write", &Package::write, "the bytes of the package file (.npux)")
      .def(
          "run",
          [](Package &self, nb::sequence inputs, uint64_t perturb, bool poison, bool trace, bool profile,
             bool timingOnly, uint64_t maxInstructions) {
            return self.run(inputs, NpuRunOptions{perturb, poison, trace, profile, timingOnly, maxInstructions});
          },
          nb::arg("inputs"), nb::kw_only(), nb::arg("perturb") = 0, nb::arg("poison") = false,
          nb::arg("trace") = false, nb::arg("profile") = false,
          nb::arg("timing_only") = false, nb::arg("max_instructions") = 0,
          nb::sig("def run(self, inputs: collections.abc.Sequence[numpy.typing.ArrayLike], *, perturb: int = 0, "
                  "poison: bool = False, trace: bool = False, profile: bool = False, timing_only: bool = False, "
                  "max_instructions: int = 0) -> "
                  "tuple[list[numpy.typing.NDArray[typing.Any]], str, str | None]"),
          "Runs the model on the simulator with a sequence of NumPy arrays. Returns (outputs, profile, trace): a list of new "
          "arrays, JSON of schema npu.profile/1, and Chrome trace events as JSON if asked for, else None. `perturb`, a seed, "
          "delays the engines at random; `poison` makes a read of memory that was never written an error; `profile` adds to "
          "each launch what its cycles went into, by source node ('attribution'). Raises TypeError, ValueError, NativeError when "
          "the run fails, or its subclass PackageError when the package cannot run at all.");
  module.def("build_package", &buildPackage, nb::arg("module"), nb::kw_only(), nb::arg("entry") = "",
             nb::arg("extra") = "",
             "Makes the package of a module on npuisa level. `extra` is a JSON object for the manifest; its lists "
             "'input_names' and 'output_names' name the tensors. Raises NativeError with the compiler's diagnostics.");
  module.def("read_package", &readPackage, nb::arg("data"), nb::kw_only(), nb::arg("target_hash") = "",
             "Reads the bytes of a package file. A `target_hash` that is not empty must be that of the package. Raises "
             "NativeError if the bytes are no valid package.");
  module.def("encode_program", &encodeProgram, nb::arg("program"), "The program file (.npuprog) of an npuisa.program.");
  module.def("disassemble", &disassemble, nb::arg("data"), "The assembly of a program file.");
  module.def("assemble", &assemble, nb::arg("text"), "The program file of assembly.");
}
