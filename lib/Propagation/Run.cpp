//===- Run.cpp - Waves of proposals to a fixpoint -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <queue>

#define DEBUG_TYPE "shard-propagation"

namespace shard::propagation {

constexpr uint32_t kNone = ~uint32_t(0);

Run::Run(const Problem &problem, const PropagationOptions &options,
         const AtomSpace &atoms)
    : problem(problem), options(options), atoms(atoms), lists(atoms),
      step(problem, this->options, this->atoms, lists, shardings, constraints),
      state(problem.numValues(), kUnsplit), limit(problem.numValues(), 0),
      flags(problem.numOps(), 0), firstOffer(problem.numValues(), kNone) {
  intern(Constraint()); // number 0, that of values that nothing limits
  buildUses();
  opClass.resize(problem.numOps());
  for (OpId op = 0; op < problem.numOps(); ++op)
    opClass[op] = classOf(op);
  if (options.opPriorities && llvm::is_contained(opClass, OpClass::Contraction))
    findDepths();
}

void Run::buildUses() {
  useBegin.assign(problem.numValues() + 1, 0);
  auto forEach = [&](auto body) {
    for (OpId op = 0; op < problem.numOps(); ++op) {
      ValueId last = kNoValue;
      for (ValueId value : problem.tensors(op)) {
        if (value != kNoValue && value != last)
          body(op, value);
        last = value;
      }
    }
  };
  forEach([&](OpId, ValueId value) { ++useBegin[value + 1]; });
  for (size_t value = 0; value < problem.numValues(); ++value)
    useBegin[value + 1] += useBegin[value];
  useOps.resize(useBegin.back());
  std::vector<uint32_t> fill(useBegin.begin(), useBegin.end() - 1);
  forEach([&](OpId op, ValueId value) { useOps[fill[value]++] = op; });
}

/// Numbers the ops along the data flow, whatever their order: an op is deeper than
/// those that make its operands. What is in or behind a cycle is deepest.
void Run::findDepths() {
  depth.assign(problem.numOps(), kNone);
  std::vector<uint32_t> missing(problem.numOps(), 0);
  std::vector<uint32_t> makers(problem.numValues(), 0);
  auto resultsOf = [&](OpId op) {
    return problem.tensors(op).drop_front(problem.table(op).numOperands);
  };
  auto operandsOf = [&](OpId op) {
    return problem.tensors(op).take_front(problem.table(op).numOperands);
  };
  for (OpId op = 0; op < problem.numOps(); ++op)
    for (ValueId result : resultsOf(op))
      if (result != kNoValue)
        ++makers[result];
  // Counted by entries of `uses`, of which an op may have several for a value.
  for (ValueId value = 0; value < problem.numValues(); ++value)
    for (OpId user : uses(value))
      missing[user] +=
          makers[value] != 0 && llvm::is_contained(operandsOf(user), value);
  std::vector<OpId> ready;
  for (OpId op = 0; op < problem.numOps(); ++op)
    if (missing[op] == 0)
      ready.push_back(op);
  std::vector<uint32_t> deepest(problem.numOps(), 0);
  for (size_t next = 0; next < ready.size(); ++next) {
    OpId op = ready[next];
    depth[op] = deepest[op];
    for (ValueId result : resultsOf(op)) {
      if (result == kNoValue)
        continue;
      bool made = --makers[result] == 0;
      for (OpId user : uses(result)) {
        if (!llvm::is_contained(operandsOf(user), result))
          continue;
        deepest[user] = std::max(deepest[user], depth[op] + 1);
        if (made && --missing[user] == 0)
          ready.push_back(user);
      }
    }
  }
}

OpClass Run::classOf(OpId op) const {
  const FlatTable &table = problem.table(op);
  if (table.contraction)
    return OpClass::Contraction;
  // The op itself is among the uses of its results.
  for (ValueId result : problem.tensors(op).drop_front(table.numOperands))
    if (result != kNoValue && uses(result).size() > 2)
      return OpClass::FanOut;
  return OpClass::Chain;
}

OpStep::Result Run::stepOf(OpId op, SourceMask sources) {
  llvm::ArrayRef<ValueId> tensors = problem.tensors(op);
  packed.resize_for_overwrite(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    ValueId value = tensors[i];
    packed[i] =
        value == kNoValue ? 0 : OpStep::pack(state[value], limit[value]);
  }
  return step.run(op, packed, sources);
}

std::string Run::text(ListId list) const {
  llvm::SmallVector<uint8_t> numbers;
  lists.atoms(list, numbers);
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '[';
  llvm::interleaveComma(numbers, os, [&](uint8_t number) {
    const AxisPart &part = atoms[number];
    os << part.axis;
    if (!part.isWhole(problem.grid.shape[part.axis]))
      os << ":(" << part.preSize << ')' << part.size;
  });
  os << ']';
  return result;
}

void Run::queue(OpId op) {
  if (flags[op] & Queued)
    return;
  flags[op] |= Queued;
  nextWave.push_back(op);
}

/// The order of the conflict policy (Engine.h).
bool Run::before(const Offer &a, const Offer &b) const {
  bool contractionA = opClass[a.op] == OpClass::Contraction;
  bool contractionB = opClass[b.op] == OpClass::Contraction;
  if (options.opPriorities && contractionA != contractionB)
    return contractionB;
  const Proposal &p = a.proposal, &q = b.proposal;
  if (p.sourceBits != q.sourceBits)
    return p.sourceBits > q.sourceBits;
  if (p.sourceParts != q.sourceParts)
    return p.sourceParts > q.sourceParts;
  if (p.source != q.source)
    return p.source < q.source;
  if (p.list != q.list)
    return lists.lexicographicallyLess(p.list, q.list);
  return p.dim < q.dim;
}

/// Lets `value` take the offers of this wave.
void Run::accept(ValueId value) {
  llvm::SmallVector<uint32_t, 4> order;
  for (uint32_t offer = firstOffer[value]; offer != kNone;
       offer = offers[offer].next)
    order.push_back(offer);
  firstOffer[value] = kNone;
  if (order.size() > 1)
    llvm::sort(order, [&](uint32_t a, uint32_t b) {
      if (before(offers[a], offers[b]))
        return true;
      // Offers that differ in nothing but the op: only `explain` can tell.
      return !before(offers[b], offers[a]) && offers[a].op < offers[b].op;
    });

  const Shape &shape = problem.shapes[problem.valueShape[value]];
  llvm::SmallVector<ListId, 4> dims(shape.extents.size(), kEmptyList);
  llvm::ArrayRef<ListId> old = shardings.lists(state[value]);
  std::copy(old.begin(), old.end(), dims.begin());
  const Constraint &limits = constraints[limit[value]];
  AtomMask mask = shardings.mask(state[value]);
  bool changed = false;
  for (uint32_t id : order) {
    const Offer &offer = offers[id];
    ListId &have = dims[offer.proposal.dim];
    ListId want = offer.proposal.list;
    if (want == have || !lists.isPrefix(have, want))
      continue;
    while (lists.mask(want) & ~lists.mask(have) & (mask | limits.forbidden))
      want = lists.ancestor(want, lists.length(want) - 1);
    if (want == have)
      continue;
    // Only an op that reads windows asks for more parts than there are elements. It cuts them
    // out of a whole tensor without communication; out of blocks, of which some devices have
    // none, they would have to be sent.
    int64_t extent = shape.extents[offer.proposal.dim];
    if (extent != kDynamic && lists.parts(want) > extent &&
        !problem.ofView[value])
      continue;
    if (extent != kDynamic && extent % lists.parts(want) != 0 &&
        unevenReported.insert({extent, want}).second)
      unevenDims.push_back({Obstacle::Kind::Uneven, offer.op, extent, want});
    if (options.explain)
      events.push_back(
          {value,
           {offer.op, problem.tensors(offer.op)[offer.proposal.source]},
           want,
           lists.length(have)});
    LLVM_DEBUG(llvm::dbgs()
               << "  value " << value << " dimension " << offer.proposal.dim
               << ": " << text(have) << " -> " << text(want) << " from op "
               << offer.op << "\n");
    mask |= lists.mask(want);
    have = want;
    changed = true;
  }
  if (!changed)
    return;
  assert(lists.areDisjoint(dims) && "an axis splits one dimension of a value");
  state[value] = shardings.intern(dims, mask);
  for (OpId op : uses(value))
    queue(op);
}

static bool comesBefore(const Proposal &a, const Proposal &b) {
  return std::pair(a.tensor, a.dim) < std::pair(b.tensor, b.dim);
}

/// The part of `proposal`, of some of an op's tensors, that is also in `together`,
/// what all of its tensors propose, in order: a direction passes nothing on that the tensors
/// of the other direction contradict.
std::optional<Proposal>
Run::agreedPart(Proposal proposal, llvm::ArrayRef<Proposal> together) const {
  const auto *same = llvm::lower_bound(together, proposal, comesBefore);
  if (same == together.end() || comesBefore(proposal, *same))
    return std::nullopt;
  proposal.list = lists.commonPrefix(proposal.list, same->list);
  return proposal;
}

void Run::visit(OpId op, unsigned level, SourceMask sources, bool last) {
  SourceMask allowed = sources;
  if (auto barrier = problem.barriers.find(op);
      barrier != problem.barriers.end()) {
    if (!barrier->second)
      return;
    allowed = SourceMask(allowed & barrier->second);
  }
  OpStep::Result result = stepOf(op, FromAll);
  if (result.proposals.empty())
    return;
  if (unsigned(opClass[op]) > level)
    allowed = opClass[op] == OpClass::FanOut
                  ? SourceMask(allowed & FromOperands)
                  : SourceMask(0);
  // The operands that an op repeats are smaller than its result, which has its axes from what is
  // larger where there is a way, even a longer one.
  else if (level == 0 && problem.table(op).repeats)
    allowed = SourceMask(allowed & FromResults);
  if (allowed != FromAll) {
    if (!last && !(flags[op] & Deferred)) {
      flags[op] |= Deferred;
      deferred.push_back(op);
    }
    if (!allowed)
      return;
    together.assign(result.proposals.begin(), result.proposals.end());
    llvm::stable_sort(together, comesBefore);
    result = stepOf(op, allowed);
    for (const Proposal &proposal : result.proposals)
      if (std::optional<Proposal> agreed = agreedPart(proposal, together))
        makeOffer(op, *agreed);
    return;
  }
  for (const Proposal &proposal : result.proposals)
    makeOffer(op, proposal);
}

void Run::makeOffer(OpId op, const Proposal &proposal) {
  ValueId value = problem.tensors(op)[proposal.tensor];
  if (value == kNoValue)
    return;
  if (firstOffer[value] == kNone)
    offered.push_back(value);
  offers.push_back({proposal, value, op, firstOffer[value]});
  firstOffer[value] = offers.size() - 1;
}

void Run::acceptOffers() {
  for (ValueId value : offered)
    accept(value);
  offers.clear();
  offered.clear();
}

/// Runs waves until nothing is queued. From operands, contractions wait until all
/// else is quiet, and then follow one another in the order of data flow: so the axes
/// of activations arrive before the weights decide.
void Run::runStage(unsigned level, SourceMask sources, bool last) {
  for (OpId op : deferred) {
    flags[op] &= ~Deferred;
    queue(op);
  }
  deferred.clear();
  bool inOrder = options.opPriorities && level == 2 && sources == FromOperands;
  using Waiting = std::pair<uint32_t, OpId>; // with its depth
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>
      contractions;
  while (cuts().empty()) {
    wave.swap(nextWave);
    nextWave.clear();
    if (inOrder)
      llvm::erase_if(wave, [&](OpId op) {
        if (opClass[op] != OpClass::Contraction)
          return false;
        contractions.push({depth[op], op});
        return true;
      });
    if (wave.empty() && !contractions.empty())
      for (uint32_t next = contractions.top().first;
           !contractions.empty() && contractions.top().first == next;
           contractions.pop())
        wave.push_back(contractions.top().second);
    if (wave.empty())
      return;
    for (OpId op : wave)
      flags[op] &= ~Queued;
    for (OpId op : wave)
      visit(op, level, sources, last);
    acceptOffers();
  }
}

/// Uncovers the dimensions of the round's priority and queues their ops; all ops
/// without these values have come to rest in the round before.
void Run::startRound(const Round &round) {
  for (ValueId value : round.uncovered) {
    Constraint seen = constraints[limit[value]];
    seen.hideBehind(round.priority);
    limit[value] = intern(std::move(seen));
    for (OpId op : uses(value))
      queue(op);
  }
}

void Run::propagate() {
  llvm::SmallVector<SourceMask, 3> directions;
  switch (options.traversal) {
  case PropagationTraversal::Forward:
    directions = {FromOperands};
    break;
  case PropagationTraversal::Backward:
    directions = {FromResults};
    break;
  case PropagationTraversal::ForwardBackward:
    directions = {FromOperands, FromResults, FromAll};
    break;
  case PropagationTraversal::BackwardForward:
    directions = {FromResults, FromOperands, FromAll};
    break;
  }
  for (const auto &[value, hint] : problem.hints)
    for (OpId op : uses(value))
      queue(op);
  splitWishedReductions();
  for (const Round &round : rounds) {
    LLVM_DEBUG(llvm::dbgs() << "round p" << round.priority << "\n");
    startRound(round);
    for (unsigned level = options.opPriorities ? 0 : 2; level <= 2; ++level)
      for (SourceMask direction : directions) {
        LLVM_DEBUG(llvm::dbgs() << " stage " << level << ", "
                                << (direction == FromOperands  ? "from operands"
                                    : direction == FromResults ? "from results"
                                                               : "both ways")
                                << "\n");
        runStage(level, direction,
                 level == 2 && direction == directions.back());
        if (!cuts().empty())
          return;
      }
  }
}

} // namespace shard::propagation
