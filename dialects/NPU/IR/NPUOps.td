// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_OPS_TD
#define NPU_OPS_TD

include "dialects/NPU/IR/NPUBase.td"
include "dialects/NPU/Interfaces/NPUInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class NPU_Op<string mnemonic, list<Trait> traits = []> : Op<NPU_Dialect, mnemonic, traits>;

/// A value that a device op reads or writes: a tensor before bufferization, a memref after it.
def NPU_Shaped : Type<Or<[AnyStaticShapeTensor.predicate, AnyStaticShapeMemRef.predicate]>,
    "statically shaped tensor or memref", "::mlir::ShapedType">;

/// Destination-style ops: the results are the tensor inits; with memrefs there is no result.
class NPU_DestinationOp<string mnemonic, list<Trait> traits = []> : NPU_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>], traits)> {
  let hasVerifier = 1;
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

include "dialects/NPU/IR/NPUMatrixOps.td"
include "dialects/NPU/IR/NPUVectorOps.td"
include "dialects/NPU/IR/NPUDataOps.td"
include "dialects/NPU/IR/NPUStructureOps.td"

#endif // NPU_OPS_TD
