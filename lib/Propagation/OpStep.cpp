//===- OpStep.cpp - What one op tells its tensors -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/OpStep.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace shard::propagation {

void OpStep::obstacle(Obstacle::Kind kind, int64_t extent, ListId list) {
  uint32_t tag = list << 1 | uint32_t(kind == Obstacle::Kind::Uneven);
  if (reported.insert({extent, tag}).second)
    obstacles.push_back({kind, current, extent, list});
}

int64_t OpStep::partsOf(StateId state, const Constraint &limit) const {
  int64_t parts = 1;
  for (auto [dim, list] : llvm::enumerate(shardings.lists(state)))
    if (!limit.isHidden(dim) &&
        __builtin_mul_overflow(parts, lists.parts(list), &parts))
      return std::numeric_limits<int64_t>::max();
  return parts;
}

/// The reduction loop that takes `atom` behind what `loops` say: the first one that
/// it divides, or else the first one that has enough iterations.
std::optional<size_t> OpStep::reductionFor(const FlatTable &table,
                                           unsigned atom,
                                           llvm::ArrayRef<ListId> loops) const {
  std::optional<size_t> uneven;
  for (auto [number, loop] : llvm::enumerate(table.loops)) {
    if (loop.kind != LoopKind::Reduction || loop.slidesOverUnknown)
      continue;
    int64_t parts;
    if (__builtin_mul_overflow(lists.parts(loops[number]), lists.atomSize(atom),
                               &parts))
      continue;
    bool isDynamic = loop.extent == kDynamic;
    if (isDynamic ? !loop.evenOnly || !problem.grid.unevenDynamic
                  : loop.extent % parts == 0)
      return number;
    if (!uneven && !isDynamic && !loop.evenOnly && parts <= loop.extent &&
        options.uneven == UnevenPolicy::Shard)
      uneven = number;
  }
  return uneven;
}

/// Adds atoms to reduction loops; false if not all of them fit.
bool OpStep::addWish(const FlatTable &table, AtomMask missing,
                     llvm::SmallVectorImpl<ListId> &loops) {
  for (unsigned atom = 0; atom < atoms.size(); ++atom) {
    if (!(missing >> atom & 1))
      continue;
    std::optional<size_t> loop = reductionFor(table, atom, loops);
    if (!loop)
      return false;
    loops[*loop] = lists.append(loops[*loop], atom);
  }
  return true;
}

bool OpStep::canReduce(const FlatTable &table, AtomMask wish,
                       ReductionKind kind) {
  if (llvm::any_of(table.loops, [&](const FlatTable::FlatLoop &loop) {
        return loop.kind == LoopKind::Reduction && loop.reduction != kind;
      }))
    return false;
  llvm::SmallVector<ListId, 8> loops(table.loops.size(), kEmptyList);
  return addWish(table, wish, loops);
}

/// Whether operands bring the summands that `wanted` asks the result for: the op passes
/// them on, so that no loop needs to be split for it.
bool OpStep::operandsAreSummands(const FlatTable &table,
                                 llvm::ArrayRef<ConstraintId> limits,
                                 const Constraint &wanted) const {
  unsigned inputs =
      table.firstInit >= 0 ? unsigned(table.firstInit) : table.numOperands;
  unsigned summands =
      llvm::count_if(limits.take_front(inputs), [&](ConstraintId id) {
        return constraints[id].partial == wanted.partial &&
               constraints[id].reduction == wanted.reduction;
      });
  bool isSum = wanted.reduction == ReductionKind::Sum;
  if (table.rule == PartialRule::Multilinear)
    return isSum && summands == 1;
  return summands == inputs && (table.rule == PartialRule::Movement ||
                                (table.rule == PartialRule::Additive && isSum));
}

/// The atoms that split reduction loops because the result has to be partial under
/// them; none where the loops cannot be split like that.
AtomMask OpStep::wishOf(const FlatTable &table,
                        llvm::ArrayRef<ConstraintId> limits) {
  if (!table.contraction || limits.size() != table.numOperands + 1)
    return 0;
  const Constraint &limit = constraints[limits.back()];
  if (!limit.partial || limit.reduction != table.resultReduction[0] ||
      operandsAreSummands(table, limits, limit) ||
      !canReduce(table, limit.partial, limit.reduction))
    return 0;
  return limit.partial;
}

/// Per loop of a contraction the atoms that operands must not put there, because an
/// operand has them on a loop of the result that goes first: parallel loops before
/// reduction loops, then the outer loop.
void OpStep::findExcluded(const FlatTable &table, AtomMask wish,
                          llvm::SmallVectorImpl<AtomMask> &excluded) const {
  size_t numLoops = table.loops.size();
  excluded.assign(numLoops, 0);
  if (!table.contraction)
    return;
  AtomMask taken = 0;
  for (size_t loop = 0; loop < numLoops; ++loop) {
    if (table.loops[loop].kind != LoopKind::Parallel)
      continue;
    excluded[loop] = taken | wish;
    for (unsigned tensor : asked)
      if (tensor < table.numOperands)
        taken |= lists.mask(projected[tensor * numLoops + loop]) & ~wish;
  }
  for (size_t loop = 0; loop < numLoops; ++loop)
    if (table.loops[loop].kind == LoopKind::Reduction)
      excluded[loop] = taken;
}

void OpStep::mergeBasic(const FlatTable &table, AtomMask wish) {
  size_t numLoops = table.loops.size();
  llvm::SmallVector<AtomMask, 8> onLoop(numLoops, 0);
  for (size_t loop = 0; loop < numLoops; ++loop) {
    ListId agreed = kEmptyList;
    bool diverged = false;
    for (unsigned tensor : asked) {
      ListId list = projected[tensor * numLoops + loop];
      onLoop[loop] |= lists.mask(list);
      if (lists.isPrefix(list, agreed))
        continue;
      if (lists.isPrefix(agreed, list)) {
        if (!diverged) {
          agreed = list;
          mergedFrom[loop] = tensor;
        }
        continue;
      }
      agreed = lists.commonPrefix(agreed, list);
      diverged = true;
    }
    merged[loop] = agreed;
  }
  for (size_t loop = 0; loop < numLoops; ++loop) {
    AtomMask others = 0;
    for (size_t other = 0; other < numLoops; ++other)
      if (other != loop)
        others |= onLoop[other];
    if (table.loops[loop].kind != LoopKind::Reduction)
      others |= wish;
    while (lists.mask(merged[loop]) & others)
      merged[loop] =
          lists.ancestor(merged[loop], lists.length(merged[loop]) - 1);
  }
}

void OpStep::mergeAggressive(const FlatTable &table, AtomMask wish) {
  size_t numLoops = table.loops.size();
  AtomMask used = 0;
  llvm::SmallVector<AtomMask, 8> excluded;
  findExcluded(table, wish, excluded);
  for (unsigned tensor : asked)
    for (size_t loop = 0; loop < numLoops; ++loop) {
      ListId list = projected[tensor * numLoops + loop];
      AtomMask out = excluded[loop];
      if (tensor >= table.numOperands &&
          table.loops[loop].kind == LoopKind::Parallel)
        out = wish;
      while (lists.mask(list) & out)
        list = lists.ancestor(list, lists.length(list) - 1);
      if (list == merged[loop] || !lists.isPrefix(merged[loop], list))
        continue;
      if (AtomMask added = lists.mask(list) & ~lists.mask(merged[loop]);
          !(added & used)) {
        merged[loop] = list;
        used |= added;
        mergedFrom[loop] = tensor;
        continue;
      }
      // Up to the first atom that another loop has.
      unsigned length = lists.length(list);
      while (lists.mask(list) & ~lists.mask(merged[loop]) & used)
        list = lists.ancestor(list, --length);
      if (list == merged[loop])
        continue;
      used |= lists.mask(list);
      merged[loop] = list;
      mergedFrom[loop] = tensor;
    }
}

ListId OpStep::wanted(const FlatTable &table, unsigned flatDim, bool &whole,
                      unsigned &source) {
  llvm::ArrayRef<uint32_t> digits(
      table.loopOf.data() + table.loopBegin[flatDim],
      table.loopBegin[flatDim + 1] - table.loopBegin[flatDim]);
  whole = true;
  if (digits.empty())
    return kEmptyList;
  source = mergedFrom[digits[0]];
  if (digits.size() == 1)
    return merged[digits[0]];
  // As `project` reads it: without atoms of size 1.
  ListId list = kEmptyList;
  bool full = true;
  for (uint32_t digit : digits) {
    ListId minor = merged[digit];
    if (lists.parts(minor) == 1) {
      full &= table.loops[digit].extent == 1;
      continue;
    }
    if (!full) {
      whole = false;
      return list;
    }
    llvm::SmallVector<uint8_t, 8> minorAtoms;
    lists.atoms(minor, minorAtoms);
    for (uint8_t atom : minorAtoms)
      if (lists.atomSize(atom) != 1)
        list = lists.append(list, atom);
    source = mergedFrom[digit];
    full = lists.parts(minor) == table.loops[digit].extent;
  }
  return list;
}

void OpStep::propose(const FlatTable &table, unsigned tensor, StateId state,
                     const Constraint &limit) {
  AtomMask taken = shardings.mask(state) | limit.forbidden;
  for (unsigned dim = 0, rank = table.numDims(tensor); dim < rank; ++dim) {
    if (limit.isClosed(dim))
      continue;
    ListId have = shardings.dim(state, dim);
    bool whole;
    unsigned source = 0;
    ListId want = wanted(table, table.dimBegin[tensor] + dim, whole, source);
    if (want == have || !lists.isPrefix(have, want))
      continue;
    AtomMask added = lists.mask(want) & ~lists.mask(have);
    while (added & taken) {
      want = lists.ancestor(want, lists.length(want) - 1);
      added = lists.mask(want) & ~lists.mask(have);
    }
    if (want == have)
      continue;
    taken |= added;
    Proposal proposal;
    proposal.list = want;
    proposal.tensor = tensor;
    proposal.dim = dim;
    proposal.source = source;
    proposal.sourceBits = table.bits[source];
    proposal.sourceParts = 1;
    for (size_t i = 0; i < asked.size(); ++i)
      if (asked[i] == source)
        proposal.sourceParts = askedParts[i];
    proposals.push_back(proposal);
  }
}

/// Whether operand `tensor` is repeated along a loop of the results.
static bool isRepeated(const FlatTable &table, unsigned tensor) {
  llvm::ArrayRef<uint32_t> own(table.loopOf.data() +
                                   table.loopBegin[table.dimBegin[tensor]],
                               table.loopBegin[table.dimBegin[tensor + 1]] -
                                   table.loopBegin[table.dimBegin[tensor]]);
  for (auto [number, loop] : llvm::enumerate(table.loops))
    if (loop.kind == LoopKind::Parallel && loop.extent != 1 &&
        !llvm::is_contained(own, uint32_t(number)))
      return true;
  return false;
}

/// Fills `merged` and appends to `proposals`; returns whether all tensors
/// agree.
bool OpStep::compute(const FlatTable &table, llvm::ArrayRef<StateId> states,
                     llvm::ArrayRef<ConstraintId> limits, SourceMask sources) {
  size_t numLoops = table.loops.size();
  merged.assign(numLoops, kEmptyList);
  mergedFrom.assign(numLoops, 0);
  asked.clear();
  askedParts.clear();
  bool bothWays = options.traversal != PropagationTraversal::Forward;
  for (unsigned tensor = 0; tensor < states.size(); ++tensor) {
    if (states[tensor] == kUnsplit)
      continue;
    if (!(sources & (tensor < table.numOperands ? FromOperands : FromResults)))
      continue;
    // What the larger tensors behind want goes first: the operand is resharded at a
    // lower price than they are.
    if (sources == FromOperands && bothWays && !table.contraction &&
        tensor < table.numOperands && isRepeated(table, tensor))
      continue;
    asked.push_back(tensor);
  }
  AtomMask wish = wishOf(table, limits);
  if (asked.empty() && !(wish && sources & FromResults))
    return true;

  projected.assign(states.size() * numLoops, kEmptyList);
  for (unsigned tensor : asked)
    project(table, tensor, states[tensor], constraints[limits[tensor]]);
  llvm::SmallVector<int64_t, 16> parts(states.size(), 1);
  for (unsigned tensor : asked)
    parts[tensor] = partsOf(states[tensor], constraints[limits[tensor]]);
  llvm::sort(asked, [&](unsigned a, unsigned b) {
    if (table.bits[a] != table.bits[b])
      return table.bits[a] > table.bits[b];
    return parts[a] != parts[b] ? parts[a] > parts[b] : a < b;
  });
  for (unsigned tensor : asked)
    askedParts.push_back(parts[tensor]);
  if (options.strategy == PropagationStrategy::Basic)
    mergeBasic(table, wish);
  else
    mergeAggressive(table, wish);
  if (wish && sources & FromResults) {
    AtomMask have = 0;
    for (ListId list : merged)
      have |= lists.mask(list);
    llvm::SmallVector<ListId, 8> wished = merged;
    if (addWish(table, wish & ~have, wished))
      for (size_t loop = 0; loop < numLoops; ++loop)
        if (wished[loop] != merged[loop]) {
          merged[loop] = wished[loop];
          mergedFrom[loop] = table.numOperands;
        }
  }

  bool agrees = true;
  for (unsigned tensor = 0; tensor < states.size(); ++tensor) {
    const Constraint &limit = constraints[limits[tensor]];
    propose(table, tensor, states[tensor], limit);
    for (unsigned dim = 0, rank = table.numDims(tensor); dim < rank; ++dim) {
      bool whole;
      unsigned source;
      ListId want = wanted(table, table.dimBegin[tensor] + dim, whole, source);
      agrees &= whole && want == shardings.dim(states[tensor], dim);
    }
  }
  return agrees;
}

OpStep::Result OpStep::run(OpId op, llvm::ArrayRef<uint64_t> packed,
                           SourceMask sources) {
  // The inner loop of the engine: mostly a look-up.
  uint64_t head = uint64_t(problem.opTable[op]) << 2 | sources;
  uint64_t hash = mixHash(0, head);
  for (uint64_t tensor : packed)
    hash = mixHash(hash, tensor);
  auto result = [&](const Entry &entry) {
    return Result{llvm::ArrayRef<Proposal>(proposals).slice(
                      entry.proposalBegin, entry.proposalCount),
                  entry.agrees, entry.reduced, entry.used};
  };
  uint32_t id = index.intern(hash, [&](uint32_t known) {
    const Entry &entry = entries[known];
    return entry.head == head && entry.keySize == packed.size() &&
           std::equal(packed.begin(), packed.end(),
                      keys.begin() + entry.keyBegin);
  });
  if (id < entries.size())
    return result(entries[id]);

  states.clear();
  limits.clear();
  for (uint64_t tensor : packed) {
    states.push_back(StateId(tensor));
    limits.push_back(ConstraintId(tensor >> 32));
  }
  current = op;
  const FlatTable &table = problem.table(op);
  Entry entry;
  entry.keyBegin = keys.size();
  entry.head = head;
  entry.keySize = packed.size();
  keys.insert(keys.end(), packed.begin(), packed.end());
  entry.proposalBegin = proposals.size();
  entry.agrees = compute(table, states, limits, sources);
  entry.proposalCount = proposals.size() - entry.proposalBegin;
  entry.reduced = entry.used = 0;
  for (size_t loop = 0; loop < merged.size(); ++loop) {
    entry.used |= lists.mask(merged[loop]);
    if (table.loops[loop].kind == LoopKind::Reduction)
      entry.reduced |= lists.mask(merged[loop]) & nontrivial;
  }
  entries.push_back(entry);
  return result(entries.back());
}

} // namespace shard::propagation
