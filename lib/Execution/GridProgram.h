//===- GridProgram.h - A partitioned program, compiled ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Execution library.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_EXECUTION_GRIDPROGRAM_H
#define SHARD_LIB_EXECUTION_GRIDPROGRAM_H

#include "shard/Codegen/Compile.h"
#include "shard/Execution/Verify.h"
#include "shard/IR/ShardOps.h"
#include "shard/Runtime/Threads.h"

namespace shard::execution {

/// The global shape (kDynamic where unknown) and sharding of an argument or
/// result. Scalars have rank 0 and are replicated.
struct GridValue {
  std::vector<int64_t> shape;
  /// What the axes of `sharding` are of: the program's grid or a refinement of it.
  Grid grid;
  Sharding sharding;
};

struct GridProgram {
  std::unique_ptr<CompiledProgram> code;
  Grid grid;
  /// The physical device at each position of the grid; empty: position p is device p.
  std::vector<int64_t> deviceIds;
  /// Of the grid and its refinements, by shape: what their axes are called.
  std::map<std::vector<int64_t>, std::vector<std::string>> axisNames;
  std::vector<GridValue> arguments, results;

  /// The position in the grid of physical device `id`; -1 if it has none.
  int64_t positionOf(int64_t id) const {
    if (deviceIds.empty())
      return id;
    auto found = llvm::find(deviceIds, id);
    return found == deviceIds.end() ? -1 : found - deviceIds.begin();
  }
};

/// The programs of one device.
struct OneDevice {
  /// Not optimised: what results are compared with.
  std::unique_ptr<CompiledProgram> reference;
  /// As optimised as the grid's, at `optLevel`.
  std::unique_ptr<CompiledProgram> optimized;
  unsigned optLevel = 0;
};

/// A program of one device, ready to be compared with.
struct Comparable {
  std::shared_ptr<const OneDevice> programs;
  ErrorModel model;
};

/// The whole inputs of `entry`, those of `options` or random ones.
mlir::LogicalResult makeInputs(mlir::func::FuncOp entry, RunOptions &options,
                               std::vector<HostTensor> &inputs);

/// Compiles what `options` ask for on one device, unless `cache` has it. `module`, which
/// is used up, has no grid if `alone`.
mlir::LogicalResult compileOneDevice(mlir::ModuleOp module,
                                     llvm::StringRef entryName,
                                     const RunOptions &options, bool alone,
                                     int64_t dynamicExtent,
                                     OneDeviceCache &cache, Comparable &one);

/// Runs the grid's program and, as `options` want, compares it with one device.
void runAndCompare(const GridProgram &program, const Comparable &one,
                   const std::vector<HostTensor> &inputs,
                   const RunOptions &options, RunReport &report);

/// The largest extent of all dimensions of `tensors`.
int64_t largestExtent(const std::vector<HostTensor> &tensors);

/// Reports a constant whose elements are not in the program.
mlir::LogicalResult checkConstants(mlir::ModuleOp module);

/// Turns loops and branches of affine into those of scf, which the reference goes
/// through if there are collectives inside.
mlir::LogicalResult lowerAffineLoops(mlir::ModuleOp module);

/// Propagates shardings in a program that asks by shard.shard_shape for one that only
/// propagation knows, so that the reference, too, knows it.
mlir::LogicalResult answerShardShapes(mlir::ModuleOp module,
                                      const SpmdPipelineOptions &options);

/// With processes there has to be one for each device of the grid. Asked before anything is
/// compiled: nobody should wait for a program that cannot run.
mlir::LogicalResult checkProcesses(GridOp gridOp,
                                   const runtime::Processes *processes);

/// Partitions `module` in place; describes grid, arguments and results in `report`.
mlir::FailureOr<GridProgram>
partitionForGrid(mlir::ModuleOp module, llvm::StringRef entry, GridOp gridOp,
                 const RunOptions &options, RunReport &report);

/// Lowers the partitioned `module` in place and compiles it into `program`.
mlir::LogicalResult compileForGrid(mlir::ModuleOp module, llvm::StringRef entry,
                                   const RunOptions &options,
                                   GridProgram &program);

/// What argument `index` of `entry` is in host memory; an error if it has no form there.
mlir::FailureOr<TensorSpec> argumentSpec(mlir::func::FuncOp entry,
                                         unsigned index);

/// Fails, with an error, unless `input` fits argument `index` of `entry`, whose
/// elements are of type `type` and whose whole shape is `shape`.
mlir::LogicalResult checkInput(mlir::func::FuncOp entry, unsigned index,
                               ElementType type, llvm::ArrayRef<int64_t> shape,
                               const HostTensor &input);

/// Options under which a program may call the runtime: cf.assert and
/// collectives, by the addresses in `symbols`.
CompileOptions
compileWithRuntime(const RunOptions &options,
                   const std::vector<std::pair<const char *, void *>> &symbols);

/// Turns the runtime's record into rows of the report.
void reportCollectives(const GridProgram &program,
                       llvm::ArrayRef<runtime::CallRecord> calls,
                       RunReport &report);

/// The rows of the report as they are predicted: calls and bytes that are not known are
/// -1; bytes are those of one call where only the number of calls is not known.
std::vector<CollectiveReport> predictedCollectives(const ProgramCost &cost);

/// Describes arguments and results of a program without a grid.
void describeUnpartitioned(mlir::func::FuncOp entry, RunReport &report);

} // namespace shard::execution

#endif // SHARD_LIB_EXECUTION_GRIDPROGRAM_H
