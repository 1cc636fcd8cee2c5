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
/// Tensors that they use from outside become operands that are open in all dimensions
/// and replicated over the manual axes, because each device of the manual axes uses
/// the whole tensor. Values that cost nothing to make, such as constants, are made
/// again in the body.
///
/// Operands and results have no halos or offsets: annotations with halos or offsets
/// become reshards for their users, constraints without users lose them.
void prepareManualBodies(llvm::ArrayRef<ManualComputationOp> computations);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_MANUALBODIES_H
