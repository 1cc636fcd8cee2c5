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
#include "shard/Fuzz/Random.h"
#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

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

/// MLIR moves the attributes of such an op into the body of the new one. Nothing is folded, unlike
/// in MLIR's pass: two tensors with a hint each could become one.
static bool generalizeElementwise(func::FuncOp entry) {
  auto isHint = [](NamedAttribute attribute) {
    return isa_and_present<ShardDialect>(attribute.getNameDialect());
  };
  bool hasHints =
      entry
          .walk([&](Operation *op) {
            return op != entry &&
                           llvm::any_of(op->getDiscardableAttrs(), isHint)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (hasHints)
    return false;
  MLIRContext *context = entry.getContext();
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return !OpTrait::hasElementwiseMappableTraits(op) ||
           llvm::none_of(op->getOperandTypes(),
                         llvm::IsaPred<RankedTensorType>);
  });
  RewritePatternSet patterns(context);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return succeeded(
      applyPartialConversion(entry, target, std::move(patterns), config));
}

/// `value` with a first dimension of one element.
static Value withUnit(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), 1);
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    groups.push_back({dim + 1});
  return tensor::ExpandShapeOp::create(builder, value.getLoc(),
                                       type.clone(shape), value, groups);
}

/// `value` without its first dimension, which has one element.
static Value withoutUnit(OpBuilder &builder, Value value) {
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t dim = 2; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  return tensor::CollapseShapeOp::create(builder, value.getLoc(), value,
                                         groups);
}

/// Makes of `value` the same tensor by two ops, of which the second one undoes the first.
static Value undone(OpBuilder &builder, Value value, int64_t way) {
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = value.getLoc();
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  if (way == 0) {
    shape.front() = ShapedType::kDynamic;
    auto cast = tensor::CastOp::create(builder, loc, type.clone(shape), value);
    return tensor::CastOp::create(builder, loc, type, cast);
  }
  if (way == 1)
    return withoutUnit(builder, withUnit(builder, value));
  if (way == 2) {
    SmallVector<OpFoldResult> tiles = {builder.getIndexAttr(2)};
    Value tiled = linalg::PackOp::createDestinationTensor(
        builder, loc, value, tiles, /*innerDimsPos=*/{0}, {});
    Value padding = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    Value pack = linalg::PackOp::create(builder, loc, value, tiled,
                                        /*innerDimsPos=*/{0}, tiles, padding)
                     ->getResult(0);
    Value whole = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    return linalg::UnPackOp::create(builder, loc, pack, whole,
                                    /*innerDimsPos=*/{0}, tiles)
        ->getResult(0);
  }
  // The last dimension comes first.
  SmallVector<int64_t> there, back;
  for (int64_t dim = 0; dim < rank; ++dim) {
    there.push_back((dim + rank - 1) % rank);
    back.push_back((dim + 1) % rank);
  }
  std::rotate(shape.begin(), shape.end() - 1, shape.end());
  auto transpose = [&](Value from, ArrayRef<int64_t> to,
                       ArrayRef<int64_t> permutation) {
    Value init =
        tensor::EmptyOp::create(builder, loc, to, type.getElementType());
    return linalg::TransposeOp::create(builder, loc, from, init, permutation)
        ->getResult(0);
  };
  return transpose(transpose(value, shape, there), type.getShape(), back);
}

static bool isStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() > 0;
}

/// Numbers have a zero to pad with.
static bool isNumeric(Value value) {
  return isa<FloatType, IntegerType, IndexType>(getElementTypeOrSelf(value));
}

static bool isHint(Operation *op) {
  return isa_and_present<ShardDialect>(op->getDialect());
}

/// Lets every second elementwise op compute on tensors with one dimension more.
static bool addUnits(func::FuncOp entry) {
  SmallVector<Operation *> ops;
  for (Operation &op : entry.getBody().front())
    if (OpTrait::hasElementwiseMappableTraits(&op) && op.getNumResults() == 1 &&
        op.getDiscardableAttrs().empty() && isStatic(op.getResult(0)) &&
        llvm::all_of(op.getOperands(), isStatic) &&
        llvm::none_of(op.getUsers(), isHint))
      ops.push_back(&op);
  Random rng(ops.size());
  llvm::erase_if(ops, [&](Operation *) { return rng.chance(50); });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(withUnit(builder, operand));
    Operation *wide = builder.clone(*op);
    wide->setOperands(operands);
    auto shape = cast<RankedTensorType>(operands.front().getType()).getShape();
    Value result = wide->getResult(0);
    result.setType(cast<RankedTensorType>(result.getType()).clone(shape));
    op->getResult(0).replaceAllUsesWith(withoutUnit(builder, result));
    op->erase();
  }
  return !ops.empty();
}

/// Inserts ops that change nothing behind tensors that no hint is about.
static bool insertUndone(func::FuncOp entry) {
  SmallVector<Value> values;
  for (Operation &op : entry.getBody().front())
    for (Value result : op.getResults())
      if (isStatic(result) && isNumeric(result) && !isHint(&op) &&
          !op.hasTrait<OpTrait::ConstantLike>() &&
          llvm::none_of(result.getUsers(), isHint))
        values.push_back(result);
  Random rng(values.size());
  for (Value value : values) {
    OpBuilder builder(entry.getContext());
    builder.setInsertionPointAfterValue(value);
    llvm::SmallPtrSet<Operation *, 4> users(value.user_begin(),
                                            value.user_end());
    Value same = undone(builder, value, rng.between(0, 3));
    value.replaceUsesWithIf(
        same, [&](OpOperand &use) { return users.contains(use.getOwner()); });
  }
  return !values.empty();
}

std::string checkVariants(ModuleOp module, func::FuncOp entry, uint64_t seed,
                          SpmdPipelineOptions options) {
  using Rewrite = bool (*)(func::FuncOp);
  static const std::pair<Rewrite, const char *> variants[] = {
      {exchangeOperands, "operands of commutative ops exchanged"},
      {reorderOps, "ops in another order"},
      {generalizeNamedOps, "linalg.generic instead of named ops"},
      {generalizeElementwise, "linalg.generic instead of elementwise ops"},
      {insertUndone, "ops that change nothing"},
      {addUnits, "dimensions of one element"}};
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
  Errors errors(module.getContext());
  std::optional<int64_t> other = sent(*variant);
  // Which of several hints counts may follow from their order.
  if (!errors.first.empty() && rewrite != reorderOps)
    return std::string("a program is refused with ") + name + ": " +
           errors.first + errors.where;
  if (!other)
    return {};
  auto [least, most] = std::minmax(*as, *other);
  if (most - least < kLeastBytes || most < kMostRatio * least)
    return {};
  return "a program sends " + std::to_string(*as) + " bytes, and with " + name +
         " " + std::to_string(*other);
}

} // namespace shard::fuzz
