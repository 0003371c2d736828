// Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// npu-run: a package or a device program on the simulator, without Python.

#include "tools/lib/Tools.h"

#include "runtime/Npy.h"
#include "runtime/Package.h"
#include "simulator/check/Checker.h"
#include "simulator/debug/Prompt.h"
#include "simulator/profile/Trace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <iostream>
#include <unistd.h>

using namespace mlir;
using namespace mlir::npu;

namespace {

constexpr int kOk = 0, kBad = 1, kBadInput = 2;

constexpr StringLiteral kUsage =
    R"(usage: npu-run FILE [--input FILE.npy | --input NAME=FILE.npy]... [options]

Runs a package (.npux) or a device program (.npuprog) on the simulator and prints outputs, cycles and memory.
A package holds host code that is compiled and executed: run only packages whose origin you trust.

  --input [NAME=]F.npy  an input; without a name, in the order of the program's inputs
  --output DIR          write each output to DIR/NAME.npy
  --json [F]            write the result as JSON to F; without F, or as -, to standard output
  --trace F             write Chrome trace events (Perfetto, chrome://tracing) to F
  --check               run nothing, but prove that the programs mean the same in every order of execution
  --perturb SEED        delay the engines at random; results must not change
  --poison              make a read of memory that was never written an error
  --timing-only         count cycles and compute no values
  --break PLACE         stop where an instruction starts: its number, a source node (its first instruction), or PROGRAM:N
  --step                stop after every instruction
  --watch RANGE         stop after an instruction that changes these bytes: sram:0x100:64, acc:0:128, REGION:0:16, dram3:0:16
  --dump-at PLACE       when the instruction has first completed, write all memories and the state to files
  --dump-dir DIR        their folder, npu-run-dump by default; of several dumps, DIR/0, DIR/1, ...
  --max-instructions N  end with an error after N instructions
  --target-hash HASH    refuse a package for another target
  --quiet               print nothing but errors

At a stop, commands are read from standard input ('help' lists them); at its end the run goes on.

exit codes: 0 ran, or proved; 1 --check found a fault; 2 a file, an input or a flag is wrong, so that the program could not be run to its end
)";

struct Options {
  std::string file;
  std::vector<std::pair<std::string, std::string>> inputs; ///< Name, may be empty, and file.
  std::string outputDir, json, trace, targetHash;
  npuhw::SimulatorOptions simulator;
  std::vector<std::string> breakpoints, watches, dumps;
  std::string dumpDir = "npu-run-dump";
  bool step = false;
  bool check = false, quiet = false, help = false;

  bool debugs() const { return step || !breakpoints.empty() || !watches.empty() || !dumps.empty(); }
};

/// A package or a program, seen as a function of tensors.
struct Runnable {
  std::vector<TensorInfo> inputs, outputs;
  std::vector<const npuhw::Program *> programs; ///< As long as this lives.
  std::function<PackageRun(ArrayRef<const void *>, ArrayRef<void *>, const npuhw::SimulatorOptions &)> run;
};

/// Memory of a size that a file names, all zero. Pages that nobody touches take none of the machine's.
class ZeroedBytes {
public:
  explicit ZeroedBytes(uint64_t size) : data(static_cast<uint8_t *>(std::calloc(size ? size : 1, 1))), size(size) {}

  /// False if the machine does not have as much.
  explicit operator bool() const { return data != nullptr; }
  uint8_t *get() const { return data.get(); }
  ArrayRef<uint8_t> bytes() const { return {data.get(), size}; }

private:
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<uint8_t, Free> data;
  uint64_t size;
};

llvm::Error makeError(const Twine &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

int fail(int code, llvm::Error error) {
  llvm::errs() << "npu-run: error: " << llvm::toString(std::move(error)) << "\n";
  return code;
}

llvm::Expected<Options> parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    std::optional<StringRef> attached;
    if (argument.starts_with("--") && argument.contains('=')) {
      auto [name, value] = argument.split('=');
      argument = name;
      attached = value;
    }
    auto value = [&]() -> llvm::Expected<StringRef> {
      if (attached) {
        return *attached;
      }
      if (++i == argc) {
        return makeError("'" + argument + "' needs a value");
      }
      return StringRef(argv[i]);
    };
    auto take = [&](std::string &into) -> llvm::Error {
      llvm::Expected<StringRef> text = value();
      if (!text) {
        return text.takeError();
      }
      into = text->str();
      return llvm::Error::success();
    };
    auto takeNumber = [&](uint64_t &into) -> llvm::Error {
      llvm::Expected<StringRef> text = value();
      if (!text) {
        return text.takeError();
      }
      if (text->getAsInteger(10, into)) {
        return makeError("'" + argument + "' takes a number that is not negative, but found '" + *text + "'");
      }
      return llvm::Error::success();
    };
    llvm::Error error = llvm::Error::success();
    (void)!!error; // Only a checked error may be assigned to.
    if (argument == "--input") {
      std::string text;
      error = take(text);
      size_t split = text.find('=');
      bool named = split != std::string::npos;
      options.inputs.emplace_back(named ? text.substr(0, split) : "", named ? text.substr(split + 1) : text);
    } else if (argument == "--output") {
      error = take(options.outputDir);
    } else if (argument == "--json") {
      bool alone = !attached && (i + 1 == argc || (argv[i + 1][0] == '-' && argv[i + 1][1] != '\0'));
      options.json = "-";
      error = alone ? llvm::Error::success() : take(options.json);
    } else if (argument == "--trace") {
      error = take(options.trace);
      options.simulator.trace = true;
    } else if (argument == "--target-hash") {
      error = take(options.targetHash);
    } else if (argument == "--perturb") {
      error = takeNumber(options.simulator.perturbSeed);
    } else if (argument == "--max-instructions") {
      error = takeNumber(options.simulator.maxInstructions);
    } else if (argument == "--break") {
      error = take(options.breakpoints.emplace_back());
    } else if (argument == "--watch") {
      error = take(options.watches.emplace_back());
    } else if (argument == "--dump-at") {
      error = take(options.dumps.emplace_back());
    } else if (argument == "--dump-dir") {
      error = take(options.dumpDir);
    } else if (argument == "--step") {
      options.step = true;
    } else if (argument == "--check") {
      options.check = true;
    } else if (argument == "--poison") {
      options.simulator.poison = true;
    } else if (argument == "--timing-only") {
      options.simulator.functional = false;
    } else if (argument == "--quiet") {
      options.quiet = true;
    } else if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument.starts_with("-")) {
      error = makeError("unknown option '" + argument + "'; see npu-run --help");
    } else if (options.file.empty()) {
      options.file = argument.str();
    } else {
      error = makeError("expected one file, but found '" + options.file + "' and '" + argument + "'");
    }
    if (error) {
      return error;
    }
  }
  if (options.check && options.debugs()) {
    return makeError("'--check' runs nothing that '--break', '--step', '--watch' or '--dump-at' could stop; leave one of "
                     "them out");
  }
  if (options.file.empty() && !options.help) {
    return makeError("expected a .npux or .npuprog file; see npu-run --help");
  }
  return options;
}

llvm::Expected<std::vector<uint8_t>> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return makeError("cannot read '" + path + "': " + buffer.getError().message());
  }
  StringRef text = (*buffer)->getBuffer();
  return std::vector<uint8_t>(text.bytes_begin(), text.bytes_end());
}

llvm::Error writeFile(StringRef path, ArrayRef<uint8_t> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? makeError("cannot write '" + path + "': " + error.message()) : llvm::Error::success();
}

ArrayRef<uint8_t> toBytes(StringRef text) { return {text.bytes_begin(), text.bytes_end()}; }

/// The tensor in a region of a program; its bytes if the program says nothing that fits.
TensorInfo regionInfo(const npuhw::Region &region) {
  TensorInfo info{region.name, "i8", {static_cast<int64_t>(region.bytes)}};
  StringRef spelled = npuhw::spell(region.dtype);
  // What MLIR calls it, where that differs.
  StringRef dtype = llvm::StringSwitch<StringRef>(spelled)
                        .Case("b8", "i1")
                        .Case("u8", "ui8")
                        .Case("u16", "ui16")
                        .Case("u32", "ui32")
                        .Case("f8e4m3", "f8E4M3FN")
                        .Case("f8e5m2", "f8E5M2")
                        .Default(spelled);
  TensorInfo typed{region.name, dtype.str(), region.shape};
  return typed.bytes() == static_cast<int64_t>(region.bytes) ? typed : info;
}

llvm::Expected<Runnable> openProgram(ArrayRef<uint8_t> bytes, const npuhw::SimulatorOptions &options) {
  npuhw::Result<npuhw::Program> program = npuhw::readProgram(bytes.data(), bytes.size());
  if (!program) {
    return makeError(program.error().str());
  }
  npuhw::Result<npuhw::Simulator> created = npuhw::Simulator::create(*program, options);
  if (!created) {
    return makeError(created.error().str());
  }
  auto simulator = std::make_shared<npuhw::Simulator>(std::move(*created));
  std::vector<size_t> order = regionsOf(*program, npuhw::RegionRole::Input);
  Runnable runnable;
  runnable.programs.push_back(&simulator->program());
  for (size_t region : order) {
    runnable.inputs.push_back(regionInfo(program->regions[region]));
  }
  for (size_t region : regionsOf(*program, npuhw::RegionRole::Output)) {
    runnable.outputs.push_back(regionInfo(program->regions[region]));
    order.push_back(region);
  }
  runnable.run = [simulator, order](ArrayRef<const void *> inputs, ArrayRef<void *> outputs,
                                    const npuhw::SimulatorOptions &runOptions) {
    const npuhw::Program &program = simulator->program();
    std::vector<npuhw::Buffer> buffers(program.regions.size());
    // State begins at zero and ends with the run.
    std::vector<ZeroedBytes> state;
    PackageRun result;
    for (size_t region : regionsOf(program, npuhw::RegionRole::State)) {
      uint64_t bytes = program.regions[region].bytes;
      state.emplace_back(bytes);
      if (!state.back()) {
        result.error = "state '" + program.regions[region].name + "' needs " + std::to_string(bytes) +
                       " bytes, which this machine does not have";
        return result;
      }
      buffers[region] = {state.back().get(), bytes};
    }
    for (auto [i, region] : llvm::enumerate(order)) {
      void *data = i < inputs.size() ? const_cast<void *>(inputs[i]) : outputs[i - inputs.size()];
      buffers[region] = {static_cast<uint8_t *>(data), program.regions[region].bytes};
    }
    npuhw::Result<npuhw::Report> report = simulator->run(buffers);
    if (!report) {
      result.error = report.error().str();
      return result;
    }
    result.profile.targetName = program.target.name;
    result.profile.targetHash = npuhw::hashTargetHex(program.target);
    result.profile.clockMHz = program.target.clockMHz;
    if (runOptions.trace) {
      npuhw::Result<std::string> trace = npuhw::toTraceJSON(*report, program);
      if (!trace) {
        result.error = trace.error().str();
        return result;
      }
      result.profile.traces.push_back(std::move(*trace));
    }
    result.profile.launches.push_back(std::move(*report));
    return result;
  };
  return runnable;
}

llvm::Expected<Runnable> openFile(const Options &options) {
  llvm::Expected<std::vector<uint8_t>> bytes = readFile(options.file);
  if (!bytes) {
    return bytes.takeError();
  }
  npuhw::Result<npuhw::Container> container = npuhw::readContainer(bytes->data(), bytes->size());
  if (!container) {
    return makeError("'" + options.file + "': " + container.error().str());
  }
  if (container->kind == npuhw::FileKind::Program) {
    llvm::Expected<Runnable> runnable = openProgram(*bytes, options.simulator);
    return runnable ? std::move(runnable) : makeError("'" + options.file + "': " + llvm::toString(runnable.takeError()));
  }
  llvm::Expected<std::unique_ptr<Package>> package = Package::read(*bytes, options.targetHash);
  if (!package) {
    return makeError("'" + options.file + "': " + llvm::toString(package.takeError()));
  }
  std::shared_ptr<Package> shared = std::move(*package);
  if (llvm::Error error = shared->prepare(options.simulator)) {
    return makeError("'" + options.file + "': " + llvm::toString(std::move(error)));
  }
  Runnable runnable;
  runnable.inputs = shared->getInputs().vec();
  runnable.outputs = shared->getOutputs().vec();
  for (const npuhw::Program &program : shared->getPrograms()) {
    runnable.programs.push_back(&program);
  }
  runnable.run = [shared](ArrayRef<const void *> inputs, ArrayRef<void *> outputs,
                          const npuhw::SimulatorOptions &runOptions) { return shared->run(inputs, outputs, runOptions); };
  return runnable;
}

/// The bytes of every input in order.
llvm::Expected<std::vector<std::vector<uint8_t>>> readInputs(const Options &options, ArrayRef<TensorInfo> infos) {
  std::vector<std::optional<std::vector<uint8_t>>> found(infos.size());
  size_t next = 0;
  for (const auto &[name, path] : options.inputs) {
    size_t index = next;
    if (!name.empty()) {
      index = llvm::find_if(infos, [&](const TensorInfo &info) { return info.name == name; }) - infos.begin();
    } else {
      ++next;
    }
    if (index >= infos.size()) {
      return makeError(name.empty() ? "expected " + Twine(infos.size()).str() + " inputs, but '" + path + "' is one more"
                                    : "the program has no input '" + name + "'");
    }
    if (found[index]) {
      return makeError("input '" + infos[index].name + "' is given twice");
    }
    llvm::Expected<std::vector<uint8_t>> bytes = readFile(path);
    if (!bytes) {
      return bytes.takeError();
    }
    llvm::Expected<NpyArray> array = readNpy(*bytes);
    if (!array) {
      return makeError("'" + path + "': " + llvm::toString(array.takeError()));
    }
    if (llvm::Error error = checkNpy(*array, infos[index])) {
      return makeError("'" + path + "': " + llvm::toString(std::move(error)));
    }
    found[index] = std::move(array->data);
  }
  std::vector<std::vector<uint8_t>> inputs;
  for (auto [info, data] : llvm::zip(infos, found)) {
    if (!data) {
      return makeError("input " + info.str() + " is missing; give it with --input '" + info.name + "=FILE.npy'");
    }
    inputs.push_back(std::move(*data));
  }
  return inputs;
}

/// Names come from a file that nobody vouches for: no separators, no leading dot, no two alike.
std::vector<std::string> fileNames(ArrayRef<TensorInfo> infos) {
  std::vector<std::string> names;
  for (const TensorInfo &info : infos) {
    std::string name;
    for (char c : info.name) {
      name += llvm::isAlnum(c) || c == '-' || c == '_' || (c == '.' && !name.empty()) ? c : '_';
    }
    name = name.empty() ? "output" : name.substr(0, 200);
    while (llvm::is_contained(names, name)) {
      name += "_";
    }
    names.push_back(name);
  }
  return names;
}

template <typename T> void printValues(llvm::raw_ostream &out, ArrayRef<uint8_t> bytes) {
  constexpr size_t kShown = 8;
  size_t count = bytes.size() / sizeof(T);
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out << " ";
    if constexpr (std::is_floating_point_v<T>) {
      out << llvm::format("%.6g", static_cast<double>(value));
    } else {
      out << static_cast<int64_t>(value);
    }
  }
  out << (count > kShown ? " ..." : "");
}

/// The first values of an output; types that the host language lacks (f16, bf16) are only in the files.
void printValues(llvm::raw_ostream &out, StringRef dtype, ArrayRef<uint8_t> bytes) {
  if (dtype == "f32") {
    printValues<float>(out, bytes);
  } else if (dtype == "f64") {
    printValues<double>(out, bytes);
  } else if (dtype == "i8" || dtype == "i1") {
    printValues<int8_t>(out, bytes);
  } else if (dtype == "i16") {
    printValues<int16_t>(out, bytes);
  } else if (dtype == "i32") {
    printValues<int32_t>(out, bytes);
  } else if (dtype == "i64") {
    printValues<int64_t>(out, bytes);
  }
}

void printReport(llvm::raw_ostream &out, const Runnable &runnable, ArrayRef<ZeroedBytes> outputs,
                 const Profile &profile) {
  for (auto [info, data] : llvm::zip(runnable.outputs, outputs)) {
    out << "output  " << info.str() << " ";
    printValues(out, info.dtype, data.bytes());
    out << "\n";
  }
  out << "cycles  " << profile.totalCycles() << " = "
      << llvm::format("%.3f", static_cast<double>(profile.totalCycles()) / profile.clockMHz) << " us on "
      << profile.targetName << " (device " << profile.deviceCycles() << ", host " << profile.hostCycles()
      << ", synchronisation " << profile.syncCycles() << ")\n";
  static constexpr const char *names[npuhw::kNumQueues] = {"ld", "st", "mm", "dr", "ve"};
  uint64_t dramBytes = 0, sramBytes = 0, sramHighWater = 0, sramSize = 0;
  for (unsigned q = 0; q < npuhw::kNumQueues; ++q) {
    uint64_t busy = 0, stalled = 0, instructions = 0;
    for (const npuhw::Report &report : profile.launches) {
      busy += report.queues[q].busyCycles;
      stalled += report.queues[q].waitSemaphoreCycles;
      instructions += report.queues[q].instructions;
    }
    double share = profile.totalCycles() ? 100.0 * busy / profile.totalCycles() : 0;
    out << "queue   " << names[q] << llvm::format(": busy %5.1f %%, ", share) << busy << " cycles in " << instructions
        << " instructions, waited " << stalled << " cycles\n";
  }
  for (const npuhw::Report &report : profile.launches) {
    dramBytes += report.dramReadBytes + report.dramWriteBytes;
    sramBytes += report.sramBytesMoved;
    sramHighWater = std::max(sramHighWater, report.sramHighWater);
    sramSize = std::max(sramSize, report.sramSize);
  }
  out << "memory  " << dramBytes << " bytes to and from DRAM, " << sramBytes << " bytes in SRAM; SRAM high-water mark "
      << sramHighWater << " of " << sramSize << " bytes\n";
  for (const HostWork &work : profile.hostWork) {
    out << "host    " << (work.name.empty() ? "work" : "'" + work.name + "'") << ": " << work.reason << " ("
        << work.cycles << " cycles)\n";
  }
}

std::string resultJSON(const Options &options, const Runnable &runnable, const Profile &profile,
                       ArrayRef<std::string> files) {
  llvm::json::Array outputs;
  for (auto [index, info] : llvm::enumerate(runnable.outputs)) {
    llvm::json::Object output{{"name", info.name}, {"dtype", info.dtype}, {"shape", llvm::json::Array(info.shape)}};
    if (index < files.size()) {
      output["file"] = files[index];
    }
    outputs.push_back(std::move(output));
  }
  llvm::Expected<llvm::json::Value> profileValue = llvm::json::parse(profile.toJSON());
  llvm::json::Object root{{"schema", "npu.run/1"},        {"tool", "npu-run"},
                          {"file", options.file},         {"verdict", "ok"},
                          {"exit_code", kOk},             {"outputs", std::move(outputs)},
                          {"profile", llvm::cantFail(std::move(profileValue))}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(root))) << "\n";
  return text;
}

/// Whether two paths are one file, or will be once both are written.
bool isSameFile(StringRef a, StringRef b) {
  if (llvm::sys::fs::exists(a) && llvm::sys::fs::exists(b)) {
    return llvm::sys::fs::equivalent(a, b);
  }
  auto normal = [](StringRef path) {
    StringRef parent = llvm::sys::path::parent_path(path);
    SmallString<128> real;
    // A parent that is not there is no folder of the other one.
    if (llvm::sys::fs::real_path(parent.empty() ? "." : parent, real)) {
      real = path;
      llvm::sys::fs::make_absolute(real);
      llvm::sys::path::remove_dots(real, /*remove_dot_dot=*/true);
      return real;
    }
    llvm::sys::path::append(real, llvm::sys::path::filename(path));
    return real;
  };
  return normal(a) == normal(b);
}

/// Where each output is written; empty without --output.
std::vector<std::string> outputFiles(const Options &options, ArrayRef<TensorInfo> infos) {
  std::vector<std::string> files;
  if (!options.outputDir.empty()) {
    for (const std::string &name : fileNames(infos)) {
      SmallString<128> path(options.outputDir);
      llvm::sys::path::append(path, name + ".npy");
      files.push_back(path.str().str());
    }
  }
  return files;
}

/// Refuses to write over a file that is read, or two results to one file.
llvm::Error checkClashes(const Options &options, ArrayRef<std::string> files) {
  std::vector<StringRef> taken{options.file};
  for (const auto &input : options.inputs) {
    taken.push_back(input.second);
  }
  std::vector<StringRef> outputs(files.begin(), files.end());
  outputs.push_back(options.trace);
  outputs.push_back(options.json == "-" ? StringRef() : StringRef(options.json));
  for (StringRef output : outputs) {
    // Devices and pipes take any number of results.
    if (output.empty() || (llvm::sys::fs::exists(output) && !llvm::sys::fs::is_regular_file(output))) {
      continue;
    }
    for (StringRef other : taken) {
      if (isSameFile(output, other)) {
        return makeError("'" + output + "' would be written over '" + other +
                         "', which is an input or another output; name another file");
      }
    }
    taken.push_back(output);
  }
  return llvm::Error::success();
}

/// Checks all device programs of a file. The host's part of a package is read, but not executed.
int checkFile(const Options &options) {
  if (llvm::Error error = checkClashes(options, {})) {
    return fail(kBadInput, std::move(error));
  }
  llvm::Expected<std::vector<uint8_t>> bytes = readFile(options.file);
  if (!bytes) {
    return fail(kBadInput, bytes.takeError());
  }
  auto refuse = [&](const Twine &why) { return fail(kBadInput, makeError("'" + options.file + "': " + why)); };
  npuhw::Result<npuhw::Container> container = npuhw::readContainer(bytes->data(), bytes->size());
  if (!container) {
    return refuse(container.error().str());
  }
  std::vector<npuhw::Program> programs;
  if (container->kind == npuhw::FileKind::Program) {
    npuhw::Result<npuhw::Program> program = npuhw::readProgram(*bytes);
    if (!program) {
      return refuse(program.error().str());
    }
    programs.push_back(std::move(*program));
  } else {
    llvm::Expected<std::unique_ptr<Package>> package = Package::read(*bytes, options.targetHash);
    if (!package) {
      return refuse(llvm::toString(package.takeError()));
    }
    programs = (*package)->getPrograms().vec();
  }
  int code = kOk;
  std::string list;
  llvm::raw_ostream &out = options.json == "-" ? llvm::errs() : llvm::outs();
  for (const npuhw::Program &program : programs) {
    npuhw::CheckReport report = npuhw::checkProgram(program);
    code = report.ok() ? code : kBad;
    list += (list.empty() ? "" : ", ") + npuhw::toJSON(report, program);
    if (!report.ok()) {
      llvm::errs() << "npu-run: error: '" << options.file << "', program '" << program.name << "': " << report.str()
                   << "\n";
    } else if (!options.quiet) {
      out << "check: '" << program.name << "': " << report.str() << "\n";
    }
  }
  std::string text = "{\"schema\": \"npu.check/1\", \"tool\": \"npu-run\", \"verdict\": \"" +
                     std::string(code == kOk ? "ok" : "bad") + "\", \"exit_code\": " + std::to_string(code) +
                     ", \"programs\": [" + list + "]}\n";
  if (options.json == "-") {
    llvm::outs() << text;
  } else if (!options.json.empty()) {
    if (llvm::Error error = writeFile(options.json, toBytes(text))) {
      return fail(kBadInput, std::move(error));
    }
  }
  return code;
}

/// Tells the debugger what the flags ask for.
llvm::Error armDebugger(npuhw::Debugger &debugger, const Options &options) {
  auto refuse = [](StringRef flag, const std::string &fault) { return makeError("'" + flag + "': " + fault); };
  for (const std::string &place : options.breakpoints) {
    if (std::string fault = debugger.addBreakpoint(place); !fault.empty()) {
      return refuse("--break", fault);
    }
  }
  for (const std::string &range : options.watches) {
    if (std::string fault = debugger.addWatch(range); !fault.empty()) {
      return refuse("--watch", fault);
    }
  }
  for (const std::string &place : options.dumps) {
    SmallString<128> dir(options.dumpDir);
    // Several dumps would write over each other.
    if (options.dumps.size() > 1) {
      llvm::sys::path::append(dir, std::to_string(&place - options.dumps.data()));
    }
    if (std::string fault = debugger.addDump(place, dir.str().str()); !fault.empty()) {
      return refuse("--dump-at", fault);
    }
  }
  debugger.setStep(options.step);
  return llvm::Error::success();
}

int runFile(Options options) {
  // Before any work, and again when the names of the outputs are known.
  if (llvm::Error error = checkClashes(options, {})) {
    return fail(kBadInput, std::move(error));
  }
  npuhw::Prompt prompt(std::cin, options.json == "-" ? std::cerr : std::cout, isatty(STDIN_FILENO) != 0);
  npuhw::Debugger debugger({}, [&](const npuhw::Stop &stop) { return prompt(debugger, stop); });
  options.simulator.observer = options.debugs() ? &debugger : nullptr;
  llvm::Expected<Runnable> runnable = openFile(options);
  if (!runnable) {
    return fail(kBadInput, runnable.takeError());
  }
  debugger.setPrograms(runnable->programs);
  if (llvm::Error error = armDebugger(debugger, options)) {
    return fail(kBadInput, std::move(error));
  }
  std::vector<std::string> files = outputFiles(options, runnable->outputs);
  if (llvm::Error error = checkClashes(options, files)) {
    return fail(kBadInput, std::move(error));
  }
  llvm::Expected<std::vector<std::vector<uint8_t>>> inputs = readInputs(options, runnable->inputs);
  if (!inputs) {
    return fail(kBadInput, inputs.takeError());
  }
  std::vector<const void *> inputData;
  for (std::vector<uint8_t> &bytes : *inputs) {
    inputData.push_back(bytes.data());
  }
  std::vector<ZeroedBytes> outputs;
  std::vector<void *> outputData;
  for (const TensorInfo &info : runnable->outputs) {
    outputs.emplace_back(info.bytes());
    if (!outputs.back()) {
      return fail(kBadInput, makeError("'" + options.file + "': output " + info.str() + " needs " +
                                       Twine(info.bytes()) + " bytes, which this machine does not have"));
    }
    outputData.push_back(outputs.back().get());
  }
  PackageRun run = runnable->run(inputData, outputData, options.simulator);
  if (!run.error.empty()) {
    std::string why = debugger.failure().empty() ? run.error : debugger.failure();
    return fail(kBadInput, makeError("'" + options.file + "': the run failed: " + why));
  }
  if (!options.outputDir.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(options.outputDir)) {
      return fail(kBadInput, makeError("cannot make the folder '" + options.outputDir + "': " + error.message()));
    }
    for (auto [path, info, data] : llvm::zip(files, runnable->outputs, outputs)) {
      if (llvm::Error error = writeFile(path, writeNpy(info, data.bytes()))) {
        return fail(kBadInput, std::move(error));
      }
    }
  }
  if (!options.trace.empty()) {
    if (llvm::Error error = writeFile(options.trace, toBytes(run.profile.toTraceJSON()))) {
      return fail(kBadInput, std::move(error));
    }
  }
  if (!options.quiet) {
    printReport(options.json == "-" ? llvm::errs() : llvm::outs(), *runnable, outputs, run.profile);
  }
  if (options.json == "-") {
    llvm::outs() << resultJSON(options, *runnable, run.profile, files);
  } else if (!options.json.empty()) {
    if (llvm::Error error = writeFile(options.json, toBytes(resultJSON(options, *runnable, run.profile, files)))) {
      return fail(kBadInput, std::move(error));
    }
  }
  return kOk;
}

} // namespace

int npuRunMain(int argc, char **argv) {
  llvm::Expected<Options> options = parseOptions(argc, argv);
  if (!options) {
    return fail(kBadInput, options.takeError());
  }
  if (options->help) {
    llvm::outs() << kUsage;
    return kOk;
  }
  int code = options->check ? checkFile(*options) : runFile(*options);
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error(); // An error that is left ends the process by a crash.
    code = code == kOk ? kBadInput : code;
    return fail(code, makeError("cannot write to standard output: " + error.message()));
  }
  return code;
}
