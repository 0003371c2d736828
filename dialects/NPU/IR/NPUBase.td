// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_BASE_TD
#define NPU_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def NPU_Dialect : Dialect {
  let name = "npu";
  let summary = "Operations of a neural processing unit, on tensors and on buffers";
  let description = [{
    Compute ops are destination-style and take tensors or memrefs, so that bufferization changes types and not ops.
    The same ops run through three stages: whole tensors in DRAM, tiles in SRAM inside loops, and buffers inside
    asynchronous tasks. `convert-npu-to-linalg` defines the meaning of each of them.
  }];
  let cppNamespace = "::mlir::npu";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// The attribute of a module that holds its target.
    static constexpr ::llvm::StringLiteral kTargetAttrName = "npu.target";
    /// The attribute of a loop that tells how many slots the buffers allocated in it alternate between.
    static constexpr ::llvm::StringLiteral kDepthAttrName = "npu.depth";
    /// The attribute of a program argument that tells its role: "input", "output" or "constant".
    static constexpr ::llvm::StringLiteral kRoleAttrName = "npu.role";
    /// The attribute of a constant program argument that holds its value.
    static constexpr ::llvm::StringLiteral kValueAttrName = "npu.value";

  private:
    void registerTypes();
    void registerAttributes();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def NPU_SpaceEnum : I32Enum<"Space", "memory space of the NPU: dram, sram, acc or host", [
    I32EnumCase<"Dram", 0, "dram">,
    I32EnumCase<"Sram", 1, "sram">,
    I32EnumCase<"Acc", 2, "acc">,
    I32EnumCase<"Host", 3, "host">]> {
  let cppNamespace = "::mlir::npu";
}

def NPU_QueueEnum : I32Enum<"Queue", "instruction queue: ld, st, mm, dr or ve", [
    I32EnumCase<"LD", 0, "ld">,
    I32EnumCase<"ST", 1, "st">,
    I32EnumCase<"MM", 2, "mm">,
    I32EnumCase<"DR", 3, "dr">,
    I32EnumCase<"VE", 4, "ve">]> {
  let cppNamespace = "::mlir::npu";
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

class NPU_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<NPU_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def NPU_SpaceAttr : EnumAttr<NPU_Dialect, NPU_SpaceEnum, "space"> {
  let summary = "memory space of a tensor (as encoding) or of a memref";
  let description = [{
    `#npu.space<sram>` on `tensor<64x64xf32, #npu.space<sram>>` or `memref<64x64xf32, #npu.space<sram>>`. A type
    without it lives in DRAM.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def NPU_QueueAttr : EnumAttr<NPU_Dialect, NPU_QueueEnum, "queue"> {
  let summary = "instruction queue";
  let description = "One of the five in-order queues, for example `#npu.queue<mm>`; in `npu.task` it prints as `mm`.";
  let assemblyFormat = "`<` $value `>`";
}

def NPU_ScheduleAttr : NPU_Attr<"Schedule", "schedule"> {
  let summary = "schedule of a kernel";
  let description = [{
    How `npu-tile` cuts a kernel and how deep its buffers are: the tile size of each dimension of the kernel's root op
    (0 means not cut) and the number of buffers that a transfer alternates between. `npu-tile` hands the depth on as the
    attribute `npu.depth` of its loops, where `npu-multi-buffer` reads it.

    Example: `#npu.schedule<tiles = [64, 64, 256], depth = 2>`.

    Constraints:
    C1. tile sizes are not negative.
    C2. the depth is at least 1.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$tiles, "int64_t":$depth);
  let assemblyFormat = "`<` `tiles` `=` `[` (`]`) : ($tiles^ `]`)? `,` `depth` `=` $depth `>`";
  let genVerifyDecl = 1;
}

def NPU_TargetAttr : NPU_Attr<"Target", "target"> {
  let summary = "hardware that a module is compiled for";
  let description = [{
    The resolved target description: its name, the hash of its content and every parameter. Passes read it through
    `getTarget(Operation *)` of dialects/Target and hold no hardware number themselves.
  }];
  let parameters = (ins StringRefParameter<>:$name, StringRefParameter<>:$hash, "::mlir::DictionaryAttr":$parameters);
  let assemblyFormat = "`<` $name `,` `hash` `=` $hash `,` $parameters `>`";
}

class NPU_Type<string name, string typeMnemonic> : TypeDef<NPU_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def NPU_TokenType : NPU_Type<"Token", "token"> {
  let summary = "completion of an asynchronous task";
  let description = [{
    Made by `npu.task` and `npu.ready`, used by the `waits` of a later task or by `npu.wait`. Tokens may be carried by loops.
  }];
}

#endif // NPU_BASE_TD
