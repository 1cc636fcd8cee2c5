//===- WrittenOps.cpp - Which op of the program an op is part of ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/WrittenOps.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace shard {

/// What stands in front of the name, so that what others note in locations is not taken for one.
static constexpr llvm::StringLiteral kPartOf = "shard.part_of ";

Location locationAsPartOf(Operation *written) {
  MLIRContext *context = written->getContext();
  return FusedLoc::get(
      context, written->getLoc(),
      StringAttr::get(context, kPartOf + written->getName().getStringRef()));
}

StringRef writtenName(Operation *op) {
  if (auto fused = dyn_cast<FusedLocWith<StringAttr>>(op->getLoc())) {
    StringRef name = fused.getMetadata().getValue();
    if (name.consume_front(kPartOf))
      return name;
  }
  return op->getName().getStringRef();
}

} // namespace shard
