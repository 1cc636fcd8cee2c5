//===- Reader.cpp - From the program to a problem of the engine -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace shard::propagation {

ValueId Reader::fresh(RankedTensorType type) {
  ValueId id = problem.addValue(tables.shapeOf(type), scope);
  parent.push_back(id);
  return id;
}

ValueId Reader::idOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return kNoValue;
  auto [entry, isNew] = ids.try_emplace(value, 0);
  if (isNew) {
    entry->second = fresh(type);
    values.emplace_back(value, entry->second);
  }
  return entry->second;
}

void Reader::unite(ValueId a, ValueId b) {
  if (a == kNoValue || b == kNoValue)
    return;
  a = find(a);
  b = find(b);
  // The older one stands for both, so that paths stay short in loops.
  if (a == b)
    return;
  if (a > b)
    std::swap(a, b);
  parent[b] = a;
  // A call may have fewer manual axes around it than its callee.
  auto &scopes = problem.valueScope;
  if (problem.scopes[scopes[b]].size() > problem.scopes[scopes[a]].size())
    scopes[a] = scopes[b];
}

void Reader::edge(OpOperand &use, ValueId target) {
  ValueId source = idOf(use.get());
  if (source == kNoValue || target == kNoValue)
    return;
  problem.addOp(tables.identityOf(problem.valueShape[target]), source, target);
  origins.push_back(&use);
}

void Reader::silentEdge(TableId table, ValueId source, ValueId target,
                        Operation *op) {
  silent[problem.addOp(table, source, target)] = op;
  origins.push_back(Origin());
}

Operation *Reader::ownerOf(OpId op) const {
  Origin origin = origins[op];
  if (origin.isNull())
    return silent.lookup(op);
  auto *use = dyn_cast<OpOperand *>(origin);
  return use ? use->getOwner() : cast<Operation *>(origin);
}

LogicalResult Reader::declare(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments()) {
    ValueId id = idOf(argument);
    if (id == kNoValue)
      continue;
    problem.neverPartial[id] = true;
    if (auto attr = function.getArgAttrOfType<ShardingAttr>(
            argument.getArgNumber(), kShardingAttrName))
      if (failed(addHint(id, attr, argument.getType(), argument.getLoc())))
        return failure();
  }
  llvm::SmallVector<ValueId, 1> ids;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    ids.push_back(tensor ? fresh(tensor) : kNoValue);
    if (!tensor)
      continue;
    problem.neverPartial[ids.back()] = true;
    if (auto attr = function.getResultAttrOfType<ShardingAttr>(
            index, kShardingAttrName))
      if (failed(addHint(ids.back(), attr, type, function.getLoc())))
        return failure();
  }
  results[function] = std::move(ids);
  return success();
}

LogicalResult Reader::read(ArrayRef<FunctionOpInterface> functions) {
  if (failed(findScopes(functions)))
    return failure();
  for (FunctionOpInterface function : functions) {
    scope = scopeOf.lookup(function);
    if (failed(declare(function)))
      return failure();
  }
  for (FunctionOpInterface function : functions) {
    this->function = function;
    scope = scopeOf.lookup(function);
    if (failed(readRegion(function.getFunctionBody())))
      return failure();
  }
  for (ValueId &value : problem.opTensors)
    value = find(value);
  for (size_t id = 0; id < parent.size(); ++id)
    if (parent[id] != id) {
      // A value with several definitions is never partial; neither is what
      // several names are for, if one of them is not.
      problem.neverPartial[find(id)] =
          problem.neverPartial[find(id)] || problem.neverPartial[id];
    }
  return failure(failed(checkScopes()) || failed(mergeHints()));
}

LogicalResult Reader::readRegion(Region &region) {
  for (mlir::Block &block : region) {
    for (BlockArgument argument : block.getArguments()) {
      ValueId id = idOf(argument);
      if (id != kNoValue)
        problem.neverPartial[id] = true;
    }
    for (Operation &op : block)
      if (failed(readOp(&op)))
        return failure();
  }
  return success();
}

LogicalResult Reader::readOp(Operation *op) {
  if (op->getDialect() == gridOp->getDialect()) {
    if (isa<ShardingOp, GetShardingOp, ShardOp, ConstraintOp, GroupOp,
            ManualComputationOp, ReturnOp>(op))
      return readShardOp(op);
  } else if (op->hasTrait<OpTrait::IsTerminator>()) {
    if (isa<BranchOpInterface>(op))
      readBranch(op);
    else if (op->getParentOp() == function)
      readReturn(op);
    // Terminators of regions are read with the op around them.
    return success();
  } else if (isa<CallOpInterface>(op) && readCall(op)) {
    return success();
  } else if (RegionLoopsInterface loops = asRegionLoops(op)) {
    return readRegionLoops(loops);
  } else if (op->getNumRegions() && isa<RegionBranchOpInterface>(op) &&
             readRegionBranch(op)) {
    for (Region &region : op->getRegions())
      if (failed(readRegion(region)))
        return failure();
    return success();
  }
  readTableOp(op);
  return success();
}

void Reader::readTableOp(Operation *op) {
  // What the body uses of the outside it uses whole.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands()) {
        if (!isa<RankedTensorType>(use.get().getType()) ||
            op->isAncestor(use.get().getParentBlock()->getParentOp()))
          continue;
        ValueId id = idOf(use.get());
        problem.neverPartial[id] = true;
        captured.push_back({&use, op, id});
      }
    });
  llvm::SmallVector<ValueId, 8> operands, results;
  bool any = false;
  for (Value operand : op->getOperands())
    any |= operands.emplace_back(idOf(operand)) != kNoValue;
  for (Value result : op->getResults())
    any |= results.emplace_back(idOf(result)) != kNoValue;
  if (!any)
    return;
  problem.addOp(tables.tableOf(op), operands, results);
  origins.push_back(op);
}

/// An annotation by the sharding that another value ends with makes the two one, as
/// a group does.
LogicalResult Reader::tieToAsked(ShardOp annotation, ValueId target) {
  auto asked = annotation.getSharding().getDefiningOp<GetShardingOp>();
  if (!asked)
    return annotation.emitError()
           << "the sharding of this annotation is not known here; state it by "
              "shard.sharding, or take that of a value by shard.get_sharding";
  ValueId source = idOf(asked.getSource());
  if (source == kNoValue ||
      problem.shapes[problem.valueShape[source]].extents !=
          problem.shapes[problem.valueShape[target]].extents ||
      problem.valueScope[source] != problem.valueScope[target])
    return annotation.emitError()
           << "takes the sharding of a value of another shape, or across the "
              "border of a manual_computation; state the sharding by "
              "shard.sharding";
  hinted.push_back(source);
  unite(source, target);
  return success();
}

LogicalResult Reader::readShardOp(Operation *op) {
  if (auto shard = dyn_cast<ShardOp>(op)) {
    ShardingOp sharding = getShardingOp(shard.getSharding());
    auto type = cast<RankedTensorType>(shard.getResult().getType());
    ValueId source = idOf(shard.getSrc());
    ValueId target;
    if (shard.getAnnotateForUsers()) {
      target = idOf(shard.getResult());
      problem.reshards.push_back(problem.numOps());
      silentEdge(tables.identityOf(problem.valueShape[target]), source, target,
                 op);
    } else {
      target = source;
      hinted.push_back(source);
      auto [entry, isNew] = ids.try_emplace(shard.getResult(), source);
      if (!isNew)
        unite(source, entry->second);
      else
        values.emplace_back(shard.getResult(), source);
    }
    if (sharding)
      return addHint(target, sharding, type, op->getLoc());
    return tieToAsked(shard, target);
  }
  if (auto constraint = dyn_cast<ConstraintOp>(op)) {
    ValueId source = idOf(constraint.getInput());
    ValueId target = source;
    if (constraint.getResult().use_empty()) {
      hinted.push_back(source);
      ids[constraint.getResult()] = source;
      values.emplace_back(constraint.getResult(), source);
    } else {
      target = idOf(constraint.getResult());
      problem.reshards.push_back(problem.numOps());
      silentEdge(tables.identityOf(problem.valueShape[target]), source, target,
                 op);
    }
    if (failed(checkGrid(constraint.getSharding().getGrid(), op, op->getLoc())))
      return failure();
    return addHint(target, constraint.getSharding(),
                   constraint.getInput().getType(), op->getLoc());
  }
  if (auto group = dyn_cast<GroupOp>(op)) {
    for (Value input : group.getInputs()) {
      ValueId id = idOf(input);
      hinted.push_back(id);
      auto [entry, isNew] =
          groups.try_emplace({function, int64_t(group.getId())}, id);
      if (isNew)
        continue;
      const Shape &here = problem.shapes[problem.valueShape[id]];
      const Shape &there = problem.shapes[problem.valueShape[entry->second]];
      if (here.extents != there.extents ||
          problem.valueScope[id] != problem.valueScope[entry->second])
        return op->emitError() << "group " << group.getId()
                               << " joins values of different shapes, or "
                                  "across the border of a "
                                  "manual_computation";
      unite(entry->second, id);
    }
    return success();
  }
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    return readManual(manual);
  return success();
}

} // namespace shard::propagation
