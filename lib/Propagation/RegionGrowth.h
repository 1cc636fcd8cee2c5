//===- RegionGrowth.h - Which values change with others ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region starts with values that try other shardings. An op whose loops are all parallel, and
// all loops of one of these values, gives its other tensors what that means for them. So does an
// edge, such as that between what a loop yields and carries. Elsewhere the region ends.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_REGIONGROWTH_H
#define SHARD_LIB_PROPAGATION_REGIONGROWTH_H

#include "OpWishes.h"
#include "OpsOfValues.h"

#include "llvm/ADT/SetVector.h"

namespace shard::propagation {

/// Open values that are to change together.
struct Region {
  /// The number of the sharding that a value tries, and where it comes from.
  struct Label {
    uint32_t number;
    Cause cause;
  };
  llvm::MapVector<ValueId, Label> labels;
  /// The ops that touch these values.
  llvm::SetVector<OpId> touched;

  void clear() {
    labels.clear();
    touched.clear();
  }
};

/// Grows regions, one after another.
class RegionGrowth {
public:
  RegionGrowth(ReadProgram &program, SolvedShardings &solved,
               OpWishes &opWishes, const GridPropagation &out,
               const PropagationOptions &options)
      : program(program), solved(solved), opWishes(opWishes), out(out),
        options(options) {}

  /// Reads which ops touch which values, and which values `solution` may not change. Comes before
  /// all that follows, and only where a region is tried, as it takes time; a second call does
  /// nothing.
  void prepare(const Solution &solution);
  const OpsOfValues &ops() const { return *opsOfValues; }

  /// Whether the sharding of `value` may be replaced by another one.
  bool mayChange(ValueId value) const;
  /// Whether the sharding of `value` may be replaced by `wanted`, which is another one.
  bool mayBecome(ValueId value, const Sharding &wanted) const;

  /// Adds to `region` what its labels mean for other values. Returns false if they cannot be
  /// split like that, or if it is not known.
  bool grow(Region &region);

  /// How a region grows to which axes are moved that `op` sums over or gathers. It may pass `op`
  /// alone of the ops with loops that its values do not have, or all of them
  /// (`passesAll`): these pass axes on to their results alone.
  struct Start {
    OpId op = kNoOp;
    bool passesAll = false;
    /// Whether an op slices what becomes less split, which sends nothing, instead of having its
    /// other tensors as little split.
    bool slicesCoarser = false;
    /// Whether no op may compute for fewer parts than it did.
    bool keepsWork = false;
    /// Whether the region ends where an op would compute for fewer parts than it did.
    bool endsAtWork = false;
  };
  void startAt(Start from) {
    start = from;
    endsEarly = meetsCoarser = meetsWork = false;
  }
  /// Whether a region ended at an op that it would pass with `passesAll`.
  bool endedEarly() const { return endsEarly; }
  /// Whether a region would be another one with the other value of `slicesCoarser`.
  bool metCoarser() const { return meetsCoarser; }

  /// Whether a region would be another one with the other value of `endsAtWork`.
  bool metWork() const { return meetsWork; }

  /// So often `value` was part of a region to which axes are moved.
  bool movedOften(ValueId value) const;
  void countMoves(const Region &region) {
    for (const auto &[value, label] : region.labels)
      ++moves[value];
  }

  /// Calls `visit` with each other tensor of `op` that is not made for it, and with the
  /// sharding that it has if the op takes `tensor` with `sharding`.
  void forEachFollower(OpId op, mlir::Operation *owner, unsigned tensor,
                       const Sharding &sharding,
                       llvm::function_ref<void(unsigned, Sharding)> visit);

private:
  bool repeatsWork(ValueId value, const Sharding &sharding) const;
  void label(Region &region, ValueId id, uint32_t number, Cause cause);
  bool growFrom(Region &region, ValueId value);
  bool fits(ValueId value, const Sharding &sharding) const;
  bool splitsWindow(const TensorUse &use, const LoopTable &table,
                    const Sharding &sharding);
  void passOn(Region &region, const TensorUse &use, mlir::Operation *owner,
              ValueId value, const Sharding &sharding);
  void passToResults(Region &region, const TensorUse &use,
                     mlir::Operation *owner, ValueId value,
                     const Sharding &sharding);
  mlir::Operation *ownerOf(OpId op) const;

  ReadProgram &program;
  SolvedShardings &solved;
  OpWishes &opWishes;
  const GridPropagation &out;
  const PropagationOptions &options;
  std::optional<OpsOfValues> opsOfValues;
  llvm::DenseSet<ValueId> decided;
  llvm::DenseMap<ValueId, unsigned> moves;
  Start start;
  bool endsEarly = false, meetsCoarser = false, meetsWork = false;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_REGIONGROWTH_H
