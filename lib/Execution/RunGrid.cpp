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
#include "shard/Runtime/Threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
          viewForDevice(grid, input, sharding, device, shape);
      locals.owned[device].push_back(
          view ? std::move(*view)
               : sliceForDevice(grid, input, sharding, device, shape));
      locals.pointers[device].push_back(&locals.owned[device].back());
    }
  }
  return locals;
}

/// The shape of a whole result, of which the devices returned `blocks`.
static std::vector<int64_t>
wholeShape(const GridValue &value,
           const std::vector<const HostTensor *> &blocks) {
  std::vector<int64_t> shape = value.shape;
  size_t halo = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const AxisList &axes = value.sharding.dims[dim];
    int64_t widths = 0;
    if (!axes.empty() && !value.sharding.halos.empty()) {
      widths = value.sharding.halos[halo] + value.sharding.halos[halo + 1];
      halo += 2;
    }
    if (!ShapedType::isDynamic(shape[dim]))
      continue;
    shape[dim] = 0;
    for (int64_t device : value.grid.groupMembers(0, axes))
      shape[dim] += blocks[device]->shape()[dim] - widths;
  }
  return shape;
}

std::string execution::brokenContract(const GridProgram &program,
                                      const std::vector<HostTensor> &inputs) {
  for (auto [index, input] : llvm::enumerate(inputs)) {
    const auto &[shape, grid, sharding] = program.arguments[index];
    size_t bounds = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t parts = grid.groupSize(sharding.dims[dim]);
      int64_t extent = input.shape()[dim];
      if (!sharding.dims[dim].empty() && !sharding.offsets.empty()) {
        bounds += parts + 1;
        if (sharding.offsets[bounds - 1] != extent)
          return llvm::formatv(
                     "argument {0}: dimension {1} has extent {2}, but "
                     "its offsets end at {3}",
                     index, dim, extent, sharding.offsets[bounds - 1])
              .str();
        continue;
      }
      if (ShapedType::isDynamic(shape[dim]) && !grid.unevenDynamic &&
          extent % parts != 0)
        return llvm::formatv(
                   "argument {0}: dynamic dimension {1} has extent "
                   "{2}, which {3} devices do not divide evenly; add "
                   "--uneven-dynamic, give the extent in the type, or an "
                   "input that divides",
                   index, dim, extent, parts)
            .str();
    }
  }
  return {};
}

std::string
execution::assembleResult(const GridValue &value,
                          const std::vector<const HostTensor *> &blocks,
                          HostTensor &output) {
  std::string error;
  std::optional<HostTensor> whole =
      assemble(value.grid, wholeShape(value, blocks), value.sharding, blocks,
               error, value.shape);
  if (!whole)
    return error;
  output = std::move(*whole);
  return wrongHalo(value.grid, output, value.sharding, blocks);
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
    outputs.emplace_back();
    if (std::string wrong = assembleResult(value, blocks, outputs.back());
        !wrong.empty()) {
      fail(report, "result " + llvm::Twine(index) + ": " + wrong);
      return false;
    }
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
  runOptions.deviceIds = program.deviceIds;
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
