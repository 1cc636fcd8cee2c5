//===- Deallocate.cpp - The lifetimes of buffers --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer whose uses are all in the block of its allocation is freed behind the last
// one. What is left goes through branches, loops and calls. Of it, only what a loop
// yields outlives an iteration: the host, which knows every buffer of a run, frees all
// others that were made since the loop began.
//
// MLIR's ownership-based deallocation, which programs without a host get, frees at the
// ends of blocks: straight-line programs would hold every buffer to their end.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// The op in the block of `allocation` behind which nothing uses its buffer; null if
/// the buffer leaves the block.
static Operation *findLastUser(memref::AllocOp allocation,
                               const BufferViewFlowAnalysis &aliases) {
  mlir::Block *block = allocation->getBlock();
  Operation *last = allocation;
  for (Value alias : aliases.resolve(allocation.getResult())) {
    for (Operation *user : alias.getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      // Leaves the block, or may be kept by the callee's result.
      if (!ancestor || ancestor->hasTrait<OpTrait::IsTerminator>() ||
          (isa<CallOpInterface>(user) &&
           llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>)))
        return nullptr;
      if (last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
  }
  return last;
}

namespace {

/// Inserts calls of the host at the ends of iterations. `kept` has the allocations that
/// nothing frees.
class LoopReleaser {
public:
  LoopReleaser(ModuleOp module, const DenseSet<Operation *> &kept)
      : module(module), kept(kept), builder(module.getContext()) {}

  void run() {
    module.walk([&](Operation *op) {
      if (kept.contains(op) || isa<func::CallIndirectOp>(op))
        leaveAt(op);
      else if (auto call = dyn_cast<func::CallOp>(op))
        calls[call.getCallee()].push_back(call);
    });
    while (!leaving.empty())
      for (Operation *call : calls.lookup(leaving.pop_back_val().getName()))
        leaveAt(call);
    for (Operation *loop : loops)
      release(cast<LoopLikeOpInterface>(loop));
  }

private:
  /// Notes that `op` may leave buffers, and with it the loops and the function that it
  /// is in.
  void leaveAt(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      if (isa<scf::ForOp, scf::WhileOp, scf::ForallOp>(parent))
        loops.insert(parent);
      auto function = dyn_cast<func::FuncOp>(parent);
      if (function && known.insert(function).second)
        leaving.push_back(function);
    }
  }

  func::FuncOp declare(StringRef name, FunctionType type) {
    if (auto known = module.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto function = func::FuncOp::create(builder, module.getLoc(), name, type);
    function.setPrivate();
    return function;
  }

  void release(LoopLikeOpInterface loop) {
    Location loc = loop.getLoc();
    Type index = builder.getIndexType();
    auto mark = declare(bufferMarkName, builder.getFunctionType({}, index));
    auto keep =
        declare(keepBufferName, builder.getFunctionType({index, index}, {}));
    auto release =
        declare(releaseBuffersName, builder.getFunctionType(index, {}));
    builder.setInsertionPoint(loop);
    Value begin = func::CallOp::create(builder, loc, mark).getResult(0);
    Operation *end = loop.getLoopRegions().back()->front().getTerminator();
    builder.setInsertionPoint(end);
    for (Value value : end->getOperands()) {
      if (!isa<MemRefType>(value.getType()))
        continue;
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, value);
      func::CallOp::create(builder, loc, keep, ValueRange{begin, address});
    }
    func::CallOp::create(builder, loc, release, ValueRange{begin});
  }

  ModuleOp module;
  const DenseSet<Operation *> &kept;
  OpBuilder builder;
  /// The calls of each function.
  llvm::StringMap<SmallVector<Operation *>> calls;
  /// Functions that may leave buffers; those whose callers are not looked at yet.
  DenseSet<Operation *> known;
  SmallVector<func::FuncOp> leaving;
  SetVector<Operation *> loops;
};

} // namespace

void codegen::insertDeallocations(ModuleOp module) {
  DenseSet<Operation *> kept;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    BufferViewFlowAnalysis aliases(function);
    SmallVector<memref::AllocOp> allocations;
    function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp allocation : allocations) {
      Operation *last = findLastUser(allocation, aliases);
      if (!last) {
        kept.insert(allocation);
        continue;
      }
      OpBuilder builder(last->getContext());
      builder.setInsertionPointAfter(last);
      memref::DeallocOp::create(builder, allocation.getLoc(), allocation);
    }
  }
  if (!kept.empty())
    LoopReleaser(module, kept).run();
}
