//===- LookUps.cpp - Extracted slices become gathers ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends write the look-up of a row as an element that the body of an op extracts:
//
//   linalg.generic ins(%ids) outs(%init : tensor<32x8xf32>)
//     ^bb0(%id: i32, %out: f32):
//       %row = arith.index_cast %id, %column = linalg.index 1
//       %x = tensor.extract %table[%row, %column] : tensor<4096x8xf32>
//
// Loop 1 reads a whole dimension of the table in order, and the other index does not depend
// on it. So the element is that of
//
//   %rows = tensor.gather %table[%indices] gather_dims([0])
//
// at the places of loops 0 and 1, and %rows becomes an input. The gather has a model by
// which every dimension of the table can be split (GatherModels.cpp).
//
// A loop that reads a whole dimension in order may have a part in the other indices too, as
// loop 0 in %table[%0, %ids[%0]]. It is a batch: the dimension is gathered, and the model
// splits it together with that of the indices.
//
// If no loop reads a whole dimension, single elements are looked up. At least one index then
// has to be data: elements at places that loops compute are raised elsewhere (Extracts.cpp).
//
//===----------------------------------------------------------------------===//

#include "LookUps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shard {

namespace {

class LookUp {
public:
  LookUp(linalg::GenericOp op, tensor::ExtractOp extract)
      : op(op), extract(extract), type(extract.getTensor().getType()),
        extents(op.getStaticLoopRanges()), depends(op.getNumLoops()) {}

  /// Whether the extract is one; must be true before `raise`.
  bool find() {
    if (!type.hasStaticShape() || llvm::is_contained(type.getShape(), 0) ||
        op.getRegion().isAncestor(extract.getTensor().getParentRegion()) ||
        llvm::any_of(extents, [](int64_t extent) {
          return ShapedType::isDynamic(extent) || extent == 0;
        }))
      return false;
    llvm::SmallBitVector taken(op.getNumLoops());
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      auto loop = index.getDefiningOp<linalg::IndexOp>();
      bool isWhole = loop && extents[loop.getDim()] == type.getDimSize(dim) &&
                     !taken.test(loop.getDim());
      loopOf.push_back(isWhole ? int64_t(loop.getDim()) : -1);
      if (isWhole)
        taken.set(loop.getDim());
    }
    // An index may depend on a loop that reads another dimension: then that one is an
    // index too. Each round makes one more of them.
    bool hasBatch = false;
    for (bool changed = true; changed;) {
      if (!findDependences())
        return false;
      changed = false;
      for (int64_t &loop : loopOf)
        if (loop >= 0 && depends.test(loop)) {
          loop = -1;
          changed = hasBatch = true;
        }
    }
    int64_t slice = 1;
    for (auto [dim, loop] : llvm::enumerate(loopOf))
      if (loop >= 0)
        slice *= type.getDimSize(dim);
      else
        gathered.push_back(dim);
    if (gathered.empty())
      return false;
    uint64_t found = slice;
    for (int loop : depends.set_bits())
      found = llvm::SaturatingMultiply<uint64_t>(found, extents[loop]);
    // A dimension of one element has no choice, so that a small slice of it is worth its index.
    int64_t choices = llvm::count_if(
        gathered, [&](int64_t dim) { return type.getDimSize(dim) > 1; });
    uint64_t elements = type.getNumElements();
    if (hasBatch && found <= elements)
      return true;
    if (slice == 1)
      return isData &&
             llvm::SaturatingMultiply<uint64_t>(found, choices) <= elements;
    // Else the indices take more memory than what they find.
    return slice >= choices;
  }

  linalg::GenericOp raise(IRRewriter &rewriter) {
    rewriter.setInsertionPoint(op);
    Value indices = makeIndices(rewriter);
    RankedTensorType found = tensor::GatherOp::inferResultType(
        type, cast<RankedTensorType>(indices.getType()), gathered,
        /*rankReduced=*/true);
    Value slices = tensor::GatherOp::create(rewriter, extract.getLoc(), found,
                                            extract.getTensor(), indices,
                                            gathered, /*unique=*/false);
    SmallVector<AffineExpr> exprs;
    for (int loop : depends.set_bits())
      exprs.push_back(rewriter.getAffineDimExpr(loop));
    for (int64_t loop : loopOf)
      if (loop >= 0)
        exprs.push_back(rewriter.getAffineDimExpr(loop));
    return withInput(
        op, extract, slices,
        AffineMap::get(op.getNumLoops(), 0, exprs, rewriter.getContext()),
        rewriter);
  }

private:
  /// Collects what the indices of gathered dimensions are computed from in the body, and
  /// the loops that this depends on. False if it is not known to be the same outside.
  bool findDependences() {
    slice.clear();
    depends.reset();
    isData = false;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *inner) {
      return inner->getBlock() == op.getBlock();
    };
    for (auto [index, loop] : llvm::zip_equal(extract.getIndices(), loopOf)) {
      if (loop >= 0)
        continue;
      if (failed(index.getDefiningOp() &&
                         index.getDefiningOp()->getBlock() == op.getBlock()
                     ? getBackwardSlice(index, &slice, options)
                     : success()))
        return false;
      if (!addArgument(index))
        return false;
    }
    for (Operation *inner : slice) {
      if (auto loop = dyn_cast<linalg::IndexOp>(inner)) {
        depends.set(loop.getDim());
        continue;
      }
      if (inner->getNumRegions() > 0 || !isMemoryEffectFree(inner) ||
          isa<tensor::ExtractOp>(inner))
        return false;
      for (Value operand : inner->getOperands())
        if (!addArgument(operand))
          return false;
    }
    return true;
  }

  /// Adds the loops of `value` if it is an element of an input; false if it is one of an
  /// output.
  bool addArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBlock())
      return true;
    if (argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
      return false;
    isData = true;
    AffineMap map = op.getMatchingIndexingMap(
        op.getDpsInputOperand(argument.getArgNumber()));
    for (AffineExpr expr : map.getResults())
      expr.walk([&](AffineExpr part) {
        if (auto loop = dyn_cast<AffineDimExpr>(part))
          depends.set(loop.getPosition());
      });
    return true;
  }

  /// The indices as a tensor: a dimension for each loop that they depend on, and one for
  /// the gathered dimensions.
  Value makeIndices(IRRewriter &rewriter) {
    Location loc = extract.getLoc();
    SmallVector<int64_t> shape;
    SmallVector<int64_t> newLoop(op.getNumLoops(), -1);
    for (int loop : depends.set_bits()) {
      newLoop[loop] = int64_t(shape.size());
      shape.push_back(extents[loop]);
    }
    unsigned loops = shape.size() + 1;
    shape.push_back(int64_t(gathered.size()));
    // The inputs that the slice reads, with their maps in the new loops.
    SmallVector<AffineExpr> replaced;
    for (int64_t loop : newLoop)
      replaced.push_back(loop >= 0 ? rewriter.getAffineDimExpr(loop)
                                   : rewriter.getAffineConstantExpr(0));
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    SmallVector<unsigned> numbers;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isRead(op.getMatchingBlockArgument(input)))
        continue;
      numbers.push_back(input->getOperandNumber());
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input).replaceDimsAndSymbols(
          replaced, {}, loops, 0));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(loops));
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, shape, rewriter.getIndexType());
    SmallVector<utils::IteratorType> kinds(loops,
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inner, Location at, ValueRange arguments) {
      IRMapping mapping;
      for (auto [number, argument] : llvm::zip(numbers, arguments))
        mapping.map(op.getBlock()->getArgument(number), argument);
      cloneSlice(inner, at, newLoop, mapping);
      linalg::YieldOp::create(inner, at,
                              chosenIndex(inner, at, loops - 1, mapping));
    };
    return linalg::GenericOp::create(rewriter, loc, empty.getType(), inputs,
                                     empty, maps, kinds, body)
        .getResult(0);
  }

  /// The slice once more, in an op with other numbers of loops.
  void cloneSlice(OpBuilder &builder, Location loc, ArrayRef<int64_t> newLoop,
                  IRMapping &mapping) const {
    for (Operation *old : slice)
      if (auto loop = dyn_cast<linalg::IndexOp>(old))
        mapping.map(loop.getResult(), linalg::IndexOp::create(
                                          builder, loc, newLoop[loop.getDim()])
                                          .getResult());
      else
        builder.clone(*old, mapping);
  }

  /// Of the indices of the gathered dimensions the one with the number of `loop`.
  Value chosenIndex(OpBuilder &builder, Location loc, unsigned loop,
                    const IRMapping &mapping) const {
    Value result;
    for (auto [number, dim] : llvm::enumerate(gathered)) {
      Value index = mapping.lookupOrDefault(extract.getIndices()[dim]);
      if (result) {
        Value here = linalg::IndexOp::create(builder, loc, loop);
        Value wanted = arith::ConstantIndexOp::create(builder, loc, number);
        Value isThis = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, here, wanted);
        index = arith::SelectOp::create(builder, loc, isThis, index, result);
      }
      result = index;
    }
    return result;
  }

  bool isRead(BlockArgument argument) const {
    auto isIndex = [&](OpOperand &use) {
      return slice.contains(use.getOwner()) ||
             (use.getOwner() == extract && use.getOperandNumber() > 0 &&
              loopOf[use.getOperandNumber() - 1] < 0);
    };
    return llvm::any_of(argument.getUses(), isIndex);
  }

  linalg::GenericOp op;
  mutable tensor::ExtractOp extract;
  RankedTensorType type;
  SmallVector<int64_t> extents;
  /// By dimension of the table the loop that reads all of it, or -1.
  SmallVector<int64_t> loopOf;
  SmallVector<int64_t> gathered;
  /// What the indices are computed from, and the loops that they depend on.
  SetVector<Operation *> slice;
  llvm::SmallBitVector depends;
  /// Whether an index is computed from elements of an input.
  bool isData = false;
};

} // namespace

linalg::GenericOp raiseLookUp(linalg::GenericOp op, tensor::ExtractOp extract,
                              IRRewriter &rewriter) {
  LookUp lookUp(op, extract);
  return lookUp.find() ? lookUp.raise(rewriter) : nullptr;
}

} // namespace shard
