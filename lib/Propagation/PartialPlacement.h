//===- PartialPlacement.h - Which values stay partial -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_PARTIALPLACEMENT_H
#define SHARD_LIB_PROPAGATION_PARTIALPLACEMENT_H

#include "Run.h"

#include "llvm/ADT/MapVector.h"

namespace shard::propagation {

/// Chooses which values stay partial. `run.partials` has the states under the
/// assumption of the current phase.
struct Run::PartialPlacement {
  explicit PartialPlacement(Run &run) : run(run), problem(run.problem) {}

  /// Chooses for the results of ops, given what is in `joined`.
  void place();
  /// Chooses `joined`, and places again.
  void chooseJoined();
  /// Finds the ops that do not take their operands as partial as they are.
  void findRefusals();

private:
  /// What an op does with a partial operand.
  enum class Use : unsigned {
    /// Its result is partial, or it does not decide about this operand alone.
    KeepsPartial,
    /// It takes it, and reduces a result with more bytes, with as many, or with fewer.
    ReducesMore,
    ReducesAsMuch,
    ReducesLess,
    /// It does not take it.
    Completes
  };
  /// How many users that run equally often do what.
  struct Counts {
    double trips;
    std::array<unsigned, 5> uses = {};
    unsigned of(Use use) const { return uses[unsigned(use)]; }
  };
  /// The result of an op that could be partial if nothing were reduced.
  struct Candidate {
    ValueId value;
    OpId op;
    /// By the op's own reduction loops.
    PartialState made;
    /// What it would be if nothing were reduced.
    PartialState possible;
    /// Whether it stays partial, and the bytes that a device reduces of it, here or behind its
    /// users: until they are priced all stay.
    bool stays = true;
    double cost = 0;
  };

  /// After so many passes all that still changes is reduced. Each pass but the last
  /// reduces some candidate early; programs need two or three.
  static constexpr unsigned kMaxSettlePasses = 20;
  /// Joined values are looked at again as often, to see which are better complete.
  static constexpr unsigned kMaxJoinedPasses = 4;

  void readHints();
  void collectCandidates();
  bool price();
  void settle();
  void keepMore();
  bool mayStay(size_t index);
  bool isAskedFor(OpId user, const PartialState &state) const;
  bool isAddedTo(OpId user, ValueId value);
  bool mayBePartial(ValueId value) const {
    return value != kNoValue && !hinted[value] &&
           problem.hasOwnDefinition(value);
  }
  std::optional<PartialState> stateAt(const Candidate &candidate) const;
  bool willBeReduced(OpId op) const;
  bool isOnlyPartial(OpId op, ValueId value) const;
  void findReshards();
  bool takesReshard(OpId op, const OpStep::Result &step) const;
  Use useOf(OpId user, ValueId value, bool isPlaced);
  void countUses(ValueId value, bool isPlaced,
                 llvm::SmallVectorImpl<Counts> &found);
  bool isUser(OpId op, ValueId value) const;
  bool isReshard(OpId op) const;
  std::optional<OpId> onlyUser(ValueId value) const;
  bool isCompleted(ValueId value, OpId op, bool isPlaced);
  bool takesComplete(OpId op, bool isPlaced);
  double costOfKeeping(size_t index);
  bool isTakenByAll(const Candidate &candidate) const;

  // JoinedSums.cpp
  using Costs = llvm::MapVector<ValueId, double>;
  void guessJoined();
  Costs costs() const;
  double costOfDefinitions(ValueId value) const;
  double costOfUses(ValueId value) const;
  bool dropUseless();
  bool dropExpensive(const Costs &without, bool all);

  Run &run;
  const Problem &problem;
  std::vector<bool> hinted;
  /// In program order.
  std::vector<Candidate> candidates;
  llvm::DenseMap<ValueId, uint32_t> candidateOf;
  /// What isCompleted() has counted.
  llvm::DenseMap<ValueId, llvm::SmallVector<Counts, 1>> uses;
  /// What the reshards of the program make, if it is split otherwise than before.
  llvm::DenseSet<ValueId> resharded;
  /// The joined values that are partial.
  llvm::MapVector<ValueId, PartialState> joined;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_PARTIALPLACEMENT_H
