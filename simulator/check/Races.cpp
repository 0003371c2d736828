// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Races.h"

#include <algorithm>

using namespace npuhw;

/// Records of a place that are not worth the search for what can be forgotten.
static constexpr size_t kFewRecords = 64;

/// Repetitions of a stretch, the last ones, that are kept as accesses of their own.
static constexpr int64_t kAlone = 4;

Races::Races(const Footprints &footprints)
    : footprints(footprints), places(footprints.numPlaces()), limits(footprints.numPlaces(), kFewRecords),
      users(footprints.numPlaces()) {
  for (const Footprint &access : footprints.accesses) {
    users[access.place] |= 1u << access.queue;
  }
}

void Races::forget(const std::array<Clock, kNumQueues> &now) { known = now; }

std::optional<Conflict> Races::execute(const Instance &instance, const Clock &started,
                                       std::vector<LoopWindow *> &loops) {
  auto [first, last] = footprints.accessesOf[instance.instruction];
  for (uint32_t a = first; a < last; ++a) {
    const Footprint &access = footprints.accesses[a];
    if (footprints.isFixed(access.place)) {
      continue;
    }
    int64_t move = access.moved(instance.counters);
    int64_t low = access.box.low + move;
    int64_t high = access.box.high + move;
    std::vector<Record> &records = places[access.place];
    size_t kept = 0;
    for (size_t i = 0; i < records.size(); ++i) {
      Record &record = records[i];
      bool hullsMeet = record.low() < high && low < record.high();
      if (record.queue != access.queue && (access.writes || record.writes)) {
        bool ordered = started[record.queue] >= record.instance.number;
        bool reversed = ordered && record.instance.dispatch > instance.dispatch;
        if (hullsMeet && (!ordered || reversed)) {
          if (std::optional<ByteRange> bytes = meet(*record.box, record.move, access.box, move)) {
            Conflict conflict{record, instance, a, *bytes, reversed};
            if (record.instance.dispatch > instance.dispatch) {
              conflict.earlier = {a, &access.box, move, instance, access.queue, access.writes};
              conflict.later = record.instance;
              conflict.access = record.access;
            }
            return conflict;
          }
        }
        if (!ordered && footprints.accesses[record.access].terms != access.terms) {
          for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
            if (record.instance.number > (*it)->start[record.queue]) {
              (*it)->pairs.insert(uint64_t(record.access) << 32 | a);
            }
          }
        }
      }
      // What conflicts with a record that a later access covers conflicts with that access as well, which is ordered
      // behind the record. In other iterations it covers it again only if both move alike.
      bool covered = hullsMeet && record.instance.dispatch <= instance.dispatch &&
                     (access.writes || (!record.writes && record.queue == access.queue)) &&
                     (loops.empty() || record.instance.number <= loops.front()->start[record.queue] ||
                      footprints.accesses[record.access].terms == access.terms) &&
                     ((access.box.isContiguous() && low <= record.low() && record.high() <= high) ||
                      (low == record.low() && access.box.run == record.box->run && access.box.dims == record.box->dims));
      if (!covered || record.instance.dispatch == instance.dispatch) {
        if (kept != i) {
          records[kept] = record;
        }
        ++kept;
      }
    }
    records.resize(kept);
    records.push_back({a, &access.box, move, instance, access.queue, access.writes});
    if (records.size() > limits[access.place]) {
      records.erase(std::remove_if(records.begin(), records.end(),
                                   [&](const Record &r) {
                                     for (unsigned q = 0; q < kNumQueues; ++q) {
                                       bool uses = (users[access.place] & 1u << q) != 0 && q != r.queue;
                                       if (uses && known[q][r.queue] < r.instance.number) {
                                         return false;
                                       }
                                     }
                                     return r.instance.number <= known[r.queue][r.queue];
                                   }),
                    records.end());
      limits[access.place] = std::max(kFewRecords, 2 * records.size());
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Steady states
//===----------------------------------------------------------------------===//

/// Whether one more iteration of a loop moves two accesses alike.
bool Races::alike(uint32_t a, uint32_t b, unsigned loop) const {
  return footprints.accesses[a].linearStride(loop) == footprints.accesses[b].linearStride(loop);
}

/// Values of the counters from the loop inwards; those of the loop begin at `first`.
std::vector<ByteRange> Races::rangesOf(const Footprint &access, const Steady &steady, int64_t first) const {
  const Footprints::Loop &loop = *steady.loop;
  std::vector<ByteRange> ranges{{first, loop.count}};
  const std::vector<int64_t> &trips = footprints.trips[access.instruction];
  for (size_t d = loop.depth + 1; d < trips.size(); ++d) {
    ranges.emplace_back(0, trips[d]);
  }
  return ranges;
}

/// Whether two accesses touch different bytes in any two iterations.
bool Races::staysApart(const Footprint &a, const Footprint &b, const Steady &steady) const {
  unsigned depth = steady.loop->depth;
  ByteRange hullA = a.hull(steady.counters, depth, rangesOf(a, steady, 0));
  ByteRange hullB = b.hull(steady.counters, depth, rangesOf(b, steady, 0));
  if (hullA.second <= hullB.first || hullB.second <= hullA.first) {
    return true;
  }
  std::optional<Box> boxA = a.sweep(steady.counters, depth, rangesOf(a, steady, 0));
  std::optional<Box> boxB = b.sweep(steady.counters, depth, rangesOf(b, steady, 0));
  return boxA && boxB && !meet(*boxA, 0, *boxB, 0);
}

/// Whether `b` in an iteration and `a` in any earlier one touch different bytes.
bool Races::neverMeets(const Footprint &a, const Footprint &b, const Steady &steady) const {
  if (staysApart(a, b, steady)) {
    return true;
  }
  unsigned depth = steady.loop->depth;
  int64_t stride = b.linearStride(depth);
  bool wraps = false;
  for (const Footprint *access : {&a, &b}) {
    for (const AddressTerm &term : access->terms) {
      wraps |= term.loop == depth && term.modulus != 0;
    }
  }
  if (wraps || stride == 0 || a.linearStride(depth) != stride) {
    return false;
  }
  // In one iteration; with each further one `b` moves away from where `a` was.
  std::vector<ByteRange> rangesA = rangesOf(a, steady, 0);
  std::vector<ByteRange> rangesB = rangesOf(b, steady, 0);
  rangesA.front() = rangesB.front() = {0, 1};
  ByteRange hullA = a.hull(steady.counters, depth, rangesA);
  ByteRange hullB = b.hull(steady.counters, depth, rangesB);
  return stride > 0 ? hullB.first + stride >= hullA.second : hullB.second + stride <= hullA.first;
}

Races::Answer Races::canRepeat(const Steady &steady) const {
  const Footprints::Loop &loop = *steady.loop;
  // Accesses of the loop, by place.
  std::vector<std::vector<uint32_t>> inside(places.size());
  for (size_t i = loop.begin + 1; i < loop.end; ++i) {
    auto [first, last] = footprints.accessesOf[i];
    for (uint32_t a = first; a < last; ++a) {
      if (!footprints.isFixed(footprints.accesses[a].place)) {
        inside[footprints.accesses[a].place].push_back(a);
      }
    }
  }
  // A queue that keeps up with another one: its accesses can meet those of the last iterations only, which must lie
  // in the loop by now. One that does not can meet all of them.
  auto fallsBehind = [&](unsigned later, unsigned earlier) { return steady.gained[later][earlier] == 0; };
  for (unsigned later = 0; later < kNumQueues; ++later) {
    for (unsigned earlier = 0; earlier < kNumQueues; ++earlier) {
      if (later == earlier || steady.delta[later] == 0 || steady.delta[earlier] == 0) {
        continue;
      }
      if (!fallsBehind(later, earlier) && steady.known[later][earlier] < steady.window->start[earlier]) {
        return Answer::NotYet;
      }
    }
  }
  for (uint64_t pair : steady.window->pairs) {
    auto a = static_cast<uint32_t>(pair >> 32);
    auto b = static_cast<uint32_t>(pair);
    if (!alike(a, b, loop.depth) && !staysApart(footprints.accesses[a], footprints.accesses[b], steady)) {
      return Answer::No;
    }
  }
  for (size_t place = 0; place < places.size(); ++place) {
    for (uint32_t b : inside[place]) {
      const Footprint &later = footprints.accesses[b];
      for (uint32_t a : inside[place]) {
        const Footprint &earlier = footprints.accesses[a];
        if (earlier.queue != later.queue && (earlier.writes || later.writes) &&
            fallsBehind(later.queue, earlier.queue) && !neverMeets(earlier, later, steady)) {
          return Answer::No;
        }
      }
      // What happened before the loop. If the counter does not move the access, it was tested in the last stretch.
      if (later.linearStride(loop.depth) == 0) {
        continue;
      }
      std::vector<ByteRange> ranges = rangesOf(later, steady, steady.iteration);
      ByteRange hull = later.hull(steady.counters, loop.depth, ranges);
      for (const Record &record : places[place]) {
        if (record.queue == later.queue || !(record.writes || later.writes) ||
            record.instance.number > steady.window->start[record.queue] ||
            steady.known[later.queue][record.queue] >= record.instance.number) {
          continue;
        }
        if (record.low() < hull.second && hull.first < record.high()) {
          std::optional<Box> box = later.sweep(steady.counters, loop.depth, ranges);
          if (!box || meet(*record.box, record.move, *box, 0)) {
            return Answer::No;
          }
        }
      }
    }
  }
  return Answer::Yes;
}

void Races::repeat(const Steady &steady) {
  unsigned depth = steady.loop->depth;
  for (std::vector<Record> &records : places) {
    std::vector<Record> copies;
    for (Record &record : records) {
      if (record.instance.number <= steady.completed[record.queue]) {
        continue;
      }
      auto later = [&](int64_t time, const Box *box, int64_t move) {
        Record copy = record;
        copy.instance.number += steady.delta[copy.queue] * time;
        copy.instance.dispatch += steady.dispatched * time;
        copy.instance.counters[depth] += steady.length * time;
        copy.box = box;
        copy.move += move;
        return copy;
      };
      int64_t stride = footprints.accesses[record.access].linearStride(depth) * steady.length;
      if (stride == 0) {
        // The same bytes, by the same queue, later: who is ordered behind this one is ordered behind the other.
        record = later(steady.times, record.box, 0);
        continue;
      }
      // The last ones alone, since others may soon know all but them.
      int64_t alone = std::min(steady.times, kAlone);
      for (int64_t time = steady.times - alone + 1; time <= steady.times; ++time) {
        copies.push_back(later(time, record.box, stride * time));
      }
      if (steady.times > alone) {
        boxes.push_back(record.box->repeat(stride, steady.times - alone));
        copies.push_back(later(steady.times - alone, &boxes.back(), stride));
      }
    }
    records.insert(records.end(), copies.begin(), copies.end());
  }
}
