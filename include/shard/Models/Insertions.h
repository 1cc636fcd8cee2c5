//===- Insertions.h - Insertions become other ops --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposed convolution comes from frontends as an insertion with a stride: the
// elements of an image go apart, with zeros between them. No window of the image says what a
// block of the result holds. The same elements are those of reshapes:
//
//   1. each element becomes a dimension of its own, of extent 1;
//   2. which is padded to the stride;
//   3. and is one with the dimension again.
//
// A block of the image makes a block of the result; what windows read of its neighbours are
// halos.
//
// A concatenation comes from frontends as a chain of insertions, each of which would be a window
// of its own. So does a tensor that is put together element by element, such as the pairs of
// rotated positions: there no window says what a block holds.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_INSERTIONS_H
#define SHARD_MODELS_INSERTIONS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes reshapes of the insertions with strides in `root`, and choices between what they give and
/// the tensor that is inserted into if its elements are not equal.
/// `grid` has the sizes of the axes that dimensions may be split by: the image is padded such
/// that as many of them as it has elements for divide it. Insertions with hints, at places that
/// are not known and of shapes that are not static stay as they are. Returns whether there are
/// any.
bool spreadInsertions(mlir::Operation *root, llvm::ArrayRef<int64_t> grid);

/// Makes a `tensor.concat` of each chain of insertions in `root` that write all of a tensor,
/// side by side in one dimension, or by turns, with a stride: then along a dimension of the
/// places inside a group of elements, one of each part, which is merged behind it. Insertions with hints, at places that are not known, of shapes
/// that are not static and with other users stay as they are. Returns whether there are any.
bool joinInsertions(mlir::Operation *root);

/// Makes slices of its parts of the slices of a `tensor.concat`, if each lies in one part, and one
/// `tensor.concat` of those of which one is a part of the other. Returns whether there are any.
bool simplifyJoins(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_INSERTIONS_H
