//===- Steps.cpp - Reshards that name their step --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/Steps.h"

#include "shard/IR/ShardOps.h"

using namespace mlir;

namespace shard {

LogicalResult verifyStep(Operation *op, Attribute attribute,
                         EmitErrorFn emitError) {
  // dialect_attr_c25
  auto annotation = dyn_cast<ShardOp>(op);
  if (!annotation || !annotation.getAnnotateForUsers())
    return emitError() << "is for a shard.shard with annotate_for_users only";
  // dialect_attr_c26
  if (!isa<StringAttr>(attribute))
    return emitError() << "expects the name of a step, such as \"all_gather\"";
  return success();
}

} // namespace shard
