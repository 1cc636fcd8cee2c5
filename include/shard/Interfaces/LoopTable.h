//===- LoopTable.h - How an op's tensors share loops ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that can be sharded iterates over a common index space of *loops*, and
// each dimension of its tensors is indexed by some of them. A matmul has the
// loops m, n (parallel) and k (reduction); its operands are indexed by (m, k),
// (k, n) and (m, n). To shard the op is to give each loop an ordered list of
// grid axes; everything else follows: a dimension is split by the axes of its
// loops, a result is partial under the axes of the reduction loops.
//
// A dimension indexed by several loops, `c_0 * d_0 + c_1 * d_1 + ...`, is a
// *reshape* when each coefficient is the product of the more minor extents and
// the extents multiply to the dimension's size: the loops are the digits of the
// index, major first. tensor.expand_shape of 8 into 2x4 has loops d0 of extent
// 2 and d1 of extent 4, source (4 * d0 + d1), result (d0, d1).
//
// Any other sum of loops, with maybe a constant, is a *window*: one loop slides over the
// dimension, and each of its iterations reads a few elements, as in convolutions, where
// d0 + d1 is indexed by the place d0 of the output and the place d1 in the kernel. The
// loop whose iterations cover most elements slides; of equal ones, one of the result. It
// may be split; the others become invalid. Partition gives each device the elements that
// its iterations read: its block of the dimension and a halo from its neighbours. A
// coefficient of -1 reverses a dimension: devices take the mirrored blocks.
// A loop of static extent slides over static extents, one of unknown extent over unknown
// ones (Loop::slidesOverUnknown); otherwise all loops of a window are invalid.
//
// The table is computed once per op, by buildLoopTable, from the two methods of
// the ShardingInterface; the propagation engine and the partitioner both work
// on tables and never look into an op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_LOOPTABLE_H
#define SHARD_INTERFACES_LOOPTABLE_H

#include "shard/Geometry/Sharding.h"
#include "shard/Geometry/Window.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace shard {

enum class LoopKind : uint8_t {
  /// Iterations are independent; any axes may split it.
  Parallel,
  /// Iterations combine by the op's reduction; splitting it makes results
  /// partial.
  Reduction,
  /// Must not be split: the op is wrong when it sees only a block of it.
  Invalid,
};

/// Of a dimension of a tensor only the elements at the multiples of `step` may differ from
/// `fill`, an attribute or a scalar. A step of 1 tells nothing.
struct Spread {
  int64_t step = 1;
  mlir::OpFoldResult fill = {};
};

/// Where the number of iterations of a loop is found when the op runs: it is the extent of
/// dimension `dim` of operand `operand` and `more`, or, if `dim` is -1, operand `operand`
/// itself, an index.
struct IterationCount {
  int32_t operand = -1, dim = -1;
  int64_t more = 0;

  bool isKnown() const { return operand >= 0; }
  bool operator==(const IterationCount &other) const {
    return operand == other.operand && dim == other.dim && more == other.more;
  }
};

/// One loop of the common index space. `extent` counts global iterations, or is
/// kDynamic. `reduction` has a meaning for reduction loops only. A loop that is
/// `evenOnly` may also index dimensions of unknown extent: they have `extent` elements
/// when the op runs. Parts of such dimensions are equal by contract, so that a static
/// extent must be divisible by them.
///
/// A parallel loop that is split may need the other devices after all: the local form of the
/// op makes `exchanges` all_reduces along the loop's axes, each of a tensor with one element
/// for each iteration of the other loops. Options are priced with them.
///
/// A loop that `slidesOverUnknown` slides over dimensions of unknown extents, and has
/// an unknown number of iterations itself, `count`. It is split only where dynamic
/// dimensions may be uneven, by one axis. A model states `count` of a loop that slides
/// with the map of a dimension that is read as a whole, as a slice from element 0 on;
/// of other loops it is found by buildLoopTable.
struct Loop {
  LoopKind kind = LoopKind::Parallel;
  ReductionKind reduction = ReductionKind::Sum;
  int64_t extent = kDynamic;
  bool evenOnly = false;
  bool slidesOverUnknown = false;
  IterationCount count = {};
  uint8_t exchanges = 0;

  static Loop parallel(int64_t extent) {
    return {LoopKind::Parallel, {}, extent};
  }
  /// Slides over dimensions of unknown extents.
  static Loop sliding(IterationCount count) {
    Loop loop = parallel(kDynamic);
    loop.count = count;
    return loop;
  }
  static Loop reduce(int64_t extent, ReductionKind kind) {
    return {LoopKind::Reduction, kind, extent};
  }
  static Loop invalid(int64_t extent) {
    return {LoopKind::Invalid, {}, extent};
  }
};

/// What an op does to partial operands, i.e. to values of which every device of
/// a group holds one summand.
enum class PartialRule : uint8_t {
  /// Operands must be reduced first.
  None,
  /// The op only moves, drops or repeats elements: partial operands, all under
  /// the same axes and of the same kind, give a partial result of that kind.
  Movement,
  /// f(sum x, sum y) = sum f(x, y), e.g. add, sub, neg: tensor operands that
  /// are all partial sums under the same axes give a partial sum.
  Additive,
  /// Linear in each input separately, e.g. mul, matmul: one input may be a
  /// partial sum, the others must not be partial.
  Multilinear,
};

/// The loops that index one dimension, major first. Empty: the dimension cannot
/// be split for this op (or has extent 1 and needs no loop).
using DimLoops = llvm::SmallVector<int32_t, 1>;

/// The dimensions of one tensor operand or result; empty for a scalar or any
/// other value that is not a ranked tensor.
struct TensorLoops {
  llvm::SmallVector<DimLoops, 4> dims;
  /// Operands only: for each dimension the window by which its one loop slides over
  /// it, if it does. Empty if none does.
  llvm::SmallVector<std::optional<Window>, 0> windows;
  /// Results only: how the summands combine when a reduction loop is split.
  ReductionKind reduction = ReductionKind::Sum;
  bool isTensor = false;

  bool isWindow(unsigned dim) const {
    return !windows.empty() && windows[dim].has_value();
  }
};

/// The loops of an op and how they index its tensors.
struct LoopTable {
  llvm::SmallVector<Loop, 4> loops;
  llvm::SmallVector<TensorLoops, 4> operands;
  llvm::SmallVector<TensorLoops, 1> results;
  PartialRule partialRule = PartialRule::None;
  /// Whether operand i is a destination whose value is combined into result
  /// `i - firstInit` (it counts once per group when a reduction is split).
  int32_t firstInit = -1;

  /// The op computes the same at every place (ShardingInterface::isPointwise): it works on
  /// blocks of any bounds.
  bool uniform = false;
  /// It is uniform, all loops are parallel, and dimension i of each tensor is indexed by
  /// loop i.
  bool pointwise = false;

  /// The op may decide itself which loops are split (ShardingInterface::decidesOption).
  bool decidesOption = false;

  bool isInit(unsigned operand) const {
    return firstInit >= 0 && operand >= unsigned(firstInit);
  }
};

/// The table of `op`: from its ShardingInterface if it has one, else a table
/// without loops, i.e. all tensors replicated. Loops that index two dimensions of
/// one tensor, those of windows that cannot be split, and loops that are not covered
/// (extents that differ from the dimension's) are made invalid here, so a model may
/// list them freely.
LoopTable buildLoopTable(mlir::Operation *op);

/// The axes of every loop of an op, and the partial state that passes through
/// it. Axes are numbers of one grid; no axis stands in two loops or in
/// `partial`.
struct ShardingOption {
  /// `partialOperands` has a bit for each of so many operands. All operands of an op
  /// with more of them are reduced in front of it.
  static constexpr unsigned kMaxPartialOperands = 64;

  llvm::SmallVector<AxisList, 4> loops;
  /// The op is applied to partial operands as its PartialRule allows: these
  /// axes stay partial, from the operands in `partialOperands` (bit i: operand
  /// i) to all results. An init in `partialOperands` is
  /// partial under all the axes that its result is partial under, and passes
  /// unchanged.
  AxisList partial;
  ReductionKind partialKind = ReductionKind::Sum;
  uint64_t partialOperands = 0;

  /// Of ops that are pointwise: the halos that all tensors have, as in Sharding.
  std::vector<int64_t> halos;
  /// Empty, or for each loop its n + 1 block bounds, as in Sharding, or none. A tensor of
  /// which one split dimension has bounds has them in all.
  std::vector<std::vector<int64_t>> bounds;

  bool hasBounds(unsigned loop) const {
    return !bounds.empty() && !bounds[loop].empty();
  }

  bool isPartialOperand(unsigned index) const {
    return index < kMaxPartialOperands && (partialOperands >> index & 1);
  }
  bool operator==(const ShardingOption &other) const;
};

/// Whether `option` can be expressed as shardings of all tensors of `table`:
/// axes on valid loops only, a minor loop of a reshaped dimension split only
/// where its major loops are split down to single iterations, reshaped dimensions
/// split evenly, and loops of windows only on grids of known sizes, with at most
/// `kMaxComparedBlocks` blocks if they do not follow one another at equal distances.
bool isExpressible(const LoopTable &table, const Grid &grid,
                   const ShardingOption &option);

/// Whether `option` has one list of axes of `grid` for each loop, uses no axis
/// twice, has the bounds of as many blocks as the axes of a loop make, or none, and is
/// expressible.
bool isValidOption(const LoopTable &table, const Grid &grid,
                   const ShardingOption &option);

/// The sharding that operand or result `index` has under `option`. The sharding of a
/// result is the one that the op computes: partial under the axes of split reduction
/// loops.
Sharding operandSharding(const LoopTable &table, unsigned index,
                         const ShardingOption &option);
Sharding resultSharding(const LoopTable &table, unsigned index,
                        const ShardingOption &option);

/// Reads the axes of each loop off the sharding of one tensor: the axes of a
/// dimension fill its loops from major to minor. Loops that the tensor says
/// nothing about, or that an axis would have to be cut for, get nothing; nor does
/// any of several loops get an axis of size 1.
void projectToLoops(const LoopTable &table, const TensorLoops &tensor,
                    const Grid &grid, const Sharding &sharding,
                    llvm::SmallVectorImpl<AxisList> &loops);

} // namespace shard

#endif // SHARD_INTERFACES_LOOPTABLE_H
