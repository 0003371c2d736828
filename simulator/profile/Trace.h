// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NPU_SIMULATOR_PROFILE_TRACE_H
#define NPU_SIMULATOR_PROFILE_TRACE_H

#include "simulator/core/Report.h"

namespace npuhw {

/// Chrome trace events, which Perfetto and chrome://tracing read: one track a
/// queue, an arrow from every signal to the instruction that waited for it, and
/// counters for the live bytes of SRAM and the bandwidth of each DMA queue. The
/// report must have a trace; the error says what does not fit.
Result<std::string> toTraceJSON(const Report &report, const Program &program);

} // namespace npuhw

#endif // NPU_SIMULATOR_PROFILE_TRACE_H
