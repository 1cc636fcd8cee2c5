//===- ShareCollectives.cpp - Collectives with a part in common -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// all_gathers of one value x over axes of which none repeats, in any dimensions and any
// order, are one for each dimension, over a list of axes, major first:
//
//   all_gather(all_gather(x, C, d), A, d) = all_gather(x, A ++ C, d)
//   all_gather(all_gather(x, C, d), A, e) = all_gather(all_gather(x, A, e), C, d)
//
// So what is gathered is known by these lists, and can be gathered on from everything
// whose lists are the ends of its own: a minor axis is gathered first.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "Optimize/MoveGraph.h"
#include "Optimize/TidyCollectives.h"
#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/Cost/Memory.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDSHARECOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

/// What all_gathers of one value have made of it.
struct Gathered {
  /// Null for the value itself, and where it is gone.
  AllGatherOp op;
  Value value;
  /// For each dimension the axes over which it is gathered.
  std::vector<AxisList> axes;
  int64_t devices = 1;
};

/// The all_gathers of one block over one grid that begin with the same value.
struct GatherFamily {
  Value root;
  SmallVector<Gathered> list;
};

/// More are not compared with one another, so that the work stays linear.
constexpr size_t kMostGathers = 32;

class GatherShare {
public:
  /// Returns whether anything changed.
  bool run(mlir::Block &block) {
    families.clear();
    placeOf.clear();
    known.clear();
    for (Operation &op : block)
      if (auto gather = dyn_cast<AllGatherOp>(op))
        add(gather);
    bool changed = false;
    for (auto &[key, family] : families)
      if (family.list.size() > 1 && family.list.size() <= kMostGathers)
        changed |= share(family);
    return changed;
  }

private:
  using Key = std::pair<Value, Attribute>;

  void add(AllGatherOp gather) {
    std::optional<MovingCollective> kind =
        MovingCollective::of(gather, symbols);
    if (!kind || !kind->isEven() || !gather->getDiscardableAttrs().empty())
      return;
    Gathered made{gather, gather.getResult(), {}, kind->groupSize};
    Key key(gather.getInput(), gather.getGridAttr());
    auto before = placeOf.find(gather.getInput().getDefiningOp());
    if (before != placeOf.end() &&
        before->second.first.second == gather.getGridAttr()) {
      const Gathered &from =
          families[before->second.first].list[before->second.second];
      // What is gathered over an axis twice repeats: the order matters.
      if (llvm::none_of(kind->axes, [&](GridAxis axis) {
            return llvm::any_of(from.axes, [&](const AxisList &list) {
              return llvm::is_contained(list, axis);
            });
          })) {
        key = before->second.first;
        made.axes = from.axes;
        made.devices *= from.devices;
      }
    }
    GatherFamily &family = families[key];
    family.root = key.first;
    made.axes.resize(tensorTypeOf(made.value).getRank());
    AxisList &list = made.axes[MovingCollective::dimsOf(gather).joined];
    list.insert(list.begin(), kind->axes.begin(), kind->axes.end());
    known.insert(gather);
    placeOf[gather] = {key, family.list.size()};
    family.list.push_back(std::move(made));
  }

  /// The axes that are left to gather where `list` is and `from` is there; nothing if
  /// `from` is no end of `list`.
  static std::optional<AxisList> rest(const AxisList &list,
                                      const AxisList &from) {
    if (list.size() < from.size() ||
        !std::equal(from.rbegin(), from.rend(), list.rbegin()))
      return std::nullopt;
    return AxisList(list.begin(), list.end() - from.size());
  }

  /// The seconds from `from` to `to`, dimension by dimension; nothing if `to` cannot be
  /// gathered from it. Builds the all_gathers if there is a `builder`, of `value`.
  std::optional<double> gatherOn(const Gathered &from, const Gathered &to,
                                 OpBuilder *builder, Value &value) {
    AllGatherOp like = to.op;
    GridOp gridOp = getGrid(like, symbols);
    FailureOr<Grid> grid = staticGrid(gridOp);
    LinkCostModel links = linkSeconds(gridOp, machineOf(gridOp));
    RankedTensorType type = tensorTypeOf(from.value);
    double seconds = 0;
    for (size_t dim = 0; dim < to.axes.size(); ++dim) {
      std::optional<AxisList> axes = rest(to.axes[dim], from.axes[dim]);
      if (!axes)
        return std::nullopt;
      if (axes->empty())
        continue;
      int64_t devices = grid->groupSize(*axes);
      seconds += links.cost(Collective::AllGather, *axes,
                            bytesSent(Collective::AllGather, devices,
                                      double(bytesOfType(type).value_or(0))));
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] *= devices;
      type = type.clone(shape);
      if (builder) {
        auto made = AllGatherOp::create(
            *builder, like.getLoc(), type, value, like.getGrid(),
            ArrayRef<GridAxis>(axes->data(), axes->size()), int64_t(dim));
        known.insert(made);
        value = made.getResult();
      }
    }
    return seconds;
  }

  double secondsOf(AllGatherOp gather) {
    MovingCollective known = *MovingCollective::of(gather, symbols);
    LinkCostModel links = linkSeconds(known.gridOp, machineOf(known.gridOp));
    return links.cost(
        Collective::AllGather, known.axes,
        bytesSent(
            Collective::AllGather, known.groupSize,
            double(bytesOfType(gather.getInput().getType()).value_or(0))));
  }

  /// What is saved where `gather` goes, with what nothing else but `kept` needs.
  double secondsWithout(AllGatherOp gather, Operation *kept) {
    double seconds = 0;
    while (gather && gather != kept && known.contains(gather)) {
      seconds += secondsOf(gather);
      gather = gather.getInput().getDefiningOp<AllGatherOp>();
      if (gather && !gather->hasOneUse())
        break;
    }
    return seconds;
  }

  /// Of `root` and what is done the one that `to` costs least from; null where that is no
  /// less than now.
  const Gathered *cheapestBase(const GatherFamily &family, const Gathered &root,
                               ArrayRef<size_t> done, const Gathered &to) {
    const Gathered *best = nullptr;
    double least = 0;
    auto consider = [&](const Gathered &from) {
      Value none;
      std::optional<double> seconds = gatherOn(from, to, nullptr, none);
      if (!seconds)
        return;
      double before = secondsWithout(to.op, from.op);
      // Sums of the same costs in another order may differ in the last bits.
      if (double more = *seconds - before; more < least - before * 1e-9) {
        least = more;
        best = &from;
      }
    };
    consider(root);
    for (size_t number : done)
      if (family.list[number].op)
        consider(family.list[number]);
    return best;
  }

  /// Moves `op` and the all_gathers that it needs in front of `place`.
  static void moveInFront(AllGatherOp op, Operation *place) {
    if (!op || op == place || op->isBeforeInBlock(place))
      return;
    if (auto before = op.getInput().getDefiningOp<AllGatherOp>();
        before && before->getBlock() == op->getBlock())
      moveInFront(before, place);
    op->moveBefore(place);
  }

  /// Erases `gather`, and what it alone has needed, of other families, too.
  void erase(AllGatherOp gather) {
    while (gather && gather->use_empty() && known.erase(gather)) {
      if (auto place = placeOf.find(gather); place != placeOf.end()) {
        families[place->second.first].list[place->second.second].op = nullptr;
        placeOf.erase(place);
      }
      auto before = gather.getInput().getDefiningOp<AllGatherOp>();
      gather->erase();
      gather = before;
    }
  }

  /// Families that begin with the result of `old` begin with `value` from now on.
  void replaceRoots(AllGatherOp old, Value value) {
    bool isRoot = llvm::any_of(old->getUsers(), [&](Operation *user) {
      auto place = placeOf.find(user);
      return place != placeOf.end() &&
             families[place->second.first].root == old.getResult();
    });
    if (!isRoot)
      return;
    for (auto &[key, family] : families)
      if (family.root == old.getResult())
        family.root = value;
  }

  bool share(GatherFamily &family) {
    SmallVector<size_t> order = llvm::to_vector(llvm::seq(family.list.size()));
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::make_pair(family.list[a].devices, a) <
             std::make_pair(family.list[b].devices, b);
    });
    Gathered root{nullptr, family.root, {}, 1};
    root.axes.resize(family.list.front().axes.size());
    SmallVector<size_t> done;
    bool changed = false;
    for (size_t number : order) {
      Gathered &to = family.list[number];
      if (!to.op)
        continue;
      if (to.op->use_empty()) {
        erase(to.op);
        continue;
      }
      const Gathered *best = cheapestBase(family, root, done, to);
      done.push_back(number);
      if (!best)
        continue;
      moveInFront(best->op, to.op);
      OpBuilder builder(to.op);
      Value value = best->value;
      gatherOn(*best, to, &builder, value);
      AllGatherOp old = to.op;
      replaceRoots(old, value);
      old.getResult().replaceAllUsesWith(value);
      // Where nothing was left to gather, the other one stands for both.
      to.op = nullptr;
      if (value != best->value) {
        to.op = value.getDefiningOp<AllGatherOp>();
        to.value = value;
        placeOf[to.op] = placeOf.lookup(old);
      }
      placeOf.erase(old);
      erase(old);
      changed = true;
    }
    return changed;
  }

  SymbolTableCollection symbols;
  llvm::MapVector<Key, GatherFamily> families;
  /// The family of each all_gather, and its place there.
  llvm::DenseMap<Operation *, std::pair<Key, size_t>> placeOf;
  /// All of the block that may go.
  llvm::DenseSet<Operation *> known;
};

/// Equal collectives behind a region and in it: one in front of both.
class RegionShare {
public:
  bool run(Operation *root) {
    // In the order of the program: what stands in a region comes in front of what stands
    // behind it.
    llvm::DenseMap<llvm::hash_code, SmallVector<Operation *, 2>> equal;
    SmallVector<Operation *> gone;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isCollective(op) || !isMemoryEffectFree(op) ||
          op->getNumResults() != 1 || op->use_empty())
        return;
      SmallVector<Operation *, 2> &list = equal[hashOf(op)];
      // Those that this one does not stand behind stay for the next.
      size_t tried = std::min(list.size(), kMostGathers);
      for (Operation *&other : llvm::drop_begin(list, list.size() - tried)) {
        if (!other || !OperationEquivalence::isEquivalentTo(
                          op, other, OperationEquivalence::IgnoreLocations))
          continue;
        Operation *around = op->getBlock()->findAncestorOpInBlock(*other);
        if (!around || around == other)
          continue;
        if (around->isBeforeInBlock(op))
          op->moveBefore(around);
        other->getResult(0).replaceAllUsesWith(op->getResult(0));
        gone.push_back(std::exchange(other, nullptr));
      }
      list.push_back(op);
    });
    for (Operation *op : gone)
      op->erase();
    return !gone.empty();
  }

private:
  static llvm::hash_code hashOf(Operation *op) {
    return OperationEquivalence::computeHash(
        op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
};

/// Returns whether anything changed.
bool shareIn(FunctionOpInterface function) {
  bool changed = RegionShare().run(function);
  GatherShare gathers;
  function->walk([&](mlir::Block *block) { changed |= gathers.run(*block); });
  // What gathers are now may take back what is in front of them.
  if (changed)
    tidyCollectives(function);
  return changed;
}

struct ShardShareCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardShareCollectivesBase<ShardShareCollectivesPass>> {
  void runOnOperation() override {
    bool changed = false;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      std::optional<double> memory = statedMemory(function);
      if (!memory) {
        changed |= shareIn(function);
        return;
      }
      int64_t before = memoryOf(function).peak();
      OwningOpRef<Operation *> copy = function->clone();
      if (!shareIn(function))
        return;
      int64_t after = memoryOf(function).peak();
      // What lives longer does not fit: as it was.
      if (after > before && double(after) > *memory)
        function.getFunctionBody().takeBody(copy.get()->getRegion(0));
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
