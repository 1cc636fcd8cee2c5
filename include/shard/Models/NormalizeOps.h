//===- NormalizeOps.h - Ops in the form that models look for ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_NORMALIZEOPS_H
#define SHARD_MODELS_NORMALIZEOPS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes a linalg.fill of each linalg.generic in `root` that writes one number to all elements
/// of its result, writes inputs of which all elements are one number into the bodies of generic
/// ops, gives ops that do not read the elements of an init a tensor.empty instead, lets reshapes
/// of one element stand behind elementwise ops, and drops ops that nothing uses and those of
/// which the result is a tensor that is there already. Returns whether there are any.
bool normalizeOps(mlir::Operation *root);

/// Makes an op on tensors of each op of linalg in `root` that applies one elementwise op to its
/// inputs. Returns whether there are any.
bool raiseElementwise(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_NORMALIZEOPS_H
