//===- PartitionedProgram.h - Compile once, run often -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that was partitioned for a grid: what its devices hold and send can be
// asked before anything is compiled; it is compiled at its first run and may run any
// number of times.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_EXECUTION_PARTITIONEDPROGRAM_H
#define SHARD_EXECUTION_PARTITIONEDPROGRAM_H

#include "shard/Execution/Verify.h"

#include "mlir/IR/OwningOpRef.h"

namespace shard {

namespace execution {
struct GridProgram;
} // namespace execution

class PartitionedProgram {
public:
  /// Partitions `entry` of `module`, which stays as it is and needs a grid. Of
  /// `options` the pipeline, the processor, the level, the time limit and the processes
  /// count.
  /// Errors are emitted. The monitor is asked during this call.
  static mlir::FailureOr<PartitionedProgram>
  make(mlir::ModuleOp module, mlir::func::FuncOp entry, RunOptions options);

  PartitionedProgram(PartitionedProgram &&);
  PartitionedProgram &operator=(PartitionedProgram &&);
  ~PartitionedProgram();

  /// The program of one device.
  mlir::ModuleOp module() const { return *text; }

  /// What is known before a run: the grid, types and shardings, the bytes of the
  /// arguments and results of one device, and what it is predicted to cost
  /// (RunReport::cost). Nothing of it is measured.
  const RunReport &description() const { return described; }

  /// Runs all devices as threads of this process, on the whole tensors `inputs`; with
  /// RunOptions::processes the device of this one, where all of them get the results and
  /// the first one has the report of all. A process on which it fails has to call
  /// Processes::startTogether, unless that was called (Processes::hasStarted).
  /// Fails, with an error, where the program cannot be compiled or the inputs do not
  /// fit it. A run that goes wrong is a report with `pass` false. The results are
  /// RunReport::outputs. A device waits at most `timeoutSeconds` at one collective; 0:
  /// as RunOptions::timeoutSeconds says.
  mlir::FailureOr<RunReport> run(std::vector<HostTensor> inputs,
                                 double timeoutSeconds = 0,
                                 Monitor monitor = {});

  /// Runs the grid's program and that of one device, which `whole` is, the module that
  /// was given to make(), and compares. Inputs that are missing are random, of `seed`.
  /// All else is as runProgram tells of RunOptions::verify; both programs are compiled
  /// once.
  mlir::FailureOr<RunReport> verify(mlir::ModuleOp whole,
                                    std::map<unsigned, HostTensor> inputs,
                                    uint64_t seed, OneDeviceCache &cache,
                                    double timeoutSeconds = 0,
                                    Monitor monitor = {});

private:
  PartitionedProgram();
  /// A report that says what is known before a run.
  RunReport beginReport() const;
  /// Compiles the program if it is not yet.
  mlir::LogicalResult compileOnce(const Monitor &monitor, RunReport &report);
  mlir::LogicalResult check(const std::vector<HostTensor> &inputs) const;

  mlir::OwningOpRef<mlir::ModuleOp> text;
  std::string entryName;
  RunOptions options;
  RunReport described;
  std::unique_ptr<execution::GridProgram> program;
};

} // namespace shard

#endif // SHARD_EXECUTION_PARTITIONEDPROGRAM_H
