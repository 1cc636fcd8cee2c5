//===- OpenRegions.cpp - Open values that change together -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenRegions.h"

#include "Followers.h"
#include "ReductionMoves.h"
#include "RegionGrowth.h"
#include "RegionPrices.h"
#include "ReturnedValues.h"
#include "SmallOperands.h"

using namespace mlir;

namespace shard::propagation {

/// A value tries so many shardings at most. Bounds the work per value.
static constexpr unsigned kMaxTrials = 4;

/// So often all regions are tried, as long as one of them changes.
static constexpr unsigned kMaxRounds = 2;

/// So many ops at most move together.
static constexpr unsigned kMaxTogether = 16;

namespace {
/// Tries other shardings for regions, one after another.
class RegionSettler {
public:
  RegionSettler(ReadProgram &program, Solution &solution,
                SolvedShardings &solved, OpWishes &opWishes,
                const GridPropagation &out, const PropagationOptions &options)
      : program(program), solution(solution), solved(solved),
        opWishes(opWishes), out(out), options(options),
        prices(program, solution, solved, opWishes, out),
        growth(program, solved, opWishes, out, options) {}

  /// Returns the values that have another sharding then.
  llvm::SmallVector<ValueId, 0> settle() {
    // What one region has changed may be a reason to change another one.
    for (unsigned round = 0; round < kMaxRounds; ++round) {
      tried.clear();
      triedTogether.clear();
      trials.clear();
      if (!settleOnce())
        break;
    }
    // Results last: the layouts of open arguments are settled then.
    for (auto [result, argument] :
         findReturnedLayouts(program, solved, kMaxTrials))
      attempt({kNoOp, result, solved.numberOf(argument), argument});
    return changed.takeVector();
  }

private:
  /// Tries all regions. Returns whether one has changed.
  bool settleOnce() {
    anyChanged = false;
    // Users first, as what they compute decides what they want.
    std::vector<Seed> seeds = findSeeds();
    for (const Seed &seed : llvm::reverse(seeds))
      attempt(seed);
    // Sums last: whether one shares what another op gathers is settled then.
    for (bool sums : {false, true})
      for (OpId op = program.origins.size(); op-- > 0;)
        if (Operation *owner = ownerOf(op))
          if (program.problem.table(op).contraction == sums)
            moveReduction(op, owner);
    return anyChanged;
  }

  /// A sharding that `op` computes `value` with, or wants it in. Without an op: that of
  /// `source`.
  struct Seed {
    OpId op;
    ValueId value;
    uint32_t number;
    ValueId source = kNoValue;
  };
  struct Move {
    Region region;
    double saved = 0;
  };
  struct Prices {
    double before, after;
  };
  /// Which tensors of an op are to have what an option says.
  enum class Labelled { All, Results, Operands };

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
    growth.prepare(solution);
    if (!sharding.hasHalosOrOffsets() && growth.mayBecome(value, sharding))
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
        opWishes.of(op, owner, opWishes.madeFor(op, owner));
    if (!opWishes.decides(op, owner))
      for (auto [operand, number] : wishes.operands) {
        Sharding has = solved.shardingOf(program.problem.tensors(op)[operand]);
        has.partial.clear();
        growth.forEachFollower(op, owner, operand, has, add);
      }
    for (auto [operand, number] : wishes.operands)
      add(operand, out.shardings[number]);
    for (const auto &[result, sharding] : wishes.results)
      add(numOperands + result, sharding);
  }

  void attempt(const Seed &seed) {
    growth.prepare(solution);
    if (!growth.mayChange(seed.value) ||
        out.shardings[seed.number].hasRunTimeNumbers() ||
        trials.lookup(seed.value) >= kMaxTrials ||
        !tried.insert({seed.value, seed.number}).second)
      return;
    Move best;
    RegionGrowth::Start start;
    start.keepsWork = holdsOnce(program, growth.ops(), seed.value);
    growth.startAt(start);
    tryLabel(seed, best);
    // Not from what becomes less split, which would lead to repeated work step by step.
    bool mayEnd = growth.metWork() &&
                  partsOf(out.grid, out.shardings[seed.number]) >=
                      partsOf(out.grid, solved.shardingOf(seed.value));
    for (const auto &[value, label] : region.labels) {
      ++trials[value];
      tried.insert({value, label.number});
    }
    if (growth.metCoarser()) {
      start.slicesCoarser = start.keepsWork = true;
      growth.startAt(start);
      tryLabel(seed, best);
    }
    if (mayEnd) {
      RegionGrowth::Start ending;
      ending.endsAtWork = true;
      growth.startAt(ending);
      tryLabel(seed, best);
    }
    if (best.saved == 0)
      return;
    region = std::move(best.region);
    keep();
  }

  /// Replaces `best` by the region that grows from the label of `seed`, if that saves more.
  void tryLabel(const Seed &seed, Move &best) {
    region.clear();
    OpId op = seed.op;
    if (op == kNoOp && !growth.ops().of(seed.value).empty())
      op = growth.ops().of(seed.value).front().op;
    region.labels[seed.value] = {seed.number, {op, seed.source}};
    bool isKnown = growth.grow(region);
    if (!isKnown)
      return;
    std::optional<Prices> found = priceLabels([] { return true; });
    if (found && found->before - found->after > best.saved)
      best = {region, found->before - found->after};
  }

  /// Lets axes that `op` sums over or gathers split other loops, or none, where that costs less.
  void moveReduction(OpId op, Operation *owner) {
    if (!mayMove(op, owner))
      return;
    growth.prepare(solution);
    Move best;
    for (const AxisMove &move : movesOf(op, owner)) {
      tryMove({{op, owner, move.option}}, move.leastRatio, best);
      if (move.leastRatio == kRatioOfSums)
        tryTogether(op, owner, move, best);
    }
    if (gathersSummed(program, solution, solved, opWishes, prices, growth.ops(),
                      op, best.saved) ||
        best.saved == 0)
      return;
    region = std::move(best.region);
    keep();
  }

  bool mayMove(OpId op, Operation *owner) {
    const Problem &problem = program.problem;
    return (problem.table(op).contraction ||
            mayGatherAxes(program.tables.table(problem.opTable[op]))) &&
           !opWishes.decides(op, owner);
  }

  std::vector<AxisMove> movesOf(OpId op, Operation *owner) {
    const Problem &problem = program.problem;
    ShardingOption option =
        opWishes.of(op, owner, opWishes.madeFor(op, owner)).option;
    std::vector<Sharding> operands;
    for (ValueId id : problem.tensors(op).take_front(owner->getNumOperands()))
      operands.push_back(id == kNoValue ? Sharding() : solved.shardingOf(id));
    return findAxisMoves(program.tables.table(problem.opTable[op]), out.grid,
                         option, operands);
  }

  /// An op whose axes move, and how its loops are split then.
  struct MovedOp {
    OpId op;
    Operation *owner;
    ShardingOption option;
  };

  /// The sharding of operand `tensor` of a moved op.
  Sharding operandOf(const MovedOp &moved, unsigned tensor) {
    const LoopTable &table =
        program.tables.table(program.problem.opTable[moved.op]);
    return tensorSharding(table, tensor, moved.option);
  }

  /// Tries `move` of `op` together with the moves of other ops that sum over an operand of `op`
  /// and take it in the same sharding then: one reshard serves all of them.
  void tryTogether(OpId op, Operation *owner, const AxisMove &move,
                   Move &best) {
    MovedOp first{op, owner, move.option};
    for (unsigned operand = 0; operand < owner->getNumOperands(); ++operand) {
      ValueId id = program.problem.tensors(op)[operand];
      if (id == kNoValue)
        continue;
      ValueId value = program.find(id);
      Sharding wanted = operandOf(first, operand);
      if (wanted.dims == solved.shardingOf(value).dims ||
          !triedTogether.insert({value, solved.indexFor(wanted)}).second)
        continue;
      llvm::SmallVector<MovedOp, 0> together = {first};
      for (const TensorUse &use : growth.ops().of(value, kMaxTogether))
        addMoved(use, wanted, together);
      if (together.size() > 1)
        tryMove(together, kRatioTogether, best);
    }
  }

  /// Adds to `together` the op of `use`, if one of its sums may move so that it takes the tensor
  /// as `wanted` says.
  void addMoved(const TensorUse &use, const Sharding &wanted,
                llvm::SmallVectorImpl<MovedOp> &together) {
    Operation *owner = ownerOf(use.op);
    auto isUse = [&](const MovedOp &moved) { return moved.op == use.op; };
    if (!owner || use.tensor >= owner->getNumOperands() ||
        llvm::any_of(together, isUse) || !mayMove(use.op, owner))
      return;
    for (const AxisMove &move : movesOf(use.op, owner)) {
      MovedOp moved{use.op, owner, move.option};
      if (move.leastRatio == kRatioOfSums &&
          operandOf(moved, use.tensor).dims == wanted.dims) {
        together.push_back(std::move(moved));
        return;
      }
    }
  }

  /// Replaces `best` by a region that the moves of `ops` mean for their tensors, if that saves
  /// more.
  void tryMove(llvm::ArrayRef<MovedOp> ops, double leastRatio, Move &best) {
    for (Labelled which :
         {Labelled::All, Labelled::Results, Labelled::Operands}) {
      growth.startAt({ops.front().op});
      tryRegion(ops, leastRatio, which, best);
      if (!growth.endedEarly())
        continue;
      growth.startAt({ops.front().op, /*passesAll=*/true});
      tryRegion(ops, leastRatio, which, best);
    }
  }

  /// The same for the tensors `which` of the ops.
  void tryRegion(llvm::ArrayRef<MovedOp> ops, double leastRatio, Labelled which,
                 Move &best) {
    region.clear();
    for (const MovedOp &moved : ops)
      if (!labelTensors(moved, which))
        return;
    if (region.labels.empty())
      return;
    bool isKnown = growth.grow(region);
    growth.countMoves(region);
    if (!isKnown)
      return;
    auto isMeant = [&] {
      return llvm::all_of(
          ops, [&](const MovedOp &moved) { return sumsUpAs(moved); });
    };
    std::optional<Prices> found =
        priceLabels(isMeant, /*withWork=*/leastRatio == 1);
    if (found && found->after * leastRatio < found->before &&
        found->before - found->after > best.saved)
      best = {region, found->before - found->after};
  }

  /// Labels tensors of an op as its option has them; false if one of them may not be tried.
  bool labelTensors(const MovedOp &moved, Labelled which) {
    const auto &[op, owner, option] = moved;
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    llvm::ArrayRef<unsigned> made = opWishes.madeFor(op, owner);
    region.touched.insert(op);
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
      if (!growth.mayBecome(value, wanted))
        continue;
      if (growth.movedOften(value))
        return false;
      if (growth.mayChange(value))
        region.labels.insert(
            {value, {solved.indexFor(wanted), {op, kNoValue}}});
    }
    return true;
  }

  /// Whether an op splits its reduction loops as its option does, or less, and takes the
  /// operands that have a label as they come. With a split result alone, a sum may also be
  /// scattered; whether it is returned so is not decided here.
  bool sumsUpAs(const MovedOp &moved) {
    const auto &[op, owner, option] = moved;
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    const OpWishes::Wishes &wishes =
        opWishes.of(op, owner, opWishes.madeFor(op, owner));
    if (llvm::any_of(wishes.operands, [&](const auto &wish) {
          return region.labels.contains(
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
      return prices.of(growth.ops(), region.touched.getArrayRef(), withWork);
    };
    std::optional<double> before = price();
    if (!before || *before == 0)
      return std::nullopt;
    llvm::SmallVector<bool> slid =
        prices.slidingOps(region.touched.getArrayRef());
    llvm::SmallVector<uint32_t> had;
    for (const auto &[value, label] : region.labels)
      had.push_back(solution.values[value]);
    applyLabels();
    std::optional<double> after =
        isMeant() && !slidesAnew(slid) ? price() : std::nullopt;
    for (const auto &[entry, number] : llvm::zip_equal(region.labels, had))
      solution.values[entry.first] = number;
    if (!after)
      return std::nullopt;
    return Prices{*before, *after};
  }

  void applyLabels() {
    for (const auto &[value, label] : region.labels)
      solution.values[value] = out.shardings[label.number].isReplicated()
                                   ? kReplicated
                                   : label.number;
  }

  /// Whether an op of the region splits a loop of a window that it has not split before.
  bool slidesAnew(llvm::ArrayRef<bool> slid) {
    return llvm::any_of(
        llvm::zip_equal(slid, prices.slidingOps(region.touched.getArrayRef())),
        [](auto pair) { return std::get<1>(pair) && !std::get<0>(pair); });
  }

  /// The region keeps its labels.
  void keep() {
    anyChanged = true;
    applyLabels();
    for (const auto &[value, label] : region.labels)
      changed.insert(value);
    for (OpId op : region.touched)
      solution.agrees[op] = false;
    for (const auto &[value, label] : region.labels)
      for (const AxisList &axes : out.shardings[label.number].dims)
        for (GridAxis axis : axes)
          setCause(value, axis, label.cause);
  }

  /// Notes that `value` has `axis` by `cause`. At the op that the region starts from, the
  /// source is a tensor outside of the region that has the axis, or one that had it before.
  void setCause(ValueId value, GridAxis axis, Cause cause) {
    auto isSplit = [&](ValueId id) {
      return !region.labels.contains(id) &&
             solved.shardingOf(id).isSplitBy(axis);
    };
    auto hadAxis = [&](ValueId id) {
      return id != value && solution.causes.contains({id, axis});
    };
    auto takeSource = [&](llvm::function_ref<bool(ValueId)> isSource) {
      if (cause.source == kNoValue)
        for (ValueId id : program.problem.tensors(cause.op))
          if (id != kNoValue && isSource(program.find(id)))
            cause.source = program.find(id);
    };
    takeSource(isSplit);
    takeSource(hadAxis);
    if (cause.source != kNoValue)
      solution.settledCauses[{value, axis}] = cause;
  }

  ReadProgram &program;
  Solution &solution;
  SolvedShardings &solved;
  OpWishes &opWishes;
  const GridPropagation &out;
  const PropagationOptions &options;
  RegionPrices prices;
  RegionGrowth growth;
  llvm::DenseSet<std::pair<ValueId, uint32_t>> tried;
  llvm::DenseMap<ValueId, unsigned> trials;
  llvm::DenseSet<std::pair<ValueId, uint32_t>> triedTogether;
  /// The region that is being tried, and the values of those that were kept.
  Region region;
  llvm::SetVector<ValueId> changed;
  bool anyChanged = false;
};
} // namespace

llvm::SmallVector<ValueId, 0>
settleRegions(ReadProgram &program, Solution &solution, SolvedShardings &solved,
              OpWishes &opWishes, const GridPropagation &out,
              const PropagationOptions &options) {
  return RegionSettler(program, solution, solved, opWishes, out, options)
      .settle();
}

} // namespace shard::propagation
