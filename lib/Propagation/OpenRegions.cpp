//===- OpenRegions.cpp - Open values that change together -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenRegions.h"

#include "Followers.h"
#include "OpsOfValues.h"
#include "ReductionMoves.h"
#include "RegionPrices.h"
#include "ReturnedValues.h"
#include "SmallOperands.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shard::propagation {

/// A value tries so many shardings at most. Bounds the work per value.
static constexpr unsigned kMaxTrials = 4;

/// So often a value is part of a region to which axes of a sum are moved.
static constexpr unsigned kMaxMoves = 16;

namespace {
/// Tries other shardings for regions, one after another.
class RegionSettler {
public:
  RegionSettler(ReadProgram &program, Solution &solution,
                SolvedShardings &solved, OpWishes &opWishes,
                const GridPropagation &out, const PropagationOptions &options)
      : program(program), solution(solution), solved(solved),
        opWishes(opWishes), out(out), options(options),
        prices(program, solution, solved, opWishes, out) {}

  void settle() {
    // Users first, as what they compute decides what they want.
    std::vector<Seed> seeds = findSeeds();
    for (const Seed &seed : llvm::reverse(seeds))
      attempt(seed);
    for (OpId op = program.origins.size(); op-- > 0;)
      if (Operation *owner = ownerOf(op))
        moveReduction(op, owner);
    // Results last: the layouts of open arguments are settled then.
    for (auto [result, argument] :
         findReturnedLayouts(program, solved, kMaxTrials))
      attempt({kNoOp, result, solved.numberOf(argument), argument});
  }

private:
  /// A sharding that `op` computes `value` with, or wants it in. Without an op: that of
  /// `source`.
  struct Seed {
    OpId op;
    ValueId value;
    uint32_t number;
    ValueId source = kNoValue;
  };
  /// The sharding that a value of a region tries, and where it comes from.
  struct Label {
    uint32_t number;
    Cause cause;
  };
  struct Move {
    llvm::MapVector<ValueId, Label> labels;
    llvm::SetVector<OpId> touched;
    double saved = 0;
  };
  struct Prices {
    double before, after;
  };
  /// Which tensors of an op are to have what an option says.
  enum class Labelled { All, Results, Operands };

  bool mayBecome(ValueId value, const Sharding &wanted) {
    Sharding has = solved.shardingOf(value);
    if (wanted.dims == has.dims)
      return false;
    findOps();
    return mayReplace(program, *opsOfValues, out.grid, value, has, wanted);
  }

  Operation *ownerOf(OpId op) const { return prices.ownerOf(op); }

  std::vector<Seed> findSeeds() {
    std::vector<Seed> seeds;
    for (OpId op = 0; op < program.origins.size(); ++op)
      if (Operation *owner = ownerOf(op); owner && !solution.agrees[op])
        addSeeds(op, owner, seeds);
      else if (!owner && program.isEdge(op))
        addSeedsOfEdge(op, seeds);
    return seeds;
  }

  /// Where an edge reshards, each end may have what the other one has: what a loop carries
  /// otherwise than it begins with, or hands to a call that states a sharding.
  void addSeedsOfEdge(OpId op, std::vector<Seed> &seeds) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    for (auto [from, to] :
         llvm::zip(tensors.drop_back(), tensors.drop_front())) {
      addSeed(op, from, solved.shardingOf(to), seeds);
      addSeed(op, to, solved.shardingOf(from), seeds);
    }
  }

  void addSeed(OpId op, ValueId id, Sharding sharding,
               std::vector<Seed> &seeds) {
    ValueId value = program.find(id);
    sharding.partial.clear();
    if (!sharding.hasHalosOrOffsets() && mayBecome(value, sharding))
      seeds.push_back({op, value, solved.indexFor(sharding)});
  }

  /// What `op` wants and computes otherwise than it is, and what it would want and
  /// compute if it took an operand that it reshards as it comes.
  void addSeeds(OpId op, Operation *owner, std::vector<Seed> &seeds) {
    unsigned numOperands = owner->getNumOperands();
    auto add = [&](unsigned tensor, Sharding sharding) {
      addSeed(op, program.problem.tensors(op)[tensor], sharding, seeds);
    };
    const OpWishes::Wishes &wishes =
        opWishes.of(op, owner, operandsMadeFor(owner));
    if (!opWishes.decides(op, owner))
      for (auto [operand, number] : wishes.operands) {
        Sharding has = solved.shardingOf(program.problem.tensors(op)[operand]);
        has.partial.clear();
        forEachFollower(op, owner, operand, has, add);
      }
    for (auto [operand, number] : wishes.operands)
      add(operand, out.shardings[number]);
    for (const auto &[result, sharding] : wishes.results)
      add(numOperands + result, sharding);
  }

  /// Calls `visit` with each other tensor of `op` that is not made for it, and with the
  /// sharding that it has if the op takes `tensor` with `sharding`.
  void forEachFollower(OpId op, Operation *owner, unsigned tensor,
                       const Sharding &sharding,
                       llvm::function_ref<void(unsigned, Sharding)> visit) {
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    std::optional<ShardingOption> option =
        optionOf(table, out.grid, tensor, sharding);
    if (!option)
      return;
    llvm::SmallVector<unsigned, 2> made = operandsMadeFor(owner);
    for (auto [index, id] : llvm::enumerate(program.problem.tensors(op)))
      if (id != kNoValue && index != tensor && !llvm::is_contained(made, index))
        visit(index, tensorSharding(table, index, *option));
  }

  bool mayChange(ValueId value) const {
    if (decided.contains(value))
      return false;
    Sharding has = solved.shardingOf(value);
    return has.partial.empty() && !has.hasHalosOrOffsets();
  }

  void attempt(const Seed &seed) {
    findOps();
    if (!mayChange(seed.value) ||
        out.shardings[seed.number].hasRunTimeNumbers() ||
        trials.lookup(seed.value) >= kMaxTrials ||
        !tried.insert({seed.value, seed.number}).second)
      return;
    labels.clear();
    touched.clear();
    OpId op = seed.op;
    if (op == kNoOp && !opsOfValues->of(seed.value).empty())
      op = opsOfValues->of(seed.value).front().op;
    labels[seed.value] = {seed.number, {op, seed.source}};
    bool isKnown = growAll();
    for (const auto &[value, label] : labels) {
      ++trials[value];
      tried.insert({value, label.number});
    }
    if (!isKnown)
      return;
    std::optional<Prices> found = priceLabels([] { return true; });
    if (found && found->after < found->before)
      keep();
  }

  void findOps() {
    if (opsOfValues)
      return;
    opsOfValues.emplace(program);
    decided = findDecided(program, solution, options);
  }

  /// Lets axes that `op` sums over or gathers split other loops, or none, where that costs less.
  void moveReduction(OpId op, Operation *owner) {
    const Problem &problem = program.problem;
    const LoopTable &table = program.tables.table(problem.opTable[op]);
    if ((!problem.table(op).contraction && !mayGatherAxes(table)) ||
        opWishes.decides(op, owner))
      return;
    findOps();
    ShardingOption option =
        opWishes.of(op, owner, operandsMadeFor(owner)).option;
    std::vector<Sharding> operands;
    for (ValueId id : problem.tensors(op).take_front(owner->getNumOperands()))
      operands.push_back(id == kNoValue ? Sharding() : solved.shardingOf(id));
    Move best;
    for (const AxisMove &move :
         findAxisMoves(table, out.grid, option, operands))
      tryMove(op, owner, move, best);
    if (gathersSummed(program, solution, solved, opWishes, prices, *opsOfValues,
                      op, best.saved) ||
        best.saved == 0)
      return;
    labels = std::move(best.labels);
    touched = std::move(best.touched);
    keep();
  }

  /// Replaces `best` by a region that `move` means for tensors of `op`, if that saves more.
  void tryMove(OpId op, Operation *owner, const AxisMove &move, Move &best) {
    for (Labelled which :
         {Labelled::All, Labelled::Results, Labelled::Operands}) {
      start = op;
      endsEarly = false;
      tryRegion(op, owner, move, which, best);
      passesAll = endsEarly;
      if (passesAll)
        tryRegion(op, owner, move, which, best);
      passesAll = false;
    }
  }

  /// The same for the tensors `which` of `op`.
  void tryRegion(OpId op, Operation *owner, const AxisMove &move,
                 Labelled which, Move &best) {
    if (!labelTensors(op, owner, move.option, which))
      return;
    bool isKnown = growAll();
    for (const auto &[value, label] : labels)
      ++moves[value];
    if (!isKnown)
      return;
    std::optional<Prices> found =
        priceLabels([&] { return sumsUpAs(op, owner, move.option); },
                    /*withWork=*/move.leastRatio == 1);
    if (found && found->after * move.leastRatio < found->before &&
        found->before - found->after > best.saved)
      best = {labels, touched, found->before - found->after};
  }

  /// Labels tensors of `op` as `option` has them; false if there is nothing to try.
  bool labelTensors(OpId op, Operation *owner, const ShardingOption &option,
                    Labelled which) {
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    llvm::SmallVector<unsigned, 2> made = operandsMadeFor(owner);
    labels.clear();
    touched.clear();
    touched.insert(op);
    unsigned numOperands = owner->getNumOperands();
    for (auto [index, id] : llvm::enumerate(program.problem.tensors(op))) {
      Labelled other =
          index < numOperands ? Labelled::Results : Labelled::Operands;
      if (id == kNoValue || llvm::is_contained(made, index) || which == other)
        continue;
      if (!solved.shardingOf(id).partial.empty() && index >= numOperands)
        return false;
      ValueId value = program.find(id);
      Sharding wanted = tensorSharding(table, index, option);
      wanted.partial.clear();
      if (!mayBecome(value, wanted))
        continue;
      if (moves.lookup(value) >= kMaxMoves)
        return false;
      label(value, solved.indexFor(wanted), {op, kNoValue});
    }
    return !labels.empty();
  }

  /// Whether `op` splits its reduction loops as `option` does, or less, and takes the
  /// operands that have a label as they come. With a split result alone, a sum may also be
  /// scattered; whether it is returned so is not decided here.
  bool sumsUpAs(OpId op, Operation *owner, const ShardingOption &option) {
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    const OpWishes::Wishes &wishes =
        opWishes.of(op, owner, operandsMadeFor(owner));
    if (llvm::any_of(wishes.operands, [&](const auto &wish) {
          return labels.contains(
              program.find(program.problem.tensors(op)[wish.first]));
        }))
      return false;
    for (auto [loop, has, wanted] :
         llvm::zip_equal(table.loops, wishes.option.loops, option.loops))
      if (loop.kind == LoopKind::Reduction &&
          !llvm::all_of(has, [&, &axes = wanted](GridAxis axis) {
            return llvm::is_contained(axes, axis);
          }))
        return false;
    return true;
  }

  /// What the ops that touch the region cost without its labels and with them, if both are
  /// known, there is something to save and `isMeant` is true of the labels.
  std::optional<Prices> priceLabels(llvm::function_ref<bool()> isMeant,
                                    bool withWork = false) {
    auto price = [&] {
      return prices.of(*opsOfValues, touched.getArrayRef(), withWork);
    };
    std::optional<double> before = price();
    if (!before || *before == 0)
      return std::nullopt;
    llvm::SmallVector<bool> slid = prices.slidingOps(touched.getArrayRef());
    llvm::SmallVector<uint32_t> had;
    for (const auto &[value, label] : labels)
      had.push_back(solution.values[value]);
    applyLabels();
    std::optional<double> after =
        isMeant() && !slidesAnew(slid) ? price() : std::nullopt;
    for (const auto &[entry, number] : llvm::zip_equal(labels, had))
      solution.values[entry.first] = number;
    if (!after)
      return std::nullopt;
    return Prices{*before, *after};
  }

  void applyLabels() {
    for (const auto &[value, label] : labels)
      solution.values[value] = out.shardings[label.number].isReplicated()
                                   ? kReplicated
                                   : label.number;
  }

  /// Whether an op of the region splits a loop of a window that it has not split before.
  bool slidesAnew(llvm::ArrayRef<bool> slid) {
    return llvm::any_of(
        llvm::zip_equal(slid, prices.slidingOps(touched.getArrayRef())),
        [](auto pair) { return std::get<1>(pair) && !std::get<0>(pair); });
  }

  /// Labels the whole region. Returns false if it cannot be split like that.
  bool growAll() {
    // The labels are the list of what is still to be visited, too.
    for (size_t next = 0; next < labels.size(); ++next) {
      auto [value, label] = labels.begin()[next];
      if (!fits(value, out.shardings[label.number]) ||
          (passesAll && moves.lookup(value) >= kMaxMoves) || !grow(value))
        return false;
    }
    return true;
  }

  /// Adds what the label of `value` means for the tensors of the ops that touch it.
  /// Returns false if one of them is not known here.
  bool grow(ValueId value) {
    for (const TensorUse &use : opsOfValues->of(value)) {
      touched.insert(use.op);
      llvm::ArrayRef<ValueId> tensors = program.problem.tensors(use.op);
      uint32_t number = labels[value].number;
      if (Operation *owner = ownerOf(use.op)) {
        if (!opWishes.decides(use.op, owner))
          passOn(use, owner, value, Sharding(out.shardings[number]));
      } else if (program.isEdge(use.op)) {
        for (ValueId end : {tensors.front(), tensors.back()})
          label(end, number, {use.op, value});
      } else if (!isa_and_present<ShardOp, ConstraintOp>(
                     program.ownerOf(use.op))) {
        return false;
      }
    }
    return true;
  }

  void label(ValueId id, uint32_t number, Cause cause) {
    ValueId value = program.find(id);
    if (mayChange(value))
      labels.insert({value, {number, cause}});
  }

  bool fits(ValueId value, const Sharding &sharding) const {
    const Problem &problem = program.problem;
    return mayBeSplit(problem.shapes[problem.valueShape[value]].extents,
                      out.grid, sharding,
                      options.uneven == UnevenPolicy::Replicate);
  }

  /// Whether `sharding` of tensor `use.tensor` may need halos, which are not priced here.
  bool splitsWindow(const TensorUse &use, const LoopTable &table,
                    const Sharding &sharding) {
    auto shardingOf = [&](unsigned operand) -> std::optional<Sharding> {
      ValueId id = program.problem.tensors(use.op)[operand];
      return id == kNoValue ? std::nullopt
                            : std::optional(solved.shardingOf(id));
    };
    return propagation::splitsWindow(table, use.tensor, sharding, shardingOf);
  }

  /// Gives the tensors of `owner` what `sharding` of one of them means for them, if the
  /// op has no other loops than those of this tensor, all of them parallel. Another op gives
  /// it to its results alone, if the region may pass such ops.
  void passOn(const TensorUse &use, Operation *owner, ValueId value,
              const Sharding &sharding) {
    const LoopTable &table =
        program.tables.table(program.problem.opTable[use.op]);
    llvm::SmallDenseSet<int32_t, 8> own;
    for (const DimLoops &dim : tensorLoops(table, use.tensor).dims)
      own.insert(dim.begin(), dim.end());
    for (auto [index, loop] : llvm::enumerate(table.loops))
      if (loop.kind != LoopKind::Parallel || !own.contains(index)) {
        bool isRead = use.op != start && use.tensor < owner->getNumOperands();
        endsEarly |= isRead;
        if (isRead && passesAll)
          passToResults(use, owner, value, sharding);
        return;
      }
    if (splitsWindow(use, table, sharding))
      return;
    forEachFollower(use.op, owner, use.tensor, sharding,
                    [&](unsigned index, const Sharding &followed) {
                      label(program.problem.tensors(use.op)[index],
                            solved.indexFor(followed), {use.op, value});
                    });
  }

  /// Gives the results of `owner` what `sharding` of an operand means for them, besides the
  /// axes that they have. Other operands stay as they are.
  void passToResults(const TensorUse &use, Operation *owner, ValueId value,
                     const Sharding &sharding) {
    const LoopTable &table =
        program.tables.table(program.problem.opTable[use.op]);
    if (splitsWindow(use, table, sharding))
      return;
    for (unsigned result = 0; result < owner->getNumResults(); ++result) {
      unsigned index = owner->getNumOperands() + result;
      ValueId id = program.problem.tensors(use.op)[index];
      if (id == kNoValue)
        continue;
      if (auto followed = followKeeping(table, out.grid, use.tensor, sharding,
                                        index, solved.shardingOf(id)))
        label(id, solved.indexFor(*followed), {use.op, value});
    }
  }

  /// The region keeps its labels.
  void keep() {
    applyLabels();
    for (OpId op : touched)
      solution.agrees[op] = false;
    if (!options.explain)
      return;
    for (const auto &[value, label] : labels)
      for (const AxisList &axes : out.shardings[label.number].dims)
        for (GridAxis axis : axes)
          setCause(value, axis, label.cause);
  }

  /// Notes that `value` has `axis` by `cause`. At the op that the region starts from, the
  /// source is a tensor outside of the region that has the axis.
  void setCause(ValueId value, GridAxis axis, Cause cause) {
    auto isSplit = [&](ValueId id) {
      return id != kNoValue && !labels.contains(program.find(id)) &&
             solved.shardingOf(id).isSplitBy(axis);
    };
    if (cause.source == kNoValue)
      for (ValueId id : program.problem.tensors(cause.op))
        if (isSplit(id))
          cause.source = program.find(id);
    if (cause.source != kNoValue)
      solution.causes[{value, axis}] = cause;
  }

  ReadProgram &program;
  Solution &solution;
  SolvedShardings &solved;
  OpWishes &opWishes;
  const GridPropagation &out;
  const PropagationOptions &options;
  RegionPrices prices;
  std::optional<OpsOfValues> opsOfValues;
  llvm::DenseSet<ValueId> decided;
  llvm::DenseSet<std::pair<ValueId, uint32_t>> tried;
  llvm::DenseMap<ValueId, unsigned> trials, moves;
  /// The op whose axes are moved; whether the region also passes other ops that have more
  /// loops than its values, and whether there is such an op.
  OpId start = kNoOp;
  bool passesAll = false, endsEarly = false;
  /// The region that is being tried, and the ops that touch it.
  llvm::MapVector<ValueId, Label> labels;
  llvm::SetVector<OpId> touched;
};
} // namespace

void settleRegions(ReadProgram &program, Solution &solution,
                   SolvedShardings &solved, OpWishes &opWishes,
                   const GridPropagation &out,
                   const PropagationOptions &options) {
  RegionSettler(program, solution, solved, opWishes, out, options).settle();
}

} // namespace shard::propagation
