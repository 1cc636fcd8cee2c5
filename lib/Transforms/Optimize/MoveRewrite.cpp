//===- MoveRewrite.cpp - Ops take their other form ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/MoveGraph.h"

using namespace mlir;

namespace shard {

/// The tensor in front of the collective.
Value MoveGraph::takeBefore(int number) {
  Moved &tensor = tensors[number];
  if (tensor.before)
    return tensor.before;
  OpBuilder builder(block->getParentOp()->getContext());
  builder.setInsertionPointAfterValue(tensor.behind);
  tensor.before = AllSliceOp::create(
      builder, tensor.behind.getLoc(),
      collective.before(tensorTypeOf(tensor.behind), tensor.dims),
      tensor.behind, collective.grid.getValue(), collective.axes,
      tensor.dims.joined);
  return tensor.before;
}

/// The tensor behind the collective, for `user`.
Value MoveGraph::takeBehind(int number, Operation *user) {
  Moved &tensor = tensors[number];
  if (!tensor.behind)
    tensor.behind = slicedSource(tensor);
  if (!tensor.behind) {
    OpBuilder builder(block->getParentOp()->getContext());
    // What comes from outside of the block is moved in the block.
    if (tensor.before.getParentBlock() == block)
      builder.setInsertionPointAfterValue(tensor.before);
    else
      builder.setInsertionPointToStart(block);
    tensor.behind = collective.apply(builder, tensor.before, tensor.dims);
    return tensor.behind;
  }
  // Ops that go behind the collective may stand in front of it.
  Operation *maker = tensor.behind.getDefiningOp();
  if (user && maker && !tensor.collectives.empty() &&
      maker == tensor.collectives.front() && user->isBeforeInBlock(maker))
    maker->moveBefore(user);
  return tensor.behind;
}

/// Lets what takes `old`, but for ops that take another form, take what `make` gives.
void MoveGraph::replaceUses(Value old, llvm::function_ref<Value()> make) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : old.getUses())
    if (!flipping.contains(use.getOwner()))
      uses.push_back(&use);
  if (uses.empty())
    return;
  Value value = make();
  for (OpOperand *use : uses)
    use->set(value);
}

LogicalResult MoveGraph::rewrite(llvm::function_ref<void(Operation *)> erased) {
  SmallVector<Node *> flips;
  for (Node &node : nodes)
    if (node.flips) {
      flips.push_back(&node);
      flipping.insert(node.op);
    }
  llvm::sort(flips, [](const Node *a, const Node *b) {
    return a->op->isBeforeInBlock(b->op);
  });
  // What ops make that take another form is not there any more in the old one.
  std::vector<std::pair<int, Value>> gone;
  for (Moved &tensor : tensors) {
    llvm::sort(tensor.collectives, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    if (!tensor.collectives.empty())
      tensor.behind = tensor.collectives.front()->getResult(0);
  }
  SmallVector<Operation *> dead;
  for (Node *node : flips) {
    for (int number : node->results) {
      Moved &tensor = tensors[number];
      gone.emplace_back(number, node->isBehind ? tensor.behind : tensor.before);
      tensor.before = tensor.behind = {};
      llvm::append_range(dead, tensor.collectives);
      flipping.insert(tensor.collectives.begin(), tensor.collectives.end());
    }
    OpBuilder builder(node->op);
    FailureOr<SmallVector<Value>> made =
        node->forms->build(builder, [&](unsigned i) {
          return node->isBehind ? takeBefore(node->operands[i])
                                : takeBehind(node->operands[i], node->op);
        });
    if (failed(made))
      return node->op->emitError("cannot be built for other types");
    for (auto [number, value] : llvm::zip_equal(node->results, *made))
      (node->isBehind ? tensors[number].before : tensors[number].behind) =
          value;
  }
  for (const std::pair<int, Value> &left : gone) {
    int number = left.first;
    for (Operation *op : tensors[number].collectives)
      replaceUses(op->getResult(0),
                  [&] { return takeBehind(number, nullptr); });
    replaceUses(left.second, [&] {
      return nodes[tensors[number].producer].isBehind
                 ? takeBehind(number, nullptr)
                 : takeBefore(number);
    });
  }
  for (Node *node : flips)
    dead.push_back(node->op);
  llvm::sort(dead,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (const Moved &tensor : tensors)
    for (Operation *op : tensor.collectives)
      if (!flipping.contains(op))
        dead.push_back(op);
  // Users stand behind what they use. Other collectives go if nothing needs them.
  for (Operation *op : dead)
    if (flipping.contains(op) || op->use_empty()) {
      erased(op);
      op->erase();
    }
  return success();
}

} // namespace shard
