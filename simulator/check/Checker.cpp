// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "simulator/check/Checker.h"

#include "simulator/check/Replay.h"
#include "simulator/check/Weights.h"
#include "simulator/check/Written.h"
#include "simulator/support/JSONWriter.h"

using namespace npuhw;

const char *npuhw::spell(Fault fault) {
  switch (fault) {
  case Fault::Invalid:
    return "invalid";
  case Fault::Race:
    return "race";
  case Fault::Order:
    return "order";
  case Fault::Unwritten:
    return "unwritten";
  case Fault::Weights:
    return "weights";
  case Fault::Imbalance:
    return "imbalance";
  case Fault::Overflow:
    return "overflow";
  case Fault::Deadlock:
    return "deadlock";
  case Fault::Unprovable:
    return "unprovable";
  }
  return nullptr;
}

std::string npuhw::describeSite(const Program &program, const Site &site) {
  std::string text = describeInstruction(program, site.instruction);
  if (!site.counters.empty()) {
    text.pop_back();
    text += ", iteration";
    for (int64_t counter : site.counters) {
      text += " " + std::to_string(counter);
    }
    text += ")";
  }
  return text;
}

std::string Violation::str() const {
  std::string text = std::string(spell(fault)) + ": " + message;
  for (size_t i = 0; i < steps.size(); ++i) {
    text += "\n  " + std::to_string(i + 1) + ". " + steps[i];
  }
  return text;
}

std::string CheckReport::str() const {
  if (violation) {
    return violation->str();
  }
  return std::to_string(instructions) + " instructions, " + std::to_string(executed) + " executed, " +
         std::to_string(semaphores) + " semaphores up to " + std::to_string(highestCount) +
         ": no race, no read of unwritten bytes, no imbalance, no overflow, no deadlock";
}

CheckReport npuhw::checkProgram(const Program &program, const CheckOptions &options) {
  CheckReport report;
  report.instructions = program.code.size();
  Result<ProgramInfo> info = verifyProgram(program);
  if (!info) {
    report.violation.emplace();
    report.violation->message = info.error().str();
    return report;
  }
  Footprints footprints(program);
  // Deadlocks and races first: what is written is looked at in program order, which they leave.
  report.violation = Replay(footprints, options, report).run();
  if (!report.violation) {
    report.violation = findUnwritten(footprints, options.maxSteps);
  }
  if (!report.violation) {
    report.violation = findWrongWeights(footprints);
  }
  return report;
}

std::string npuhw::toJSON(const CheckReport &report, const Program &program) {
  JSONWriter json;
  json.open('{');
  json.field("program", program.name);
  json.field("target", program.target.name);
  json.field("verdict", std::string(report.ok() ? "ok" : spell(report.violation->fault)));
  json.field("instructions", report.instructions);
  json.field("executed", report.executed);
  json.field("followed", report.followed);
  json.field("semaphores", report.semaphores);
  json.field("highest_count", report.highestCount);
  if (report.violation) {
    const Violation &v = *report.violation;
    json.key("violation");
    json.open('{');
    json.field("fault", std::string(spell(v.fault)));
    json.field("message", v.message);
    json.key("sites");
    json.open('[');
    for (const Site &site : v.sites) {
      json.item();
      json.open('{');
      json.field("instruction", uint64_t(site.instruction));
      json.field("mnemonic", std::string(mnemonic(program.code[site.instruction])));
      json.field("queue", std::string(spell(header(program.code[site.instruction]).queue)));
      json.field("node", program.source(site.instruction));
      json.key("iteration");
      json.open('[');
      for (int64_t counter : site.counters) {
        json.item();
        json.out += std::to_string(counter);
      }
      json.close(']');
      json.close('}');
    }
    json.close(']');
    if (!v.place.empty()) {
      json.field("memory", v.place);
      json.field("begin", static_cast<uint64_t>(v.begin));
      json.field("end", static_cast<uint64_t>(v.end));
    }
    json.key("interleaving");
    json.open('[');
    for (const std::string &step : v.steps) {
      json.item();
      json.text(step);
    }
    json.close(']');
    json.close('}');
  }
  json.close('}');
  return json.out;
}
