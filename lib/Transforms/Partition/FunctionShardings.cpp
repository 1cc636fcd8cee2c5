//===- FunctionShardings.cpp - What annotations say -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionShardings.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/DataFlowEdges.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// ShardingPool
//===----------------------------------------------------------------------===//

const Sharding *ShardingPool::intern(const Sharding &sharding, GridOp grid) {
  Operation *key = sharding.isReplicated() ? nullptr : grid.getOperation();
  Interner<Sharding> &interner = byGrid[key];
  const Sharding *known = &interner[interner.intern(sharding)];
  grids[known] = key;
  return known;
}

const Sharding *ShardingPool::replicated(int64_t rank) {
  const Sharding *&sharding = byRank[rank];
  if (!sharding)
    sharding = intern(Sharding::replicated(rank), GridOp());
  return sharding;
}

//===----------------------------------------------------------------------===//
// FunctionShardings
//===----------------------------------------------------------------------===//

FailureOr<GridOp> FunctionShardings::useGrid(Operation *user,
                                             FlatSymbolRefAttr symbol) {
  GridOp used = getGrid(user, symbol, symbols);
  if (!used)
    return user->emitError() << "no grid " << symbol << " in scope";
  if (!gridOp)
    gridOp = used;
  return used;
}

FailureOr<const Sharding *>
FunctionShardings::readAttribute(Attribute attribute, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor && attribute)
    return function->emitError()
           << "'" << kShardingAttrName << "' on a " << type
           << "; only ranked tensors are sharded, so partition comes before "
              "bufferization";
  if (!tensor)
    return static_cast<const Sharding *>(nullptr);
  auto sharding = dyn_cast_or_null<ShardingAttr>(attribute);
  if (!sharding)
    return pool.replicated(tensor.getRank());
  if (failed(useGrid(function, sharding.getGrid())))
    return failure();
  return resolveFor(function, sharding, type);
}

FailureOr<const Sharding *>
FunctionShardings::resolveFor(Operation *op, ShardingAttr attribute,
                              Type type) const {
  auto error = [&] { return emitError(op->getLoc()); };
  GridOp used = getGrid(op, attribute.getGrid(), symbols);
  if (!used)
    return error() << "no grid " << attribute.getGrid() << " in scope";
  FailureOr<ResolvedSharding> resolved = resolve(attribute, used, type, error);
  if (failed(resolved))
    return failure();
  FailureOr<Sharding> closed = toSharding(*resolved);
  if (failed(closed))
    return error() << "sharding " << attribute
                   << " has sub-axes, which propagation resolves; run "
                      "sharding-propagation before shard-partition";
  return pool.intern(*closed, used);
}

GridOp FunctionShardings::gridOf(Value value) const {
  if (GridOp grid = pool.gridOf(of(value)))
    return grid;
  auto stated = [&](ShardOp annotation) {
    ShardingOp handle = getShardingOp(annotation.getSharding());
    return handle ? getGrid(annotation, handle.getGridAttr(), symbols)
                  : GridOp();
  };
  if (auto annotation = value.getDefiningOp<ShardOp>())
    return stated(annotation);
  for (Operation *user : value.getUsers())
    if (auto annotation = dyn_cast<ShardOp>(user))
      if (!annotation.getAnnotateForUsers())
        return stated(annotation);
  auto argument = dyn_cast<BlockArgument>(value);
  auto owner = argument && argument.getOwner()->isEntryBlock()
                   ? dyn_cast_or_null<FunctionOpInterface>(
                         argument.getOwner()->getParentOp())
                   : FunctionOpInterface();
  auto attribute = owner ? owner.getArgAttrOfType<ShardingAttr>(
                               argument.getArgNumber(), kShardingAttrName)
                         : ShardingAttr();
  return attribute ? getGrid(owner, attribute.getGrid(), symbols) : GridOp();
}

LogicalResult FunctionShardings::readSignature() {
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (function.getArgAttr(index, kLocalAttrName))
      return function.emitError()
             << "function '" << function.getName()
             << "' is partitioned already (argument #" << index << " has '"
             << kLocalAttrName << "')";
    FailureOr<const Sharding *> sharding =
        readAttribute(function.getArgAttr(index, kShardingAttrName), type);
    if (failed(sharding))
      return failure();
    signature.arguments.push_back(*sharding);
    if (function.getArgAttr(index, kShardingAttrName) && !function.isExternal())
      stated[function.getArgument(index)] = *sharding;
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    if (function.getResultAttr(index, kLocalAttrName))
      return function.emitError()
             << "function '" << function.getName()
             << "' is partitioned already (result #" << index << " has '"
             << kLocalAttrName << "')";
    FailureOr<const Sharding *> sharding =
        readAttribute(function.getResultAttr(index, kShardingAttrName), type);
    if (failed(sharding))
      return failure();
    signature.results.push_back(*sharding);
  }
  return success();
}

Value FunctionShardings::leader(Value value) const {
  for (auto it = joined.find(value); it != joined.end();
       it = joined.find(value))
    value = it->second;
  return value;
}

/// Inputs of region successors that one operand feeds are one class: the
/// operand has one local form.
void FunctionShardings::joinEdges() {
  function->walk([&](RegionBranchOpInterface branch) {
    RegionEdges edges(branch);
    for (const auto &[operand, inputs] : edges.byOperand())
      for (Value input : inputs) {
        Value a = leader(inputs.front()), b = leader(input);
        if (a != b)
          joined[b] = a;
      }
  });
}

LogicalResult FunctionShardings::state(Value value, const Sharding *sharding,
                                       Operation *by) {
  const Sharding *&entry = stated[leader(value)];
  if (!entry || entry == sharding) {
    entry = sharding;
    return success();
  }
  auto text = [&](const Sharding *sharding) {
    GridOp grid = pool.gridOf(sharding);
    return toString(*sharding) + (grid && grid != gridOp
                                      ? " on grid @" + grid.getSymName().str()
                                      : "");
  };
  InFlightDiagnostic error = by->emitError()
                             << "a value with sharding " << text(entry)
                             << " cannot have sharding " << text(sharding)
                             << " too; mark one of them annotate_for_users";
  error.attachNote(value.getLoc()) << "the value";
  return error;
}

/// Numbers that are values of the function have no meaning outside.
static void leaveRunTimeNumbers(Sharding &sharding) {
  if (!sharding.hasRunTimeNumbers())
    return;
  sharding.halos.clear();
  sharding.offsets.clear();
}

LogicalResult FunctionShardings::readAnnotation(ShardOp op) {
  ShardingOp handle = getShardingOp(op.getSharding());
  if (!handle)
    return op.emitError() << "partition needs a shard.sharding op as the "
                             "sharding of a value";
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  const Sharding *&sharding = handles[{handle, rank}];
  if (!sharding) {
    FailureOr<GridOp> used = useGrid(op, handle.getGridAttr());
    if (failed(used))
      return failure();
    FailureOr<Sharding> resolved =
        resolve(handle, rank, [&] { return handle.emitError(); });
    if (failed(resolved))
      return failure();
    sharding = pool.intern(*resolved, *used);
  }
  if (failed(state(op.getResult(), sharding, op)))
    return failure();
  if (op.getAnnotateForUsers() && sharding->hasRunTimeNumbers())
    startingHere.push_back(op);
  return op.getAnnotateForUsers() ? success()
                                  : state(op.getSrc(), sharding, op);
}

/// Results without a hint have the sharding of what is returned, if all returns
/// agree and it is not partial.
LogicalResult FunctionShardings::readResults() {
  SmallVector<const Sharding *> returned(signature.results.size());
  SmallVector<bool> agree(signature.results.size(), true);
  for (mlir::Block &block : function.getFunctionBody()) {
    Operation *terminator = block.getTerminator();
    if (!terminator->hasTrait<OpTrait::ReturnLike>() ||
        terminator->getNumOperands() != returned.size())
      continue;
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      const Sharding *sharding = of(value);
      agree[index] =
          agree[index] && (!returned[index] || returned[index] == sharding);
      returned[index] = sharding;
    }
  }
  for (auto [index, sharding] : llvm::enumerate(returned)) {
    if (!sharding || !agree[index] ||
        function.getResultAttr(index, kShardingAttrName))
      continue;
    Sharding reduced = *sharding;
    reduced.partial.clear();
    leaveRunTimeNumbers(reduced);
    signature.results[index] = pool.intern(reduced, pool.gridOf(sharding));
  }
  return success();
}

/// An argument that says nothing itself arrives as all its users want it, if they
/// agree: LLVM's partition does the same.
void FunctionShardings::shardAsUsed(BlockArgument argument) {
  if (isStated(argument) || argument.use_empty())
    return;
  const Sharding *wanted = nullptr;
  for (Operation *user : argument.getUsers()) {
    auto annotation = dyn_cast<ShardOp>(user);
    const Sharding *here = annotation ? of(annotation.getResult()) : nullptr;
    if (!here || !here->partial.empty() || (wanted && wanted != here))
      return;
    wanted = here;
  }
  if (wanted && wanted->hasRunTimeNumbers()) {
    Sharding known = *wanted;
    leaveRunTimeNumbers(known);
    wanted = pool.intern(known, pool.gridOf(wanted));
  }
  stated[leader(argument)] = wanted;
}

LogicalResult FunctionShardings::read() {
  joinEdges();
  if (failed(readSignature()))
    return failure();
  if (function.isExternal())
    return success();
  bool failedAny =
      function
          ->walk([&](Operation *op) {
            bool bad = false;
            if (auto annotation = dyn_cast<ShardOp>(op))
              bad = failed(readAnnotation(annotation));
            else if (auto manual = dyn_cast<ManualComputationOp>(op))
              bad = failed(useGrid(op, manual.getGridAttr()));
            return bad ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (failedAny)
    return failure();
  for (ShardOp annotation : startingHere) {
    Sharding known = *of(annotation.getResult());
    known.partial.clear();
    leaveRunTimeNumbers(known);
    if (!isStated(annotation.getSrc()))
      stated[leader(annotation.getSrc())] =
          pool.intern(known, pool.gridOf(of(annotation.getResult())));
  }
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    shardAsUsed(argument);
    signature.arguments[index] = of(argument);
  }
  return readResults();
}

GridOp FunctionShardings::gridNamed(ManualComputationOp op) const {
  return getGrid(op, op.getGridAttr(), symbols);
}

LogicalResult FunctionShardings::checkWithout(const ManualAxes &manual) {
  auto check = [&](const Sharding *sharding, Location location) {
    GridOp grid = pool.gridOf(sharding);
    for (GridAxis axis : manual.lookup(grid))
      if (llvm::is_contained(sharding->partial, axis) ||
          sharding->isSplitBy(axis))
        return LogicalResult(mlir::emitError(location)
                             << "a value with sharding " << toString(*sharding)
                             << " uses axis " << grid.axisName(axis)
                             << ", which is manual where its function is "
                                "called");
    return success();
  };
  for (const auto *list : {&signature.arguments, &signature.results})
    for (const Sharding *sharding : *list)
      if (failed(check(sharding, function->getLoc())))
        return failure();
  WalkResult walk = function->walk([&](ShardOp annotation) {
    return WalkResult(check(of(annotation.getResult()), annotation.getLoc()));
  });
  if (walk.wasInterrupted())
    return failure();
  walk = function->walk([&](ManualComputationOp inner) {
    GridOp grid = getGrid(inner, inner.getGridAttr(), symbols);
    AxisList axes = manual.lookup(grid);
    for (auto reference : inner.getManualAxes().getAsRange<AxisRefAttr>()) {
      GridAxis axis = *grid.axisNumber(reference);
      if (llvm::is_contained(axes, axis)) {
        inner.emitError() << "axis " << grid.axisName(axis)
                          << " is manual already where this function is called";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

const Sharding *FunctionShardings::of(Value value) const {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return nullptr;
  if (const Sharding *sharding = stated.lookup(leader(value)))
    return sharding;
  return pool.replicated(tensor.getRank());
}

} // namespace shard
