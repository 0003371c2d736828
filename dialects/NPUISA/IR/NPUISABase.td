// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPUISA_BASE_TD
#define NPUISA_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def NPUISA_Dialect : Dialect {
  let name = "npuisa";
  let summary = "Instructions of the neural processing unit";
  let description = [{
    One op is one instruction of the program file, field by field. The ops are made from the same records as the
    encoder, the assembler and the instruction reference.
  }];
  let cppNamespace = "::mlir::npuisa";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
  private:
    void registerTypes();
    void registerAttributes();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Enumerations: the values are those of the program file
//===----------------------------------------------------------------------===//

def NPUISA_QueueEnum : I32Enum<"Queue", "instruction queue: ld, st, mm, dr or ve", [
    I32EnumCase<"LD", 0, "ld">,
    I32EnumCase<"ST", 1, "st">,
    I32EnumCase<"MM", 2, "mm">,
    I32EnumCase<"DR", 3, "dr">,
    I32EnumCase<"VE", 4, "ve">]> {
  let cppNamespace = "::mlir::npuisa";
}

def NPUISA_SpaceEnum : I32Enum<"Space", "address space: dram, sram or acc", [
    I32EnumCase<"Dram", 0, "dram">,
    I32EnumCase<"Sram", 1, "sram">,
    I32EnumCase<"Acc", 2, "acc">]> {
  let cppNamespace = "::mlir::npuisa";
}

def NPUISA_DTypeEnum : I32Enum<"DType", "element type: b8, i8, u8, i16, u16, i32, u32, i64, f16, bf16, f32, f8e4m3, f8e5m2, i4 or u4", [
    I32EnumCase<"B8", 0, "b8">,
    I32EnumCase<"I8", 1, "i8">,
    I32EnumCase<"U8", 2, "u8">,
    I32EnumCase<"I16", 3, "i16">,
    I32EnumCase<"U16", 4, "u16">,
    I32EnumCase<"I32", 5, "i32">,
    I32EnumCase<"U32", 6, "u32">,
    I32EnumCase<"I64", 7, "i64">,
    I32EnumCase<"F16", 8, "f16">,
    I32EnumCase<"BF16", 9, "bf16">,
    I32EnumCase<"F32", 10, "f32">,
    I32EnumCase<"F8E4M3", 11, "f8e4m3">,
    I32EnumCase<"F8E5M2", 12, "f8e5m2">,
    I32EnumCase<"I4", 13, "i4">,
    I32EnumCase<"U4", 14, "u4">]> {
  let cppNamespace = "::mlir::npuisa";
}

def NPUISA_RoleEnum : I32Enum<"Role", "who fills a DRAM region: input, output, constant, arena or state", [
    I32EnumCase<"Input", 0, "input">,
    I32EnumCase<"Output", 1, "output">,
    I32EnumCase<"Constant", 2, "constant">,
    I32EnumCase<"Arena", 3, "arena">,
    I32EnumCase<"State", 4, "state">]> {
  let cppNamespace = "::mlir::npuisa";
}

def NPUISA_QueueAttr : EnumAttr<NPUISA_Dialect, NPUISA_QueueEnum, "queue"> {
  let summary = "instruction queue";
  let assemblyFormat = "$value";
}

def NPUISA_DTypeAttr : EnumAttr<NPUISA_Dialect, NPUISA_DTypeEnum, "dtype"> {
  let summary = "element type of an operand";
  let assemblyFormat = "$value";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def NPUISA_TermAttr : AttrDef<NPUISA_Dialect, "Term"> {
  let mnemonic = "term";
  let summary = "address term: a byte stride of an enclosing loop's counter";
  let description = [{
    Adds `stride * counter` to an address, where `counter` counts the iterations of the loop at absolute depth `loop`
    (0 is the outermost). With a `modulus` it adds `stride * (counter mod modulus)`: a ring of buffers. 0 is none.
    Example: `#npuisa.term<0, 4096, 2>`.

    Constraints:
    C1. the depth is below 16 and the modulus at most 65535.
  }];
  let parameters = (ins "unsigned":$loop, "int64_t":$stride, "unsigned":$modulus);
  let assemblyFormat = "`<` $loop `,` $stride `,` $modulus `>`";
  let genVerifyDecl = 1;
}

def NPUISA_AddressAttr : AttrDef<NPUISA_Dialect, "Address"> {
  let mnemonic = "address";
  let summary = "address in a memory space, affine in the loop counters";
  let description = [{
    A byte offset in SRAM, in the accumulator, or in a DRAM region, plus up to eight terms. In text `l0` is the counter
    of the outermost loop. Examples: `#npuisa.address<sram[4096]>`, `#npuisa.address<dram 2[128, 4096 * l0, 64 * l1 mod 2]>`
    for region 2; the last term is `64 * (l1 mod 2)`.

    Constraints:
    C1. the region is at most 65535, and 0 outside of DRAM.
    C2. there are at most 8 terms.
  }];
  let parameters = (ins "::mlir::npuisa::Space":$space, "unsigned":$region, "int64_t":$offset,
    OptionalArrayRefParameter<"::mlir::npuisa::TermAttr">:$terms);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def NPUISA_OperandAttr : AttrDef<NPUISA_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "memory operand of a microprogram: address, element type and byte strides";
  let description = [{
    One stride for each dimension of the iteration space; 0 broadcasts (input) or accumulates (output).
    Example: `#npuisa.operand<sram[4096] f32 [128, 4]>`.
  }];
  let parameters = (ins "::mlir::npuisa::AddressAttr":$address, "::mlir::npuisa::DType":$dtype,
    OptionalArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
}
def NPUISA_OperandArrayAttr : TypedArrayAttrBase<NPUISA_OperandAttr, "array of operands">;

def NPUISA_RegionAttr : AttrDef<NPUISA_Dialect, "Region"> {
  let mnemonic = "region";
  let summary = "DRAM region of a program";
  let description = [{
    Who fills it, its name, its size, and for the caller the tensor that it holds. A constant has its contents, an
    elements attribute of as many bytes. The number of a region is its place in the program's list.
    Example: `#npuisa.region<input, "x", 1024 bytes, f32, [16, 16]>`.

    Constraints:
    C1. exactly a constant has contents, and they have the size of the region.
    C2. no extent is negative.
    C3. the elements are whole bytes: packed weights are described as the bytes that hold them.
  }];
  let parameters = (ins "::mlir::npuisa::Role":$role, StringRefParameter<>:$name, "uint64_t":$bytes,
    "::mlir::npuisa::DType":$dtype, OptionalArrayRefParameter<"int64_t">:$shape,
    OptionalParameter<"::mlir::ElementsAttr">:$contents);
  let assemblyFormat = [{
    `<` $role `,` $name `,` $bytes `bytes` `,` $dtype `,` `[` (`]`) : ($shape^ `]`)? (`,` $contents^)? `>`
  }];
  let genVerifyDecl = 1;
}
def NPUISA_RegionArrayAttr : TypedArrayAttrBase<NPUISA_RegionAttr, "array of DRAM regions">;

def NPUISA_SyncAttr : AttrDef<NPUISA_Dialect, "Sync"> {
  let mnemonic = "sync";
  let summary = "semaphore and count to wait for or to signal";
  let description = "Example: `#npuisa.sync<3, 1>`: semaphore 3, count 1. In instructions it prints as `3:1`.";
  let parameters = (ins "unsigned":$semaphore, "unsigned":$count);
  let assemblyFormat = "`<` $semaphore `,` $count `>`";
}
def NPUISA_SyncArrayAttr : TypedArrayAttrBase<NPUISA_SyncAttr, "array of semaphores with counts">;

//===----------------------------------------------------------------------===//
// Types and traits
//===----------------------------------------------------------------------===//

def NPUISA_TokenType : TypeDef<NPUISA_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "completion of an instruction";
  let description = [{
    Orders instructions of different queues until `npuisa-assign-semaphores` has replaced it by semaphores.
  }];
}

/// What every instruction is checked for: the fields fit the encoding and agree with each other.
def NPUISA_InstructionTrait : NativeOpTrait<"Instruction"> {
  let cppNamespace = "::mlir::npuisa";
}

#endif // NPUISA_BASE_TD
