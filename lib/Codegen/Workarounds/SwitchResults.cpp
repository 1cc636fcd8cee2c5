//===- SwitchResults.cpp - Results of scf.index_switch --------------------===//
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

void shard::copySwitchResults(Operation *root) {
  root->walk([](scf::IndexSwitchOp op) {
    for (Region &region : op->getRegions())
      for (OpOperand &operand : region.front().getTerminator()->getOpOperands())
        codegen::copyTensor(operand);
  });
}
