//===- Propagation.cpp - From hints to a sharding per value ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/Propagation.h"

#include "Reader.h"
#include "shard/Interfaces/ShardingOption.h"
#include "shard/Propagation/Engine.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace shard {

using namespace propagation;

namespace {

//===----------------------------------------------------------------------===//
// Which functions belong together, and to which grid
//===----------------------------------------------------------------------===//

/// The functions that call one another, and the grid that their hints name.
struct Component {
  llvm::SmallVector<FunctionOpInterface> functions;
  GridOp grid;
};

class ComponentFinder {
public:
  ComponentFinder(Operation *root, SymbolTableCollection &symbols)
      : root(root), symbols(symbols) {}

  LogicalResult run(llvm::SmallVectorImpl<Component> &components) {
    if (auto function = dyn_cast<FunctionOpInterface>(root))
      addFunction(function);
    else
      root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
        addFunction(function);
        return WalkResult::skip();
      });
    for (size_t i = 0; i < functions.size(); ++i)
      if (failed(scan(i)))
        return failure();
    llvm::DenseMap<unsigned, unsigned> numberOf;
    for (size_t i = 0; i < functions.size(); ++i) {
      unsigned leader = classes.getLeaderValue(i);
      auto [entry, isNew] = numberOf.try_emplace(leader, components.size());
      if (isNew)
        components.emplace_back();
      Component &component = components[entry->second];
      component.functions.push_back(functions[i]);
      if (!component.grid)
        component.grid = grids[i];
    }
    llvm::erase_if(components, [](auto &component) { return !component.grid; });
    return success();
  }

private:
  void addFunction(FunctionOpInterface function) {
    if (function.isExternal())
      return;
    numbers[function] = functions.size();
    classes.insert(functions.size());
    functions.push_back(function);
    grids.emplace_back();
  }

  LogicalResult name(unsigned number, FlatSymbolRefAttr symbol,
                     Operation *from) {
    if (grids[number] || !symbol)
      return success();
    grids[number] = getGrid(from, symbol, symbols);
    if (!grids[number])
      return from->emitError() << "there is no grid called " << symbol;
    return success();
  }

  LogicalResult nameAttr(unsigned number, Attribute attr) {
    auto sharding = dyn_cast_or_null<ShardingAttr>(attr);
    return sharding ? name(number, sharding.getGrid(), functions[number])
                    : success();
  }

  LogicalResult scan(unsigned number) {
    FunctionOpInterface function = functions[number];
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (!grids[number] &&
          failed(nameAttr(number, function.getArgAttr(i, kShardingAttrName))))
        return failure();
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (!grids[number] && failed(nameAttr(number, function.getResultAttr(
                                                        i, kShardingAttrName))))
        return failure();
    Dialect *dialect = root->getContext()->getLoadedDialect<ShardDialect>();
    WalkResult walked =
        function.getFunctionBody().walk([&](Operation *op) -> WalkResult {
          if (op->getDialect() == dialect)
            return scanHint(number, op);
          auto call = dyn_cast<CallOpInterface>(op);
          return call ? scanCall(number, call) : WalkResult::advance();
        });
    return failure(walked.wasInterrupted());
  }

  WalkResult scanHint(unsigned number, Operation *op) {
    if (grids[number])
      return WalkResult::advance();
    FlatSymbolRefAttr symbol;
    if (auto shard = dyn_cast<ShardOp>(op)) {
      if (ShardingOp sharding = getShardingOp(shard.getSharding()))
        symbol = sharding.getGridAttr();
    } else if (auto constraint = dyn_cast<ConstraintOp>(op)) {
      symbol = constraint.getSharding().getGrid();
    } else if (auto manual = dyn_cast<ManualComputationOp>(op)) {
      symbol = manual.getGridAttr();
    }
    return WalkResult(name(number, symbol, op));
  }

  WalkResult scanCall(unsigned number, CallOpInterface call) {
    Operation *callee = call.resolveCallableInTable(&symbols);
    if (!callee)
      return WalkResult::advance();
    if (root == functions[number]) {
      call.emitError()
          << "propagation of one function cannot follow a call; run "
             "it on the module";
      return WalkResult::interrupt();
    }
    auto known = numbers.find(callee);
    if (known != numbers.end())
      classes.unionSets(number, known->second);
    return WalkResult::advance();
  }

  Operation *root;
  SymbolTableCollection &symbols;
  std::vector<FunctionOpInterface> functions;
  std::vector<GridOp> grids;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::EquivalenceClasses<unsigned> classes;
};

//===----------------------------------------------------------------------===//
// From the solution to values and uses
//===----------------------------------------------------------------------===//

class Writer {
public:
  Writer(Reader &reader, Solution &solution, Planner &planner,
         GridPropagation &out)
      : reader(reader), solution(solution), planner(planner), out(out) {}

  void run() {
    out.grid = solution.grid;
    out.refined = solution.refined;
    out.axes = solution.axes;
    out.shardings = std::move(solution.shardings);
    addLayouts();
    for (const auto &[value, id] : reader.values)
      if (uint32_t index = indexOf(id); index != kReplicated)
        out.values.push_back({value, index});
    for (const auto &[function, ids] : reader.results)
      for (auto [number, id] : llvm::enumerate(ids))
        if (uint32_t index = id == kNoValue ? kReplicated : indexOf(id);
            index != kReplicated)
          out.results.push_back({function, unsigned(number), index});
    for (OpId op = 0; op < reader.origins.size(); ++op)
      addUses(op);
    for (const Reader::Captured &use : reader.captured)
      if (indexOf(use.value) != kReplicated)
        out.uses.push_back({use.use,
                            indexFor(Sharding::replicated(rankOf(use.value))),
                            use.anchor});
    for (const Reader::Manual &manual : reader.manual)
      addManual(manual);
  }

private:
  uint32_t indexOf(ValueId id) const {
    return solution.values[reader.find(id)];
  }
  int64_t rankOf(ValueId id) const {
    return reader.problem.shapes[reader.problem.valueShape[id]].extents.size();
  }
  Sharding shardingOf(ValueId id) const {
    uint32_t index = indexOf(id);
    return index == kReplicated ? Sharding::replicated(rankOf(id))
                                : out.shardings[index];
  }

  /// The number of `sharding`, which is added if it is new.
  uint32_t indexFor(const Sharding &sharding) {
    for (auto [index, known] : llvm::enumerate(out.shardings))
      if (known == sharding)
        return index;
    out.shardings.push_back(sharding);
    return out.shardings.size() - 1;
  }

  void addLayouts() {
    for (const auto &[value, layout] : reader.layouts) {
      Sharding sharding = shardingOf(value);
      sharding.halos.assign(layout.halos.begin(), layout.halos.end());
      sharding.offsets.assign(layout.offsets.begin(), layout.offsets.end());
      solution.values[reader.find(value)] = indexFor(sharding);
    }
  }

  void addUses(OpId op) {
    Reader::Origin origin = reader.origins[op];
    if (origin.isNull())
      return;
    llvm::ArrayRef<ValueId> tensors = reader.problem.tensors(op);
    if (auto *use = dyn_cast<OpOperand *>(origin)) {
      if (reader.manualExits.count(op)) {
        addManualExit(op, *use);
        return;
      }
      if (indexOf(tensors[0]) != indexOf(tensors[1]))
        out.uses.push_back(
            {use, indexFor(shardingOf(tensors[1])), use->getOwner()});
      return;
    }
    if (solution.agrees[op] && reader.layouts.empty())
      return;
    addDisagreement(op, cast<Operation *>(origin));
  }

  void addDisagreement(OpId op, Operation *owner) {
    llvm::ArrayRef<ValueId> tensors = reader.problem.tensors(op);
    // Ops alike in alike situations want the same.
    llvm::SmallVector<uint32_t, 8> key{reader.problem.opTable[op]};
    for (ValueId id : tensors)
      key.push_back(id == kNoValue ? kReplicated : indexOf(id));
    uint64_t hash =
        uint64_t(llvm::hash_combine_range(key.begin(), key.end())) >> 1;
    auto &known = wanted[hash];
    const Wanted *found = nullptr;
    for (const Wanted &entry : known)
      if (entry.key == key)
        found = &entry;
    if (!found) {
      known.push_back({key, choose(op, owner)});
      found = &known.back();
    }
    for (auto [operand, sharding] : found->operands)
      out.uses.push_back({&owner->getOpOperand(operand), sharding, owner});
  }

  llvm::SmallVector<std::pair<unsigned, uint32_t>, 2> choose(OpId op,
                                                             Operation *owner) {
    llvm::ArrayRef<ValueId> tensors = reader.problem.tensors(op);
    const LoopTable &table = reader.tables.table(reader.problem.opTable[op]);
    unsigned numOperands = owner->getNumOperands();
    llvm::SmallVector<RankedTensorType> types[2];
    llvm::SmallVector<Sharding> shardings[2];
    for (auto [index, id] : llvm::enumerate(tensors)) {
      bool isResult = index >= numOperands;
      Type type = isResult ? owner->getResult(index - numOperands).getType()
                           : owner->getOperand(index).getType();
      types[isResult].push_back(dyn_cast<RankedTensorType>(type));
      shardings[isResult].push_back(id == kNoValue ? Sharding()
                                                   : shardingOf(id));
    }
    ShardingOption option =
        chooseOption(table, planningGrid(), types[0], types[1], shardings[0],
                     shardings[1], planner);
    llvm::SmallVector<std::pair<unsigned, uint32_t>, 2> result;
    for (unsigned index = 0; index < numOperands; ++index) {
      if (tensors[index] == kNoValue)
        continue;
      Sharding sharding = operandSharding(table, index, option);
      if (sharding != shardings[0][index])
        result.push_back({index, indexFor(sharding)});
    }
    return result;
  }

  const Grid &planningGrid() const { return out.grid; }

  /// The axes of the refined grid that `part` consists of.
  void appendAxes(const AxisOrigin &part, AxisList &axes) const {
    for (auto [number, origin] : llvm::enumerate(out.axes))
      if (origin.axis == part.axis && origin.preSize >= part.preSize &&
          origin.preSize * origin.size <= part.preSize * part.size)
        axes.push_back(number);
  }

  void addManualExit(OpId op, OpOperand &use) {
    llvm::ArrayRef<ValueId> tensors = reader.problem.tensors(op);
    const Reader::Manual &manual = reader.manual[reader.manualExits.lookup(op)];
    AxisList axes;
    for (const AxisOrigin &part : manual.axes)
      appendAxes(part, axes);
    Sharding want = shardingOf(tensors[1]);
    for (AxisList &dim : want.dims)
      llvm::erase_if(dim,
                     [&](GridAxis a) { return llvm::is_contained(axes, a); });
    if (want != shardingOf(tensors[0]))
      out.uses.push_back({&use, indexFor(want), use.getOwner()});
  }

  void addManual(const Reader::Manual &manual) {
    GridPropagation::ManualShardings made;
    made.op = manual.op;
    for (auto [index, ids] : llvm::enumerate(manual.in)) {
      Sharding inside = shardingOf(ids.second), in = inside;
      for (auto [dim, prefix] : llvm::enumerate(manual.prefix[index])) {
        in.dims[dim].clear();
        for (const AxisOrigin &part : prefix)
          appendAxes(part, in.dims[dim]);
        in.dims[dim].insert(in.dims[dim].end(), inside.dims[dim].begin(),
                            inside.dims[dim].end());
      }
      OpOperand &use = manual.op->getOpOperand(index);
      if (in != shardingOf(reader.idOf(use.get())))
        out.uses.push_back({&use, indexFor(in), manual.op});
      made.in.push_back(std::move(in));
    }
    for (ValueId id : manual.out)
      made.out.push_back(shardingOf(id));
    out.manual.push_back(std::move(made));
  }

  struct Wanted {
    llvm::SmallVector<uint32_t, 8> key;
    llvm::SmallVector<std::pair<unsigned, uint32_t>, 2> operands;
  };

  Reader &reader;
  Solution &solution;
  Planner &planner;
  GridPropagation &out;
  llvm::DenseMap<uint64_t, std::vector<Wanted>> wanted;
};

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

void addRemarks(const Reader &reader, const Solution &solution, GridOp gridOp,
                std::vector<PropagationRemark> &remarks) {
  for (const Solution::Note &note : solution.notes) {
    Reader::Origin origin = reader.origins[note.op];
    Operation *op = origin.isNull() ? nullptr : dyn_cast<Operation *>(origin);
    if (!op && !origin.isNull())
      op = cast<OpOperand *>(origin)->getOwner();
    if (!op)
      op = gridOp;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "a dimension of extent " << note.extent;
    os << (note.kind == Obstacle::Kind::Uneven ? " is split unevenly"
                                               : " is not split further");
    os << " by";
    int64_t parts = 1;
    for (GridAxis axis : note.axes) {
      const AxisOrigin &part = solution.axes[axis];
      os << (axis == note.axes.front() ? " " : ", ") << "axis "
         << gridOp.axisName(part.axis);
      if (part.size != gridOp.getShape()[part.axis] &&
          !ShapedType::isDynamic(gridOp.getShape()[part.axis]))
        os << ":(" << part.preSize << ")" << part.size;
      parts *= part.size;
    }
    os << " (" << parts << " parts";
    if (note.kind == Obstacle::Kind::Uneven)
      os << ", the last ones short or empty)";
    else
      os << "): the parts do not fit";
    remarks.push_back({op->getLoc(), std::move(text)});
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

const Sharding *PropagationResult::sharding(Value value) const {
  if (!indexed) {
    for (const GridPropagation &grid : grids)
      for (const auto &[value, number] : grid.values)
        index[value] = &grid.shardings[number];
    indexed = true;
  }
  return index.lookup(value);
}

LogicalResult propagateShardings(Operation *root,
                                 const PropagationOptions &options,
                                 PropagationResult &result) {
  SymbolTableCollection symbols;
  llvm::SmallVector<Component> components;
  if (failed(ComponentFinder(root, symbols).run(components)))
    return failure();
  CostModel costs;
  Planner ownPlanner(costs);
  Planner &planner = options.planner ? *options.planner : ownPlanner;
  for (const Component &component : components) {
    GridOp gridOp = component.grid;
    // An axis of unknown size divides everything by contract.
    Grid grid;
    for (int64_t size : gridOp.getShape())
      grid.shape.push_back(ShapedType::isDynamic(size) ? 1 : size);
    Reader reader(gridOp, grid, symbols);
    if (failed(reader.read(component.functions)))
      return failure();
    auto solved = solve(reader.problem, options);
    if (auto *error = std::get_if<HintError>(&solved))
      return emitError(error->value == kNoValue
                           ? gridOp.getLoc()
                           : reader.hintLocation(error->value))
             << error->text;
    Solution &solution = std::get<Solution>(solved);
    addRemarks(reader, solution, gridOp, result.remarks);
    GridPropagation &out = result.grids.emplace_back();
    out.gridName = gridOp.getSymNameAttr();
    out.gridOp = gridOp;
    Writer(reader, solution, planner, out).run();
    for (auto [size, origin] : llvm::zip_equal(out.grid.shape, out.axes))
      if (ShapedType::isDynamic(gridOp.getShape()[origin.axis]))
        size = kDynamic;
  }
  return success();
}

} // namespace shard
