//===- Explain.cpp - Why values are sharded as they are -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"

#include "ExplainChoices.h"
#include "ManualReader.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/ShardingOption.h"

using namespace mlir;

namespace shard::propagation {

namespace {

/// The axes of `axes` that are not in `other`; all if those in both come in another order there.
AxisList differingAxes(const AxisList &axes, const AxisList &other) {
  AxisList rest, common, commonThere;
  for (GridAxis axis : axes)
    (llvm::is_contained(other, axis) ? common : rest).push_back(axis);
  llvm::copy_if(other, std::back_inserter(commonThere),
                [&](GridAxis axis) { return llvm::is_contained(axes, axis); });
  return common == commonThere ? rest : axes;
}

class Explainer {
public:
  Explainer(NamedProgram &named, ReadProgram &program, const Solution &solution,
            const GridPropagation &out, const WrittenReshards &reshards,
            Planner &planner, PropagationExplanation &explanation)
      : named(named), program(program), solution(solution), out(out),
        planner(planner), reasons(program, solution, out), reshards(reshards),
        choices(program, out, reasons, planner, reshards),
        explanation(explanation) {}

  void run() {
    for (const auto &[value, index] : out.values) {
      if (out.shardings[index].isReplicated())
        continue;
      PropagationExplanation::ValueEntry entry;
      entry.value = named.nameOf(value);
      entry.place = placeOf(value.getLoc());
      entry.sharding = reasons.text(out.shardings[index]);
      entry.reasons = reasons.reasonsOf(program.find(program.idOf(value)));
      explanation.values.push_back(std::move(entry));
    }
    for (auto [use, op] : llvm::zip(out.uses, reshards.useOps))
      addReshard(use, op);
    for (const WrittenReshards::Computed &entry : reshards.computed)
      addResult(entry);
    for (OpId op = 0; op < program.problem.numOps(); ++op) {
      if (Operation *owner = program.silent.lookup(op))
        if (isa<ShardOp, ConstraintOp>(owner))
          addAnnotation(owner, op);
      if (auto *owner = dyn_cast_if_present<Operation *>(program.origins[op]))
        addExchanges(owner, op);
      if (auto *use = dyn_cast_if_present<OpOperand *>(program.origins[op]))
        addShared(*use, op);
    }
    llvm::sort(entries, llvm::less_first());
    for (auto &[place, entry] : entries)
      explanation.reshards.push_back(std::move(entry));
  }

private:
  using ReshardEntry = PropagationExplanation::ReshardEntry;

  /// Where a reshard stands in the program: before an op or behind it, by operand
  /// or result; at one place, in the order of the entries.
  using Place = std::tuple<size_t, bool, unsigned, size_t>;
  Place before(Operation *op, unsigned operand) const {
    return {named.positionOf(op), false, operand, entries.size()};
  }
  Place behind(Operation *op, unsigned result) const {
    return {named.positionOf(op), true, result, entries.size()};
  }

  /// The grid on which reshards of `value` are planned: without the axes that are
  /// manual around it.
  const Grid &gridOf(ValueId value) {
    uint32_t scope = program.problem.valueScope[value];
    auto [it, isNew] = gridOfScope.try_emplace(scope);
    if (isNew)
      it->second = planningGrid(program.problem, scope, out);
    return it->second;
  }

  /// What is said of each reshard: that of `value` from `has` to `wanted` for `tensor`, an operand
  /// or a result, of `owner`.
  ReshardEntry entryFor(Value value, Operation *owner, const Twine &tensor,
                        const Sharding &has, const Sharding &wanted) {
    ReshardEntry entry;
    entry.value = named.nameOf(value);
    entry.user = (owner->getName().getStringRef() + " " + tensor).str();
    entry.place = placeOf(owner->getLoc());
    entry.from = reasons.text(has);
    entry.to = reasons.text(wanted);
    return entry;
  }

  /// The reshard that an annotation for users is.
  void addAnnotation(Operation *owner, OpId op) {
    ValueId source = program.find(program.problem.tensors(op)[0]);
    ValueId target = program.find(program.problem.tensors(op)[1]);
    Sharding has = reasons.shardingOf(source),
             wanted = reasons.shardingOf(target);
    if (has == wanted)
      return;
    ReshardEntry entry =
        entryFor(owner->getOperand(0), owner, "operand 0", has, wanted);
    entry.has = reasons.reasonsOf(source);
    entry.wants = reasons.wishesOf(target, has, wanted);
    entry.verdict = "the annotation says so";
    entry.steps = stepsOf(owner->getOperand(0), source, has, wanted);
    entries.emplace_back(before(owner, 0), std::move(entry));
  }

  /// Takes from each dimension of `sharding` the axes that it does not have in `other`.
  static void keepCommonAxes(Sharding &sharding, const Sharding &other) {
    for (auto [axes, kept] : llvm::zip_equal(sharding.dims, other.dims))
      llvm::erase_if(axes, [&kept = kept](GridAxis axis) {
        return !llvm::is_contained(kept, axis);
      });
  }

  /// By operand the shardings in which the op of `use` takes those that it reshards, which stand
  /// side by side.
  llvm::SmallDenseMap<unsigned, uint32_t>
  reshardedBeside(const GridPropagation::UseSharding &use) const {
    llvm::SmallDenseMap<unsigned, uint32_t> taken;
    auto isBeside = [&](size_t at) {
      return at < out.uses.size() &&
             out.uses[at].use->getOwner() == use.use->getOwner();
    };
    size_t at = &use - out.uses.data();
    while (at > 0 && isBeside(at - 1))
      --at;
    for (; isBeside(at); ++at)
      taken[out.uses[at].use->getOperandNumber()] = out.uses[at].sharding;
    return taken;
  }

  /// Why the ways to run `op`, whose operand `use` has the sharding `has`, led to another one
  /// there, by the axes that `moved`.
  void explainChoice(PropagationExplanation::ReshardEntry &entry,
                     const GridPropagation::UseSharding &use, OpId op,
                     const Sharding &has, const std::vector<bool> &moved) {
    const Sharding &wanted = out.shardings[use.sharding];
    ValueId value = program.find(program.idOf(use.use->get()));
    // The other tensors that have the axes in question; other operands that are the same
    // value, if the op takes them with these axes.
    llvm::SmallDenseMap<unsigned, uint32_t> taken = reshardedBeside(use);
    unsigned numOperands = use.use->getOwner()->getNumOperands();
    for (auto [index, other] : llvm::enumerate(program.problem.tensors(op))) {
      if (other == kNoValue || index == use.use->getOperandNumber() ||
          (other == value && index >= numOperands))
        continue;
      Sharding sharding = reasons.shardingOf(other);
      if (auto resharded = taken.find(index);
          other == value && resharded != taken.end())
        keepCommonAxes(sharding, out.shardings[resharded->second]);
      for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
        for (GridAxis axis : sharding.dims[dim])
          if (moved[axis]) {
            entry.wants.push_back(reasons.reasonOf(other, axis, dim));
            entry.wants.back().of = reasons.tensorName(op, index);
          }
    }
    entry.verdict =
        "of the ways to run the op, this one reshards the fewest bytes";
    if (!entry.wants.empty())
      return;
    if (has.dims == wanted.dims && has.partial == wanted.partial) {
      entry.verdict = wanted.hasHalosOrOffsets()
                          ? "the tensors of the op have the same blocks"
                          : "the op takes blocks of one size, without halos";
      return;
    }
    bool canSplit = true;
    for (size_t dim = 0; dim < has.dims.size(); ++dim)
      if (has.dims[dim] != wanted.dims[dim])
        canSplit &= reasons.addLimits(entry.wants, op,
                                      use.use->getOperandNumber(), dim);
    if (!canSplit)
      entry.verdict = "the op cannot be split along that dimension";
    else if (!entry.wants.empty())
      entry.verdict = "the hint leaves that dimension whole";
    else
      entry.verdict = "the op is not split along that dimension";
  }

  void addReshard(const GridPropagation::UseSharding &use, OpId op) {
    Operation *owner = use.use->getOwner();
    const Sharding &wanted = out.shardings[use.sharding];
    ValueId value = program.find(program.idOf(use.use->get()));
    Sharding has = reasons.shardingOf(value);
    ReshardEntry entry =
        entryFor(use.use->get(), owner,
                 "operand " + Twine(use.use->getOperandNumber()), has, wanted);
    entry.steps = stepsOf(use.use->get(), value, has, wanted);

    std::vector<bool> moved(out.axes.size(), false);
    for (size_t dim = 0; dim < has.dims.size(); ++dim) {
      for (GridAxis axis : differingAxes(has.dims[dim], wanted.dims[dim])) {
        entry.has.push_back(reasons.reasonOf(value, axis, dim));
        moved[axis] = true;
      }
      for (GridAxis axis : differingAxes(wanted.dims[dim], has.dims[dim]))
        moved[axis] = true;
    }

    if (op == kNoOp) {
      entry.verdict = isa<ManualComputationOp>(owner)
                          ? "the in sharding of the manual computation says so"
                          : "the body of the op uses the whole tensor";
    } else if (isa<OpOperand *>(program.origins[op])) {
      ValueId target = program.problem.tensors(op)[1];
      entry.wants = reasons.wishesOf(program.find(target), has, wanted);
      entry.verdict = "all that arrives there has one sharding";
      if (has.dims == wanted.dims && has.partial == wanted.partial &&
          reasons.hasHint(program.find(target)))
        entry.verdict = "the blocks there are those of " +
                        program.hints.describe(program.find(target));
      else if (has.dims == wanted.dims && !(has.partial == wanted.partial))
        entry.verdict = wanted.partial.empty()
                            ? "only complete values are handed on there"
                        : reasons.hasHint(program.find(target))
                            ? "the hint there asks for a partial value"
                            : "what is added up there is reduced later";
    } else if (!isa<ShardingInterface>(owner)) {
      entry.verdict = "the op has no sharding model and takes whole tensors";
    } else if (has.dims == wanted.dims && has.partial != wanted.partial) {
      std::string why = reasons.whyComplete(op, value);
      entry.verdict =
          "the op " + (why.empty() ? std::string("takes the complete value")
                                   : std::move(why));
    } else {
      explainChoice(entry, use, op, has, moved);
      if (solution.gathersSummed[op])
        entry.verdict = "to add the result up over devices would cost more";
    }
    choices.add(op, gridOf(value), entry);
    entries.emplace_back(before(use.anchor, use.use->getOperandNumber()),
                         std::move(entry));
  }

  /// What `owner` exchanges itself because a loop of it is split, told of the first operand
  /// that has the loop.
  void addExchanges(Operation *owner, OpId op) {
    const LoopTable &table = program.tables.table(program.problem.opTable[op]);
    for (auto [loop, split] : llvm::enumerate(table.loops)) {
      if (split.exchanges == 0)
        continue;
      for (auto [index, tensor] : llvm::enumerate(table.operands)) {
        auto dim = llvm::find(tensor.dims, DimLoops{int32_t(loop)});
        if (dim == tensor.dims.end())
          continue;
        addExchange(owner, op, index, dim - tensor.dims.begin(), loop,
                    split.exchanges);
        break;
      }
    }
  }

  void addExchange(Operation *owner, OpId op, unsigned operand, unsigned dim,
                   uint32_t loop, unsigned count) {
    ValueId value = program.problem.tensors(op)[operand];
    if (value == kNoValue)
      return;
    Sharding has =
        choices.takenAs(op, operand, reasons.shardingOf(program.find(value)));
    if (has.dims[dim].empty())
      return;
    ReshardEntry entry = entryFor(owner->getOperand(operand), owner,
                                  "operand " + Twine(operand), has, has);
    for (GridAxis axis : has.dims[dim])
      reasons.addLoopReason(entry.has, op, operand, loop, axis);
    entry.verdict = "the op combines what the devices have of dimension " +
                    std::to_string(dim);
    entry.steps = std::to_string(count) + " all_reduce";
    for (auto [i, axis] : llvm::enumerate(has.dims[dim]))
      entry.steps += (i ? ", " : " over ") + reasons.axisName(axis);
    choices.add(op, gridOf(value), entry);
    entries.emplace_back(before(owner, operand), std::move(entry));
  }

  /// The reshard of the result of an scf.forall whose body has the tensor that `use` begins with in
  /// another sharding.
  void addShared(OpOperand &use, OpId op) {
    llvm::ArrayRef<ValueId> tensors = program.problem.tensors(op);
    if (tensors.size() < 3)
      return;
    ValueId inside = program.find(tensors[1]),
            result = program.find(tensors[2]);
    Sharding has = reasons.shardingOf(inside),
             wanted = reasons.shardingOf(result);
    if (has == wanted)
      return;
    Operation *owner = use.getOwner();
    auto value = llvm::find_if(owner->getResults(), [&](Value value) {
      ValueId id = program.idOf(value);
      return id != kNoValue && program.find(id) == result;
    });
    unsigned number = value - owner->result_begin();
    ReshardEntry entry =
        entryFor(*value, owner, "result " + Twine(number), has, wanted);
    entry.has = reasons.reasonsOf(inside);
    entry.wants = reasons.wishesOf(result, has, wanted);
    entry.verdict = "the body writes the tensor in one sharding";
    entry.steps = stepsOf(*value, result, has, wanted);
    entries.emplace_back(behind(owner, number), std::move(entry));
  }

  /// The steps between two shardings of `value`, in words; empty without a plan.
  std::string stepsOf(Value value, ValueId id, const Sharding &from,
                      const Sharding &to) {
    auto type = cast<RankedTensorType>(value.getType());
    const Plan *plan =
        planner.plan(gridOf(id), shapeOf(type), elementBytes(type), from, to);
    std::string result;
    if (plan)
      for (const Step &step : plan->steps) {
        result += result.empty() ? "" : ", ";
        result += stringifyStepKind(step.kind);
        for (size_t i = 0; i < step.axes.size(); ++i)
          result += (i ? ", " : " over ") + reasons.axisName(step.axes[i]);
        for (size_t i = 0; i < step.toAxes.size(); ++i)
          result += (i ? ", " : " to ") + reasons.axisName(step.toAxes[i]);
      }
    return result;
  }

  /// The reshard of a result behind the op that computes it otherwise.
  void addResult(const WrittenReshards::Computed &computed) {
    const FlatTable &table = program.problem.table(computed.op);
    Operation *owner = program.ownerOf(computed.op);
    ValueId value = program.problem.tensors(
        computed.op)[table.numOperands + computed.result];
    const Sharding &has = computed.sharding;
    Sharding wanted = reasons.shardingOf(value);
    Value result = owner->getResult(computed.result);
    ReshardEntry entry = entryFor(
        result, owner, "result " + Twine(computed.result), has, wanted);
    entry.steps = stepsOf(result, value, has, wanted);

    for (GridAxis axis : has.partial)
      if (!llvm::is_contained(wanted.partial, axis))
        reasons.addOperandReasons(entry.has, computed.op, axis,
                                  LoopKind::Reduction);
    bool isMoved = has.dims != wanted.dims;
    for (size_t dim = 0; dim < has.dims.size(); ++dim) {
      for (GridAxis axis : differingAxes(has.dims[dim], wanted.dims[dim])) {
        reasons.addOperandReasons(entry.has, computed.op, axis,
                                  LoopKind::Parallel);
        reasons.addLimit(entry.wants, value, dim);
      }
      for (GridAxis axis : differingAxes(wanted.dims[dim], has.dims[dim]))
        entry.wants.push_back(reasons.reasonOf(value, axis, dim));
    }
    if (table.loops.empty())
      entry.verdict = "the op has no sharding model and gives whole tensors";
    else if (isMoved)
      entry.verdict =
          "of the ways to run the op, this one reshards the fewest bytes";
    else if (has.partial != wanted.partial)
      entry.verdict = reasons.whyReduced(value);
    else if (reasons.hasHint(value))
      entry.verdict =
          "the blocks are those of " + program.hints.describe(value);
    else
      entry.verdict = wanted.hasHalosOrOffsets()
                          ? "what uses it has the same blocks"
                          : "nothing asks for other blocks or halos";
    if (!isMoved && has.partial != wanted.partial && reasons.hasHint(value)) {
      Reason reason;
      reason.dim = -1;
      reason.hint = program.hints.describe(value);
      entry.wants.push_back(std::move(reason));
    }
    choices.add(computed.op, gridOf(value), entry);
    entries.emplace_back(behind(owner, computed.result), std::move(entry));
  }

  NamedProgram &named;
  ReadProgram &program;
  const Solution &solution;
  const GridPropagation &out;
  Planner &planner;
  Reasons reasons;
  const WrittenReshards &reshards;
  Choices choices;
  PropagationExplanation &explanation;
  llvm::DenseMap<unsigned, Grid> gridOfScope;
  std::vector<std::pair<Place, ReshardEntry>> entries;
};

} // namespace

NamedProgram::NamedProgram(Operation *root) : names(root) {
  root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { position.try_emplace(op, position.size()); });
}

std::string NamedProgram::nameOf(Value value) {
  std::string result;
  llvm::raw_string_ostream os(result);
  value.printAsOperand(os, names);
  return result;
}

void explain(NamedProgram &named, ReadProgram &program,
             const Solution &solution, const GridPropagation &out,
             const WrittenReshards &reshards, Planner &planner,
             PropagationExplanation &explanation) {
  Explainer(named, program, solution, out, reshards, planner, explanation)
      .run();
}

void explainCrossings(NamedProgram &named, ReadProgram &program,
                      const Solution &solution, const GridPropagation &out,
                      const PropagationResult &result,
                      CrossingEntries &entries) {
  Reasons reasons(program, solution, out);
  auto text = [&](ValueId value) {
    return reasons.text(reasons.shardingOf(value)) + " on grid @" +
           out.gridName.str();
  };
  auto isHere = [&](Value value) {
    return result.gridOf.lookup(value) == out.gridOp;
  };
  auto addEnds = [&](Operation *op) {
    if (!result.crossings.contains(op))
      return;
    PropagationExplanation::ReshardEntry &entry = entries[op];
    if (Value source = op->getOperand(0); isHere(source)) {
      entry.value = named.nameOf(source);
      entry.user = (op->getName().getStringRef() + " operand 0").str();
      entry.place = placeOf(op->getLoc());
      ValueId id = program.find(program.idOf(source));
      entry.from = text(id);
      entry.has = reasons.reasonsOf(id);
    }
    if (Value target = op->getResult(0); isHere(target)) {
      ValueId id = program.find(program.idOf(target));
      entry.to = text(id);
      entry.wants = reasons.reasonsOf(id);
      entry.verdict =
          "the annotation moves the value to grid @" + out.gridName.str();
    }
  };
  for (Operation *function : out.functions)
    function->walk(addEnds);
}

} // namespace shard::propagation
