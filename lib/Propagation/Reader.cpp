//===- Reader.cpp - From the program to a problem of the engine -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include "EdgeReader.h"

#include "shard/Cost/Ops.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Propagation/OpStep.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace shard::propagation {

/// The hint of a function without a body, whose code is there already: what it
/// does not split is whole.
static ShardingAttr closed(ShardingAttr attr, StringAttr grid,
                           RankedTensorType type) {
  if (!attr)
    return getShardingAttr(FlatSymbolRefAttr::get(grid),
                           Sharding::replicated(type.getRank()));
  llvm::SmallVector<DimShardingAttr> dims;
  for (DimShardingAttr dim : attr.getDims())
    dims.push_back(DimShardingAttr::get(attr.getContext(), dim.getAxes(),
                                        /*open=*/false, /*priority=*/-1));
  return ShardingAttr::get(attr.getContext(), attr.getGrid(), dims,
                           attr.getPartialKind(), attr.getPartialAxes(),
                           attr.getReplicatedAxes(), attr.getHalos(),
                           attr.getOffsets());
}

/// The grid that the first hint of a function without a body names.
static FlatSymbolRefAttr gridOfDeclaration(FunctionOpInterface function) {
  for (bool isResult : {false, true})
    for (unsigned i = 0, e = isResult ? function.getNumResults()
                                      : function.getNumArguments();
         i < e; ++i)
      if (auto attr = dyn_cast_or_null<ShardingAttr>(
              isResult ? function.getResultAttr(i, kShardingAttrName)
                       : function.getArgAttr(i, kShardingAttrName)))
        return attr.getGrid();
  return {};
}

LogicalResult Reader::declareTensor(FunctionOpInterface function, ValueId id,
                                    ShardingAttr attr, Type type,
                                    Location location, const Twine &what) {
  if (id == kNoValue) {
    if (!attr)
      return success();
    return emitError(location)
           << "'" << kShardingAttrName << "' on " << what << " of '"
           << function.getName() << "', which is a " << type
           << "; only ranked tensors are sharded, so propagation comes before "
              "bufferization";
  }
  problem.neverPartial[id] = true;
  if (function.isExternal()) {
    FlatSymbolRefAttr grid = gridOfDeclaration(function);
    hints.annotated.push_back(id);
    attr = closed(attr, grid.getAttr(), cast<RankedTensorType>(type));
  }
  return attr ? hints.add(id, attr, type, function, location) : success();
}

LogicalResult Reader::declare(FunctionOpInterface function) {
  bool isExternal = function.isExternal();
  llvm::SmallVector<ValueId, 1> taken, given;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (isExternal)
      taken.push_back(tensor ? numbers.fresh(tensor) : kNoValue);
    else
      taken.push_back(idOf(function.getArgument(index)));
    auto attr =
        function.getArgAttrOfType<ShardingAttr>(index, kShardingAttrName);
    Location location =
        isExternal ? function.getLoc() : function.getArgument(index).getLoc();
    if (failed(declareTensor(function, taken.back(), attr, type, location,
                             "argument " + Twine(index))))
      return failure();
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    given.push_back(tensor ? numbers.fresh(tensor) : kNoValue);
    auto attr =
        function.getResultAttrOfType<ShardingAttr>(index, kShardingAttrName);
    if (failed(declareTensor(function, given.back(), attr, type,
                             function.getLoc(), "result " + Twine(index))))
      return failure();
  }
  program.results[function] = std::move(given);
  if (isExternal)
    program.declaredArguments[function] = std::move(taken);
  return success();
}

LogicalResult Reader::read(ArrayRef<FunctionOpInterface> functions) {
  if (failed(findManualScopes(functions, program, symbols, scopes)))
    return failure();
  for (FunctionOpInterface function : functions) {
    numbers.scope = scopes.lookup(function);
    if (failed(declare(function)))
      return failure();
  }
  for (FunctionOpInterface function : functions) {
    this->function = function;
    numbers.scope = scopes.lookup(function);
    if (failed(readRegion(function.getFunctionBody())))
      return failure();
  }
  numbers.finish();
  countTrips();
  return hints.finish();
}

/// How often an op in a loop is taken to run where the number of trips is not known.
static constexpr double kUnknownTrips = 2;

void Reader::countTrips() {
  llvm::DenseMap<Operation *, double> &tripsIn = program.tripsIn;
  auto countIn = [&](auto &self, Operation *op) -> double {
    if (!op)
      return 1;
    if (auto known = tripsIn.find(op); known != tripsIn.end())
      return known->second;
    double trips = self(self, op->getParentOp());
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      std::optional<int64_t> count = tripCount(loop);
      trips *= count ? double(*count) : kUnknownTrips;
    }
    return tripsIn[op] = trips;
  };
  for (OpId op = 0; op < problem.numOps(); ++op)
    if (Operation *owner = program.ownerOf(op))
      problem.trips[op] = countIn(countIn, owner->getParentOp());
  for (const ReadProgram::Captured &captured : program.captured)
    problem.usedWhole[program.find(captured.value)].push_back(
        countIn(countIn, captured.anchor->getParentOp()));
}

LogicalResult Reader::readRegion(Region &region) {
  for (mlir::Block &block : region) {
    for (BlockArgument argument : block.getArguments()) {
      ValueId id = idOf(argument);
      if (id != kNoValue && problem.joined[id] == Joined::No)
        problem.neverPartial[id] = true;
    }
    for (Operation &op : block)
      if (failed(readOp(&op)))
        return failure();
  }
  return success();
}

LogicalResult Reader::readOp(Operation *op) {
  if (op->getDialect() == gridOp->getDialect()) {
    if (isa<ShardingOp, GetShardingOp, ShardOp, ConstraintOp, GroupOp,
            ManualComputationOp, ReturnOp>(op))
      return readShardOp(op);
  } else if (op->hasTrait<OpTrait::IsTerminator>()) {
    if (auto branch = dyn_cast<BranchOpInterface>(op))
      readBranch(branch, program);
    else if (op->getParentOp() == function)
      readReturn(op, program);
    // Terminators of regions are read with the op around them.
    return success();
  } else if (auto call = dyn_cast<CallOpInterface>(op);
             call && readCall(call, program, symbols)) {
    return success();
  } else if (op->getNumRegions() == 0) {
    // A plain op: the interfaces below are about regions.
  } else if (RegionLoopsInterface loops = asRegionLoops(op)) {
    return readRegionLoops(loops);
  } else if (auto branch = dyn_cast<RegionBranchOpInterface>(op);
             branch && readRegionBranch(branch, program)) {
    for (Region &region : op->getRegions())
      if (failed(readRegion(region)))
        return failure();
    return success();
  }
  readTableOp(op);
  return success();
}

void Reader::readTableOp(Operation *op) {
  // What the body uses of the outside it uses whole.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      if (isa<ShardOp, ConstraintOp, GroupOp>(inner))
        program.unread.emplace_back(inner, op);
      for (OpOperand &use : inner->getOpOperands()) {
        if (!isa<RankedTensorType>(use.get().getType()) ||
            op->isAncestor(use.get().getParentBlock()->getParentOp()))
          continue;
        ValueId id = idOf(use.get());
        problem.neverPartial[id] = true;
        program.captured.push_back({&use, op, id});
      }
    });
  llvm::SmallVector<ValueId, 8> operands, results;
  bool any = false;
  for (Value operand : op->getOperands())
    any |= operands.emplace_back(idOf(operand)) != kNoValue;
  for (Value result : op->getResults())
    any |= results.emplace_back(idOf(result)) != kNoValue;
  if (!any)
    return;
  problem.addOp(tables.tableOf(op), operands, results);
  program.origins.push_back(op);
  auto model = dyn_cast<ShardingInterface>(op);
  if (model && model.isView() && results.front() != kNoValue)
    problem.ofView[results.front()] = true;
  Value rolled = model ? model.getRolledTensor() : Value();
  if (ValueId source = rolled ? idOf(rolled) : kNoValue;
      source != kNoValue && numbers.areAlike(source, results[0]))
    problem.ties.insert(program.addSilentEdge(
        tables.identityOf(problem.valueShape[source]), source, results[0], op));
}

LogicalResult Reader::readRegionLoops(RegionLoopsInterface loops) {
  Region &body = loops->getRegion(0);
  auto shared = body.getArguments().take_back(loops->getNumResults());
  for (auto [number, use] : llvm::enumerate(loops.getSharedTensors())) {
    ValueId source = idOf(use.get()), inside = idOf(shared[number]),
            result = idOf(loops->getResult(number));
    problem.neverPartial[inside] = problem.neverPartial[result] = true;
    ShapeId shape = problem.valueShape[source];
    LoopTable table = loops.getSharedTensorLoops(number);
    for (auto [dim, indexed] : llvm::enumerate(table.results.front().dims))
      if (indexed.empty() && dim < Constraint::kMaxDims)
        problem.wholeDims[inside] |= uint64_t(1) << dim;
    program.addEdge(tables.add(table, {shape, shape, shape}), use, source,
                    {inside, result});
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
    program.forallInserts.insert(
        program.addEdge(tables.add(loops.getInsertionLoops(&insertion), shapes),
                        slice, source, dest));
  }
  return success();
}

/// An annotation by the sharding that another value ends with makes the two one, as
/// a group does.
LogicalResult Reader::tieToAsked(ShardOp annotation, ValueId target) {
  auto asked = annotation.getSharding().getDefiningOp<GetShardingOp>();
  if (!asked)
    return annotation.emitError()
           << "the sharding of this annotation is not known here; state it by "
              "shard.sharding, or take that of a value by shard.get_sharding";
  ValueId source = idOf(asked.getSource());
  if (source == kNoValue || !numbers.areAlike(source, target))
    return annotation.emitError()
           << "takes the sharding of a value of another shape, or across the "
              "border of a manual_computation; state the sharding by "
              "shard.sharding";
  hints.annotated.push_back(source);
  numbers.unite(source, target);
  return success();
}

/// The tensors of a barrier that are asked for their axes (Problem::barriers).
static uint8_t sourcesThrough(Passage passage) {
  switch (passage) {
  case Passage::None:
    return 0;
  case Passage::Forward:
    return FromOperands;
  case Passage::Backward:
    return FromResults;
  }
  llvm_unreachable("all cases are covered");
}

/// An annotation that reshards `source` to `target`. One that moves a value to another
/// grid stays as it is, and no axis passes through it.
void Reader::addReshard(Operation *op, ValueId source, ValueId target,
                        std::optional<Passage> passage) {
  if (crossings.contains(op)) {
    // Both ends are stated, each on its grid.
    hints.annotated.push_back(source);
    hints.annotated.push_back(target);
    problem.neverPartial[source] = true;
    return;
  }
  hints.resharded.push_back(source);
  if (passage) {
    problem.barriers[problem.numOps()] = sourcesThrough(*passage);
    problem.ties.insert(problem.numOps());
  }
  problem.reshards.push_back(problem.numOps());
  program.addSilentEdge(tables.identityOf(problem.valueShape[target]), source,
                        target, op);
}

LogicalResult Reader::readAnnotation(ShardOp op) {
  ShardingOp sharding = getShardingOp(op.getSharding());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  ValueId source = idOf(op.getSrc());
  ValueId target = source;
  if (op.getAnnotateForUsers()) {
    target = idOf(op.getResult());
    addReshard(op, source, target);
  } else {
    hints.annotated.push_back(source);
    numbers.alias(op.getResult(), source);
  }
  if (sharding)
    return hints.add(target, sharding, type, op->getLoc());
  return tieToAsked(op, target);
}

LogicalResult Reader::readConstraint(ConstraintOp op) {
  ValueId source = idOf(op.getInput());
  ValueId target = source;
  std::optional<Passage> passage = getPassage(op);
  if (op.getResult().use_empty() && !passage) {
    hints.annotated.push_back(source);
    numbers.alias(op.getResult(), source);
  } else {
    target = idOf(op.getResult());
    addReshard(op, source, target, passage);
  }
  return hints.add(target, op.getSharding(), op.getInput().getType(), op,
                   op->getLoc());
}

LogicalResult Reader::readGroup(GroupOp op) {
  for (Value input : op.getInputs()) {
    ValueId id = idOf(input);
    hints.annotated.push_back(id);
    auto [entry, isNew] =
        groups.try_emplace({function, int64_t(op.getId())}, id);
    if (isNew)
      continue;
    if (!numbers.areInOneScope(id, entry->second))
      return op->emitError()
             << "group " << op.getId()
             << " joins values across the border of a manual_computation";
    if (!numbers.haveOneShape(id, entry->second))
      return op->emitError()
             << "group " << op.getId() << " joins values of different shapes";
    numbers.unite(entry->second, id);
  }
  return success();
}

LogicalResult Reader::readShardOp(Operation *op) {
  if (auto annotation = dyn_cast<ShardOp>(op))
    return readAnnotation(annotation);
  if (auto constraint = dyn_cast<ConstraintOp>(op))
    return readConstraint(constraint);
  if (auto group = dyn_cast<GroupOp>(op))
    return readGroup(group);
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    return readManual(manual, program,
                      [&](Region &body) { return readRegion(body); });
  // Partition reads the answer off the program.
  if (auto asked = dyn_cast<GetShardingOp>(op))
    program.asked.push_back(idOf(asked.getSource()));
  return success();
}

} // namespace shard::propagation
