//===- Problem.cpp - What the engine works on -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/Problem.h"

#include <cassert>
#include <limits>

namespace shard::propagation {

ShapeId Problem::addShape(Shape shape) {
  shapes.push_back(std::move(shape));
  return shapes.size() - 1;
}

ValueId Problem::addValue(ShapeId shape, uint32_t scope) {
  assert(shape < shapes.size() && scope < scopes.size());
  valueShape.push_back(shape);
  valueScope.push_back(scope);
  neverPartial.push_back(false);
  ofView.push_back(false);
  joined.push_back(Joined::No);
  return valueShape.size() - 1;
}

/// The bits of a tensor of `shape`, saturating.
static int64_t bitsOf(const Shape &shape) {
  int64_t bits = shape.elementBits;
  for (int64_t extent : shape.extents)
    if (extent != kDynamic && __builtin_mul_overflow(bits, extent, &bits))
      return std::numeric_limits<int64_t>::max();
  return bits;
}

/// Whether the ops of `table` repeat their operands along a loop. Inits do not count: they have
/// the dimensions of the result, whatever is computed.
static bool repeatsOperands(const FlatTable &table) {
  if (table.contraction)
    return false;
  unsigned operands =
      table.firstInit < 0 ? table.numOperands : unsigned(table.firstInit);
  std::vector<bool> read(table.loops.size());
  for (uint32_t at = 0, end = table.loopBegin[table.dimBegin[operands]];
       at < end; ++at)
    read[table.loopOf[at]] = true;
  for (size_t loop = 0; loop < read.size(); ++loop)
    if (!read[loop] && table.loops[loop].extent != 1)
      return true;
  return false;
}

TableId Problem::addTable(const LoopTable &table, llvm::ArrayRef<ShapeId> ids) {
  FlatTable flat;
  for (const Loop &loop : table.loops) {
    flat.loops.push_back({loop.extent, loop.kind, loop.reduction, loop.evenOnly,
                          loop.slidesOverUnknown});
    flat.contraction |= loop.kind == LoopKind::Reduction;
  }
  flat.numOperands = table.operands.size();
  flat.rule = table.partialRule;
  flat.firstInit = table.firstInit;
  flat.dimBegin.push_back(0);
  flat.loopBegin.push_back(0);
  size_t tensor = 0;
  auto add = [&](const TensorLoops &loops) {
    for (const DimLoops &dim : loops.dims) {
      for (int32_t loop : dim) {
        assert(loop >= 0 && size_t(loop) < flat.loops.size() &&
               "a dimension names loops of its table");
        flat.loopOf.push_back(loop);
        flat.loops[loop].evenOnly |= dim.size() > 1;
      }
      flat.loopBegin.push_back(flat.loopOf.size());
    }
    flat.dimBegin.push_back(flat.loopBegin.size() - 1);
    flat.bits.push_back(loops.isTensor ? bitsOf(shapes[ids[tensor]]) : 0);
    ++tensor;
  };
  for (const TensorLoops &operand : table.operands)
    add(operand);
  for (const TensorLoops &result : table.results) {
    add(result);
    flat.resultReduction.push_back(result.reduction);
  }
  flat.repeats = repeatsOperands(flat);
  tables.push_back(std::move(flat));
  return tables.size() - 1;
}

OpId Problem::addOp(TableId table, llvm::ArrayRef<ValueId> operands,
                    llvm::ArrayRef<ValueId> results) {
  assert(table < tables.size() &&
         operands.size() == tables[table].numOperands &&
         operands.size() + results.size() == tables[table].numTensors() &&
         "an op has the tensors of its table");
  opTable.push_back(table);
  trips.push_back(1);
  opTensors.insert(opTensors.end(), operands.begin(), operands.end());
  opTensors.insert(opTensors.end(), results.begin(), results.end());
  opBegin.push_back(opTensors.size());
  return opTable.size() - 1;
}

LoopTable identityTable(llvm::ArrayRef<int64_t> extents) {
  LoopTable table;
  TensorLoops tensor;
  tensor.isTensor = true;
  for (int64_t extent : extents) {
    tensor.dims.push_back({int32_t(table.loops.size())});
    table.loops.push_back(Loop::parallel(extent));
  }
  table.operands.push_back(tensor);
  table.results.push_back(tensor);
  table.partialRule = PartialRule::Movement;
  return table;
}

} // namespace shard::propagation
