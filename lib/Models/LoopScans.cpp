//===- LoopScans.cpp - Scans that are written as loops over slices --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that reads one slice after another and carries what it computed of them, such
// as a running sum, is a scan. Each device would wait for the one before it; the same scan
// as one op is made a scan of blocks (Scans.cpp).
//
//===----------------------------------------------------------------------===//

#include "LoopScans.h"

#include "shard/IR/WrittenOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace shard {

bool isIn(Value value, Region &region) {
  for (Region *outer = value.getParentRegion(); outer;
       outer = outer->getParentOp() ? outer->getParentRegion() : nullptr)
    if (outer == &region)
      return true;
  return false;
}

namespace {

/// Whether the elements of the result of an op do not depend on those of `operand`, but
/// stand beside them or replace them.
bool isOnlyWrittenTo(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return &operand == &insert.getDestMutable();
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return &operand == &insert.getDestMutable();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.isDpsInit(&operand) &&
         !linalgOp.payloadUsesValueFromOperand(&operand);
}

/// The values in `region` that `value` is computed from, itself included.
llvm::SmallPtrSet<Value, 16> sourcesOf(Value value, Region &region) {
  llvm::SmallPtrSet<Value, 16> found;
  SmallVector<Value> next{value};
  while (!next.empty()) {
    Value current = next.pop_back_val();
    if (!isIn(current, region) || !found.insert(current).second)
      continue;
    Operation *def = current.getDefiningOp();
    if (!def)
      continue;
    // What ops in its regions use counts too.
    def->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (!isOnlyWrittenTo(operand))
          next.push_back(operand.get());
    });
  }
  return found;
}

/// Whether `slice` is one of `carried`, all of which an iteration makes anew, as an elimination
/// does: that is no scan along the dimension.
bool isOfRemade(Operation *slice, Value carried, Value yielded, Region &body) {
  Operation *made = yielded.getDefiningOp();
  return !isa_and_nonnull<tensor::InsertSliceOp, tensor::InsertOp>(made) &&
         sourcesOf(slice->getOperand(0), body).contains(carried);
}

/// Whether `loop` carries a value that is computed from itself and from `slice`.
bool carriesSumOf(LoopLikeOpInterface loop, Operation *slice, Region &body) {
  for (auto [argument, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    llvm::SmallPtrSet<Value, 16> sources = sourcesOf(yielded, body);
    if (sources.contains(argument) && sources.contains(slice->getResult(0)) &&
        !isOfRemade(slice, argument, yielded, body))
      return true;
  }
  return false;
}

} // namespace

std::string adviceOnLoopScan(Operation *slice, OpFoldResult offset) {
  auto place = dyn_cast<Value>(offset);
  if (!place)
    return {};
  for (auto loop = slice->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
    if (!counters || loop.getLoopRegions().size() != 1)
      continue;
    Region &body = *loop.getLoopRegions().front();
    llvm::SmallPtrSet<Value, 16> sources = sourcesOf(place, body);
    if (llvm::any_of(
            *counters,
            [&](Value counter) { return sources.contains(counter); }) &&
        carriesSumOf(loop, slice, body))
      return "a loop takes one slice after another and carries what it "
             "computes of them. As one op that is split: a reduction as "
             "linalg.reduce, a scan as linalg.generic with a window as long as "
             "the dimension, over a tensor.pad of neutral elements. Or split "
             "another dimension";
  }
  return {};
}

std::string adviceOnSlice(Operation *slice, OpFoldResult offset) {
  if (writtenName(slice) != slice->getName().getStringRef())
    return "padding whose widths only a run knows may cut elements off. Pad by "
           "constants, or split another dimension";
  return adviceOnLoopScan(slice, offset);
}

} // namespace shard
