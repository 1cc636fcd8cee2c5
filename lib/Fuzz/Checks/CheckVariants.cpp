//===- CheckVariants.cpp - Do equal programs send the same? ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program sends should not follow from how it is written. If one of several ways to write
// it sends less, the others could. Ties are broken by the order of operands and ops, so that
// small differences are no mistake.
//
//===----------------------------------------------------------------------===//

#include "CheckVariants.h"

#include "Errors.h"

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

using namespace mlir;

namespace shard::fuzz {

/// So many bytes more are a mistake if they are half as many again, too.
static constexpr int64_t kLeastBytes = 64;
static constexpr double kMostRatio = 1.5;

static bool exchangeOperands(func::FuncOp entry) {
  bool changed = false;
  entry.walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsCommutative>() || op->getNumOperands() != 2)
      return;
    Value first = op->getOperand(0), second = op->getOperand(1);
    op->setOperands({second, first});
    changed |= first != second;
  });
  return changed;
}

/// The ops of the body of `entry` whose results `op` uses, also inside of its regions.
static SmallVector<Operation *> neededBy(Operation *op, func::FuncOp entry) {
  SmallVector<Operation *> needed;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *made = operand.getDefiningOp();
          made && made != op && made->getParentOp() == entry)
        needed.push_back(made);
  });
  return needed;
}

/// Of ops that may come next, the last one comes first.
static bool reorderOps(func::FuncOp entry) {
  if (!entry.getBody().hasOneBlock())
    return false;
  mlir::Block &block = entry.getBody().front();
  SmallVector<Operation *> ops, ready;
  DenseMap<Operation *, size_t> missing;
  DenseMap<Operation *, SmallVector<Operation *>> users;
  for (Operation &op : block.without_terminator()) {
    if (!isMemoryEffectFree(&op))
      return false;
    ops.push_back(&op);
    SmallVector<Operation *> needed = neededBy(&op, entry);
    for (Operation *other : needed)
      users[other].push_back(&op);
    if ((missing[&op] = needed.size()) == 0)
      ready.push_back(&op);
  }
  SmallVector<Operation *> order;
  while (!ready.empty()) {
    auto *last = std::max_element(
        ready.begin(), ready.end(),
        [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    Operation *op = *last;
    ready.erase(last);
    order.push_back(op);
    for (Operation *user : users[op])
      if (--missing[user] == 0)
        ready.push_back(user);
  }
  if (order == ops)
    return false;
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
  return true;
}

static bool generalizeNamedOps(func::FuncOp entry) {
  SmallVector<linalg::LinalgOp> ops;
  entry.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op) && op->getDiscardableAttrs().empty())
      ops.push_back(op);
  });
  IRRewriter rewriter(entry.getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return false;
  }
  return !ops.empty();
}

/// MLIR moves the attributes of such an op into the body of the new one.
static bool generalizeElementwise(func::FuncOp entry) {
  bool hasHints = entry
                      .walk([](Operation *op) {
                        return op->hasAttr(kLoopsAttrName)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  return !hasHints &&
         succeeded(runPasses(
             entry->getParentOfType<ModuleOp>(), [](OpPassManager &manager) {
               manager.addPass(createConvertElementwiseToLinalgPass());
             }));
}

std::string checkVariants(ModuleOp module, func::FuncOp entry, uint64_t seed,
                          SpmdPipelineOptions options) {
  using Rewrite = bool (*)(func::FuncOp);
  static const std::pair<Rewrite, const char *> variants[] = {
      {exchangeOperands, "operands of commutative ops exchanged"},
      {reorderOps, "ops in another order"},
      {generalizeNamedOps, "linalg.generic instead of named ops"},
      {generalizeElementwise, "linalg.generic instead of elementwise ops"}};
  auto [rewrite, name] = variants[seed % std::size(variants)];
  OwningOpRef<ModuleOp> variant = module.clone();
  if (!rewrite(variant->lookupSymbol<func::FuncOp>(entry.getName())))
    return {};
  // How rings and parts are cut follows from more than what is sent.
  options.overlap = false;
  options.splitParts = 0;
  OwningOpRef<ModuleOp> program = module.clone();
  auto sent = [&](ModuleOp written) -> std::optional<int64_t> {
    if (failed(runPasses(written, [&](OpPassManager &manager) {
          buildSpmdPipeline(manager, options);
        })))
      return std::nullopt;
    CostSum total =
        predictProgram(written.lookupSymbol<func::FuncOp>(entry.getName()))
            .total;
    return total.complete ? std::optional(total.bytesSent) : std::nullopt;
  };
  std::optional<int64_t> as = sent(*program);
  if (!as)
    return {};
  std::string text;
  {
    llvm::raw_string_ostream os(text);
    variant->print(os);
  }
  std::optional<int64_t> other = sent(*variant);
  if (!other)
    return std::string("a program is refused with ") + name + ": " + text;
  auto [least, most] = std::minmax(*as, *other);
  if (most - least < kLeastBytes || most < kMostRatio * least)
    return {};
  return "a program sends " + std::to_string(*as) + " bytes, and with " + name +
         " " + std::to_string(*other);
}

} // namespace shard::fuzz
