//===- ManualAxes.h - Bodies of manual computations -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What propagation does to manual computations besides their shardings: tensors
// from outside become operands, and collectives follow a grid that is refined.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_MANUALAXES_H
#define SHARD_LIB_TRANSFORMS_MANUALAXES_H

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

/// Moves the ops in `body`, of a manual computation, from the grid `coarse` to the
/// grid called `fine`: `parts` has for each axis of `coarse` the axes it is cut
/// into, outermost first. Groups, positions in them and linear indices stay the
/// same. Ops that would mean something else there stay on `coarse`, which `fine`
/// refines: those that name single coordinates on an axis that is cut, and those
/// that cut a dimension unevenly by such an axis.
void refineBody(mlir::Region &body, GridOp coarse, mlir::FlatSymbolRefAttr fine,
                llvm::ArrayRef<llvm::SmallVector<GridAxis, 2>> parts);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_MANUALAXES_H
