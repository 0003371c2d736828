// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Packages from modules, to bytes, and from bytes.

#include "runtime/Package.h"

#include "dialects/NPUISA/Encoding/Encoder.h"
#include "dialects/Target/Target.h"
#include "passes/Transforms/Host/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::npu;

static constexpr StringLiteral kSchema = "npu.package/1";

//===----------------------------------------------------------------------===//
// From a module
//===----------------------------------------------------------------------===//

static llvm::json::Array tensorsToJSON(ArrayRef<TensorInfo> infos) {
  llvm::json::Array array;
  for (const TensorInfo &info : infos) {
    array.push_back(llvm::json::Object{
        {"name", info.name}, {"dtype", info.dtype}, {"shape", llvm::json::Array(info.shape)}});
  }
  return array;
}

/// Takes the names that the caller knows better than the module does.
static void rename(std::vector<TensorInfo> &infos, llvm::json::Object &extra, StringRef key) {
  if (llvm::json::Array *names = extra.getArray(key)) {
    for (auto [info, name] : llvm::zip(infos, *names)) {
      if (std::optional<StringRef> text = name.getAsString()) {
        info.name = text->str();
      }
    }
  }
  extra.erase(key);
}

/// The host's part of a module, as text: functions with calls of the runtime.
static FailureOr<std::string> hostModuleText(ModuleOp module) {
  OwningOpRef<ModuleOp> host = module.clone();
  PassManager pm(host->getContext());
  pm.addPass(createNPULowerLaunchPass());
  if (failed(pm.run(*host))) {
    return failure();
  }
  (*host)->removeAttr(NPUDialect::kTargetAttrName);
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Everything in full, or the text would not parse to the same module.
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  flags.elideLargeResourceString(std::numeric_limits<int64_t>::max());
  flags.printLargeElementsAttrWithHex(/*largeElementLimit=*/16);
  flags.enableDebugInfo(); // errors of a run name source nodes
  host->print(stream, flags);
  return text;
}

FailureOr<std::unique_ptr<Package>> Package::build(ModuleOp module, StringRef entry, llvm::json::Object extra) {
  std::unique_ptr<Package> package(new Package());
  FailureOr<Signature> signature = readSignature(module, entry);
  if (failed(signature)) {
    return failure();
  }
  rename(signature->inputs, extra, "input_names");
  rename(signature->outputs, extra, "output_names");
  llvm::json::Array programNames, fallbacks;
  for (auto op : module.getOps<npuisa::ProgramOp>()) {
    FailureOr<npuhw::Program> program = npuisa::encodeProgram(op);
    if (failed(program)) {
      return failure();
    }
    programNames.push_back(program->name);
    package->programs.push_back(std::move(*program));
  }
  for (const HostWork &work : measureHostWork(module)) {
    fallbacks.push_back(llvm::json::Object{{"name", work.name},
                                           {"reason", work.reason},
                                           {"scalar_ops", work.scalarOps},
                                           {"bytes", work.transferBytes},
                                           {"cycles", work.cycles}});
  }
  FailureOr<std::string> text = hostModuleText(module);
  if (failed(text)) {
    return failure();
  }
  package->hostText = std::move(*text);
  TargetDesc target = getTarget(module);
  package->manifest = llvm::json::Object{
      {"schema", kSchema},
      {"entry", signature->entry},
      {"inputs", tensorsToJSON(signature->inputs)},
      {"outputs", tensorsToJSON(signature->outputs)},
      {"target", llvm::json::Object{{"name", target.name},
                                    {"hash", npuhw::hashTargetHex(target)},
                                    {"clock_mhz", target.clockMHz},
                                    {"host_sync_cycles", target.hostSyncCycles}}},
      {"programs", std::move(programNames)},
      {"fallbacks", std::move(fallbacks)},
      {"extra", std::move(extra)},
  };
  if (llvm::Error error = package->readManifest()) {
    return module.emitError() << llvm::toString(std::move(error));
  }
  return package;
}

//===----------------------------------------------------------------------===//
// To bytes
//===----------------------------------------------------------------------===//

npuhw::Bytes Package::write() const {
  npuhw::Container container;
  container.kind = npuhw::FileKind::Package;
  auto toBytes = [](StringRef text) { return npuhw::Bytes(text.begin(), text.end()); };
  std::string manifestText;
  llvm::raw_string_ostream(manifestText) << llvm::json::Value(llvm::json::Object(manifest));
  container.sections.push_back({npuhw::SectionKind::Manifest, "", toBytes(manifestText)});
  container.sections.push_back({npuhw::SectionKind::Host, "", toBytes(hostText)});
  for (const npuhw::Program &program : programs) {
    container.sections.push_back({npuhw::SectionKind::Program, program.name, npuhw::writeProgram(program)});
  }
  return npuhw::writeContainer(container);
}

//===----------------------------------------------------------------------===//
// From bytes
//===----------------------------------------------------------------------===//

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {
/// Typed access to the manifest; the first fault is kept.
class ManifestReader {
public:
  std::string text(const llvm::json::Object &object, StringRef key) {
    std::optional<StringRef> value = object.getString(key);
    return value ? value->str() : fail(key, "a string");
  }
  uint64_t number(const llvm::json::Object &object, StringRef key) {
    const llvm::json::Value *value = object.get(key);
    std::optional<uint64_t> result = value ? value->getAsUINT64() : std::nullopt;
    if (!result) {
      fail(key, "a number that is not negative");
      return 0;
    }
    return *result;
  }
  const llvm::json::Object &object(const llvm::json::Object &parent, StringRef key) {
    static const llvm::json::Object empty;
    const llvm::json::Object *value = parent.getObject(key);
    if (!value) {
      fail(key, "an object");
      return empty;
    }
    return *value;
  }
  /// Calls `read` for each element, which must be objects.
  void list(const llvm::json::Object &parent, StringRef key, function_ref<void(const llvm::json::Object &)> read) {
    const llvm::json::Array *array = parent.getArray(key);
    if (!array) {
      fail(key, "a list");
      return;
    }
    for (const llvm::json::Value &value : *array) {
      if (const llvm::json::Object *element = value.getAsObject()) {
        read(*element);
      } else {
        fail(key, "a list of objects");
      }
    }
  }
  std::vector<TensorInfo> tensors(const llvm::json::Object &parent, StringRef key) {
    std::vector<TensorInfo> infos;
    list(parent, key, [&](const llvm::json::Object &object) {
      TensorInfo info;
      info.name = text(object, "name");
      info.dtype = text(object, "dtype");
      int64_t elements = std::max<int64_t>(info.elementBytes(), 1);
      const llvm::json::Array *shape = object.getArray("shape");
      if (!shape || elementBytesOf(info.dtype) == 0) {
        fail(key, "tensors of a known element type with a shape");
        return;
      }
      for (const llvm::json::Value &extent : *shape) {
        std::optional<int64_t> value = extent.getAsInteger();
        // The product, in bytes, must stay in range.
        if (!value || *value < 0 || (*value > 0 && elements > (int64_t(1) << 48) / *value)) {
          fail(key, "extents that are not negative and a size below 2^48 bytes");
          return;
        }
        elements *= std::max<int64_t>(*value, 1);
        info.shape.push_back(*value);
      }
      infos.push_back(std::move(info));
    });
    return infos;
  }
  llvm::Error takeError() {
    return fault.empty() ? llvm::Error::success() : makeError("the manifest of the package is invalid: " + fault);
  }

  std::string fail(StringRef key, StringRef expected) {
    if (fault.empty()) {
      fault = ("expected '" + key + "' to be " + expected).str();
    }
    return "";
  }

private:
  std::string fault;
};
} // namespace

llvm::Error Package::readManifest() {
  ManifestReader reader;
  std::string schema = reader.text(manifest, "schema");
  if (!schema.empty() && schema != kSchema) {
    return makeError("expected a package of schema '" + kSchema + "', but found '" + schema +
                     "'; it was made by another version of npu-mlir");
  }
  entry = reader.text(manifest, "entry");
  inputs = reader.tensors(manifest, "inputs");
  outputs = reader.tensors(manifest, "outputs");
  const llvm::json::Object &target = reader.object(manifest, "target");
  targetName = reader.text(target, "name");
  targetHash = reader.text(target, "hash");
  clockMHz = std::max<uint64_t>(reader.number(target, "clock_mhz"), 1);
  syncCycles = reader.number(target, "host_sync_cycles");
  hostWork.clear();
  reader.list(manifest, "fallbacks", [&](const llvm::json::Object &object) {
    HostWork work;
    work.name = reader.text(object, "name");
    work.reason = reader.text(object, "reason");
    work.scalarOps = reader.number(object, "scalar_ops");
    work.transferBytes = reader.number(object, "bytes");
    work.cycles = reader.number(object, "cycles");
    hostWork.push_back(std::move(work));
  });
  if (llvm::Error error = reader.takeError()) {
    return error;
  }
  llvm::StringSet<> names;
  for (const npuhw::Program &program : programs) {
    std::string hash = npuhw::hashTargetHex(program.target);
    if (hash != targetHash) {
      return makeError("expected programs for target '" + targetName + "' (hash " + targetHash + "), but '" +
                       program.name + "' is for '" + program.target.name + "' (hash " + hash + ")");
    }
    if (!names.insert(program.name).second) {
      return makeError("expected programs of different names, but found two called '" + program.name + "'");
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Package>> Package::read(ArrayRef<uint8_t> bytes, StringRef expectedHash) {
  npuhw::Result<npuhw::Container> container = npuhw::readContainer(bytes.data(), bytes.size());
  if (!container) {
    return makeError(container.error().str());
  }
  if (container->kind != npuhw::FileKind::Package) {
    return makeError("expected a package (.npux), but found a device program (.npuprog)");
  }
  const npuhw::Section *manifestSection = container->find(npuhw::SectionKind::Manifest);
  const npuhw::Section *hostSection = container->find(npuhw::SectionKind::Host);
  if (!manifestSection || !hostSection) {
    return makeError(StringRef("the package has no ") + (manifestSection ? "host module" : "manifest"));
  }
  auto toText = [](const npuhw::Bytes &data) {
    return StringRef(reinterpret_cast<const char *>(data.data()), data.size());
  };
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(toText(manifestSection->bytes));
  if (!json) {
    return makeError("the manifest of the package is no JSON: " + llvm::toString(json.takeError()));
  }
  std::unique_ptr<Package> package(new Package());
  llvm::json::Object *object = json->getAsObject();
  if (!object) {
    return makeError("the manifest of the package is no JSON object");
  }
  package->manifest = std::move(*object);
  package->hostText = toText(hostSection->bytes).str();
  for (const npuhw::Section &section : container->sections) {
    if (section.kind != npuhw::SectionKind::Program) {
      continue;
    }
    npuhw::Result<npuhw::Program> program = npuhw::readProgram(section.bytes);
    if (!program) {
      return makeError("program '" + section.name + "': " + program.error().str());
    }
    package->programs.push_back(std::move(*program));
  }
  if (llvm::Error error = package->readManifest()) {
    return error;
  }
  if (!expectedHash.empty() && expectedHash != package->targetHash) {
    return makeError("the package was compiled for target '" + package->targetName + "' (hash " + package->targetHash +
                     "), but hash " + expectedHash + " is asked for; compile the model again");
  }
  return package;
}
