//===- RunProcesses.cpp - Running a program, one device a process ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunGrid.h"

#include "shard/Codegen/Compile.h"
#include "shard/Host/NpyOutput.h"
#include "shard/Host/Placement.h"
#include "shard/Runtime/Processes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <unistd.h>

using namespace mlir;
using namespace shard;
using namespace shard::execution;

namespace {

/// A result on one device, as the first process hears of it.
struct ResultNews {
  /// The block of the device; empty if it stays there.
  std::optional<HostTensor> block;
  /// Of the valid elements of a block that stays there.
  uint64_t digest[2] = {0, 0};
};

/// What a process tells of its run. Lists of these are by position in the grid.
struct ProcessNews {
  int64_t argumentBytes = 0, peakBytes = 0;
  double seconds = 0, secondsInCalls = 0;
  std::vector<ResultNews> results;
};

/// Numbers and tensors as bytes; all processes run the same executable.
class Bytes {
public:
  Bytes() = default;
  explicit Bytes(std::string data) : data(std::move(data)) {}

  template <typename T>
  void put(T value) {
    data.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void put(const HostTensor &tensor) {
    put(tensor.type());
    put<int64_t>(tensor.shape().size());
    for (int64_t extent : tensor.shape())
      put(extent);
    data.append(reinterpret_cast<const char *>(tensor.data()),
                tensor.numBytes());
  }
  template <typename T>
  T take() {
    T value = T();
    read(&value, sizeof(value));
    return value;
  }
  HostTensor takeTensor() {
    auto type = take<ElementType>();
    std::vector<int64_t> shape(take<int64_t>());
    for (int64_t &extent : shape)
      extent = take<int64_t>();
    HostTensor tensor(type, shape);
    read(tensor.data(), tensor.numBytes());
    return tensor;
  }
  const std::string &get() const { return data; }

private:
  void read(void *target, size_t size) {
    assert(size <= data.size() - at && "reads what was written");
    if (size)
      memcpy(target, data.data() + at, size);
    at += size;
  }

  std::string data;
  size_t at = 0;
};

std::string encode(const std::vector<HostTensor> &tensors) {
  Bytes bytes;
  bytes.put<int64_t>(tensors.size());
  for (const HostTensor &tensor : tensors)
    bytes.put(tensor);
  return bytes.get();
}

std::vector<HostTensor> decodeTensors(std::string text) {
  Bytes bytes(std::move(text));
  std::vector<HostTensor> tensors;
  for (int64_t i = 0, e = bytes.take<int64_t>(); i < e; ++i)
    tensors.push_back(bytes.takeTensor());
  return tensors;
}

std::string encode(const ProcessNews &news) {
  Bytes bytes;
  bytes.put(news.argumentBytes);
  bytes.put(news.peakBytes);
  bytes.put(news.seconds);
  bytes.put(news.secondsInCalls);
  bytes.put<int64_t>(news.results.size());
  for (const ResultNews &result : news.results) {
    bytes.put(result.block.has_value());
    bytes.put(result.digest[0]);
    bytes.put(result.digest[1]);
    if (result.block)
      bytes.put(*result.block);
  }
  return bytes.get();
}

ProcessNews decode(std::string text) {
  Bytes bytes(std::move(text));
  ProcessNews news;
  news.argumentBytes = bytes.take<int64_t>();
  news.peakBytes = bytes.take<int64_t>();
  news.seconds = bytes.take<double>();
  news.secondsInCalls = bytes.take<double>();
  for (int64_t i = 0, e = bytes.take<int64_t>(); i < e; ++i) {
    ResultNews result;
    bool hasBlock = bytes.take<bool>();
    for (uint64_t &word : result.digest)
      word = bytes.take<uint64_t>();
    if (hasBlock)
      result.block = bytes.takeTensor();
    news.results.push_back(std::move(result));
  }
  return news;
}

/// The position in the grid of this process's device; -1 if it runs none.
int64_t deviceHere(const GridProgram &program,
                   const runtime::Processes &processes) {
  return program.positionOf(processes.number());
}

/// Slices the inputs for this process's device; what is wrong, or nothing.
std::string prepareHere(const GridProgram &program,
                        const std::vector<HostTensor> &inputs,
                        const runtime::Processes &processes, RunReport &report,
                        std::vector<HostTensor> &owned,
                        std::optional<Invocation> &invocation) {
  int64_t device = deviceHere(program, processes);
  assert(device >= 0 && program.grid.numDevices() == processes.count() &&
         "checkProcesses has passed");
  if (std::string broken = brokenContract(program, inputs); !broken.empty())
    return broken;
  std::vector<const HostTensor *> pointers;
  owned.reserve(inputs.size());
  // Mapped files are read here, not while the time is taken.
  for (auto [index, input] : llvm::enumerate(inputs)) {
    const auto &[shape, grid, sharding] = program.arguments[index];
    pointers.push_back(&input);
    if (!sharding.isReplicated() || input.isBorrowed()) {
      owned.push_back(sliceForDevice(grid, input, sharding, device, shape));
      pointers.back() = &owned.back();
    }
    report.argumentBytes += pointers.back()->numBytes();
    report.arguments[index].localBytes = pointers.back()->numBytes();
  }
  llvm::Expected<Invocation> prepared = program.code->prepare(pointers);
  if (!prepared)
    return llvm::toString(prepared.takeError());
  invocation = std::move(*prepared);
  return std::string();
}

/// Which results the first process needs as a whole: to compare them, to combine partial
/// values, to write them to what is no file, and where blocks do not tell their place.
/// '1' or '0' for each result.
std::string chooseGathered(const GridProgram &program,
                           const RunOptions &options) {
  std::string choice;
  for (auto [index, value] : llvm::enumerate(program.results)) {
    bool isSpecial = false;
    if (index < options.outputFiles.size() &&
        !options.outputFiles[index].empty())
      problemOfOutput(options.outputFiles[index], isSpecial);
    const TensorSpec &local = program.code->outputs()[index];
    bool isGathered = options.verify || options.keepOutputs ||
                      options.shareOutputs || isSpecial ||
                      !value.sharding.partial.empty() ||
                      !value.sharding.offsets.empty() ||
                      llvm::any_of(local.shape, ShapedType::isDynamic);
    choice += isGathered ? '1' : '0';
  }
  return choice;
}

/// What the first process hears of `local`, the result `value` on `device`.
ResultNews tellResult(const GridValue &value, const HostTensor &local,
                      int64_t device, bool isGathered) {
  ResultNews news;
  if (isGathered) {
    news.block = local.clone();
    return news;
  }
  std::vector<int64_t> offsets;
  HostTensor valid = validBlock(value.grid, value.shape, local, value.sharding,
                                device, offsets);
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(ArrayRef<uint8_t>(valid.data(), valid.numBytes()));
  news.digest[0] = hash.low64;
  news.digest[1] = hash.high64;
  return news;
}

/// Puts result `index` together at the first process or, if its blocks stay where they
/// are, compares the digests of replicas; what is wrong, or nothing.
std::string joinResult(const GridProgram &program, unsigned index,
                       const std::vector<ProcessNews> &processes,
                       HostTensor &output) {
  const GridValue &value = program.results[index];
  std::vector<const HostTensor *> blocks;
  for (auto [device, news] : llvm::enumerate(processes)) {
    const ResultNews &result = news.results[index];
    if (result.block) {
      blocks.push_back(&*result.block);
      continue;
    }
    int64_t first = firstReplica(value.grid, value.sharding, device);
    const ResultNews &other = processes[first].results[index];
    if (!std::equal(result.digest, result.digest + 2, other.digest))
      return llvm::formatv("replicas differ on devices {0} and {1}; --verify "
                           "tells in which element",
                           first, device)
          .str();
  }
  if (blocks.empty())
    return {};
  return assembleResult(value, blocks, output);
}

/// Takes the whole results from the first process.
void takeOutputs(runtime::Processes &processes, RunReport &report,
                 std::vector<HostTensor> &outputs) {
  // Of no results, not even a count, the first one says why.
  std::string text = processes.broadcast({});
  if (!text.empty())
    outputs = decodeTensors(std::move(text));
  else
    fail(report, "process 0 cannot put the results together");
}

} // namespace

bool execution::runOnProcesses(const GridProgram &program,
                               const std::vector<HostTensor> &inputs,
                               const RunOptions &options, RunReport &report,
                               ProcessResults &results,
                               std::vector<HostTensor> &outputs) {
  runtime::Processes &processes = *options.processes;
  std::vector<HostTensor> owned;
  std::optional<Invocation> invocation;
  std::string problem =
      prepareHere(program, inputs, processes, report, owned, invocation);
  if (problem.empty() && options.monitor && !options.monitor("run", ""))
    problem = "stopped on request: run";
  if (!processes.startTogether(problem)) {
    fail(report, problem);
    return false;
  }
  bool isFirst = processes.number() == 0;
  results.gathered =
      processes.broadcast(isFirst ? chooseGathered(program, options) : "");
  processes.place(program.deviceIds);
  runtime::RunReport run = processes.run(
      program.grid.shape, [&](int64_t) { invocation->execute(); });
  report.secondsGrid = run.seconds;
  reportCollectives(program, run.calls, report);
  report.calls = std::move(run.calls);
  if (!run.ok) {
    fail(report, run.error);
    return false;
  }

  ProcessNews mine;
  mine.argumentBytes = report.argumentBytes;
  mine.peakBytes = invocation->peakBytes();
  mine.seconds = run.secondsHere;
  mine.secondsInCalls = run.secondsInCalls;
  results.locals = invocation->takeResults();
  for (auto [index, local] : llvm::enumerate(results.locals)) {
    mine.results.push_back(tellResult(program.results[index], local,
                                      deviceHere(program, processes),
                                      results.gathered[index] == '1'));
    report.results[index].localBytes = local.numBytes();
    report.resultBytes += local.numBytes();
  }
  std::vector<std::string> texts = processes.gather(encode(mine));
  if (!isFirst) {
    if (options.shareOutputs)
      takeOutputs(processes, report, outputs);
    return true;
  }
  std::vector<ProcessNews> all(texts.size());
  for (auto [index, text] : llvm::enumerate(texts)) {
    ProcessNews &news = all[program.positionOf(index)];
    news = decode(std::move(text));
    report.argumentBytes = std::max(report.argumentBytes, news.argumentBytes);
    report.peakTemporaryBytes =
        std::max(report.peakTemporaryBytes, news.peakBytes);
    report.processes.push_back(
        {processes.host(index), news.seconds, news.secondsInCalls});
  }
  outputs.resize(program.results.size());
  for (unsigned index = 0; index < outputs.size() && report.pass; ++index)
    if (std::string wrong = joinResult(program, index, all, outputs[index]);
        !wrong.empty())
      fail(report, "result " + llvm::Twine(index) + ": " + wrong);
  if (options.shareOutputs)
    processes.broadcast(report.pass ? encode(outputs) : std::string());
  return true;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// A result that is written to a file.
struct ResultFile {
  unsigned index;
  NpyOutput output;
};
} // namespace

/// Writes this process's part of `file`; what is wrong, or nothing.
static std::string writePart(const GridProgram &program,
                             const ProcessResults &results,
                             const std::vector<HostTensor> &outputs,
                             int64_t device, ResultFile &file) {
  const GridValue &value = program.results[file.index];
  std::string problem;
  if (results.gathered[file.index] == '1') {
    const HostTensor &whole = outputs[file.index];
    file.output.write(whole, std::vector<int64_t>(whole.shape().size(), 0),
                      problem);
    return problem;
  }
  if (firstReplica(value.grid, value.sharding, device) != device)
    return problem;
  std::vector<int64_t> offsets;
  HostTensor valid =
      validBlock(value.grid, value.shape, results.locals[file.index],
                 value.sharding, device, offsets);
  file.output.write(valid, offsets, problem);
  return problem;
}

void execution::writeOnProcesses(const GridProgram &program,
                                 const RunOptions &options,
                                 const ProcessResults &results,
                                 const std::vector<HostTensor> &outputs,
                                 RunReport &report) {
  if (options.outputFiles.empty())
    return;
  runtime::Processes &processes = *options.processes;
  int64_t device = deviceHere(program, processes);
  bool isFirst = processes.number() == 0;
  std::string token = processes.broadcast(
      isFirst && report.pass ? std::to_string(getpid()) : "");
  if (token.empty())
    return;
  std::vector<ResultFile> files;
  std::string problem;
  for (auto [index, path] : llvm::enumerate(options.outputFiles)) {
    bool isGathered = results.gathered[index] == '1', isSpecial = false;
    if (path.empty() || (isGathered && !isFirst))
      continue;
    if (isGathered)
      problemOfOutput(path, isSpecial);
    if (isSpecial) {
      if (problem.empty())
        replaceNpy(path, outputs[index], problem);
      continue;
    }
    files.push_back({static_cast<unsigned>(index),
                     NpyOutput(path, token, results.locals[index].type(),
                               isGathered ? outputs[index].shape()
                                          : program.results[index].shape)});
    if (isFirst && problem.empty())
      files.back().output.create(problem);
  }
  problem = processes.broadcast(problem);
  for (ResultFile &file : files)
    if (problem.empty())
      problem = writePart(program, results, outputs, device, file);
  std::vector<std::string> problems = processes.gather(problem);
  for (auto [number, text] : llvm::enumerate(problems))
    if (problem.empty() && !text.empty())
      problem = "process " + std::to_string(number) + " on " +
                processes.host(number) + ": " + text;
  if (!isFirst)
    return;
  for (ResultFile &file : files)
    if (problem.empty())
      file.output.commit(problem);
    else
      file.output.discard();
  if (!problem.empty())
    fail(report, problem);
}
