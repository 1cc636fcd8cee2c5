//===- Engine.h - Propagation to a fixpoint ---------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine extends the shardings of the values of a Problem until no op has
// anything to add. It works in waves: all ops whose neighbours changed in the
// last wave propose (OpStep.h), each seeing the state that the last wave left;
// then every value takes what the proposals have for it. So the result does not
// depend on the order of the ops in the text, only on how far apart things are.
//
// Conflicts. A value takes proposals one after another, each as far as it
// extends what is there (the longest compatible prefix), in this order:
//
//   1. proposals of pass-through ops before those of contractions (ops with
//      reduction loops);
//   2. proposals that come from a larger tensor, then from a more sharded one;
//   3. those that come from an earlier operand of their op;
//   4. the lexicographically smaller axis list, axes numbered as in the grid;
//   5. the lower dimension.
//
// Staging. For each user priority p0, p1, ...: dimensions of a later priority
// stay as they are and tell nothing. Within a round, pass-through ops run
// first, those whose results have several uses forward only; then these run
// backward too; then contractions join. Within each stage, the directions of
// the traversal follow one another. Each stage runs to its fixpoint.
//
// Axes are cut where hints name parts of them. Cuts that exclude each other (6 as
// 2x3 and as 3x2) are granted in this order: manual axes; closed dimensions and
// partial axes; open dimensions by user priority; within each, hints in the order
// of the program. An open dimension ends before a part that is not there, which is
// noted; replicated axes forbid all atoms that they touch; else it is an error.
//
// Axes are also cut where a reshape needs it: the engine notes the border and starts
// again with finer atoms. Parts that no value tells apart are merged at the
// end.
//
// Cost: a value changes at most once per atom, and each change visits its ops
// once. Steps are cached by loop table and by the shardings of the tensors, so that
// most visits are one look-up. Time depends neither on the sizes of the axes nor,
// other than through these visits, on the number of uses of a value.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_ENGINE_H
#define SHARD_PROPAGATION_ENGINE_H

#include "shard/Propagation/OpStep.h"
#include "shard/Propagation/Problem.h"

#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <string>
#include <variant>

namespace shard::propagation {

/// Stands for a value that is replicated.
constexpr uint32_t kReplicated = ~uint32_t(0);

/// Why a value has an axis: `op` got it from its tensor `source`.
struct Cause {
  OpId op;
  ValueId source;
};

class Run;

struct Solution {
  /// The grid, refined if axes were cut and the cuts survive.
  Grid grid;
  /// Per axis of `grid` the part of an axis of the problem's grid that it is.
  std::vector<AxisPart> axes;
  bool refined = false;

  /// The distinct shardings.
  std::vector<Sharding> shardings;
  /// Per value: a number of `shardings`, or kReplicated.
  std::vector<uint32_t> values;
  /// Per op: whether all its tensors have what the op computes with, so that no
  /// operand has to be resharded.
  std::vector<bool> agrees;
  /// Per op: whether its partial operands are completed for other ops, so that it takes
  /// them complete.
  std::vector<bool> takesCompleted;
  /// Per op: whether it splits no reduction loop, although its operands do, because it
  /// costs less to gather them.
  std::vector<bool> gathersSummed;

  /// An obstacle in terms of the result: `axes` in the refined grid.
  struct Note {
    Obstacle::Kind kind;
    OpId op;
    int64_t extent;
    AxisList axes;
  };
  std::vector<Note> notes;

  /// A part of an axis that an open dimension of a hint names, but that the cuts of
  /// the axis which another hint needs exclude: the dimension ends before it.
  struct DroppedPart {
    ValueId value;
    unsigned dim;
    AxisPart part;
    /// Has the other hint; kNoValue for the axes of a manual computation.
    ValueId other;
  };
  std::vector<DroppedPart> dropped;

  /// With options.explain: for a value and an axis of `grid` that splits it the
  /// cause, unless that is a hint of the value itself.
  llvm::DenseMap<std::pair<ValueId, GridAxis>, Cause> causes;
  /// Those of values that got an axis after propagation, which go before `causes`. They are known
  /// without options.explain, too.
  llvm::DenseMap<std::pair<ValueId, GridAxis>, Cause> settledCauses;
  /// With options.explain: the values that could be partial if nothing were
  /// reduced before.
  llvm::DenseSet<ValueId> couldBePartial;

  /// What placePartialsAgain() asks.
  std::shared_ptr<Run> run;

  /// The sharding of a value of the given rank.
  Sharding sharding(ValueId value, int64_t rank) const {
    return values[value] == kReplicated ? Sharding::replicated(rank)
                                        : shardings[values[value]];
  }
};

/// A hint that cannot be used.
struct HintError {
  ValueId value;
  std::string text;
  /// Has a hint that excludes it, if there is one.
  ValueId other = kNoValue;
};

/// Solves `problem`, which has to outlive the solution. Hints must be in range: axes of the grid,
/// none twice, one entry per dimension.
std::variant<Solution, HintError> solve(const Problem &problem,
                                        const PropagationOptions &options);

using ShardedValue = std::pair<ValueId, Sharding>;

/// Which values are partial.
struct Placement {
  /// The values that are partial otherwise than before, with their shardings.
  std::vector<ShardedValue> values;
  /// As in Solution.
  std::vector<bool> agrees, takesCompleted;
  llvm::DenseSet<ValueId> couldBePartial;
};

/// Places partial values once more, after `solution` has given the values `changed`, none of them
/// partial, other shardings: what the ops sum over may be another axis. Shardings are in terms of
/// `solution.axes`. Nothing if no value is partial otherwise than before.
std::optional<Placement>
placePartialsAgain(const Solution &solution,
                   llvm::ArrayRef<ShardedValue> changed);
/// `solution` has what the last call of placePartialsAgain() returned.
void keepPlacement(const Solution &solution);

} // namespace shard::propagation

#endif // SHARD_PROPAGATION_ENGINE_H
