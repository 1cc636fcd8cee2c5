//===- OpForms.cpp - An op in front of a collective and behind it ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/OpForms.h"

#include "Optimize/SplitSums.h"
#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/Cost/Ops.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shard {

/// Creators that take creators are made again up to this depth.
static constexpr unsigned kMaxDepth = 4;

//===----------------------------------------------------------------------===//
// What the op takes
//===----------------------------------------------------------------------===//

bool OpForms::isSame(Value value) const {
  return replication.isReplicated(value, collective.grid, collective.axes);
}

/// Whether the collective `op` works along other axes of the same grid.
static bool isAcross(Operation *op, const MovingCollective &collective) {
  if (op->getNumRegions() > 0 && !op->getRegion(0).empty())
    return false;
  if (!isCollective(op) || op->getAttr("grid") != collective.grid)
    return false;
  for (StringRef name : {"grid_axes", "from_axes", "to_axes"})
    if (auto list = op->getAttrOfType<DenseI16ArrayAttr>(name))
      for (GridAxis axis : list.asArrayRef())
        if (llvm::is_contained(collective.axes, axis))
          return false;
  return true;
}

/// Whether the op computes the same from the same operands on each device that the
/// collective works on.
bool OpForms::takesSameElsewhere() const {
  if (op->getNumResults() == 0 || op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() || !isMemoryEffectFree(op) ||
      isa<RegionBranchOpInterface>(op) || !isa<ShardingInterface>(op))
    return false;
  if (isa_and_present<ShardDialect>(op->getDialect()) &&
      !isAcross(op, collective))
    return false;
  WalkResult walked = op->walk([&](Operation *inner) {
    return inner != op && isa_and_nonnull<ShardDialect>(inner->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !isa<ShapedType>(type) || (tensor && tensor.hasStaticShape());
  };
  return !walked.wasInterrupted() &&
         llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(),
                      [&](Type type) {
                        return isa<RankedTensorType>(type) && isStatic(type);
                      }) &&
         llvm::all_of(above, [&](Value value) { return isSame(value); });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The loops that the axes split where they split dimension `dim` of `tensor`.
static bool optionFor(const LoopTable &table, const TensorLoops &tensor,
                      int64_t dim, const MovingCollective &collective,
                      ShardingOption &option) {
  Sharding sharding = Sharding::replicated(tensor.dims.size());
  sharding.dims[dim] = collective.axes;
  projectToLoops(table, tensor, collective.sizes, sharding, option.loops);
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
    if (!axes.empty() && loop.kind != LoopKind::Parallel)
      return false;
  return isValidOption(table, collective.sizes, option);
}

/// The dimension of the operand or result that the axes split under `option`, -1 where
/// they split none; nothing where it is not split as a collective splits it.
static std::optional<int64_t> splitDim(const LoopTable &table, bool isResult,
                                       unsigned index,
                                       const ShardingOption &option,
                                       const MovingCollective &collective) {
  const TensorLoops &tensor =
      isResult ? table.results[index] : table.operands[index];
  Sharding sharding = isResult ? resultSharding(table, index, option)
                               : operandSharding(table, index, option);
  if (!sharding.partial.empty())
    return std::nullopt;
  int64_t found = -1;
  for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
    if (axes.empty())
      continue;
    if (found >= 0 || axes != collective.axes || tensor.isWindow(dim))
      return std::nullopt;
    found = dim;
  }
  return found;
}

bool OpForms::movedDimsOf(const LoopTable &table, bool isResult, unsigned index,
                          std::optional<MovedDims> &dims) const {
  std::optional<int64_t> joined =
      splitDim(table, isResult, index, loopsBefore, collective);
  std::optional<int64_t> cut = -1;
  if (!collective.isGather())
    cut = splitDim(table, isResult, index, loopsBehind, collective);
  if (!joined || !cut ||
      (!collective.isGather() && (*joined < 0) != (*cut < 0)))
    return false;
  if (*joined >= 0)
    dims = MovedDims{*joined, *cut};
  return true;
}

/// Reads off the table of the full op which dimensions move.
bool OpForms::findDims(const LoopTable &table) {
  const TensorLoops &known =
      knownIsResult ? table.results[knownIndex] : table.operands[knownIndex];
  if (!optionFor(table, known, knownDims.joined, collective, loopsBefore))
    return false;
  if (!collective.isGather() &&
      !optionFor(table, known, knownDims.cut, collective, loopsBehind))
    return false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (table.operands[i].isTensor &&
        !movedDimsOf(table, false, i, operands[i]))
      return false;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (!movedDimsOf(table, true, i, results[i]) || !results[i])
      return false;
  const std::optional<MovedDims> &read =
      knownIsResult ? results[knownIndex] : operands[knownIndex];
  return read && *read == knownDims;
}

//===----------------------------------------------------------------------===//
// The full op
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> OpForms::partition(OpBuilder &builder,
                                                 Operation *full, bool behind,
                                                 ArrayRef<Value> values) const {
  SmallVector<Value> made;
  if (behind && collective.isGather()) {
    Operation *clone = builder.clone(*full);
    clone->setOperands(values);
    made.append(clone->result_begin(), clone->result_end());
    return made;
  }
  LoopTable table = buildLoopTable(full);
  CostModel costs;
  Planner planner(costs);
  Emission emission{collective.sizes, collective.grid, planner};
  PartitionContext context(emission, table, behind ? loopsBehind : loopsBefore);
  if (failed(cast<ShardingInterface>(full).partition(builder, values, context,
                                                     made)) ||
      made.size() != full->getNumResults())
    return failure();
  return made;
}

/// Whether partition makes the op from `full`.
bool OpForms::widensTo(Operation *full) const {
  mlir::Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  SmallVector<Value> values(op->getOperands());
  FailureOr<SmallVector<Value>> made =
      partition(builder, full, isBehind, values);
  return succeeded(made) && llvm::hasSingleElement(scratch) &&
         OperationEquivalence::isEquivalentTo(
             op, &scratch.front(),
             OperationEquivalence::Flags::IgnoreLocations);
}

//===----------------------------------------------------------------------===//
// The other form
//===----------------------------------------------------------------------===//

/// The constant that `value` is a splat of, in the type `type`.
static Attribute splatOf(Value value, RankedTensorType type) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  return splat.resizeSplat(type);
}

/// Operand `index` in the other form, of what has not both forms.
Value OpForms::madeOperand(OpBuilder &builder, unsigned index) const {
  Value value = op->getOperand(index);
  MovedDims dims = *made[index];
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType wanted =
      isBehind ? collective.before(type, dims) : collective.behind(type, dims);
  if (!wanted)
    return {};
  if (Attribute splat = splatOf(value, wanted)) {
    Operation *constant =
        value.getDefiningOp()->getDialect()->materializeConstant(
            builder, splat, wanted, value.getLoc());
    return constant ? constant->getResult(0) : Value();
  }
  if (creators[index]) {
    FailureOr<SmallVector<Value>> created =
        creators[index]->build(builder, [](unsigned) { return Value(); });
    return succeeded(created) ? created->front() : Value();
  }
  return AllSliceOp::create(builder, op->getLoc(), wanted, value,
                            collective.grid.getValue(), collective.axes,
                            dims.joined);
}

FailureOr<SmallVector<Value>>
OpForms::build(OpBuilder &builder,
               llvm::function_ref<Value(unsigned)> operand) const {
  SmallVector<Value> values;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    values.push_back(operands[i] ? operand(i)
                     : made[i]   ? madeOperand(builder, i)
                                 : op->getOperand(i));
    if (!values.back())
      return failure();
  }
  if (!collective.retypes()) {
    Operation *clone = builder.clone(*op);
    clone->setOperands(values);
    return SmallVector<Value>(clone->result_begin(), clone->result_end());
  }
  if (collective.isGather() && isBehind)
    return partition(builder, op, false, values);
  mlir::Block scratch;
  OpBuilder wide(op->getContext());
  wide.setInsertionPointToEnd(&scratch);
  Operation *full = makeFull(wide);
  if (!full)
    return failure();
  return partition(builder, full, !isBehind, values);
}

/// Seconds of a collective of which a device sends `bytes`.
static double secondsOf(const LinkCostModel &links,
                        const CollectiveCost &cost) {
  if (!cost.sent)
    return 0;
  int64_t bytes = cost.sent->most(cost.groupSize);
  AxisList axes(cost.axes.begin(), cost.axes.end());
  return bytes > 0 ? links.cost(Collective::Permute, axes, double(bytes)) : 0;
}

/// What a sum that `slice` slices in the other form of `op` takes longer for that.
static double secondsOfSplit(const MovingCollective &collective,
                             AllSliceOp slice, Operation *op) {
  auto sum = slice.getInput().getDefiningOp<AllReduceOp>();
  // A slice of what the collective gives reads what the collective reads now.
  if (auto wide = dyn_cast<AllSliceOp>(op)) {
    Operation *moved = wide.getInput().getDefiningOp();
    if (moved && moved->getName() == collective.like->getName()) {
      sum = moved->getOperand(0).getDefiningOp<AllReduceOp>();
      op = moved;
    }
  }
  // With other users it stays one.
  if (!sum || llvm::any_of(sum->getUsers(), [&](Operation *user) {
        return user != op && user != slice;
      }))
    return 0;
  return secondsOfSplitSum(collective.gridOp, collective.sizes,
                           sum.getGridAxes(), slice, sum.getResult().getType(),
                           slice.getResult().getType());
}

/// Whether `op`, an insertion, need not copy its destination in the other form. In front of the
/// collective it inserts into what the collective reads now.
static bool overwritesThere(Operation *op, bool isBehind,
                            const MovingCollective &collective) {
  Value destination = destinationOfInsertion(op);
  Operation *moved =
      destination && isBehind ? destination.getDefiningOp() : nullptr;
  return overwritesDestination(op) &&
         (!moved || moved->getName() != collective.like->getName() ||
          isOverwritable(moved->getOperand(0)));
}

/// Builds the other form in a scratch block, to see whether it can be built and what it
/// costs.
bool OpForms::tryBuild() {
  mlir::Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  auto there = [&](Type type, MovedDims dims) {
    auto tensor = cast<RankedTensorType>(type);
    return isBehind ? collective.before(tensor, dims)
                    : collective.behind(tensor, dims);
  };
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (operands[i] && !there(op->getOperand(i).getType(), *operands[i]))
      return false;
  FailureOr<SmallVector<Value>> built =
      build(builder, [&](unsigned i) -> Value {
        return scratch.addArgument(
            there(op->getOperand(i).getType(), *operands[i]), op->getLoc());
      });
  if (failed(built))
    return false;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if ((*built)[i].getType() != there(op->getResult(i).getType(), *results[i]))
      return false;
  SymbolTableCollection symbols;
  if (std::optional<CollectiveCost> sent = costOfCollective(op, symbols)) {
    // Bytes are in proportion to those of the operand.
    LinkCostModel links =
        linkSeconds(collective.gridOp, machineOf(collective.gridOp));
    secondsHere = secondsThere = secondsOf(links, *sent);
    if (sent->sent) {
      std::optional<int64_t> here = bytesOfType(op->getOperand(0).getType());
      std::optional<int64_t> other =
          bytesOfType((*built)[0].getDefiningOp()->getOperand(0).getType());
      if (!here || !other || *here == 0)
        return false;
      for (auto &[position, bytes] : sent->sent->more)
        bytes = bytes * *other / *here;
      sent->sent->base = sent->sent->base * *other / *here;
      secondsThere = secondsOf(links, *sent);
    }
    return true;
  }
  Machine machine = machineOf(collective.gridOp);
  std::optional<OpCost> here = costOfOp(op);
  if (!here)
    return false;
  secondsHere = here->seconds(machine);
  bool overwrites = overwritesThere(op, isBehind, collective);
  LinkCostModel links = linkSeconds(collective.gridOp, machine);
  for (Operation &other : scratch) {
    // Some ops exchange something themselves if a loop is split.
    if (std::optional<CollectiveCost> sent =
            costOfCollective(&other, collective.gridOp))
      secondsThere += secondsOf(links, *sent);
    std::optional<OpCost> cost = costOfOp(&other, overwrites);
    if (!cost)
      return false;
    secondsThere += cost->seconds(machine);
    // A slice reads and writes the block.
    if (auto slice = dyn_cast<AllSliceOp>(other))
      secondsThere += 2 * double(*bytesOfType(slice.getResult().getType())) /
                          machine.memoryBandwidth +
                      secondsOfSplit(collective, slice, op);
  }
  return true;
}

bool OpForms::find(bool isResult, unsigned index, MovedDims dims,
                   llvm::function_ref<bool(Value)> hasBoth) {
  knownIsResult = isResult;
  knownIndex = index;
  knownDims = dims;
  operands.assign(op->getNumOperands(), std::nullopt);
  made = operands;
  creators.assign(op->getNumOperands(), nullptr);
  results.assign(op->getNumResults(), std::nullopt);
  if (!takesSameElsewhere())
    return false;
  if (!collective.retypes()) {
    for (auto [value, moved] : llvm::zip_equal(op->getOperands(), operands)) {
      if (isSame(value))
        continue;
      if (!isa<RankedTensorType>(value.getType()) || !hasBoth(value))
        return false;
      moved = MovedDims();
    }
    results.assign(op->getNumResults(), MovedDims());
    return tryBuild();
  }
  Silence silence(op->getContext());
  mlir::Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  Operation *full = op;
  if (!collective.isGather() || !isBehind)
    full = makeFull(builder);
  if (!full || !findDims(buildLoopTable(full)))
    return false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value value = op->getOperand(i);
    if (!operands[i]) {
      if (!isSame(value))
        return false;
      continue;
    }
    if (hasBoth(value))
      continue;
    std::swap(made[i], operands[i]);
    Operation *creator = value.getDefiningOp();
    auto type = cast<RankedTensorType>(value.getType());
    if (splatOf(value, type))
      continue;
    if (creator && isCreator(creator) && creator->getNumResults() == 1 &&
        depth < kMaxDepth) {
      creators[i] = std::make_shared<OpForms>(creator, collective, replication,
                                              isBehind, widensUnits);
      creators[i]->depth = depth + 1;
      if (creators[i]->find(true, 0, *made[i], [](Value) { return false; }))
        continue;
      creators[i] = nullptr;
    }
    if (!collective.isGather() || !isBehind || !isSame(value))
      return false;
  }
  return (full == op || widensTo(full)) && tryBuild();
}

} // namespace shard
