//===- Writer.cpp - From a solution to values and uses --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writer.h"

#include "Layouts.h"
#include "OpWishes.h"
#include "OpenPartials.h"
#include "OpenRegions.h"
#include "OpenValues.h"
#include "Origins.h"
#include "SmallOperands.h"

#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/ShardingOption.h"

using namespace mlir;

namespace shard::propagation {

/// An op with more tensors than this has many.
static constexpr size_t kManyTensors = 64;

namespace {
class Writer {
public:
  Writer(ReadProgram &program, Solution &solution, Planner &planner,
         const PropagationOptions &options, GridPropagation &out)
      : program(program), solution(solution), options(options), out(out),
        solved(program, solution, out),
        opWishes(program, solved, planner, out) {}

  WrittenReshards run() {
    out.grid = solution.grid;
    out.refined = solution.refined;
    out.axes = solution.axes;
    out.shardings = std::move(solution.shardings);
    addLayouts(program, solution, out.shardings);
    auto wantedHere = [&](OpId op, unsigned tensor) {
      return wantedOf(op, tensor);
    };
    // The basic strategy gives only what all tensors agree on.
    if (options.strategy != PropagationStrategy::Basic) {
      llvm::SmallVector<ValueId, 0> changed =
          settleRegions(program, solution, solved, opWishes, out, options);
      settlePartials(program, solution, solved, opWishes, out, options,
                     changed);
      changed = settleResults(program, solution, out.shardings, findComputed(),
                              wantedHere, options);
      if (!changed.empty())
        settlePartials(program, solution, solved, opWishes, out, options,
                       changed);
      shareCompleted(program, solution, solved, opWishes, out, options);
    }
    settleCreators();
    settleArguments(
        program, solution, solved, opWishes, out.shardings,
        [&](OpId op, unsigned tensor) { return wantedAtFirst(op, tensor); });
    noteUneven();
    if (options.explain)
      completeCauses(program, solution, out.shardings, solution.causes);
    stated.resize(program.problem.numValues());
    for (ValueId id : program.hints.annotated)
      state(id);
    for (ValueId id : program.hints.resharded)
      state(id);
    for (ValueId id : program.asked)
      state(id);
    for (OpId op = 0; op < program.origins.size(); ++op) {
      addUses(op);
      useOps.resize(out.uses.size(), op);
      if (options.explain)
        addComputed(op);
    }
    addCaptured();
    for (const ReadProgram::Manual &manual : program.manual)
      addManual(manual);
    if (options.strategy != PropagationStrategy::Basic)
      bindHints(program, opWishes);
    stateReshards();
    addValues();
    return std::move(written);
  }

private:
  /// The program has to state `id`, also if it is replicated.
  void state(ValueId id) {
    if (id != kNoValue)
      stated[program.find(id)] = true;
  }

  /// The reshards that the user asked for and that stay state both of their ends. One that
  /// changes nothing has its source, which is stated, in its place, unless it is binding.
  void stateReshards() {
    for (OpId op : program.problem.reshards) {
      llvm::ArrayRef<ValueId> ends = program.problem.tensors(op);
      if (!solved.haveOneSharding(ends[0], ends[1]) ||
          program.binding.contains(program.ownerOf(op)))
        state(ends[1]);
    }
  }

  /// The number of the sharding that the program states for `id`, if it does.
  std::optional<uint32_t> statementOf(ValueId id) {
    if (id == kNoValue)
      return std::nullopt;
    if (uint32_t index = solved.indexOf(id); index != kReplicated)
      return index;
    if (!stated[program.find(id)])
      return std::nullopt;
    return solved.replicatedIndex(id);
  }

  void addValues() {
    for (const auto &[value, id] : program.numbers.values)
      if (std::optional<uint32_t> index = statementOf(id))
        out.values.push_back({value, *index});
    for (const auto &[function, ids] : program.results)
      for (auto [number, id] : llvm::enumerate(ids))
        if (std::optional<uint32_t> index = statementOf(id))
          out.results.push_back({function, unsigned(number), *index});
    for (const auto &[function, ids] : program.declaredArguments)
      for (auto [number, id] : llvm::enumerate(ids))
        if (std::optional<uint32_t> index = statementOf(id))
          out.arguments.push_back({function, unsigned(number), *index});
  }

  /// Bodies that use tensors whole.
  void addCaptured() {
    for (const ReadProgram::Captured &captured : program.captured) {
      if (solved.indexOf(captured.value) == kReplicated)
        continue;
      uint32_t whole = solved.replicatedIndex(captured.value);
      out.uses.push_back({captured.use, whole, captured.anchor});
      // A hint in a body is about a whole tensor, whatever it says.
      Operation *owner = captured.use->getOwner();
      if (isa<ShardOp, ConstraintOp>(owner))
        out.values.push_back({owner->getResult(0), whole});
    }
    useOps.resize(out.uses.size(), kNoOp);
  }

  /// Notes which results of ops are split unevenly, for remarks: of each extent and axes once.
  void noteUneven() {
    const Problem &problem = program.problem;
    llvm::DenseSet<std::pair<uint32_t, uint32_t>> seen;
    for (OpId op = 0; op < program.origins.size(); ++op) {
      auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]);
      if (!owner)
        continue;
      for (ValueId id : problem.tensors(op).drop_front(owner->getNumOperands()))
        if (id != kNoValue && solved.indexOf(id) != kReplicated &&
            seen.insert({problem.valueShape[id], solved.indexOf(id)}).second)
          noteUneven(op, problem.shapes[problem.valueShape[id]].extents,
                     out.shardings[solved.indexOf(id)]);
    }
  }

  void noteUneven(OpId op, llvm::ArrayRef<int64_t> extents,
                  const Sharding &sharding) {
    if (!sharding.offsets.empty())
      return;
    for (auto [extent, axes] : llvm::zip(extents, sharding.dims)) {
      int64_t parts = out.grid.groupSize(axes);
      auto isSame = [&, &extent = extent, &axes = axes](const auto &note) {
        return note.kind == Obstacle::Kind::Uneven && note.extent == extent &&
               note.axes == axes;
      };
      if (extent != kDynamic && parts != kDynamic && extent % parts != 0 &&
          llvm::none_of(solution.notes, isSame))
        solution.notes.push_back({Obstacle::Kind::Uneven, op, extent, axes});
    }
  }

  /// The results that are computed otherwise than the solution says, and would be
  /// resharded at a higher price than it takes to complete them.
  std::vector<ComputedResult> findComputed() {
    std::vector<ComputedResult> found;
    for (OpId op = 0; op < program.origins.size(); ++op) {
      auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]);
      if (!owner || solution.agrees[op])
        continue;
      const OpWishes::Wishes &wishes =
          opWishes.of(op, owner, opWishes.madeFor(op, owner));
      if (!wishes.splitsOtherwise)
        continue;
      for (const auto &[result, computed] : wishes.results) {
        ValueId value =
            program.problem.tensors(op)[owner->getNumOperands() + result];
        Sharding whole = computed;
        whole.partial.clear();
        if (whole.hasRunTimeNumbers())
          continue;
        auto type = cast<RankedTensorType>(owner->getResult(result).getType());
        std::optional<double> now =
            opWishes.costOf(op, type, computed, solved.shardingOf(value));
        std::optional<double> then = opWishes.costOf(op, type, computed, whole);
        if (now && then && *then < *now)
          found.push_back({op, value, solved.indexFor(whole)});
      }
    }
    return found;
  }

  /// Values made out of nothing for one op (each op has its own) take the
  /// sharding that the op wants, so that they cost it nothing. Users come before
  /// what they use: a fill before the tensor.empty under it.
  void settleCreators() {
    for (OpId op = program.origins.size(); op-- > 0;) {
      auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]);
      if (!owner || (solution.agrees[op] && program.hints.layouts.empty() &&
                     !opWishes.decides(op, owner)))
        continue;
      llvm::ArrayRef<unsigned> made = opWishes.madeFor(op, owner);
      if (made.empty())
        continue;
      for (auto [number, wanted] : opWishes.of(op, owner, made).operands)
        if (llvm::is_contained(made, number))
          settle(owner->getOperand(number), wanted);
    }
  }

  /// The sharding in which `op` wants the operand `tensor`, if that is known here.
  std::optional<uint32_t> wantedOf(OpId op, unsigned tensor) {
    ValueId from = program.problem.tensors(op)[tensor];
    if (auto *owner = dyn_cast_if_present<Operation *>(program.origins[op])) {
      for (auto [operand, sharding] : opWishes.of(op, owner).operands)
        if (operand == tensor)
          return sharding;
      return solved.numberOf(from);
    }
    if (!program.isEdge(op) && !isa<ShardOp, ConstraintOp>(program.ownerOf(op)))
      return std::nullopt;
    return solved.numberOf(program.problem.tensors(op).back());
  }

  /// The same for one argument after the other that takes what is wanted. What an op of
  /// many tensors wants of all of them is found once, as that takes time for each of them.
  std::optional<uint32_t> wantedAtFirst(OpId op, unsigned tensor) {
    auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]);
    if (!owner || program.problem.tensors(op).size() <= kManyTensors)
      return wantedOf(op, tensor);
    auto [entry, isNew] = wideWishes.try_emplace(op);
    if (isNew)
      for (auto [operand, sharding] : opWishes.of(op, owner).operands)
        entry->second[operand] = sharding;
    auto found = entry->second.find(tensor);
    return found != entry->second.end()
               ? found->second
               : solved.numberOf(program.problem.tensors(op)[tensor]);
  }

  void settle(Value value, uint32_t wanted) {
    if (out.shardings[wanted].isReplicated())
      wanted = kReplicated;
    ValueId id = program.idOf(value);
    if (id == kNoValue)
      return;
    solution.values[program.find(id)] = wanted;
    for (Value below : value.getDefiningOp()->getOperands()) {
      Operation *def = below.getDefiningOp();
      if (def && def->hasOneUse() && isCreator(def))
        settle(below,
               wanted == kReplicated ? solved.replicatedIndex(id) : wanted);
    }
  }

  void addUses(OpId op) {
    ReadProgram::Origin origin = program.origins[op];
    if (origin.isNull())
      return;
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    if (auto *use = dyn_cast<OpOperand *>(origin)) {
      if (program.manualExits.count(op)) {
        addManualExit(op, *use);
        return;
      }
      if (program.forallInserts.count(op)) {
        addForallInsert(op, *use);
        return;
      }
      // addManual knows what the body wants.
      if (isa<ManualComputationOp>(use->getOwner())) {
        manualEntries[use] = op;
        return;
      }
      // The result of an scf.forall whose body has it in another sharding.
      if (tensors.size() > 2 && !solved.haveOneSharding(tensors[1], tensors[2]))
        state(tensors[2]);
      if (!solved.haveOneSharding(tensors[0], tensors[1])) {
        state(tensors[0]);
        state(tensors[1]);
        out.uses.push_back({use, solved.indexFor(solved.shardingOf(tensors[1])),
                            use->getOwner()});
      }
      return;
    }
    auto *owner = cast<Operation *>(origin);
    bool agrees = solution.agrees[op] && program.hints.layouts.empty() &&
                  !opWishes.decides(op, owner);
    // Where to complete a value is not settled by how its dimensions are split.
    if (agrees && (!hasPartial(op) || opWishes.of(op, owner).operands.empty()))
      return;
    addDisagreement(op, owner);
  }

  /// Whether `op` reduces, or has a tensor that is partial.
  bool hasPartial(OpId op) const {
    return llvm::any_of(program.problem.table(op).loops,
                        [](const auto &loop) {
                          return loop.kind == LoopKind::Reduction;
                        }) ||
           llvm::any_of(program.problem.tensors(op), [&](ValueId id) {
             return id != kNoValue && solved.indexOf(id) != kReplicated &&
                    !out.shardings[solved.indexOf(id)].partial.empty();
           });
  }

  void addDisagreement(OpId op, Operation *owner) {
    const OpWishes::Wishes &wishes = opWishes.of(op, owner);
    for (auto [operand, sharding] : wishes.operands)
      out.uses.push_back({&owner->getOpOperand(operand), sharding, owner});
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    if (!wishes.operands.empty() || wishes.splitsOtherwise)
      for (ValueId id : tensors)
        state(id);
    // Tensors that agree only since they were settled: next time, what is reduced here
    // could stay partial.
    for (const auto &[result, sharding] : wishes.results)
      if (!sharding.partial.empty())
        state(tensors[owner->getNumOperands() + result]);
  }

  void addComputed(OpId op) {
    ReadProgram::Origin origin = program.origins[op];
    auto *owner = dyn_cast_if_present<Operation *>(origin);
    if (!owner)
      return;
    for (const auto &[result, sharding] : opWishes.of(op, owner).results)
      written.computed.push_back({op, result, sharding});
  }

  /// The axes of the refined grid that `part` consists of.
  void appendAxes(const AxisPart &part, AxisList &axes) const {
    for (auto [number, origin] : llvm::enumerate(out.axes))
      if (part.contains(origin))
        axes.push_back(number);
  }

  void addManualExit(OpId op, OpOperand &use) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    const ReadProgram::Manual &manual =
        program.manual[program.manualExits.lookup(op)];
    AxisList axes;
    for (const AxisPart &part : manual.axes)
      appendAxes(part, axes);
    Sharding want = solved.shardingOf(tensors[1]);
    // Inside, the manual axes neither split nor add up.
    auto isManual = [&](GridAxis a) { return llvm::is_contained(axes, a); };
    for (AxisList &dim : want.dims)
      llvm::erase_if(dim, isManual);
    llvm::erase_if(want.partial, isManual);
    if (want == solved.shardingOf(tensors[0]))
      return;
    // The out sharding of the op states the other end.
    state(tensors[0]);
    out.uses.push_back({&use, solved.indexFor(want), use.getOwner()});
  }

  /// A slice comes as the shared output takes it, in front of the terminator.
  void addForallInsert(OpId op, OpOperand &use) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    Sharding want =
        operandFor(program.tables.table(program.problem.opTable[op]),
                   solved.shardingOf(tensors[1]));
    if (want == solved.shardingOf(tensors[0]))
      return;
    state(tensors[0]);
    state(tensors[1]);
    out.uses.push_back(
        {&use, solved.indexFor(want), use.getOwner()->getParentOp()});
  }

  void addManual(const ReadProgram::Manual &manual) {
    GridPropagation::ManualShardings made;
    made.op = manual.op;
    for (auto [index, ids] : llvm::enumerate(manual.in)) {
      Sharding inside = solved.shardingOf(ids.second), in = inside;
      for (auto [dim, prefix] : llvm::enumerate(manual.prefix[index])) {
        in.dims[dim].clear();
        for (const AxisPart &part : prefix)
          appendAxes(part, in.dims[dim]);
        in.dims[dim].insert(in.dims[dim].end(), inside.dims[dim].begin(),
                            inside.dims[dim].end());
      }
      OpOperand &use = manual.op->getOpOperand(index);
      if (in != solved.shardingOf(program.idOf(use.get()))) {
        state(program.idOf(use.get()));
        out.uses.push_back({&use, solved.indexFor(in), manual.op});
        auto entry = manualEntries.find(&use);
        useOps.push_back(entry == manualEntries.end() ? OpId(kNoOp)
                                                      : entry->second);
      }
      made.in.push_back(std::move(in));
    }
    for (ValueId id : manual.out)
      made.out.push_back(solved.shardingOf(id));
    out.manual.push_back(std::move(made));
  }

  ReadProgram &program;
  Solution &solution;
  const PropagationOptions &options;
  GridPropagation &out;
  SolvedShardings solved;
  OpWishes opWishes;
  /// Of ops with many tensors what they want of their operands.
  llvm::DenseMap<OpId, llvm::DenseMap<unsigned, uint32_t>> wideWishes;
  WrittenReshards written;
  std::vector<OpId> &useOps = written.useOps;
  /// Per value whether the program states it although it is replicated.
  std::vector<bool> stated;
  /// The ops that stand for the entries of manual computations.
  llvm::DenseMap<OpOperand *, OpId> manualEntries;
};
} // namespace

WrittenReshards writeSolution(ReadProgram &program, Solution &solution,
                              Planner &planner,
                              const PropagationOptions &options,
                              GridPropagation &out) {
  return Writer(program, solution, planner, options, out).run();
}

} // namespace shard::propagation
