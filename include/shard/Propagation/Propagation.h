//===- Propagation.h - From hints to a sharding per value -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module or a function, runs the engine (Engine.h) and returns what it
// found. No IR is changed: whoever calls this writes the result back.
//
// What is read: `shard.sharding` on function arguments and results, shard.shard
// in both roles, shard.constraint, shard.group, shard.manual_computation; the
// loop table of every op; branches, regions and calls as data-flow edges.
//
// What comes back, per grid:
//
//   * one sharding for each value that is not replicated;
//   * for each use that wants another sharding than its value has, that
//   sharding:
//     there, and only there, a reshard of an operand happens;
//   * remarks on what was given up, and why.
//
// If axes had to be cut into sub-axes that survive, `grid` is the refined grid
// and `axes` tells what each of its axes is; all shardings are on that grid.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_PROPAGATION_H
#define SHARD_PROPAGATION_PROPAGATION_H

#include "shard/Geometry/AxisPart.h"
#include "shard/Geometry/Sharding.h"
#include "shard/Propagation/Options.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace shard {

/// A number of an entry in GridPropagation::shardings.
using ShardingIndex = uint32_t;

/// The result for the functions that use one grid.
struct GridPropagation {
  /// The symbol of the grid that the program names.
  mlir::StringAttr gridName;
  /// Its op.
  mlir::Operation *gridOp = nullptr;
  /// The functions that were solved together: all of them are on `grid`.
  llvm::SmallVector<mlir::Operation *> functions;
  /// The original grid, or a refinement of it with the same linear order.
  Grid grid;
  bool refined = false;
  /// One entry per axis of `grid`.
  std::vector<AxisPart> axes;

  /// The distinct shardings.
  std::vector<Sharding> shardings;

  struct ValueSharding {
    mlir::Value value;
    ShardingIndex sharding;
  };
  /// The values that the program has to state, in its order: a block's arguments
  /// first, then the results op by op, an op's before those of its regions.
  /// These are
  ///
  ///   * every value that is not replicated;
  ///   * a replicated value that a hint or a group is for;
  ///   * the replicated tensors of every op, edge or reshard whose tensors
  ///     disagree, i.e. cannot all have what one splitting of its loops gives
  ///     them. Were they left out, they would be open to the other tensors of
  ///     the op in a second propagation.
  ///
  /// Values that only shard.shard or shard.constraint make are listed too.
  std::vector<ValueSharding> values;

  struct UseSharding {
    mlir::OpOperand *use;
    ShardingIndex sharding;
    /// The op before which the reshard belongs: the owner of the use, or, where
    /// the owner is in the body of an op that works on whole tensors (a
    /// tensor.extract in a linalg.generic), that op.
    mlir::Operation *anchor;
  };
  /// The uses that want another sharding than their value has, in the order of
  /// the program. The wanted one may be replicated. Uses by shard.shard with
  /// `annotate_for_users` and by shard.constraint are not listed: their results
  /// have shardings of their own.
  std::vector<UseSharding> uses;

  /// What a shard.manual_computation has now, all dimensions closed: the in
  /// sharding of each operand, the out sharding of each result.
  struct ManualShardings {
    mlir::Operation *op;
    std::vector<Sharding> in;
    std::vector<Sharding> out;
  };
  std::vector<ManualShardings> manual;

  /// A part of a function's signature: the number of a result or an argument.
  struct SignatureSharding {
    mlir::Operation *function;
    unsigned number;
    ShardingIndex sharding;
  };
  /// The function results that the program has to state, by the rule of `values`,
  /// and the tensor arguments of functions without a body.
  std::vector<SignatureSharding> results, arguments;
};

/// Something to tell the user, at `location`.
struct PropagationRemark {
  mlir::Location location;
  std::string text;
};

/// Why values and reshards are as they are, in words. Values and places are given
/// as text, so that it stays valid when the program changes.
struct PropagationExplanation {
  /// Why a dimension of a value is split by an axis, or by no more of them: then
  /// `axis` is empty.
  struct Reason {
    std::string axis;
    /// -1: about partial values, which are to be complete.
    int64_t dim;
    /// The tensor of the op that the dimension is of; empty: the value itself.
    std::string of;
    /// The ops that the axis came through, from the value back to the hint; long
    /// chains are cut, `length` counts all of them.
    std::vector<std::string> chain;
    size_t length = 0;
    /// The hint at the end of the chain: its text and place.
    std::string hint;
  };
  struct ValueEntry {
    std::string value, place, sharding;
    std::vector<Reason> reasons;
  };
  /// A reshard of an operand (`user` is "linalg.matmul operand 1") or, behind the
  /// op that computes it otherwise, of a result ("linalg.matmul result 0"). If `from`
  /// and `to` are the same, the op itself exchanges something about the operand.
  struct ReshardEntry {
    std::string value, user, place, from, to;
    /// Why the value is as it is, why the user wants what it wants, and what
    /// decided.
    std::vector<Reason> has, wants;
    std::string verdict;
    /// The steps of the planner, e.g. "all_reduce over y".
    std::string steps;
    /// What one device sends to reshard all operands and results of the op, and what it
    /// would send if the op were run in another way ("with operand 1 as it comes"). What
    /// other ops would have to do then is not counted. -1 and none where sizes are not
    /// known or nothing else is possible.
    int64_t bytesOfOp = -1;
    struct Choice {
      std::string how;
      int64_t bytes;
    };
    std::vector<Choice> instead;
  };
  std::vector<ValueEntry> values;
  std::vector<ReshardEntry> reshards;

  /// Prints it as text or as one JSON object.
  void print(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;
};

/// What propagation found.
class PropagationResult {
public:
  /// One entry per grid that hints name and group of functions that call one another;
  /// empty without hints.
  std::vector<GridPropagation> grids;
  /// The annotations that move a value from one grid to another. They stay in the
  /// program; `grids` has the shardings of their results.
  llvm::DenseSet<mlir::Operation *> crossings;
  /// Annotations for users that change no sharding, but without which an op behind them
  /// might be split otherwise. They stay in the program, too.
  llvm::DenseSet<mlir::Operation *> binding;
  /// Of functions that use several grids: the grid that each value is on, unless no
  /// hint reaches it.
  llvm::DenseMap<mlir::Value, mlir::Operation *> gridOf;
  std::vector<PropagationRemark> remarks;
  /// With options.explain.
  PropagationExplanation explanation;

  /// The sharding of `value`; null if it is replicated (or unknown). Builds an
  /// index at the first call.
  const Sharding *sharding(mlir::Value value) const;
  /// Whether the program has to state the sharding of `value`.
  bool isStated(mlir::Value value) const;

private:
  const Sharding *stated(mlir::Value value) const;

  mutable llvm::DenseMap<mlir::Value, const Sharding *> index;
  mutable bool indexed = false;
};

/// Propagates the hints in `root`, a module or a function. On failure at least
/// one error has been emitted: two closed hints that contradict each other
/// (with both locations), a hint that its grid or tensor does not fit, a
/// op whose tensors are on several grids, a function that calls or is called while `root`
/// is a function.
mlir::LogicalResult propagateShardings(mlir::Operation *root,
                                       const PropagationOptions &options,
                                       PropagationResult &result);

} // namespace shard

#endif // SHARD_PROPAGATION_PROPAGATION_H
