// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/profile/Footprint.h"

#include <algorithm>

using namespace npuhw;

std::vector<TouchedRange> Footprint::of(const TimelineEvent &event) {
  std::vector<Access> &all = accesses[event.instruction];
  if (!known[event.instruction]) {
    all = accessesOf(program, program.code[event.instruction]);
    known[event.instruction] = true;
  }
  std::vector<TouchedRange> ranges;
  for (const Access &access : all) {
    bool empty = std::find(access.shape.begin(), access.shape.end(), 0) != access.shape.end();
    if (empty) {
      continue;
    }
    TouchedRange range;
    range.space = access.address->space;
    range.region = access.address->region;
    range.reads = access.reads;
    range.writes = access.writes;
    range.begin = access.address->offset;
    for (const AddressTerm &term : access.address->terms) {
      int64_t counter = timeline.counters[event.counters + term.loop];
      range.begin += term.stride * (term.modulus != 0 ? counter % term.modulus : counter);
    }
    range.end = range.begin + static_cast<int64_t>(access.elementBytes);
    for (size_t d = 0; d < access.shape.size(); ++d) {
      int64_t reach = (access.shape[d] - 1) * access.strides[d];
      (reach < 0 ? range.begin : range.end) += reach;
    }
    ranges.push_back(range);
  }
  return ranges;
}

bool Footprint::passesData(const TimelineEvent &earlier, const TimelineEvent &later) {
  std::vector<TouchedRange> before = of(earlier);
  for (const TouchedRange &range : of(later)) {
    for (const TouchedRange &other : before) {
      if (range.reads && other.writes && range.overlaps(other)) {
        return true;
      }
    }
  }
  return false;
}
