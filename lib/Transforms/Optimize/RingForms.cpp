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

/// Whether `op` computes its results from its operands by loops alone, on static shapes.
static bool isLoopsAlone(Operation *op) {
  if (op->getNumResults() == 0 || !isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      isa<RegionBranchOpInterface>(op) || !isa<ShardingInterface>(op))
    return false;
  WalkResult walked = op->walk([](Operation *inner) {
    return isa_and_nonnull<ShardDialect>(inner->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !isa<ShapedType>(type) || (tensor && tensor.hasStaticShape());
  };
  return !walked.wasInterrupted() &&
         llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), [&](Type type) {
           return isa<RankedTensorType>(type) && isStatic(type);
         });
}

/// Whether sums of elements of `type` may be rounded after each summand: those of narrow
/// floats are kept in wider ones until the end where it is possible.
static bool mayRoundEach(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
         (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 32);
}

/// Lets the axes split the loop that alone indexes dimension `dim` of `tensor`.
bool RingForm::findLoop(const TensorLoops &tensor, int64_t dim) {
  if (!tensor.isTensor || tensor.dims[dim].size() != 1 || tensor.isWindow(dim))
    return false;
  int32_t number = tensor.dims[dim].front();
  const Loop &loop = table.loops[number];
  if (loop.kind == LoopKind::Invalid || loop.extent <= 0 ||
      loop.extent % groupSize != 0)
    return false;
  option.loops.resize(table.loops.size());
  option.loops[number] = axes;
  if (loop.kind == LoopKind::Parallel)
    return true;
  if (kind == Kind::Scatter)
    return false;
  kind = Kind::Reduction;
  // Parts add to what the parts before them have left.
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (table.isInit(i) && i < ShardingOption::kMaxPartialOperands)
      option.partialOperands |= uint64_t(1) << i;
  return table.firstInit >= 0 &&
         op->getNumOperands() - table.firstInit == op->getNumResults() &&
         op->getNumOperands() <= ShardingOption::kMaxPartialOperands;
}

/// Finds the dimensions of the operands and results that the axes split.
bool RingForm::findDims() {
  if (!isValidOption(table, sizes, option))
    return false;
  auto splitDim = [&](const TensorLoops &tensor, const Sharding &sharding,
                      SmallVectorImpl<int64_t> &dims) {
    dims.push_back(-1);
    for (auto [dim, list] : llvm::enumerate(sharding.dims)) {
      if (list.empty())
        continue;
      if (dims.back() >= 0 || list != axes || tensor.isWindow(dim))
        return false;
      dims.back() = dim;
    }
    return true;
  };
  for (auto [index, tensor] : llvm::enumerate(table.operands)) {
    if (!tensor.isTensor)
      operandDims.push_back(-1);
    else if (!splitDim(tensor, operandSharding(table, index, option),
                       operandDims))
      return false;
  }
  bool isParallel = kind != Kind::Reduction;
  for (auto [index, tensor] : llvm::enumerate(table.results)) {
    if (!tensor.isTensor ||
        !splitDim(tensor, resultSharding(table, index, option), resultDims))
      return false;
    if (isParallel != (resultDims.back() >= 0))
      return false;
  }
  // What is combined into a result has its dimensions.
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (table.isInit(i) && (!table.operands[i].isTensor ||
                            i - table.firstInit >= op->getNumResults() ||
                            op->getOperand(i).getType() !=
                                op->getResult(i - table.firstInit).getType() ||
                            operandDims[i] != resultDims[i - table.firstInit]))
      return false;
  return true;
}

/// Whether the results may be combined in the order of the ring, which differs from device
/// to device.
bool RingForm::mayReorder(Replication &replication, bool reorderSums) const {
  if (kind == Kind::Parallel)
    return true;
  for (auto [tensor, type] :
       llvm::zip_equal(table.results, op->getResultTypes())) {
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
                 replication.isSplit(operand.value(), grid, axes);
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
  if (form.op->getBlock() != collective->getBlock() || !isLoopsAlone(form.op))
    return std::nullopt;
  auto input = cast<RankedTensorType>(collective->getOperand(0).getType());
  auto result = cast<RankedTensorType>(collective->getResult(0).getType());
  form.grid = collective->getAttrOfType<FlatSymbolRefAttr>("grid");
  GridOp grid = getGrid(collective, form.grid, symbols);
  auto list = collective->getAttrOfType<DenseI16ArrayAttr>("grid_axes");
  FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
  if (failed(sizes) || !list || !input.hasStaticShape() ||
      !result.hasStaticShape() ||
      input.getElementType() != result.getElementType())
    return std::nullopt;
  form.sizes = *sizes;
  form.axes.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  form.groupSize = sizes->groupSize(form.axes);
  // Blocks of equal size.
  bool scatters = form.kind == Kind::Scatter;
  int64_t whole = (scatters ? input : result).getDimSize(dim);
  int64_t part = (scatters ? result : input).getDimSize(dim);
  if (form.groupSize < 2 || form.groupSize > kMaxDevices ||
      part * form.groupSize != whole)
    return std::nullopt;
  form.table = buildLoopTable(form.op);
  // The op does the same to every block.
  if (!form.table.uniform || (!scatters && form.table.isInit(form.gathered)))
    return std::nullopt;
  const TensorLoops &tensor =
      scatters ? form.table.results[0] : form.table.operands[form.gathered];
  if (!form.findLoop(tensor, dim) || !form.findDims() ||
      !form.mayReorder(replication, reorderSums) || !form.isOnePart())
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

/// `type` with a part of the elements of `dim`; as it is if `dim` is -1.
static RankedTensorType blockType(Type type, int64_t dim, int64_t parts) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  if (dim >= 0)
    shape[dim] /= parts;
  return tensor.clone(shape);
}

FailureOr<SmallVector<Value>>
RingForm::buildPart(OpBuilder &builder, ArrayRef<Value> operands) const {
  CostModel costs;
  Planner planner(costs);
  Emission emission{sizes, grid, planner};
  PartitionContext context(emission, table, option);
  SmallVector<Value> made;
  if (failed(cast<ShardingInterface>(op).partition(builder, operands, context,
                                                   made)) ||
      made.size() != op->getNumResults())
    return failure();
  return made;
}

/// Whether partition makes one op of the op, of blocks.
bool RingForm::isOnePart() const {
  mlir::Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  SmallVector<Value> operands(op->getOperands());
  for (auto [value, dim] : llvm::zip_equal(operands, operandDims))
    if (dim >= 0)
      value = scratch.addArgument(blockType(value.getType(), dim, groupSize),
                                  op->getLoc());
  FailureOr<SmallVector<Value>> made = buildPart(builder, operands);
  if (failed(made) || !llvm::hasSingleElement(scratch) ||
      scratch.front().getName() != op->getName())
    return false;
  for (auto [value, result, dim] :
       llvm::zip_equal(*made, op->getResults(), resultDims))
    if (value.getType() != blockType(result.getType(), dim, groupSize))
      return false;
  return true;
}

Value RingForm::shifted(OpBuilder &builder, Value value) const {
  return ShiftOp::create(builder, collective->getLoc(), value.getType(), value,
                         grid.getValue(), axes, axes, /*offset=*/1,
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

/// Any block along `dim` of `value`, which a creator makes of equal elements: made alone.
/// Null if it is not made so.
Value RingForm::createdBlock(OpBuilder &builder, Value value,
                             int64_t dim) const {
  Operation *creator = value.getDefiningOp();
  auto type = blockType(value.getType(), dim, groupSize);
  if (!creator || !isCreator(creator) || creator->getNumResults() != 1)
    return {};
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    auto splat = dyn_cast<SplatElementsAttr>(constant);
    Operation *made =
        splat ? creator->getDialect()->materializeConstant(
                    builder, splat.resizeSplat(type), type, value.getLoc())
              : nullptr;
    return made ? made->getResult(0) : Value();
  }
  if (!isLoopsAlone(creator))
    return {};
  RingForm form;
  form.kind = Kind::Scatter;
  form.op = creator;
  form.grid = grid;
  form.sizes = sizes;
  form.axes = axes;
  form.groupSize = groupSize;
  form.table = buildLoopTable(creator);
  if (!form.table.uniform || !form.findLoop(form.table.results[0], dim) ||
      !form.findDims() || !form.isOnePart())
    return {};
  SmallVector<Value> operands(creator->getOperands());
  for (auto [operand, split] : llvm::zip_equal(operands, form.operandDims))
    if (split >= 0) {
      operand = createdBlock(builder, operand, split);
      if (!operand)
        return {};
    }
  FailureOr<SmallVector<Value>> made = form.buildPart(builder, operands);
  return succeeded(made) ? made->front() : Value();
}

/// The operands of the part at `place`; `inits` stand for the destinations if there are
/// any.
SmallVector<Value> RingForm::operandsAt(OpBuilder &builder, Place &place,
                                        ValueRange inits) const {
  SmallVector<Value> operands(op->getOperands());
  for (auto [index, value] : llvm::enumerate(operands)) {
    if (table.isInit(index) && !inits.empty())
      value = inits[index - table.firstInit];
    int64_t dim = operandDims[index];
    if (dim < 0 || (kind != Kind::Scatter && index == gathered))
      continue;
    int64_t extent =
        cast<RankedTensorType>(value.getType()).getDimSize(dim) / groupSize;
    if (Value block = inits.empty() || !table.isInit(index)
                          ? createdBlock(builder, value, dim)
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
    auto type = cast<RankedTensorType>(result.getType());
    int64_t init = table.firstInit + result.getResultNumber();
    results.push_back(table.firstInit >= 0 && init < op->getNumOperands()
                          ? op->getOperand(init)
                          : unspecifiedTensor(builder, loc, type));
  }
  Value position = positionInGroup(builder, loc, sizes, grid, axes);
  Value block = collective->getOperand(0);
  for (int64_t step = 0; step < groupSize; ++step) {
    Value next = step + 1 < groupSize ? shifted(builder, block) : Value();
    Place place(position, step);
    SmallVector<Value> operands = operandsAt(builder, place, results);
    operands[gathered] = block;
    FailureOr<SmallVector<Value>> parts = buildPart(builder, operands);
    assert(succeeded(parts) && "has been tried");
    for (auto [result, part, dim] :
         llvm::zip_equal(results, *parts, resultDims)) {
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

/// Erases the creators of `values` that nothing needs any more, and what they take.
static void eraseUnused(SmallVector<Value> values) {
  while (!values.empty()) {
    Operation *creator = values.pop_back_val().getDefiningOp();
    if (!creator || !isCreator(creator) || !isOpTriviallyDead(creator))
      continue;
    // A value that is taken twice is tried once.
    llvm::SetVector<Value> taken(creator->operand_begin(),
                                 creator->operand_end());
    creator->erase();
    values.append(taken.begin(), taken.end());
  }
}

void RingForm::buildScattered(OpBuilder &builder) const {
  Value position =
      positionInGroup(builder, collective->getLoc(), sizes, grid, axes);
  Value sum;
  for (int64_t step = 0; step < groupSize; ++step) {
    Value moved = sum ? shifted(builder, sum) : Value();
    Place place(position, step + 1);
    FailureOr<SmallVector<Value>> part =
        buildPart(builder, operandsAt(builder, place, {}));
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
  eraseUnused(taken.takeVector());
}

void RingForm::build() const {
  OpBuilder builder(kind == Kind::Scatter ? collective : op);
  if (kind == Kind::Scatter)
    buildScattered(builder);
  else
    buildGathered(builder);
}

} // namespace shard
