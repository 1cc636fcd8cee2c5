//===- CallResults.cpp - Buffers that functions return --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "../Lowering.h"

using namespace mlir;

/// Whether `operand` of a return is an allocation that no other result shares: an
/// op that computes it writes into a buffer that nothing else reads afterwards.
static bool hasOwnBuffer(OpOperand &operand) {
  Operation *producer = operand.get().getDefiningOp();
  return isa_and_nonnull<linalg::LinalgOp>(producer) &&
         producer->getBlock() == operand.getOwner()->getBlock() &&
         operand.get().hasOneUse();
}

void shard::copyCallResults(Operation *root, ArrayRef<func::FuncOp> entries,
                            bool hosted) {
  root->walk([&](func::ReturnOp op) {
    bool isEntry = llvm::is_contained(entries, op->getParentOp());
    for (OpOperand &operand : op->getOpOperands())
      if (!isEntry || (!hosted && !hasOwnBuffer(operand)))
        codegen::copyTensor(operand);
  });
}
