//===- Poison.h - Values that may be anything -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_POISON_H
#define SHARD_IR_POISON_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes each `ub.poison` in `root` of a number a zero: folders of MLIR crash on such poison,
/// as that of `tensor.from_elements` does. Returns whether there were any.
bool replacePoison(mlir::Operation *root);

} // namespace shard

#endif // SHARD_IR_POISON_H
