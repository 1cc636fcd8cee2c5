//===- FullOp.cpp - An op on tensors that are whole -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/OpForms.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Models/Reshapes.h"

using namespace mlir;

namespace shard {

/// The first one of the dimensions of one element without loops right in front of `dim`.
static size_t firstUnit(const TensorLoops &tensor, ArrayRef<int64_t> shape,
                        size_t dim) {
  while (dim > 0 && shape[dim - 1] == 1 && tensor.dims[dim - 1].empty())
    --dim;
  return dim;
}

/// The loop that widens `dim`, or -1: a unit grows in the place of what is behind it.
static int32_t wideningLoop(const TensorLoops &tensor, ArrayRef<int64_t> shape,
                            size_t dim, bool widensUnits) {
  size_t last = dim;
  while (widensUnits && last + 1 < shape.size() && shape[last] == 1 &&
         tensor.dims[last].empty())
    ++last;
  bool isWidened = !widensUnits || firstUnit(tensor, shape, last) == dim;
  return tensor.dims[last].empty() || !isWidened ? -1
                                                 : tensor.dims[last].front();
}

/// So many lists are tried in all combinations.
static constexpr size_t kMaxLists = 9;

/// The attributes of `op` that list the extents of an operand or result, as those of slices
/// and reshapes do, with the extents that it has in the types `wide`.
static SmallVector<NamedAttribute> wideLists(Operation *op,
                                             ArrayRef<Type> wide) {
  SmallVector<NamedAttribute> lists;
  SmallVector<Type> narrow(op->getOperandTypes());
  llvm::append_range(narrow, op->getResultTypes());
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute.getValue()))
      for (auto [from, to] : llvm::zip_equal(narrow, wide))
        if (auto tensor = dyn_cast<RankedTensorType>(from);
            tensor && from != to && tensor.getShape() == list.asArrayRef()) {
          NamedAttribute wider(
              attribute.getName(),
              DenseI64ArrayAttr::get(op->getContext(),
                                     cast<RankedTensorType>(to).getShape()));
          if (!llvm::is_contained(lists, wider))
            lists.push_back(wider);
        }
  return lists;
}

/// Gives `full` those of `lists` with which it verifies; false if there are none. A list may
/// be equal to a shape and mean something else, as the `dimensions` of a broadcast.
static bool setLists(Operation *full, ArrayRef<NamedAttribute> lists) {
  // Bounds the work per op; slices have three lists and three tensors.
  if (lists.size() > kMaxLists)
    return false;
  Silence silence(full->getContext());
  DictionaryAttr asIs = full->getAttrDictionary();
  for (unsigned chosen = 0; chosen < 1u << lists.size(); ++chosen) {
    full->setAttrs(asIs);
    for (auto [i, list] : llvm::enumerate(lists))
      if (chosen >> i & 1)
        full->setAttr(list.getName(), list.getValue());
    // Not what regions hold: it is as in the op, and what they capture is not seen here.
    if (succeeded(full->getName().verifyInvariants(full)) &&
        succeeded(full->getName().verifyRegionInvariants(full)) &&
        !statesOtherExtents(full))
      return true;
  }
  return false;
}

/// Makes the op on tensors that are whole in the dimensions that the collective joins
/// and cuts, on operands of no meaning. Null if there is none. The caller erases it.
Operation *OpForms::makeFull(OpBuilder &builder) const {
  LoopTable table = buildLoopTable(op);
  const TensorLoops &known =
      knownIsResult ? table.results[knownIndex] : table.operands[knownIndex];
  int64_t narrow = isBehind ? knownDims.cut : knownDims.joined;
  if (!known.isTensor)
    return nullptr;
  auto knownType = cast<RankedTensorType>(
      knownIsResult ? op->getResult(knownIndex).getType()
                    : op->getOperand(knownIndex).getType());
  int32_t loop = wideningLoop(known, knownType.getShape(), narrow, widensUnits);
  if (loop < 0 || table.loops[loop].kind != LoopKind::Parallel)
    return nullptr;
  auto widen = [&](RankedTensorType type,
                   const TensorLoops &tensor) -> RankedTensorType {
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, loops] : llvm::enumerate(tensor.dims)) {
      if (!llvm::is_contained(loops, loop))
        continue;
      size_t wide = widensUnits ? firstUnit(tensor, type.getShape(), dim) : dim;
      std::optional<int64_t> whole = collective.wholeOf(shape[wide]);
      if (loops.front() != loop || tensor.isWindow(dim) || !whole)
        return {};
      shape[wide] = *whole;
    }
    return type.clone(shape);
  };
  SmallVector<Type> wide;
  for (auto [tensor, type] :
       llvm::zip_equal(table.operands, op->getOperandTypes()))
    if (wide.push_back(tensor.isTensor
                           ? Type(widen(cast<RankedTensorType>(type), tensor))
                           : type);
        !wide.back())
      return nullptr;
  for (auto [tensor, type] :
       llvm::zip_equal(table.results, op->getResultTypes()))
    if (wide.push_back(tensor.isTensor
                           ? Type(widen(cast<RankedTensorType>(type), tensor))
                           : Type());
        !wide.back())
      return nullptr;
  Operation *full = builder.clone(*op);
  mlir::Block *block = builder.getInsertionBlock();
  for (OpOperand &operand : full->getOpOperands())
    if (Type type = wide[operand.getOperandNumber()];
        type != operand.get().getType())
      operand.set(block->addArgument(type, op->getLoc()));
  for (OpResult result : full->getResults())
    result.setType(cast<RankedTensorType>(
        wide[op->getNumOperands() + result.getResultNumber()]));
  if (setLists(full, wideLists(op, wide)))
    return full;
  full->erase();
  return nullptr;
}

} // namespace shard
