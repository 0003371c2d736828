// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Written.h"

#include <algorithm>

using namespace npuhw;

//===----------------------------------------------------------------------===//
// ByteSet
//===----------------------------------------------------------------------===//

ByteSet::ByteSet(int64_t size)
    : states(static_cast<size_t>((size + kPageBytes - 1) >> kPageBits), State::Empty), pages(states.size()) {}

/// Bits [begin, end) of a word.
static uint64_t bits(int64_t begin, int64_t end) {
  uint64_t below = end == 64 ? ~uint64_t(0) : (uint64_t(1) << end) - 1;
  return below & ~((uint64_t(1) << begin) - 1);
}

void ByteSet::insert(int64_t begin, int64_t end) {
  while (begin < end) {
    auto number = static_cast<size_t>(begin >> kPageBits);
    int64_t base = static_cast<int64_t>(number) << kPageBits;
    int64_t stop = std::min(end, base + kPageBytes);
    State &state = states[number];
    if (begin == base && stop == base + kPageBytes) {
      state = State::Full;
      pages[number].reset();
    } else if (state != State::Full) {
      if (state == State::Empty) {
        state = State::Partial;
        pages[number] = std::make_unique<Page>();
      }
      for (int64_t at = begin - base, last = stop - base; at < last;) {
        int64_t next = std::min(last, (at | 63) + 1);
        pages[number]->words[at >> 6] |= bits(at & 63, next - (at & ~int64_t(63)));
        at = next;
      }
    }
    begin = stop;
  }
}

int64_t ByteSet::findMissing(int64_t begin, int64_t end) const {
  while (begin < end) {
    auto number = static_cast<size_t>(begin >> kPageBits);
    int64_t base = static_cast<int64_t>(number) << kPageBits;
    int64_t stop = std::min(end, base + kPageBytes);
    if (states[number] == State::Empty) {
      return begin;
    }
    if (states[number] == State::Partial) {
      for (int64_t at = begin - base, last = stop - base; at < last;) {
        int64_t next = std::min(last, (at | 63) + 1);
        uint64_t missing = ~pages[number]->words[at >> 6] & bits(at & 63, next - (at & ~int64_t(63)));
        if (missing != 0) {
          return base + (at & ~int64_t(63)) + __builtin_ctzll(missing);
        }
        at = next;
      }
    }
    begin = stop;
  }
  return end;
}

void ByteSet::insert(const Box &box, int64_t move) {
  forEachRun(box, move, [&](int64_t begin, int64_t end) {
    insert(begin, end);
    return true;
  });
}

std::optional<ByteRange> ByteSet::findMissing(const Box &box, int64_t move) const {
  // Mostly everything is there, gaps included.
  if (findMissing(box.low + move, box.high + move) == box.high + move) {
    return std::nullopt;
  }
  std::optional<ByteRange> missing;
  forEachRun(box, move, [&](int64_t begin, int64_t end) {
    int64_t at = findMissing(begin, end);
    if (at != end) {
      missing = ByteRange(at, end);
    }
    return at == end;
  });
  return missing;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {

/// A memory larger than this is not followed byte by byte.
constexpr uint64_t kMostBytes = uint64_t(1) << 40;

class Walk {
public:
  Walk(const Footprints &footprints, uint64_t maxSteps)
      : footprints(footprints), program(footprints.program), steps(maxSteps) {}

  std::optional<Violation> run() {
    const TargetDesc &target = program.target;
    sets.emplace_back(static_cast<int64_t>(target.sramBytes));
    sets.emplace_back(static_cast<int64_t>(target.accBytes));
    known = {false, false};
    for (size_t r = 0; r < program.regions.size(); ++r) {
      const Region &region = program.regions[r];
      known.push_back(region.role != RegionRole::Arena && region.role != RegionRole::Output);
      if (!known.back() && region.bytes > kMostBytes) {
        return Violation{Fault::Unprovable,
                         footprints.placeName(static_cast<uint32_t>(2 + r)) + " has " + std::to_string(region.bytes) +
                             " bytes, but the checker follows at most " + std::to_string(kMostBytes),
                         {}, {}, "", 0, 0};
      }
      sets.emplace_back(known.back() ? 0 : static_cast<int64_t>(region.bytes));
    }
    walk(0, program.code.size());
    for (size_t r = 0; r < program.regions.size() && !violation; ++r) {
      const Region &region = program.regions[r];
      auto size = static_cast<int64_t>(region.bytes);
      int64_t at = region.role == RegionRole::Output ? sets[2 + r].findMissing(0, size) : size;
      if (at != size) {
        report(nullptr, static_cast<uint32_t>(2 + r), {at, findWritten(sets[2 + r], at, size)});
      }
    }
    return violation;
  }

private:
  const Footprints &footprints;
  const Program &program;
  uint64_t steps;
  std::vector<ByteSet> sets;
  std::vector<bool> known; ///< Memories that are written before the program starts.
  Counters counters = {};
  std::optional<Violation> violation;

  /// Past the last byte of the gap that starts at `begin`.
  static int64_t findWritten(const ByteSet &set, int64_t begin, int64_t end) {
    int64_t at = begin + 1;
    while (at < end && set.findMissing(at, at + 1) == at) {
      ++at;
    }
    return at;
  }

  Site site(size_t instruction) const {
    return {static_cast<uint32_t>(instruction),
            {counters.begin(), counters.begin() + footprints.depth[instruction]}};
  }

  void report(const Footprint *access, uint32_t place, ByteRange missing) {
    Violation v;
    v.fault = Fault::Unwritten;
    v.place = footprints.placeName(place);
    v.begin = missing.first;
    v.end = missing.second;
    std::string bytes = v.place + "[" + std::to_string(v.begin) + ", " + std::to_string(v.end) + ")";
    if (access) {
      v.sites.push_back(site(access->instruction));
      v.message = describeSite(program, v.sites.front()) + " reads " + bytes + ", which no instruction before it writes";
    } else {
      v.message = "the caller reads " + bytes + " after the run, but no instruction writes it";
    }
    violation = std::move(v);
  }

  void walk(size_t begin, size_t end) {
    for (size_t i = begin; i < end && !violation; ++i) {
      int number = footprints.loopAt[i];
      if (number >= 0) {
        const Footprints::Loop &loop = footprints.loops[static_cast<size_t>(number)];
        walkLoop(loop);
        i = loop.end;
        continue;
      }
      execute(i);
    }
  }

  void execute(size_t i) {
    if (steps-- == 0) {
      steps = 0;
      violation = Violation{Fault::Unprovable,
                            "following all writes takes more steps than the checker is allowed", {site(i)}, {}, "", 0, 0};
      return;
    }
    auto [first, last] = footprints.accessesOf[i];
    std::vector<std::pair<const Footprint *, ByteRange>> missing;
    for (uint32_t a = first; a < last; ++a) {
      const Footprint &access = footprints.accesses[a];
      if (access.reads && !known[access.place]) {
        if (auto range = sets[access.place].findMissing(access.box, access.moved(counters))) {
          missing.emplace_back(&access, *range);
        }
      }
    }
    for (uint32_t a = first; a < last; ++a) {
      const Footprint &access = footprints.accesses[a];
      if (access.writes && !access.chosen && !known[access.place]) {
        sets[access.place].insert(access.box, access.moved(counters));
      }
    }
    // A scan reads what it wrote at an earlier point.
    bool scans = std::holds_alternative<VExec>(program.code[i]);
    for (auto [access, range] : missing) {
      if (!scans || access->writes || sets[access->place].findMissing(access->box, access->moved(counters))) {
        return report(access, access->place, range);
      }
    }
  }

  void walkLoop(const Footprints::Loop &loop) {
    int64_t &counter = counters[loop.depth];
    int64_t peeled = std::min(loop.count, loop.period);
    for (counter = 0; counter < peeled && !violation; ++counter) {
      walk(loop.begin + 1, loop.end);
    }
    if (peeled == loop.count || violation) {
      counter = 0;
      return;
    }
    if (!summarize(loop, peeled)) {
      for (counter = peeled; counter < loop.count && !violation; ++counter) {
        walk(loop.begin + 1, loop.end);
      }
    }
    counter = 0;
  }

  /// The iterations from `first` on at once, if everything that they read was written before them. What the counter does
  /// not move, or only round and round, was read and written in the iterations before.
  bool summarize(const Footprints::Loop &loop, int64_t first) {
    std::vector<std::pair<const Footprint *, Box>> written;
    for (size_t i = loop.begin + 1; i < loop.end; ++i) {
      auto [from, to] = footprints.accessesOf[i];
      for (uint32_t a = from; a < to; ++a) {
        const Footprint &access = footprints.accesses[a];
        bool moves = std::any_of(access.terms.begin(), access.terms.end(), [&](const AddressTerm &term) {
          return term.loop == loop.depth && term.modulus == 0;
        });
        if (!moves || known[access.place]) {
          continue;
        }
        std::vector<ByteRange> ranges{{first, loop.count}};
        for (size_t d = loop.depth + 1; d < footprints.trips[i].size(); ++d) {
          ranges.emplace_back(0, footprints.trips[i][d]);
        }
        std::optional<Box> all = access.sweep(counters, loop.depth, ranges);
        if (!all || (access.reads && sets[access.place].findMissing(*all, 0))) {
          return false;
        }
        if (access.writes && !access.chosen) {
          written.emplace_back(&access, std::move(*all));
        }
      }
    }
    for (const auto &[access, box] : written) {
      sets[access->place].insert(box, 0);
    }
    return true;
  }
};

} // namespace

std::optional<Violation> npuhw::findUnwritten(const Footprints &footprints, uint64_t maxSteps) {
  return Walk(footprints, maxSteps).run();
}
