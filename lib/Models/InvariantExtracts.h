//===- InvariantExtracts.h - Elements that a body reads once ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_INVARIANTEXTRACTS_H
#define SHARD_LIB_MODELS_INVARIANTEXTRACTS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Moves extracts of elements of static tensors in front of the ops of linalg, `tensor.generate`
/// and `scf.forall` in `root` whose bodies they stand in, where tensor and indices do not change
/// in the body: an op takes a tensor from outside whole, while one element of a split tensor is
/// sent alone. Stays as it is what reads many elements of a tensor so. Returns whether there were
/// any.
bool hoistInvariantExtracts(mlir::Operation *root);

} // namespace shard

#endif // SHARD_LIB_MODELS_INVARIANTEXTRACTS_H
