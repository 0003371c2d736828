// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "python/bindings/Arrays.h"

#include "python/bindings/Errors.h"

#include <map>

namespace nb = nanobind;
using namespace npu_bindings;

std::string npu_bindings::numpyName(const std::string &dtype) {
  static const std::map<std::string, std::string> names = {
      {"i1", "bool"},      {"i8", "int8"},      {"i16", "int16"},   {"i32", "int32"},   {"i64", "int64"},
      {"ui8", "uint8"},    {"ui16", "uint16"},  {"ui32", "uint32"}, {"ui64", "uint64"}, {"index", "int64"},
      {"f16", "float16"},  {"bf16", "bfloat16"}, {"f32", "float32"}, {"f64", "float64"},
      {"f8E4M3FN", "float8_e4m3fn"}, {"f8E4M3FNUZ", "float8_e4m3fnuz"}, {"f8E5M2", "float8_e5m2"},
      {"f8E5M2FNUZ", "float8_e5m2fnuz"}, {"complex<f32>", "complex64"}, {"complex<f64>", "complex128"}};
  auto it = names.find(dtype);
  return it == names.end() ? "" : it->second;
}

/// Types that NumPy has no name for travel as unsigned integers of their size.
static const char *carrierOf(const std::string &name) {
  if (name == "bfloat16") {
    return "uint16";
  }
  return name.rfind("float8", 0) == 0 ? "uint8" : nullptr;
}

/// Signless integers hold either signedness.
static bool isSameType(const std::string &expected, const std::string &found) {
  if (expected == found) {
    return true;
  }
  if (const char *carrier = carrierOf(expected)) {
    return found == carrier;
  }
  return expected.rfind("int", 0) == 0 && found == "u" + expected;
}

static nb::tuple shapeOf(const NpuTensorInfo &info) {
  nb::list shape;
  for (intptr_t i = 0; i < info.rank; ++i) {
    shape.append(info.shape[i]);
  }
  return nb::tuple(shape);
}

static void *addressOf(nb::handle array) {
  return reinterpret_cast<void *>(nb::cast<uintptr_t>(array.attr("ctypes").attr("data")));
}

Arrays npu_bindings::takeInputs(const std::vector<NpuTensorInfo> &infos, nb::sequence arrays) {
  nb::module_ numpy = nb::module_::import_("numpy");
  if (nb::len(arrays) != infos.size()) {
    std::string message = "expected " + std::to_string(infos.size()) + " inputs, but got " +
                          std::to_string(nb::len(arrays));
    for (const NpuTensorInfo &info : infos) {
      message += (&info == &infos.front() ? ": " : ", ") + toString(info.name);
    }
    throw nb::value_error(message.c_str());
  }
  Arrays result;
  size_t index = 0;
  for (nb::handle item : arrays) {
    const NpuTensorInfo &info = infos[index++];
    nb::object array = numpy.attr("asarray")(item, nb::arg("order") = "C");
    std::string expected = numpyName(toString(info.dtype));
    std::string found = nb::cast<std::string>(array.attr("dtype").attr("name"));
    if (!isSameType(expected, found)) {
      std::string message = "input '" + toString(info.name) + "' is an array of " + found + ", but the program takes " +
                            expected + " (" + toString(info.dtype) + "); convert it with .astype";
      throw nb::type_error(message.c_str());
    }
    nb::object shape = array.attr("shape");
    if (!shape.equal(shapeOf(info))) {
      std::string message = "input '" + toString(info.name) + "' has the shape " +
                            nb::cast<std::string>(nb::str(shape)) + ", but the program takes " +
                            nb::cast<std::string>(nb::str(shapeOf(info)));
      throw nb::value_error(message.c_str());
    }
    if (!nb::cast<bool>(array.attr("dtype").attr("isnative"))) {
      array = array.attr("astype")(array.attr("dtype").attr("newbyteorder")("="));
    }
    result.pointers.push_back(addressOf(array));
    result.objects.push_back(std::move(array));
  }
  return result;
}

Arrays npu_bindings::makeOutputs(const std::vector<NpuTensorInfo> &infos) {
  nb::module_ numpy = nb::module_::import_("numpy");
  Arrays result;
  for (const NpuTensorInfo &info : infos) {
    std::string name = numpyName(toString(info.dtype));
    const char *carrier = carrierOf(name);
    result.objects.push_back(numpy.attr("empty")(shapeOf(info), nb::arg("dtype") = carrier ? carrier : name.c_str()));
    result.pointers.push_back(addressOf(result.objects.back()));
  }
  return result;
}

nb::list npu_bindings::finishOutputs(const std::vector<NpuTensorInfo> &infos, const Arrays &outputs) {
  nb::list result;
  for (size_t i = 0; i < infos.size(); ++i) {
    nb::object array = outputs.objects[i];
    std::string name = numpyName(toString(infos[i].dtype));
    if (carrierOf(name)) {
      try {
        array = array.attr("view")(nb::module_::import_("ml_dtypes").attr(name.c_str()));
      } catch (nb::python_error &error) {
        if (!error.matches(PyExc_ImportError)) {
          throw;
        }
        // Without the package the bit patterns are all that can be given.
      }
    }
    result.append(array);
  }
  return result;
}
