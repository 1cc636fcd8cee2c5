//===- LocalFunction.cpp - What one device has of a function --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/LocalFunction.h"

#include "shard/IR/ShardingUtils.h"

using namespace mlir;

namespace shard {

LocalFunction::LocalFunction(FunctionOpInterface function,
                             const FunctionShardings &shardings,
                             ShardingPool &pool, Planner &planner,
                             SignatureLookup signatureOf,
                             const PartitionOptions &options)
    : function(function), shardings(shardings), pool(pool),
      signatureOf(signatureOf), options(options), planningGrid(shardings.grid),
      emission{planningGrid,
               FlatSymbolRefAttr::get(function->getContext(),
                                      GridOp(shardings.gridOp).getSymName()),
               planner},
      builder(function->getContext()) {}

Type LocalFunction::localTypeOf(Type type, const Sharding *sharding) const {
  return sharding
             ? localType(cast<RankedTensorType>(type), emission.grid, *sharding)
             : type;
}

const Sharding *LocalFunction::replicatedLike(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? pool.replicated(tensor.getRank()) : nullptr;
}

Location LocalFunction::reshardLoc(Operation *user, const Twine &what) {
  return NameLoc::get(
      builder.getStringAttr(what + " of " + user->getName().getStringRef()),
      user->getLoc());
}

FailureOr<Value> LocalFunction::localAs(Value value, const Sharding *wanted,
                                        Operation *user, const Twine &what) {
  LocalValue local = locals.lookup(value);
  if (!local.value && isa<ShardingType>(value.getType()))
    return mlir::emitError(user->getLoc())
           << "'" << user->getName()
           << "' passes on a sharding, which the program of one device does not "
              "have; only annotations, shard_shape and calls of private functions "
              "may use one";
  if (!local.value)
    return mlir::emitError(user->getLoc())
           << "uses a value that partition has not seen";
  if (!wanted || local.sharding == wanted)
    return local.value;
  OpBuilder::InsertionGuard guard(builder);
  const auto *forall = llvm::find_if(
      foralls, [&](const OpenForall &open) { return open.captures(value); });
  if (forall != foralls.end())
    builder.setInsertionPoint(forall->local);
  Value &reshard = reshards[{value, {builder.getInsertionBlock(), wanted}}];
  if (reshard)
    return reshard;
  FailureOr<Value> made =
      emitReshard(builder, reshardLoc(user, what), local.value,
                  cast<RankedTensorType>(value.getType()), *local.sharding,
                  *wanted, emission);
  if (succeeded(made))
    reshard = *made;
  return made;
}

FailureOr<Value> LocalFunction::localReplicated(Value value, Operation *user,
                                                const Twine &what) {
  return localAs(value, replicatedLike(value), user, what);
}

LogicalResult LocalFunction::setResult(Value global, Value local,
                                       const Sharding *natural, Operation *op) {
  const Sharding *wanted = shardings.of(global);
  if (wanted && natural != wanted) {
    unsigned number = cast<OpResult>(global).getResultNumber();
    FailureOr<Value> reshard = emitReshard(
        builder, reshardLoc(op, "result " + Twine(number)), local,
        cast<RankedTensorType>(global.getType()), *natural, *wanted, emission);
    if (failed(reshard))
      return failure();
    local = *reshard;
  }
  locals[global] = {local, wanted};
  return success();
}

LogicalResult LocalFunction::mapCaptures(Operation *op) {
  WalkResult walk = op->walk([&](Operation *inner) {
    if (inner == op)
      return WalkResult::advance();
    for (OpOperand &operand : inner->getOpOperands()) {
      Region *home = operand.get().getParentRegion();
      // A region that is being rebuilt has no parent yet: its values, too, come
      // from outside.
      Operation *parent = home ? home->getParentOp() : nullptr;
      if (!home || (parent && op->isAncestor(parent)))
        continue;
      FailureOr<Value> local =
          localReplicated(operand.get(), op, "a captured value");
      if (failed(local))
        return WalkResult::interrupt();
      operand.set(*local);
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult LocalFunction::localOperands(
    Operation *op, llvm::function_ref<const Sharding *(unsigned)> wanted,
    SmallVectorImpl<Value> &operands) {
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    FailureOr<Value> local =
        localAs(value, wanted(index), op, "operand " + Twine(index));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  return success();
}

void LocalFunction::setManual(const AxisList &axes) {
  for (GridAxis axis : axes)
    planningGrid.shape[axis] = 1;
}

} // namespace shard
