//===- Extracts.h - Elements at known places become operands ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor.extract in the body of a linalg.generic may read any element: its tensor is
// gathered. Where the indices are sums of loops and constants, the tensor may as well be
// an input of the op with an indexing map, which tells what each device reads. Where some
// indices are loops that read a whole dimension, and the others come from data, the op
// looks up slices, which a tensor.gather does too.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_EXTRACTS_H
#define SHARD_MODELS_EXTRACTS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes inputs of the static tensors that generic ops in `root` extract elements of at
/// places that are sums of loops and constants, all of them inside of the tensor, and of
/// what a tensor.gather finds in those that they look up slices of. Elements that do not change in
/// a body are extracted in front of it. Returns whether there are any.
bool raiseExtracts(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_EXTRACTS_H
