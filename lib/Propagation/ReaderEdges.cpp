//===- ReaderEdges.cpp - Control flow, calls, manual computations ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "shard/Interfaces/DataFlowEdges.h"
#include "shard/Partitioning/ManualCalls.h"

#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace shard::propagation {

void Reader::readReturn(Operation *op) {
  auto known = results.find(op->getParentOp());
  if (known == results.end() || known->second.size() != op->getNumOperands())
    return;
  for (auto [use, target] : llvm::zip_equal(op->getOpOperands(), known->second))
    edge(use, target);
}

bool Reader::readCall(Operation *op) {
  auto call = cast<CallOpInterface>(op);
  Operation *callee = call.resolveCallableInTable(&symbols);
  auto function = dyn_cast_if_present<FunctionOpInterface>(callee);
  auto known = callee ? results.find(callee) : results.end();
  if (!function || known == results.end() ||
      known->second.size() != op->getNumResults())
    return false;
  auto arguments = callEdges(call, function);
  if (!arguments)
    return false;
  for (auto [operand, argument] : *arguments)
    edge(*operand, idOf(argument));
  for (auto [result, id] : llvm::zip_equal(op->getResults(), known->second)) {
    ValueId own = idOf(result);
    if (own == kNoValue)
      continue;
    problem.neverPartial[own] = true;
    unite(id, own);
  }
  return true;
}

void Reader::readBranch(Operation *op) {
  for (auto [operand, argument] : branchEdges(cast<BranchOpInterface>(op)))
    edge(*operand, idOf(argument));
}

bool Reader::readRegionBranch(Operation *op) {
  RegionEdges edges(cast<RegionBranchOpInterface>(op));
  if (!edges.coverTensors())
    return false;
  for (const auto &[operand, inputs] : edges.byOperand()) {
    ValueId first = idOf(inputs.front());
    if (first == kNoValue)
      continue;
    problem.neverPartial[first] = true;
    edge(*operand, first);
    for (Value input : llvm::drop_begin(inputs)) {
      problem.neverPartial[idOf(input)] = true;
      unite(first, idOf(input));
    }
  }
  return true;
}

LogicalResult Reader::readRegionLoops(RegionLoopsInterface loops) {
  Region &body = loops->getRegion(0);
  auto shared = body.getArguments().take_back(loops->getNumResults());
  for (auto [number, use] : llvm::enumerate(loops.getSharedTensors())) {
    ValueId source = idOf(use.get()), inside = idOf(shared[number]),
            result = idOf(loops->getResult(number));
    problem.neverPartial[inside] = problem.neverPartial[result] = true;
    ShapeId shape = problem.valueShape[source];
    TableId table =
        tables.add(loops.getSharedTensorLoops(number), {shape, shape, shape});
    problem.addOp(table, source, {inside, result});
    origins.push_back(&use);
  }
  if (failed(readRegion(body)))
    return failure();
  auto terminator = cast<InParallelOpInterface>(body.front().getTerminator());
  for (Operation &insertion : terminator.getYieldingOps()) {
    auto combine = cast<ParallelCombiningOpInterface>(insertion);
    OpOperand &slice = loops.getInsertedSlice(&insertion);
    ValueId source = idOf(slice.get()),
            dest = idOf(combine.getUpdatedDestinations()[0].get());
    ShapeId shapes[] = {problem.valueShape[source], problem.valueShape[dest]};
    forallInserts.insert(problem.addOp(
        tables.add(loops.getInsertionLoops(&insertion), shapes), source, dest));
    origins.push_back(&slice);
  }
  return success();
}

/// The table of an edge between a value outside of a manual computation and one
/// inside: in each dimension the manual axes are the major digit outside.
static LoopTable manualTable(ArrayRef<int64_t> outer, ArrayRef<int64_t> inner,
                             bool entering) {
  LoopTable table;
  TensorLoops outside, inside;
  outside.isTensor = inside.isTensor = true;
  for (auto [whole, part] : llvm::zip_equal(outer, inner)) {
    DimLoops digits;
    bool divides = !ShapedType::isDynamic(whole) &&
                   !ShapedType::isDynamic(part) && part > 0;
    if (whole != part) {
      digits.push_back(table.loops.size());
      table.loops.push_back(Loop::parallel(divides ? whole / part : kDynamic));
    }
    digits.push_back(table.loops.size());
    table.loops.push_back(Loop::parallel(part));
    inside.dims.push_back({digits.back()});
    outside.dims.push_back(std::move(digits));
  }
  table.operands.push_back(entering ? outside : inside);
  table.results.push_back(entering ? inside : outside);
  return table;
}

/// The manual axes of `op`, as the shardings that use them spell them.
FailureOr<llvm::SmallVector<AxisPart, 1>>
Reader::manualAxesOf(ManualComputationOp op) {
  llvm::SmallVector<AxisPart, 1> axes;
  for (Attribute attr : op.getManualAxes()) {
    auto dims = DimShardingAttr::get(op.getContext(), cast<AxisRefAttr>(attr),
                                     false, -1);
    auto resolved =
        resolve(ShardingAttr::get(op.getGridAttr(), dims), Type(), op.getLoc());
    if (failed(resolved))
      return failure();
    axes.push_back(resolved->dims[0].axes[0]);
  }
  return axes;
}

/// Functions that are called in bodies of manual computations are parts of them.
LogicalResult Reader::findScopes(ArrayRef<FunctionOpInterface> functions) {
  ManualCallers callers = findManualCallers(functions, symbols);
  for (FunctionOpInterface function : functions) {
    auto known = callers.find(function);
    if (known == callers.end())
      continue;
    llvm::SmallVector<AxisPart, 1> axes;
    for (ManualComputationOp manual : known->second) {
      if (failed(checkGrid(manual.getGridAttr(), manual, manual.getLoc())))
        return failure();
      auto own = manualAxesOf(manual);
      if (failed(own))
        return failure();
      for (const AxisPart &axis : *own)
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
    }
    scopeOf[function] = problem.scopes.size();
    problem.scopes.push_back(std::move(axes));
  }
  return success();
}

LogicalResult Reader::readManual(ManualComputationOp op) {
  if (failed(checkGrid(op.getGridAttr(), op, op.getLoc())))
    return failure();
  Manual manual;
  manual.op = op;

  auto axes = manualAxesOf(op);
  if (failed(axes))
    return failure();
  llvm::SmallVector<AxisPart, 1> manualAxes = std::move(*axes);
  auto isManual = [&](const AxisPart &axis) {
    return llvm::is_contained(manualAxes, axis);
  };

  manual.axes = manualAxes;

  uint16_t outerScope = scope;
  uint16_t innerScope = problem.scopes.size();
  problem.scopes.push_back(problem.scopes[outerScope]);
  problem.scopes.back().append(manualAxes.begin(), manualAxes.end());

  mlir::Block &body = op.getBody().front();
  for (auto [index, use, argument, attr] : llvm::enumerate(
           op->getOpOperands(), body.getArguments(), op.getInShardings())) {
    auto type = cast<RankedTensorType>(use.get().getType());
    auto inner = dyn_cast<RankedTensorType>(argument.getType());
    auto resolved = resolve(cast<ShardingAttr>(attr), type, op.getLoc());
    if (failed(resolved) || !inner || inner.getRank() != type.getRank())
      return failure();
    ValueId in = fresh(type);
    problem.neverPartial[in] = true;
    edge(use, in);
    if (failed(addHint(in, cast<ShardingAttr>(attr), type, op.getLoc())))
      return failure();

    scope = innerScope;
    ValueId argumentId = idOf(argument);
    scope = outerScope;
    problem.neverPartial[argumentId] = true;
    ShapeId shapes[] = {problem.valueShape[in], problem.valueShape[argumentId]};
    TableId table = tables.add(
        manualTable(type.getShape(), inner.getShape(), true), shapes);
    silentEdge(table, in, argumentId, op);

    // The argument is what the in sharding says without the manual axes.
    Hint hint;
    auto &prefix = manual.prefix.emplace_back();
    for (const ResolvedDim &dim : resolved->dims) {
      DimHint inside;
      inside.open = dim.open;
      inside.priority = std::max<int64_t>(dim.priority, 0);
      auto &major = prefix.emplace_back();
      for (const AxisPart &axis : dim.axes)
        (isManual(axis) ? static_cast<llvm::SmallVectorImpl<AxisPart> &>(major)
                        : inside.axes)
            .push_back(axis);
      hint.dims.push_back(std::move(inside));
    }
    hint.replicated.assign(resolved->replicated.begin(),
                           resolved->replicated.end());
    hints.push_back(
        {argumentId, intern(std::move(hint)), op.getLoc(), attr, nullptr});
    manual.in.push_back({in, argumentId});
  }

  // Results are what the out shardings say.
  for (auto [result, attr] :
       llvm::zip_equal(op.getResults(), op.getOutShardings())) {
    ValueId id = idOf(result);
    problem.neverPartial[id] = true;
    manual.out.push_back(id);
    if (failed(addHint(id, cast<ShardingAttr>(attr), result.getType(),
                       op.getLoc())))
      return failure();
  }

  scope = innerScope;
  LogicalResult read = readRegion(op.getBody());
  for (auto [use, id, result] : llvm::zip(body.getTerminator()->getOpOperands(),
                                          manual.out, op.getResults())) {
    auto inner = dyn_cast<RankedTensorType>(use.get().getType());
    auto outer = cast<RankedTensorType>(result.getType());
    ValueId source = idOf(use.get());
    if (source == kNoValue || inner.getRank() != outer.getRank())
      continue;
    ShapeId shapes[] = {problem.valueShape[source], problem.valueShape[id]};
    TableId table = tables.add(
        manualTable(outer.getShape(), inner.getShape(), false), shapes);
    manualExits[problem.addOp(table, source, id)] = this->manual.size();
    origins.push_back(&use);
  }
  scope = outerScope;
  this->manual.push_back(std::move(manual));
  return read;
}

} // namespace shard::propagation
