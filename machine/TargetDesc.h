// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number of a target in one structure. visitTarget() is the one list of
// keys, units, ranges and documentation: the YAML reader, the JSON writer, the
// binary form, the hash and the reference page all walk it.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_MACHINE_TARGETDESC_H
#define NPU_MACHINE_TARGETDESC_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace npuhw {

/// The hardware that a program is compiled for and runs on. The defaults are
/// those of no real target: a description is always read from a file.
struct TargetDesc {
  std::string name;
  std::string description;
  uint64_t clockMHz = 0;
  std::vector<std::string> dtypes;

  uint64_t arrayRows = 0;
  uint64_t arrayCols = 0;
  uint64_t macCyclesI8 = 0;
  uint64_t macCyclesF16 = 0;
  uint64_t macCyclesBF16 = 0;
  uint64_t macCyclesF32 = 0;
  uint64_t matrixSetupCycles = 0;
  bool weightDoubleBuffer = false;
  uint64_t accBytes = 0;
  uint64_t accBanks = 0;

  uint64_t vectorLanes = 0;
  uint64_t vectorSetupCycles = 0;
  uint64_t drainLanes = 0;
  uint64_t drainSetupCycles = 0;
  uint64_t cyclesSimple = 0;
  uint64_t cyclesDivide = 0;
  uint64_t cyclesSqrt = 0;
  uint64_t cyclesExp = 0;
  uint64_t cyclesLog = 0;
  uint64_t cyclesTanh = 0;
  uint64_t cyclesErf = 0;
  uint64_t cyclesTrig = 0;
  uint64_t cyclesPow = 0;
  uint64_t maxMicroOps = 0;
  uint64_t maxMicroRegisters = 0;
  uint64_t maxOperands = 0;

  uint64_t sramBytes = 0;
  uint64_t sramBanks = 0;
  uint64_t sramBytesPerCycle = 0;
  uint64_t alignmentBytes = 0;

  uint64_t dramBytesPerCycle = 0;
  uint64_t dramLatencyCycles = 0;
  uint64_t dramBurstBytes = 0;
  uint64_t dmaSetupCycles = 0;
  uint64_t dmaMaxRank = 0;

  uint64_t queueDepthLd = 0;
  uint64_t queueDepthSt = 0;
  uint64_t queueDepthMm = 0;
  uint64_t queueDepthDr = 0;
  uint64_t queueDepthVe = 0;
  uint64_t dispatchCycles = 0;
  uint64_t numSemaphores = 0;
  uint64_t maxSemaphoreCount = 0;
  uint64_t semaphoreLatencyCycles = 0;
  uint64_t loopDepth = 0;

  uint64_t hostSyncCycles = 0;
  uint64_t hostBytesPerCycle = 0;
  double hostCyclesPerScalarOp = 0;

  double energyMacI8 = 0;
  double energyMacF16 = 0;
  double energyMacF32 = 0;
  double energyVectorOp = 0;
  double energySramByte = 0;
  double energyDramByte = 0;
  double staticPowerMilliwatts = 0;
  std::string energySource;
  double areaMacI8 = 0;
  double areaMacF16 = 0;
  double areaMacF32 = 0;
  double areaVectorLane = 0;
  double areaSramMiB = 0;
  std::string areaSource;

  /// Whether `dtype` ("i8", "f16", ...) is in the list of the target.
  bool supports(const std::string &dtype) const;

  bool operator==(const TargetDesc &other) const;
  bool operator!=(const TargetDesc &other) const { return !(*this == other); }
};

/// Text that reads back as the same value, with as few digits as 15 if they suffice.
std::string formatReal(double value);

/// What there is to know about one key of a target file.
struct TargetFieldInfo {
  const char *key;
  const char *unit; ///< "" for names, counts and flags.
  const char *doc;
  double minimum = 0; ///< Inclusive; numbers only.
  double maximum = 0; ///< Inclusive; numbers only.
};

/// Calls `visitor(const TargetFieldInfo &, field)` for each key in file order.
/// A field is a std::string, uint64_t, double, bool or
/// std::vector<std::string>. `Desc` is TargetDesc or const TargetDesc.
template <class Desc, class Visitor>
void visitTarget(Desc &d, Visitor &&v) {
  using Info = TargetFieldInfo;
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  // Identity.
  v(Info{"name", "", "name of the target"}, d.name);
  v(Info{"description", "", "one sentence on what it models"}, d.description);
  v(Info{"clock_mhz", "MHz", "clock of all engines", 1, 10000}, d.clockMHz);
  v(Info{"dtypes", "", "element types that the matrix and vector engines take"}, d.dtypes);
  // Matrix engine.
  v(Info{"array_rows", "rows", "rows of the weight-stationary array: the k of one weight tile", 1, 1024}, d.arrayRows);
  v(Info{"array_cols", "columns", "columns of the array: the n of one weight tile", 1, 1024}, d.arrayCols);
  v(Info{"mac_cycles_i8", "cycles", "cycles a streamed row takes with 8-bit integers", 1, 64}, d.macCyclesI8);
  v(Info{"mac_cycles_f16", "cycles", "cycles a streamed row takes with f16", 1, 64}, d.macCyclesF16);
  v(Info{"mac_cycles_bf16", "cycles", "cycles a streamed row takes with bf16", 1, 64}, d.macCyclesBF16);
  v(Info{"mac_cycles_f32", "cycles", "cycles a streamed row takes with f32", 1, 64}, d.macCyclesF32);
  v(Info{"matrix_setup_cycles", "cycles", "decoding and address setup of a matrix instruction", 0, 1024}, d.matrixSetupCycles);
  v(Info{"weight_double_buffer", "", "whether the next weights load behind the running tile"}, d.weightDoubleBuffer);
  v(Info{"acc_bytes", "bytes", "accumulator memory, all banks", 64, kGiB}, d.accBytes);
  v(Info{"acc_banks", "banks", "accumulator banks: one drains while another fills", 1, 16}, d.accBanks);
  // Vector engine and accumulator drain.
  v(Info{"vector_lanes", "lanes", "32-bit lanes of the vector engine", 1, 4096}, d.vectorLanes);
  v(Info{"vector_setup_cycles", "cycles", "start of a vector instruction", 0, 1024}, d.vectorSetupCycles);
  v(Info{"drain_lanes", "lanes", "32-bit lanes of the accumulator drain", 1, 4096}, d.drainLanes);
  v(Info{"drain_setup_cycles", "cycles", "start of a drain instruction", 0, 1024}, d.drainSetupCycles);
  v(Info{"cycles_simple", "cycles", "add, multiply, fma, compare, select, logic, shift, cast, rounding", 1, 256}, d.cyclesSimple);
  v(Info{"cycles_divide", "cycles", "division and remainder", 1, 256}, d.cyclesDivide);
  v(Info{"cycles_sqrt", "cycles", "sqrt and rsqrt", 1, 256}, d.cyclesSqrt);
  v(Info{"cycles_exp", "cycles", "exp, exp2 and expm1", 1, 256}, d.cyclesExp);
  v(Info{"cycles_log", "cycles", "log and log1p", 1, 256}, d.cyclesLog);
  v(Info{"cycles_tanh", "cycles", "tanh", 1, 256}, d.cyclesTanh);
  v(Info{"cycles_erf", "cycles", "erf", 1, 256}, d.cyclesErf);
  v(Info{"cycles_trig", "cycles", "sin and cos", 1, 256}, d.cyclesTrig);
  v(Info{"cycles_pow", "cycles", "pow", 1, 256}, d.cyclesPow);
  v(Info{"max_micro_ops", "operations", "longest microprogram", 1, 65535}, d.maxMicroOps);
  v(Info{"max_micro_registers", "registers", "values alive at once in a microprogram", 2, 65535}, d.maxMicroRegisters);
  v(Info{"max_operands", "operands", "memory operands of one drain or v_exec, inputs and outputs", 2, 32}, d.maxOperands);
  // On-chip memory.
  v(Info{"sram_bytes", "bytes", "on-chip memory that programs address", 1024, 4 * kGiB}, d.sramBytes);
  v(Info{"sram_banks", "banks", "interleaved banks of the on-chip memory", 1, 1024}, d.sramBanks);
  v(Info{"sram_bytes_per_cycle", "bytes/cycle", "what one engine can read or write in a cycle", 1, 65536}, d.sramBytesPerCycle);
  v(Info{"alignment_bytes", "bytes", "alignment that the compiler gives to buffers; a power of two", 1, 4096}, d.alignmentBytes);
  // External memory and DMA.
  v(Info{"dram_bytes_per_cycle", "bytes/cycle", "bandwidth shared by the load and the store queue", 1, 65536}, d.dramBytesPerCycle);
  v(Info{"dram_latency_cycles", "cycles", "from request to first byte", 0, 100000}, d.dramLatencyCycles);
  v(Info{"dram_burst_bytes", "bytes", "smallest transfer: a contiguous run is rounded up to it; a power of two", 1, 4096}, d.dramBurstBytes);
  v(Info{"dma_setup_cycles", "cycles", "start of a DMA instruction", 0, 100000}, d.dmaSetupCycles);
  v(Info{"dma_max_rank", "dimensions", "dimensions that a DMA instruction walks", 1, 6}, d.dmaMaxRank);
  // Control unit.
  v(Info{"queue_depth_ld", "instructions", "load queue", 1, 1024}, d.queueDepthLd);
  v(Info{"queue_depth_st", "instructions", "store queue", 1, 1024}, d.queueDepthSt);
  v(Info{"queue_depth_mm", "instructions", "matrix queue", 1, 1024}, d.queueDepthMm);
  v(Info{"queue_depth_dr", "instructions", "drain queue", 1, 1024}, d.queueDepthDr);
  v(Info{"queue_depth_ve", "instructions", "vector queue", 1, 1024}, d.queueDepthVe);
  v(Info{"dispatch_cycles", "cycles", "cycles the control unit needs for an instruction", 1, 1024}, d.dispatchCycles);
  v(Info{"num_semaphores", "semaphores", "counting semaphores", 1, 256}, d.numSemaphores);
  v(Info{"max_semaphore_count", "", "largest value of a semaphore", 1, 65535}, d.maxSemaphoreCount);
  v(Info{"semaphore_latency_cycles", "cycles", "from completion to the moment another queue sees the signal", 0, 1024}, d.semaphoreLatencyCycles);
  v(Info{"loop_depth", "loops", "nested hardware loops", 1, 16}, d.loopDepth);
  // Host.
  v(Info{"host_sync_cycles", "cycles", "handing control to the host and back, once a launch", 0, 1e9}, d.hostSyncCycles);
  v(Info{"host_bytes_per_cycle", "bytes/cycle", "bandwidth between host memory and DRAM", 1, 65536}, d.hostBytesPerCycle);
  v(Info{"host_cycles_per_scalar_op", "cycles", "device cycles that the host takes for one scalar operation", 1e-3, 1e6}, d.hostCyclesPerScalarOp);
  // Energy and area.
  v(Info{"energy_mac_i8_pj", "pJ", "energy of an 8-bit multiply-accumulate", 0, 1e6}, d.energyMacI8);
  v(Info{"energy_mac_f16_pj", "pJ", "energy of an f16 or bf16 multiply-accumulate in f32", 0, 1e6}, d.energyMacF16);
  v(Info{"energy_mac_f32_pj", "pJ", "energy of an f32 multiply-accumulate", 0, 1e6}, d.energyMacF32);
  v(Info{"energy_vector_op_pj", "pJ", "energy of one lane operation", 0, 1e6}, d.energyVectorOp);
  v(Info{"energy_sram_byte_pj", "pJ/byte", "energy of an on-chip memory access", 0, 1e6}, d.energySramByte);
  v(Info{"energy_dram_byte_pj", "pJ/byte", "energy of an external memory access", 0, 1e6}, d.energyDramByte);
  v(Info{"static_power_mw", "mW", "leakage and clock tree", 0, 1e6}, d.staticPowerMilliwatts);
  v(Info{"energy_source", "", "where the energy numbers come from"}, d.energySource);
  v(Info{"area_mac_i8_um2", "um2", "area of an 8-bit multiplier with 32-bit adder", 0, 1e9}, d.areaMacI8);
  v(Info{"area_mac_f16_um2", "um2", "area added by f16 and bf16 support, per MAC", 0, 1e9}, d.areaMacF16);
  v(Info{"area_mac_f32_um2", "um2", "area of an f32 multiply-accumulate", 0, 1e9}, d.areaMacF32);
  v(Info{"area_vector_lane_um2", "um2", "area of a vector lane", 0, 1e9}, d.areaVectorLane);
  v(Info{"area_sram_mib_mm2", "mm2/MiB", "area of on-chip memory", 0, 1e6}, d.areaSramMiB);
  v(Info{"area_source", "", "where the area numbers come from"}, d.areaSource);
}

/// Checks each value against its range, then the rules between values. Appends
/// one message a fault ("'sram_bytes' is 12, but must be between ..."); returns
/// whether there was none.
bool validate(const TargetDesc &desc, std::vector<std::string> &errors);

/// "key: value" lines in file order: what the hash covers, and readable YAML.
std::string canonicalText(const TargetDesc &desc);

/// FNV-1a over canonicalText().
uint64_t hashTarget(const TargetDesc &desc);

/// hashTarget() as 16 hexadecimal digits: the form that artefacts carry.
std::string hashTargetHex(const TargetDesc &desc);

/// One JSON object with the keys of the target file.
std::string toJSON(const TargetDesc &desc);

/// The binary form inside program files: self-describing, little endian.
std::vector<uint8_t> serializeTarget(const TargetDesc &desc);

/// Reads serializeTarget()'s form from untrusted bytes; on failure returns
/// false and says in `error` what is wrong and at which byte. The values are
/// validated.
bool deserializeTarget(const uint8_t *data, size_t size, TargetDesc &desc, std::string &error);

/// A Markdown table of all keys, for the target reference page.
std::string targetReferenceMarkdown();

} // namespace npuhw

#endif // NPU_MACHINE_TARGETDESC_H
