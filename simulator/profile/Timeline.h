// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run, reconstructed from its trace: what every instruction waited for.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SIMULATOR_PROFILE_TIMELINE_H
#define NPU_SIMULATOR_PROFILE_TIMELINE_H

#include "simulator/core/Report.h"

namespace npuhw {

/// No event or dispatch of this number.
constexpr uint32_t kNone = 0xffffffffu;

/// An executed instruction of a queue.
struct TimelineEvent {
  uint32_t instruction = 0;
  Queue queue = Queue::Control;
  uint32_t dispatch = 0;                   ///< Its place in Timeline::dispatches.
  uint32_t numberInQueue = 0;
  uint32_t previous = kNone;               ///< Event before it in its queue.
  uint32_t signallers[2] = {kNone, kNone}; ///< For each wait: event of the last signal that it took.
  uint64_t start = 0;
  uint64_t end = 0;
  uint32_t counters = 0;                   ///< First of its loop counters in Timeline::counters.
};

/// A dispatched instruction, those of the control unit included.
struct TimelineDispatch {
  uint32_t instruction = 0;
  uint32_t event = kNone; ///< kNone for the control unit.
  uint64_t time = 0;
};

struct Timeline {
  std::vector<TimelineEvent> events; ///< In order of dispatch.
  std::vector<TimelineDispatch> dispatches;
  std::vector<uint32_t> queues[kNumQueues]; ///< Events of each queue, in order.
  std::vector<int64_t> counters;

  /// When the event stood at the head of its queue: from then on it waited for
  /// semaphores.
  uint64_t headTime(const TimelineEvent &event) const;
  /// Of its waits the one that was satisfied last, or kNone.
  uint32_t lastSignaller(const TimelineEvent &event) const;
};

/// Needs the report of a run with a full trace; the error says how the two
/// disagree.
Result<Timeline> buildTimeline(const Program &program, const Report &report);

} // namespace npuhw

#endif // NPU_SIMULATOR_PROFILE_TIMELINE_H
