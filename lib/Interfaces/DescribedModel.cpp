//===- DescribedModel.cpp - Writing sharding models in few lines ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/DescribedModel.h"

using namespace mlir;

namespace shard {

MapBuilder::MapBuilder(Operation *op) : op(op) {
  auto add = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    exprs.emplace_back(tensor ? tensor.getRank() : 0,
                       getAffineConstantExpr(0, op->getContext()));
    isTensor.push_back(bool(tensor));
  };
  llvm::for_each(op->getOperandTypes(), add);
  llvm::for_each(op->getResultTypes(), add);
}

AffineExpr MapBuilder::loop(const Loop &loop) {
  loops.push_back(loop);
  return getAffineDimExpr(loops.size() - 1, op->getContext());
}

SmallVector<AffineMap> MapBuilder::maps() const {
  SmallVector<AffineMap> maps;
  for (auto [tensor, list] : llvm::zip_equal(isTensor, exprs))
    maps.push_back(tensor
                       ? AffineMap::get(loops.size(), 0, list, op->getContext())
                       : AffineMap());
  return maps;
}

void describeResult(Operation *op, MapBuilder &maps) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    maps.result(0)[dim] = maps.loop(extent);
}

/// A group of dimensions [begin, end) of a shape.
namespace {
struct DimGroup {
  unsigned begin, end;
};
} // namespace

/// The strides of the dimensions of a group that are wider than 1, the whole
/// group's extent included.
static void collectStrides(ArrayRef<int64_t> shape, DimGroup group,
                           SmallVectorImpl<int64_t> &strides) {
  int64_t stride = 1;
  for (unsigned dim = group.end; dim-- > group.begin; stride *= shape[dim])
    strides.push_back(stride);
  strides.push_back(stride);
}

/// Gives each dimension of a group the sum of the digits that lie in it.
static void assignDigits(ArrayRef<int64_t> shape, DimGroup group,
                         ArrayRef<int64_t> strides, ArrayRef<AffineExpr> digits,
                         SmallVectorImpl<AffineExpr> &exprs) {
  int64_t stride = 1;
  for (unsigned dim = group.end; dim-- > group.begin; stride *= shape[dim]) {
    AffineExpr sum;
    for (auto [digitStride, digit] : llvm::zip(strides, digits)) {
      if (digitStride < stride || digitStride >= stride * shape[dim])
        continue;
      AffineExpr term = digit * (digitStride / stride);
      sum = sum ? term + sum : term;
    }
    if (sum)
      exprs[dim] = sum;
  }
}

static void describeGroup(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                          DimGroup fromGroup, DimGroup toGroup,
                          MapBuilder &maps,
                          SmallVectorImpl<AffineExpr> &fromExprs,
                          SmallVectorImpl<AffineExpr> &toExprs) {
  SmallVector<int64_t> strides;
  collectStrides(from, fromGroup, strides);
  collectStrides(to, toGroup, strides);
  llvm::sort(strides);
  strides.erase(llvm::unique(strides), strides.end());
  for (size_t i = 0; i + 1 < strides.size(); ++i)
    if (strides[i + 1] % strides[i] != 0)
      return;
  SmallVector<AffineExpr> digits;
  for (size_t i = 0; i + 1 < strides.size(); ++i)
    digits.push_back(maps.loop(strides[i + 1] / strides[i]));
  assignDigits(from, fromGroup, strides, digits, fromExprs);
  assignDigits(to, toGroup, strides, digits, toExprs);
}

/// The same of the dimensions of `from` and `to` in two groups, all of known extents.
static void describeGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                           DimGroup fromGroup, DimGroup toGroup,
                           MapBuilder &maps,
                           SmallVectorImpl<AffineExpr> &fromExprs,
                           SmallVectorImpl<AffineExpr> &toExprs) {
  unsigned i = fromGroup.begin, j = toGroup.begin;
  while (i < fromGroup.end && j < toGroup.end) {
    unsigned fromBegin = i, toBegin = j;
    int64_t fromSize = from[i++], toSize = to[j++];
    while (fromSize != toSize) {
      // Sizes beyond 2^63 are compared no further.
      bool isKnown = false;
      if (fromSize < toSize && i < fromGroup.end)
        isKnown = !__builtin_mul_overflow(fromSize, from[i++], &fromSize);
      else if (toSize < fromSize && j < toGroup.end)
        isKnown = !__builtin_mul_overflow(toSize, to[j++], &toSize);
      if (!isKnown)
        return;
    }
    describeGroup(from, to, {fromBegin, i}, {toBegin, j}, maps, fromExprs,
                  toExprs);
  }
}

/// The product of the extents, all known; 0 beyond 2^63.
static int64_t productOf(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(product, extent, &product))
      return 0;
  return product;
}

void describeReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                     MapBuilder &maps, SmallVectorImpl<AffineExpr> &fromExprs,
                     SmallVectorImpl<AffineExpr> &toExprs) {
  auto isPlain = [](int64_t extent) { return extent > 0; };
  unsigned fromRank = from.size(), toRank = to.size();
  if (llvm::all_of(from, isPlain) && llvm::all_of(to, isPlain))
    return describeGroups(from, to, {0, fromRank}, {0, toRank}, maps, fromExprs,
                          toExprs);
  // One unknown extent on each side: the same one, if as many elements lie within it.
  unsigned i = llvm::find_if_not(from, isPlain) - from.begin();
  unsigned j = llvm::find_if_not(to, isPlain) - to.begin();
  if (i == fromRank || j == toRank || ShapedType::isStatic(from[i]) ||
      ShapedType::isStatic(to[j]) ||
      !llvm::all_of(from.drop_front(i + 1), isPlain) ||
      !llvm::all_of(to.drop_front(j + 1), isPlain))
    return;
  int64_t inner = productOf(from.drop_front(i + 1));
  int64_t outer = productOf(from.take_front(i));
  if (inner == 0 || outer == 0 || inner != productOf(to.drop_front(j + 1)) ||
      outer != productOf(to.take_front(j)))
    return;
  describeGroups(from, to, {0, i}, {0, j}, maps, fromExprs, toExprs);
  fromExprs[i] = toExprs[j] = maps.loop(ShapedType::kDynamic);
  describeGroups(from, to, {i + 1, fromRank}, {j + 1, toRank}, maps, fromExprs,
                 toExprs);
}

} // namespace shard
