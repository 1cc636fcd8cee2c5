//===- UnusedResults.cpp - Results of linalg.generic that nobody uses -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/UnusedResults.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

namespace {

/// What the results of an op that are kept need of its body.
class NeededBody {
public:
  explicit NeededBody(linalg::GenericOp op)
      : op(op), block(*op.getBlock()), kept(op->getNumResults()) {
    for (Operation &inner : block.without_terminator())
      if (!isMemoryEffectFree(&inner))
        need(&inner);
    for (unsigned index = 0; index < kept.size(); ++index)
      if (!op->getResult(index).use_empty())
        keep(index);
  }

  const llvm::SmallBitVector &results() const { return kept; }
  bool needs(Operation *inner) const { return ops.contains(inner); }

private:
  void keep(unsigned result) {
    if (kept.test(result))
      return;
    kept.set(result);
    need(block.getTerminator()->getOperand(result));
  }
  void need(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned inputs = op.getNumDpsInputs();
      if (argument.getOwner() == &block && argument.getArgNumber() >= inputs)
        keep(argument.getArgNumber() - inputs);
      return;
    }
    if (Operation *def = block.findAncestorOpInBlock(*value.getDefiningOp()))
      need(def);
  }
  void need(Operation *inner) {
    if (!ops.insert(inner).second)
      return;
    inner->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        need(operand);
    });
  }

  linalg::GenericOp op;
  mlir::Block &block;
  llvm::SmallBitVector kept;
  llvm::SmallPtrSet<Operation *, 8> ops;
};

/// Whether `maps` index all loops, so that an op with operands of these maps has extents.
bool coverLoops(ArrayRef<AffineMap> maps, MLIRContext *context) {
  return bool(inversePermutation(concatAffineMaps(maps, context)));
}

bool dropResults(linalg::GenericOp op) {
  NeededBody body(op);
  const llvm::SmallBitVector &kept = body.results();
  if (kept.all() || kept.none())
    return false;
  unsigned inputs = op.getNumDpsInputs();
  SmallVector<AffineMap> maps(op.getIndexingMapsArray());
  SmallVector<AffineMap> keptMaps(ArrayRef(maps).take_front(inputs));
  SmallVector<Value> inits, yielded;
  SmallVector<Type> types;
  mlir::Block &block = *op.getBlock();
  Operation *yield = block.getTerminator();
  for (unsigned index : kept.set_bits()) {
    keptMaps.push_back(maps[inputs + index]);
    inits.push_back(op.getDpsInits()[index]);
    types.push_back(op->getResult(index).getType());
    yielded.push_back(yield->getOperand(index));
  }
  if (!coverLoops(keptMaps, op.getContext()))
    return false;

  OpBuilder builder(op);
  auto made = linalg::GenericOp::create(
      builder, op.getLoc(), types, op.getInputs(), inits,
      builder.getAffineMapArrayAttr(keptMaps), op.getIteratorTypes(),
      op.getDocAttr(), op.getLibraryCallAttr());
  made.getRegion().takeBody(op.getRegion());
  yield->setOperands(yielded);
  SmallVector<Operation *> unneeded;
  for (Operation &inner : block.without_terminator())
    if (!body.needs(&inner))
      unneeded.push_back(&inner);
  for (Operation *inner : llvm::reverse(unneeded))
    inner->erase();
  for (unsigned index = kept.size(); index-- > 0;)
    if (!kept.test(index))
      block.eraseArgument(inputs + index);
  unsigned next = 0;
  for (unsigned index : kept.set_bits())
    op->getResult(index).replaceAllUsesWith(made->getResult(next++));
  op.erase();
  return true;
}

} // namespace

bool dropUnusedResults(Operation *root) {
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (op->getNumResults() > 1 && op.hasPureTensorSemantics() &&
        op->getDiscardableAttrDictionary().empty())
      ops.push_back(op);
  });
  bool any = false;
  // Users first: what they no longer need may be all that a result was for.
  for (linalg::GenericOp op : llvm::reverse(ops))
    any |= dropResults(op);
  return any;
}

} // namespace shard
