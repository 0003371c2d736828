// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "machine/TargetFigures.h"

#include "machine/CostModel.h"

using namespace npuhw;

namespace {

/// The texts of units and docs are of this project and need no escapes.
std::string entry(const char *key, const char *unit, const char *doc) {
  return std::string("\"") + key + "\": {\"unit\": \"" + unit + "\", \"doc\": \"" + doc + "\"";
}

} // namespace

std::vector<TargetFigure> npuhw::targetFigures(const TargetDesc &desc) {
  auto clock = static_cast<double>(desc.clockMHz) * 1e6;
  auto cells = static_cast<double>(desc.arrayRows * desc.arrayCols);
  // A multiply-accumulate counts as two operations.
  auto tops = [&](uint64_t cyclesPerRow) { return 2 * cells * clock / static_cast<double>(cyclesPerRow) * 1e-12; };
  auto perSecond = [&](uint64_t bytesPerCycle) { return static_cast<double>(bytesPerCycle) * clock * 1e-9; };
  std::vector<TargetFigure> figures;
  if (desc.supports("i8")) {
    figures.push_back({"peak_i8_tops", "Tops/s", "2 * array_rows * array_cols * clock / mac_cycles_i8", tops(desc.macCyclesI8)});
  }
  if (desc.supports("f16")) {
    figures.push_back({"peak_f16_tops", "Tops/s", "2 * array_rows * array_cols * clock / mac_cycles_f16", tops(desc.macCyclesF16)});
  }
  if (desc.supports("bf16")) {
    figures.push_back({"peak_bf16_tops", "Tops/s", "2 * array_rows * array_cols * clock / mac_cycles_bf16", tops(desc.macCyclesBF16)});
  }
  if (desc.supports("f32")) {
    figures.push_back({"peak_f32_tops", "Tops/s", "2 * array_rows * array_cols * clock / mac_cycles_f32", tops(desc.macCyclesF32)});
  }
  figures.push_back({"dram_bandwidth", "GB/s", "dram_bytes_per_cycle * clock", perSecond(desc.dramBytesPerCycle)});
  figures.push_back({"sram_bandwidth", "GB/s", "sram_bytes_per_cycle * clock", perSecond(desc.sramBytesPerCycle)});
  // Williams, Waterman and Patterson, Roofline, CACM 52(4), 2009: where the two bounds meet.
  figures.push_back({"balance_i8", "MACs/byte", "array_rows * array_cols / mac_cycles_i8 / dram_bytes_per_cycle",
                     cells / static_cast<double>(desc.macCyclesI8) / static_cast<double>(desc.dramBytesPerCycle)});
  figures.push_back({"area", "mm2", "cells, lanes and on-chip memory, by the area coefficients", areaMillimetres2(desc)});
  return figures;
}

std::string npuhw::explainTargetJSON(const TargetDesc &desc) {
  std::string keys;
  visitTarget(desc, [&](const TargetFieldInfo &info, const auto &) {
    keys += (keys.empty() ? "" : ", ") + entry(info.key, info.unit, info.doc) + "}";
  });
  std::string figures;
  for (const TargetFigure &figure : targetFigures(desc)) {
    figures += (figures.empty() ? "" : ", ") + entry(figure.key, figure.unit, figure.doc) +
               ", \"value\": " + formatReal(figure.value) + "}";
  }
  return "{\"keys\": {" + keys + "}, \"figures\": {" + figures + "}}";
}
