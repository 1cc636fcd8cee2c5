//===- UnrollRegions.cpp - Regions and calls with collectives -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices that the collectives of a region connect go through it together (Unroller.h).
// They must take the same way; shard-verify-spmd checks that. Where a branch depends on
// a device's place alone, each device's way is known, and only the ops on it are copied.
//
//===----------------------------------------------------------------------===//

#include "Unroller.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace shard;
using namespace shard::reference;

//===----------------------------------------------------------------------===//
// What communicates with whom
//===----------------------------------------------------------------------===//

/// The function with a body that `op` calls; null if it calls none.
func::FuncOp Unroller::calleeOf(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  auto callee = call ? dyn_cast_or_null<func::FuncOp>(
                           call.resolveCallableInTable(&symbols))
                     : func::FuncOp();
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

/// Whether `op` cannot be copied for one device alone: it is or contains a
/// collective, or calls a function that contains one or asks for a device's place.
bool Unroller::communicates(Operation *op) {
  if (isCollective(op))
    return true;
  WalkResult walk = op->walk([&](Operation *inner) {
    if (isCollective(inner) || isa<ManualComputationOp>(inner))
      return WalkResult::interrupt();
    func::FuncOp callee = calleeOf(inner);
    if (!callee)
      return WalkResult::advance();
    auto [known, isNew] = functionsThatCommunicate.try_emplace(callee, false);
    if (isNew) {
      bool result = false;
      callee.walk([&](Operation *called) {
        if (!result && called != callee)
          result = isa<ProcessMultiIndexOp, ProcessLinearIndexOp, GridShapeOp>(
                       called) ||
                   isCollective(called) ||
                   (calleeOf(called) && communicates(called));
      });
      known = functionsThatCommunicate.find(callee);
      known->second = result;
    }
    return known->second ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// A call that is deeper than this is taken for a recursion.
static constexpr unsigned kMostCalls = 64;

/// The axes along which a collective moves values.
static AxisList axesOf(Operation *op) {
  AxisList axes;
  auto add = [&](Attribute attribute) {
    if (auto named = dyn_cast_if_present<GridAxesAttr>(attribute))
      for (GridAxis axis : named.asArrayRef())
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
  };
  for (StringRef name : {"grid_axes", "from_axes", "to_axes"})
    add(op->getAttr(name));
  if (auto halo = dyn_cast<UpdateHaloOp>(op))
    for (GridAxesAttr list : halo.getSplitAxes())
      add(list);
  return axes;
}

/// Joins in `classes` the members that collectives inside `op` connect.
LogicalResult Unroller::connect(Operation *op, const Scope &scope,
                                llvm::EquivalenceClasses<int64_t> &classes,
                                unsigned depth) {
  if (depth > kMostCalls)
    return op->emitError("calls, in a recursion, a function with collectives, "
                         "which the reference of one device does not support");
  WalkResult walk = op->walk([&](Operation *inner) {
    if (func::FuncOp callee = calleeOf(inner);
        callee && communicates(inner) &&
        failed(connect(callee, scope, classes, depth + 1)))
      return WalkResult::interrupt();
    if (!isCollective(inner))
      return WalkResult::advance();
    FailureOr<Grid> devices = devicesFor(inner, scope);
    if (failed(devices))
      return WalkResult::interrupt();
    AxisList axes = axesOf(inner);
    for (int64_t device : scope.members)
      for (int64_t member : devices->groupMembers(device, axes))
        if (llvm::is_contained(scope.members, member))
          classes.unionSets(device, member);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The members in classes that go through `op` together.
FailureOr<std::vector<SmallVector<int64_t>>>
Unroller::connected(Operation *op, const Scope &scope) {
  llvm::EquivalenceClasses<int64_t> classes;
  for (int64_t device : scope.members)
    classes.insert(device);
  if (failed(connect(op, scope, classes, 0)))
    return failure();
  llvm::MapVector<int64_t, SmallVector<int64_t>> byLeader;
  for (int64_t device : scope.members)
    byLeader[classes.getLeaderValue(device)].push_back(device);
  std::vector<SmallVector<int64_t>> result;
  for (auto &[leader, members] : byLeader)
    result.push_back(members);
  return result;
}

LogicalResult Unroller::copyConnected(Operation *op, Scope &scope) {
  auto classes = connected(op, scope);
  if (failed(classes))
    return failure();
  llvm::SaveAndRestore<SmallVector<int64_t>> saved(scope.members);
  for (const SmallVector<int64_t> &members : *classes) {
    scope.members = members;
    if (failed(copyTogether(op, scope)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Values side by side
//===----------------------------------------------------------------------===//

SmallVector<Value> Unroller::copiesOf(ValueRange values, const Scope &scope) {
  SmallVector<Value> copies;
  for (Value value : values)
    for (int64_t device : scope.members) {
      Value copy = scope.values[device].lookupOrDefault(value);
      // Copies may know more of their shape.
      if (copy.getType() != value.getType())
        copy = tensor::CastOp::create(builder, value.getLoc(), value.getType(),
                                      copy);
      copies.push_back(copy);
    }
  return copies;
}

SmallVector<Type> Unroller::copiesOf(TypeRange types, const Scope &scope) {
  SmallVector<Type> copies;
  for (Type type : types)
    copies.append(scope.members.size(), type);
  return copies;
}

void Unroller::mapCopies(ValueRange values, ValueRange copies, Scope &scope) {
  size_t next = 0;
  for (Value value : values)
    for (int64_t device : scope.members)
      scope.values[device].map(value, copies[next++]);
}

void Unroller::addArguments(mlir::Block &from, mlir::Block &to, Scope &scope) {
  size_t before = to.getNumArguments();
  for (BlockArgument argument : from.getArguments())
    for (size_t i = 0; i < scope.members.size(); ++i)
      to.addArgument(argument.getType(), argument.getLoc());
  mapCopies(from.getArguments(), to.getArguments().drop_front(before), scope);
}

/// What decides which way the members take: one value for all.
FailureOr<Value> Unroller::common(Operation *op, Value value,
                                  const Scope &scope) {
  Value first = scope.values[scope.members.front()].lookupOrDefault(value);
  Attribute known;
  if (!matchPattern(first, m_Constant(&known)))
    return first;
  for (int64_t device : scope.members) {
    Attribute other;
    Value own = scope.values[device].lookupOrDefault(value);
    if (matchPattern(own, m_Constant(&other)) && other != known)
      return op->emitOpError("takes another way on device ")
             << device << " than on device " << scope.members.front()
             << ", but a collective inside connects them";
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult Unroller::copyOps(mlir::Block &block, Scope &scope) {
  for (Operation &op : block.without_terminator())
    if (failed(copy(&op, scope)))
      return failure();
  return success();
}

/// Copies the terminator of a block; `blocks` has the copies of successors.
LogicalResult Unroller::copyTerminator(Operation *op, Scope &scope,
                                       IRMapping &blocks) {
  Location loc = op->getLoc();
  auto to = [&](mlir::Block *block) { return blocks.lookupOrDefault(block); };
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    cf::BranchOp::create(builder, loc, to(branch.getDest()),
                         copiesOf(branch.getDestOperands(), scope));
    return success();
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    FailureOr<Value> condition = common(op, branch.getCondition(), scope);
    if (failed(condition))
      return failure();
    cf::CondBranchOp::create(builder, loc, *condition, to(branch.getTrueDest()),
                             copiesOf(branch.getTrueDestOperands(), scope),
                             to(branch.getFalseDest()),
                             copiesOf(branch.getFalseDestOperands(), scope));
    return success();
  }
  if (auto branch = dyn_cast<cf::SwitchOp>(op)) {
    FailureOr<Value> flag = common(op, branch.getFlag(), scope);
    if (failed(flag))
      return failure();
    SmallVector<mlir::Block *> targets;
    SmallVector<SmallVector<Value>> operands;
    for (auto [index, target] : llvm::enumerate(branch.getCaseDestinations())) {
      targets.push_back(to(target));
      operands.push_back(copiesOf(branch.getCaseOperands(index), scope));
    }
    SmallVector<ValueRange> ranges(operands.begin(), operands.end());
    cf::SwitchOp::create(builder, loc, *flag,
                         to(branch.getDefaultDestination()),
                         copiesOf(branch.getDefaultOperands(), scope),
                         branch.getCaseValuesAttr(), targets, ranges);
    return success();
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    FailureOr<Value> goesOn = common(op, condition.getCondition(), scope);
    if (failed(goesOn))
      return failure();
    scf::ConditionOp::create(builder, loc, *goesOn,
                             copiesOf(condition.getArgs(), scope));
    return success();
  }
  // Those of functions end an scf.execute_region here.
  if (isa<scf::YieldOp, func::ReturnOp>(op)) {
    scf::YieldOp::create(builder, loc, copiesOf(op->getOperands(), scope));
    return success();
  }
  return notSupported(op) << ": it ends a block with collectives";
}

/// Copies the ops of `from`, whose arguments have copies, to `to`.
LogicalResult Unroller::fillBlock(mlir::Block &from, mlir::Block &to,
                                  Scope &scope) {
  OpBuilder::InsertionGuard guard(builder);
  Messages own(builder);
  llvm::SaveAndRestore<Messages *> saved(messages, &own);
  if (!to.empty() && to.back().hasTrait<OpTrait::IsTerminator>())
    to.back().erase();
  builder.setInsertionPointToEnd(&to);
  IRMapping none;
  if (failed(copyOps(from, scope)) ||
      failed(copyTerminator(from.getTerminator(), scope, none)))
    return failure();
  return own.finish(to);
}

LogicalResult Unroller::copyBlocks(Region &from, Region &to, Scope &scope) {
  OpBuilder::InsertionGuard guard(builder);
  IRMapping blocks;
  for (mlir::Block &block : from) {
    mlir::Block *copy = builder.createBlock(&to, to.end());
    blocks.map(&block, copy);
    // The arguments of the entry are those of a function, which have copies.
    if (!block.isEntryBlock())
      addArguments(block, *copy, scope);
  }
  for (mlir::Block *block : getBlocksSortedByDominance(from)) {
    Messages own(builder);
    llvm::SaveAndRestore<Messages *> saved(messages, &own);
    mlir::Block *copy = blocks.lookup(block);
    builder.setInsertionPointToEnd(copy);
    if (failed(copyOps(*block, scope)) ||
        failed(copyTerminator(block->getTerminator(), scope, blocks)) ||
        failed(own.finish(*copy)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with regions
//===----------------------------------------------------------------------===//

/// Copies the one region that each member takes by `condition`, if all are known:
/// `isDone` tells. Region i is for value i of `scf.if` and, by its cases, of
/// `scf.index_switch`.
LogicalResult Unroller::copyChosen(Operation *op, Value condition, Scope &scope,
                                   bool &isDone) {
  SmallVector<SmallVector<int64_t>> chosenBy(op->getNumRegions());
  for (int64_t device : scope.members) {
    APInt value;
    Value own = scope.values[device].lookupOrDefault(condition);
    if (!matchPattern(own, m_ConstantInt(&value)))
      return success();
    size_t region = 0;
    if (isa<scf::IfOp>(op)) {
      region = value.isZero() ? 1 : 0;
    } else {
      auto cases = cast<scf::IndexSwitchOp>(op).getCases();
      auto found = llvm::find(cases, value.getSExtValue());
      region = found == cases.end() ? 0 : found - cases.begin() + 1;
    }
    chosenBy[region].push_back(device);
  }
  isDone = true;
  llvm::SaveAndRestore<SmallVector<int64_t>> saved(scope.members);
  for (auto [region, members] : llvm::zip_equal(op->getRegions(), chosenBy)) {
    if (members.empty() || region.empty())
      continue;
    scope.members = members;
    if (failed(copyOps(region.front(), scope)))
      return failure();
    for (auto [result, yielded] : llvm::zip_equal(
             op->getResults(), region.front().getTerminator()->getOperands()))
      mapCopies(result, copiesOf(yielded, scope), scope);
  }
  return success();
}

LogicalResult Unroller::copyCall(func::CallOp call, Scope &scope) {
  func::FuncOp callee = calleeOf(call);
  if (callDepth > kMostCalls)
    return call.emitError("calls, in a recursion, a function with collectives, "
                          "which the reference of one device does not support");
  llvm::SaveAndRestore<unsigned> deeper(callDepth, callDepth + 1);
  mapCopies(callee.getArguments(), copiesOf(call.getOperands(), scope), scope);
  Region &body = callee.getBody();
  if (body.hasOneBlock()) {
    if (failed(copyOps(body.front(), scope)))
      return failure();
    mapCopies(call.getResults(),
              copiesOf(body.front().getTerminator()->getOperands(), scope),
              scope);
    return success();
  }
  auto region = scf::ExecuteRegionOp::create(
      builder, call.getLoc(), copiesOf(call.getResultTypes(), scope));
  if (failed(copyBlocks(body, region.getRegion(), scope)))
    return failure();
  mapCopies(call.getResults(), region.getResults(), scope);
  return success();
}

FailureOr<Operation *> Unroller::together(scf::ForOp loop, Scope &scope) {
  FailureOr<Value> lower = common(loop, loop.getLowerBound(), scope);
  FailureOr<Value> upper = common(loop, loop.getUpperBound(), scope);
  FailureOr<Value> step = common(loop, loop.getStep(), scope);
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  auto copy = scf::ForOp::create(builder, loop.getLoc(), *lower, *upper, *step,
                                 copiesOf(loop.getInitArgs(), scope));
  copy.setUnsignedCmp(loop.getUnsignedCmp());
  for (int64_t device : scope.members)
    scope.values[device].map(loop.getInductionVar(), copy.getInductionVar());
  mapCopies(loop.getRegionIterArgs(), copy.getRegionIterArgs(), scope);
  if (failed(fillBlock(*loop.getBody(), *copy.getBody(), scope)))
    return failure();
  return copy.getOperation();
}

FailureOr<Operation *> Unroller::together(scf::IfOp branch, Scope &scope) {
  FailureOr<Value> condition = common(branch, branch.getCondition(), scope);
  if (failed(condition))
    return failure();
  auto copy = scf::IfOp::create(builder, branch.getLoc(),
                                copiesOf(branch.getResultTypes(), scope),
                                *condition, !branch.getElseRegion().empty());
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), copy->getRegions()))
    if (!from.empty() && failed(fillBlock(from.front(), to.front(), scope)))
      return failure();
  return copy.getOperation();
}

FailureOr<Operation *> Unroller::together(scf::IndexSwitchOp choice,
                                          Scope &scope) {
  FailureOr<Value> argument = common(choice, choice.getArg(), scope);
  if (failed(argument))
    return failure();
  auto copy = scf::IndexSwitchOp::create(
      builder, choice.getLoc(), copiesOf(choice.getResultTypes(), scope),
      *argument, choice.getCases(), choice.getCaseRegions().size());
  for (auto [from, to] :
       llvm::zip_equal(choice->getRegions(), copy->getRegions()))
    if (failed(fillBlock(from.front(), to.emplaceBlock(), scope)))
      return failure();
  return copy.getOperation();
}

FailureOr<Operation *> Unroller::together(scf::WhileOp loop, Scope &scope) {
  auto copy = scf::WhileOp::create(builder, loop.getLoc(),
                                   copiesOf(loop.getResultTypes(), scope),
                                   copiesOf(loop.getInits(), scope));
  for (auto [from, to] :
       llvm::zip_equal(loop->getRegions(), copy->getRegions())) {
    mlir::Block &block = to.emplaceBlock();
    addArguments(from.front(), block, scope);
    if (failed(fillBlock(from.front(), block, scope)))
      return failure();
  }
  return copy.getOperation();
}

FailureOr<Operation *> Unroller::together(scf::ExecuteRegionOp region,
                                          Scope &scope) {
  auto copy = scf::ExecuteRegionOp::create(
      builder, region.getLoc(), copiesOf(region.getResultTypes(), scope));
  if (failed(copyBlocks(region.getRegion(), copy.getRegion(), scope)))
    return failure();
  return copy.getOperation();
}

/// Reports the collective in `op`, which devices cannot go through together.
static LogicalResult cannotGoTogether(Operation *op) {
  WalkResult walk = op->walk([&](Operation *inner) {
    if (!isCollective(inner) && !isa<ManualComputationOp>(inner))
      return WalkResult::advance();
    notSupported(inner) << " inside a region of " << op->getName();
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return notSupported(op) << ": it calls a function with collectives";
}

/// Copies `op`, which is no op of the dialect and communicates, for all members.
LogicalResult Unroller::copyTogether(Operation *op, Scope &scope) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return copyCall(call, scope);
  bool isChosen = false;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op) &&
      failed(copyChosen(op, op->getOperand(0), scope, isChosen)))
    return failure();
  if (isChosen)
    return success();
  using Result = FailureOr<Operation *>;
  Result copy = TypeSwitch<Operation *, Result>(op)
                    .Case<scf::ExecuteRegionOp, scf::ForOp, scf::IfOp,
                          scf::IndexSwitchOp, scf::WhileOp>(
                        [&](auto inner) { return together(inner, scope); })
                    .Default([](Operation *other) -> Result {
                      return cannotGoTogether(other);
                    });
  if (failed(copy))
    return failure();
  mapCopies(op->getResults(), (*copy)->getResults(), scope);
  return success();
}
