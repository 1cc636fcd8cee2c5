//===- ForallOutputs.cpp - Several outputs of scf.forall ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

void shard::copyBetweenOutputs(RewriterBase &rewriter, Operation *root) {
  root->walk([&](scf::ForallOp forall) {
    if (forall.getNumResults() < 2)
      return;
    rewriter.setInsertionPoint(forall.getTerminator());
    for (Operation &op : forall.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
      if (!insert)
        continue;
      Value copy = bufferization::AllocTensorOp::create(
          rewriter, insert.getLoc(),
          cast<RankedTensorType>(insert.getSource().getType()), ValueRange(),
          insert.getSource());
      insert.getSourceMutable().assign(copy);
    }
  });
}
