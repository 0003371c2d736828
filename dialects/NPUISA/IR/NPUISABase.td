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

def NPUISA_DTypeEnum : I32Enum<"DType", "element type: b8, i8, u8, i16, u16, i32, u32, i64, f16, bf16 or f32", [
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
    I32EnumCase<"F32", 10, "f32">]> {
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
  }];
  let parameters = (ins "unsigned":$loop, "int64_t":$stride, "unsigned":$modulus);
  let assemblyFormat = "`<` $loop `,` $stride `,` $modulus `>`";
}

def NPUISA_AddressAttr : AttrDef<NPUISA_Dialect, "Address"> {
  let mnemonic = "address";
  let summary = "address in a memory space, affine in the loop counters";
  let description = [{
    A byte offset in SRAM, in the accumulator, or in a DRAM region, plus up to eight terms.
    Example: `#npuisa.address<dram, 2, 128, <0, 4096, 0>, <1, 64, 0>>`. `region` is 0 outside of DRAM.
  }];
  let parameters = (ins "::mlir::npuisa::Space":$space, "unsigned":$region, "int64_t":$offset,
    OptionalArrayRefParameter<"::mlir::npuisa::TermAttr">:$terms);
  let assemblyFormat = "`<` $space `,` $region `,` $offset (`,` $terms^)? `>`";
}

def NPUISA_OperandAttr : AttrDef<NPUISA_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "memory operand of a microprogram: address, element type and byte strides";
  let description = [{
    One stride for each dimension of the iteration space; 0 broadcasts (input) or accumulates (output).
    Example: `#npuisa.operand<<sram, 0, 4096>, f32, [128, 4]>`.
  }];
  let parameters = (ins "::mlir::npuisa::AddressAttr":$address, "::mlir::npuisa::DType":$dtype,
    OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` $address `,` $dtype `,` `[` (`]`) : ($strides^ `]`)? `>`";
}
def NPUISA_OperandArrayAttr : TypedArrayAttrBase<NPUISA_OperandAttr, "array of operands">;

def NPUISA_SyncAttr : AttrDef<NPUISA_Dialect, "Sync"> {
  let mnemonic = "sync";
  let summary = "semaphore and count to wait for or to signal";
  let description = "Example: `#npuisa.sync<3, 1>`: semaphore 3, count 1.";
  let parameters = (ins "unsigned":$semaphore, "unsigned":$count);
  let assemblyFormat = "`<` $semaphore `,` $count `>`";
}
def NPUISA_SyncArrayAttr : TypedArrayAttrBase<NPUISA_SyncAttr, "array of semaphores with counts">;

#endif // NPUISA_BASE_TD
