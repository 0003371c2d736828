// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that a program means the same in every order in which its target may
// run it. docs/checker.md has the argument.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_CHECK_CHECKER_H
#define NPU_SIMULATOR_CHECK_CHECKER_H

#include "simulator/program/Program.h"

#include <optional>

namespace npuhw {

/// What is wrong with a program.
enum class Fault : uint8_t {
  Invalid,    ///< verifyProgram() refuses it: bounds, alignment, limits of the target
  Race,       ///< nothing orders two accesses of the same bytes
  Order,      ///< semaphores order two accesses against the order of the program
  Unwritten,  ///< bytes are read, by the program or its caller, that nobody wrote
  Weights,    ///< a product of other weights than those that the array holds
  Imbalance,  ///< a semaphore does not end at 0
  Overflow,   ///< a semaphore may exceed its largest value
  Deadlock,   ///< the program does not come to its end
  Unprovable, ///< the checker cannot tell
};

/// "race", "order", ...
const char *spell(Fault fault);

/// One execution of an instruction.
struct Site {
  uint32_t instruction = 0;
  std::vector<int64_t> counters; ///< Of the loops around it, outermost first.
};

/// A fault with its counterexample.
struct Violation {
  Fault fault = Fault::Invalid;
  std::string message;            ///< One sentence that names instructions and source nodes.
  std::vector<Site> sites;        ///< The instructions concerned, the one to blame first.
  std::vector<std::string> steps; ///< An execution that goes wrong, in order.
  std::string place;              ///< The memory concerned, or "".
  int64_t begin = 0;              ///< Bytes of it.
  int64_t end = 0;

  /// The message and the numbered steps, a line each.
  std::string str() const;
};

struct CheckOptions {
  /// Instructions that are followed one by one, at most; loops in a steady
  /// state are not.
  uint64_t maxSteps = 20'000'000;
};

struct CheckReport {
  uint64_t instructions = 0; ///< In the program.
  uint64_t executed = 0;     ///< In a run, all iterations counted, control instructions not.
  uint64_t followed = 0;     ///< Of them, those that the checker went through.
  uint64_t semaphores = 0;   ///< In use.
  uint64_t highestCount = 0; ///< The largest value that a semaphore can have.
  std::optional<Violation> violation;

  bool ok() const { return !violation; }
  /// "N instructions, M executed, ...: no race, ..." or the violation.
  std::string str() const;
};

/// The first violation found, in the order of the enumeration Fault at large.
CheckReport checkProgram(const Program &program, const CheckOptions &options = {});

/// One object: an entry of "programs" in JSON of schema npu.check/1.
std::string toJSON(const CheckReport &report, const Program &program);

/// "instruction 12 ('mm_exec' on mm, node 'fc1', iteration 0 3)".
std::string describeSite(const Program &program, const Site &site);

} // namespace npuhw

#endif // NPU_SIMULATOR_CHECK_CHECKER_H
