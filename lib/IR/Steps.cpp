//===- Steps.cpp - Reshards that name their step --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/Steps.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

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

LogicalResult verifyRecompute(Operation *, Attribute attribute,
                              EmitErrorFn emitError) {
  // recompute_c1
  if (!isa<UnitAttr>(attribute))
    return emitError() << "expects no value";
  return success();
}

LogicalResult verifyHaloSteps(Operation *op, Attribute attribute,
                              EmitErrorFn emitError) {
  // halo_steps_c1
  if (!isa<LoopLikeOpInterface>(op))
    return emitError() << "is for loops only";
  // halo_steps_c2
  auto steps = dyn_cast<IntegerAttr>(attribute);
  if (!steps || !steps.getType().isSignlessInteger(64) || steps.getInt() < 1 ||
      steps.getInt() > kMostHaloSteps)
    return emitError() << "expects a number of iterations, an i64 from 1 to "
                       << kMostHaloSteps;
  return success();
}

} // namespace shard
