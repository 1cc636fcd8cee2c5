//===- FunctionPartitioner.cpp - The program of one device ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionPartitioner.h"

#include "SignatureAttrs.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/ShardingOption.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace shard {

FunctionPartitioner::FunctionPartitioner(FunctionOpInterface function,
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

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type FunctionPartitioner::localTypeOf(Type type, const Sharding *sharding) {
  return sharding
             ? localType(cast<RankedTensorType>(type), emission.grid, *sharding)
             : type;
}

const Sharding *FunctionPartitioner::replicatedLike(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? pool.replicated(tensor.getRank()) : nullptr;
}

Location FunctionPartitioner::reshardLoc(Operation *user, const Twine &what) {
  return NameLoc::get(
      builder.getStringAttr(what + " of " + user->getName().getStringRef()),
      user->getLoc());
}

FailureOr<Value> FunctionPartitioner::localAs(Value value,
                                              const Sharding *wanted,
                                              Operation *user,
                                              const Twine &what) {
  LocalValue local = locals.lookup(value);
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

FailureOr<Value> FunctionPartitioner::localReplicated(Value value,
                                                      Operation *user,
                                                      const Twine &what) {
  return localAs(value, replicatedLike(value), user, what);
}

LogicalResult FunctionPartitioner::setResult(Value global, Value local,
                                             const Sharding *natural,
                                             Operation *op) {
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

/// Values of the enclosing code that regions of `op` use become local ones.
LogicalResult FunctionPartitioner::mapCaptures(Operation *op) {
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

//===----------------------------------------------------------------------===//
// Blocks and functions
//===----------------------------------------------------------------------===//

LogicalResult FunctionPartitioner::run() {
  Region &body = function.getFunctionBody();
  if (function.isExternal()) {
    updateSignature();
    return success();
  }
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
  updateSignature();
  return success();
}

void FunctionPartitioner::updateSignature() {
  SmallVector<Type> arguments, results;
  FlatSymbolRefAttr grid = emission.gridSymbol;
  auto localAttr = [&](Type type, const Sharding *sharding) {
    return LocalAttr::get(type.getContext(), cast<RankedTensorType>(type),
                          getShardingAttr(grid, *sharding));
  };
  SmallVector<Type> globalArguments(function.getArgumentTypes()),
      globalResults(function.getResultTypes());
  for (auto [type, sharding] :
       llvm::zip_equal(globalArguments, shardings.signature.arguments)) {
    const Sharding *arriving = sharding && options.globalArguments
                                   ? pool.replicated(sharding->dims.size())
                                   : sharding;
    arguments.push_back(localTypeOf(type, arriving));
  }
  for (auto [type, sharding] :
       llvm::zip_equal(globalResults, shardings.signature.results))
    results.push_back(localTypeOf(type, sharding));
  function.setType(
      FunctionType::get(function->getContext(), arguments, results));
  SignatureAttrs signature(function);
  for (auto [index, sharding] :
       llvm::enumerate(shardings.signature.arguments)) {
    signature.setArgument(index, kShardingAttrName, {});
    if (sharding)
      signature.setArgument(
          index, kLocalAttrName,
          localAttr(globalArguments[index],
                    options.globalArguments
                        ? pool.replicated(sharding->dims.size())
                        : sharding));
  }
  for (auto [index, sharding] : llvm::enumerate(shardings.signature.results)) {
    signature.setResult(index, kShardingAttrName, {});
    if (sharding)
      signature.setResult(index, kLocalAttrName,
                          localAttr(globalResults[index], sharding));
  }
  signature.write();
}

LogicalResult FunctionPartitioner::rebuild(Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(builder);
  bool isFunction = from.getParentOp() == function.getOperation();
  for (mlir::Block &block : from) {
    auto *local = new mlir::Block();
    to.push_back(local);
    blocks[&block] = local;
    for (BlockArgument argument : block.getArguments()) {
      const Sharding *sharding = shardings.of(argument);
      if (isFunction && block.isEntryBlock() && options.globalArguments &&
          sharding)
        sharding = replicatedLike(argument);
      locals[argument] = {
          local->addArgument(localTypeOf(argument.getType(), sharding),
                             argument.getLoc()),
          sharding};
    }
  }
  if (isFunction && options.globalArguments) {
    builder.setInsertionPointToStart(&to.front());
    for (BlockArgument argument : from.front().getArguments()) {
      const Sharding *sharding = shardings.of(argument);
      FailureOr<Value> block =
          localAs(argument, sharding, function,
                  "argument " + Twine(argument.getArgNumber()));
      if (failed(block))
        return failure();
      locals[argument] = {*block, sharding};
    }
  }
  for (mlir::Block &block : from) {
    builder.setInsertionPointToEnd(blocks[&block]);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(rebuildOp(&op)))
        return failure();
  }
  return success();
}

LogicalResult FunctionPartitioner::rebuildOp(Operation *op) {
  if (isa<ShardingOp, GetShardingOp, GroupOp>(op))
    return success();
  if (auto annotation = dyn_cast<ShardOp>(op))
    return rebuildAnnotation(annotation);
  if (auto constraint = dyn_cast<ConstraintOp>(op)) {
    // A wish that propagation has not seen; without it nobody grants it.
    if (failed(localAs(constraint.getInput(), nullptr, op, "the input")))
      return failure();
    locals[constraint.getResult()] = locals.lookup(constraint.getInput());
    return setResult(constraint.getResult(),
                     locals[constraint.getResult()].value,
                     locals[constraint.getResult()].sharding, op);
  }
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    return rebuildManual(manual);
  if (isa_and_nonnull<ShardDialect>(op->getDialect()) &&
      !op->getParentOfType<ManualComputationOp>())
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' in a program that is not partitioned yet; write it inside a "
              "shard.manual_computation";
  if (op->getParentRegion() == &function.getFunctionBody() &&
      op->hasTrait<OpTrait::ReturnLike>())
    return rebuildReturn(op);
  bool hasUnknowns = hasUnknownSizes(emission.grid);
  if (RegionLoopsInterface loops = asRegionLoops(op); loops && !hasUnknowns)
    return rebuildForall(loops);
  if (isa<InParallelOpInterface>(op))
    if (RegionLoopsInterface loops = asRegionLoops(op->getParentOp()))
      return rebuildInParallel(loops, op);
  if (isa<RegionBranchTerminatorOpInterface>(op))
    return rebuildTerminator(op);
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      return rebuildCall(op, callee.getLeafReference());
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return rebuildBranch(branch);
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    if (RegionEdges edges(branch); edges.coverTensors())
      return rebuildRegionBranch(op, edges);
  // Where axes have no size, ops are split whose local form says nothing of sizes.
  bool isFormOfAnySize = op->hasTrait<OpTrait::Elementwise>() ||
                         isa<IndexingMapOpInterface>(op);
  if (auto model = dyn_cast<ShardingInterface>(op);
      model && (!hasUnknowns || isFormOfAnySize))
    return rebuildByModel(model);
  return rebuildReplicated(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult FunctionPartitioner::rebuildAnnotation(ShardOp op) {
  const Sharding *sharding = shardings.of(op.getResult());
  FailureOr<Value> local =
      localAs(op.getSrc(), sharding, op,
              op.getAnnotateForUsers() ? "operand 0" : "source");
  if (failed(local))
    return failure();
  locals[op.getResult()] = {*local, sharding};
  return success();
}

LogicalResult FunctionPartitioner::rebuildByModel(ShardingInterface model) {
  Operation *op = model;
  LoopTable table = buildLoopTable(op);
  SmallVector<Sharding> operandShardings, resultShardings;
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    const Sharding *sharding = locals.lookup(value).sharding;
    if (sharding && !foralls.empty() && foralls.front().captures(value) &&
        model.isWholeInLoops(index))
      sharding = replicatedLike(value);
    operandShardings.push_back(sharding ? *sharding : Sharding());
  }
  for (Value value : op->getResults()) {
    const Sharding *sharding = shardings.of(value);
    resultShardings.push_back(sharding ? *sharding : Sharding());
  }
  // Propagation states all tensors of an op that disagree: then its choice is to be
  // read off the operands.
  std::optional<ShardingOption> stated;
  if (llvm::all_of(op->getOperands(), [&](Value operand) {
        return !isa<RankedTensorType>(operand.getType()) ||
               shardings.isStated(operand);
      }))
    stated = optionOfOperands(op, table, emission.grid, operandShardings,
                              resultShardings, emission.planner);
  ShardingOption option =
      stated ? *stated
             : chooseOption(op, table, emission.grid, operandShardings,
                            resultShardings, emission.planner);
  PartitionContext context(emission, table, option);

  SmallVector<Value> operands, results;
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    const Sharding *wanted = table.operands[index].isTensor
                                 ? pool.intern(context.operand(index))
                                 : nullptr;
    FailureOr<Value> local =
        localAs(value, wanted, op, "operand " + Twine(index));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  if (failed(mapCaptures(op)) ||
      failed(model.partition(builder, operands, context, results)))
    return failure();
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    const Sharding *natural = table.results[index].isTensor
                                  ? pool.intern(context.result(index))
                                  : nullptr;
    if (failed(setResult(value, results[index], natural, op)))
      return failure();
  }
  return success();
}

LogicalResult FunctionPartitioner::rebuildReplicated(Operation *op) {
  bool gathers = false;
  auto isGathered = [&](Value value) {
    // Propagation has put a reshard for this very op in front of it.
    auto annotation = value.getDefiningOp<ShardOp>();
    if (annotation && annotation.getAnnotateForUsers())
      value = annotation.getSrc();
    const Sharding *sharding = locals.lookup(value).sharding;
    return sharding && !sharding->isReplicated();
  };
  SmallVector<Value> operands;
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    gathers |= isGathered(value);
    FailureOr<Value> local =
        localReplicated(value, op, "operand " + Twine(index));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  // Annotations inside say nothing where everything is replicated.
  op->walk([](Operation *inner) {
    if (auto annotation = dyn_cast<ShardOp>(inner)) {
      // Unreachable code may have one that takes its own result.
      if (annotation.getResult() == annotation.getSrc())
        return;
      annotation.getResult().replaceAllUsesWith(annotation.getSrc());
      annotation.erase();
    } else if (isa<ShardingOp>(inner) && inner->use_empty()) {
      inner->erase();
    }
  });
  op->walk([&](Operation *inner) {
    for (Value captured : inner->getOperands())
      gathers |= isGathered(captured);
  });
  if (failed(mapCaptures(op)))
    return failure();
  if (gathers)
    mlir::emitRemark(op->getLoc())
        << "'" << op->getName()
        << (hasUnknownSizes(emission.grid) && isa<ShardingInterface>(op)
                ? "' needs the sizes of all axes of the grid to be split: its "
                  "sharded operands are "
                : "' has no sharding model: its sharded operands are ")
        << "gathered on every device";
  // The op itself moves: nothing about it changes.
  op->remove();
  builder.insert(op);
  op->setOperands(operands);
  for (Value result : op->getResults())
    if (failed(setResult(result, result, replicatedLike(result), op)))
      return failure();
  return success();
}

} // namespace shard
