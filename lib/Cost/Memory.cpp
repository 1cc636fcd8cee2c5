//===- Memory.cpp - The memory that one device needs -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Memory.h"

#include "Fusion.h"

#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/Cost/Ops.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shard {

namespace {

/// To what the buffers of compiled programs are aligned.
static constexpr uint64_t kBufferAlignment = 64;

/// The value of the constant `op`; null if it has none.
static Attribute constantOf(Operation *op) {
  Attribute value;
  matchPattern(op, m_Constant(&value));
  return value;
}

/// Walks a program and everything that it calls.
class MemoryWalk {
public:
  explicit MemoryWalk(FunctionOpInterface entry) {
    for (Type type : entry.getArgumentTypes())
      use.arguments += sizeOf(type);
    for (Type type : entry.getResultTypes())
      use.results += sizeOf(type);
    if (entry.getFunctionBody().hasOneBlock())
      recorded = &entry.getFunctionBody().front();
    use.temporaries = peakOf(entry);
  }

  MemoryUse use;

  /// Notes what `op` takes, if it is one of the entry's own.
  void record(Operation *op, int64_t bytes) {
    if (op->getBlock() == recorded &&
        (use.steps.empty() || use.steps.back().bytes != bytes))
      use.steps.push_back({op->getName().getStringRef().str(),
                           describeLocation(op->getLoc()), bytes});
  }

  /// 0 for what is no tensor.
  int64_t sizeOf(Type type) {
    if (!isa<TensorType>(type))
      return 0;
    std::optional<int64_t> bytes = bytesOfType(type);
    use.complete &= bytes.has_value();
    return bytes.value_or(0);
  }

  /// The bytes of a buffer, which has whole cache lines.
  int64_t bufferOf(Type type) {
    return int64_t(llvm::alignTo(uint64_t(sizeOf(type)), kBufferAlignment));
  }

  int64_t peakOf(FunctionOpInterface function);
  int64_t peakOf(Region &region);
  int64_t peakInside(Operation *op);
  void addConstant(Operation *op);

private:
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, int64_t> peaks;
  llvm::DenseSet<Attribute> constants;
  mlir::Block *recorded = nullptr;
};

/// The buffers of one block.
class BlockMemory {
public:
  BlockMemory(mlir::Block &block, MemoryWalk &walk)
      : block(block), walk(walk), fused(fusedOps(block)) {
    int64_t next = 0;
    for (Operation &op : block)
      numbers[&op] = next++;
    last = next;
    ending.resize(last + 1);
    for (Operation &op : llvm::reverse(block))
      for (OpResult result : op.getResults())
        if (isa<TensorType>(result.getType()))
          lastUses[result] = lastUse(result);
    placeCarried();
  }

  int64_t peak() {
    int64_t most = 0;
    for (Operation &op : block) {
      walk.addConstant(&op);
      for (OpResult result : op.getResults())
        place(result);
      int64_t bytes = live + filledFor(&op) + walk.peakInside(&op);
      walk.record(&op, bytes);
      most = std::max(most, bytes);
      release(numbers[&op]);
    }
    return most;
  }

private:
  struct Buffer {
    int64_t bytes;
    /// The number of the op behind which it is free.
    int64_t end;
    /// Whether it counts elsewhere.
    bool isOutside = false;
  };

  /// What a loop carries has the memory of the loop's result.
  void placeCarried() {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(block.getParentOp());
    if (!loop)
      return;
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      if (argument.getOwner() != &block || !isa<TensorType>(argument.getType()))
        continue;
      owned[argument] = buffers.size();
      buffers.push_back({walk.bufferOf(argument.getType()), lastUse(argument),
                         /*isOutside=*/true});
    }
  }

  /// The number of the last op of the block that needs `value`, or a view of it.
  /// Results of later ops are known already.
  int64_t lastUse(Value value) {
    int64_t end = -1;
    for (Operation *user : value.getUsers()) {
      Operation *here = block.findAncestorOpInBlock(*user);
      // Used in another block, or returned.
      if (!here || here->hasTrait<OpTrait::IsTerminator>())
        return last;
      end = std::max(end, numbers[here]);
      if (here == user && ((isAlias(user) && user->getOperand(0) == value) ||
                           fused.contains(user)))
        end = std::max(end, lastUses[user->getResult(0)]);
    }
    return end;
  }

  /// The operand whose memory `result` may take over; null if there is none.
  Value reusable(OpResult result) {
    Operation *op = result.getOwner();
    if (auto style = dyn_cast<DestinationStyleOpInterface>(op)) {
      OpOperand *init = style.getTiedOpOperand(result);
      return isRead(*init) ? init->get() : Value();
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      OpOperand *init = loop.getTiedLoopInit(result);
      return init ? init->get() : Value();
    }
    return Value();
  }

  /// Whether the body of a loop nest reads its destination `init`. Code generation gives
  /// the result another one if it does not. An op without a body, such as the insertion of
  /// a slice, reads it.
  static bool isRead(OpOperand &init) {
    Operation *op = init.getOwner();
    if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
      return true;
    mlir::Block &body = op->getRegion(0).front();
    return body.getNumArguments() != op->getNumOperands() ||
           !body.getArgument(init.getOperandNumber()).use_empty();
  }

  /// Whether `op` is the last one to need a buffer of this block that `value` is all of.
  bool endsAt(Value value, Operation *op) {
    auto found = owned.find(value);
    return found != owned.end() && buffers[found->second].end == numbers[op];
  }

  void place(OpResult result) {
    Operation *op = result.getOwner();
    if (!isa<TensorType>(result.getType()) || isMadeAtUse(result) ||
        op->hasTrait<OpTrait::ConstantLike>() || fused.contains(op))
      return;
    if (isAlias(op)) {
      auto found = owned.find(op->getOperand(0));
      if (found != owned.end())
        owned[result] = found->second;
      return;
    }
    int64_t bytes = walk.bufferOf(result.getType());
    int64_t end = std::max(lastUses[result], numbers[op]);
    // It is written to the slice that it is inserted in place of.
    if (result.hasOneUse() && insertsInPlace(*result.user_begin()) &&
        result.user_begin()->getOperand(0) == result)
      return;
    Value source = reusable(result);
    if (source && endsAt(source, op) && buffers[owned[source]].bytes == bytes) {
      owned[result] = owned[source];
      setEnd(owned[source], end);
      return;
    }
    owned[result] = buffers.size();
    buffers.push_back({bytes, end});
    setEnd(owned[result], end);
    live += bytes;
  }

  /// Whether `value` is one element repeated, or has no elements yet: each user makes
  /// its own.
  static bool isMadeAtUse(Value value) {
    Operation *op = value.getDefiningOp();
    // In code that is not reached they may take each other's results.
    llvm::SmallPtrSet<Operation *, 4> seen;
    while (op && isAlias(op) && op->getNumOperands() > 0) {
      if (!seen.insert(op).second)
        return false;
      op = op->getOperand(0).getDefiningOp();
    }
    if (!op || !isCreator(op))
      return false;
    return !op->hasTrait<OpTrait::ConstantLike>() ||
           isa_and_nonnull<SplatElementsAttr>(constantOf(op));
  }

  /// Whether `op` makes a tensor without elements of any value.
  static bool isUnwritten(Operation *op) {
    return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>() &&
           llvm::all_of(op->getOperandTypes(),
                        [](Type type) { return type.isIndex(); });
  }

  /// The bytes of `value` if it is filled to be used.
  int64_t bytesFilled(Value value) {
    Operation *op = value.getDefiningOp();
    return op && isa<TensorType>(value.getType()) && isMadeAtUse(value) &&
                   !isUnwritten(op)
               ? walk.bufferOf(value.getType())
               : 0;
  }

  /// The bytes that are filled in front of `op` for it to read.
  int64_t filledFor(Operation *op) {
    int64_t bytes = 0;
    if (op->getNumRegions() > 0 &&
        isa<RegionBranchOpInterface, LoopLikeOpInterface>(op)) {
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      for (Value value : captured)
        if (value.getParentBlock() == &block)
          bytes += bytesFilled(value);
    }
    if (isAlias(op) || isCreator(op) || readsElements(op))
      return bytes;
    auto style = dyn_cast<DestinationStyleOpInterface>(op);
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!(style && style.isDpsInit(&operand)) &&
          !(loop && loop.getTiedLoopResult(&operand)))
        bytes += bytesFilled(operand.get());
    return bytes;
  }

  void setEnd(size_t buffer, int64_t end) {
    buffers[buffer].end = end;
    ending[end].push_back(buffer);
  }

  void release(int64_t number) {
    // Some of them have been taken over since, and end later.
    for (size_t buffer : ending[number])
      if (buffers[buffer].end == number) {
        if (!buffers[buffer].isOutside)
          live -= buffers[buffer].bytes;
        buffers[buffer].end = -1;
      }
  }

  mlir::Block &block;
  MemoryWalk &walk;
  /// Ops whose result takes no memory.
  llvm::DenseSet<Operation *> fused;
  llvm::DenseMap<Operation *, int64_t> numbers;
  llvm::DenseMap<Value, int64_t> lastUses;
  int64_t last = 0;
  std::vector<Buffer> buffers;
  /// By the number of an op.
  std::vector<SmallVector<size_t, 1>> ending;
  llvm::DenseMap<Value, size_t> owned;
  int64_t live = 0;
};

void MemoryWalk::addConstant(Operation *op) {
  Attribute value;
  if (op->hasTrait<OpTrait::ConstantLike>() && op->getNumResults() == 1 &&
      matchPattern(op, m_Constant(&value)) && !isa<SplatElementsAttr>(value) &&
      constants.insert(value).second)
    use.constants += sizeOf(op->getResult(0).getType());
}

int64_t MemoryWalk::peakInside(Operation *op) {
  int64_t most = 0;
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    auto callee = dyn_cast_if_present<FunctionOpInterface>(
        call.resolveCallableInTable(&symbols));
    if (callee && !callee.isExternal()) {
      // The results are the caller's already.
      most = peakOf(callee);
      for (Type type : callee.getResultTypes())
        most -= bufferOf(type);
      most = std::max<int64_t>(most, 0);
    }
  }
  // What is inside of other ops than these works on elements.
  if (isa<RegionBranchOpInterface, LoopLikeOpInterface>(op))
    for (Region &region : op->getRegions())
      most = std::max(most, peakOf(region));
  return most;
}

int64_t MemoryWalk::peakOf(FunctionOpInterface function) {
  auto [known, isNew] = peaks.try_emplace(function, 0);
  if (!isNew)
    return known->second;
  int64_t peak = peakOf(function.getFunctionBody());
  peaks[function] = peak;
  return peak;
}

int64_t MemoryWalk::peakOf(Region &region) {
  if (region.empty())
    return 0;
  if (region.hasOneBlock())
    return BlockMemory(region.front(), *this).peak();
  Liveness liveness(region.getParentOp());
  int64_t most = 0;
  for (mlir::Block &block : region) {
    // What other blocks have made, and what they hand over.
    int64_t before = 0;
    for (Value value : liveness.getLiveIn(&block))
      if (mlir::Block *home = value.getParentBlock();
          home->getParent() == &region &&
          !(home->isEntryBlock() && isa<BlockArgument>(value)))
        before += sizeOf(value.getType());
    if (!block.isEntryBlock())
      for (BlockArgument argument : block.getArguments())
        before += bufferOf(argument.getType());
    most = std::max(most, before + BlockMemory(block, *this).peak());
  }
  return most;
}

} // namespace

MemoryUse memoryOf(FunctionOpInterface entry) { return MemoryWalk(entry).use; }

std::optional<double> statedMemory(FunctionOpInterface function) {
  SymbolTableCollection symbols;
  llvm::SmallDenseSet<Attribute> seen;
  std::optional<double> least;
  function->walk([&](Operation *op) {
    if (!isCollective(op) || !seen.insert(op->getAttr("grid")).second)
      return;
    GridOp grid = getGrid(op, symbols);
    if (!grid || !baseOf(grid)->hasAttr(kMachineAttrName))
      return;
    double bytes = machineOf(grid).memoryBytes;
    least = least ? std::min(*least, bytes) : bytes;
  });
  return least;
}

} // namespace shard
