// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Weights.h"

#include <algorithm>

using namespace npuhw;

namespace {

class WeightWalk {
public:
  explicit WeightWalk(const Footprints &footprints) : footprints(footprints), program(footprints.program) {}

  std::optional<Violation> run() {
    walk(0, program.code.size());
    return violation;
  }

private:
  const Footprints &footprints;
  const Program &program;
  int loaded = -1; ///< The last mm_load_w.
  Counters counters = {};
  std::optional<Violation> violation;

  Site site(size_t i) const {
    return {static_cast<uint32_t>(i), {counters.begin(), counters.begin() + footprints.depth[i]}};
  }

  /// What is loaded at the end of an iteration is so at the end of all: two iterations show every case.
  void walk(size_t begin, size_t end) {
    for (size_t i = begin; i < end && !violation; ++i) {
      if (int number = footprints.loopAt[i]; number >= 0) {
        const Footprints::Loop &loop = footprints.loops[static_cast<size_t>(number)];
        int64_t &counter = counters[loop.depth];
        for (counter = 0; counter < std::min<int64_t>(loop.count, 2); ++counter) {
          int before = loaded;
          walk(loop.begin + 1, loop.end);
          if (loaded == before) {
            break;
          }
        }
        counter = 0;
        i = loop.end;
      } else if (std::holds_alternative<MmLoadW>(program.code[i])) {
        loaded = static_cast<int>(i);
      } else if (const auto *exec = std::get_if<MmExec>(&program.code[i])) {
        check(i, *exec);
      }
    }
  }

  void check(size_t i, const MmExec &exec) {
    if (loaded < 0) {
      violation.emplace();
      violation->message = describeSite(program, site(i)) + " multiplies, but no instruction before it loads weights";
    } else {
      const auto &weights = std::get<MmLoadW>(program.code[static_cast<size_t>(loaded)]);
      bool sameKind = exec.dtype == weights.dtype || (!isFloat(exec.dtype) && !isFloat(weights.dtype));
      if (sameKind && exec.k == weights.k && exec.n == weights.n) {
        return;
      }
      auto tile = [](DType dtype, unsigned k, unsigned n) {
        return std::string(spell(dtype)) + " of k " + std::to_string(k) + " and n " + std::to_string(n);
      };
      violation.emplace();
      violation->message = describeSite(program, site(i)) + " multiplies by weights of type " +
                           tile(exec.dtype, exec.k, exec.n) + ", but " +
                           describeInstruction(program, static_cast<size_t>(loaded)) + " has loaded " +
                           tile(weights.dtype, weights.k, weights.n);
    }
    violation->fault = Fault::Weights;
    violation->sites = {site(i)};
  }
};

} // namespace

std::optional<Violation> npuhw::findWrongWeights(const Footprints &footprints) { return WeightWalk(footprints).run(); }
