//===- LocalFunction.cpp - What one device has of a function --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/LocalFunction.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/ShardingOption.h"

using namespace mlir;

namespace shard {

LocalFunction::LocalFunction(FunctionOpInterface function,
                             const FunctionShardings &shardings,
                             ShardingPool &pool, ProgramGrids &grids,
                             SignatureLookup signatureOf,
                             const PartitionOptions &options,
                             PlannedReshards *planned)
    : function(function), shardings(shardings), pool(pool),
      signatureOf(signatureOf), options(options), grids(grids),
      planned(planned), builder(function->getContext()) {}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

LocalFunction::OnGrid::OnGrid(GridOp grid, LocalFunction &local)
    : emission{planningGrid,
               FlatSymbolRefAttr::get(grid.getSymNameAttr()),
               local.grids.plannerOf(grid),
               &known,
               &extents,
               &blockExtents,
               [&local](Value value) {
                 Value known = local.locals.lookup(value).value;
                 // Ops that compute numbers may have moved as they are.
                 return known ? known : value;
               }} {
  planningGrid.shape.assign(grid.getShape().begin(), grid.getShape().end());
  planningGrid.unevenDynamic = grid.getUnevenDynamic();
}

LocalFunction::OnGrid &LocalFunction::on(GridOp grid) {
  return onGrid.try_emplace(grid, grid, *this).first->second;
}

SmallVector<GridOp> LocalFunction::usedGrids() const {
  return llvm::map_to_vector(llvm::make_first_range(onGrid),
                             [](Operation *op) { return cast<GridOp>(op); });
}

const Emission &LocalFunction::emissionFor(const Sharding *sharding) {
  GridOp grid = pool.gridOf(sharding);
  return on(grid ? grid : GridOp(shardings.gridOp)).emission;
}

FailureOr<GridOp> LocalFunction::gridOf(Operation *op) {
  GridOp grid;
  auto add = [&](const Sharding *sharding) -> LogicalResult {
    GridOp other = sharding ? pool.gridOf(sharding) : GridOp();
    if (!other || other == grid)
      return success();
    if (!grid) {
      grid = other;
      return success();
    }
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' has tensors on grid @"
           << grid.getSymName() << " and on grid @" << other.getSymName()
           << "; reshard some of them in front of it, by a shard.shard with "
              "annotate_for_users";
  };
  for (Value operand : op->getOperands())
    if (failed(add(locals.lookup(operand).sharding)))
      return failure();
  for (Value result : op->getResults())
    if (failed(add(shardings.of(result))))
      return failure();
  return grid ? grid : GridOp(shardings.gridOp);
}

bool LocalFunction::usesUnknownSizes(Operation *op) {
  auto isUnknown = [&](const Sharding *sharding) {
    return sharding && hasUnknownSizes(emissionFor(sharding).grid);
  };
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) {
                        return isUnknown(locals.lookup(operand).sharding);
                      }) ||
         llvm::any_of(op->getResults(), [&](Value result) {
           return isUnknown(shardings.of(result));
         });
}

void LocalFunction::setManual(const ManualAxes &manual) {
  isManual = !manual.empty();
  for (const auto &[grid, axes] : manual)
    for (GridAxis axis : axes)
      on(cast<GridOp>(grid)).planningGrid.shape[axis] = 1;
}

Type LocalFunction::localTypeOf(Type type, const Sharding *sharding) {
  return sharding ? localType(cast<RankedTensorType>(type),
                              emissionFor(sharding).grid, *sharding)
                  : type;
}

/// On the grid of the source to a sharding that the refined grid can express, there to
/// that of the target, and on the grid of the target to the target.
FailureOr<Value> LocalFunction::moveToGrid(Location loc, Value local,
                                           RankedTensorType type,
                                           const Sharding *from,
                                           const Sharding *to) {
  GridOp first = pool.gridOf(from), second = pool.gridOf(to);
  const Emission &source = on(first).emission, &target = on(second).emission;
  InFlightDiagnostic error = mlir::emitError(loc);
  error << "moves a value from grid @" << first.getSymName() << " to grid @"
        << second.getSymName() << ", but ";
  if (hasUnknownSizes(source.grid) || hasUnknownSizes(target.grid))
    return error << "the sizes of their axes are not known";
  if (first.getShape() != ArrayRef<int64_t>(source.grid.shape) ||
      second.getShape() != ArrayRef<int64_t>(target.grid.shape))
    return error << "axes are manual here; move it outside of the "
                    "manual_computation";
  SymbolTableCollection symbols;
  if (deviceIdsOf(first, symbols) != deviceIdsOf(second, symbols))
    return error << "they have other device_ids: give both the same";
  if (!type.hasStaticShape())
    return error << type << " has dynamic extents; make it replicated first";
  std::string reason;
  std::optional<CrossGridPlan> plan =
      planBetweenGrids(source.grid, target.grid, type.getShape().vec(),
                       elementBytes(type), *from, *to, &reason);
  if (!plan)
    return error << reason;
  error.abandon();
  FailureOr<Value> moved =
      emitReshard(builder, loc, local, type, *from, plan->before, source);
  if (succeeded(moved) && plan->refinedBefore != plan->refinedAfter) {
    FailureOr<GridOp> middle =
        grids.refined(first, second, plan->refinement, loc);
    if (failed(middle))
      return failure();
    moved = emitReshard(builder, loc, *moved, type, plan->refinedBefore,
                        plan->refinedAfter, on(*middle).emission);
  }
  if (succeeded(moved))
    moved = emitReshard(builder, loc, *moved, type, plan->after, *to, target);
  return moved;
}

FailureOr<Value> LocalFunction::reshard(Location loc, Value local,
                                        RankedTensorType type,
                                        const Sharding *from,
                                        const Sharding *to) {
  GridOp first = pool.gridOf(from), second = pool.gridOf(to);
  if (first && second && first != second) {
    if (planned)
      planned->kept.emplace_back(loc,
                                 ("the move from grid @" + first.getSymName() +
                                  " to grid @" + second.getSymName())
                                     .str());
    return moveToGrid(loc, local, type, from, to);
  }
  return emitReshard(builder, loc, local, type, *from, *to,
                     emissionFor(first ? from : to));
}

const Plan *LocalFunction::planOf(RankedTensorType type, const Sharding *from,
                                  const Sharding *to) {
  GridOp first = pool.gridOf(from), second = pool.gridOf(to);
  if (first && second && first != second)
    return nullptr;
  const Emission &emission = emissionFor(first ? from : to);
  return planWithUnknowns(emission.planner, emission.grid, shapeOf(type),
                          elementBytes(type), *from, *to);
}

void LocalFunction::note(Value value, const Sharding *from,
                         const Sharding *to) {
  if (!planned || !from || !to || from == to)
    return;
  auto type = cast<RankedTensorType>(value.getType());
  const Plan *plan = planOf(type, from, to);
  if (!plan || plan->steps.empty())
    return;
  const Emission &emission = emissionFor(pool.gridOf(from) ? from : to);
  PlannedReshards::Reshard &reshard = planned->reshards.emplace_back();
  reshard = {value, emission.gridSymbol, *from, plan->steps};
  const Sharding *before = from;
  for (const Step &step : plan->steps) {
    const Plan *apart =
        planWithUnknowns(emission.planner, emission.grid, shapeOf(type),
                         elementBytes(type), *before, step.result);
    reshard.stepsAreApart &= apart && apart->steps.size() == 1 &&
                             toString(apart->steps.front()) == toString(step);
    before = &step.result;
  }
}

void LocalFunction::noteUnstated(Value value, const Sharding *from,
                                 const Sharding *to, Operation *user,
                                 const Twine &what) {
  // An annotation states its reshard itself.
  if (!planned || !from || isa<ShardOp>(user))
    return;
  const Plan *plan = planOf(cast<RankedTensorType>(value.getType()), from, to);
  if (plan && llvm::any_of(plan->steps, [](const Step &step) {
        return step.kind != Step::Kind::AllSlice;
      }))
    planned->kept.emplace_back(user->getLoc(),
                               ("the reshard of " + what + " of '" +
                                user->getName().getStringRef() +
                                "', which no annotation states,")
                                   .str());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

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
           << "' passes on a sharding, which the program of one device does "
              "not "
              "have; only annotations, shard_shape and calls of private "
              "functions "
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
  Value &reshard = reshards[builder.getInsertionBlock()][{value, wanted}];
  if (reshard)
    return reshard;
  noteUnstated(value, local.sharding, wanted, user, what);
  FailureOr<Value> made = this->reshard(reshardLoc(user, what), local.value,
                                        cast<RankedTensorType>(value.getType()),
                                        local.sharding, wanted);
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
  note(global, natural, wanted);
  if (wanted && natural != wanted) {
    unsigned number = cast<OpResult>(global).getResultNumber();
    FailureOr<Value> made =
        reshard(reshardLoc(op, "result " + Twine(number)), local,
                cast<RankedTensorType>(global.getType()), natural, wanted);
    if (failed(made))
      return failure();
    local = *made;
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

} // namespace shard
