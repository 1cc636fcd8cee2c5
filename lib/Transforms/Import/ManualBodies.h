//===- ManualBodies.h - Bodies without captured tensors ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_MANUALBODIES_H
#define SHARD_LIB_TRANSFORMS_IMPORT_MANUALBODIES_H

#include "shard/IR/ShardOps.h"

namespace shard {

/// Prepares the bodies of `computations`, outer ones before those in them, for
/// propagation.
///
/// Tensors that they take from outside become operands: open in all dimensions,
/// replicated over the manual axes. That is what they mean: every device of the
/// manual axes sees the whole tensor. What costs nothing to make, such as a
/// constant, is made in the body.
///
/// What goes in and comes out has no halos or offsets of its own: annotations that
/// ask for some become reshards of what users get, constraints without users lose
/// them.
void prepareManualBodies(llvm::ArrayRef<ManualComputationOp> computations);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_MANUALBODIES_H
