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

/// The tensor that `argument` of `entry` takes: the memory of the caller, or a copy of
/// memory whose address is no multiple of the size of an element.
static FailureOr<HostTensor> toHost(const ShardTensor &tensor,
                                    func::FuncOp entry, intptr_t argument) {
  Location location = argument < intptr_t(entry.getNumArguments())
                          ? entry.getArgument(argument).getLoc()
                          : entry.getLoc();
  std::optional<ElementType> type = elementTypeOf(get(tensor.elementType));
  if (!type)
    return emitError(location)
           << "argument " << argument << ": '" << get(tensor.elementType)
           << "' is no type of elements in host memory";
  if (tensor.rank < 0)
    return emitError(location) << "argument " << argument << " has the rank "
                               << int64_t(tensor.rank);
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.rank);
  for (int64_t extent : shape)
    if (extent < 0)
      return emitError(location) << "argument " << argument
                                 << " has a dimension of size " << extent;
  if (!tensor.data && !llvm::is_contained(shape, 0))
    return emitError(location) << "argument " << argument << " has no data";
  bool aligned =
      reinterpret_cast<uintptr_t>(tensor.data) % byteWidth(*type) == 0;
  if (aligned && numBytesOf(*type, shape))
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

void shardBufferDestroy(ShardBuffer buffer) {
  delete static_cast<HostTensor *>(buffer.ptr);
}

/// Hands on what a run gave, with the report `json`.
static void give(RunReport &report, llvm::StringRef json, ShardRunSink output) {
  if (report.pass && output.result)
    for (auto [index, tensor] : llvm::enumerate(report.outputs)) {
      std::string_view type = stringifyElementType(tensor.type());
      std::vector<int64_t> shape = tensor.shape();
      auto *kept = new HostTensor(std::move(tensor));
      ShardTensor result{{type.data(), type.size()},
                         intptr_t(shape.size()),
                         shape.data(),
                         kept->data()};
      output.result(index, &result, ShardBuffer{kept}, output.userData);
    }
  if (output.report)
    output.report(text(json), output.userData);
}

static std::string toJson(const RunReport &report) {
  std::string json;
  llvm::raw_string_ostream os(json);
  printJson(report, os);
  return json;
}

/// Gives all processes the report of the first one. If it failed there, or here before
/// the run, the call fails; what is wrong is a diagnostic.
static bool share(runtime::Processes &processes, FailureOr<RunReport> report,
                  Operation *entry, const DiagnosticForwarder &forwarder,
                  ShardRunSink output) {
  std::string problem = forwarder.firstError();
  if (!processes.hasStarted()) {
    if (problem.empty())
      problem = "the program cannot be run";
    processes.startTogether(problem);
  }
  // Behind the first letter stands the report, or what is wrong.
  std::string text = processes.broadcast(
      failed(report) ? "!" + problem : "=" + toJson(*report));
  if (text[0] == '=' && succeeded(report)) {
    give(*report, llvm::StringRef(text).drop_front(), output);
    return true;
  }
  if (forwarder.firstError().empty())
    emitError(entry->getLoc()) << "process 0: " << text.substr(1);
  return false;
}

/// The end of a run.
static bool finish(const Partition &partition, FailureOr<RunReport> report,
                   const DiagnosticForwarder &forwarder, ShardRunSink output) {
  if (partition.processes)
    return share(*partition.processes, std::move(report), partition.entry,
                 forwarder, output);
  if (failed(report))
    return false;
  give(*report, toJson(*report), output);
  return true;
}

/// To be called at the beginning of a run.
static void expectRun(const Partition &partition) {
  if (!partition.processes)
    return;
  partition.processes->expectStart();
  partition.processes->setProgram(partition.digest);
}

static FailureOr<RunReport> run(Partition &partition, const ShardTensor *inputs,
                                intptr_t numInputs,
                                const ShardRunOptions &options) {
  std::vector<HostTensor> tensors;
  for (intptr_t i = 0; i < numInputs; ++i) {
    FailureOr<HostTensor> tensor = toHost(inputs[i], partition.entry, i);
    if (failed(tensor))
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  return partition.partitioned->run(std::move(tensors), options.timeoutSeconds,
                                    toMonitor(options.monitor));
}

bool shardPartitionRun(ShardPartition handle, const ShardTensor *inputs,
                       intptr_t numInputs, const ShardRunOptions *options,
                       ShardRunSink output, ShardDiagnosticSink sink) {
  Partition &partition = *get(handle);
  DiagnosticForwarder forwarder(partition.program->context, sink);
  expectRun(partition);
  return finish(partition, run(partition, inputs, numInputs, *options),
                forwarder, output);
}

static FailureOr<RunReport> runAndVerify(Partition &partition,
                                         const ShardTensor *inputs,
                                         intptr_t numInputs,
                                         const ShardRunOptions &options) {
  std::map<unsigned, HostTensor> tensors;
  for (intptr_t i = 0; i < numInputs; ++i) {
    if (!inputs[i].data)
      continue;
    FailureOr<HostTensor> tensor = toHost(inputs[i], partition.entry, i);
    if (failed(tensor))
      return failure();
    tensors.emplace(i, std::move(*tensor));
  }
  return partition.partitioned->verify(
      *partition.hinted, std::move(tensors), options.seed,
      partition.program->oneDevice, options.timeoutSeconds,
      toMonitor(options.monitor));
}

bool shardPartitionVerify(ShardPartition handle, const ShardTensor *inputs,
                          intptr_t numInputs, const ShardRunOptions *options,
                          ShardRunSink output, ShardDiagnosticSink sink) {
  Partition &partition = *get(handle);
  DiagnosticForwarder forwarder(partition.program->context, sink);
  expectRun(partition);
  return finish(partition, runAndVerify(partition, inputs, numInputs, *options),
                forwarder, output);
}
