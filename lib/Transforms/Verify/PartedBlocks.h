//===- PartedBlocks.h - Blocks that only some devices reach -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch that devices take differently parts them until its nearest
// post-dominator, where all of them come by again: between the two, a block is
// reached by some devices only, or, in a loop, by some more often than by others. The
// block where they meet is reached by all, but its arguments tell which way was taken.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_VERIFY_PARTEDBLOCKS_H
#define SHARD_LIB_TRANSFORMS_VERIFY_PARTEDBLOCKS_H

#include "AxisSet.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir {
class PostDominanceInfo;
class Region;
} // namespace mlir

namespace shard {

struct PartedBlocks {
  /// The axes along which devices have parted ways where they are in a block.
  llvm::DenseMap<mlir::Block *, AxisSet> under;
  /// The axes along which arguments of a block vary by the way that led to it.
  llvm::DenseMap<mlir::Block *, AxisSet> arguments;
};

/// `deciding` gives the axes along which that varies which decides where a terminator
/// goes. Takes time in proportion to the blocks times the depth of their nesting.
PartedBlocks
findPartedBlocks(mlir::Region &region, mlir::PostDominanceInfo &postDominators,
                 llvm::function_ref<AxisSet(mlir::Operation *)> deciding);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_VERIFY_PARTEDBLOCKS_H
