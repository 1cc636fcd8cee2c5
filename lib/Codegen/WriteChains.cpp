//===- WriteChains.cpp - Long chains of updates of one tensor -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's bufferization compares each read of a buffer with each write of it, and looks
// for the definition of what is read, along all versions of a tensor that are updated in
// one buffer. For 256 insertions into one tensor that takes minutes. Therefore each
// kMaxWrites-th version is copied to a buffer of its own before the analysis. Afterwards
// a copy goes away where nothing uses the buffer that it copies any more, which is so
// unless an older version is read later: the updates are in one buffer again.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shard;

/// How many writes there are to a buffer without a copy between them.
static constexpr unsigned kMaxWrites = 16;

/// What the locations of copies made here have, by which these are found again.
static constexpr llvm::StringLiteral kCutName = "shard.cut";

static Location cutLocation(Location loc) {
  return FusedLoc::get(loc.getContext(), loc,
                       StringAttr::get(loc.getContext(), kCutName));
}

/// The location that a copy of a chain stands for; nothing for other ops.
static std::optional<Location> locationOfCut(Operation *op) {
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  if (!fused || fused.getLocations().size() != 1 ||
      fused.getMetadata() != StringAttr::get(op->getContext(), kCutName))
    return std::nullopt;
  return fused.getLocations().front();
}

namespace {

/// Counts, of each tensor, the writes to its buffer on the way to it if all of them are
/// made in place, and cuts where there are too many.
class ChainCutter {
public:
  ChainCutter(ModuleOp module,
              const bufferization::OneShotBufferizationOptions &options)
      : state(module, options) {}

  void visit(Region &region) {
    for (mlir::Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op);
  }

private:
  void visit(Operation *op) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (loop)
      for (auto [init, argument] :
           llvm::zip(loop.getInits(), loop.getRegionIterArgs()))
        raise(argument, writes.lookup(init));
    for (Region &region : op->getRegions())
      visit(region);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType()))
        continue;
      unsigned number =
          writes.lookup(operand.get()) + state.bufferizesToMemoryWrite(operand);
      bufferization::AliasingValueList aliases =
          state.getAliasingValues(operand);
      for (const bufferization::AliasingValue &alias : aliases)
        raise(alias.value, number);
    }
    for (Region &region : op->getRegions())
      takeYields(op, region);
    for (OpResult result : op->getResults())
      if (writes.lookup(result) >= kMaxWrites)
        cut(result);
  }

  /// The results of `op` are what `region` yields, if it yields as many values.
  void takeYields(Operation *op, Region &region) {
    if (region.empty() || !region.back().mightHaveTerminator())
      return;
    OperandRange yielded = region.back().getTerminator()->getOperands();
    if (yielded.size() == op->getNumResults())
      for (auto [value, result] : llvm::zip(yielded, op->getResults()))
        raise(result, writes.lookup(value));
  }

  void raise(Value value, unsigned number) {
    unsigned &most = writes[value];
    most = std::max(most, number);
  }

  void cut(OpResult result) {
    if (!isa<RankedTensorType>(result.getType()) ||
        llvm::all_of(result.getUsers(), [](Operation *user) {
          return user->hasTrait<OpTrait::IsTerminator>();
        }))
      return;
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfter(result.getOwner());
    auto copy = bufferization::AllocTensorOp::create(
        builder, cutLocation(result.getLoc()),
        cast<RankedTensorType>(result.getType()), ValueRange(), result);
    result.replaceAllUsesExcept(copy, copy);
  }

  bufferization::OneShotAnalysisState state;
  DenseMap<Value, unsigned> writes;
};

} // namespace

void codegen::cutWriteChains(
    ModuleOp module,
    const bufferization::OneShotBufferizationOptions &options) {
  ChainCutter cutter(module, options);
  for (auto function : module.getOps<func::FuncOp>())
    cutter.visit(function.getBody());
}

/// Whether nothing uses the buffer of the source of `copy` behind it: it is one of the
/// allocations in the same block, or nested in it, and no alias of these is used later.
static bool isLastUse(memref::CopyOp copy,
                      const BufferViewFlowAnalysis &aliases) {
  mlir::Block *block = copy->getBlock();
  for (Value origin : aliases.resolveReverse(copy.getSource())) {
    auto allocation = origin.getDefiningOp<memref::AllocOp>();
    if (!allocation && aliases.mayBeTerminalBuffer(origin))
      return false;
    if (!allocation)
      continue;
    if (!block->findAncestorOpInBlock(*allocation))
      return false;
    for (Value alias : aliases.resolve(origin))
      for (Operation *user : alias.getUsers()) {
        Operation *ancestor = block->findAncestorOpInBlock(*user);
        if (!ancestor || copy->isBeforeInBlock(ancestor))
          return false;
      }
  }
  return true;
}

void codegen::joinWriteChains(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    SmallVector<memref::CopyOp> copies;
    function.walk([&](Operation *op) {
      std::optional<Location> loc = locationOfCut(op);
      if (!loc)
        return;
      op->setLoc(*loc);
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        copies.push_back(copy);
    });
    if (copies.empty())
      continue;
    BufferViewFlowAnalysis aliases(function);
    // Later ones first: what is erased is then no part of a chain that is looked at.
    for (memref::CopyOp copy : llvm::reverse(copies)) {
      auto allocation = copy.getTarget().getDefiningOp<memref::AllocOp>();
      if (!allocation || allocation.getType() != copy.getSource().getType() ||
          !isLastUse(copy, aliases))
        continue;
      Value source = copy.getSource();
      copy.erase();
      allocation.replaceAllUsesWith(source);
      allocation.erase();
    }
  }
}
