//===- VerifySpmd.cpp - Do all devices reach the same collectives? --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpmdAnalysis.h"

#include "shard/Transforms/Transforms.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

namespace {

class SpmdVerifier {
public:
  explicit SpmdVerifier(Operation *root)
      : root(root), analysis(root, SpmdTrust::Program) {}

  LogicalResult run() {
    analysis.run();
    analysis.visitCollectives([&](Operation *op, AxisSet group, AxisSet under) {
      check(op, group, under);
    });
    return failure(foundError);
  }

private:
  void check(Operation *op, AxisSet group, AxisSet under) {
    for (Operation *around = op->getParentOp();
         around && !isa<FunctionOpInterface>(around);
         around = around->getParentOp()) {
      if (!around->hasTrait<OpTrait::HasParallelRegion>())
        continue;
      foundError = true;
      op->emitOpError() << "is in '" << around->getName()
                        << "', whose iterations have no order: the devices of "
                           "its group may be in different ones";
      return;
    }
    checkRoot(op, group);
    // A message has a sender and a receiver, which reach an op each.
    if ((group & under) == 0 || isa<SendOp, RecvOp>(op))
      return;
    foundError = true;
    InFlightDiagnostic error =
        op->emitOpError() << "is not reached by all devices of its group: "
                             "whether it runs depends on the coordinate on "
                          << analysis.describe(op, group & under);
    if (Operation *branch = partingOp(op, group & under))
      error.attachNote(branch->getLoc())
          << "devices part ways here; move the collective out of it, or make "
             "what decides the same on all devices of a group";
  }

  /// All devices of a group must name one root: each waits for the one that it names.
  void checkRoot(Operation *op, AxisSet group) {
    ValueRange root =
        llvm::TypeSwitch<Operation *, ValueRange>(op)
            .Case<BroadcastOp, GatherOp, ScatterOp, ReduceOp>(
                [](auto rooted) { return rooted.getRootDynamic(); })
            .Default(ValueRange());
    AxisSet differs = analysis.along(root) & group;
    if (differs == 0)
      return;
    foundError = true;
    op->emitOpError() << "has a root that depends on the coordinate on "
                      << analysis.describe(op, differs)
                      << ": devices of its group name different ones; compute "
                         "it from what is the same on all of them";
  }

  /// The innermost op around `op` whose operands vary along `axes`.
  Operation *partingOp(Operation *op, AxisSet axes) {
    for (Operation *around = op->getParentOp(); around && around != root;
         around = around->getParentOp()) {
      if (isa<FunctionOpInterface>(around))
        break;
      if (analysis.along(around->getOperands()) & axes)
        return around;
    }
    for (mlir::Block &block : *op->getParentRegion())
      if (block.getNumSuccessors() > 1 &&
          (analysis.along(block.getTerminator()->getOperands()) & axes))
        return block.getTerminator();
    return nullptr;
  }

  Operation *root;
  SpmdAnalysis analysis;
  bool foundError = false;
};

} // namespace

LogicalResult verifySpmd(Operation *root) { return SpmdVerifier(root).run(); }

} // namespace shard
