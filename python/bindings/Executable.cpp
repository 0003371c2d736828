// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// _npu.Executable: a module of any level above npuisa as a function of NumPy arrays.

#include "python/bindings/Arrays.h"
#include "python/bindings/Bindings.h"
#include "python/bindings/Errors.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

namespace nb = nanobind;
using namespace npu_bindings;

namespace {

class Executable {
public:
  explicit Executable(NpuExecutable handle) : handle(handle) {
    for (intptr_t i = 0; i < npuExecutableGetNumInputs(handle); ++i) {
      inputs.push_back(npuExecutableGetInput(handle, i));
    }
    for (intptr_t i = 0; i < npuExecutableGetNumOutputs(handle); ++i) {
      outputs.push_back(npuExecutableGetOutput(handle, i));
    }
  }
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;
  ~Executable() { npuExecutableDestroy(handle); }

  nb::list run(nb::sequence arrays) {
    Arrays in = takeInputs(inputs, arrays);
    Arrays out = makeOutputs(outputs);
    Text error;
    bool ok;
    {
      nb::gil_scoped_release unlocked;
      ok = npuExecutableRun(handle, in.pointers.data(), out.pointers.data(), Text::append, &error);
    }
    if (!ok) {
      throw NativeError(error.value);
    }
    return finishOutputs(outputs, out);
  }

  static std::vector<Tensor> list(const std::vector<NpuTensorInfo> &infos) {
    std::vector<Tensor> tensors;
    for (const NpuTensorInfo &info : infos) {
      tensors.push_back(toTensor(info));
    }
    return tensors;
  }

  std::vector<NpuTensorInfo> inputs, outputs;

private:
  NpuExecutable handle;
};

} // namespace

static Executable *jitModule(MlirModule module, const std::string &entry, unsigned optLevel) {
  NpuExecutable handle;
  Text error;
  bool ok;
  {
    nb::gil_scoped_release unlocked;
    ok = npuExecutableCreate(module, toRef(entry), optLevel, &handle, Text::append, &error);
  }
  if (!ok) {
    throw NativeError(error.value);
  }
  return new Executable(handle);
}

void npu_bindings::addExecutable(nb::module_ &module) {
  nb::class_<Tensor>(module, "Tensor", "name, element type and shape of an input or output")
      .def_ro("name", &Tensor::name, "name of the source model, or inputN and outputN")
      .def_ro("dtype", &Tensor::dtype, "element type as MLIR spells it: f32, bf16, i8, i1, ...")
      .def_prop_ro("shape", [](const Tensor &tensor) { return nb::tuple(nb::cast(tensor.shape)); },
                   nb::sig("def shape(self) -> tuple[int, ...]"), "tuple of extents")
      .def_prop_ro("numpy_dtype", [](const Tensor &tensor) { return numpyName(tensor.dtype); },
                   "name of the NumPy type that is taken and given")
      .def("__repr__", [](const Tensor &tensor) {
        std::string text = "Tensor('" + tensor.name + "', ";
        for (int64_t extent : tensor.shape) {
          text += std::to_string(extent) + "x";
        }
        return text + tensor.dtype + ")";
      });
  nb::class_<Executable>(module, "Executable", "compiled function of a module")
      .def_prop_ro("inputs", [](const Executable &self) { return Executable::list(self.inputs); })
      .def_prop_ro("outputs", [](const Executable &self) { return Executable::list(self.outputs); })
      .def("run", &Executable::run, nb::arg("inputs"),
           nb::sig("def run(self, inputs: collections.abc.Sequence[numpy.typing.ArrayLike]) -> "
                   "list[numpy.typing.NDArray[typing.Any]]"),
           "Runs with a sequence of NumPy arrays, one for each input in order; returns a list of new arrays. Shapes and types "
           "must be those of `inputs`: nothing is cast. Other Python threads run meanwhile. Raises TypeError, ValueError, or "
           "NativeError when the run fails (an index out of range, for example).")
      .def("__call__", [](Executable &self, nb::args arrays) { return self.run(nb::borrow<nb::sequence>(arrays)); },
           nb::sig("def __call__(self, *inputs: numpy.typing.ArrayLike) -> list[numpy.typing.NDArray[typing.Any]]"),
           "The same with one argument for each input.");
  module.def("jit_module", &jitModule, nb::arg("module"), nb::kw_only(), nb::arg("entry") = "",
             nb::arg("opt_level") = 2,
             "Compiles a copy of `module`, of any level above npuisa, for this machine: npu ops by their definition. `entry` "
             "names the function, empty means the only public one. Raises NativeError with the compiler's diagnostics.");
}
