//===- Run.h - One run of the engine on fixed atoms -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the engine: the state of one run, i.e. on one factorisation of
// the axes. Finish.cpp starts runs and turns the state into a Solution, RunHints.cpp
// reads the hints, Run.cpp drives the waves, Partial.cpp decides what stays partial.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_RUN_H
#define SHARD_LIB_PROPAGATION_RUN_H

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Which ops are visited when an op's stage has not come yet.
enum class OpClass : uint8_t { Chain = 0, FanOut = 1, Contraction = 2 };

/// The axes and kind under which a value is partial.
struct PartialState {
  AtomMask atoms = 0;
  ReductionKind reduction = ReductionKind::Sum;
  bool operator==(const PartialState &other) const {
    return atoms == other.atoms && (!atoms || reduction == other.reduction);
  }
};

class AtomMerge;

class Run {
public:
  Run(const Problem &problem, const PropagationOptions &options,
      const AtomSpace &atoms);
  // `step` refers to members.
  Run(const Run &) = delete;

  /// Sets the initial states; on failure tells why.
  std::optional<HintError> applyHints();
  /// Runs to the fixpoint, or until a reshape asks for a cut (see cuts()).
  void propagate();
  void placePartials();
  Solution finish();
  std::optional<Placement>
  placePartialsAgain(const Solution &solution,
                     llvm::ArrayRef<ShardedValue> changed);
  void keepPartials() { kept = partials; }

  const std::vector<std::pair<GridAxis, int64_t>> &cuts() const {
    return step.cuts;
  }

private:
  struct Offer {
    Proposal proposal;
    ValueId value;
    OpId op;
    /// The next offer for the value in this wave.
    uint32_t next;
  };

  /// What a user priority adds to those before it.
  struct Round {
    int32_t priority;
    /// The values with a dimension of this priority.
    std::vector<ValueId> uncovered;
  };

  void buildUses();
  void findDepths();
  OpClass classOf(OpId op) const;
  llvm::ArrayRef<OpId> uses(ValueId value) const {
    return llvm::ArrayRef<OpId>(useOps).slice(
        useBegin[value], useBegin[value + 1] - useBegin[value]);
  }
  OpStep::Result stepOf(OpId op, SourceMask sources);
  void queue(OpId op);
  /// For debug output: "[0:(1)2, 1]", parts of axes by number.
  std::string text(ListId list) const;
  void startRound(const Round &round);
  void runStage(unsigned level, SourceMask sources, bool last);
  void visit(OpId op, unsigned level, SourceMask sources, bool last);
  std::optional<Proposal> agreedPart(Proposal proposal,
                                     llvm::ArrayRef<Proposal> together) const;
  void makeOffer(OpId op, const Proposal &proposal);
  void acceptOffers();
  void accept(ValueId value);
  bool before(const Offer &a, const Offer &b) const;

  // RunHints.cpp
  /// Calls `add` for every atom of `parts`, which the hint of `value` names;
  /// returns an error if they are not made of atoms.
  std::optional<HintError> collect(llvm::ArrayRef<AxisPart> parts,
                                   ValueId value,
                                   llvm::function_ref<void(uint8_t)> add) const;
  /// The atoms that have something in common with `part`.
  AtomMask touched(const AxisPart &part) const;
  /// Forbids the manual axes of each scope to its values, and closes dimensions that stay
  /// whole; fills in the atoms of each scope.
  std::optional<HintError> applyScopes(llvm::SmallVectorImpl<AtomMask> &scopes);
  /// What a value with a hint starts with: the lists of its dimensions, the union
  /// of their atoms, and its constraint.
  struct InitialState {
    llvm::SmallVector<ListId, 4> dims;
    AtomMask mask = 0;
    Constraint limit;
  };
  /// Adds to `made` what `hint`, that of `value`, says.
  std::optional<HintError> readHint(const Hint &hint, ValueId value,
                                    InitialState &made);
  ConstraintId intern(Constraint made);
  void planRounds(llvm::ArrayRef<int32_t> priorities);

  // PartialWishes.cpp
  struct WishSearch;
  void spreadPartialWishes();
  void splitWishedReductions();

  // Partial.cpp
  struct PartialPlacement;
  std::optional<PartialState> through(OpId op) const;
  bool takesInits(OpId op, const PartialState &made) const;
  bool accepts(OpId op);
  double localBytes(ValueId value) const;

  // Finish.cpp
  std::shared_ptr<AtomMerge> merge;
  void showAtoms(AtomMerge &merge);
  Sharding shardingOf(ValueId value, const PartialState *partial,
                      const AtomMerge &merge) const;
  void stateShardings(const AtomMerge &merge, Solution &solution);
  void stateReasons(const AtomMerge &merge, Solution &solution);

  const Problem &problem;
  const PropagationOptions options;
  const AtomSpace atoms;
  AxisLists lists;
  Shardings shardings;
  std::vector<Constraint> constraints;
  InternIndex constraintIndex;
  OpStep step;

  std::vector<StateId> state;
  std::vector<ConstraintId> limit;
  std::vector<uint32_t> useBegin;
  std::vector<OpId> useOps;
  std::vector<OpClass> opClass;
  std::vector<uint32_t> depth;

  std::vector<OpId> wave, nextWave, deferred;
  enum : uint8_t { Queued = 1, Deferred = 2 };
  std::vector<uint8_t> flags;
  std::vector<Offer> offers;
  std::vector<uint32_t> firstOffer;
  llvm::SmallVector<Proposal, 8> together; // of the visit at hand
  std::vector<ValueId> offered;
  std::vector<Round> rounds; // by ascending priority; the first is 0

  llvm::SmallVector<uint64_t, 32> packed;

  /// The values that are partial after placePartials.
  llvm::DenseMap<ValueId, PartialState> partials;
  /// Those of the solution, while they are placed again.
  llvm::DenseMap<ValueId, PartialState> kept;
  /// With options.explain: those that `partials` had before costs counted.
  llvm::DenseSet<ValueId> couldBePartial;
  /// Values without a hint that have to be partial so that a value with a hint is,
  /// and the ops that make partial values for hints.
  std::vector<ValueId> wished;
  /// With options.explain: the users that the former are partial for, and their
  /// results.
  std::vector<std::pair<ValueId, Cause>> wishedFor;
  std::vector<OpId> wishedReductions;
  /// Ops that get a partial operand which they do not take, and those of them that could,
  /// but whose partial operands are completed for other ops anyway.
  std::vector<bool> refuses, takesCompleted;

  /// With options.explain: the extensions of values, in order.
  struct Event {
    ValueId value;
    Cause cause;
    ListId list;
    unsigned before;
  };
  std::vector<Event> events;
  std::vector<Obstacle> unevenDims;
  llvm::DenseSet<std::pair<int64_t, uint32_t>> unevenReported;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_RUN_H
