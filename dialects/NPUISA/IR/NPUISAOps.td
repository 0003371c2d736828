// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPUISA_OPS_TD
#define NPUISA_OPS_TD

include "dialects/NPUISA/IR/NPUISABase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class NPUISA_Op<string mnemonic, list<Trait> traits = []> : Op<NPUISA_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Structure: what stands around the instructions
//===----------------------------------------------------------------------===//

def NPUISA_LoopOp : NPUISA_Op<"loop", [SingleBlock]> {
  let summary = "hardware loop";
  let description = [{
    Dispatches its body `count` times: `loop_begin` and `loop_end` of the program file. Tokens may be carried from
    iteration to iteration until semaphores are assigned.

    Constraints:
    C1. the count is between 1 and 2147483647.
    C2. there is one body argument, one yielded token and one result for each initial token.

    ```mlir
    npuisa.loop count(4) {
      npuisa.mm_clear acc = acc[0, 256 * l0] shape = [64] strides = [4]
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<0x7fffffff>]>:$count,
    Variadic<NPUISA_TokenType>:$inits);
  let results = (outs Variadic<NPUISA_TokenType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "int64_t":$count, CArg<"::mlir::ValueRange", "{}">:$inits)>];
  let skipDefaultBuilders = 1;
}

def NPUISA_MicroprogramOp : NPUISA_Op<"micro", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "microprogram of the vector engine or the drain";
  let description = [{
    A straight line of operations in single-assignment form: operation number i defines register `ri`. `drain` and
    `v_exec` name it by its symbol; its number in the program file is its place in the program. The instruction
    reference lists the operations. `code` holds six numbers for each: code of the operation, code of the type, three
    registers and the immediate.

    Constraints:
    C1. the operations are well-typed, read only registers before them, and every output is a register.

    ```mlir
    npuisa.micro @relu inputs 1 {
      r0 = input f32 0
      r1 = const f32 0x0
      r2 = maximumf f32 r0, r1
    } outputs [r2]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<65535>]>:$num_inputs,
    DenseI64ArrayAttr:$code, DenseI64ArrayAttr:$outputs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def NPUISA_ProgramOp : NPUISA_Op<"program", [IsolatedFromAbove, SymbolTable, Symbol, SingleBlock, NoTerminator]> {
  let summary = "device program";
  let description = [{
    Its DRAM regions, its microprograms and its instructions. The target is that of the module.

    Constraints:
    C1. it holds microprograms, loops and instructions and ends in `npuisa.halt`.
    C2. an address in DRAM names a region of the program.
    C3. `drain` and `v_exec` name a microprogram of the program and have its inputs and outputs as operands.
    C4. address terms name enclosing loops.

    ```mlir
    npuisa.program @main regions [
      <input, "x", 256 bytes, f32, [64]>
    ] {
      npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = [4] shape = [64] element_bytes = 4
      npuisa.halt
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, NPUISA_RegionArrayAttr:$regions);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `regions` custom<Regions>($regions) attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def NPUISA_ReadyOp : NPUISA_Op<"ready", [Pure]> {
  let summary = "token of something that has already happened";
  let description = "Starts the chain of tokens that a loop carries: `%t = npuisa.ready`.";
  let results = (outs NPUISA_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

def NPUISA_YieldOp : NPUISA_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"LoopOp">]> {
  let summary = "end of a loop body";
  let description = "Hands the tokens to the next iteration and to the results of the loop: `npuisa.yield %t`.";
  let arguments = (ins Variadic<NPUISA_TokenType>:$tokens);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "($tokens^)? attr-dict";
}

#endif // NPUISA_OPS_TD
