//===- Verify.h - Run a program on a grid and prove it equal ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole of shard-run as a function: a module with hints is compiled once for
// one device, hints dropped, and once for the grid, through the SPMD pipeline;
// both run on the same inputs, all devices of the grid as threads; the results
// are put together and compared.
//
// Free of any command line, reusable with one context for many programs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_EXECUTION_VERIFY_H
#define SHARD_EXECUTION_VERIFY_H

#include "shard/Codegen/Monitor.h"
#include "shard/Codegen/Target.h"
#include "shard/Cost/Predict.h"
#include "shard/Geometry/Sharding.h"
#include "shard/Host/Compare.h"
#include "shard/Host/HostTensor.h"
#include "shard/Pipelines/Pipelines.h"
#include "shard/Runtime/Processes.h"
#include "shard/Runtime/Threads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <optional>

namespace shard {

/// Registers what a run needs: the dialects and models of this project and those
/// of registerCodegenDialects.
void registerRunDialects(mlir::DialectRegistry &registry);

namespace execution {
struct OneDevice;
} // namespace execution

/// Keeps the compiled programs of one device that the last comparison was with: what
/// makes the same program of one device, as another partition does, need not compile it.
struct OneDeviceCache {
  std::string key;
  std::shared_ptr<const execution::OneDevice> programs;
};

struct RunOptions {
  /// Also run on one device and compare.
  bool verify = true;
  /// Of the random inputs.
  uint64_t seed = 0;
  /// Of the grid's program (CompileOptions::optLevel).
  unsigned optLevel = 3;
  /// Of the reference on one device: a low one, so that it shares few optimisations with the
  /// grid's program.
  unsigned referenceLevel = 1;
  /// Kept from one run to the next, if not null: those of one program compile the program
  /// of one device once.
  OneDeviceCache *oneDevice = nullptr;
  /// With `verify`: compile the program of one device at `optLevel` too, measure
  /// its time, and compare its results with the reference.
  bool timeOneDevice = true;
  /// With `verify`: a result that differs by more than the tolerance is compared again with how
  /// far rounding the inputs otherwise moves it (Compare.h).
  bool measureRounding = true;
  /// The grid's collectives become messages of LLVM's `mpi` dialect instead of calls
  /// of the runtime. Reports do not know these messages.
  bool mpiDialect = false;
  /// Whether the IR is verified behind each pass of the compiler.
  bool verifies = false;
  /// Whether the grid's program never traps (shard-make-total).
  bool total = true;
  /// The processor that code is generated for.
  CpuTarget target;
  /// How long a device may wait at one rendezvous, in seconds; 0: the default.
  double timeoutSeconds = 0;
  SpmdPipelineOptions pipeline;
  /// Called with the partitioned module, before it is lowered.
  std::function<void(mlir::ModuleOp)> onPartitioned;
  /// Whole inputs by argument number; all others are random.
  std::map<unsigned, HostTensor> inputs;
  /// The shapes of random inputs by argument number: those with dynamic dimensions need one.
  std::map<unsigned, std::vector<int64_t>> shapes;
  /// Partition all functions of the module together, not only the entry and what
  /// it calls; functions that both call are shared then.
  bool partitionAll = false;
  /// Keep the results of the grid in RunReport::outputs.
  bool keepOutputs = false;
  /// With `processes`: the .npy files that results go to if the run passes, in order;
  /// an empty name is none. Each process writes its blocks; a file gets its name when it is
  /// complete.
  std::vector<std::string> outputFiles;
  /// Null: all devices run as threads of this process. Else every process runs
  /// one device of the grid and calls runProgram with the same arguments; the first one
  /// compares and has the report. A process on which runProgram fails before the
  /// run has to call Processes::startTogether.
  runtime::Processes *processes = nullptr;
  /// With `processes`: every one of them gets the whole results, not only the first.
  bool shareOutputs = false;
  /// Asked before the runs on one device and in processes, not during them.
  Monitor monitor;
};

/// A collective of the partitioned program.
struct CollectiveReport {
  std::string kind;
  /// Names of the axes where the grid has names, else numbers.
  std::vector<std::string> axes;
  int64_t calls = 0;
  /// Sent by one device in all calls.
  int64_t bytesPerDevice = 0;
  /// In all calls, waiting included, on the device where it took longest.
  double seconds = 0;
  /// Where the op stands in the user's program.
  std::string location;
  /// The op that needed it.
  std::string neededBy;
  /// Whether the prediction knows of it; if so, the calls and bytes that it told
  /// beforehand, nothing where it did not know.
  bool predicted = false;
  std::optional<int64_t> predictedCalls, predictedBytes;
};

/// An argument or a result.
struct ValueReport {
  std::string type;
  std::string sharding;
  int64_t localBytes = 0;
  /// `sharding` on the grid that it is of.
  Grid grid;
  Sharding layout;
  /// Of results, when compared.
  std::optional<Comparison> comparison;
};

/// A process that ran one device.
struct ProcessReport {
  std::string host;
  /// Of its run, and the part of it within collectives, waiting included.
  double seconds = 0, secondsInCollectives = 0;
};

struct RunReport {
  std::string entry;
  /// Empty if the program has no grid: then it ran on one device.
  std::string gridName;
  std::vector<int64_t> gridShape;
  std::vector<std::string> axisNames;
  std::vector<CollectiveReport> collectives;
  /// What the program was predicted to cost before it ran, if it has a grid.
  std::optional<ProgramCost> cost;
  /// The runtime's records that `collectives` sums up, those of slices included.
  std::vector<runtime::CallRecord> calls;
  std::vector<ValueReport> arguments, results;
  /// With RunOptions::processes, by number.
  std::vector<ProcessReport> processes;
  /// Per device.
  int64_t argumentBytes = 0, resultBytes = 0, peakTemporaryBytes = 0;
  /// Wall time of one run, compilation not counted. 0 where there was none. On one
  /// device it is that of the program compiled at RunOptions::optLevel.
  double secondsOneDevice = 0, secondsGrid = 0;
  /// Of lowering and machine code, both programs together.
  double secondsCompile = 0;
  bool verified = false;
  double maxAbsolute = 0, maxRelative = 0;
  /// False if a result differs, replicas differ or the run failed.
  bool pass = true;
  /// Why not, one line.
  std::string error;
  std::vector<HostTensor> outputs;
};

/// Runs `entry` of `module`, which stays as it is. Fails, with a located error,
/// where the program cannot be partitioned, compiled or given its inputs; a run
/// that goes wrong is a report with `pass` false.
mlir::FailureOr<RunReport> runProgram(mlir::ModuleOp module,
                                      mlir::func::FuncOp entry,
                                      RunOptions options = {});

/// What the tolerance of `entry` follows from (Compare.h). Extents that are not
/// static count as `dynamicExtent`.
ErrorModel deriveErrorModel(mlir::func::FuncOp entry, int64_t dynamicExtent);

/// The report as text for people, and as one JSON object.
/// With `colors`, pictures of the shardings follow the tables of values.
void printText(const RunReport &report, llvm::raw_ostream &os,
               bool colors = false);
void printJson(const RunReport &report, llvm::raw_ostream &os);

} // namespace shard

#endif // SHARD_EXECUTION_VERIFY_H
