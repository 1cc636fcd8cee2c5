//===- Explain.cpp - Why values are sharded as they are -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"

#include "shard/Partitioning/ShardingOption.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace shard::propagation {

namespace {

/// How many ops of a chain are named.
constexpr size_t kMaxChain = 8;

class Explainer {
public:
  Explainer(Operation *root, Reader &reader, const Solution &solution,
            const GridPropagation &out, Planner &planner,
            PropagationExplanation &explanation)
      : names(root), reader(reader), solution(solution), out(out),
        planner(planner), gridOp(cast<GridOp>(out.gridOp)),
        explanation(explanation) {
    for (auto [value, hint] : reader.problem.hints)
      hintOf.try_emplace(value, hint);
  }

  void run(Operation *root, const WrittenReshards &reshards) {
    root->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { position.try_emplace(op, position.size()); });
    for (const auto &[value, index] : out.values) {
      if (out.shardings[index].isReplicated())
        continue;
      PropagationExplanation::ValueEntry entry;
      entry.value = nameOf(value);
      entry.place = placeOf(value.getLoc());
      entry.sharding = text(out.shardings[index]);
      entry.reasons = reasonsOf(reader.find(reader.idOf(value)));
      explanation.values.push_back(std::move(entry));
    }
    for (auto [use, op] : llvm::zip(out.uses, reshards.useOps))
      addReshard(use, op);
    for (const WrittenReshards::Computed &entry : reshards.computed)
      addResult(entry);
    for (OpId op = 0; op < reader.problem.numOps(); ++op)
      if (Operation *owner = reader.silent.lookup(op))
        if (isa<ShardOp, ConstraintOp>(owner))
          addAnnotation(owner, op);
    // In the order of the program; at one place in the order of finding.
    llvm::SmallVector<size_t> order(
        llvm::to_vector(llvm::seq<size_t>(0, entries.size())));
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::tie(entries[a].first, a) < std::tie(entries[b].first, b);
    });
    for (size_t index : order)
      explanation.reshards.push_back(std::move(entries[index].second));
  }

private:
  using Reason = PropagationExplanation::Reason;
  using ReshardEntry = PropagationExplanation::ReshardEntry;

  /// Where a reshard stands in the program: before an op or behind it, by operand
  /// or result.
  using Place = std::tuple<size_t, bool, unsigned>;
  Place before(Operation *op, unsigned operand) const {
    return {position.lookup(op), false, operand};
  }
  Place behind(Operation *op, unsigned result) const {
    return {position.lookup(op), true, result};
  }

  /// The grid on which reshards of `value` are planned: without the axes that are
  /// manual around it.
  const Grid &gridOf(ValueId value) {
    uint16_t scope = reader.problem.valueScope[value];
    auto [it, isNew] = gridOfScope.try_emplace(scope);
    if (isNew)
      it->second = planningGrid(reader.problem, scope, out);
    return it->second;
  }

  std::string nameOf(Value value) {
    std::string result;
    llvm::raw_string_ostream os(result);
    value.printAsOperand(os, names);
    return result;
  }

  static std::string placeOf(Location location) {
    std::string result;
    llvm::raw_string_ostream os(result);
    if (auto file = dyn_cast<FileLineColLoc>(location))
      os << file.getFilename().getValue() << ":" << file.getLine() << ":"
         << file.getColumn();
    else
      location.print(os);
    return result;
  }

  std::string axisName(GridAxis axis) {
    const AxisOrigin &part = out.axes[axis];
    std::string name = gridOp.axisName(part.axis);
    if (part.size != gridOp.getShape()[part.axis] && out.refined)
      name +=
          ":(" + std::to_string(part.preSize) + ")" + std::to_string(part.size);
    return name;
  }

  std::string text(const Sharding &sharding) {
    std::string result = "[";
    auto append = [&](const AxisList &axes) {
      result += "[";
      for (size_t i = 0; i < axes.size(); ++i)
        result += (i ? ", " : "") + axisName(axes[i]);
      result += "]";
    };
    for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
      result += dim ? ", " : "";
      append(sharding.dims[dim]);
    }
    result += "]";
    if (!sharding.partial.empty()) {
      result += " partial = " +
                std::string(stringifyReductionKind(sharding.reduction)) + " ";
      append(sharding.partial);
    }
    return result;
  }

  Sharding shardingOf(ValueId id) {
    uint32_t index = solution.values[id];
    size_t rank =
        reader.problem.shapes[reader.problem.valueShape[id]].extents.size();
    return index == kReplicated ? Sharding::replicated(rank)
                                : out.shardings[index];
  }

  std::string describe(OpId op) {
    Operation *owner = reader.ownerOf(op);
    Reader::Origin origin = reader.origins[op];
    std::string result;
    if (!origin.isNull())
      if (auto *use = dyn_cast<OpOperand *>(origin))
        result = "operand " + std::to_string(use->getOperandNumber()) + " of ";
    return result + owner->getName().getStringRef().str() + " at " +
           placeOf(owner->getLoc());
  }

  /// Follows the causes of `axis` from `value` to a hint.
  Reason reasonOf(ValueId value, GridAxis axis, int64_t dim) {
    Reason reason;
    reason.axis = axisName(axis);
    reason.dim = dim;
    llvm::SmallVector<ValueId> path;
    while (true) {
      auto known = ends.find({value, axis});
      if (known != ends.end()) {
        reason.length += known->second.second;
        // Names the rest of the chain as far as there is room.
        ValueId at = value;
        value = known->second.first;
        while (reason.chain.size() < kMaxChain) {
          auto cause = solution.causes.find({at, axis});
          if (cause == solution.causes.end())
            break;
          reason.chain.push_back(describe(cause->second.op));
          at = reader.find(cause->second.source);
        }
        break;
      }
      auto cause = solution.causes.find({value, axis});
      if (cause == solution.causes.end())
        break;
      if (reason.chain.size() < kMaxChain)
        reason.chain.push_back(describe(cause->second.op));
      ++reason.length;
      path.push_back(value);
      value = reader.find(cause->second.source);
    }
    size_t length = reason.length;
    for (ValueId passed : path)
      ends[{passed, axis}] = {value, length--};
    reason.hint = reader.describeHint(value);
    return reason;
  }

  std::vector<Reason> reasonsOf(ValueId value) {
    std::vector<Reason> reasons;
    Sharding sharding = shardingOf(value);
    for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
      for (GridAxis axis : sharding.dims[dim])
        reasons.push_back(reasonOf(value, axis, dim));
    return reasons;
  }

  /// What a hint of `value` says about dimension `dim` to a sharding that had
  /// more there; nothing if it left the dimension open.
  void addLimit(std::vector<Reason> &reasons, ValueId value, int64_t dim) {
    auto known = hintOf.find(value);
    if (known == hintOf.end())
      return;
    const Hint &hint = reader.problem.hintTable[known->second];
    if (hint.dims.empty() ||
        (hint.dims[dim].open && hint.dims[dim].priority == 0 &&
         hint.replicated.empty()))
      return;
    Reason reason;
    reason.dim = dim;
    reason.hint = reader.describeHint(value);
    reasons.push_back(std::move(reason));
  }

  /// Why a value that is to be equal to one of sharding `has` is as it is.
  std::vector<Reason> wishesOf(ValueId target, const Sharding &has) {
    std::vector<Reason> reasons = reasonsOf(target);
    Sharding wanted = shardingOf(target);
    auto isUsed = [&](GridAxis axis) {
      return llvm::any_of(wanted.dims, [&](const AxisList &axes) {
        return llvm::is_contained(axes, axis);
      });
    };
    for (size_t dim = 0; dim < has.dims.size(); ++dim)
      if (!llvm::all_of(has.dims[dim], isUsed))
        addLimit(reasons, target, dim);
    return reasons;
  }

  /// The reshard that an annotation for users is.
  void addAnnotation(Operation *owner, OpId op) {
    ValueId source = reader.find(reader.problem.tensors(op)[0]);
    ValueId target = reader.find(reader.problem.tensors(op)[1]);
    Sharding has = shardingOf(source), wanted = shardingOf(target);
    if (has == wanted)
      return;
    PropagationExplanation::ReshardEntry entry;
    entry.value = nameOf(owner->getOperand(0));
    entry.user = (owner->getName().getStringRef() + " operand 0").str();
    entry.place = placeOf(owner->getLoc());
    entry.from = text(has);
    entry.to = text(wanted);
    entry.has = reasonsOf(source);
    entry.wants = wishesOf(target, has);
    entry.verdict = "the annotation says so";
    entry.steps = stepsOf(owner->getOperand(0), source, has, wanted);
    entries.emplace_back(before(owner, 0), std::move(entry));
  }

  /// The hints on other tensors of `op` that keep its loops of dimension `dim`
  /// of `tensor` from being split; false if these cannot be split or are none.
  bool addLimits(std::vector<Reason> &reasons, OpId op, unsigned tensor,
                 unsigned dim) {
    const FlatTable &table = reader.problem.table(op);
    auto loopsOf = [&](unsigned tensor, unsigned dim) {
      unsigned at = table.dimBegin[tensor] + dim;
      return llvm::ArrayRef(table.loopOf)
          .slice(table.loopBegin[at],
                 table.loopBegin[at + 1] - table.loopBegin[at]);
    };
    if (!table.canSplit(tensor, dim))
      return false;
    llvm::ArrayRef<uint16_t> loops = loopsOf(tensor, dim);
    auto tensors = reader.problem.tensors(op);
    for (unsigned other = 0; other < tensors.size(); ++other) {
      if (other == tensor || tensors[other] == kNoValue)
        continue;
      for (unsigned d = 0; d < table.numDims(other); ++d)
        if (llvm::any_of(loopsOf(other, d), [&](uint16_t loop) {
              return llvm::is_contained(loops, loop);
            }))
          addLimit(reasons, reader.find(tensors[other]), d);
    }
    return true;
  }

  void addReshard(const GridPropagation::UseSharding &use, OpId op) {
    PropagationExplanation::ReshardEntry entry;
    Operation *owner = use.use->getOwner();
    const Sharding &wanted = out.shardings[use.sharding];
    ValueId value = reader.find(reader.idOf(use.use->get()));
    Sharding has = shardingOf(value);
    entry.value = nameOf(use.use->get());
    entry.user = (owner->getName().getStringRef() + " operand " +
                  Twine(use.use->getOperandNumber()))
                     .str();
    entry.place = placeOf(owner->getLoc());
    entry.from = text(has);
    entry.to = text(wanted);

    entry.steps = stepsOf(use.use->get(), value, has, wanted);

    std::vector<bool> moved(out.axes.size(), false);
    for (size_t dim = 0; dim < has.dims.size(); ++dim) {
      for (GridAxis axis : has.dims[dim])
        if (!llvm::is_contained(wanted.dims[dim], axis)) {
          entry.has.push_back(reasonOf(value, axis, dim));
          moved[axis] = true;
        }
      for (GridAxis axis : wanted.dims[dim])
        if (!llvm::is_contained(has.dims[dim], axis))
          moved[axis] = true;
    }

    if (op == kNoOp) {
      entry.verdict = isa<ManualComputationOp>(owner)
                          ? "the in sharding of the manual computation says so"
                          : "the body of the op uses the whole tensor";
    } else if (isa<OpOperand *>(reader.origins[op])) {
      ValueId target = reader.problem.tensors(op)[1];
      entry.wants = wishesOf(reader.find(target), has);
      entry.verdict = "all that arrives there has one sharding";
    } else if (reader.problem.table(op).loops.empty()) {
      entry.verdict = "the op has no sharding model and takes whole tensors";
    } else {
      // The other tensors that have the axes in question.
      for (ValueId other : reader.problem.tensors(op)) {
        if (other == kNoValue || other == value)
          continue;
        Sharding sharding = shardingOf(other);
        for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
          for (GridAxis axis : sharding.dims[dim])
            if (moved[axis])
              entry.wants.push_back(reasonOf(other, axis, dim));
      }
      entry.verdict =
          "of the ways to run the op, this one reshards the fewest bytes";
      if (entry.wants.empty()) {
        bool canSplit = true;
        for (size_t dim = 0; dim < has.dims.size(); ++dim)
          if (has.dims[dim] != wanted.dims[dim])
            canSplit &=
                addLimits(entry.wants, op, use.use->getOperandNumber(), dim);
        if (!canSplit)
          entry.verdict = "the op cannot be split along that dimension";
        else if (!entry.wants.empty())
          entry.verdict = "the hint leaves that dimension whole";
        else
          entry.verdict = "the op is not split along that dimension";
      }
    }
    entries.emplace_back(before(use.anchor, use.use->getOperandNumber()),
                         std::move(entry));
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
          result += (i ? ", " : " over ") + axisName(step.axes[i]);
      }
    return result;
  }

  /// Where an op gets `axis` from that splits its loops: the operand whose loops
  /// of kind `kind` have it.
  void addOperandReasons(std::vector<Reason> &reasons, OpId op, GridAxis axis,
                         LoopKind kind) {
    const FlatTable &table = reader.problem.table(op);
    llvm::ArrayRef<ValueId> tensors = reader.problem.tensors(op);
    for (unsigned index = 0; index < table.numOperands; ++index) {
      if (tensors[index] == kNoValue)
        continue;
      Sharding sharding = shardingOf(tensors[index]);
      for (unsigned dim = 0; dim < table.numDims(index); ++dim) {
        unsigned at = table.dimBegin[index] + dim;
        bool fits = false;
        for (uint32_t i = table.loopBegin[at]; i < table.loopBegin[at + 1]; ++i)
          fits |= table.loops[table.loopOf[i]].kind == kind;
        if (!fits || !llvm::is_contained(sharding.dims[dim], axis))
          continue;
        Reason reason = reasonOf(tensors[index], axis, dim);
        reason.of = "operand " + std::to_string(index);
        reasons.push_back(std::move(reason));
      }
    }
  }

  /// Why partial sums of `value` are not passed on.
  std::string whyReduced(ValueId value) {
    if (hintOf.count(value))
      return shardingOf(value).partial.empty()
                 ? "its hint asks for the complete value"
                 : "its hint asks for a value that is not partial over more";
    if (usersOf.empty())
      for (OpId op = 0; op < reader.problem.numOps(); ++op)
        for (ValueId operand : reader.problem.tensors(op).take_front(
                 reader.problem.table(op).numOperands))
          if (operand != kNoValue)
            usersOf[operand].push_back(op);
    llvm::ArrayRef<OpId> users = usersOf[value];
    for (OpId user : users) {
      const FlatTable &table = reader.problem.table(user);
      Operation *owner = reader.ownerOf(user);
      if (dyn_cast_if_present<OpOperand *>(reader.origins[user]))
        return owner->getName().getStringRef().str() + " at " +
               placeOf(owner->getLoc()) + " hands on complete values only";
      if (table.rule == PartialRule::None)
        return describe(user) + " needs the complete value";
    }
    for (OpId user : users)
      if (std::string reason = whyComplete(user, value); !reason.empty())
        return describe(user) + " " + reason;
    return users.empty() ? "nothing uses it partial"
                         : "reducing it later would reduce no fewer bytes";
  }

  /// Why `user` cannot hand on partial sums of `value`; empty if it can.
  std::string whyComplete(OpId user, ValueId value) {
    const FlatTable &table = reader.problem.table(user);
    llvm::ArrayRef<ValueId> tensors = reader.problem.tensors(user);
    for (unsigned index = 0; index < table.numOperands; ++index) {
      ValueId other = tensors[index];
      std::string name = "operand " + std::to_string(index);
      bool isInit = table.firstInit >= 0 && int(index) >= table.firstInit;
      bool isPartial =
          other != kNoValue && solution.couldBePartial.count(other);
      if (isInit && other == value)
        return "takes its destination, " + name + ", complete";
      if (isInit || other == value)
        continue;
      if (table.rule == PartialRule::Multilinear && isPartial)
        return "needs the complete value: " + name + " is partial too";
      if (!isPartial &&
          (table.rule == PartialRule::Additive ||
           (table.rule == PartialRule::Movement && other != kNoValue)))
        return "needs the complete value: " + name + " is not partial";
    }
    llvm::ArrayRef<ValueId> results = tensors.drop_front(table.numOperands);
    if (results.size() == 1 && solution.couldBePartial.count(results[0]))
      return "";
    if (results.size() == 1 && hintOf.count(results[0]))
      return "has a hint that asks for its complete result";
    return "needs the complete value";
  }

  /// The reshard of a result behind the op that computes it otherwise.
  void addResult(const WrittenReshards::Computed &computed) {
    const FlatTable &table = reader.problem.table(computed.op);
    Operation *owner = reader.ownerOf(computed.op);
    ValueId value = reader.problem.tensors(
        computed.op)[table.numOperands + computed.result];
    const Sharding &has = computed.sharding;
    Sharding wanted = shardingOf(value);
    PropagationExplanation::ReshardEntry entry;
    Value result = owner->getResult(computed.result);
    entry.value = nameOf(result);
    entry.user =
        (owner->getName().getStringRef() + " result " + Twine(computed.result))
            .str();
    entry.place = placeOf(owner->getLoc());
    entry.from = text(has);
    entry.to = text(wanted);
    entry.steps = stepsOf(result, value, has, wanted);

    for (GridAxis axis : has.partial)
      if (!llvm::is_contained(wanted.partial, axis))
        addOperandReasons(entry.has, computed.op, axis, LoopKind::Reduction);
    bool isMoved = false;
    for (size_t dim = 0; dim < has.dims.size(); ++dim) {
      for (GridAxis axis : has.dims[dim])
        if (!llvm::is_contained(wanted.dims[dim], axis)) {
          addOperandReasons(entry.has, computed.op, axis, LoopKind::Parallel);
          addLimit(entry.wants, value, dim);
          isMoved = true;
        }
      for (GridAxis axis : wanted.dims[dim])
        if (!llvm::is_contained(has.dims[dim], axis)) {
          entry.wants.push_back(reasonOf(value, axis, dim));
          isMoved = true;
        }
    }
    if (table.loops.empty())
      entry.verdict = "the op has no sharding model and gives whole tensors";
    else if (isMoved)
      entry.verdict =
          "of the ways to run the op, this one reshards the fewest bytes";
    else
      entry.verdict = whyReduced(value);
    if (!isMoved && hintOf.count(value)) {
      Reason reason;
      reason.dim = -1;
      reason.hint = reader.describeHint(value);
      entry.wants.push_back(std::move(reason));
    }
    entries.emplace_back(behind(owner, computed.result), std::move(entry));
  }

  AsmState names;
  Reader &reader;
  const Solution &solution;
  const GridPropagation &out;
  Planner &planner;
  GridOp gridOp;
  PropagationExplanation &explanation;
  /// By operation, in the order of the program.
  llvm::DenseMap<Operation *, size_t> position;
  llvm::DenseMap<unsigned, Grid> gridOfScope;
  std::vector<std::pair<Place, ReshardEntry>> entries;
  /// In the problem's table of hints.
  llvm::DenseMap<ValueId, uint32_t> hintOf;
  /// The ops that have a value as operand; filled when first needed.
  llvm::DenseMap<ValueId, llvm::SmallVector<OpId, 2>> usersOf;
  /// The end of the chain of a value and an axis, and its length.
  llvm::DenseMap<std::pair<ValueId, GridAxis>, std::pair<ValueId, size_t>> ends;
};

} // namespace

void explain(Operation *root, Reader &reader, const Solution &solution,
             const GridPropagation &out, const WrittenReshards &reshards,
             Planner &planner, PropagationExplanation &explanation) {
  Explainer(root, reader, solution, out, planner, explanation)
      .run(root, reshards);
}

} // namespace shard::propagation
