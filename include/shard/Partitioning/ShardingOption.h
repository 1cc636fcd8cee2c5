//===- ShardingOption.h - Which loops of an op to split ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an op is sharded, given how its operands come and how its results are
// wanted. Where they agree this is read off them; where they do not, each loop
// has the axis lists that some tensor proposes (and their prefixes) as
// candidates, and the combination with the cheapest reshards, as the planner
// prices them, is taken; among equally cheap ones that with most parallel
// iterations, then the one that earlier operands propose.
//
// Propagation chooses an option for each op and states the shardings of all its
// operands where they disagree with one another or with a result. Partition reads
// the option off operands that are all stated, so it uses the one that propagation
// chose.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_SHARDINGOPTION_H
#define SHARD_PARTITIONING_SHARDINGOPTION_H

#include "shard/Interfaces/LoopTable.h"
#include "shard/Partitioning/TensorShapes.h"
#include "shard/Resharding/Plan.h"

namespace shard {

/// The option for `op`, whose table is `table`. `operands` are the shardings in
/// which the operands come, `results` those in which the results are wanted
/// (entries of non-tensors are ignored). An operand whose sharding has no
/// dimensions although its type has is made to order: it costs nothing. The op's
/// model may decide (ShardingInterface::getShardingOption); else it is the cheapest.
/// `shares` says how much of the reshard of each operand one run of the op pays: less
/// than 1 where several runs share a reshard. Empty: each run pays all.
ShardingOption chooseOption(mlir::Operation *op, const LoopTable &table,
                            const Grid &grid, llvm::ArrayRef<Sharding> operands,
                            llvm::ArrayRef<Sharding> results, Planner &planner,
                            llvm::ArrayRef<double> shares = {});

/// The option for `op` that takes all operands as they come, the cheapest one for
/// the results if there are several; nothing if there is none. The op's model may
/// decide otherwise, as for chooseOption.
std::optional<ShardingOption>
optionOfOperands(mlir::Operation *op, const LoopTable &table, const Grid &grid,
                 llvm::ArrayRef<Sharding> operands,
                 llvm::ArrayRef<Sharding> results, Planner &planner);

/// `option` with the explicit bounds (ShardingOption::bounds) that `operands` have where
/// the option splits them as they come, and with those that other loops then need;
/// nothing if there are none, or if the op cannot work on such blocks.
std::optional<ShardingOption> withBounds(const LoopTable &table,
                                         const Grid &grid,
                                         llvm::ArrayRef<Sharding> operands,
                                         const ShardingOption &option);

/// For each dimension its n + 1 bounds in `sharding`, which has offsets; none for those
/// that are not split.
std::vector<std::vector<int64_t>> boundsOfDims(const Grid &grid,
                                               const Sharding &sharding);

/// All_reduces that the local form of an op makes because a loop is split (Loop::exchanges):
/// `count` reshards of a tensor of `type` from the partial `from` to `to`.
struct LoopExchange {
  unsigned loop, count;
  mlir::RankedTensorType type;
  Sharding from, to;
};

/// Those of an op that is run with `option` and computes elements of type `element`.
llvm::SmallVector<LoopExchange, 1> exchangesOf(const LoopTable &table,
                                               const ShardingOption &option,
                                               mlir::Type element);

/// Whether the model of `op` decides which loops are split, whatever is cheapest.
bool decidesOption(mlir::Operation *op, const LoopTable &table,
                   const Grid &grid,
                   llvm::function_ref<Sharding(unsigned)> operand,
                   llvm::function_ref<Sharding(unsigned)> result);

/// A way to run an op that was not chosen.
struct OtherOption {
  /// The operand that comes as it is; nothing: the op is not split.
  std::optional<unsigned> kept;
  ShardingOption option;
};

/// For each operand that has a sharding the cheapest option under which it comes as it
/// is, and the option that splits nothing. Arguments as those of chooseOption.
std::vector<OtherOption> otherOptions(mlir::Operation *op,
                                      const LoopTable &table, const Grid &grid,
                                      llvm::ArrayRef<Sharding> operands,
                                      llvm::ArrayRef<Sharding> results,
                                      Planner &planner);

} // namespace shard

#endif // SHARD_PARTITIONING_SHARDINGOPTION_H
