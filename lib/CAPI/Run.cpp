//===- Run.cpp - Runs, in C -----------------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "shard/Codegen/Compile.h"

using namespace mlir;
using namespace shard;
using namespace shard::capi;

static std::optional<ElementType> elementTypeOf(llvm::StringRef name) {
  for (unsigned i = 0; i <= unsigned(ElementType::C128); ++i)
    if (name == llvm::StringRef(stringifyElementType(ElementType(i))))
      return ElementType(i);
  return std::nullopt;
}

/// The tensor that `argument` of `entry` takes: the memory of the caller if `borrow`,
/// else a copy. Memory whose address is no multiple of the size of an element is copied.
static FailureOr<HostTensor> toHost(const ShardTensor &tensor,
                                    func::FuncOp entry, intptr_t argument,
                                    bool borrow) {
  Location location = argument < intptr_t(entry.getNumArguments())
                          ? entry.getArgument(argument).getLoc()
                          : entry.getLoc();
  std::optional<ElementType> type = elementTypeOf(get(tensor.elementType));
  if (!type)
    return emitError(location)
           << "argument " << argument << ": '" << get(tensor.elementType)
           << "' is no type of elements in host memory";
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.rank);
  bool aligned =
      reinterpret_cast<uintptr_t>(tensor.data) % byteWidth(*type) == 0;
  if (borrow && aligned && numBytesOf(*type, shape))
    return HostTensor::borrow(*type, std::move(shape), tensor.data);
  std::string error;
  std::optional<HostTensor> made =
      HostTensor::make(*type, std::move(shape), error);
  if (!made)
    return emitError(location) << "argument " << argument << ": " << error;
  if (made->numBytes())
    memcpy(made->data(), tensor.data, made->numBytes());
  return std::move(*made);
}

/// Hands on what a run gave.
static void give(const RunReport &report, ShardRunSink output) {
  if (report.pass && output.result)
    for (auto [index, tensor] : llvm::enumerate(report.outputs)) {
      std::string_view type = stringifyElementType(tensor.type());
      ShardTensor result{{type.data(), type.size()},
                         intptr_t(tensor.shape().size()),
                         tensor.shape().data(),
                         tensor.data()};
      output.result(index, &result, output.userData);
    }
  if (output.report)
    printTo(output.report, output.userData,
            [&](llvm::raw_ostream &os) { printJson(report, os); });
}

bool shardPartitionRun(ShardPartition handle, const ShardTensor *inputs,
                       intptr_t numInputs, const ShardRunOptions *options,
                       ShardRunSink output, ShardDiagnosticSink sink) {
  Partition &partition = *get(handle);
  DiagnosticForwarder forwarder(partition.program->context, sink);
  std::vector<HostTensor> tensors;
  for (intptr_t i = 0; i < numInputs; ++i) {
    FailureOr<HostTensor> tensor =
        toHost(inputs[i], partition.entry, i, /*borrow=*/true);
    if (failed(tensor))
      return false;
    tensors.push_back(std::move(*tensor));
  }
  FailureOr<RunReport> report = partition.partitioned->run(
      std::move(tensors), options->timeoutSeconds, toMonitor(options->monitor));
  if (failed(report))
    return false;
  give(*report, output);
  return true;
}

bool shardPartitionVerify(ShardPartition handle, const ShardTensor *inputs,
                          intptr_t numInputs, const ShardRunOptions *options,
                          ShardRunSink output, ShardDiagnosticSink sink) {
  Partition &partition = *get(handle);
  DiagnosticForwarder forwarder(partition.program->context, sink);
  RunOptions runOptions;
  runOptions.target = partition.target;
  runOptions.verify = true;
  runOptions.keepOutputs = true;
  runOptions.seed = options->seed;
  runOptions.timeoutSeconds = options->timeoutSeconds;
  runOptions.monitor = toMonitor(options->monitor);
  for (intptr_t i = 0; i < numInputs; ++i) {
    if (!inputs[i].data)
      continue;
    FailureOr<HostTensor> tensor =
        toHost(inputs[i], partition.entry, i, /*borrow=*/false);
    if (failed(tensor))
      return false;
    runOptions.inputs.emplace(i, std::move(*tensor));
  }
  FailureOr<RunReport> report =
      runProgram(*partition.hinted, partition.entry, std::move(runOptions));
  if (failed(report))
    return false;
  give(*report, output);
  return true;
}
