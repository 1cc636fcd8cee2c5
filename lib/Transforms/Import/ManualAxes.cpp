//===- ManualAxes.cpp - Bodies of manual computations ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/ManualAxes.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

/// The sharding of a tensor of `rank` that is open but for the manual axes of `op`.
static ShardingAttr openButManual(ManualComputationOp op, int64_t rank) {
  auto open = DimShardingAttr::get(op.getContext(), ArrayRef<AxisRefAttr>(),
                                   /*open=*/true, /*priority=*/-1);
  SmallVector<DimShardingAttr> dims(rank, open);
  SmallVector<AxisRefAttr> manual(op.getManualAxes().getAsRange<AxisRefAttr>());
  return ShardingAttr::get(op.getContext(), op.getGridAttr(), dims,
                           ReductionKindAttr(), ArrayRef<AxisRefAttr>(), manual,
                           ArrayRef<int64_t>(), ArrayRef<int64_t>());
}

/// Calls `visit` with the uses in `body` of tensors from outside.
static void forEachCapture(Region &body,
                           llvm::function_ref<void(OpOperand &)> visit) {
  body.walk([&](Operation *inner) {
    for (OpOperand &use : inner->getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()) &&
          !body.isAncestor(use.get().getParentRegion()))
        visit(use);
  });
}

/// Makes anew in `body` what costs nothing to make.
static void copyCreators(Region &body) {
  OpBuilder builder(body);
  llvm::MapVector<Operation *, Operation *> copies;
  bool found = true;
  // A copied fill uses the tensor.empty outside.
  while (found) {
    found = false;
    forEachCapture(body, [&](OpOperand &use) {
      Operation *def = use.get().getDefiningOp();
      if (!def || !isCreator(def))
        return;
      Operation *&copy = copies[def];
      if (!copy) {
        builder.setInsertionPointToStart(&body.front());
        copy = builder.clone(*def);
      }
      use.set(copy->getResult(0));
      found = true;
    });
  }
  for (auto [def, copy] : copies)
    if (def->use_empty() && isOpTriviallyDead(def))
      def->erase();
}

static void passCaptures(ManualComputationOp op) {
  Region &body = op.getBody();
  copyCreators(body);
  llvm::MapVector<Value, SmallVector<OpOperand *>> captured;
  forEachCapture(body,
                 [&](OpOperand &use) { captured[use.get()].push_back(&use); });
  if (captured.empty())
    return;
  SmallVector<Attribute> shardings(op.getInShardings().getValue());
  for (auto &[value, uses] : captured) {
    auto type = cast<RankedTensorType>(value.getType());
    op->insertOperands(op->getNumOperands(), value);
    shardings.push_back(openButManual(op, type.getRank()));
    BlockArgument argument = body.addArgument(type, value.getLoc());
    for (OpOperand *use : uses)
      use->set(argument);
  }
  op.setInShardingsAttr(ArrayAttr::get(op.getContext(), shardings));
}

static void reshardLaidOut(Value end) {
  for (Operation *user : end.getUsers()) {
    if (auto constraint = dyn_cast<ConstraintOp>(user)) {
      ShardingAttr old = constraint.getSharding();
      if (constraint.getResult().use_empty())
        constraint.setShardingAttr(ShardingAttr::get(
            old.getContext(), old.getGrid(), old.getDims(),
            old.getPartialKind(), old.getPartialAxes(), old.getReplicatedAxes(),
            ArrayRef<int64_t>(), ArrayRef<int64_t>()));
      continue;
    }
    auto annotation = dyn_cast<ShardOp>(user);
    ShardingOp sharding =
        annotation ? getShardingOp(annotation.getSharding()) : ShardingOp();
    if (sharding && (!sharding.getStaticHaloSizes().empty() ||
                     !sharding.getStaticShardedDimsOffsets().empty()))
      annotation.setAnnotateForUsers(true);
  }
}

void prepareManualBodies(ArrayRef<ManualComputationOp> computations) {
  // What outer ones get is from outside for those in their bodies.
  for (ManualComputationOp op : computations)
    passCaptures(op);
  for (ManualComputationOp op : computations) {
    for (Value argument : op.getBody().getArguments())
      reshardLaidOut(argument);
    for (Value result : op.getResults())
      reshardLaidOut(result);
  }
}

//===----------------------------------------------------------------------===//
// Refined grids
//===----------------------------------------------------------------------===//

namespace {
/// Moves ops to the refined grid.
class BodyRefiner {
public:
  BodyRefiner(GridOp coarse, FlatSymbolRefAttr fine,
              ArrayRef<SmallVector<GridAxis, 2>> parts)
      : coarse(coarse), fine(fine), parts(parts) {}

  void refine(Operation *op) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    if (!symbol || symbol.getValue() != coarse.getSymName())
      return;
    bool moved =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case([&](AllReduceOp op) { return refineGroup(op); })
            .Case<AllGatherOp>([&](auto op) {
              return (isWhole(op.getGridAxes()) ||
                      divides(op.getGridAxes(), op.getResult(),
                              op.getGatherAxis())) &&
                     refineGroup(op);
            })
            .Case([&](AllSliceOp op) {
              return (isWhole(op.getGridAxes()) ||
                      divides(op.getGridAxes(), op.getInput(),
                              op.getSliceAxis())) &&
                     refineGroup(op);
            })
            .Case([&](ReduceScatterOp op) {
              return (isWhole(op.getGridAxes()) ||
                      divides(op.getGridAxes(), op.getInput(),
                              op.getScatterAxis())) &&
                     refineGroup(op);
            })
            .Case([&](AllToAllOp op) {
              return (isWhole(op.getGridAxes()) ||
                      (divides(op.getGridAxes(), op.getInput(),
                               op.getSplitAxis()) &&
                       divides(op.getGridAxes(), op.getResult(),
                               op.getConcatAxis()))) &&
                     refineGroup(op);
            })
            // Roots, sources and destinations have one coordinate per axis.
            .Case<BroadcastOp, GatherOp, RecvOp, ReduceOp, ScatterOp, SendOp>(
                [&](auto op) {
                  return isWhole(op.getGridAxes()) && refineGroup(op);
                })
            .Case([&](PermuteOp op) {
              op.setFromAxesAttr(refined(op.getFromAxesAttr()));
              op.setToAxesAttr(refined(op.getToAxesAttr()));
              return true;
            })
            .Case([&](ShiftOp op) { return refineShift(op); })
            .Case([&](UpdateHaloOp op) {
              SmallVector<GridAxesAttr> lists;
              for (GridAxesAttr axes : op.getSplitAxes())
                lists.push_back(refined(axes));
              op.setSplitAxesAttr(
                  GridAxesArrayAttr::get(op.getContext(), lists));
              return true;
            })
            .Case<GridShapeOp, ProcessMultiIndexOp>([&](auto op) {
              if (op.getAxes().empty() || !isWhole(op.getAxes()))
                return false;
              op.setAxesAttr(refined(op.getAxesAttr()));
              return true;
            })
            .Case([](ProcessLinearIndexOp) { return true; })
            .Default([](Operation *) { return false; });
    if (moved)
      op->setAttr("grid", fine);
  }

private:
  /// Whether none of `axes` is cut.
  bool isWhole(ArrayRef<GridAxis> axes) const {
    return llvm::all_of(axes,
                        [&](GridAxis axis) { return parts[axis].size() == 1; });
  }

  /// Whether the devices of a group get equal parts of a dimension of `value`.
  bool divides(ArrayRef<GridAxis> axes, Value value, const APInt &dim) {
    int64_t devices = 1;
    for (GridAxis axis : axes)
      devices *= coarse.getShape()[axis];
    int64_t extent =
        cast<RankedTensorType>(value.getType()).getDimSize(dim.getSExtValue());
    return !ShapedType::isDynamic(extent) && extent % devices == 0;
  }

  GridAxesAttr refined(GridAxesAttr axes) const {
    SmallVector<GridAxis> list;
    for (GridAxis axis : axes.asArrayRef())
      llvm::append_range(list, parts[axis]);
    return GridAxesAttr::get(axes.getContext(), list);
  }

  template <typename OpTy>
  bool refineGroup(OpTy op) const {
    op.setGridAxesAttr(refined(op.getGridAxesAttr()));
    return true;
  }

  bool refineShift(ShiftOp op) {
    auto axis = GridAxis(op.getShiftAxis().getSExtValue());
    if (axis < 0 || axis >= coarse.getRank() || parts[axis].size() != 1)
      return false;
    op.setShiftAxisAttr(
        IntegerAttr::get(op.getShiftAxisAttr().getType(), parts[axis].front()));
    return refineGroup(op);
  }

  GridOp coarse;
  FlatSymbolRefAttr fine;
  ArrayRef<SmallVector<GridAxis, 2>> parts;
};
} // namespace

void refineBody(Region &body, GridOp coarse, FlatSymbolRefAttr fine,
                ArrayRef<SmallVector<GridAxis, 2>> parts) {
  BodyRefiner refiner(coarse, fine, parts);
  body.walk([&](Operation *op) {
    if (isa_and_present<ShardDialect>(op->getDialect()))
      refiner.refine(op);
  });
}

} // namespace shard
