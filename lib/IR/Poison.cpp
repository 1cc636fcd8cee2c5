//===- Poison.cpp - Values that may be anything ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/Poison.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

bool shard::replacePoison(Operation *root) {
  SmallVector<ub::PoisonOp> ops;
  root->walk([&](ub::PoisonOp op) { ops.push_back(op); });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (ub::PoisonOp op : ops) {
    Type type = op.getType();
    if (!type.isIntOrIndexOrFloat())
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(rewriter.getZeroAttr(type)));
    changed = true;
  }
  return changed;
}
