//===- ExplainReasons.h - Where the axes of values come from ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the causes that the engine recorded (Solution::causes) from a value and an
// axis to the hint that the axis comes from, and finds the hints that keep axes out.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_EXPLAINREASONS_H
#define SHARD_LIB_PROPAGATION_EXPLAINREASONS_H

#include "ReadProgram.h"

#include "shard/Propagation/Propagation.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

using Reason = PropagationExplanation::Reason;

/// "file:line:column", or what the location prints.
std::string placeOf(mlir::Location location);

/// Answers questions about one solution. ValueIds are those of ReadProgram::find.
class Reasons {
public:
  Reasons(ReadProgram &program, const Solution &solution,
          const GridPropagation &out)
      : program(program), solution(solution), out(out),
        gridOp(mlir::cast<GridOp>(out.gridOp)) {
    for (auto [value, hint] : program.problem.hints)
      hintOf.try_emplace(value, hint);
  }

  bool hasHint(ValueId value) const { return hintOf.count(value); }

  /// The name or number of an axis of the result; a part of an axis of the given
  /// grid as "name:(preSize)size".
  std::string axisName(GridAxis axis);
  std::string text(const Sharding &sharding);
  Sharding shardingOf(ValueId id);
  /// An op of the problem in words: its name and place.
  std::string describe(OpId op);

  /// Follows the causes of `axis` from `value` to a hint.
  Reason reasonOf(ValueId value, GridAxis axis, int64_t dim);
  /// Where all axes that split `value` come from, or those of `sharding`.
  std::vector<Reason> reasonsOf(ValueId value);
  std::vector<Reason> reasonsOf(ValueId value, const Sharding &sharding);

  /// "operand 1" or "result 0".
  std::string tensorName(OpId op, unsigned tensor);

  /// Adds what a hint of `value` says about dimension `dim` to a sharding that had more
  /// there; false if it left the dimension open, or if there is none.
  bool addLimit(std::vector<Reason> &reasons, ValueId value, int64_t dim);

  /// Why a value that is to be equal to one of sharding `has` is as it is: `wanted`, which is
  /// that of `target` without the axes that are manual around the use.
  std::vector<Reason> wishesOf(ValueId target, const Sharding &has,
                               const Sharding &wanted);

  /// The hints on other tensors of `op` that keep its loops of dimension `dim`
  /// of `tensor` from being split; false if these cannot be split or are none.
  bool addLimits(std::vector<Reason> &reasons, OpId op, unsigned tensor,
                 unsigned dim);

  /// Where an op gets `axis` from that splits its loops: the operand whose loops
  /// of kind `kind` have it.
  void addOperandReasons(std::vector<Reason> &reasons, OpId op, GridAxis axis,
                         LoopKind kind);

  /// Where `loop` of `op` gets `axis` from: the tensor `operand`, or another one that has the
  /// loop if that one was not split by the axis.
  void addLoopReason(std::vector<Reason> &reasons, OpId op, unsigned operand,
                     uint32_t loop, GridAxis axis);

  /// Why partial sums of `value` are not passed on.
  std::string whyReduced(ValueId value);

  /// Why `user` cannot hand on partial sums of `value`; empty if it can.
  std::string whyComplete(OpId user, ValueId value);

private:
  ReadProgram &program;
  const Solution &solution;
  const GridPropagation &out;
  GridOp gridOp;
  /// In the problem's table of hints.
  llvm::DenseMap<ValueId, uint32_t> hintOf;
  /// The ops that have a value as operand; filled when first needed.
  llvm::DenseMap<ValueId, llvm::SmallVector<OpId, 2>> usersOf;
  /// The end of the chain of a value and an axis, and its length.
  llvm::DenseMap<std::pair<ValueId, GridAxis>, std::pair<ValueId, size_t>> ends;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_EXPLAINREASONS_H
