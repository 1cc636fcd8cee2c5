//===- RingForms.cpp - A collective and an op as a ring -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/RingForms.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/PartitionContext.h"
#include "shard/Partitioning/RotatedBlocks.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

/// The text of a ring grows with its devices.
static constexpr int64_t kMaxDevices = 16;

//===----------------------------------------------------------------------===//
// What has a form
//===----------------------------------------------------------------------===//

/// Whether the results may be combined in the order of the ring, which differs from device
/// to device.
bool RingForm::mayReorder(Replication &replication, bool reorderSums) const {
  if (kind == Kind::Parallel)
    return true;
  for (auto [tensor, type] :
       llvm::zip_equal(cut.table.results, op->getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    ReductionKind reduction =
        kind == Kind::Scatter ? ReductionKind::Sum : tensor.reduction;
    if (reduction == ReductionKind::Average ||
        reduction == ReductionKind::Generic)
      return false;
    bool rounds =
        reduction == ReductionKind::Sum || reduction == ReductionKind::Product;
    if (kind == Kind::Scatter && !mayRoundEach(element))
      return false;
    if (!rounds || !isa<FloatType>(element))
      continue;
    if (!reorderSums || !mayRoundEach(element))
      return false;
    // Replicas are the same bits, so that devices that decide by them decide alike.
    if (kind == Kind::Reduction &&
        llvm::none_of(llvm::enumerate(op->getOperands()), [&](auto operand) {
          return operand.index() != gathered &&
                 isa<RankedTensorType>(operand.value().getType()) &&
                 replication.isSplit(operand.value(), cut.group.grid,
                                     cut.group.axes);
        }))
      return false;
  }
  return true;
}

std::optional<RingForm> RingForm::of(Operation *collective,
                                     SymbolTableCollection &symbols,
                                     Replication &replication,
                                     bool reorderSums) {
  RingForm form;
  form.collective = collective;
  int64_t dim;
  if (auto gather = dyn_cast<AllGatherOp>(collective)) {
    if (!gather.getResult().hasOneUse())
      return std::nullopt;
    OpOperand &use = *gather.getResult().use_begin();
    form.op = use.getOwner();
    form.gathered = use.getOperandNumber();
    dim = gather.getGatherAxis().getSExtValue();
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(collective)) {
    form.kind = Kind::Scatter;
    form.op = scatter.getInput().getDefiningOp();
    dim = scatter.getScatterAxis().getSExtValue();
    if (scatter.getReduction() != ReductionKind::Sum ||
        !scatter.getCombiner().empty() || !form.op ||
        !scatter.getInput().hasOneUse() || form.op->getNumResults() != 1)
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (form.op->getBlock() != collective->getBlock())
    return std::nullopt;
  auto input = cast<RankedTensorType>(collective->getOperand(0).getType());
  auto result = cast<RankedTensorType>(collective->getResult(0).getType());
  OpInParts::Group group;
  group.grid = collective->getAttrOfType<FlatSymbolRefAttr>("grid");
  GridOp grid = getGrid(collective, group.grid, symbols);
  auto list = collective->getAttrOfType<DenseI16ArrayAttr>("grid_axes");
  FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
  if (failed(sizes) || !list || !input.hasStaticShape() ||
      !result.hasStaticShape() ||
      input.getElementType() != result.getElementType())
    return std::nullopt;
  group.sizes = *sizes;
  group.axes.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  form.groupSize = group.parts();
  // Blocks of equal size.
  bool scatters = form.kind == Kind::Scatter;
  int64_t whole = (scatters ? input : result).getDimSize(dim);
  int64_t part = (scatters ? result : input).getDimSize(dim);
  if (form.groupSize < 2 || form.groupSize > kMaxDevices ||
      whole % form.groupSize != 0 || whole / form.groupSize != part)
    return std::nullopt;
  std::optional<OpInParts> cut =
      OpInParts::of(form.op, {scatters, form.gathered, dim}, group);
  if (!cut || (!scatters && cut->table.isInit(form.gathered)))
    return std::nullopt;
  form.cut = std::move(*cut);
  if (form.cut.sums())
    form.kind = Kind::Reduction;
  if (!form.mayReorder(replication, reorderSums))
    return std::nullopt;
  return form;
}

Attribute RingForm::key() const {
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> parts{
      collective->getName().getIdentifier(),
      collective->getAttrDictionary(),
      TypeAttr::get(collective->getOperand(0).getType()),
      op->getName().getIdentifier(),
      op->getAttrDictionary(),
      IntegerAttr::get(IndexType::get(context), gathered)};
  for (Type type : op->getOperandTypes())
    parts.push_back(TypeAttr::get(type));
  return ArrayAttr::get(context, parts);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value RingForm::shifted(OpBuilder &builder, Value value) const {
  return ShiftOp::create(builder, collective->getLoc(), value.getType(), value,
                         cut.group.grid.getValue(), cut.group.axes,
                         cut.group.axes, /*offset=*/1,
                         /*rotate=*/true, /*mirror=*/false);
}

Value RingForm::offsetOf(OpBuilder &builder, Place &place,
                         int64_t extent) const {
  Value &offset = place.offsets[extent];
  if (!offset)
    offset = rotatedOffset(builder, op->getLoc(), place.position, groupSize,
                           place.steps, extent);
  return offset;
}

/// The operands of the part at `place`; `inits` stand for the destinations if there are
/// any.
SmallVector<Value> RingForm::operandsAt(OpBuilder &builder, Place &place,
                                        ValueRange inits) const {
  SmallVector<Value> operands(op->getOperands());
  for (auto [index, value] : llvm::enumerate(operands)) {
    if (cut.table.isInit(index) && !inits.empty())
      value = inits[cut.resultOfInit(index)];
    int64_t dim = cut.operandDims[index];
    if (dim < 0 || (kind != Kind::Scatter && index == gathered))
      continue;
    int64_t extent =
        cast<RankedTensorType>(value.getType()).getDimSize(dim) / groupSize;
    if (Value block = inits.empty() || !cut.table.isInit(index)
                          ? cut.createdBlock(builder, value, dim)
                          : Value()) {
      value = block;
      continue;
    }
    value = sliceBlock(builder, op->getLoc(), value, dim,
                       offsetOf(builder, place, extent), extent);
  }
  return operands;
}

void RingForm::buildGathered(OpBuilder &builder) const {
  Location loc = op->getLoc();
  SmallVector<Value> results;
  for (OpResult result : op->getResults()) {
    Value init = cut.initOf(result);
    results.push_back(
        init ? init
             : unspecifiedTensor(builder, loc,
                                 cast<RankedTensorType>(result.getType())));
  }
  Value position = positionInGroup(builder, loc, cut.group.sizes,
                                   cut.group.grid, cut.group.axes);
  Value block = collective->getOperand(0);
  for (int64_t step = 0; step < groupSize; ++step) {
    Value next = step + 1 < groupSize ? shifted(builder, block) : Value();
    Place place(position, step);
    SmallVector<Value> operands = operandsAt(builder, place, results);
    operands[gathered] = block;
    FailureOr<SmallVector<Value>> parts = cut.build(builder, operands);
    assert(succeeded(parts) && "has been tried");
    for (auto [result, part, dim] :
         llvm::zip_equal(results, *parts, cut.resultDims)) {
      if (dim < 0) {
        result = part;
        continue;
      }
      int64_t extent = cast<RankedTensorType>(part.getType()).getDimSize(dim);
      result = insertBlock(builder, loc, result, part, dim,
                           offsetOf(builder, place, extent));
    }
    if (next)
      block = WaitOp::create(builder, collective->getLoc(), next, block);
  }
  op->replaceAllUsesWith(results);
  op->erase();
  collective->erase();
}

void RingForm::buildScattered(OpBuilder &builder) const {
  Value position =
      positionInGroup(builder, collective->getLoc(), cut.group.sizes,
                      cut.group.grid, cut.group.axes);
  Value sum;
  for (int64_t step = 0; step < groupSize; ++step) {
    Value moved = sum ? shifted(builder, sum) : Value();
    Place place(position, step + 1);
    FailureOr<SmallVector<Value>> part =
        cut.build(builder, operandsAt(builder, place, {}));
    assert(succeeded(part) && "has been tried");
    if (moved) {
      Value waited = WaitOp::create(builder, collective->getLoc(), moved, sum);
      sum = sumOfTensors(builder, collective->getLoc(), waited, part->front());
    } else {
      sum = part->front();
    }
  }
  collective->getResult(0).replaceAllUsesWith(sum);
  collective->erase();
  llvm::SetVector<Value> taken(op->operand_begin(), op->operand_end());
  op->erase();
  eraseUnusedCreators(taken.takeVector());
}

void RingForm::build() const {
  OpBuilder builder(kind == Kind::Scatter ? collective : op);
  if (kind == Kind::Scatter)
    buildScattered(builder);
  else
    buildGathered(builder);
}

} // namespace shard
