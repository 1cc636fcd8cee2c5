//===- CollectiveOps.cpp - Collectives: names, builders, effects ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;

namespace shard {

//===----------------------------------------------------------------------===//
// Names of results
//===----------------------------------------------------------------------===//

#define NAME_RESULT(Op, name)                                                  \
  void Op::getAsmResultNames(OpAsmSetValueNameFn setName) {                    \
    setName(getResult(), name);                                                \
  }
NAME_RESULT(AllGatherOp, "all_gather")
NAME_RESULT(AllReduceOp, "all_reduce")
NAME_RESULT(AllSliceOp, "all_slice")
NAME_RESULT(AllToAllOp, "all_to_all")
NAME_RESULT(BroadcastOp, "broadcast")
NAME_RESULT(GatherOp, "gather")
NAME_RESULT(PermuteOp, "permute")
NAME_RESULT(RecvOp, "recv")
NAME_RESULT(RedistributeOp, "redistribute")
NAME_RESULT(ReduceOp, "reduce")
NAME_RESULT(ReduceScatterOp, "reduce_scatter")
NAME_RESULT(ScatterOp, "scatter")
NAME_RESULT(SendOp, "send")
NAME_RESULT(ShiftOp, "shift")
#undef NAME_RESULT

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

static void addCommon(OpBuilder &builder, OperationState &state, Type result,
                      Value input, StringRef grid, ArrayRef<int16_t> axes) {
  state.addOperands(input);
  state.addTypes(result);
  state.addAttribute("grid",
                     FlatSymbolRefAttr::get(builder.getContext(), grid));
  state.addAttribute("grid_axes", builder.getDenseI16ArrayAttr(axes));
}

void AllGatherOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value input, StringRef grid, ArrayRef<int16_t> gridAxes,
                        int64_t gatherAxis) {
  addCommon(builder, state, result, input, grid, gridAxes);
  state.addAttribute("gather_axis", builder.getIndexAttr(gatherAxis));
}

void AllSliceOp::build(OpBuilder &builder, OperationState &state, Value input,
                       GridOp grid, ArrayRef<int16_t> gridAxes,
                       int64_t sliceAxis) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[sliceAxis] = localExtent(shape[sliceAxis], groupSize(grid, gridAxes));
  build(builder, state, type.clone(shape), input, grid.getSymName(), gridAxes,
        sliceAxis);
}

void AllSliceOp::build(OpBuilder &builder, OperationState &state, Type result,
                       Value input, StringRef grid, ArrayRef<int16_t> gridAxes,
                       int64_t sliceAxis) {
  addCommon(builder, state, result, input, grid, gridAxes);
  state.addAttribute("slice_axis", builder.getIndexAttr(sliceAxis));
}

void AllToAllOp::build(OpBuilder &builder, OperationState &state, Type result,
                       Value input, StringRef grid, ArrayRef<int16_t> gridAxes,
                       int64_t splitAxis, int64_t concatAxis) {
  addCommon(builder, state, result, input, grid, gridAxes);
  state.addAttribute("split_axis", builder.getIndexAttr(splitAxis));
  state.addAttribute("concat_axis", builder.getIndexAttr(concatAxis));
}

void ShiftOp::build(OpBuilder &builder, OperationState &state, Type result,
                    Value input, StringRef grid, ArrayRef<int16_t> gridAxes,
                    ArrayRef<int16_t> shiftAxes, int64_t offset, bool rotate,
                    bool mirror) {
  addCommon(builder, state, result, input, grid, gridAxes);
  state.addAttribute("shift_axis", builder.getIndexAttr(shiftAxes.front()));
  if (shiftAxes.size() > 1)
    state.addAttribute("minor_axes",
                       builder.getDenseI16ArrayAttr(shiftAxes.drop_front()));
  state.addAttribute("offset", builder.getI64IntegerAttr(offset));
  if (rotate)
    state.addAttribute("rotate", builder.getUnitAttr());
  if (mirror)
    state.addAttribute("mirror", builder.getUnitAttr());
}

static void addReduction(OpBuilder &builder, OperationState &state,
                         ReductionKind kind) {
  state.addAttribute("reduction",
                     ReductionKindAttr::get(builder.getContext(), kind));
}

void AllReduceOp::build(OpBuilder &builder, OperationState &state, Value input,
                        StringRef grid, ArrayRef<int16_t> gridAxes,
                        ReductionKind reduction) {
  build(builder, state, input.getType(), input, grid, gridAxes, reduction);
}

void AllReduceOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value input, StringRef grid, ArrayRef<int16_t> gridAxes,
                        ReductionKind reduction) {
  addCommon(builder, state, result, input, grid, gridAxes);
  addReduction(builder, state, reduction);
}

void ReduceScatterOp::build(OpBuilder &builder, OperationState &state,
                            Type result, Value input, StringRef grid,
                            ArrayRef<int16_t> gridAxes, ReductionKind reduction,
                            int64_t scatterAxis) {
  addCommon(builder, state, result, input, grid, gridAxes);
  addReduction(builder, state, reduction);
  state.addAttribute("scatter_axis", builder.getIndexAttr(scatterAxis));
}

//===----------------------------------------------------------------------===//
// Effects: tensors have none
//===----------------------------------------------------------------------===//

void UpdateHaloOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!isa<MemRefType>(getDestination().getType()))
    return;
  OpOperand &memory = getDestinationMutable();
  effects.emplace_back(MemoryEffects::Read::get(), &memory);
  effects.emplace_back(MemoryEffects::Write::get(), &memory);
}

Speculation::Speculatability UpdateHaloOp::getSpeculatability() {
  return isa<MemRefType>(getDestination().getType())
             ? Speculation::NotSpeculatable
             : Speculation::Speculatable;
}

void AllReduceOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<TensorType>(getInput().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getInputMutable());
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
  effects.emplace_back(MemoryEffects::Write::get(),
                       cast<OpResult>(getResult()));
}

Speculation::Speculatability AllReduceOp::getSpeculatability() {
  return isa<TensorType>(getInput().getType()) ? Speculation::Speculatable
                                               : Speculation::NotSpeculatable;
}

} // namespace shard
