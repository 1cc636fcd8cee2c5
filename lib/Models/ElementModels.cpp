//===- ElementModels.cpp - Ops of tensor that reach for one element -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.extract and tensor.insert: each device asks whether the element lies in
// its block. The tensor stays split; only the element travels.
//
//===----------------------------------------------------------------------===//

#include "LoopScans.h"
#include "TensorModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// Where an element lies in the block of the device that runs the code.
struct Place {
  /// The nearest indices in the local tensor, padding included.
  SmallVector<Value> indices;
  /// Whether the block has the element; null if every block has it.
  Value inside;
};

Place placeInBlock(OpBuilder &builder, Location loc, Value local,
                   RankedTensorType type, ValueRange indices,
                   const Sharding &sharding, const PartitionContext &context) {
  Place place;
  place.indices.assign(indices.begin(), indices.end());
  for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
    if (axes.empty())
      continue;
    Value width = getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, local, dim));
    DynamicBlock block =
        blockOf(builder, loc, context.grid, context.emission.gridSymbol,
                type.getDimSize(dim), axes, width);
    auto value = [&](OpFoldResult part) {
      return getValueOrCreateConstantIndexOp(builder, loc, part);
    };
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value index =
        arith::SubIOp::create(builder, loc, indices[dim], value(block.offset));
    // As unsigned numbers, indices before the block are beyond its end too.
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index, value(block.size));
    place.inside =
        place.inside ? arith::AndIOp::create(builder, loc, place.inside, inside)
                     : inside;
    Value last = arith::SubIOp::create(builder, loc, width, one);
    Value low = arith::MaxSIOp::create(builder, loc, index, zero);
    place.indices[dim] = arith::MinSIOp::create(builder, loc, low, last);
  }
  return place;
}

/// Whether a block of `type` under `sharding` may have no elements, not even padding.
bool mayBeEmpty(RankedTensorType type, const Sharding &sharding,
                const PartitionContext &context) {
  for (auto [dim, axes] : llvm::enumerate(sharding.dims))
    if (!axes.empty() && type.isDynamicDim(dim) && context.grid.unevenDynamic)
      return true;
  return false;
}

/// What `make` computes where `place` is inside of the block, else `otherwise`. Where the
/// block may be empty no device but that which has the element computes it.
Value whereInside(OpBuilder &builder, Location loc, const Place &place,
                  Value otherwise,
                  llvm::function_ref<Value(OpBuilder &)> make) {
  auto branch = scf::IfOp::create(
      builder, loc, place.inside,
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, make(inner));
      },
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, otherwise);
      });
  return branch.getResult(0);
}

/// Writes one element: on the devices that have it, the others write back what
/// they have, at the nearest index of theirs.
struct InsertModel : public DescribedModel<InsertModel, tensor::InsertOp> {
  void describe(tensor::InsertOp op, MapBuilder &maps) const {
    auto type = cast<RankedTensorType>(op.getType());
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      maps.operand(1)[dim] = maps.result(0)[dim] = maps.loop(extent);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value dest = operands[1], element = operands[0];
    Place place = placeInBlock(builder, loc, dest, type, operands.drop_front(2),
                               context.result(0), context);
    if (place.inside && mayBeEmpty(type, context.result(0), context)) {
      results.push_back(
          whereInside(builder, loc, place, dest, [&](OpBuilder &inner) {
            return tensor::InsertOp::create(inner, loc, element, dest,
                                            place.indices)
                .getResult();
          }));
      return success();
    }
    if (place.inside) {
      Value old = tensor::ExtractOp::create(builder, loc, dest, place.indices);
      element =
          arith::SelectOp::create(builder, loc, place.inside, element, old);
    }
    results.push_back(
        tensor::InsertOp::create(builder, loc, element, dest, place.indices));
    return success();
  }
};

/// The integer that has the bits of an element of `type` on all devices; null for
/// types whose bits no collective combines.
IntegerType bitsOf(Type type) {
  unsigned width = type.isIndex()        ? 64
                   : type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                                         : 0;
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && !integer.isSignless())
    return nullptr;
  if (!llvm::is_contained({1, 8, 16, 32, 64}, width))
    return nullptr;
  return IntegerType::get(type.getContext(), width);
}

Value withType(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex() || type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  return arith::BitcastOp::create(builder, loc, type, value);
}

/// Reads one element: the device that has it gives its bits, the others 0, and
/// these are combined by a bitwise or. So NaN, infinities and -0.0 arrive as they
/// are. An index that lies nowhere reads the nearest element of the whole.
struct ExtractModel : public DescribedModel<ExtractModel, tensor::ExtractOp> {
  void describe(tensor::ExtractOp op, MapBuilder &maps) const {
    auto type = dyn_cast<RankedTensorType>(op.getTensor().getType());
    if (!type)
      return;
    bool travels = bitsOf(type.getElementType()) != nullptr;
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      maps.operand(0)[dim] =
          maps.loop(travels ? Loop::parallel(extent) : Loop::invalid(extent));
  }
  /// MLIR calls it pure, but an index may lie outside of the tensor.
  bool mayTrapOnPadding(Operation *) const { return true; }
  bool readsSingleElements(Operation *, unsigned operand) const {
    return operand == 0;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    Sharding sharding = context.operand(0);
    SmallVector<Value> indices(operands.drop_front());
    AxisList axes;
    for (auto [dim, split] : llvm::enumerate(sharding.dims)) {
      if (split.empty())
        continue;
      axes.insert(axes.end(), split.begin(), split.end());
      indices[dim] = nearest(builder, loc, indices[dim], type.getDimSize(dim),
                             operands[0], dim, split, context);
    }
    Place place = placeInBlock(builder, loc, operands[0], type, indices,
                               sharding, context);
    auto read = [&](OpBuilder &inner) -> Value {
      return tensor::ExtractOp::create(inner, loc, operands[0], place.indices);
    };
    Value element;
    if (place.inside && mayBeEmpty(type, sharding, context)) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(type.getElementType()));
      element = whereInside(builder, loc, place, zero, read);
    } else {
      element = read(builder);
    }
    if (place.inside) {
      remarkOnScan(cast<tensor::ExtractOp>(op), sharding);
      element = broadcast(builder, loc, element, place.inside, axes,
                          context.emission.gridSymbol);
    }
    results.push_back(element);
    return success();
  }

private:
  /// Tells that a loop over the elements of a split tensor sends in each iteration, and
  /// what is split instead.
  static void remarkOnScan(tensor::ExtractOp op, const Sharding &sharding) {
    for (auto [dim, split] : llvm::enumerate(sharding.dims)) {
      if (split.empty())
        continue;
      std::string advice = adviceOnLoopScan(op, op.getIndices()[dim]);
      if (advice.empty())
        continue;
      op.emitRemark() << "'tensor.extract' reads one element of a tensor that "
                         "is split along dimension "
                      << dim << ", and sends it by an all_reduce each time: "
                      << advice;
      return;
    }
  }

  /// `index` moved into a dimension of `extent`, which `axes` split.
  static Value nearest(OpBuilder &builder, Location loc, Value index,
                       int64_t extent, Value local, int64_t dim,
                       const AxisList &axes, const PartitionContext &context) {
    std::optional<int64_t> known = getConstantIntValue(index);
    bool isStatic = !ShapedType::isDynamic(extent);
    if (known && isStatic && *known >= 0 && *known < extent)
      return index;
    Value size;
    if (isStatic) {
      size = arith::ConstantIndexOp::create(builder, loc, extent);
    } else {
      Value width = tensor::DimOp::create(builder, loc, local, dim);
      size = wholeExtent(builder, loc, context.grid,
                         context.emission.gridSymbol, width, axes);
    }
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = builder.createOrFold<arith::SubIOp>(loc, size, one);
    Value low = arith::MinSIOp::create(builder, loc, index, last);
    return arith::MaxSIOp::create(builder, loc, low, zero);
  }

  /// The `element` of the one device among those along `axes` that has it.
  static Value broadcast(OpBuilder &builder, Location loc, Value element,
                         Value mine, const AxisList &axes,
                         FlatSymbolRefAttr grid) {
    Type type = element.getType();
    IntegerType bits = bitsOf(type);
    Value own = withType(builder, loc, element, bits);
    Value nothing = arith::ConstantIntOp::create(builder, loc, bits, 0);
    own = arith::SelectOp::create(builder, loc, mine, own, nothing);
    Value tensor = tensor::FromElementsOp::create(
        builder, loc, RankedTensorType::get({}, bits), own);
    Value all =
        AllReduceOp::create(builder, loc, tensor.getType(), tensor,
                            grid.getValue(), axes, ReductionKind::BitwiseOr);
    Value result = tensor::ExtractOp::create(builder, loc, all, ValueRange());
    return withType(builder, loc, result, type);
  }
};

} // namespace

void attachElementModels(MLIRContext *context) {
  tensor::ExtractOp::attachInterface<ExtractModel>(*context);
  tensor::InsertOp::attachInterface<InsertModel>(*context);
}

} // namespace shard
