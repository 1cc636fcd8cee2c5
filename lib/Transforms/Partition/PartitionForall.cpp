//===- PartitionForall.cpp - scf.forall on the tensors of one device ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device runs all iterations, on its part of the dimensions that stay whole
// in all of them. What the body needs of the outside in another sharding is
// resharded in front. If communication is left in the body, the iterations run one
// after the other: all devices must reach collectives in one order.
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionPartitioner.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ForallLoops.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace shard {

static bool communicates(scf::ForallOp forall) {
  return forall
      .walk([](Operation *op) {
        bool maybe = isa<CallOpInterface>(op) ||
                     isa_and_nonnull<ShardDialect>(op->getDialect());
        return maybe && !isa<ProcessMultiIndexOp, ProcessLinearIndexOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces `forall` by loops and returns their results.
static SmallVector<Value> makeSequential(OpBuilder &builder,
                                         scf::ForallOp forall) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(forall);
  auto body = [&](OpBuilder &inner, Location loc, ValueRange indices,
                  ValueRange outs) -> scf::ValueVector {
    IRMapping mapping;
    mapping.map(forall.getInductionVars(), indices);
    mapping.map(forall.getRegionIterArgs(), outs);
    for (Operation &op : forall.getBody()->without_terminator())
      inner.clone(op, mapping);
    // An insertion changes what the next one finds, not what the body has read.
    scf::ValueVector results(outs.begin(), outs.end());
    for (Operation &combine : forall.getTerminator().getYieldingOps()) {
      auto insert = cast<tensor::ParallelInsertSliceOp>(combine);
      auto dest = cast<BlockArgument>(insert.getDest());
      Value &into = results[dest.getArgNumber() - forall.getRank()];
      auto mapped = [&](ArrayRef<OpFoldResult> parts) {
        SmallVector<OpFoldResult> made;
        for (OpFoldResult part : parts)
          made.push_back(
              isa<Value>(part)
                  ? OpFoldResult(mapping.lookupOrDefault(cast<Value>(part)))
                  : part);
        return made;
      };
      into = tensor::InsertSliceOp::create(
          inner, insert.getLoc(), mapping.lookupOrDefault(insert.getSource()),
          into, mapped(insert.getMixedOffsets()),
          mapped(insert.getMixedSizes()), mapped(insert.getMixedStrides()));
    }
    return results;
  };
  scf::LoopNest nest = scf::buildLoopNest(
      builder, forall.getLoc(), forall.getLowerBound(builder),
      forall.getUpperBound(builder), forall.getStep(builder),
      forall.getOutputs(), body);
  SmallVector<Value> results(nest.results.begin(), nest.results.end());
  forall.erase();
  return results;
}

LogicalResult FunctionPartitioner::rebuildForall(Operation *op) {
  scf::ForallOp forall = asTensorForall(op);
  SmallVector<const Sharding *> naturals;
  for (auto [number, argument] : llvm::enumerate(forall.getRegionIterArgs()))
    naturals.push_back(pool.intern(
        operandFor(sharedOutTable(forall, number), *shardings.of(argument))));
  unsigned firstOut = op->getNumOperands() - naturals.size();
  SmallVector<Value> operands;
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    FailureOr<Value> local = localAs(
        value, number < firstOut ? nullptr : naturals[number - firstOut], op,
        "operand " + Twine(number));
    if (failed(local))
      return failure();
    operands.push_back(*local);
  }
  Operation *local = op->cloneWithoutRegions();
  local->setOperands(operands);
  for (auto [result, natural] : llvm::zip_equal(local->getResults(), naturals))
    result.setType(localTypeOf(result.getType(), natural));
  builder.insert(local);
  {
    OpBuilder::InsertionGuard guard(builder);
    auto *body = new mlir::Block();
    local->getRegion(0).push_back(body);
    for (BlockArgument argument : forall.getBody()->getArguments()) {
      unsigned number = argument.getArgNumber();
      const Sharding *natural = number < forall.getRank()
                                    ? nullptr
                                    : naturals[number - forall.getRank()];
      locals[argument] = {
          body->addArgument(localTypeOf(argument.getType(), natural),
                            argument.getLoc()),
          natural};
    }
    builder.setInsertionPointToEnd(body);
    foralls.push_back({op, local});
    LogicalResult made = success();
    for (Operation &inner : llvm::make_early_inc_range(*forall.getBody()))
      if (failed(made = rebuildOp(&inner)))
        break;
    foralls.pop_back();
    if (failed(made))
      return failure();
  }
  SmallVector<Value> results(local->getResults());
  if (communicates(cast<scf::ForallOp>(local)))
    results = makeSequential(builder, cast<scf::ForallOp>(local));
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (failed(setResult(result, results[number], naturals[number], op)))
      return failure();
  return success();
}

LogicalResult FunctionPartitioner::rebuildInParallel(Operation *op) {
  auto inParallel = cast<scf::InParallelOp>(op);
  SmallVector<SmallVector<Value>> operands;
  for (Operation &combine : inParallel.getYieldingOps()) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(combine);
    const Sharding *dest = locals.lookup(insert.getDest()).sharding;
    const Sharding *wanted =
        pool.intern(operandFor(insertTable(insert), *dest));
    SmallVector<Value> &made = operands.emplace_back();
    for (OpOperand &operand : insert->getOpOperands()) {
      FailureOr<Value> value =
          localAs(operand.get(),
                  &operand == &insert.getSourceMutable() ? wanted : nullptr, op,
                  "a slice");
      if (failed(value))
        return failure();
      made.push_back(*value);
    }
  }
  auto local = scf::InParallelOp::create(builder, op->getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&local.getRegion().front());
  for (auto [combine, values] :
       llvm::zip_equal(inParallel.getYieldingOps(), operands)) {
    auto insert = cast<tensor::ParallelInsertSliceOp>(builder.clone(combine));
    // Axes split whole dimensions alone, whose sizes are attributes.
    SmallVector<int64_t> sizes(insert.getStaticSizes());
    const Sharding *dest =
        locals.lookup(cast<tensor::ParallelInsertSliceOp>(combine).getDest())
            .sharding;
    insert->setOperands(values);
    for (auto [dim, axes] : llvm::enumerate(dest->dims))
      if (!axes.empty())
        sizes[dim] = insert.getDestType().getDimSize(dim);
    insert.setStaticSizes(sizes);
  }
  return success();
}

} // namespace shard
