//===- Main.cpp - The main program of compiled programs -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failing call of the runtime leaves the functions of a device by longjmp. So they
// own nothing on the stack across such a call: what a device has lies in its Device.
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Npy.h"
#include "shard/Host/NpyOutput.h"
#include "shard/Host/Placement.h"
#include "shard/Runtime/Launcher.h"
#include "shard/Runtime/Runtime.h"
#include "shard/Standalone/Layout.h"
#include "shard/Standalone/Program.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <unistd.h>

using namespace shard;

namespace {

struct Options {
  /// By the number of the argument, of the result.
  std::map<int64_t, std::string> inputs, outputs;
  /// Of the next file without a number.
  uint64_t nextInput = 0, nextOutput = 0;
  uint64_t seed = 0;
  int64_t repeat = 1;
  bool help = false, describe = false;
};

/// The whole arguments, for all devices of this process.
class Arguments {
public:
  Arguments(const shard_program &program, const Options &options)
      : program(program), options(options), wholes(program.num_arguments) {}

  /// Argument `index`; null, with the reason in `error`, if there is none.
  const HostTensor *get(int64_t index, std::string &error);

private:
  std::optional<HostTensor> make(int64_t index, std::string &error);

  const shard_program &program;
  const Options &options;
  std::mutex mutex;
  std::vector<std::optional<HostTensor>> wholes;
};

/// What a device writes of a result.
struct ResultFile {
  int64_t result;
  NpyOutput output;
};

/// What a device has.
struct Device {
  std::vector<HostTensor> blocks, results;
  std::vector<const void *> arguments;
  std::vector<void *> resultPointers;
  std::vector<ResultFile> files;
  std::string error;
  /// The axes of the group of all devices (Runtime.h).
  std::vector<int64_t> group;
  std::vector<double> seconds, slowest;
};

struct Run {
  const shard_program &program;
  const Options &options;
  Arguments arguments;
  std::vector<Device> devices;
  /// A device that this process runs.
  std::atomic<int64_t> here = 0;
};

std::vector<int64_t> toVector(const int64_t *data, int64_t size) {
  return std::vector<int64_t>(data, data + size);
}

} // namespace

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static void printHelp(const shard_program &program) {
  std::printf(
      "Runs '%s' on %lld devices, which the library of the runtime makes\n"
      "threads of this process or processes that mpirun has started.\n\n"
      "  --input x.npy    the next argument; N=x.npy is argument N. Arguments\n"
      "                   without a file are random\n"
      "  --output y.npy   where to write the next result; N=y.npy is for\n"
      "                   result N\n"
      "  --seed N         seed of the random arguments (0)\n"
      "  --repeat N       run N times and time each (1)\n"
      "  --describe       print grid, arguments and results, and run nothing\n",
      program.name, static_cast<long long>(program.num_devices));
}

static std::string gridText(const shard_program &program) {
  std::string text;
  for (int64_t i = 0; i < program.grid_rank; ++i)
    text += (i ? "x" : "") + std::to_string(program.grid[i]);
  return text;
}

static void printValues(const char *what, const shard_program_value *values,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const shard_program_value &value = values[i];
    ElementType type = static_cast<ElementType>(value.layout[0]);
    std::printf(
        "%s %lld  %s  sharding %s  block of a device %s\n", what,
        static_cast<long long>(i), value.type, value.sharding,
        toString(type, toVector(value.local_shape, value.rank)).c_str());
  }
}

static void describe(const shard_program &program) {
  std::printf("program %s\ngrid    %s, %lld devices\n", program.name,
              gridText(program).c_str(),
              static_cast<long long>(program.num_devices));
  printValues("argument", program.arguments, program.num_arguments);
  printValues("result  ", program.results, program.num_results);
}

/// Reads a number from 0 on; false if `text` is none.
static bool readNumber(const std::string &text, uint64_t &number) {
  if (text.empty() || text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  number = std::stoull(text);
  return true;
}

/// Takes `text`, x.npy or N=x.npy, apart: the number, `next` if there is none, and the path.
/// `next` is the number behind.
static uint64_t readNumbered(const std::string &text, uint64_t &next,
                             std::string &path) {
  uint64_t number = next;
  size_t equals = text.find('=');
  path = text;
  if (equals != std::string::npos && readNumber(text.substr(0, equals), number))
    path = text.substr(equals + 1);
  next = number + 1;
  return number;
}

static std::string addInput(const shard_program &program,
                            const std::string &text, Options &options) {
  static const char *const what = "--input '";
  std::string path;
  uint64_t number = readNumbered(text, options.nextInput, path);
  if (number >= static_cast<uint64_t>(program.num_arguments))
    return what + text + "': the program takes " +
           std::to_string(program.num_arguments) +
           " arguments, numbered from 0; there is no argument " +
           std::to_string(number);
  if (!options.inputs.try_emplace(static_cast<int64_t>(number), path).second)
    return what + text + "': argument " + std::to_string(number) +
           " has two inputs";
  return {};
}

static std::string addOutput(const shard_program &program,
                             const std::string &text, Options &options) {
  std::string path, what = "--output '" + text + "': ";
  uint64_t number = readNumbered(text, options.nextOutput, path);
  if (number >= static_cast<uint64_t>(program.num_results))
    return what + "the program has " + std::to_string(program.num_results) +
           " results; there is no result " + std::to_string(number);
  if (!options.outputs.try_emplace(static_cast<int64_t>(number), path).second)
    return what + "result " + std::to_string(number) + " has two files";
  const shard_program_value &value = program.results[number];
  if (!decodeLayout(value.layout, value.rank).sharding.partial.empty())
    return what + "result " + std::to_string(number) +
           " is partial: its blocks have to be combined first; give it another "
           "sharding";
  return {};
}

/// Sets `options`; what is wrong, or nothing.
static std::string readOptions(int argc, char **argv,
                               const shard_program &program, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--help" || option == "--describe") {
      (option == "--help" ? options.help : options.describe) = true;
      continue;
    }
    std::string value;
    size_t equals = option.find('=');
    bool attached = equals != std::string::npos;
    if (attached) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    if (option != "--input" && option != "--output" && option != "--seed" &&
        option != "--repeat")
      return "unknown option '" + std::string(argv[i]) + "'; see --help";
    if (!attached && i + 1 == argc)
      return "option " + option + " needs a value; see --help";
    if (!attached)
      value = argv[++i];
    uint64_t number = 0;
    if (option == "--seed" || option == "--repeat") {
      if (!readNumber(value, number) || (option == "--repeat" && !number))
        return option + " '" + value + "': expected a number" +
               (option == "--repeat" ? " from 1 on" : "");
      if (option == "--seed")
        options.seed = number;
      else
        options.repeat = static_cast<int64_t>(number);
      continue;
    }
    std::string problem = option == "--input"
                              ? addInput(program, value, options)
                              : addOutput(program, value, options);
    if (!problem.empty())
      return problem;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The devices
//===----------------------------------------------------------------------===//

std::optional<HostTensor> Arguments::make(int64_t index, std::string &error) {
  const shard_program_value &value = program.arguments[index];
  ElementType type = static_cast<ElementType>(value.layout[0]);
  std::vector<int64_t> shape = toVector(value.shape, value.rank);
  auto file = options.inputs.find(index);
  if (file == options.inputs.end()) {
    std::optional<HostTensor> tensor = HostTensor::make(type, shape, error);
    if (tensor)
      fillRandom(*tensor, options.seed, index);
    return tensor;
  }
  std::optional<HostTensor> tensor = mapNpy(file->second, type, error);
  if (tensor && (tensor->type() != type || tensor->shape() != shape)) {
    error = "'" + file->second + "' is " +
            toString(tensor->type(), tensor->shape()) + ", but argument " +
            std::to_string(index) + " is " + toString(type, shape);
    return std::nullopt;
  }
  return tensor;
}

const HostTensor *Arguments::get(int64_t index, std::string &error) {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<HostTensor> &whole = wholes[index];
  if (!whole)
    whole = make(index, error);
  return whole ? &*whole : nullptr;
}

/// Why the files of --output cannot be written, or nothing.
static std::string checkOutputs(const Options &options) {
  for (const auto &[number, path] : options.outputs) {
    bool isSpecial = false;
    std::string problem = problemOfOutput(path, isSpecial);
    if (isSpecial)
      problem = "'" + path + "' is no regular file";
    if (!problem.empty())
      return problem;
  }
  return {};
}

/// Takes the device's blocks of the arguments, and memory for those of the results.
static void prepare(Run &run, int64_t number) {
  Device &device = run.devices[number];
  const shard_program &program = run.program;
  if (number == 0)
    device.error = checkOutputs(run.options);
  if (!device.error.empty())
    return;
  for (int64_t i = 0; i < program.num_arguments; ++i) {
    const shard_program_value &value = program.arguments[i];
    const HostTensor *whole = run.arguments.get(i, device.error);
    if (!whole)
      return;
    ValueLayout layout = decodeLayout(value.layout, value.rank);
    device.blocks.push_back(
        sliceForDevice(layout.grid, *whole, layout.sharding, number));
  }
  for (int64_t i = 0; i < program.num_results; ++i) {
    const shard_program_value &value = program.results[i];
    std::optional<HostTensor> block =
        HostTensor::make(static_cast<ElementType>(value.layout[0]),
                         toVector(value.local_shape, value.rank), device.error);
    if (!block)
      return;
    device.results.push_back(std::move(*block));
  }
  for (const HostTensor &block : device.blocks)
    device.arguments.push_back(block.data());
  for (HostTensor &block : device.results)
    device.resultPointers.push_back(block.data());
  device.group = toVector(program.grid, program.grid_rank);
  device.group.insert(device.group.begin(), program.grid_rank);
  device.group.push_back(program.grid_rank);
  for (int64_t axis = 0; axis < program.grid_rank; ++axis)
    device.group.push_back(axis);
  device.seconds.assign(run.options.repeat, 0);
  device.slowest.assign(run.options.repeat, 0);
}

/// The largest `value` of all devices.
static int64_t largest(const Device &device, int64_t value) {
  int64_t result = 0;
  const int64_t input[] = {reinterpret_cast<int64_t>(&value), 0, 1, 1, 1};
  const int64_t output[] = {reinterpret_cast<int64_t>(&result), 0, 1, 1, 1};
  shard_rt_all_reduce("main program", device.group.data(), SHARD_RT_I64, input,
                      output, SHARD_RT_MAX);
  return result;
}

/// Ends the run if a device has an error. Device 0 deletes what was written.
static void agree(Run &run, int64_t number) {
  Device &device = run.devices[number];
  if (!largest(device, !device.error.empty()))
    return;
  if (number == 0)
    for (ResultFile &file : device.files)
      file.output.discard();
  shard_rt_barrier("main program", device.group.data());
  if (!device.error.empty())
    shard_rt_fail(device.error.c_str());
  // The others wait for the end.
  shard_rt_barrier("main program", device.group.data());
}

static void openOutputs(Run &run, int64_t number, int64_t token) {
  Device &device = run.devices[number];
  for (const auto &[result, path] : run.options.outputs) {
    const shard_program_value &value = run.program.results[result];
    device.files.push_back(
        {result, NpyOutput(path, std::to_string(token),
                           static_cast<ElementType>(value.layout[0]),
                           toVector(value.shape, value.rank))});
    if (number == 0 && !device.files.back().output.create(device.error))
      return;
  }
}

/// The first device of those that have a block writes it.
static void writeBlocks(Run &run, int64_t number) {
  Device &device = run.devices[number];
  for (ResultFile &file : device.files) {
    const shard_program_value &value = run.program.results[file.result];
    ValueLayout layout = decodeLayout(value.layout, value.rank);
    if (firstReplica(layout.grid, layout.sharding, number) != number)
      continue;
    std::vector<int64_t> offsets;
    HostTensor valid = validBlock(
        layout.grid, toVector(value.shape, value.rank),
        device.results[file.result], layout.sharding, number, offsets);
    if (!file.output.write(valid, offsets, device.error))
      return;
  }
}

static void writeOutputs(Run &run, int64_t number) {
  if (run.options.outputs.empty())
    return;
  Device &device = run.devices[number];
  openOutputs(run, number, largest(device, number == 0 ? getpid() : 0));
  agree(run, number);
  writeBlocks(run, number);
  agree(run, number);
  // After a failure, agree() deletes the rest.
  if (number == 0)
    for (ResultFile &file : device.files)
      if (!device.error.empty() || !file.output.commit(device.error))
        break;
  agree(run, number);
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void runDevice(void *context, int64_t number) {
  Run &run = *static_cast<Run *>(context);
  Device &device = run.devices[number];
  run.here = number;
  prepare(run, number);
  if (!device.error.empty())
    shard_rt_fail(device.error.c_str());
  for (int64_t i = 0; i < run.options.repeat; ++i) {
    shard_rt_barrier("main program", device.group.data());
    double begin = now();
    shard_program_call(&run.program, device.arguments.data(),
                       device.resultPointers.data());
    device.seconds[i] = now() - begin;
  }
  const int64_t input[] = {reinterpret_cast<int64_t>(device.seconds.data()), 0,
                           1, run.options.repeat, 1};
  const int64_t output[] = {reinterpret_cast<int64_t>(device.slowest.data()), 0,
                            1, run.options.repeat, 1};
  shard_rt_all_reduce("main program", device.group.data(), SHARD_RT_F64, input,
                      output, SHARD_RT_MAX);
  writeOutputs(run, number);
}

static void printTimes(const shard_program &program,
                       const std::vector<double> &seconds) {
  double sum = 0;
  for (double value : seconds)
    sum += value;
  std::printf("program %s, grid %s, %lld devices\n"
              "time    %.3f ms, the least of %zu runs on the slowest device; "
              "mean %.3f ms\n",
              program.name, gridText(program).c_str(),
              static_cast<long long>(program.num_devices),
              1e3 * *std::min_element(seconds.begin(), seconds.end()),
              seconds.size(), 1e3 * sum / static_cast<double>(seconds.size()));
}

/// The exit code after all has been printed: a full disk is an error.
static int endPrinting() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return 0;
  std::fprintf(stderr, "error: cannot write standard output: %s\n",
               std::strerror(errno));
  return 1;
}

int shard_program_main(int argc, char **argv, const shard_program *program) {
  Options options;
  std::string problem = readOptions(argc, argv, *program, options);
  // Under MPI, one rank says it for all.
  if (!problem.empty())
    shard_rt_fail(problem.c_str());
  bool prints = shard_rt_process() == 0;
  if (options.help || options.describe) {
    if (prints)
      options.help ? printHelp(*program) : describe(*program);
    return endPrinting();
  }
  // Each of the processes would run the whole program and write the same outputs.
  std::string mpi = runtime::launcherOfProcesses();
  if (!mpi.empty() && shard_rt_num_processes() == 1)
    shard_rt_fail(("mpirun (" + mpi +
                   ") has started several processes, but this program knows "
                   "of one: it is compiled for threads or for another MPI; "
                   "use shard-compile --backend=" +
                   mpi)
                      .c_str());
  Run run{*program, options, Arguments(*program, options),
          std::vector<Device>(program->num_devices)};
  if (program->device_ids)
    shard_rt_set_processes(program->num_devices, program->device_ids);
  if (shard_rt_run(program->grid_rank, program->grid, runDevice, &run)) {
    if (prints)
      std::fprintf(stderr, "error: %s\n", shard_rt_error());
    return 1;
  }
  if (prints)
    printTimes(*program, run.devices[run.here].slowest);
  return endPrinting();
}
