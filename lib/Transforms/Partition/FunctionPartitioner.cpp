//===- FunctionPartitioner.cpp - The program of one device ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionPartitioner.h"

#include "Partition/Partitioners.h"
#include "SignatureAttrs.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/IR/Steps.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult FunctionPartitioner::run() {
  Region &body = function.getFunctionBody();
  if (function.isExternal()) {
    updateSignature();
    return success();
  }
  planGrowth(local);
  Region rebuilt;
  if (failed(rebuild(body, rebuilt))) {
    // The two bodies may use values of each other.
    for (mlir::Block &block : rebuilt)
      block.dropAllDefinedValueUses();
    rebuilt.dropAllReferences();
    return failure();
  }
  // Ops of the old body may be used by each other only.
  for (mlir::Block &block : body)
    block.dropAllDefinedValueUses();
  body.dropAllReferences();
  body.getBlocks().clear();
  body.takeBody(rebuilt);
  tidyWindows(local);
  if (failed(answerShardShapes()))
    return failure();
  // Two operands that were resharded become one, and with them what was computed of them.
  splatEqualOperands(function);
  uniteIndices(body, local.usedGrids());
  updateSignature();
  return success();
}

/// Models have not seen the answers: propagation did not know them, and would have explained other
/// collectives.
LogicalResult FunctionPartitioner::answerShardShapes() {
  if (failed(expandShardShapes(function, symbols)))
    return failure();
  function->walk([](ShardingOp op) {
    if (op->use_empty())
      op->erase();
  });
  return success();
}

void FunctionPartitioner::updateSignature() {
  const SignatureShardings &shardings = local.shardings.signature;
  SignatureAttrs signature(function);
  // Layers repeat types and shardings.
  llvm::DenseMap<std::pair<Type, const Sharding *>, LocalAttr> known;
  auto localAttr = [&](Type type, const Sharding *sharding) {
    LocalAttr &attr = known[{type, sharding}];
    if (!attr)
      attr = LocalAttr::get(
          type.getContext(), cast<RankedTensorType>(type),
          getShardingAttr(local.emissionFor(sharding).gridSymbol, *sharding));
    return attr;
  };
  SmallVector<Type> arguments(function.getArgumentTypes()),
      results(function.getResultTypes());
  for (auto [index, type] : llvm::enumerate(arguments)) {
    const Sharding *sharding = shardings.arriving[index];
    signature.setArgument(index, kShardingAttrName, {});
    if (sharding)
      signature.setArgument(index, kLocalAttrName, localAttr(type, sharding));
    type = local.localTypeOf(type, sharding);
  }
  for (auto [index, type] : llvm::enumerate(results)) {
    const Sharding *sharding = shardings.results[index];
    signature.setResult(index, kShardingAttrName, {});
    if (sharding)
      signature.setResult(index, kLocalAttrName, localAttr(type, sharding));
    type = local.localTypeOf(type, sharding);
  }
  function.setType(
      FunctionType::get(function->getContext(), arguments, results));
  signature.write();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult FunctionPartitioner::rebuild(Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(local.builder);
  bool isFunction = from.getParentOp() == function.getOperation();
  ArrayRef arriving = local.shardings.signature.arriving;
  for (mlir::Block &block : from) {
    auto *made = new mlir::Block();
    to.push_back(made);
    local.blocks[&block] = made;
    for (BlockArgument argument : block.getArguments()) {
      const Sharding *sharding = local.shardings.of(argument);
      if (isFunction && block.isEntryBlock())
        sharding = arriving[argument.getArgNumber()];
      local.locals[argument] = {
          made->addArgument(local.localTypeOf(argument.getType(), sharding),
                            argument.getLoc()),
          sharding};
    }
  }
  if (isFunction && arriving != ArrayRef(local.shardings.signature.arguments) &&
      failed(sliceArguments(from, to)))
    return failure();
  for (mlir::Block &block : from) {
    local.builder.setInsertionPointToEnd(local.blocks[&block]);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(rebuildOp(&op)))
        return failure();
  }
  return success();
}

LogicalResult FunctionPartitioner::sliceArguments(Region &from, Region &to) {
  local.builder.setInsertionPointToStart(&to.front());
  for (BlockArgument argument : from.front().getArguments()) {
    const Sharding *sharding = local.shardings.of(argument);
    FailureOr<Value> block =
        local.localAs(argument, sharding, function,
                      "argument " + Twine(argument.getArgNumber()));
    if (failed(block))
      return failure();
    local.locals[argument] = {*block, sharding};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult FunctionPartitioner::rebuildOp(Operation *op) {
  op->removeAttr(kRecomputeAttrName);
  if (op->removeAttr(kHaloStepsAttrName))
    mlir::emitRemark(op->getLoc())
        << '"' << kHaloStepsAttrName
        << "\" is not obeyed: shard-widen-halos has to run before propagation";
  if (isa_and_nonnull<ShardDialect>(op->getDialect()) &&
      (isa<ShardingOp, GetShardingOp, GroupOp, ShardOp, ConstraintOp,
           ManualComputationOp>(op) ||
       (!local.isManual && !op->getParentOfType<ManualComputationOp>())))
    return rebuildShardOp(op);
  if (op->getParentRegion() == &function.getFunctionBody() &&
      op->hasTrait<OpTrait::ReturnLike>())
    return partitionReturn(local, op);
  auto rebuildInner = [&](Operation *inner) { return rebuildOp(inner); };
  if (RegionLoopsInterface loops = asRegionLoops(op);
      loops && !local.usesUnknownSizes(op))
    return partitionForall(local, loops, rebuildInner);
  if (isa<InParallelOpInterface>(op))
    if (RegionLoopsInterface loops = asRegionLoops(op->getParentOp()))
      return partitionInParallel(local, loops, op);
  if (isa<RegionBranchTerminatorOpInterface>(op))
    return partitionTerminator(local, op);
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      return partitionCall(local, op, callee.getLeafReference());
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return partitionBranch(local, branch);
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    if (RegionEdges edges(branch); edges.coverTensors())
      return partitionRegionBranch(
          local, op, edges,
          [&](Region &from, Region &to) { return rebuild(from, to); });
  if (auto model = dyn_cast<ShardingInterface>(op))
    return partitionByModel(local, model);
  return partitionReplicated(local, op);
}

LogicalResult FunctionPartitioner::rebuildShardOp(Operation *op) {
  if (isa<ShardingOp>(op) &&
      llvm::any_of(op->getUsers(), llvm::IsaPred<ShardShapeOp>))
    return partitionReplicated(local, op);
  if (isa<ShardingOp, GetShardingOp, GroupOp>(op))
    return success();
  if (auto annotation = dyn_cast<ShardOp>(op))
    return rebuildAnnotation(annotation);
  if (auto constraint = dyn_cast<ConstraintOp>(op))
    return rebuildConstraint(constraint);
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    return partitionManual(local, manual,
                           [&](Operation *inner) { return rebuildOp(inner); });
  // The sizes of axes and the blocks of a device are the same on all devices.
  if (isa<GridShapeOp, ShardShapeOp>(op))
    return partitionReplicated(local, op);
  return mlir::emitError(op->getLoc())
         << "'" << op->getName()
         << "' in a program that is not partitioned yet; write it inside a "
            "shard.manual_computation";
}

/// Tasks of a loop run on different devices, and what they need of the outside is
/// resharded in front of the loop: numbers that a task computes can be no layout.
static LogicalResult checkNumbers(LocalFunction &local, ShardOp op,
                                  const Sharding &sharding) {
  auto isOfTask = [&](int64_t number) {
    return isRunTime(number) &&
           !local.foralls.front().captures(runTimeValue(number));
  };
  if (local.foralls.empty() || (llvm::none_of(sharding.halos, isOfTask) &&
                                llvm::none_of(sharding.offsets, isOfTask)))
    return success();
  return mlir::emitError(op.getLoc())
         << "sharding " << toString(sharding)
         << " has halos or offsets that an iteration of '"
         << local.foralls.front().global->getName()
         << "' computes, which are other ones on each device; compute them in "
            "front of the loop";
}

LogicalResult FunctionPartitioner::rebuildAnnotation(ShardOp op) {
  const Sharding *sharding = local.shardings.of(op.getResult());
  if (failed(checkNumbers(local, op, *sharding)))
    return failure();
  FailureOr<Value> value =
      local.localAs(op.getSrc(), sharding, op,
                    op.getAnnotateForUsers() ? "operand 0" : "source");
  if (failed(value))
    return failure();
  const Sharding *before = local.locals.lookup(op.getSrc()).sharding;
  if (failed(checkStep(op, before, sharding)))
    return failure();
  // Reshards of what a loop captures stand in front of the loop.
  bool isCaptured =
      llvm::any_of(local.foralls, [&](const LocalFunction::OpenForall &open) {
        return open.captures(op.getSrc());
      });
  if (!isCaptured)
    local.note(op.getResult(), before, sharding);
  local.locals[op.getResult()] = {*value, sharding};
  return success();
}

LogicalResult FunctionPartitioner::checkStep(ShardOp op, const Sharding *from,
                                             const Sharding *to) {
  auto named = op->getAttrOfType<StringAttr>(kStepAttrName);
  if (!named)
    return success();
  const Plan *plan =
      from ? local.planOf(cast<RankedTensorType>(op.getType()), from, to)
           : nullptr;
  if (plan && plan->steps.size() == 1 &&
      named == stringifyStepKind(plan->steps.front().kind))
    return success();
  InFlightDiagnostic error = op.emitOpError()
                             << "is to be the one step " << named;
  if (!plan)
    return error << ", but moves the value to another grid";
  error << ", but reshards from " << toString(*from) << " to " << toString(*to)
        << " by ";
  if (plan->steps.empty())
    return error << "no step";
  llvm::interleaveComma(plan->steps, error, [&](const Step &step) {
    error << stringifyStepKind(step.kind);
  });
  return error;
}

/// Only those are left that unreachable code makes from themselves.
LogicalResult FunctionPartitioner::rebuildConstraint(ConstraintOp op) {
  FailureOr<Value> value =
      local.localAs(op.getInput(), nullptr, op, "the input");
  if (failed(value))
    return failure();
  return local.setResult(op.getResult(), *value,
                         local.locals.lookup(op.getInput()).sharding, op);
}

} // namespace shard
