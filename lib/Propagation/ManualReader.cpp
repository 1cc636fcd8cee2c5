//===- ManualReader.cpp - Manual computations -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManualReader.h"

#include "shard/Partitioning/ManualCalls.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace shard::propagation {

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
static FailureOr<llvm::SmallVector<AxisPart, 1>>
manualAxesOf(ManualComputationOp op, const HintTable &hints) {
  llvm::SmallVector<AxisPart, 1> axes;
  for (Attribute attr : op.getManualAxes()) {
    auto dims = DimShardingAttr::get(op.getContext(), cast<AxisRefAttr>(attr),
                                     false, -1);
    auto resolved = hints.resolve(ShardingAttr::get(op.getGridAttr(), dims),
                                  Type(), op.getLoc());
    if (failed(resolved))
      return failure();
    axes.push_back(resolved->dims[0].axes[0]);
  }
  return axes;
}

LogicalResult findManualScopes(ArrayRef<FunctionOpInterface> functions,
                               ReadProgram &program,
                               SymbolTableCollection &symbols,
                               ManualScopes &scopes) {
  ManualCallers callers = findManualCallers(functions, symbols);
  for (FunctionOpInterface function : functions) {
    auto known = callers.find(function);
    if (known == callers.end())
      continue;
    llvm::SmallVector<AxisPart, 1> axes;
    for (ManualComputationOp manual : known->second) {
      FailureOr<bool> isOwn = program.hints.isOwnGrid(manual.getGridAttr(),
                                                      manual, manual.getLoc());
      if (failed(isOwn))
        return failure();
      if (!*isOwn)
        continue;
      auto own = manualAxesOf(manual, program.hints);
      if (failed(own))
        return failure();
      for (const AxisPart &axis : *own)
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
    }
    scopes[function] = program.problem.scopes.size();
    program.problem.scopes.push_back(std::move(axes));
  }
  return success();
}

namespace {

class ManualReader {
public:
  ManualReader(ManualComputationOp op, ReadProgram &program)
      : op(op), program(program), problem(program.problem),
        numbers(program.numbers), hints(program.hints),
        outerScope(numbers.scope) {}

  LogicalResult read(llvm::function_ref<LogicalResult(Region &)> readBody) {
    FailureOr<bool> isOwn = hints.isOwnGrid(op.getGridAttr(), op, op.getLoc());
    if (failed(isOwn))
      return failure();
    if (!*isOwn)
      return readForeign(readBody);
    auto axes = manualAxesOf(op, hints);
    if (failed(axes))
      return failure();
    manual.op = op;
    manual.axes = std::move(*axes);
    innerScope = problem.scopes.size();
    problem.scopes.push_back(problem.scopes[outerScope]);
    problem.scopes.back().append(manual.axes.begin(), manual.axes.end());

    if (failed(readOperands()) || failed(readResults()))
      return failure();
    llvm::SaveAndRestore inside(numbers.scope, innerScope);
    LogicalResult read = readBody(op.getBody());
    readReturned();
    program.manual.push_back(std::move(manual));
    return read;
  }

private:
  /// A manual computation on another grid than that of the problem: what it takes and
  /// gives is on that grid.
  LogicalResult
  readForeign(llvm::function_ref<LogicalResult(Region &)> readBody) {
    auto add = [&](Value value) {
      ValueId id = numbers.idOf(value);
      if (id != kNoValue)
        hints.addForeign(id, op.getGridAttr(), op, op.getLoc());
    };
    for (OpOperand &use : op->getOpOperands()) {
      ValueId in = numbers.fresh(cast<RankedTensorType>(use.get().getType()));
      program.addEdge(use, in);
      hints.addForeign(in, op.getGridAttr(), op, op.getLoc());
    }
    llvm::for_each(op.getBody().getArguments(), add);
    llvm::for_each(op.getResults(), add);
    return readBody(op.getBody());
  }

  LogicalResult readOperands() {
    for (auto [use, argument, attr] :
         llvm::zip(op->getOpOperands(), op.getBody().getArguments(),
                   op.getInShardings().getAsRange<ShardingAttr>())) {
      auto type = cast<RankedTensorType>(use.get().getType());
      auto inner = dyn_cast<RankedTensorType>(argument.getType());
      auto resolved = hints.resolve(attr, type, op.getLoc());
      if (failed(resolved) || !inner || inner.getRank() != type.getRank())
        return failure();
      ValueId in = numbers.fresh(type);
      problem.neverPartial[in] = true;
      program.addEdge(use, in);
      if (failed(hints.add(in, attr, type, op, op.getLoc())))
        return failure();

      llvm::SaveAndRestore inside(numbers.scope, innerScope);
      ValueId argumentId = numbers.idOf(argument);
      problem.neverPartial[argumentId] = true;
      ShapeId shapes[] = {problem.valueShape[in],
                          problem.valueShape[argumentId]};
      TableId table = program.tables.add(
          manualTable(type.getShape(), inner.getShape(), true), shapes);
      program.addSilentEdge(table, in, argumentId, op);
      hints.add(argumentId, hintInside(*resolved), attr, op.getLoc());
      manual.in.push_back({in, argumentId});
    }
    return success();
  }

  /// What an in sharding says about the argument of the body: all but the manual
  /// axes, which are noted in `manual`.
  Hint hintInside(const ResolvedSharding &sharding) {
    Hint hint;
    auto &prefix = manual.prefix.emplace_back();
    for (const ResolvedDim &dim : sharding.dims) {
      DimHint inside;
      inside.open = dim.open;
      inside.priority = std::max<int64_t>(dim.priority, 0);
      auto &major = prefix.emplace_back();
      for (const AxisPart &axis : dim.axes)
        if (llvm::is_contained(manual.axes, axis))
          major.push_back(axis);
        else
          inside.axes.push_back(axis);
      hint.dims.push_back(std::move(inside));
    }
    hint.replicated.assign(sharding.replicated.begin(),
                           sharding.replicated.end());
    return hint;
  }

  LogicalResult readResults() {
    for (auto [result, attr] :
         llvm::zip_equal(op.getResults(),
                         op.getOutShardings().getAsRange<ShardingAttr>())) {
      ValueId id = numbers.idOf(result);
      problem.neverPartial[id] = true;
      manual.out.push_back(id);
      // The body knows nothing of halos and offsets.
      if (failed(hints.add(id, attr, result.getType(), op, op.getLoc(),
                           /*isPlain=*/true)))
        return failure();
    }
    return success();
  }

  void readReturned() {
    for (auto [use, id, result] :
         llvm::zip(op.getBody().front().getTerminator()->getOpOperands(),
                   manual.out, op.getResults())) {
      auto inner = dyn_cast<RankedTensorType>(use.get().getType());
      auto outer = cast<RankedTensorType>(result.getType());
      ValueId source = numbers.idOf(use.get());
      if (source == kNoValue || inner.getRank() != outer.getRank())
        continue;
      ShapeId shapes[] = {problem.valueShape[source], problem.valueShape[id]};
      TableId table = program.tables.add(
          manualTable(outer.getShape(), inner.getShape(), false), shapes);
      program.manualExits[program.addEdge(table, use, source, id)] =
          program.manual.size();
    }
  }

  ManualComputationOp op;
  ReadProgram &program;
  Problem &problem;
  ValueNumbers &numbers;
  HintTable &hints;
  uint32_t outerScope, innerScope = 0;
  ReadProgram::Manual manual;
};

} // namespace

LogicalResult readManual(ManualComputationOp op, ReadProgram &program,
                         llvm::function_ref<LogicalResult(Region &)> readBody) {
  return ManualReader(op, program).read(readBody);
}

Grid planningGrid(const Problem &problem, uint32_t scope,
                  const GridPropagation &out) {
  Grid grid = out.grid;
  for (const AxisPart &manual : problem.scopes[scope])
    for (auto [axis, part] : llvm::enumerate(out.axes))
      if (manual.contains(part))
        grid.shape[axis] = 1;
  return grid;
}

} // namespace shard::propagation
