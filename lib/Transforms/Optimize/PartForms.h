//===- PartForms.h - A collective and the ops around it in parts -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective does the same to every slice of its tensor along a dimension that it
// neither joins nor cuts. Alone, parts save no memory: the operand lives until the last
// part, and the result is made whole. They save it in a chain of ops, each of which makes
// the only operand of the next one that is cut: none of the tensors between is ever whole.
//
//   %0 = op %a           a product, say; many bytes
//   %1 = collective %0
//   %2 = op %1, %b       another op; fewer bytes, or as many
//
// becomes a loop whose iterations do a block of the dimension each: they slice what the
// chain takes from outside, run the ops on the slices, and insert the block into the result
// of the last op, or add to it where that sums over the dimension.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_PARTFORMS_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_PARTFORMS_H

#include "Optimize/OpInParts.h"

namespace shard {

struct PartForm {
  /// The chain with `collective` in it that keeps the fewest bytes, by a sum over its
  /// tensors and those of the ops next to it that might be links, too; nothing if there is
  /// none. Sums and products of floats are rounded in another
  /// order only if `reorderSums`.
  static std::optional<PartForm> of(mlir::Operation *collective,
                                    bool reorderSums);

  /// Equal for forms that differ in the values of their operands alone.
  mlir::Attribute key() const;

  /// Replaces the chain by a loop of `count` iterations, one of `counts`. Returns false,
  /// and changes nothing, if one of the ops cannot be cut into so many.
  bool build(int64_t count) const;

  struct Link {
    mlir::Operation *op;
    /// The operand that the link in front makes; -1 for the first one.
    int chained;
    /// The dimension that is cut.
    OpInParts::Dim along;
    /// The same of the result; -1 if the op sums over it.
    int64_t resultDim;
  };

  mlir::Operation *collective = nullptr;
  llvm::SmallVector<Link, 4> chain;
  /// Into how many parts the chain may be cut, at least doubled each.
  llvm::SmallVector<int64_t, 8> counts;
  /// The tensors between the links.
  int64_t bytesBetween = 0;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_PARTFORMS_H
