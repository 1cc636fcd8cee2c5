//===- RepeatedYields.cpp - What loops yield several times ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "../Lowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

void shard::copyRepeatedYields(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<scf::ForOp, scf::WhileOp>(op))
      return;
    for (Region &region : op->getRegions()) {
      llvm::SmallPtrSet<Value, 8> yielded;
      for (OpOperand &operand : region.front().getTerminator()->getOpOperands())
        if (!yielded.insert(operand.get()).second)
          codegen::copyTensor(operand);
    }
  });
}
