//===- PartitionedProgram.cpp - Compile once, run often -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/PartitionedProgram.h"

#include "GridProgram.h"
#include "RunGrid.h"

#include "shard/Execution/Hints.h"

#include <chrono>

using namespace mlir;
using namespace shard;
using namespace shard::execution;

PartitionedProgram::PartitionedProgram() = default;
PartitionedProgram::PartitionedProgram(PartitionedProgram &&) = default;
PartitionedProgram &
PartitionedProgram::operator=(PartitionedProgram &&) = default;
PartitionedProgram::~PartitionedProgram() = default;

/// The bytes of the block of one device; of dynamic dimensions one element.
static int64_t localBytes(const GridValue &value, Type type) {
  int64_t bytes = 0;
  if (std::optional<TensorSpec> spec = getTensorSpec(type)) {
    bytes = byteWidth(spec->type);
    for (int64_t extent : spec->shape)
      bytes *= ShapedType::isDynamic(extent) ? 1 : extent;
  }
  return bytes;
}

FailureOr<PartitionedProgram> PartitionedProgram::make(ModuleOp module,
                                                       func::FuncOp entry,
                                                       RunOptions options) {
  PartitionedProgram result;
  result.text = module.clone();
  result.entryName = entry.getName().str();
  result.options = std::move(options);
  ModuleOp text = *result.text;
  eraseUnreachable(text.lookupSymbol<func::FuncOp>(result.entryName));
  if (result.options.pipeline.lowerTosa && failed(lowerTosa(text)))
    return failure();
  FailureOr<GridOp> gridOp = findGrid(text);
  if (failed(gridOp))
    return failure();
  if (!*gridOp)
    return emitError(module.getLoc()) << "the program has no grid";

  RunReport &report = result.described;
  report.entry = result.entryName;
  FailureOr<GridProgram> program =
      partitionForGrid(text, result.entryName, *gridOp, result.options, report);
  if (failed(program))
    return failure();
  result.options.monitor = {};
  result.program = std::make_unique<GridProgram>(std::move(*program));
  auto local = text.lookupSymbol<func::FuncOp>(result.entryName);
  for (auto [value, row, type] :
       llvm::zip_equal(result.program->arguments, report.arguments,
                       local.getArgumentTypes())) {
    row.localBytes = localBytes(value, type);
    report.argumentBytes += row.localBytes;
  }
  for (auto [value, row, type] : llvm::zip_equal(
           result.program->results, report.results, local.getResultTypes())) {
    row.localBytes = localBytes(value, type);
    report.resultBytes += row.localBytes;
  }
  report.collectives = predictedCollectives(*report.cost);
  return result;
}

/// Fails, with an error, unless `inputs` are what the entry takes.
LogicalResult
PartitionedProgram::check(const std::vector<HostTensor> &inputs) const {
  ModuleOp module = *text;
  auto entry = module.lookupSymbol<func::FuncOp>(entryName);
  if (inputs.size() != entry.getNumArguments())
    return entry.emitError()
           << "'" << entryName << "' takes " << entry.getNumArguments()
           << " arguments, but " << inputs.size() << " are given";
  for (auto [index, input] : llvm::enumerate(inputs)) {
    FailureOr<TensorSpec> spec = argumentSpec(entry, index);
    if (failed(spec) ||
        failed(checkInput(entry, index, spec->type,
                          program->arguments[index].shape, input)))
      return failure();
  }
  return success();
}

RunReport PartitionedProgram::beginReport() const {
  RunReport report;
  report.entry = described.entry;
  report.gridName = described.gridName;
  report.gridShape = described.gridShape;
  report.cost = described.cost;
  report.axisNames = described.axisNames;
  report.arguments = described.arguments;
  report.results = described.results;
  return report;
}

LogicalResult PartitionedProgram::compileOnce(const Monitor &monitor,
                                              RunReport &report) {
  if (program->code)
    return success();
  auto begin = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> copy = text->clone();
  FailureOr<GridOp> gridOp = findGrid(*copy);
  if (failed(gridOp) || failed(checkProcesses(*gridOp, options.processes)))
    return failure();
  options.monitor = monitor;
  LogicalResult compiled = compileForGrid(*copy, entryName, options, *program);
  options.monitor = {};
  report.secondsCompile =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return compiled;
}

FailureOr<RunReport> PartitionedProgram::run(std::vector<HostTensor> inputs,
                                             double timeoutSeconds,
                                             Monitor monitor) {
  RunReport report = beginReport();
  if (failed(check(inputs)) || failed(compileOnce(monitor, report)))
    return failure();
  std::vector<HostTensor> outputs;
  RunOptions runOptions;
  runOptions.verify = false;
  runOptions.monitor = monitor;
  runOptions.processes = options.processes;
  runOptions.shareOutputs = true;
  ProcessResults results;
  bool ran = options.processes
                 ? runOnProcesses(*program, inputs, runOptions, report, results,
                                  outputs)
                 : runGrid(*program, inputs,
                           timeoutSeconds > 0 ? timeoutSeconds
                                              : options.timeoutSeconds,
                           monitor, report, outputs);
  if (ran && report.pass)
    report.outputs = std::move(outputs);
  return report;
}

FailureOr<RunReport>
PartitionedProgram::verify(ModuleOp whole, std::map<unsigned, HostTensor> given,
                           uint64_t seed, OneDeviceCache &cache,
                           double timeoutSeconds, Monitor monitor) {
  RunOptions runOptions;
  runOptions.pipeline = options.pipeline;
  runOptions.target = options.target;
  runOptions.optLevel = options.optLevel;
  runOptions.processes = options.processes;
  // The first process compares for all.
  runOptions.verify = !options.processes || options.processes->number() == 0;
  runOptions.keepOutputs = true;
  runOptions.shareOutputs = true;
  runOptions.seed = seed;
  runOptions.timeoutSeconds =
      timeoutSeconds > 0 ? timeoutSeconds : options.timeoutSeconds;
  runOptions.inputs = std::move(given);
  runOptions.monitor = monitor;

  RunReport report = beginReport();
  std::vector<HostTensor> inputs;
  auto entry = whole.lookupSymbol<func::FuncOp>(entryName);
  if (failed(makeInputs(entry, runOptions, inputs)) ||
      failed(compileOnce(monitor, report)))
    return failure();
  Comparable one;
  if (runOptions.verify) {
    auto begin = std::chrono::steady_clock::now();
    OwningOpRef<ModuleOp> copy = whole.clone();
    if (failed(compileOneDevice(*copy, entryName, runOptions, /*alone=*/false,
                                largestExtent(inputs), cache, one)))
      return failure();
    report.secondsCompile +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
  }
  runAndCompare(*program, one, inputs, runOptions, report);
  return report;
}
