//===- Problem.h - What the engine works on ---------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program as the engine sees it: values with shapes, ops that tie dimensions
// of values to common loops, and hints. Plain numbers, no IR. Values that must
// have one sharding (the members of a shard.group, the arguments of a loop and
// what it returns) are one value here; a data-flow edge that may reshard is an
// op whose table says that its source and its target have the same dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_PROBLEM_H
#define SHARD_PROPAGATION_PROBLEM_H

#include "shard/Geometry/AxisPart.h"
#include "shard/Interfaces/LoopTable.h"
#include "shard/Propagation/Options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace shard::propagation {

using ValueId = uint32_t;
using OpId = uint32_t;
using TableId = uint32_t;
using ShapeId = uint32_t;

/// Stands for an operand or result that is not a ranked tensor.
constexpr ValueId kNoValue = ~ValueId(0);

/// The shape of a tensor and the size of one element in bits.
struct Shape {
  llvm::SmallVector<int64_t, 4> extents;
  int64_t elementBits = 32;
};

/// What a hint says about one dimension.
struct DimHint {
  /// Major first. Sub-axes are given as such; a whole axis has preSize 1 and
  /// the axis' size.
  llvm::SmallVector<AxisPart, 2> axes;
  bool open = true;
  /// The round from which on the dimension counts; propagation leaves it alone
  /// before.
  int32_t priority = 0;
};

/// What is known of a value beforehand.
struct Hint {
  /// One entry per dimension, or none.
  llvm::SmallVector<DimHint, 4> dims;
  /// Axes that must not split the value.
  llvm::SmallVector<AxisPart, 1> replicated;
  llvm::SmallVector<AxisPart, 1> partial;
  ReductionKind reduction = ReductionKind::Sum;
};

/// The loop table of an op, flattened. Tensors are the operands, then the
/// results.
struct FlatTable {
  struct FlatLoop {
    int64_t extent;
    LoopKind kind;
    ReductionKind reduction;
    /// It is a digit of a reshaped dimension, which is split evenly only.
    bool evenOnly;
    bool slidesOverUnknown;
  };
  std::vector<FlatLoop> loops;
  /// Tensor t has the dimensions [dimBegin[t], dimBegin[t + 1]), dimension d is
  /// indexed by loopOf[loopBegin[d]] .. loopOf[loopBegin[d + 1] - 1], major
  /// first.
  std::vector<uint32_t> dimBegin, loopBegin;
  std::vector<uint32_t> loopOf;
  /// Bits of the whole tensor, saturating; dynamic extents count as 1.
  std::vector<int64_t> bits;
  std::vector<ReductionKind> resultReduction;
  unsigned numOperands = 0;
  PartialRule rule = PartialRule::None;
  int32_t firstInit = -1;
  /// Has reduction loops; anything else passes its operands' axes through.
  bool contraction = false;
  /// Has a loop that only results and inits read: along it, the op repeats its operands, as a
  /// broadcast does.
  bool repeats = false;

  unsigned numTensors() const { return dimBegin.size() - 1; }
  unsigned numDims(unsigned tensor) const {
    return dimBegin[tensor + 1] - dimBegin[tensor];
  }
  /// The loops that index a dimension, major first.
  llvm::ArrayRef<uint32_t> loopsOf(unsigned tensor, unsigned dim) const {
    unsigned at = dimBegin[tensor] + dim;
    return llvm::ArrayRef(loopOf).slice(loopBegin[at],
                                        loopBegin[at + 1] - loopBegin[at]);
  }
  /// Whether axes can split a dimension: its major loop can be split.
  bool canSplit(unsigned tensor, unsigned dim) const {
    unsigned at = dimBegin[tensor] + dim;
    return loopBegin[at] < loopBegin[at + 1] &&
           loops[loopOf[loopBegin[at]]].kind != LoopKind::Invalid;
  }
};

/// Whether control flow hands on several values as one.
enum class Joined : uint8_t {
  No,
  /// Of several, one is taken: the result of an scf.if.
  ByBranches,
  /// One after the other: what a loop carries.
  ByLoop,
};

/// A program for the engine. Vectors are filled by the functions below only.
struct Problem {
  explicit Problem(Grid grid) : grid(std::move(grid)) {
    opBegin.push_back(0);
    scopes.emplace_back();
  }

  Grid grid;
  std::vector<Shape> shapes;
  std::vector<FlatTable> tables;

  std::vector<ShapeId> valueShape;
  /// Per value a number of `scopes`.
  std::vector<uint32_t> valueScope;
  /// Axes that must not split the values of a scope: the manual axes around it.
  /// Scope 0 is empty.
  std::vector<llvm::SmallVector<AxisPart, 1>> scopes;
  /// Values that never become partial by propagation: function arguments and results.
  std::vector<bool> neverPartial;
  /// Values that views make: what ops read of them is cut out of what they are views of.
  std::vector<bool> ofView;
  /// Per value: the ops that define a joined value are identities. Such a value may be a
  /// partial sum; one that may not is in `neverPartial` too.
  std::vector<Joined> joined;
  /// The ops, from one value to one, that stand for reshards asked for, in ascending order.
  std::vector<OpId> reshards;
  /// Ops, from one value to one, that pass shardings on and compute nothing: partial values
  /// do not go through them.
  llvm::DenseSet<OpId> ties;
  /// Of `reshards`, those through which shardings pass in some directions only, with the
  /// tensors that are asked: operands, results, or none (SourceMask).
  llvm::DenseMap<OpId, uint8_t> barriers;
  /// The dimensions, as bits, by which nothing splits a value: those of a shared tensor of
  /// scf.forall that iterations slice.
  llvm::DenseMap<ValueId, uint64_t> wholeDims;
  /// Values that bodies of ops use whole and complete: how often, for each use.
  llvm::DenseMap<ValueId, llvm::SmallVector<double, 1>> usedWhole;
  /// The distinct hints, and which values have which; a value has one at most.
  std::vector<Hint> hintTable;
  std::vector<std::pair<ValueId, uint32_t>> hints;

  std::vector<TableId> opTable;
  /// Op i has the tensors opTensors[opBegin[i]] .. opTensors[opBegin[i + 1] -
  /// 1].
  std::vector<uint32_t> opBegin;
  std::vector<ValueId> opTensors;
  /// How often each op is taken to run, by the loops around it.
  std::vector<double> trips;

  ShapeId addShape(Shape shape);
  ValueId addValue(ShapeId shape, uint32_t scope = 0);
  /// Adds a table for tensors of the given shapes (any number for what is not a
  /// tensor). Tables are not compared: callers share one among ops with equal loops.
  TableId addTable(const LoopTable &table, llvm::ArrayRef<ShapeId> shapes);
  OpId addOp(TableId table, llvm::ArrayRef<ValueId> operands,
             llvm::ArrayRef<ValueId> results);
  void addHint(ValueId value, Hint hint) {
    hints.emplace_back(value, hintTable.size());
    hintTable.push_back(std::move(hint));
  }

  /// Whether each definition of a value gives it a sharding of its own.
  bool hasOwnDefinition(ValueId value) const {
    return !neverPartial[value] && joined[value] == Joined::No;
  }

  /// Whether shardings pass between the tensors of `op` in both directions.
  bool isOpenBothWays(OpId op) const { return !barriers.contains(op); }

  size_t numOps() const { return opTable.size(); }
  size_t numValues() const { return valueShape.size(); }
  llvm::ArrayRef<ValueId> tensors(OpId op) const {
    return llvm::ArrayRef<ValueId>(opTensors).slice(
        opBegin[op], opBegin[op + 1] - opBegin[op]);
  }
  const FlatTable &table(OpId op) const { return tables[opTable[op]]; }
};

/// The table of an identity between tensors of one shape.
LoopTable identityTable(llvm::ArrayRef<int64_t> extents);

} // namespace shard::propagation

#endif // SHARD_PROPAGATION_PROBLEM_H
