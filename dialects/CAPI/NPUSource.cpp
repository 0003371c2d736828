// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CAPI/NPUSource.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

void npuSourceGetArgumentNames(MlirContext context, MlirStringRef text, MlirStringRef function,
                               MlirStringCallback receive, void *userData) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(unwrap(text)), llvm::SMLoc());
  Block block;
  AsmParserState state;
  ScopedDiagnosticHandler silence(unwrap(context), [](Diagnostic &) { return success(); });
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(unwrap(context)), &state))) {
    return;
  }
  FunctionOpInterface found;
  for (Operation &top : block) {
    top.walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
      if (op.getName() == unwrap(function) && !op.isExternal()) {
        found = op;
      }
      return found ? WalkResult::interrupt() : WalkResult::skip();
    });
  }
  const AsmParserState::BlockDefinition *entry =
      found ? state.getBlockDef(&found.getFunctionBody().front()) : nullptr;
  if (!entry) {
    return;
  }
  for (const AsmParserState::SMDefinition &argument : entry->arguments) {
    llvm::SMRange range = argument.loc;
    StringRef name(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
    name.consume_front("%");
    receive(wrap(name), userData);
  }
}
