//===- TableCache.cpp - Loop tables shared by equal ops ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableCache.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace shard::propagation {

/// What elements of unknown width (index, types of other dialects) count as where
/// sizes of tensors are compared.
static constexpr int64_t kOtherElementBits = 64;

ShapeId TableCache::shapeOf(RankedTensorType type) {
  auto [entry, fresh] = shapes.try_emplace(type, 0);
  if (fresh) {
    Shape shape;
    shape.extents.assign(type.getShape().begin(), type.getShape().end());
    Type element = type.getElementType();
    shape.elementBits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                        : isa<ComplexType>(element)
                            ? 2 * cast<ComplexType>(element)
                                      .getElementType()
                                      .getIntOrFloatBitWidth()
                            : kOtherElementBits;
    entry->second = problem.addShape(std::move(shape));
  }
  return entry->second;
}

TableId TableCache::tableOf(Operation *op) {
  uint32_t number = likeOps.numberOf(op);
  if (number < tableOfLike.size())
    return tableOfLike[number];
  llvm::SmallVector<ShapeId, 4> opShapes;
  auto shape = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    opShapes.push_back(tensor ? shapeOf(tensor) : 0);
  };
  for (Type type : op->getOperandTypes())
    shape(type);
  for (Type type : op->getResultTypes())
    shape(type);
  TableId table = add(buildLoopTable(op), opShapes);
  tableOfLike.push_back(table);
  return table;
}

static bool areEqual(const TensorLoops &a, const TensorLoops &b) {
  return a.dims == b.dims && a.windows == b.windows &&
         a.reduction == b.reduction && a.isTensor == b.isTensor;
}

static bool areEqual(const LoopTable &a, const LoopTable &b) {
  auto loops = [](const Loop &x, const Loop &y) {
    return x.kind == y.kind && x.extent == y.extent &&
           x.evenOnly == y.evenOnly &&
           x.slidesOverUnknown == y.slidesOverUnknown && x.count == y.count &&
           x.exchanges == y.exchanges &&
           (x.kind != LoopKind::Reduction || x.reduction == y.reduction);
  };
  auto tensors = [](const TensorLoops &x, const TensorLoops &y) {
    return areEqual(x, y);
  };
  return a.partialRule == b.partialRule && a.firstInit == b.firstInit &&
         a.uniform == b.uniform && a.pointwise == b.pointwise &&
         a.decidesOption == b.decidesOption &&
         llvm::equal(a.loops, b.loops, loops) &&
         llvm::equal(a.operands, b.operands, tensors) &&
         llvm::equal(a.results, b.results, tensors);
}

static uint64_t hashOf(const LoopTable &table) {
  llvm::hash_code hash =
      llvm::hash_combine(unsigned(table.partialRule), table.firstInit,
                         table.operands.size(), table.results.size());
  for (const Loop &loop : table.loops)
    hash = llvm::hash_combine(hash, unsigned(loop.kind), loop.extent);
  auto add = [&](const TensorLoops &tensor) {
    for (const DimLoops &dim : tensor.dims)
      hash = llvm::hash_combine(
          hash, llvm::hash_combine_range(dim.begin(), dim.end()));
  };
  for (const TensorLoops &operand : table.operands)
    add(operand);
  for (const TensorLoops &result : table.results)
    add(result);
  return hash;
}

TableId TableCache::add(const LoopTable &table, llvm::ArrayRef<ShapeId> ids) {
  TableId number = byContent.intern(hashOf(table), [&](TableId id) {
    return areEqual(tables[id], table) && llvm::equal(tableShapes[id], ids);
  });
  if (number < tables.size())
    return number;
  [[maybe_unused]] TableId added = problem.addTable(table, ids);
  assert(added == number && "tables are added through the cache only");
  tables.push_back(table);
  tableShapes.emplace_back(ids.begin(), ids.end());
  return number;
}

TableId TableCache::identityOf(ShapeId shape) {
  auto [entry, fresh] = identities.try_emplace(shape, 0);
  if (fresh) {
    ShapeId both[] = {shape, shape};
    TableId id = add(identityTable(problem.shapes[shape].extents), both);
    identities[shape] = id;
    return id;
  }
  return entry->second;
}

} // namespace shard::propagation
