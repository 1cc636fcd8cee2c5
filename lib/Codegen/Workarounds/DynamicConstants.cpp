//===- DynamicConstants.cpp - Constants of unknown extents ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

LogicalResult shard::rejectDynamicConstants(Operation *root) {
  WalkResult walked = root->walk([](arith::ConstantOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || type.hasStaticShape())
      return WalkResult::advance();
    op.emitError()
        << "is a constant of type " << type
        << ", which does not say how large it is; it may stand for a "
           "comparison of a tensor with itself";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}
