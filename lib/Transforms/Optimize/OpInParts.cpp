//===- OpInParts.cpp - An op cut along one of its loops -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/OpInParts.h"

#include "shard/IR/ShardDialect.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

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

bool mayRoundEach(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
         (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 32);
}

RankedTensorType partType(Type type, int64_t dim, int64_t parts) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  if (dim >= 0)
    shape[dim] /= parts;
  return tensor.clone(shape);
}

/// Lets the axes split the loop that alone indexes dimension `dim` of `tensor`.
bool OpInParts::findLoop(const TensorLoops &tensor, int64_t dim) {
  if (!tensor.isTensor || tensor.dims[dim].size() != 1 || tensor.isWindow(dim))
    return false;
  int32_t number = tensor.dims[dim].front();
  const Loop &loop = table.loops[number];
  if (loop.kind == LoopKind::Invalid || loop.extent <= 0 ||
      loop.extent % group.parts() != 0)
    return false;
  option.loops.resize(table.loops.size());
  option.loops[number] = group.axes;
  if (loop.kind == LoopKind::Parallel)
    return true;
  // Parts add to what the parts before them have left.
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (table.isInit(i) && i < ShardingOption::kMaxPartialOperands)
      option.partialOperands |= uint64_t(1) << i;
  return table.firstInit >= 0 &&
         op->getNumOperands() - table.firstInit == op->getNumResults() &&
         op->getNumOperands() <= ShardingOption::kMaxPartialOperands;
}

/// Finds the dimensions of the operands and results that the axes split: one of each
/// result, or none of any.
bool OpInParts::findDims() {
  if (!isValidOption(table, group.sizes, option))
    return false;
  auto splitDim = [&](const TensorLoops &tensor, const Sharding &sharding,
                      SmallVectorImpl<int64_t> &dims) {
    dims.push_back(-1);
    for (auto [dim, list] : llvm::enumerate(sharding.dims)) {
      if (list.empty())
        continue;
      if (dims.back() >= 0 || list != group.axes || tensor.isWindow(dim))
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
  bool isParallel = option.partialOperands == 0;
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
                            resultOfInit(i) >= op->getNumResults() ||
                            op->getOperand(i).getType() !=
                                op->getResult(resultOfInit(i)).getType() ||
                            operandDims[i] != resultDims[resultOfInit(i)]))
      return false;
  return true;
}

Value OpInParts::initOf(OpResult result) const {
  int64_t init = table.firstInit + result.getResultNumber();
  return table.firstInit >= 0 && init < op->getNumOperands()
             ? op->getOperand(init)
             : Value();
}

std::optional<OpInParts> OpInParts::of(Operation *op, Dim along,
                                       const Group &group) {
  if (group.parts() < 2 || !isLoopsAlone(op))
    return std::nullopt;
  OpInParts cut;
  cut.op = op;
  cut.group = group;
  cut.table = buildLoopTable(op);
  if (!cut.table.uniform)
    return std::nullopt;
  const TensorLoops &tensor = along.isResult ? cut.table.results[along.number]
                                             : cut.table.operands[along.number];
  if (!cut.findLoop(tensor, along.dim) || !cut.findDims() || !cut.isOnePart())
    return std::nullopt;
  return cut;
}

FailureOr<SmallVector<Value>> OpInParts::build(OpBuilder &builder,
                                               ArrayRef<Value> operands) const {
  CostModel costs;
  Planner planner(costs);
  Emission emission{group.sizes, group.grid, planner};
  PartitionContext context(emission, table, option);
  SmallVector<Value> made;
  if (failed(cast<ShardingInterface>(op).partition(builder, operands, context,
                                                   made)) ||
      made.size() != op->getNumResults())
    return failure();
  return made;
}

/// Whether partition makes one op of the op, of blocks.
bool OpInParts::isOnePart() const {
  mlir::Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  SmallVector<Value> operands(op->getOperands());
  for (auto [value, dim] : llvm::zip_equal(operands, operandDims))
    if (dim >= 0)
      value = scratch.addArgument(partType(value.getType(), dim, group.parts()),
                                  op->getLoc());
  FailureOr<SmallVector<Value>> made = build(builder, operands);
  if (failed(made) || !llvm::hasSingleElement(scratch) ||
      scratch.front().getName() != op->getName())
    return false;
  for (auto [value, result, dim] :
       llvm::zip_equal(*made, op->getResults(), resultDims))
    if (value.getType() != partType(result.getType(), dim, group.parts()))
      return false;
  return true;
}

Value OpInParts::createdBlock(OpBuilder &builder, Value value,
                              int64_t dim) const {
  Operation *creator = value.getDefiningOp();
  auto type = partType(value.getType(), dim, group.parts());
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
  std::optional<OpInParts> cut =
      of(creator, {/*isResult=*/true, 0, dim}, group);
  if (!cut)
    return {};
  SmallVector<Value> operands(creator->getOperands());
  for (auto [operand, split] : llvm::zip_equal(operands, cut->operandDims))
    if (split >= 0) {
      operand = createdBlock(builder, operand, split);
      if (!operand)
        return {};
    }
  FailureOr<SmallVector<Value>> made = cut->build(builder, operands);
  return succeeded(made) ? made->front() : Value();
}

void eraseUnusedCreators(SmallVector<Value> values) {
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

} // namespace shard
