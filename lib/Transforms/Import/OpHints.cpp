//===- OpHints.cpp - Hints that stand on ops ------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/OpHints.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shard {

namespace {

LogicalResult expandLoops(Operation *op, ShardingAttr hint,
                          SymbolTableCollection &symbols) {
  GridOp gridOp = getGrid(op, hint.getGrid(), symbols);
  if (!gridOp)
    return op->emitError() << "no grid " << hint.getGrid() << " in scope";
  auto isTensor = llvm::IsaPred<RankedTensorType>;
  if (llvm::none_of(op->getOperandTypes(), isTensor) &&
      llvm::none_of(op->getResultTypes(), isTensor))
    return op->emitError()
           << "'" << kLoopsAttrName
           << "' needs an op on ranked tensors; scalars and buffers are not "
              "sharded: propagate before bufferization";
  FailureOr<Grid> grid = staticGrid(gridOp);
  if (failed(grid))
    return op->emitError() << "'" << kLoopsAttrName
                           << "' needs the sizes of all axes of grid "
                           << hint.getGrid();
  FailureOr<ResolvedSharding> resolved =
      resolve(hint, gridOp, Type(), [&] { return op->emitError(); });
  if (failed(resolved))
    return failure();
  FailureOr<Sharding> axes = toSharding(*resolved);
  if (failed(axes))
    return op->emitError() << "'" << kLoopsAttrName
                           << "' takes whole axes; write sub-axes as axes of a "
                              "grid with more axes";
  LoopTable table = buildLoopTable(op);
  if (table.loops.empty() && !axes->dims.empty() && !isa<ShardingInterface>(op))
    return op->emitError() << "'" << kLoopsAttrName << "' on '" << op->getName()
                           << "', which has no sharding model and so no loops; "
                              "write hints for its operands and results";
  if (axes->dims.size() != table.loops.size())
    return op->emitError() << "'" << kLoopsAttrName << "' has "
                           << axes->dims.size() << " entries, but the op has "
                           << table.loops.size()
                           << " loops (--shard-print-loops shows them)";
  ShardingOption option;
  option.loops.assign(axes->dims.begin(), axes->dims.end());
  for (auto [number, loop] : llvm::enumerate(table.loops))
    if (loop.kind == LoopKind::Invalid && !option.loops[number].empty())
      return op->emitError() << "'" << kLoopsAttrName << "' splits loop "
                             << number << ", which cannot be split";
  if (!isExpressible(table, *grid, option))
    return op->emitError()
           << "'" << kLoopsAttrName
           << "' asks for shardings that no axis lists express: a digit of a "
              "dimension is split only evenly, and only where the digits "
              "before "
              "it are split down to single iterations";
  OpBuilder builder(op);
  StringRef gridName = hint.getGrid().getValue();
  if (auto model = dyn_cast<ShardingInterface>(op))
    model.setShardingAnnotations(builder, gridName, option);
  else
    annotateByOption(op, builder, gridName, option);
  op->removeAttr(kLoopsAttrName);
  return success();
}

} // namespace

bool hasOpHint(Operation *op) {
  // Most ops have no discardable attributes at all.
  return !op->getDiscardableAttrDictionary().empty() &&
         !isa<FunctionOpInterface>(op) &&
         (op->hasAttr(kLoopsAttrName) || op->hasAttr(kShardingAttrName));
}

LogicalResult expandOpHints(ArrayRef<Operation *> hinted) {
  SymbolTableCollection symbols;
  for (Operation *op : hinted) {
    if (auto wish = op->getAttrOfType<ShardingAttr>(kShardingAttrName)) {
      if (op->getNumResults() != 1 ||
          !isa<RankedTensorType>(op->getResult(0).getType()))
        return op->emitError() << "'" << kShardingAttrName
                               << "' needs an op whose result is a ranked "
                                  "tensor; buffers are not "
                                  "sharded: propagate before bufferization";
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      ConstraintOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                           op->getResult(0), wish);
      op->removeAttr(kShardingAttrName);
    }
    if (auto loops = op->getAttrOfType<ShardingAttr>(kLoopsAttrName))
      if (failed(expandLoops(op, loops, symbols)))
        return failure();
  }
  return success();
}

} // namespace shard
