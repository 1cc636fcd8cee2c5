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
#include "shard/Interfaces/RegionLoopsInterface.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace shard {

static bool communicates(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        bool maybe = isa<CallOpInterface>(op) ||
                     isa_and_nonnull<ShardDialect>(op->getDialect());
        return maybe && !isa<ProcessMultiIndexOp, ProcessLinearIndexOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult FunctionPartitioner::rebuildForall(RegionLoopsInterface loops) {
  Operation *op = loops;
  auto shared = op->getRegion(0).getArguments().take_back(op->getNumResults());
  SmallVector<const Sharding *> naturals;
  for (auto [number, argument] : llvm::enumerate(shared))
    naturals.push_back(pool.intern(operandFor(
        loops.getSharedTensorLoops(number), *shardings.of(argument))));
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
    mlir::Block &from = op->getRegion(0).front();
    unsigned firstShared = from.getNumArguments() - naturals.size();
    for (BlockArgument argument : from.getArguments()) {
      unsigned number = argument.getArgNumber();
      const Sharding *natural =
          number < firstShared ? nullptr : naturals[number - firstShared];
      locals[argument] = {
          body->addArgument(localTypeOf(argument.getType(), natural),
                            argument.getLoc()),
          natural};
    }
    builder.setInsertionPointToEnd(body);
    foralls.push_back({op, local});
    LogicalResult made = success();
    for (Operation &inner : llvm::make_early_inc_range(from))
      if (failed(made = rebuildOp(&inner)))
        break;
    foralls.pop_back();
    if (failed(made))
      return failure();
  }
  SmallVector<Value> results(local->getResults());
  if (communicates(local))
    results = cast<RegionLoopsInterface>(local).makeSequential(builder);
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (failed(setResult(result, results[number], naturals[number], op)))
      return failure();
  return success();
}

LogicalResult FunctionPartitioner::rebuildInParallel(RegionLoopsInterface loops,
                                                     Operation *op) {
  struct LocalInsertion {
    Operation *global;
    SmallVector<Value> operands;
    const Sharding *destination;
  };
  SmallVector<LocalInsertion> insertions;
  for (Operation &insertion :
       cast<InParallelOpInterface>(op).getYieldingOps()) {
    auto combine = cast<ParallelCombiningOpInterface>(insertion);
    Value dest = combine.getUpdatedDestinations()[0].get();
    OpOperand &slice = loops.getInsertedSlice(&insertion);
    LocalInsertion made{&insertion, {}, locals.lookup(dest).sharding};
    const Sharding *wanted = pool.intern(
        operandFor(loops.getInsertionLoops(&insertion), *made.destination));
    for (OpOperand &operand : insertion.getOpOperands()) {
      FailureOr<Value> value = localAs(
          operand.get(), &operand == &slice ? wanted : nullptr, op, "a slice");
      if (failed(value))
        return failure();
      made.operands.push_back(*value);
    }
    insertions.push_back(std::move(made));
  }
  Operation *local = builder.insert(op->cloneWithoutRegions());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&local->getRegion(0).emplaceBlock());
  for (const LocalInsertion &made : insertions)
    loops.buildLocalInsertion(builder, made.global, made.operands,
                              *made.destination);
  return success();
}

} // namespace shard
