//===- OpWishes.h - How each op wants its operands --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_OPWISHES_H
#define SHARD_LIB_PROPAGATION_OPWISHES_H

#include "ReadProgram.h"

#include "shard/Cost/Ops.h"
#include "shard/Geometry/Interner.h"
#include "shard/Partitioning/ShardingOption.h"
#include "shard/Propagation/Engine.h"
#include "shard/Propagation/Propagation.h"
#include "shard/Resharding/Plan.h"

#include <deque>
#include <unordered_map>

namespace shard::propagation {

/// The shardings of the values of a solved program, by number. New ones are added to
/// `out`.
class SolvedShardings {
public:
  SolvedShardings(const ReadProgram &program, Solution &solution,
                  GridPropagation &out)
      : program(program), solution(solution), out(out) {}

  /// The number of the sharding of `id`, kReplicated for a value that is not split.
  uint32_t indexOf(ValueId id) const {
    return solution.values[program.find(id)];
  }
  int64_t rankOf(ValueId id) const {
    return program.problem.shapes[program.problem.valueShape[id]]
        .extents.size();
  }
  Sharding shardingOf(ValueId id) const {
    uint32_t index = indexOf(id);
    return index == kReplicated ? Sharding::replicated(rankOf(id))
                                : out.shardings[index];
  }

  /// Whether two values have one sharding.
  bool haveOneSharding(ValueId a, ValueId b) const {
    return indexOf(a) == indexOf(b) || shardingOf(a) == shardingOf(b);
  }

  bool takesCompleted(OpId op) const { return solution.takesCompleted[op]; }
  bool gathersSummed(OpId op) const { return solution.gathersSummed[op]; }

  /// The number of the replicated sharding of the rank of `id`.
  uint32_t replicatedIndex(ValueId id) {
    int64_t rank = rankOf(id);
    auto [entry, isNew] = replicatedByRank.try_emplace(rank, 0);
    if (isNew)
      entry->second = indexFor(Sharding::replicated(rank));
    return entry->second;
  }

  /// As indexOf, with a number for a value that is not split too.
  uint32_t numberOf(ValueId id) {
    uint32_t index = indexOf(id);
    return index == kReplicated ? replicatedIndex(id) : index;
  }

  /// The number of `sharding`, which is added if it is new.
  uint32_t indexFor(const Sharding &sharding);

private:
  const ReadProgram &program;
  Solution &solution;
  GridPropagation &out;
  /// The number of the replicated sharding of each rank.
  llvm::DenseMap<int64_t, uint32_t> replicatedByRank;
  /// So many of `out.shardings` are in `byHash`: the numbers of those with one hash.
  size_t numHashed = 0;
  std::unordered_map<uint64_t, llvm::SmallVector<uint32_t, 1>> byHash;
};

/// The operands of `owner` that are made out of nothing for it alone.
llvm::SmallVector<unsigned, 2> operandsMadeFor(mlir::Operation *owner);

/// The loops that the dimensions of operand or result `tensor` of an op belong to.
const TensorLoops &tensorLoops(const LoopTable &table, unsigned tensor);

/// The sharding of operand or result `tensor` of an op that takes `option`.
Sharding tensorSharding(const LoopTable &table, unsigned tensor,
                        const ShardingOption &option);

/// How ops want their tensors, given the shardings of all of them.
class OpWishes {
public:
  OpWishes(ReadProgram &program, SolvedShardings &solved, Planner &planner,
           const GridPropagation &out)
      : program(program), solved(solved), planner(planner), out(out) {}

  using WantedOperands = llvm::SmallVector<std::pair<unsigned, uint32_t>, 2>;

  /// What an op wants otherwise than it is.
  struct Wishes {
    WantedOperands operands;
    /// Results that it computes otherwise than they are wanted, with how.
    llvm::SmallVector<std::pair<unsigned, Sharding>, 1> results;
    /// The dimensions of one of them are split otherwise.
    bool splitsOtherwise = false;
    /// How it runs.
    ShardingOption option;
  };

  /// Whether the model of `owner` decides how it is split.
  bool decides(OpId op, mlir::Operation *owner) const;

  /// operandsMadeFor(owner), which is found once for each op.
  llvm::ArrayRef<unsigned> madeFor(OpId op, mlir::Operation *owner);

  /// What `op` wants otherwise than it is; the operands in `made` are made to order.
  /// Ops with equal loop tables, equal shardings of their tensors, equal shares of their
  /// reshards and one scope get the same answer, so it is computed once. If an op's model
  /// decides, its answer is kept for this op alone.
  const Wishes &of(OpId op, mlir::Operation *owner,
                   llvm::ArrayRef<unsigned> made = {});

  /// What it costs to reshard a tensor of `op`, if it can be resharded.
  std::optional<double> costOf(OpId op, mlir::RankedTensorType type,
                               const Sharding &from, const Sharding &to) const;

  /// What it costs to compute `op`, split as `option` says, in the unit of costOf; nothing if
  /// that is not known. Machines are compared by what they compute while they send a byte.
  std::optional<double> workOf(OpId op, mlir::Operation *owner,
                               const ShardingOption &option) const;

  /// Of one run of `op`, the share of the reshard of its operand `value`: what a loop does not
  /// change is resharded in front of it, once for all iterations.
  double shareOf(OpId op, mlir::Value value) const;

private:
  double tripsOf(mlir::Value value, unsigned depth) const;
  uint32_t scopeOf(OpId op) const;
  Grid gridOf(OpId op) const;
  ShardingOption chooseSettled(
      mlir::Operation *owner, const Grid &grid, const LoopTable &table,
      const llvm::SmallVector<Sharding> (&shardings)[2],
      llvm::ArrayRef<ValueId> tensors, llvm::ArrayRef<double> shares) const;
  Wishes choose(OpId op, mlir::Operation *owner, llvm::ArrayRef<unsigned> made,
                llvm::ArrayRef<double> shares);

  struct Known {
    llvm::SmallVector<uint32_t, 8> key;
    Wishes wishes;
  };

  ReadProgram &program;
  SolvedShardings &solved;
  Planner &planner;
  const GridPropagation &out;
  mutable llvm::DenseMap<mlir::Value, double> tripsOfValues;
  mutable llvm::DenseMap<OpId, std::optional<OpCost>> opCosts;
  /// By op: the number of its entry of `made`, plus 1.
  std::vector<uint32_t> madeNumbers;
  std::deque<llvm::SmallVector<unsigned, 2>> made;
  InternIndex index;
  std::deque<Known> known;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_OPWISHES_H
