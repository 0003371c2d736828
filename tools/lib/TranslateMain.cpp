// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/lib/Tools.h"

#include "dialects/InitAllDialects.h"
#include "dialects/NPU/IR/NPU.h"
#include "dialects/NPUISA/Encoding/Encoder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace {

using ReadProgram = function_ref<npuhw::Result<npuhw::Program>(StringRef)>;
using WriteProgram = function_ref<void(const npuhw::Program &, raw_ostream &)>;

/// The program of a module: its only one, or the one that is named.
FailureOr<npuisa::ProgramOp> findProgram(Operation *root, StringRef name) {
  SmallVector<npuisa::ProgramOp> programs;
  root->walk([&](npuisa::ProgramOp program) {
    if (name.empty() || program.getSymName() == name) {
      programs.push_back(program);
    }
  });
  if (programs.size() == 1) {
    return programs.front();
  }
  if (!name.empty()) {
    return root->emitError() << "expected one 'npuisa.program' called '" << name << "', but found " << programs.size();
  }
  return root->emitError() << "expected one 'npuisa.program', but found " << programs.size()
                           << "; name one with --program";
}

LogicalResult translateFrom(Operation *root, StringRef name, raw_ostream &output, WriteProgram write) {
  FailureOr<npuisa::ProgramOp> op = findProgram(root, name);
  if (failed(op)) {
    return failure();
  }
  FailureOr<npuhw::Program> program = npuisa::encodeProgram(*op);
  if (failed(program)) {
    return failure();
  }
  write(*program, output);
  return success();
}

OwningOpRef<Operation *> translateTo(llvm::SourceMgr &sources, MLIRContext *context, ReadProgram read) {
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  npuhw::Result<npuhw::Program> program = read(buffer->getBuffer());
  Location loc = FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  if (!program) {
    // The message names the byte of a file or the line of assembly.
    emitError(loc) << program.error().str();
    return nullptr;
  }
  context->loadDialect<npu::NPUDialect, npuisa::NPUISADialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  if (failed(npuisa::decodeProgram(loc, *program, *module)) || failed(mlir::verify(*module))) {
    return nullptr;
  }
  return OwningOpRef<Operation *>(module.release());
}

void registerTranslations() {
  static llvm::cl::opt<std::string> programName(
      "program", llvm::cl::desc("the npuisa.program to translate, where a module has several"), llvm::cl::init(""));
  auto registerDialects = [](DialectRegistry &registry) { npu::registerAllDialects(registry); };

  static TranslateFromMLIRRegistration toBinary(
      "npuisa-to-binary", "write the program file (.npuprog) of an npuisa.program",
      [](Operation *op, raw_ostream &output) {
        return translateFrom(op, programName, output, [](const npuhw::Program &program, raw_ostream &os) {
          npuhw::Bytes bytes = npuhw::writeProgram(program);
          os.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        });
      },
      registerDialects);
  static TranslateFromMLIRRegistration toAssembly(
      "npuisa-to-asm", "write the assembly of an npuisa.program",
      [](Operation *op, raw_ostream &output) {
        return translateFrom(op, programName, output, [](const npuhw::Program &program, raw_ostream &os) {
          os << npuhw::printAssembly(program);
        });
      },
      registerDialects);
  static TranslateToMLIRRegistration fromBinary(
      "binary-to-npuisa", "read a program file (.npuprog)",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return translateTo(sources, context, [](StringRef data) {
          return npuhw::readProgram(reinterpret_cast<const uint8_t *>(data.data()), data.size());
        });
      },
      registerDialects);
  static TranslateToMLIRRegistration fromAssembly(
      "asm-to-npuisa", "read assembly",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        return translateTo(sources, context, [](StringRef data) { return npuhw::parseAssembly(data.str()); });
      },
      registerDialects);
}

} // namespace

int npuTranslateMain(int argc, char **argv) {
  registerTranslations();
  return failed(mlirTranslateMain(argc, argv, "npu-translate: device programs as text, assembly and files\n"));
}
