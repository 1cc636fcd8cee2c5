//===- ErrorModel.cpp - Rounding errors of a program ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Verify.h"

#include "shard/Codegen/Compile.h"
#include "shard/Cost/Ops.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace shard;

namespace {

/// Walks a program along its data flow.
class ErrorModelBuilder {
public:
  explicit ErrorModelBuilder(int64_t dynamicExtent)
      : dynamicExtent(dynamicExtent) {}

  ErrorModel model;

  /// The longest path of rounding ops through `block`, from any value.
  int64_t chainOf(mlir::Block &block) {
    int64_t longest = 0;
    for (Operation &op : block) {
      int64_t begin = 0;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          begin = std::max(begin, chains.lookup(operand));
      });
      int64_t chain = begin + costOf(op);
      for (Value result : op.getResults())
        chains[result] = chain;
      longest = std::max(longest, chain);
    }
    return longest;
  }

private:
  static bool rounds(Operation &op) {
    return llvm::any_of(op.getResultTypes(),
                        [](Type type) {
                          return isa<FloatType, ComplexType>(
                              getElementTypeOrSelf(type));
                        }) &&
           isa_and_nonnull<arith::ArithDialect, complex::ComplexDialect,
                           math::MathDialect>(op.getDialect()) &&
           !isa<arith::ConstantOp, complex::ConstantOp, arith::SelectOp,
                arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
                arith::MaxNumFOp, arith::MinNumFOp, arith::ExtFOp,
                arith::BitcastOp>(op);
  }

  void noteTypes(Operation &op) {
    for (Type type : op.getResultTypes())
      if (std::optional<ElementType> element =
              getHostElementType(getElementTypeOrSelf(type)))
        model.roundoff = std::max(model.roundoff, unitRoundoff(*element));
  }

  int64_t costOf(Operation &op) {
    noteTypes(op);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      noteReduction(linalgOp);
      return std::max<int64_t>(1, nestedChain(op));
    }
    if (op.getName().getDialectNamespace() == "linalg" && !op.getNumRegions()) {
      noteInnerReduction(op);
      return 4; // softmax and its like.
    }
    if (auto call = dyn_cast<CallOpInterface>(op))
      return callChain(call);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      return tripsOf(loop) * nestedChain(op);
    if (op.getNumRegions())
      return nestedChain(op);
    return rounds(op) ? 1 : 0;
  }

  int64_t nestedChain(Operation &op) {
    int64_t longest = 0;
    for (Region &region : op.getRegions())
      for (mlir::Block &block : region)
        longest = std::max(longest, chainOf(block));
    return longest;
  }

  int64_t callChain(CallOpInterface call) {
    auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
    if (!callee || callee.isExternal() || !active.insert(callee).second)
      return 1;
    int64_t chain = chainOf(callee.getBody().front());
    active.erase(callee);
    return chain;
  }

  int64_t tripsOf(LoopLikeOpInterface loop) {
    return std::max<int64_t>(1, tripCount(loop).value_or(dynamicExtent));
  }

  int64_t extentOf(int64_t extent) const {
    return ShapedType::isDynamic(extent) ? dynamicExtent
                                         : std::max<int64_t>(1, extent);
  }

  void noteReduction(linalg::LinalgOp op) {
    int64_t terms = 1;
    for (auto [kind, extent] :
         llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
      if (kind == utils::IteratorType::reduction)
        terms *= extentOf(extent);
    model.terms = std::max(model.terms, terms);
  }

  /// An op without a body that says what it sums: softmax sums one dimension of its
  /// result, of which the op says the number.
  void noteInnerReduction(Operation &op) {
    auto type = op.getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                    : RankedTensorType();
    auto dim = op.getAttrOfType<IntegerAttr>("dimension");
    if (type && dim && dim.getInt() >= 0 && dim.getInt() < type.getRank())
      model.terms =
          std::max(model.terms, extentOf(type.getDimSize(dim.getInt())));
  }

  int64_t dynamicExtent;
  DenseMap<Value, int64_t> chains;
  DenseSet<Operation *> active;
};

} // namespace

ErrorModel shard::deriveErrorModel(func::FuncOp entry, int64_t dynamicExtent) {
  ErrorModelBuilder builder(std::max<int64_t>(1, dynamicExtent));
  for (Type type : entry.getArgumentTypes())
    if (std::optional<ElementType> element =
            getHostElementType(getElementTypeOrSelf(type)))
      builder.model.roundoff =
          std::max(builder.model.roundoff, unitRoundoff(*element));
  int64_t chain = 1;
  for (mlir::Block &block : entry.getBody())
    chain = std::max(chain, builder.chainOf(block));
  builder.model.chain = chain;
  return builder.model;
}
