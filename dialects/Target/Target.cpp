// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Target/Target.h"

#include "dialects/Target/TargetParameters.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/YAMLTraits.h"

using namespace mlir;
using namespace mlir::npu;

namespace {
struct Preset {
  StringRef name;
  StringRef text;
};
} // namespace

static constexpr Preset kPresets[] = {
#include "Presets.inc"
};

namespace {
/// A real number; unlike those of LLVM's reader it has digits.
struct Real {
  double value = 0;
};
} // namespace

template <> struct llvm::yaml::ScalarTraits<Real> {
  static void output(const Real &real, void *, llvm::raw_ostream &out) { out << npuhw::formatReal(real.value); }
  static StringRef input(StringRef text, void *, Real &real) {
    bool good = !text.trim().empty() && llvm::to_float(text, real.value);
    return good ? StringRef() : "invalid floating point number";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

static void mapField(llvm::yaml::IO &io, const char *key, double &field) {
  Real real{field};
  io.mapRequired(key, real);
  field = real.value;
}

template <typename T> static void mapField(llvm::yaml::IO &io, const char *key, T &field) {
  io.mapRequired(key, field);
}

template <> struct llvm::yaml::MappingTraits<TargetDesc> {
  static void mapping(IO &io, TargetDesc &desc) {
    npuhw::visitTarget(desc, [&](const npuhw::TargetFieldInfo &info, auto &field) { mapField(io, info.key, field); });
  }
};

SmallVector<StringRef> npu::getTargetPresets() {
  SmallVector<StringRef> names;
  for (const Preset &preset : kPresets) {
    names.push_back(preset.name);
  }
  return names;
}

/// The number of the line that sets `key`, 1 if none does.
static int64_t lineOfKey(StringRef text, StringRef key) {
  int64_t number = 1;
  for (StringRef rest = text; !rest.empty(); ++number) {
    auto [line, next] = rest.split('\n');
    if (line.starts_with(key) && line.drop_front(key.size()).ltrim().starts_with(":")) {
      return number;
    }
    rest = next;
  }
  return 1;
}

/// The key that no target has and that is most like `missing`, with its line: what was probably meant.
static std::string explainMissing(StringRef text, StringRef missing) {
  llvm::StringSet<> known;
  TargetDesc desc;
  npuhw::visitTarget(desc, [&](const npuhw::TargetFieldInfo &info, const auto &) { known.insert(info.key); });
  constexpr unsigned kMostEdits = 3;
  unsigned fewest = kMostEdits + 1;
  std::string hint;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [index, line] : llvm::enumerate(lines)) {
    StringRef key = line.split(':').first.rtrim();
    unsigned edits = key.edit_distance(missing, /*AllowReplacements=*/true, kMostEdits);
    if (line.contains(':') && !known.contains(key) && edits < fewest) {
      fewest = edits;
      hint = ("; line " + Twine(index + 1) + " sets '" + key + "', which is no key of a target").str();
    }
  }
  return hint;
}

/// The YAML reader recurses into every bracket and takes any byte for text.
static llvm::Error checkReadable(StringRef text, StringRef fileName) {
  constexpr size_t kMostBytes = 1 << 20;
  constexpr int64_t kMostNesting = 16;
  if (text.size() > kMostBytes) {
    return llvm::createStringError(fileName + ": error: the target file has " + llvm::Twine(text.size()) +
                                   " bytes, but a target takes less than " + llvm::Twine(kMostBytes));
  }
  size_t invalid = 0;
  if (!llvm::json::isUTF8(text, &invalid)) {
    return llvm::createStringError(fileName + ": error: the target file is not UTF-8 text: byte " + llvm::Twine(invalid));
  }
  int64_t nesting = 0;
  for (char c : text) {
    nesting += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (nesting > kMostNesting) {
      return llvm::createStringError(fileName + ": error: the target file nests more than " + llvm::Twine(kMostNesting) +
                                     " brackets, but a target has at most one list in each key");
    }
  }
  return llvm::Error::success();
}

llvm::Expected<TargetDesc> npu::parseTarget(StringRef text, StringRef fileName) {
  if (llvm::Error unreadable = checkReadable(text, fileName)) {
    return unreadable;
  }
  std::string message;
  auto collect = [](const llvm::SMDiagnostic &diagnostic, void *context) {
    llvm::raw_string_ostream out(*static_cast<std::string *>(context));
    if (!out.str().empty()) {
      return; // the first fault explains the others
    }
    out << diagnostic.getFilename() << ":" << diagnostic.getLineNo() << ":" << diagnostic.getColumnNo() + 1
        << ": error: " << diagnostic.getMessage();
    // What is missing stands in no line.
    StringRef line = diagnostic.getLineContents();
    if (!line.trim().empty() && !diagnostic.getMessage().starts_with("missing")) {
      out << ": '" << line.trim() << "'";
    }
  };
  TargetDesc desc;
  llvm::yaml::Input input(llvm::MemoryBufferRef(text, fileName), nullptr, collect, &message);
  input >> desc;
  if (!input.error() && input.nextDocument()) {
    return llvm::createStringError(fileName + ": error: a second document begins ('---'), but a target is one document");
  }
  if (input.error()) {
    auto [before, after] = StringRef(message).split("missing required key '");
    message += after.empty() ? "" : explainMissing(text, after.split('\'').first);
    if (message.empty()) {
      message = fileName.str() + ": error: the target file is empty, but must set every key of a target";
    }
    return llvm::createStringError(llvm::Twine(message));
  }
  std::vector<std::string> faults;
  if (!npuhw::validate(desc, faults)) {
    std::string all;
    for (const std::string &fault : faults) {
      // Every fault begins with the quoted key.
      StringRef key = StringRef(fault).split('\'').second.split('\'').first;
      all += (all.empty() ? "" : "\n") + fileName.str() + ":" + std::to_string(lineOfKey(text, key)) + ": error: " + fault;
    }
    return llvm::createStringError(llvm::Twine(all));
  }
  return desc;
}

llvm::Expected<TargetDesc> npu::loadTarget(StringRef nameOrPath) {
  for (const Preset &preset : kPresets) {
    if (preset.name == nameOrPath) {
      return parseTarget(preset.text, (preset.name + ".yaml").str());
    }
  }
  if (nameOrPath.find_first_of("/.\\") == StringRef::npos) {
    return llvm::createStringError("unknown target '" + nameOrPath + "': expected one of " +
                                   llvm::join(getTargetPresets(), ", ") + ", or the path of a .yaml file");
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(nameOrPath, /*IsText=*/true);
  if (!buffer) {
    return llvm::createStringError("cannot read target file '" + nameOrPath + "': " + buffer.getError().message());
  }
  return parseTarget((*buffer)->getBuffer(), nameOrPath);
}

TargetDesc npu::getTarget(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp()) {
    auto attribute = scope->getAttrOfType<TargetAttr>(NPUDialect::kTargetAttrName);
    if (!attribute) {
      continue;
    }
    std::string error;
    FailureOr<TargetDesc> desc =
        targetFromDictionary(attribute.getName(), attribute.getHash(), attribute.getParameters(), error);
    if (failed(desc)) {
      llvm_unreachable("the verifier of the npu dialect admits only complete targets");
    }
    return *desc;
  }
  return llvm::cantFail(loadTarget(kDefaultTarget), "the presets are complete");
}

TargetAttr npu::getTargetAttr(MLIRContext *context, const TargetDesc &desc) {
  return TargetAttr::get(context, desc.name, npuhw::hashTargetHex(desc), targetToDictionary(context, desc));
}

int64_t npu::getElementBytes(Type elementType) {
  return elementType.isIndex() ? 8 : llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

int64_t npu::getSizeBytes(ShapedType type) { return type.getNumElements() * getElementBytes(type.getElementType()); }
