// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Structure on tensors: what runs where
//===----------------------------------------------------------------------===//

def NPU_HostRegionOp : NPU_Op<"host_region", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "work that stays on the host, with the reason";
  let description = [{
    Holds the ops that the target cannot run; they compute on the CPU. `reason` says which rule each broke and is what
    reports print. The region may use values from outside of it.

    ```mlir
    %r = npu.host_region reason("math.acos: the vector engine has no such function") {
      %0 = linalg.generic ...
      npu.yield %0 : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$reason);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`reason` `(` $reason `)` attr-dict-with-keyword $body (`->` type($results)^)?";
  let hasVerifier = 1;
}

def NPU_KernelOp : NPU_Op<"kernel", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "unit of fusing, tiling and tuning";
  let description = [{
    The ops of one schedule. Its operands and results are DRAM tensors; the region's arguments stand for the operands.
    `name` is the name of the source node that it computes.

    Constraints:
    C1. the region has one argument per operand, of its type, and yields one value per result, of its type.

    ```mlir
    %r = npu.kernel "relu" ins(%x : tensor<8xf32>) {
    ^bb0(%a: tensor<8xf32>):
      ...
      npu.yield %0 : tensor<8xf32>
    } -> tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyRankedTensor>:$inputs, OptionalAttr<NPU_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`schedule` `(` $schedule^ `)`)? attr-dict-with-keyword $body
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def NPU_LaunchOp : NPU_DestinationOp<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run of a device program, called from the host";
  let description = [{
    Hands the inputs and the destinations to the arguments of the program with roles "input" and "output", in order, and
    waits until it has ended.

    Constraints:
    C1. the symbol names an `npu.program` of the module, or the `npuisa.program` that it became.
    C2. shapes and element types are those of the program's input and output arguments.

    ```mlir
    %r = npu.launch @main_0 ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Variadic<NPU_Shaped>:$inputs, Variadic<NPU_Shaped>:$inits);
  let assemblyFormat = [{
    $program (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $inits^ `:` type($inits) `)`)? attr-dict
    (`->` type($results)^)?
  }];
}

def NPU_ProgramOp : NPU_Op<"program", [IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope, AffineScope]> {
  let summary = "code of one device program";
  let description = [{
    Its arguments are DRAM memrefs; the argument attribute `npu.role` is "input", "output" or "constant". A constant has
    its value in `npu.value` and lies in the program file. `npu.name`, if it is there, is the name that the tensor has in the
    user's model: any text, as it appears in the program file. It ends in `npu.return`.

    Constraints:
    C1. every argument is a statically shaped DRAM memref with a role.
    C2. exactly the constant arguments have a value, of the argument's shape and element type.

    ```mlir
    npu.program @main_0(%x: memref<8xf32> {npu.role = "input"}, %y: memref<8xf32> {npu.role = "output"}) {
      npu.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 "::llvm::ArrayRef<::mlir::DictionaryAttr>":$argAttrs)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// "input", "output" or "constant".
    ::llvm::StringRef getRole(unsigned argument);
    /// The value of a constant argument, null for others.
    ::mlir::ElementsAttr getConstantValue(unsigned argument);
  }];
}

def NPU_ReturnOp : NPU_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"ProgramOp">]> {
  let summary = "end of a device program";
  let description = "Ends `npu.program`; results were written to the output arguments.";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Structure on buffers: storage, tasks and tokens
//===----------------------------------------------------------------------===//

def NPU_BufferOp : NPU_Op<"buffer", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "storage for the whole run of a program";
  let description = [{
    A memref in DRAM (the program's arena), SRAM or accumulator memory. `offset` is its byte address there, set by `npu-plan-memory`.

    Constraints:
    C1. the memref has a static shape and the identity layout.
    C2. the offset is not negative.

    ```mlir
    %a = npu.buffer offset(4096) : memref<64x64xf32, #npu.space<sram>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "(`offset` `(` $offset^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NPU_ReadyOp : NPU_Op<"ready", [Pure]> {
  let summary = "token of something that has already happened";
  let description = "Starts the chain of tokens that a loop carries: `%t = npu.ready`.";
  let results = (outs NPU_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

def NPU_RingOp : NPU_Op<"ring", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "storage that the iterations of a loop alternate between";
  let description = [{
    The first dimension of the memref is the depth: the number of slots. `npu.ring_slot` picks one.

    Constraints:
    C1. the memref has a static shape, the identity layout and rank at least 1.
    C2. the offset is not negative.

    ```mlir
    %r = npu.ring offset(0) : memref<2x64x64xf32, #npu.space<sram>>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "(`offset` `(` $offset^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NPU_RingSlotOp : NPU_Op<"ring_slot", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "slot of a ring for an iteration";
  let description = [{
    Slot `(index / step) mod depth` of the ring, where `index` is the induction variable of a loop with that step.

    Constraints:
    C1. the result is the ring's type without its first dimension, contiguous, at a dynamic offset.
    C2. the step is positive.

    ```mlir
    %s = npu.ring_slot %r[%i step 64] : memref<2x8xf32, #npu.space<sram>> to memref<8xf32, strided<[1], offset: ?>, #npu.space<sram>>
    ```
  }];
  let arguments = (ins AnyMemRef:$ring, Index:$index, I64Attr:$step);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$ring `[` $index `step` $step `]` attr-dict `:` type($ring) `to` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of a slot of a ring of type `ring`.
    static ::mlir::MemRefType slotType(::mlir::MemRefType ring);
  }];
}

def NPU_TaskOp : NPU_Op<"task", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "asynchronous execution of one op on a queue";
  let description = [{
    Starts when the earlier tasks of its queue have ended and every token that it waits for is complete; its token completes
    when the op inside has ended. In program order it means the op inside.

    Constraints:
    C1. the region holds exactly one npu op on memrefs, of a kind that the queue runs.

    ```mlir
    %t = npu.task queue(ld) waits(%a) {
      npu.load ins(%x : memref<8xf32>) outs(%s : memref<8xf32, #npu.space<sram>>)
    }
    ```
  }];
  let arguments = (ins NPU_QueueAttr:$queue, Variadic<NPU_TokenType>:$waits);
  let results = (outs NPU_TokenType:$token);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`queue` `(` custom<QueueName>($queue) `)` (`waits` `(` $waits^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::npu::Queue":$queue, "::mlir::ValueRange":$waits)>];
  let extraClassDeclaration = [{
    /// The op that the task runs.
    ::mlir::Operation *getOperationInside() { return &getBody().front().front(); }
  }];
}

def NPU_WaitOp : NPU_Op<"wait"> {
  let summary = "wait of a queue for tokens";
  let description = [{
    Later tasks of the queue start only when the tokens are complete. It stands in front of a loop for what the tasks inside need.

    ```mlir
    npu.wait queue(mm) on(%t)
    ```
  }];
  let arguments = (ins NPU_QueueAttr:$queue, Variadic<NPU_TokenType>:$tokens);
  let assemblyFormat = "`queue` `(` custom<QueueName>($queue) `)` `on` `(` $tokens `)` attr-dict";
}
