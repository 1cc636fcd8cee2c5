//===- ForallPartitioner.cpp - scf.forall on the tensors of one device ----===//
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

#include "Partition/Partitioners.h"

#include "shard/IR/ShardOps.h"

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

/// Builds the body of the local form of `op`, whose shared tensors have the shardings
/// `naturals`.
static LogicalResult partitionBody(LocalFunction &local, Operation *op,
                                   Operation *made,
                                   ArrayRef<const Sharding *> naturals,
                                   RebuildOp rebuild) {
  OpBuilder::InsertionGuard guard(local.builder);
  auto *body = new mlir::Block();
  made->getRegion(0).push_back(body);
  mlir::Block &from = op->getRegion(0).front();
  unsigned firstShared = from.getNumArguments() - naturals.size();
  for (BlockArgument argument : from.getArguments()) {
    unsigned number = argument.getArgNumber();
    const Sharding *natural =
        number < firstShared ? nullptr : naturals[number - firstShared];
    local.locals[argument] = {
        body->addArgument(local.localTypeOf(argument.getType(), natural),
                          argument.getLoc()),
        natural};
  }
  local.builder.setInsertionPointToEnd(body);
  local.foralls.push_back({op, made});
  LogicalResult result = success();
  for (Operation &inner : llvm::make_early_inc_range(from))
    if (failed(result = rebuild(&inner)))
      break;
  local.foralls.pop_back();
  return result;
}

LogicalResult partitionForall(LocalFunction &local, RegionLoopsInterface loops,
                              RebuildOp rebuild) {
  Operation *op = loops;
  auto shared = op->getRegion(0).getArguments().take_back(op->getNumResults());
  SmallVector<const Sharding *> naturals;
  for (auto [number, argument] : llvm::enumerate(shared))
    naturals.push_back(
        local.pool.intern(operandFor(loops.getSharedTensorLoops(number),
                                     *local.shardings.of(argument)),
                          local.shardings.gridOf(argument)));
  unsigned firstOut = op->getNumOperands() - naturals.size();
  SmallVector<Value> operands;
  auto wanted = [&](unsigned index) {
    return index < firstOut ? nullptr : naturals[index - firstOut];
  };
  if (failed(local.localOperands(op, wanted, operands)))
    return failure();
  Operation *made = op->cloneWithoutRegions();
  made->setOperands(operands);
  for (auto [result, natural] : llvm::zip_equal(made->getResults(), naturals))
    result.setType(local.localTypeOf(result.getType(), natural));
  local.builder.insert(made);
  if (failed(partitionBody(local, op, made, naturals, rebuild)))
    return failure();
  SmallVector<Value> results(made->getResults());
  if (communicates(made)) {
    local.forgetReshards(&made->getRegion(0).front());
    results = cast<RegionLoopsInterface>(made).makeSequential(local.builder);
  }
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (failed(local.setResult(result, results[number], naturals[number], op)))
      return failure();
  return success();
}

LogicalResult partitionInParallel(LocalFunction &local,
                                  RegionLoopsInterface loops, Operation *op) {
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
    LocalInsertion made{&insertion, {}, local.locals.lookup(dest).sharding};
    const Sharding *wanted = local.pool.intern(
        operandFor(loops.getInsertionLoops(&insertion), *made.destination),
        local.pool.gridOf(made.destination));
    for (OpOperand &operand : insertion.getOpOperands()) {
      FailureOr<Value> value = local.localAs(
          operand.get(), &operand == &slice ? wanted : nullptr, op, "a slice");
      if (failed(value))
        return failure();
      made.operands.push_back(*value);
    }
    insertions.push_back(std::move(made));
  }
  OpBuilder &builder = local.builder;
  Operation *terminator = builder.insert(op->cloneWithoutRegions());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&terminator->getRegion(0).emplaceBlock());
  for (const LocalInsertion &made : insertions)
    loops.buildLocalInsertion(builder, made.global, made.operands,
                              *made.destination);
  return success();
}

} // namespace shard
