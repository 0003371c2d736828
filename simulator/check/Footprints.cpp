// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Footprints.h"

#include <algorithm>
#include <numeric>

using namespace npuhw;

int64_t Footprint::moved(const Counters &counters) const {
  int64_t sum = 0;
  for (const AddressTerm &term : terms) {
    int64_t counter = counters[term.loop];
    sum += term.stride * (term.modulus != 0 ? counter % term.modulus : counter);
  }
  return sum;
}

int64_t Footprint::linearStride(unsigned loop) const {
  int64_t stride = 0;
  for (const AddressTerm &term : terms) {
    stride += term.loop == loop && term.modulus == 0 ? term.stride : 0;
  }
  return stride;
}

namespace {

/// The steps that a term takes from the first value of its range on. With a modulus all residues count.
struct Sweep {
  int64_t start;
  int64_t count;
};

Sweep sweepOf(const AddressTerm &term, const ByteRange &range) {
  if (term.modulus == 0) {
    return {range.first, range.second - range.first};
  }
  if (range.second - range.first >= term.modulus || range.first % term.modulus >= range.second % term.modulus) {
    return {0, std::min<int64_t>(term.modulus, range.second)};
  }
  return {range.first % term.modulus, range.second - range.first};
}

} // namespace

ByteRange Footprint::hull(const Counters &counters, unsigned outer, const std::vector<ByteRange> &ranges) const {
  ByteRange result(box.low, box.high);
  for (const AddressTerm &term : terms) {
    if (term.loop < outer) {
      int64_t counter = counters[term.loop];
      int64_t move = term.stride * (term.modulus != 0 ? counter % term.modulus : counter);
      result.first += move;
      result.second += move;
      continue;
    }
    Sweep sweep = sweepOf(term, ranges[term.loop - outer]);
    int64_t from = term.stride * sweep.start;
    int64_t to = term.stride * (sweep.start + sweep.count - 1);
    result.first += std::min(from, to);
    result.second += std::max(from, to);
  }
  return result;
}

std::optional<Box> Footprint::sweep(const Counters &counters, unsigned outer,
                                    const std::vector<ByteRange> &ranges) const {
  std::vector<Box::Dim> dims = box.dims;
  int64_t offset = box.low;
  unsigned seen = 0;
  for (const AddressTerm &term : terms) {
    if (term.loop < outer) {
      int64_t counter = counters[term.loop];
      offset += term.stride * (term.modulus != 0 ? counter % term.modulus : counter);
      continue;
    }
    if ((seen & 1u << term.loop) != 0) {
      return std::nullopt;
    }
    seen |= 1u << term.loop;
    Sweep sweep = sweepOf(term, ranges[term.loop - outer]);
    offset += term.stride * sweep.start;
    dims.push_back({term.stride, sweep.count});
  }
  return Box::make(offset, box.run, dims);
}

/// Longer than what any budget lets the checker follow.
static constexpr int64_t kLongestPeriod = int64_t(1) << 30;

Footprints::Footprints(const Program &program) : program(program), loopAt(program.code.size(), -1) {
  std::vector<int> open;
  std::vector<int64_t> counts;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction &inst = program.code[i];
    if (std::holds_alternative<LoopEnd>(inst)) {
      loops[open.back()].end = i;
      open.pop_back();
      counts.pop_back();
    }
    depth.push_back(static_cast<unsigned>(open.size()));
    trips.push_back(counts);
    auto first = static_cast<uint32_t>(accesses.size());
    for (const Access &access : npuhw::accessesOf(program, inst)) {
      bool empty = access.elementBytes == 0;
      std::vector<Box::Dim> dims;
      for (size_t d = 0; d < access.shape.size(); ++d) {
        empty |= access.shape[d] == 0;
        dims.push_back({access.strides[d], access.shape[d]});
      }
      if (empty) {
        continue;
      }
      const Address &address = *access.address;
      uint32_t place = address.space == Space::Sram ? 0 : address.space == Space::Acc ? 1 : 2u + address.region;
      Footprint footprint{static_cast<uint32_t>(i),
                          static_cast<uint8_t>(header(inst).queue),
                          access.reads,
                          access.writes,
                          access.chosen,
                          place,
                          Box::make(address.offset, static_cast<int64_t>(access.elementBytes), dims),
                          {}};
      for (const AddressTerm &term : address.terms) {
        // What moves nothing would only hide that two accesses are alike.
        if (term.stride == 0 || counts[term.loop] == 1 || term.modulus == 1) {
          continue;
        }
        footprint.terms.push_back(term);
        if (term.modulus >= counts[term.loop]) {
          footprint.terms.back().modulus = 0;
        }
        if (footprint.terms.back().modulus != 0) {
          Loop &loop = loops[open[term.loop]];
          loop.period = std::lcm(loop.period, static_cast<int64_t>(term.modulus));
          loop.period = std::min({loop.period, loop.count, kLongestPeriod});
        }
      }
      accesses.push_back(std::move(footprint));
    }
    accessesOf.emplace_back(first, static_cast<uint32_t>(accesses.size()));
    if (const auto *loop = std::get_if<LoopBegin>(&inst)) {
      loopAt[i] = static_cast<int>(loops.size());
      open.push_back(static_cast<int>(loops.size()));
      loops.push_back({i, 0, depth.back(), loop->count, 1});
      counts.push_back(loop->count);
    }
  }
}

bool Footprints::isFixed(uint32_t place) const {
  if (place < 2) {
    return false;
  }
  RegionRole role = program.regions[place - 2].role;
  return role == RegionRole::Constant || role == RegionRole::Input;
}

std::string Footprints::placeName(uint32_t place) const {
  if (place < 2) {
    return place == 0 ? "sram" : "acc";
  }
  return "region " + std::to_string(place - 2) + " ('" + program.regions[place - 2].name + "')";
}
