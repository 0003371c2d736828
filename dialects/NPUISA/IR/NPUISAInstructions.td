// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction set, described once. From these records come the ops of the
// npuisa dialect (mlir-tblgen), the structures, encoder, decoder and assembler
// of the simulator and the reference page (generate_isa.py).
//
//===----------------------------------------------------------------------===//

#ifndef NPUISA_INSTRUCTIONS_TD
#define NPUISA_INSTRUCTIONS_TD

include "dialects/NPUISA/IR/NPUISABase.td"

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// How a field is stored: `kind` selects the C++ type and the encoding, `directive` the function that prints it.
class NPUISA_Field<string fieldName, string fieldKind, Attr attribute, string text, int low = 0, int high = 0,
                   string directive = ""> {
  string name = fieldName;
  string assembly = !if(!empty(directive), "$" # fieldName, "custom<" # directive # ">($" # fieldName # ")");
  string kind = fieldKind;
  Attr attr = attribute;
  string doc = text;
  int minimum = low;
  int maximum = high;
  list<string> types = []; ///< Element types that it takes, of a field that is one or has some.
}

/// An integer with an inclusive range; `kind` is u8, u16, u32, i32 or i64.
class NPUISA_Int<string name, string kind, int low, int high, string doc>
    : NPUISA_Field<name, kind, ConfinedAttr<I64Attr, [IntMinValue<low>, IntMaxValue<high>]>, doc, low, high>;

/// 64 bits without a range.
class NPUISA_Bits<string name, string doc> : NPUISA_Field<name, "u64", I64Attr, doc>;

/// A byte stride or distance.
class NPUISA_Stride<string name, string doc>
    : NPUISA_Field<name, "i64", I64Attr, doc, 0x8000000000000000, 0x7fffffffffffffff>;

class NPUISA_Address<string name, string doc> : NPUISA_Field<name, "address", NPUISA_AddressAttr, doc, 0, 0, "Address">;

/// The attribute prints a space of its own.
class NPUISA_DType<string name, list<string> allowed, string doc>
    : NPUISA_Field<name, "dtype", NPUISA_DTypeAttr, doc> {
  let assembly = "`` $" # name;
  let types = allowed;
}

class NPUISA_IndexDType<string name> : NPUISA_DType<name, ["i32", "i64"], "type of the indices">;

/// Up to `most` numbers: extents (not negative) or byte strides.
class NPUISA_Extents<string name, int most, string doc>
    : NPUISA_Field<name, "extents", DenseI64ArrayAttr, doc, 0, most, "Numbers">;
class NPUISA_Strides<string name, int most, string doc>
    : NPUISA_Field<name, "strides", DenseI64ArrayAttr, doc, 0, most, "Numbers">;

/// The microprogram that runs at each point. In MLIR it is a symbol, in the file an index.
class NPUISA_Micro<string name, string doc> : NPUISA_Field<name, "micro", FlatSymbolRefAttr, doc, 0, 65535>;

/// Inputs, then outputs, of the microprogram: elements of whole bytes.
class NPUISA_Operands<string name, string doc>
    : NPUISA_Field<name, "operands", NPUISA_OperandArrayAttr, doc, 0, 32, "Operands"> {
  let types = ["b8", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "f16", "bf16", "f32", "f8e4m3", "f8e5m2"];
}

//===----------------------------------------------------------------------===//
// Instruction classes
//===----------------------------------------------------------------------===//

/// What every instruction states. `isaQueues` lists where it may run: "ctl" is the control unit itself.
class NPUISA_InstructionInfo<string isaMnemonic, int isaOpcode, list<string> isaQueues, list<NPUISA_Field> isaFields> {
  string instructionMnemonic = isaMnemonic;
  int opcode = isaOpcode;
  list<string> queues = isaQueues;
  list<NPUISA_Field> fields = isaFields;
  string summaryText = "";
  string semantics = "";
  string cost = "";
}

/// An instruction that exists only in the program file; in MLIR it is structure (`npuisa.loop`).
class NPUISA_FileInstruction<string mnemonic, int opcode, list<NPUISA_Field> fields, string summaryLine, string meaning,
                             string price> : NPUISA_InstructionInfo<mnemonic, opcode, ["ctl"], fields> {
  let summaryText = summaryLine;
  let semantics = meaning;
  let cost = price;
}

/// The attributes and the assembly that follow from the fields.
class NPUISA_FieldFormats<list<NPUISA_Field> fields> {
  list<Attr> attrs = !foreach(f, fields, f.attr);
  list<string> names = !foreach(f, fields, f.name);
  dag arguments = !dag(ins, attrs, names);
  string format = !interleave(!foreach(f, fields, "`" # f.name # "` `=` " # f.assembly), " ");
}

/// An instruction of the control unit: no semaphores.
class NPUISA_ControlInstruction<string mnemonic, int opcode, list<NPUISA_Field> fields, string summaryLine,
                                string meaning, string price, list<Trait> traits = []>
    : Op<NPUISA_Dialect, mnemonic, !listconcat([NPUISA_InstructionTrait], traits)>,
      NPUISA_InstructionInfo<mnemonic, opcode, ["ctl"], fields> {
  let summaryText = summaryLine;
  let semantics = meaning;
  let cost = price;
  let summary = summaryText;
  let description = semantics # "\n\nCost: " # cost # ".";
  let arguments = NPUISA_FieldFormats<fields>.arguments;
  let assemblyFormat = NPUISA_FieldFormats<fields>.format # " attr-dict";
}

/// An instruction of a queue: it waits for up to two semaphores before it starts and signals up to two when it is
/// complete. Where several queues can run it, `queue` says which. Before semaphores are assigned it starts `after`
/// tokens and may give one.
class NPUISA_Instruction<string mnemonic, int opcode, list<string> queues, list<NPUISA_Field> fields,
                         string summaryLine, string meaning, string price, list<Trait> traits = []>
    : Op<NPUISA_Dialect, mnemonic, !listconcat([NPUISA_InstructionTrait], traits)>,
      NPUISA_InstructionInfo<mnemonic, opcode, queues, fields> {
  let summaryText = summaryLine;
  let semantics = meaning;
  let cost = price;
  let summary = summaryText;
  let description = semantics # "\n\nCost: " # cost # ".";
  bit choosesQueue = !gt(!size(queues), 1);
  let arguments = !con(!if(choosesQueue, (ins NPUISA_QueueAttr:$queue), (ins)),
                       NPUISA_FieldFormats<fields>.arguments,
                       (ins OptionalAttr<NPUISA_SyncArrayAttr>:$waits, OptionalAttr<NPUISA_SyncArrayAttr>:$signals,
                            Variadic<NPUISA_TokenType>:$after));
  let results = (outs Optional<NPUISA_TokenType>:$token);
  let assemblyFormat = !if(choosesQueue, "`on` `` $queue ", "") # NPUISA_FieldFormats<fields>.format #
                       " `` custom<Waits>($waits) `` custom<Signals>($signals) (`after` `(` $after^ `)`)? attr-dict" #
                       " (`->` type($token)^)?";
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

def NPUISA_HaltOp : NPUISA_ControlInstruction<"halt", 1, [],
  "end of the program",
  "The control unit stops dispatching. The program is complete when every queue is empty. It is the last instruction.",
  "`dispatch_cycles`">;

def NPUISA_LoopBegin : NPUISA_FileInstruction<"loop_begin", 2,
  [NPUISA_Int<"count", "i64", 1, 0x7fffffff, "iterations">],
  "start of a hardware loop",
  "The instructions up to the matching `loop_end` are dispatched `count` times. The counter starts at 0; address "
  "terms name it by the nesting depth of the loop (0 is the outermost).",
  "`dispatch_cycles`, once">;

def NPUISA_LoopEnd : NPUISA_FileInstruction<"loop_end", 3, [],
  "end of a hardware loop",
  "Counts up and continues after the matching `loop_begin` until the trip count is reached.",
  "`dispatch_cycles`, once an iteration">;

def NPUISA_FenceOp : NPUISA_ControlInstruction<"fence", 4, [],
  "wait until all queues are empty",
  "The control unit dispatches nothing more until every dispatched instruction is complete.",
  "`dispatch_cycles`, and the wait">;

def NPUISA_MarkOp : NPUISA_ControlInstruction<"mark", 5,
  [NPUISA_Int<"id", "u32", 0, 0x7fffffff, "number that appears in the trace">],
  "point in the trace",
  "Has no effect on values. The trace and the report show when it was dispatched.",
  "`dispatch_cycles`">;

def NPUISA_SyncOp : NPUISA_Instruction<"sync", 6, ["ld", "st", "mm", "dr", "ve"], [],
  "semaphore operations without work",
  "Occupies its place in the queue: waits, then signals. It starts and ends chains of semaphores around loops.",
  "no cycles of the engine">;

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

class NPUISA_CopyFields {
  list<NPUISA_Field> fields = [
    NPUISA_Address<"dst", "first element written">,
    NPUISA_Strides<"dst_strides", 6, "bytes from one element to the next in each dimension of the destination">,
    NPUISA_Address<"src", "first element read">,
    NPUISA_Strides<"src_strides", 6, "the same of the source; 0 repeats">,
    NPUISA_Extents<"shape", 6, "elements in each dimension; an empty list is one element, an extent 0 is nothing">,
    NPUISA_Int<"element_bytes", "u8", 1, 8, "1, 2, 4 or 8">];
}
defvar NPUISA_copyFields = NPUISA_CopyFields<>.fields;

def NPUISA_DmaLdOp : NPUISA_Instruction<"dma_ld", 16, ["ld"], NPUISA_copyFields,
  "strided copy from DRAM to SRAM",
  "Copies every element of the index space: `dst[sum(i * dst_strides)] = src[sum(i * src_strides)]`. As the strides of "
  "the two sides are independent it also transposes, broadcasts and packs. The source is in DRAM, the destination in "
  "SRAM; they do not overlap.",
  "`dma_setup_cycles` + `dram_latency_cycles` (hidden while a transfer runs ahead of it in the queue) + "
  "max(bus(bytes in DRAM), port(bytes)); every contiguous run in DRAM takes whole bursts, and all transfers share the bus">;

def NPUISA_DmaStOp : NPUISA_Instruction<"dma_st", 17, ["st"], NPUISA_copyFields,
  "strided copy from SRAM to DRAM",
  "As `dma_ld`, in the other direction.",
  "`dma_setup_cycles` + max(bus(bytes in DRAM), port(bytes)): writes are posted, nobody waits for the latency">;

def NPUISA_DmaCpOp : NPUISA_Instruction<"dma_cp", 18, ["ld", "st"], NPUISA_copyFields,
  "strided copy within DRAM or within SRAM",
  "As `dma_ld`, between two places of the same space. Source and destination do not overlap.",
  "within DRAM as `dma_ld` with the bus for both sides, within SRAM `dma_setup_cycles` + port(2 * bytes)">;

def NPUISA_DmaFillOp : NPUISA_Instruction<"dma_fill", 19, ["ld", "st"], [
    NPUISA_Address<"dst", "first element written">,
    NPUISA_Strides<"dst_strides", 6, "bytes from one element to the next in each dimension">,
    NPUISA_Extents<"shape", 6, "elements in each dimension">,
    NPUISA_Int<"element_bytes", "u8", 1, 8, "1, 2, 4 or 8">,
    NPUISA_Bits<"value", "bits of the element; the low `element_bytes` are stored, little endian">],
  "strided fill of DRAM or SRAM",
  "Stores the same element at every index: padding, zeroing.",
  "`dma_setup_cycles` + bus(bytes) in DRAM, + port(bytes) in SRAM">;

def NPUISA_DmaGatherOp : NPUISA_Instruction<"dma_gather", 20, ["ld"], [
    NPUISA_Address<"dst", "first row written, in DRAM or SRAM">,
    NPUISA_Stride<"dst_stride", "bytes from one row to the next in the destination">,
    NPUISA_Address<"table", "row 0 of the table, in DRAM">,
    NPUISA_Int<"table_rows", "i64", 0, 0x7fffffffffffffff, "rows of the table">,
    NPUISA_Stride<"table_stride", "bytes from one row to the next in the table">,
    NPUISA_Int<"row_bytes", "i64", 0, 0x7fffffffffffffff, "bytes copied for each index">,
    NPUISA_Address<"indices", "first index, in DRAM or SRAM; the indices are contiguous">,
    NPUISA_IndexDType<"index_dtype">,
    NPUISA_Int<"count", "i64", 0, 0x7fffffffffffffff, "indices">],
  "copy of table rows chosen by indices",
  "For each j in order: copies row `indices[j]` of the table to row j of the destination. An index below 0 or not below "
  "`table_rows` is an error of the program, which names the index and its position.",
  "`dma_setup_cycles` + `dram_latency_cycles` (twice with indices in DRAM) + max(bus(rows, indices and destination in "
  "DRAM), port(indices and destination in SRAM)): the worst case, in which no two rows of the table share a burst and one "
  "that is no multiple of `dram_burst_bytes` crosses into one burst more">;

def NPUISA_DmaScatterOp : NPUISA_Instruction<"dma_scatter", 21, ["st"], [
    NPUISA_Address<"table", "row 0 of the table, in DRAM">,
    NPUISA_Int<"table_rows", "i64", 0, 0x7fffffffffffffff, "rows of the table">,
    NPUISA_Stride<"table_stride", "bytes from one row to the next in the table">,
    NPUISA_Address<"src", "first row read, in DRAM or SRAM">,
    NPUISA_Stride<"src_stride", "bytes from one row to the next in the source">,
    NPUISA_Int<"row_bytes", "i64", 0, 0x7fffffffffffffff, "bytes copied for each index">,
    NPUISA_Address<"indices", "first index, in DRAM or SRAM; the indices are contiguous">,
    NPUISA_IndexDType<"index_dtype">,
    NPUISA_Int<"count", "i64", 0, 0x7fffffffffffffff, "indices">],
  "copy of rows to table rows chosen by indices",
  "For each j in order: copies row j of the source to row `indices[j]` of the table, so that of equal indices the last one "
  "wins. Rows that no index names keep their bytes. An index below 0 or not below `table_rows` is an error of the program, "
  "which names the index and its position. The table does not overlap the source or the indices.",
  "as `dma_gather` with the source in the place of the destination; writes are posted, so that there is one latency for a "
  "source and one for indices in DRAM">;

//===----------------------------------------------------------------------===//
// Matrix
//===----------------------------------------------------------------------===//

def NPUISA_MmLoadWOp : NPUISA_Instruction<"mm_load_w", 32, ["mm"], [
    NPUISA_Address<"src", "weight (0, 0), in SRAM">,
    NPUISA_DType<"dtype", ["i4", "u4", "i8", "u8", "f16", "bf16", "f32"], "type of the weights">,
    NPUISA_Int<"k", "u16", 1, 1024, "rows of the tile, at most `array_rows`">,
    NPUISA_Int<"n", "u16", 1, 1024, "columns of the tile, at most `array_cols`">,
    NPUISA_Stride<"k_stride", "bytes from one k to the next, for i4 and u4 half bytes">,
    NPUISA_Stride<"n_stride", "the same from one n to the next">,
    NPUISA_Int<"zero_point", "i32", -32768, 65535, "subtracted from integer weights; 0 for floats">],
  "load a weight tile into the array",
  "`w[k][n] = src[k * k_stride + n * n_stride] - zero_point`. The tile stays until the next `mm_load_w`. Weights of type "
  "i4 (-8 to 7, two's complement) and u4 (0 to 15) are packed, two in a byte: the weight at a distance of h half bytes "
  "is the low half of byte h / 2 of `src` for an even h and the high half for an odd one. Of the two strides one may be 1, "
  "others are even; the activations are i8 or u8.",
  "`matrix_setup_cycles` + max(`array_rows`, port(k * n elements; of packed ones k * ceil(n / 2) bytes)), with "
  "`weight_double_buffer` hidden behind the preceding `mm_exec`">;

def NPUISA_MmExecOp : NPUISA_Instruction<"mm_exec", 33, ["mm"], [
    NPUISA_Address<"src", "first activation, in SRAM">,
    NPUISA_DType<"dtype", ["i8", "u8", "f16", "bf16", "f32"],
                 "of the activations: i8 or u8 for integer weights, of either sign and width; else that of the weights">,
    NPUISA_Extents<"rows", 3, "extents of the rows: output pixels or matrix rows">,
    NPUISA_Strides<"row_strides", 3, "bytes from one row to the next, in each extent">,
    NPUISA_Int<"k", "u16", 1, 1024, "elements of a row; equal to that of the weight tile">,
    NPUISA_Stride<"k_stride", "bytes from one k to the next">,
    NPUISA_Int<"zero_point", "i32", -32768, 65535, "subtracted from integer activations; 0 for floats">,
    NPUISA_Address<"acc", "first sum, in the accumulator">,
    NPUISA_Strides<"acc_strides", 3, "bytes from one row of sums to the next, in each extent">,
    NPUISA_Int<"n", "u16", 1, 1024, "sums of a row, 4 bytes apart; equal to that of the weight tile">],
  "multiply rows with the weight tile and accumulate",
  "For each row in lexicographic order and each n: `for k ascending: acc[row][n] = fma(a[row][k], w[k][n], acc[row][n])` in f32, or "
  "`acc += (a - zero_point) * w` in wrapping i32. A convolution is one `mm_exec` for each kernel position, with the "
  "strides of the input picture.",
  "`matrix_setup_cycles` + max(rows * `mac_cycles` of the type + `array_rows` + `array_cols` - 2, port(rows * k elements)); "
  "without rows the setup alone">;

def NPUISA_MmClearOp : NPUISA_Instruction<"mm_clear", 34, ["mm"], [
    NPUISA_Address<"acc", "first sum">,
    NPUISA_Extents<"shape", 6, "sums in each dimension">,
    NPUISA_Strides<"strides", 6, "bytes from one sum to the next in each dimension">],
  "set sums to zero",
  "Stores 0 (all bits zero: +0.0 for floats) at every index.",
  "`matrix_setup_cycles` + ceil(sums / `array_cols`)">;

//===----------------------------------------------------------------------===//
// Drain and vector
//===----------------------------------------------------------------------===//

def NPUISA_DrainOp : NPUISA_Instruction<"drain", 48, ["dr"], [
    NPUISA_Micro<"micro", "microprogram of the epilogue">,
    NPUISA_Extents<"shape", 6, "iteration space; all dimensions are parallel">,
    NPUISA_Operands<"operands", "inputs, then outputs; the first input is in the accumulator, the others and the outputs in SRAM">],
  "run an epilogue over accumulated sums",
  "At each point of the space: reads the inputs, runs the microprogram, writes the outputs. As `v_exec` with parallel "
  "dimensions, on the drain port of the accumulator.",
  "`drain_setup_cycles` + max(ceil(points / `drain_lanes`) * c, port(bytes of all operands at all points)); c is the sum of "
  "the prices of the microprogram, at least 1">;

def NPUISA_VExecOp : NPUISA_Instruction<"v_exec", 49, ["ve"], [
    NPUISA_Micro<"micro", "microprogram">,
    NPUISA_Extents<"shape", 6, "iteration space">,
    NPUISA_Int<"reduction_mask", "u8", 0, 63, "bit d: dimension d is a reduction">,
    NPUISA_Operands<"operands", "inputs, then outputs, all in SRAM">],
  "run a microprogram over an iteration space",
  "For each point in lexicographic order: reads the inputs, and the current value of each output that the microprogram "
  "asks for, runs it and writes the outputs. In a parallel dimension different points write different elements; a "
  "reduction dimension combines into the same element, in order. The meaning is that of `linalg.generic`.",
  "`vector_setup_cycles` + max(reduction points * ceil(parallel points / `vector_lanes`) * c, port(bytes of all operands at "
  "all points)); c is the sum of the prices of the microprogram, at least 1">;

def NPUISA_VGatherOp : NPUISA_Instruction<"v_gather", 50, ["ve"], [
    NPUISA_Address<"dst", "first element written">,
    NPUISA_Strides<"dst_strides", 6, "bytes from one element to the next in each dimension of the destination">,
    NPUISA_Address<"table", "element of index 0 at the first point">,
    NPUISA_Strides<"table_strides", 6, "bytes that a step in each dimension moves in the table, whatever the index">,
    NPUISA_Int<"table_rows", "i64", 0, 0x7fffffffffffffff, "indices are below it">,
    NPUISA_Stride<"table_stride", "bytes from one index to the next in the table">,
    NPUISA_Address<"indices", "index of the first point">,
    NPUISA_Strides<"index_strides", 6, "bytes from one index to the next in each dimension">,
    NPUISA_IndexDType<"index_dtype">,
    NPUISA_Extents<"shape", 6, "elements in each dimension">,
    NPUISA_Int<"element_bytes", "u8", 1, 8, "1, 2, 4 or 8">],
  "copy of elements chosen by indices",
  "For each point i of the space in lexicographic order: `index = indices[sum(i * index_strides)]`, then "
  "`dst[sum(i * dst_strides)] = table[index * table_stride + sum(i * table_strides)]`. All in SRAM; the destination does not "
  "overlap the table or the indices. An index below 0 or not below `table_rows` is an error of the program, which names the "
  "index and the number of its point.",
  "`vector_setup_cycles` + points: the worst case, in which the elements of all lanes lie in one bank, which gives one a "
  "cycle">;

def NPUISA_VSortOp : NPUISA_Instruction<"v_sort", 51, ["ve"], [
    NPUISA_Address<"dst", "first value written; `sram[0]` without values">,
    NPUISA_Strides<"dst_strides", 6, "bytes from one value to the next in each dimension; 0 without values">,
    NPUISA_Address<"indices", "first index written, i32; `sram[0]` without indices">,
    NPUISA_Strides<"index_strides", 6, "bytes from one index to the next in each dimension; 0 without indices">,
    NPUISA_Address<"src", "first element">,
    NPUISA_Strides<"src_strides", 6, "bytes from one element to the next in each dimension">,
    NPUISA_DType<"dtype", ["i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32", "f8e4m3", "f8e5m2"],
                 "type of the elements">,
    NPUISA_Extents<"shape", 6, "of the elements, at least one dimension; each row along the last one is sorted">,
    NPUISA_Int<"k", "i64", 0, 0x7fffffff, "results of a row: the first k, at most the last extent of `shape`">,
    NPUISA_Int<"descending", "u8", 0, 1, "1: the largest first">,
    NPUISA_Int<"results", "u8", 1, 3, "1 values, 2 indices, 3 both">],
  "sort of rows, or their first k elements",
  "Orders the elements of each row along the last dimension, by value and, where values are equal, by position; in either "
  "direction the lower position comes first. Writes the first k: the elements, bit for bit, and their positions in the row "
  "as i32. NaN is larger than all numbers, two NaNs are equal, and so are -0 and +0. Everything is in SRAM. A row is read "
  "before its results are written, so that it may be sorted in place; apart from that results overlap neither each other "
  "nor the source.",
  "`vector_setup_cycles` + max(rows * p (p + 1) / 2 * ceil(2^(p - 1) / `vector_lanes`) * 2 * `cycles_simple`, port(bytes read "
  "and written)), with the smallest p of at least 1 for which 2^p reaches the last extent: the stages of Batcher's bitonic "
  "sorter (1968), whose comparators compare and exchange; without elements the setup alone">;

#endif // NPUISA_INSTRUCTIONS_TD
