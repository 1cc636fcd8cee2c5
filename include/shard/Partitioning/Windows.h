//===- Windows.h - What a block of an op reads of its operands --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a loop slides over a dimension of an operand, the iterations of a device
// read a window of it (Geometry/Window.h). These steps make that window:
//
//   shift      where a window lies far from the block, as in a tensor that is rolled or
//              reversed, the parts of blocks that it is made of are shifted (shard.shift)
//   exchange   the block gets halos, filled by its neighbours (shard.update_halo)
//   gather     or, where that is cheaper, the dimension is gathered
//   cut        the window is cut out of the result; places outside of the tensor
//              become the fill of the op
//
// Windows compose: the window of a slice of a padded tensor is a window of the
// tensor before it was padded.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_WINDOWS_H
#define SHARD_PARTITIONING_WINDOWS_H

#include "shard/IR/HaloWindows.h"
#include "shard/Partitioning/PartitionContext.h"

#include "llvm/ADT/DenseSet.h"

namespace shard {

/// What the iterations of an op read of one dimension of a tensor.
struct DimWindow {
  /// The iterations, and the axes that split them. They are those of a loop, or one
  /// for each element of a dimension over which none slides.
  int64_t iterations;
  AxisList axes;
  Window window;
  /// The elements that are read; what a window reaches outside of them is the fill.
  Block valid;
  /// Where the loop that slides over the dimension is not split: its window, which may
  /// pass over elements; `window` is the whole dimension.
  std::optional<WindowReads> unsplit = std::nullopt;
  /// Where a split loop slides over a dimension of unknown extent: where its number of
  /// iterations is found, and that number once it is built. `iterations` is kDynamic, and
  /// all elements are valid, as many as there are.
  IterationCount count = {};
  mlir::Value counted = {};

  bool slidesOverUnknown() const { return count.isKnown(); }
  /// Whether some iteration reaches outside of `valid`, or may do so.
  bool reachesOutside() const {
    if (slidesOverUnknown())
      return true;
    int64_t start = window.start(0, iterations);
    return iterations > 0 &&
           (start < valid.offset ||
            start + window.span(iterations) > valid.offset + valid.size);
  }
  /// Whether the window of each device is its block of a dimension of `extent`, of
  /// which nothing is left out.
  bool isBlock(int64_t extent) const {
    return !slidesOverUnknown() && iterations == extent && window == Window() &&
           valid.offset == 0 && valid.size == extent;
  }
};
using TensorWindow = llvm::SmallVector<DimWindow, 4>;

/// A window of a tensor, and where it is cut from.
struct WindowSource {
  TensorWindow dims;
  /// What counts outside of the valid elements; null if what is there does not matter.
  mlir::OpFoldResult fill;
  mlir::RankedTensorType type;
  /// Of the tensor: for each dimension the axes of the window, or none.
  Sharding sharding;
  /// The extents of dimensions that are not known, for those over which a loop slides.
  llvm::SmallVector<mlir::Value, 4> wholes = {};
  /// Of the tensor, for each dimension or empty: only the elements at the multiples of
  /// these numbers may differ from `spreadFill`.
  llvm::SmallVector<int64_t, 4> steps = {};
  mlir::OpFoldResult spreadFill = {};

  /// The number for dimension `dim`.
  int64_t stepOf(unsigned dim) const { return steps.empty() ? 1 : steps[dim]; }
};

/// Whether a split loop of `option` slides over a dimension of operand `index`.
bool readsWindow(const LoopTable &table, unsigned index,
                 const ShardingOption &option);

/// What the op reads of operand `index`, of `type`.
TensorWindow windowOf(const LoopTable &table, unsigned index,
                      mlir::RankedTensorType type,
                      const ShardingOption &option);

/// Adds to `window`, that of operand `index`, what iterations read that are computed for
/// the neighbours (PartitionContext::grown).
void growWindow(const PartitionContext &context, unsigned index,
                TensorWindow &window);

/// Makes `source`, a window of the result of a view whose table is `table`, one of
/// its operand, of `type`. `fill` is that of the view. False, and `source` is what it
/// was, where no one window is the same.
bool throughView(const LoopTable &table, mlir::RankedTensorType type,
                 mlir::OpFoldResult fill, WindowSource &source);

/// Notes in `source`, the window of the tensor that `maker` makes, which of its elements may
/// differ from one fill (ShardingInterface::getElementSpread). Windows that leave the tensor for
/// another fill, or another one in another dimension, are left as they are.
void noteSpread(mlir::Operation *maker, WindowSource &source);

/// A dimension of a window that is made of parts of blocks.
struct ShiftedDim {
  unsigned dim;
  std::vector<BlockPart> parts;
  /// Whether distances are from the mirrored block (blockParts).
  bool mirrored = false;
};

/// How the halos of a source are filled.
struct HaloExchange {
  /// The dimensions that are made of shifted blocks, in this order, and the source after
  /// that, in which the blocks of these dimensions are the windows.
  llvm::SmallVector<ShiftedDim, 1> shifted;
  WindowSource rest;
  /// The rest is about `rest`.

  /// The sharding of the source with dimensions gathered that halos would cost more
  /// for, and the same with halos.
  Sharding gathered, widened;
  /// Of the window in each dimension.
  llvm::SmallVector<std::optional<HaloNeed>, 4> needs;
  /// What is sent, as the planner prices it.
  double cost = 0;
  /// False if `haloNeed` does not tell the windows; the rest is then of no use.
  bool isKnown = true;
};
/// For each dimension what devices read of it, or nothing: all; empty where nothing else
/// than that would be sent.
HaloWindows readsOf(const HaloExchange &exchange, const Grid &grid);

/// Dimensions for which halos and shifts cost the same are shifted if `prefersShifts`.
HaloExchange planExchange(const WindowSource &source, const Emission &emission,
                          bool prefersShifts = false);

/// The window that this device needs, cut out of `local`, its block of `source`, by
/// `exchange`. Adds the exchange of halos that it makes to `exchanges`. Remarks at `loc` where
/// dimensions are gathered. `exchangeAt`, if not null, is the op in front of which
/// devices communicate. `widened`, if not null, is the block with what halos would hold
/// of the tensor, so that nothing is exchanged; outside of it its elements are
/// unspecified. `piece`, if not null, becomes what the window is made of if it is a part
/// of one block in unwritten memory.
mlir::FailureOr<mlir::Value>
emitWindow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value local,
           const WindowSource &source, const HaloExchange &exchange,
           const Emission &emission, mlir::Operation *exchangeAt,
           llvm::DenseSet<mlir::Operation *> &exchanges,
           mlir::Value widened = {}, WindowPiece *piece = nullptr);

/// Ends the run with `message` where one of the `iterations` of a loop reads elements beyond
/// the end of a dimension of `extent` elements, through `window`, which does not run
/// backwards. Builds nothing where the elements that are left over fold to enough.
void requireInside(mlir::OpBuilder &builder, mlir::Location loc,
                   const Window &window, mlir::Value iterations,
                   mlir::Value extent, const llvm::Twine &message);

/// The exchange of `halos`, two widths for each dimension that `axes` split.
UpdateHaloOp buildUpdateHalo(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value around, mlir::FlatSymbolRefAttr grid,
                             GridAxesArrayAttr axes,
                             llvm::ArrayRef<mlir::OpFoldResult> halos);

/// Replaces exchanges of halos of one block by one exchange of the
/// wider halos, where that sends no more. `exchanges` are made by emitWindow, and come
/// in their order in the program.
void mergeExchanges(llvm::ArrayRef<UpdateHaloOp> exchanges);

} // namespace shard

#endif // SHARD_PARTITIONING_WINDOWS_H
