//===- Writer.cpp - From a solution to values and uses --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writer.h"

#include "Layouts.h"
#include "ManualReader.h"
#include "OpenArguments.h"

#include "shard/Geometry/Interner.h"
#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/ShardingOption.h"

using namespace mlir;

namespace shard::propagation {

namespace {
/// Choices of an option settle after two or three.
constexpr unsigned kMaxSettling = 8;

class Writer {
public:
  Writer(ReadProgram &program, Solution &solution, Planner &planner,
         bool explain, GridPropagation &out)
      : program(program), solution(solution), planner(planner),
        explain(explain), out(out) {}

  WrittenReshards run() {
    out.grid = solution.grid;
    out.refined = solution.refined;
    out.axes = solution.axes;
    out.shardings = std::move(solution.shardings);
    addLayouts(program, solution, out.shardings);
    settleCreators();
    settleArguments(
        program, solution, out.shardings,
        [&](OpId op, unsigned tensor) { return wantedOf(op, tensor); });
    stated.resize(program.problem.numValues());
    for (ValueId id : program.hints.annotated)
      state(id);
    for (OpId op = 0; op < program.origins.size(); ++op) {
      addUses(op);
      useOps.resize(out.uses.size(), op);
      if (explain)
        addComputed(op);
    }
    addCaptured();
    for (const ReadProgram::Manual &manual : program.manual)
      addManual(manual);
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

  /// The reshards that the user asked for and that stay state both of their ends.
  /// The source of one that changes nothing stands for its result from now on.
  void stateReshards() {
    for (OpId op : llvm::reverse(program.problem.reshards)) {
      llvm::ArrayRef<ValueId> ends = program.problem.tensors(op);
      if (haveOneSharding(ends[0], ends[1])) {
        if (stated[program.find(ends[1])])
          state(ends[0]);
        continue;
      }
      state(ends[0]);
      state(ends[1]);
    }
  }

  /// The number of the sharding that the program states for `id`, if it does.
  std::optional<uint32_t> statementOf(ValueId id) {
    if (id == kNoValue)
      return std::nullopt;
    if (uint32_t index = indexOf(id); index != kReplicated)
      return index;
    if (!stated[program.find(id)])
      return std::nullopt;
    return replicatedIndex(id);
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
      if (indexOf(captured.value) == kReplicated)
        continue;
      uint32_t whole = replicatedIndex(captured.value);
      out.uses.push_back({captured.use, whole, captured.anchor});
      // A hint in a body is about a whole tensor, whatever it says.
      Operation *owner = captured.use->getOwner();
      if (isa<ShardOp, ConstraintOp>(owner))
        out.values.push_back({owner->getResult(0), whole});
    }
    useOps.resize(out.uses.size(), kNoOp);
  }

  uint32_t indexOf(ValueId id) const {
    return solution.values[program.find(id)];
  }
  int64_t rankOf(ValueId id) const {
    return program.problem.shapes[program.problem.valueShape[id]]
        .extents.size();
  }
  Sharding shardingOf(ValueId id) const {
    uint32_t index = indexOf(id);
    return index == kReplicated ? Sharding::replicated(rankOf(id))
                                : out.shardings[index];
  }

  bool haveOneSharding(ValueId a, ValueId b) const {
    return indexOf(a) == indexOf(b) || shardingOf(a) == shardingOf(b);
  }

  uint32_t replicatedIndex(ValueId id) {
    int64_t rank = rankOf(id);
    auto [entry, isNew] = replicatedByRank.try_emplace(rank, 0);
    if (isNew)
      entry->second = indexFor(Sharding::replicated(rank));
    return entry->second;
  }

  uint32_t numberOf(ValueId id) {
    uint32_t index = indexOf(id);
    return index == kReplicated ? replicatedIndex(id) : index;
  }

  /// The number of `sharding`, which is added if it is new.
  uint32_t indexFor(const Sharding &sharding) {
    for (auto [index, known] : llvm::enumerate(out.shardings))
      if (known == sharding)
        return index;
    out.shardings.push_back(sharding);
    return out.shardings.size() - 1;
  }

  /// Values made out of nothing for one op (each op has its own) take the
  /// sharding that the op wants, so that they cost it nothing. Users come before
  /// what they use: a fill before the tensor.empty under it.
  void settleCreators() {
    for (OpId op = program.origins.size(); op-- > 0;) {
      auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]);
      if (!owner || (solution.agrees[op] && program.hints.layouts.empty() &&
                     !decides(op, owner)))
        continue;
      llvm::SmallVector<unsigned, 2> made;
      for (OpOperand &operand : owner->getOpOperands()) {
        Operation *def = operand.get().getDefiningOp();
        if (def && def->hasOneUse() && isCreator(def) &&
            def->getBlock() == owner->getBlock())
          made.push_back(operand.getOperandNumber());
      }
      if (made.empty())
        continue;
      for (auto [number, wanted] : wantedOperands(op, owner, made))
        if (llvm::is_contained(made, number))
          settle(owner->getOperand(number), wanted);
    }
  }

  /// The sharding in which `op` wants the operand `tensor`, if that is known here.
  std::optional<uint32_t> wantedOf(OpId op, unsigned tensor) {
    ValueId from = program.problem.tensors(op)[tensor];
    if (auto *owner = dyn_cast_if_present<Operation *>(program.origins[op])) {
      for (auto [operand, sharding] : wantedOperands(op, owner))
        if (operand == tensor)
          return sharding;
      return numberOf(from);
    }
    auto *use = dyn_cast_if_present<OpOperand *>(program.origins[op]);
    bool passes = use ? !program.manualExits.count(op) &&
                            !program.forallInserts.count(op) &&
                            !isa<ManualComputationOp>(use->getOwner())
                      : isa<ShardOp, ConstraintOp>(program.ownerOf(op));
    if (!passes)
      return std::nullopt;
    return numberOf(program.problem.tensors(op).back());
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
        settle(below, wanted == kReplicated ? replicatedIndex(id) : wanted);
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
      if (!haveOneSharding(tensors[0], tensors[1])) {
        state(tensors[0]);
        state(tensors[1]);
        out.uses.push_back(
            {use, indexFor(shardingOf(tensors[1])), use->getOwner()});
      }
      return;
    }
    auto *owner = cast<Operation *>(origin);
    if (solution.agrees[op] && program.hints.layouts.empty() &&
        !decides(op, owner))
      return;
    addDisagreement(op, owner);
  }

  void addDisagreement(OpId op, Operation *owner) {
    const Wishes &wishes = wishesOf(op, owner);
    for (auto [operand, sharding] : wishes.operands)
      out.uses.push_back({&owner->getOpOperand(operand), sharding, owner});
    if (!wishes.operands.empty() || wishes.splitsOtherwise)
      for (ValueId id : program.problem.tensors(op))
        state(id);
  }

  void addComputed(OpId op) {
    ReadProgram::Origin origin = program.origins[op];
    auto *owner = dyn_cast_if_present<Operation *>(origin);
    if (!owner)
      return;
    for (const auto &[result, sharding] : wishesOf(op, owner).results)
      written.computed.push_back({op, result, sharding});
  }

  /// Whether the model of `owner` decides how it is split.
  bool decides(OpId op, Operation *owner) {
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    if (!table.decidesOption)
      return false;
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    auto sharding = [&](unsigned tensor) {
      return tensors[tensor] == kNoValue ? Sharding()
                                         : shardingOf(tensors[tensor]);
    };
    uint16_t scope = scopeOf(op);
    Grid inside;
    if (scope)
      inside = planningGrid(program.problem, scope, out);
    return decidesOption(owner, table, scope ? inside : out.grid, sharding,
                         [&](unsigned result) {
                           return sharding(owner->getNumOperands() + result);
                         });
  }

  /// The scope that the tensors of an op are in.
  uint16_t scopeOf(OpId op) const {
    for (ValueId id : program.problem.tensors(op))
      if (id != kNoValue)
        return program.problem.valueScope[id];
    return 0;
  }

  using WantedOperands = llvm::SmallVector<std::pair<unsigned, uint32_t>, 2>;

  /// What an op wants otherwise than it is.
  struct Wishes {
    WantedOperands operands;
    /// Results that it computes otherwise than they are wanted, with how.
    llvm::SmallVector<std::pair<unsigned, Sharding>, 1> results;
    /// Even so a result's dimensions are split otherwise than the op does.
    bool splitsOtherwise = false;
  };

  WantedOperands wantedOperands(OpId op, Operation *owner,
                                llvm::ArrayRef<unsigned> made = {}) {
    return wishesOf(op, owner, made).operands;
  }

  /// As `choose`. Ops with equal loop tables, equal shardings of their tensors and
  /// one scope get the same answer, so it is computed once. If an op's model
  /// decides, its answer is kept for this op alone.
  const Wishes &wishesOf(OpId op, Operation *owner,
                         llvm::ArrayRef<unsigned> made = {}) {
    llvm::SmallVector<uint32_t, 8> key{program.problem.opTable[op],
                                       decides(op, owner) ? op : kNoOp};
    for (ValueId id : program.problem.tensors(op))
      key.push_back(id == kNoValue ? kReplicated : indexOf(id));
    key.push_back(scopeOf(op));
    key.push_back(made.size());
    key.append(made.begin(), made.end());
    uint32_t number = wantedIndex.intern(
        llvm::hash_combine_range(key.begin(), key.end()),
        [&](uint32_t known) { return wanted[known].key == key; });
    if (number == wanted.size())
      wanted.push_back({std::move(key), choose(op, owner, made)});
    return wanted[number].wishes;
  }

  /// The option for an op that stays the choice when the operands come as it
  /// wants them: from there, another one may do with less.
  ShardingOption
  chooseSettled(Operation *owner, const Grid &grid, const LoopTable &table,
                const llvm::SmallVector<Sharding> (&shardings)[2],
                llvm::ArrayRef<ValueId> tensors) {
    llvm::SmallVector<Sharding> operands = shardings[0];
    ShardingOption option;
    for (unsigned pass = 0; pass < kMaxSettling; ++pass) {
      option =
          chooseOption(owner, table, grid, operands, shardings[1], planner);
      bool settled = true;
      for (unsigned index = 0; index < operands.size(); ++index) {
        if (tensors[index] == kNoValue)
          continue;
        Sharding sharding = operandSharding(table, index, option);
        settled &= sharding == operands[index];
        operands[index] = std::move(sharding);
      }
      if (settled)
        break;
    }
    return option;
  }

  /// The operands that `op` wants otherwise than they come; those in `made` are
  /// made to order.
  Wishes choose(OpId op, Operation *owner, llvm::ArrayRef<unsigned> made) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    unsigned numOperands = owner->getNumOperands();
    llvm::SmallVector<Sharding> shardings[2];
    for (auto [index, id] : llvm::enumerate(tensors)) {
      bool isResult = index >= numOperands;
      shardings[isResult].push_back(id == kNoValue ? Sharding()
                                                   : shardingOf(id));
    }
    for (unsigned index : made)
      if (!shardings[0][index].dims.empty())
        shardings[0][index] = Sharding();
    uint16_t scope = scopeOf(op);
    Grid inside;
    if (scope)
      inside = planningGrid(program.problem, scope, out);
    ShardingOption option = chooseSettled(owner, scope ? inside : out.grid,
                                          table, shardings, tensors);
    Wishes wishes;
    for (unsigned index = 0; index < numOperands; ++index) {
      if (tensors[index] == kNoValue)
        continue;
      Sharding sharding = operandSharding(table, index, option);
      if (sharding != shardings[0][index])
        wishes.operands.push_back({index, indexFor(sharding)});
    }
    for (unsigned index = 0; index < owner->getNumResults(); ++index) {
      if (tensors[numOperands + index] == kNoValue)
        continue;
      Sharding sharding = resultSharding(table, index, option);
      wishes.splitsOtherwise |= sharding.dims != shardings[1][index].dims;
      if (explain && sharding != shardings[1][index])
        wishes.results.push_back({index, std::move(sharding)});
    }
    return wishes;
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
    Sharding want = shardingOf(tensors[1]);
    // Inside, the manual axes neither split nor add up.
    auto isManual = [&](GridAxis a) { return llvm::is_contained(axes, a); };
    for (AxisList &dim : want.dims)
      llvm::erase_if(dim, isManual);
    llvm::erase_if(want.partial, isManual);
    if (want == shardingOf(tensors[0]))
      return;
    // The out sharding of the op states the other end.
    state(tensors[0]);
    out.uses.push_back({&use, indexFor(want), use.getOwner()});
  }

  /// A slice comes as the shared output takes it, in front of the terminator.
  void addForallInsert(OpId op, OpOperand &use) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    Sharding want =
        operandFor(program.tables.table(program.problem.opTable[op]),
                   shardingOf(tensors[1]));
    if (want == shardingOf(tensors[0]))
      return;
    state(tensors[0]);
    state(tensors[1]);
    out.uses.push_back({&use, indexFor(want), use.getOwner()->getParentOp()});
  }

  void addManual(const ReadProgram::Manual &manual) {
    GridPropagation::ManualShardings made;
    made.op = manual.op;
    for (auto [index, ids] : llvm::enumerate(manual.in)) {
      Sharding inside = shardingOf(ids.second), in = inside;
      for (auto [dim, prefix] : llvm::enumerate(manual.prefix[index])) {
        in.dims[dim].clear();
        for (const AxisPart &part : prefix)
          appendAxes(part, in.dims[dim]);
        in.dims[dim].insert(in.dims[dim].end(), inside.dims[dim].begin(),
                            inside.dims[dim].end());
      }
      OpOperand &use = manual.op->getOpOperand(index);
      if (in != shardingOf(program.idOf(use.get()))) {
        state(program.idOf(use.get()));
        out.uses.push_back({&use, indexFor(in), manual.op});
        auto entry = manualEntries.find(&use);
        useOps.push_back(entry == manualEntries.end() ? OpId(kNoOp)
                                                      : entry->second);
      }
      made.in.push_back(std::move(in));
    }
    for (ValueId id : manual.out)
      made.out.push_back(shardingOf(id));
    out.manual.push_back(std::move(made));
  }

  struct Wanted {
    llvm::SmallVector<uint32_t, 8> key;
    Wishes wishes;
  };

  ReadProgram &program;
  Solution &solution;
  Planner &planner;
  bool explain;
  GridPropagation &out;
  WrittenReshards written;
  std::vector<OpId> &useOps = written.useOps;
  /// Per value whether the program states it although it is replicated.
  std::vector<bool> stated;
  /// The number of the replicated sharding of each rank.
  llvm::DenseMap<int64_t, uint32_t> replicatedByRank;
  InternIndex wantedIndex;
  std::deque<Wanted> wanted;
  /// The ops that stand for the entries of manual computations.
  llvm::DenseMap<OpOperand *, OpId> manualEntries;
};
} // namespace

WrittenReshards writeSolution(ReadProgram &program, Solution &solution,
                              Planner &planner, bool explain,
                              GridPropagation &out) {
  return Writer(program, solution, planner, explain, out).run();
}

} // namespace shard::propagation
