//===- Followers.h - What one tensor of an op means for others --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loops of an op the sharding of one of its tensors splits, where the others are to
// follow.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_FOLLOWERS_H
#define SHARD_LIB_PROPAGATION_FOLLOWERS_H

#include "shard/Interfaces/LoopTable.h"

namespace shard::propagation {

/// The option that splits what `sharding` splits of tensor `tensor`, and no other loop;
/// nothing if there is none.
std::optional<ShardingOption> optionOf(const LoopTable &table, const Grid &grid,
                                       unsigned tensor,
                                       const Sharding &sharding);

/// The sharding of tensor `other`, which is `kept`, with what `sharding` of tensor `tensor`
/// adds to it. Nothing if it adds nothing, or if `other` would lose an axis.
std::optional<Sharding> followKeeping(const LoopTable &table, const Grid &grid,
                                      unsigned tensor, const Sharding &sharding,
                                      unsigned other, const Sharding &kept);

/// The number of the operand of which the only result of `owner` has each element once, as a
/// transposition and an elementwise op have; nothing if there is none. Operands in `made` do not
/// count.
std::optional<unsigned> findRepeated(const LoopTable &table,
                                     mlir::Operation *owner,
                                     llvm::ArrayRef<unsigned> made);

/// The number of parts that the axes of the dimensions make.
int64_t partsOf(const Grid &grid, const Sharding &sharding);

/// Whether dimensions of these extents may be split as in `sharding` without a hint.
bool mayBeSplit(llvm::ArrayRef<int64_t> extents, const Grid &grid,
                const Sharding &sharding, bool evenly);

/// Whether a window of an operand slides over a dimension that is split, by `shardingOf`
/// the operand, or by `sharding` of tensor `tensor`. An operand of no known sharding counts
/// as split.
bool splitsWindow(
    const LoopTable &table, unsigned tensor, const Sharding &sharding,
    llvm::function_ref<std::optional<Sharding>(unsigned)> shardingOf);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_FOLLOWERS_H
