//===- RunGrid.cpp - Running a compiled program on all devices ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunGrid.h"

#include "shard/Codegen/Compile.h"
#include "shard/Host/Placement.h"
#include "shard/Runtime/Processes.h"
#include "shard/Runtime/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace shard;
using namespace shard::execution;

void execution::fail(RunReport &report, const llvm::Twine &what) {
  report.pass = false;
  report.error = what.str();
}

/// The local inputs of all devices. Blocks that lie in one piece in the whole tensor
/// are read there, by all devices that hold them.
struct LocalInputs {
  std::vector<std::vector<HostTensor>> owned;
  std::vector<std::vector<const HostTensor *>> pointers;
};

static LocalInputs sliceInputs(const GridProgram &program,
                               const std::vector<HostTensor> &inputs) {
  LocalInputs locals;
  int64_t devices = program.grid.numDevices();
  locals.owned.resize(devices);
  locals.pointers.resize(devices);
  for (int64_t device = 0; device < devices; ++device) {
    locals.owned[device].reserve(inputs.size());
    for (auto [index, input] : llvm::enumerate(inputs)) {
      const auto &[shape, grid, sharding] = program.arguments[index];
      if (sharding.isReplicated()) {
        locals.pointers[device].push_back(&input);
        continue;
      }
      std::optional<HostTensor> view =
          viewForDevice(grid, input, sharding, device);
      locals.owned[device].push_back(
          view ? std::move(*view)
               : sliceForDevice(grid, input, sharding, device));
      locals.pointers[device].push_back(&locals.owned[device].back());
    }
  }
  return locals;
}

/// The shape of a whole result, of which the first device returned `local`.
/// Dynamic dimensions divide evenly.
static std::vector<int64_t> wholeShape(const GridValue &value,
                                       const HostTensor &local) {
  std::vector<int64_t> shape = value.shape;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (ShapedType::isDynamic(shape[dim]))
      shape[dim] =
          local.shape()[dim] * value.grid.groupSize(value.sharding.dims[dim]);
  return shape;
}

/// Dynamic dimensions divide evenly by contract: what of the inputs does not, in
/// words; empty if all do.
static std::string brokenContract(const GridProgram &program,
                                  const std::vector<HostTensor> &inputs) {
  for (auto [index, input] : llvm::enumerate(inputs)) {
    const auto &[shape, grid, sharding] = program.arguments[index];
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t parts = grid.groupSize(sharding.dims[dim]);
      int64_t extent = input.shape()[dim];
      if (ShapedType::isDynamic(shape[dim]) && extent % parts != 0)
        return llvm::formatv(
                   "argument {0}: dynamic dimension {1} has extent "
                   "{2}, which {3} devices do not divide evenly; give "
                   "the extent in the type, or an input that divides",
                   index, dim, extent, parts)
            .str();
    }
  }
  return {};
}

/// Puts the results of all devices together; false if they do not fit.
static bool assembleResults(const GridProgram &program,
                            const std::vector<std::vector<HostTensor>> &results,
                            RunReport &report,
                            std::vector<HostTensor> &outputs) {
  for (auto [index, value] : llvm::enumerate(program.results)) {
    std::vector<const HostTensor *> blocks;
    for (const std::vector<HostTensor> &device : results)
      blocks.push_back(&device[index]);
    report.results[index].localBytes = blocks.front()->numBytes();
    report.resultBytes += blocks.front()->numBytes();
    std::string error;
    std::optional<HostTensor> whole =
        assemble(value.grid, wholeShape(value, *blocks.front()), value.sharding,
                 blocks, error);
    if (whole)
      error = wrongHalo(value.grid, *whole, value.sharding, blocks);
    if (!error.empty()) {
      fail(report, "result " + llvm::Twine(index) + ": " + error);
      return false;
    }
    outputs.push_back(std::move(*whole));
  }
  return true;
}

bool execution::runGrid(const GridProgram &program,
                        const std::vector<HostTensor> &inputs,
                        double timeoutSeconds, const Monitor &monitor,
                        RunReport &report, std::vector<HostTensor> &outputs) {
  if (std::string broken = brokenContract(program, inputs); !broken.empty()) {
    fail(report, broken);
    return false;
  }
  LocalInputs locals = sliceInputs(program, inputs);
  int64_t devices = program.grid.numDevices();
  std::vector<Invocation> invocations;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t bytes = 0;
    for (const HostTensor *tensor : locals.pointers[device])
      bytes += tensor->numBytes();
    report.argumentBytes = std::max(report.argumentBytes, bytes);
    llvm::Expected<Invocation> invocation =
        program.code->prepare(locals.pointers[device]);
    if (!invocation) {
      fail(report, "device " + llvm::Twine(device) + ": " +
                       llvm::toString(invocation.takeError()));
      return false;
    }
    invocations.push_back(std::move(*invocation));
  }
  for (auto [index, value] : llvm::enumerate(report.arguments))
    value.localBytes = locals.pointers[0][index]->numBytes();

  runtime::RunOptions runOptions;
  if (timeoutSeconds > 0)
    runOptions.timeoutSeconds = timeoutSeconds;
  if (monitor)
    runOptions.mayGoOn = [&] { return monitor("run", ""); };
  runtime::RunReport run = runtime::runOnGrid(
      program.grid.shape,
      [&](int64_t device) { invocations[device].execute(); }, runOptions);
  report.secondsGrid = run.seconds;
  reportCollectives(program, run.calls, report);
  report.calls = std::move(run.calls);
  if (!run.ok) {
    fail(report, run.error);
    return false;
  }

  std::vector<std::vector<HostTensor>> results;
  for (Invocation &invocation : invocations) {
    report.peakTemporaryBytes =
        std::max(report.peakTemporaryBytes, invocation.peakBytes());
    results.push_back(invocation.takeResults());
  }
  return assembleResults(program, results, report, outputs);
}

namespace {

/// What a process tells of its run.
struct ProcessResult {
  int64_t argumentBytes = 0, peakBytes = 0;
  double seconds = 0, secondsInCalls = 0;
  std::vector<HostTensor> results;
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

std::string encode(const ProcessResult &result) {
  Bytes bytes;
  bytes.put(result.argumentBytes);
  bytes.put(result.peakBytes);
  bytes.put(result.seconds);
  bytes.put(result.secondsInCalls);
  bytes.put<int64_t>(result.results.size());
  for (const HostTensor &tensor : result.results)
    bytes.put(tensor);
  return bytes.get();
}

ProcessResult decode(std::string text) {
  Bytes bytes(std::move(text));
  ProcessResult result;
  result.argumentBytes = bytes.take<int64_t>();
  result.peakBytes = bytes.take<int64_t>();
  result.seconds = bytes.take<double>();
  result.secondsInCalls = bytes.take<double>();
  for (int64_t i = 0, e = bytes.take<int64_t>(); i < e; ++i)
    result.results.push_back(bytes.takeTensor());
  return result;
}

/// Slices the inputs for this process's device; what is wrong, or nothing.
std::string prepareHere(const GridProgram &program,
                        const std::vector<HostTensor> &inputs,
                        const runtime::Processes &processes, RunReport &report,
                        std::vector<HostTensor> &owned,
                        std::optional<Invocation> &invocation) {
  int64_t devices = program.grid.numDevices();
  if (devices != processes.count())
    return llvm::formatv("the grid has {0} devices, but there are {1} "
                         "processes: start {0}, as by mpirun -n {0}",
                         devices, processes.count())
        .str();
  if (std::string broken = brokenContract(program, inputs); !broken.empty())
    return broken;
  std::vector<const HostTensor *> pointers;
  owned.reserve(inputs.size());
  for (auto [index, input] : llvm::enumerate(inputs)) {
    const auto &[shape, grid, sharding] = program.arguments[index];
    pointers.push_back(&input);
    if (!sharding.isReplicated()) {
      owned.push_back(
          sliceForDevice(grid, input, sharding, processes.number()));
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

} // namespace

bool execution::runOnProcesses(const GridProgram &program,
                               const std::vector<HostTensor> &inputs,
                               runtime::Processes &processes, bool share,
                               RunReport &report,
                               std::vector<HostTensor> &outputs) {
  std::vector<HostTensor> owned;
  std::optional<Invocation> invocation;
  std::string problem =
      prepareHere(program, inputs, processes, report, owned, invocation);
  if (!processes.startTogether(problem)) {
    fail(report, problem);
    return false;
  }
  runtime::RunReport run = processes.run(
      program.grid.shape, [&](int64_t) { invocation->execute(); });
  report.secondsGrid = run.seconds;
  reportCollectives(program, run.calls, report);
  report.calls = std::move(run.calls);
  if (!run.ok) {
    fail(report, run.error);
    return false;
  }

  ProcessResult mine;
  mine.argumentBytes = report.argumentBytes;
  mine.peakBytes = invocation->peakBytes();
  mine.seconds = run.secondsHere;
  mine.secondsInCalls = run.secondsInCalls;
  mine.results = invocation->takeResults();
  std::vector<std::string> texts = processes.gather(encode(mine));
  if (processes.number() != 0) {
    if (!share)
      return false;
    // Of no results, not even a count, the first one says why.
    std::string text = processes.broadcast({});
    if (!text.empty())
      outputs = decodeTensors(std::move(text));
    else
      fail(report, "process 0 cannot put the results together");
    return report.pass;
  }
  std::vector<std::vector<HostTensor>> results;
  for (auto [index, text] : llvm::enumerate(texts)) {
    ProcessResult other = decode(std::move(text));
    report.argumentBytes = std::max(report.argumentBytes, other.argumentBytes);
    report.peakTemporaryBytes =
        std::max(report.peakTemporaryBytes, other.peakBytes);
    report.processes.push_back(
        {processes.host(index), other.seconds, other.secondsInCalls});
    results.push_back(std::move(other.results));
  }
  bool assembled = assembleResults(program, results, report, outputs);
  if (share)
    processes.broadcast(assembled ? encode(outputs) : std::string());
  return assembled;
}
