//===- Finish.cpp - From the state of a run to a solution -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HintCuts.h"
#include "Run.h"

#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "shard-propagation"

namespace shard::propagation {

/// Joins the atoms of an axis that nothing tells apart.
class AtomMerge {
public:
  explicit AtomMerge(const AtomSpace &atoms) : atoms(atoms), apart(0) {
    for (unsigned atom = 0; atom + 1 < atoms.size(); ++atom)
      if (atoms[atom].axis != atoms[atom + 1].axis)
        apart |= AtomMask(1) << atom;
    if (atoms.size())
      apart |= AtomMask(1) << (atoms.size() - 1);
  }

  void see(llvm::ArrayRef<uint8_t> list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i + 1 == list.size() || list[i + 1] != list[i] + 1)
        apart |= AtomMask(1) << list[i];
      if (list[i] > 0 && (i == 0 || list[i - 1] + 1 != list[i]))
        apart |= AtomMask(1) << (list[i] - 1);
    }
  }
  void see(AtomMask set) { apart |= set ^ (set >> 1); }

  /// Numbers the merged axes; call when everything has been seen.
  void number(Solution &solution) {
    int64_t size = 1, preSize = 1;
    for (unsigned atom = 0; atom < atoms.size(); ++atom) {
      axisOf.push_back(solution.axes.size());
      if (size == 1)
        preSize = atoms[atom].preSize;
      size *= atoms[atom].size;
      if (!(apart >> atom & 1))
        continue;
      solution.axes.push_back({atoms[atom].axis, preSize, size});
      solution.grid.shape.push_back(size);
      size = 1;
    }
  }

  GridAxis axis(uint8_t atom) const { return axisOf[atom]; }
  AxisList axes(llvm::ArrayRef<uint8_t> list) const {
    AxisList result;
    for (uint8_t atom : list)
      if (result.empty() || result.back() != axisOf[atom])
        result.push_back(axisOf[atom]);
    return result;
  }
  AxisList axes(AtomMask set) const {
    llvm::SmallVector<uint8_t, 8> list;
    for (unsigned atom = 0; atom < atoms.size(); ++atom)
      if (set >> atom & 1)
        list.push_back(atom);
    return axes(list);
  }

  /// Whether the atoms `set` are whole axes.
  bool isWhole(AtomMask set) const {
    return ((set ^ (set >> 1)) & ~apart) == 0;
  }
  /// Calls `visit` with each atom of `axis`, major first.
  void forEachAtom(GridAxis axis,
                   llvm::function_ref<void(uint8_t)> visit) const {
    for (uint8_t atom = 0; atom < axisOf.size(); ++atom)
      if (axisOf[atom] == axis)
        visit(atom);
  }

private:
  const AtomSpace &atoms;
  /// Bit i: atoms i and i + 1 are in different axes.
  AtomMask apart;
  std::vector<GridAxis> axisOf;
};

/// Shows `merge` all lists and sets of axes that the solution is to state.
void Run::showAtoms(AtomMerge &merge) {
  std::vector<bool> seen(shardings.size(), false);
  llvm::SmallVector<uint8_t, 8> listAtoms;
  for (StateId id : state) {
    if (seen[id])
      continue;
    seen[id] = true;
    for (ListId list : shardings.lists(id)) {
      lists.atoms(list, listAtoms);
      merge.see(listAtoms);
    }
  }
  for (const auto &[value, partial] : partials)
    merge.see(partial.atoms);
}

/// The sharding of `value`, which is partial if `partial` is given.
Sharding Run::shardingOf(ValueId value, const PartialState *partial,
                         const AtomMerge &merge) const {
  size_t rank = problem.shapes[problem.valueShape[value]].extents.size();
  llvm::SmallVector<uint8_t, 8> listAtoms;
  Sharding sharding = Sharding::replicated(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    lists.atoms(shardings.dim(state[value], dim), listAtoms);
    sharding.dims[dim] = merge.axes(listAtoms);
  }
  if (partial) {
    sharding.partial = merge.axes(partial->atoms);
    sharding.reduction = partial->reduction;
  }
  return sharding;
}

/// States the sharding of each value. Shardings are numbered as values first use them.
void Run::stateShardings(const AtomMerge &merge, Solution &solution) {
  llvm::DenseMap<std::pair<StateId, uint64_t>, uint32_t> known;
  std::vector<uint32_t> plain(shardings.size(), kReplicated);
  solution.values.resize(problem.numValues(), kReplicated);
  for (ValueId value = 0; value < problem.numValues(); ++value) {
    auto partial = partials.empty() ? partials.end() : partials.find(value);
    if (partial == partials.end()) {
      uint32_t &number = plain[state[value]];
      if (state[value] == kUnsplit)
        continue;
      if (number == kReplicated) {
        number = solution.shardings.size();
        solution.shardings.push_back(shardingOf(value, nullptr, merge));
      }
      solution.values[value] = number;
      continue;
    }
    Sharding sharding = shardingOf(value, &partial->second, merge);
    uint64_t hash =
        llvm::hash_combine(sharding.dims.size(), partial->second.atoms,
                           uint32_t(partial->second.reduction));
    auto [entry, fresh] = known.try_emplace({state[value], hash >> 1}, 0);
    if (fresh || !(solution.shardings[entry->second] == sharding)) {
      entry->second = solution.shardings.size();
      solution.shardings.push_back(std::move(sharding));
    }
    solution.values[value] = entry->second;
  }
}

/// What `explain` tells: obstacles, and why values have their axes.
void Run::stateReasons(const AtomMerge &merge, Solution &solution) {
  llvm::SmallVector<uint8_t, 8> listAtoms;
  auto note = [&](const Obstacle &obstacle) {
    lists.atoms(obstacle.list, listAtoms);
    solution.notes.push_back(
        {obstacle.kind, obstacle.op, obstacle.extent, merge.axes(listAtoms)});
  };
  llvm::for_each(step.obstacles, note);
  llvm::for_each(unevenDims, note);
  for (const Event &event : events) {
    lists.atoms(event.list, listAtoms);
    for (size_t i = event.before; i < listAtoms.size(); ++i)
      solution.causes.try_emplace({event.value, merge.axis(listAtoms[i])},
                                  event.cause);
  }
  for (const auto &[value, cause] : wishedFor)
    for (GridAxis axis : merge.axes(partials[value].atoms))
      solution.causes.try_emplace({value, axis}, cause);
  solution.couldBePartial = couldBePartial;
}

Solution Run::finish() {
  Solution solution;
  merge = std::make_shared<AtomMerge>(atoms);
  showAtoms(*merge);
  merge->number(solution);
  solution.grid.unevenDynamic = problem.grid.unevenDynamic;
  solution.refined = solution.grid.shape != problem.grid.shape;
  stateShardings(*merge, solution);
  solution.agrees.resize(problem.numOps());
  for (OpId op = 0; op < problem.numOps(); ++op)
    solution.agrees[op] = !refuses[op] && stepOf(op, FromAll).agrees;
  solution.takesCompleted = takesCompleted;
  keepPartials();
  solution.gathersSummed.assign(problem.numOps(), false);
  stateReasons(*merge, solution);
  return solution;
}

std::optional<Placement>
Run::placePartialsAgain(const Solution &solution,
                        llvm::ArrayRef<ShardedValue> changed) {
  llvm::SmallVector<ListId, 4> dims;
  for (const auto &[value, sharding] : changed) {
    dims.clear();
    AtomMask mask = 0;
    for (const AxisList &axes : sharding.dims) {
      ListId list = kEmptyList;
      for (GridAxis axis : axes)
        merge->forEachAtom(
            axis, [&](uint8_t atom) { list = lists.append(list, atom); });
      dims.push_back(list);
      mask |= lists.mask(list);
    }
    state[value] = shardings.intern(dims, mask);
  }
  placePartials();
  Placement placement;
  auto add = [&](ValueId value, const PartialState *partial) {
    placement.values.emplace_back(value, shardingOf(value, partial, *merge));
  };
  for (ValueId value = 0; value < problem.numValues(); ++value) {
    auto was = kept.find(value), is = partials.find(value);
    if (is != partials.end() && !merge->isWhole(is->second.atoms))
      return std::nullopt;
    if (is != partials.end() &&
        (was == kept.end() || !(was->second == is->second)))
      add(value, &is->second);
    else if (is == partials.end() && was != kept.end())
      add(value, nullptr);
  }
  if (placement.values.empty() && takesCompleted == solution.takesCompleted)
    return std::nullopt;
  placement.agrees = solution.agrees;
  for (OpId op = 0; op < problem.numOps(); ++op)
    placement.agrees[op] = placement.agrees[op] && !refuses[op];
  placement.takesCompleted = takesCompleted;
  placement.couldBePartial = couldBePartial;
  return placement;
}

std::optional<Placement>
placePartialsAgain(const Solution &solution,
                   llvm::ArrayRef<ShardedValue> changed) {
  return solution.run->placePartialsAgain(solution, changed);
}

void keepPlacement(const Solution &solution) { solution.run->keepPartials(); }

std::variant<Solution, HintError> solve(const Problem &problem,
                                        const PropagationOptions &options) {
  std::optional<AtomSpace> atoms = AtomSpace::create(problem.grid);
  if (!atoms)
    return HintError{kNoValue, "a grid has at most " +
                                   std::to_string(kMaxAtoms) +
                                   " axes for propagation"};
  cutForHints(problem, *atoms);
  keepHintedBlocks(problem, *atoms);
  std::vector<Solution::DroppedPart> dropped = droppedParts(problem, *atoms);
  while (true) {
    auto run = std::make_shared<Run>(problem, options, *atoms);
    if (std::optional<HintError> error = run->applyHints())
      return *error;
    run->propagate();
    // A step asks for a cut only where one more atom is possible. Of cuts that
    // exclude each other the first one is made.
    [[maybe_unused]] unsigned before = atoms->size();
    for (const auto &[axis, preSize] : run->cuts()) {
      LLVM_DEBUG(llvm::dbgs() << "a reshape cuts axis " << axis << " at "
                              << preSize << "; starting again\n");
      if (atoms->keepsBlocks(axis, preSize))
        atoms->cut(axis, preSize);
    }
    assert((run->cuts().empty() || atoms->size() > before) &&
           "each new start has more atoms");
    if (!run->cuts().empty())
      continue;
    run->placePartials();
    Solution solution = run->finish();
    solution.run = std::move(run);
    solution.dropped = std::move(dropped);
    return solution;
  }
}

} // namespace shard::propagation
