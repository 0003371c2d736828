// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of microprograms, described once: their codes in the program
// file, their prices and the arith and math ops that they stand for.
//
//===----------------------------------------------------------------------===//

#ifndef NPUISA_MICROOPS_TD
#define NPUISA_MICROOPS_TD

include "dialects/NPUISA/IR/NPUISABase.td"

/// `form` fixes operands and types: leaf, float_unary, float_binary, float_ternary, int_unary, int_binary, cmpf, cmpi,
/// select or cast. `price` is one of the classes of machine/CostModel.h.
class NPUISA_MicroOp<string opMnemonic, int opCode, string opForm, string opPrice, string mlir, string text> {
  string mnemonic = opMnemonic;
  int opcode = opCode;
  string form = opForm;
  string price = opPrice;
  string mlirOp = mlir;
  string doc = text;
}

//===----------------------------------------------------------------------===//
// Sources of values
//===----------------------------------------------------------------------===//

def NPUISA_MicroConst : NPUISA_MicroOp<"const", 0, "leaf", "Free", "arith.constant", "the bits of `imm`">;
def NPUISA_MicroInput : NPUISA_MicroOp<"input", 1, "leaf", "Free", "block argument", "input number `imm`">;
def NPUISA_MicroCurrent : NPUISA_MicroOp<"current", 2, "leaf", "Free", "block argument",
                                        "the value that output number `imm` holds before this point">;
def NPUISA_MicroIota : NPUISA_MicroOp<"iota", 3, "leaf", "Free", "linalg.index", "the index in dimension `imm`, as i32">;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

class NPUISA_FloatUnary<string mnemonic, int opCode, string price, string mlir, string doc>
    : NPUISA_MicroOp<mnemonic, opCode, "float_unary", price, mlir, doc>;
class NPUISA_FloatBinary<string mnemonic, int opCode, string price, string mlir, string doc>
    : NPUISA_MicroOp<mnemonic, opCode, "float_binary", price, mlir, doc>;

def NPUISA_MicroAddF : NPUISA_FloatBinary<"addf", 10, "Simple", "arith.addf", "sum">;
def NPUISA_MicroSubF : NPUISA_FloatBinary<"subf", 11, "Simple", "arith.subf", "difference">;
def NPUISA_MicroMulF : NPUISA_FloatBinary<"mulf", 12, "Simple", "arith.mulf", "product">;
def NPUISA_MicroDivF : NPUISA_FloatBinary<"divf", 13, "Divide", "arith.divf", "quotient">;
def NPUISA_MicroRemF : NPUISA_FloatBinary<"remf", 14, "Divide", "arith.remf", "remainder with the sign of the dividend">;
def NPUISA_MicroMaximumF : NPUISA_FloatBinary<"maximumf", 15, "Simple", "arith.maximumf", "larger value; NaN wins">;
def NPUISA_MicroMinimumF : NPUISA_FloatBinary<"minimumf", 16, "Simple", "arith.minimumf", "smaller value; NaN wins">;
def NPUISA_MicroMaxNumF : NPUISA_FloatBinary<"maxnumf", 17, "Simple", "arith.maxnumf", "larger value; NaN loses">;
def NPUISA_MicroMinNumF : NPUISA_FloatBinary<"minnumf", 18, "Simple", "arith.minnumf", "smaller value; NaN loses">;
def NPUISA_MicroCopySign : NPUISA_FloatBinary<"copysign", 19, "Simple", "math.copysign", "magnitude of a, sign of b">;
def NPUISA_MicroPow : NPUISA_FloatBinary<"pow", 20, "Pow", "math.powf", "a to the power of b">;
def NPUISA_MicroFma : NPUISA_MicroOp<"fma", 24, "float_ternary", "Simple", "math.fma", "a * b + c with one rounding">;
def NPUISA_MicroNegF : NPUISA_FloatUnary<"negf", 30, "Simple", "arith.negf", "opposite sign">;
def NPUISA_MicroAbsF : NPUISA_FloatUnary<"absf", 31, "Simple", "math.absf", "magnitude">;
def NPUISA_MicroSqrt : NPUISA_FloatUnary<"sqrt", 32, "Sqrt", "math.sqrt", "square root">;
def NPUISA_MicroRsqrt : NPUISA_FloatUnary<"rsqrt", 33, "Sqrt", "math.rsqrt", "1 / square root">;
def NPUISA_MicroExp : NPUISA_FloatUnary<"exp", 34, "Exp", "math.exp", "exponential">;
def NPUISA_MicroExp2 : NPUISA_FloatUnary<"exp2", 35, "Exp", "math.exp2", "power of two">;
def NPUISA_MicroExpM1 : NPUISA_FloatUnary<"expm1", 36, "Exp", "math.expm1", "exponential minus 1">;
def NPUISA_MicroLog : NPUISA_FloatUnary<"log", 37, "Log", "math.log", "natural logarithm">;
def NPUISA_MicroLog1P : NPUISA_FloatUnary<"log1p", 38, "Log", "math.log1p", "natural logarithm of 1 + a">;
def NPUISA_MicroTanh : NPUISA_FloatUnary<"tanh", 39, "Tanh", "math.tanh", "hyperbolic tangent">;
def NPUISA_MicroErf : NPUISA_FloatUnary<"erf", 40, "Erf", "math.erf", "error function">;
def NPUISA_MicroSin : NPUISA_FloatUnary<"sin", 41, "Trig", "math.sin", "sine">;
def NPUISA_MicroCos : NPUISA_FloatUnary<"cos", 42, "Trig", "math.cos", "cosine">;
def NPUISA_MicroFloor : NPUISA_FloatUnary<"floor", 43, "Simple", "math.floor", "round down">;
def NPUISA_MicroCeil : NPUISA_FloatUnary<"ceil", 44, "Simple", "math.ceil", "round up">;
def NPUISA_MicroRoundEven : NPUISA_FloatUnary<"roundeven", 45, "Simple", "math.roundeven", "round, ties to even">;
def NPUISA_MicroRound : NPUISA_FloatUnary<"round", 46, "Simple", "math.round", "round, ties away from zero">;
def NPUISA_MicroTrunc : NPUISA_FloatUnary<"trunc", 47, "Simple", "math.trunc", "round towards zero">;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

class NPUISA_IntBinary<string mnemonic, int opCode, string price, string mlir, string doc>
    : NPUISA_MicroOp<mnemonic, opCode, "int_binary", price, mlir, doc>;

def NPUISA_MicroAddI : NPUISA_IntBinary<"addi", 60, "Simple", "arith.addi", "sum">;
def NPUISA_MicroSubI : NPUISA_IntBinary<"subi", 61, "Simple", "arith.subi", "difference">;
def NPUISA_MicroMulI : NPUISA_IntBinary<"muli", 62, "Simple", "arith.muli", "product">;
def NPUISA_MicroDivSI : NPUISA_IntBinary<"divsi", 63, "Divide", "arith.divsi", "signed quotient, towards zero">;
def NPUISA_MicroDivUI : NPUISA_IntBinary<"divui", 64, "Divide", "arith.divui", "unsigned quotient">;
def NPUISA_MicroRemSI : NPUISA_IntBinary<"remsi", 65, "Divide", "arith.remsi", "signed remainder">;
def NPUISA_MicroRemUI : NPUISA_IntBinary<"remui", 66, "Divide", "arith.remui", "unsigned remainder">;
def NPUISA_MicroMaxSI : NPUISA_IntBinary<"maxsi", 67, "Simple", "arith.maxsi", "signed maximum">;
def NPUISA_MicroMinSI : NPUISA_IntBinary<"minsi", 68, "Simple", "arith.minsi", "signed minimum">;
def NPUISA_MicroMaxUI : NPUISA_IntBinary<"maxui", 69, "Simple", "arith.maxui", "unsigned maximum">;
def NPUISA_MicroMinUI : NPUISA_IntBinary<"minui", 70, "Simple", "arith.minui", "unsigned minimum">;
def NPUISA_MicroAndI : NPUISA_IntBinary<"andi", 71, "Simple", "arith.andi", "bitwise and">;
def NPUISA_MicroOrI : NPUISA_IntBinary<"ori", 72, "Simple", "arith.ori", "bitwise or">;
def NPUISA_MicroXorI : NPUISA_IntBinary<"xori", 73, "Simple", "arith.xori", "bitwise exclusive or">;
def NPUISA_MicroShlI : NPUISA_IntBinary<"shli", 74, "Simple", "arith.shli", "shift left">;
def NPUISA_MicroShrSI : NPUISA_IntBinary<"shrsi", 75, "Simple", "arith.shrsi", "shift right, sign">;
def NPUISA_MicroShrUI : NPUISA_IntBinary<"shrui", 76, "Simple", "arith.shrui", "shift right, zeros">;
def NPUISA_MicroAbsI : NPUISA_MicroOp<"absi", 77, "int_unary", "Simple", "math.absi", "magnitude">;

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

def NPUISA_MicroCmpF : NPUISA_MicroOp<"cmpf", 80, "cmpf", "Simple", "arith.cmpf",
                                     "b8; predicate `imm` with the numbers of arith.cmpf">;
def NPUISA_MicroCmpI : NPUISA_MicroOp<"cmpi", 81, "cmpi", "Simple", "arith.cmpi",
                                     "b8; predicate `imm` with the numbers of arith.cmpi">;
def NPUISA_MicroSelect : NPUISA_MicroOp<"select", 82, "select", "Simple", "arith.select", "b if a (b8) is true, else c">;

//===----------------------------------------------------------------------===//
// Conversions: the type of the op is that of the result
//===----------------------------------------------------------------------===//

class NPUISA_Cast<string mnemonic, int opCode, string mlir, string doc>
    : NPUISA_MicroOp<mnemonic, opCode, "cast", "Simple", mlir, doc>;

def NPUISA_MicroExtSI : NPUISA_Cast<"extsi", 90, "arith.extsi", "sign extension">;
def NPUISA_MicroExtUI : NPUISA_Cast<"extui", 91, "arith.extui", "zero extension">;
def NPUISA_MicroTruncI : NPUISA_Cast<"trunci", 92, "arith.trunci", "low bits">;
def NPUISA_MicroSIToFP : NPUISA_Cast<"sitofp", 93, "arith.sitofp", "signed integer to float">;
def NPUISA_MicroUIToFP : NPUISA_Cast<"uitofp", 94, "arith.uitofp", "unsigned integer to float">;
def NPUISA_MicroFPToSI : NPUISA_Cast<"fptosi", 95, "arith.fptosi", "float to signed integer, saturating">;
def NPUISA_MicroFPToUI : NPUISA_Cast<"fptoui", 96, "arith.fptoui", "float to unsigned integer, saturating">;
def NPUISA_MicroExtF : NPUISA_Cast<"extf", 97, "arith.extf", "to a wider float, exact">;
def NPUISA_MicroTruncF : NPUISA_Cast<"truncf", 98, "arith.truncf", "to a narrower float, nearest even">;
def NPUISA_MicroBitcast : NPUISA_Cast<"bitcast", 99, "arith.bitcast", "same bits, same width">;

#endif // NPUISA_MICROOPS_TD
