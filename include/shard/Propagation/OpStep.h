//===- OpStep.h - What one op tells its tensors -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The step of the engine: given the shardings of an op's tensors, merge them
// into axes per loop, and propose to each tensor what the loops have and it
// lacks.
//
// Merging, for the axis lists that the tensors have on the loops:
//
//   basic       the longest prefix that no tensor contradicts, cut before the
//               first atom that some tensor has on another loop;
//   aggressive  an axis that operands of a contraction have on several loops goes to
//               the outermost loop of the result among them. Else tensors are asked
//               in order: larger first, then more sharded, then
//               operand order (results last). Each extends the loops' lists as
//               far as it does not contradict them and the atom is on no other
//               loop.
//
// A proposal only ever extends what a tensor has, at the minor end, in an open
// dimension, by atoms that the tensor does not use elsewhere. Reshaped
// dimensions are filled digit by digit, major first, and evenly.
//
// A step depends on the table, the states and the constraints alone, so it is
// computed once for all ops that share these.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_OPSTEP_H
#define SHARD_PROPAGATION_OPSTEP_H

#include "shard/Propagation/Problem.h"
#include "shard/Propagation/Shardings.h"

#include "llvm/ADT/DenseSet.h"

namespace shard::propagation {

/// What an op proposes for one dimension of one of its tensors.
struct Proposal {
  ListId list;
  uint32_t tensor;
  uint32_t dim;
  /// The tensor whose axes these are, its size and its number of parts.
  uint32_t source;
  int64_t sourceBits;
  int64_t sourceParts;
};

/// Where a dimension could not be split as wished.
struct Obstacle {
  enum class Kind {
    /// The extent is smaller than the number of parts, or is not divisible where it
    /// has to be: not split.
    NotSplit,
    /// Split into blocks of different size.
    Uneven,
  };
  Kind kind;
  OpId op;
  int64_t extent;
  ListId list;
};

/// Which tensors of an op are asked.
enum SourceMask : uint8_t { FromOperands = 1, FromResults = 2, FromAll = 3 };

class OpStep {
public:
  struct Result {
    llvm::ArrayRef<Proposal> proposals;
    /// With FromAll: every tensor has exactly what the loops say, and the loops
    /// can be split like that.
    bool agrees;
    /// The atoms on the reduction loops, without those of one device, which leave nothing to
    /// add up, and the atoms on all loops.
    AtomMask reduced, used;
  };

  OpStep(const Problem &problem, const PropagationOptions &options,
         const AtomSpace &atoms, AxisLists &lists, const Shardings &shardings,
         const std::vector<Constraint> &constraints)
      : problem(problem), options(options), atoms(atoms), lists(lists),
        shardings(shardings), constraints(constraints),
        nontrivial(atoms.nontrivial()) {}

  /// A tensor as a step sees it: its state, and its constraint in the upper half.
  static uint64_t pack(StateId state, ConstraintId limit) {
    return uint64_t(limit) << 32 | state;
  }

  /// The step of `op`, whose tensors are `packed`. What is returned lives until
  /// the next call.
  Result run(OpId op, llvm::ArrayRef<uint64_t> packed, SourceMask sources);

  /// Whether the reduction loops of an op with `table` can be split by `atoms`.
  bool canReduce(const FlatTable &table, AtomMask atoms, ReductionKind kind);

  std::vector<Obstacle> obstacles;
  /// Borders that reshapes ask for: an axis and the devices outside the border.
  std::vector<std::pair<GridAxis, int64_t>> cuts;

private:
  struct Entry {
    /// The table and the sources, then the tensors in `keys`.
    uint64_t head;
    uint32_t keyBegin, keySize, proposalBegin, proposalCount;
    bool agrees;
    AtomMask reduced, used;
  };

  void project(const FlatTable &table, unsigned tensor, StateId state,
               const Constraint &limit);
  bool cutToFit(unsigned atom, int64_t left);
  ListId fit(const FlatTable::FlatLoop &loop, ListId list);
  ListId fitSliding(const FlatTable::FlatLoop &loop, ListId list);
  bool operandsAreSummands(const FlatTable &table,
                           llvm::ArrayRef<ConstraintId> limits,
                           const Constraint &wanted) const;
  AtomMask wishOf(const FlatTable &table, llvm::ArrayRef<ConstraintId> limits);
  std::optional<size_t> reductionFor(const FlatTable &table, unsigned atom,
                                     llvm::ArrayRef<ListId> loops) const;
  bool addWish(const FlatTable &table, AtomMask missing,
               llvm::SmallVectorImpl<ListId> &loops);
  void findExcluded(const FlatTable &table, AtomMask wish,
                    llvm::SmallVectorImpl<AtomMask> &excluded) const;
  void mergeBasic(const FlatTable &table, AtomMask wish);
  void mergeAggressive(const FlatTable &table, AtomMask wish);
  /// What the loops say about a dimension; `whole` is set to whether all of the
  /// loops' axes are in it. `source` is set to where the last atoms are from.
  ListId wanted(const FlatTable &table, unsigned dim, bool &whole,
                unsigned &source);
  void propose(const FlatTable &table, unsigned tensor, StateId state,
               const Constraint &limit);
  bool compute(const FlatTable &table, llvm::ArrayRef<StateId> states,
               llvm::ArrayRef<ConstraintId> limits, SourceMask sources);
  void obstacle(Obstacle::Kind kind, int64_t extent, ListId list);
  int64_t partsOf(StateId state, const Constraint &limit) const;

  const Problem &problem;
  const PropagationOptions &options;
  const AtomSpace &atoms;
  AxisLists &lists;
  const Shardings &shardings;
  const std::vector<Constraint> &constraints;
  const AtomMask nontrivial;

  // Of the step at hand.
  OpId current = 0;
  std::vector<ListId> projected; // [tensor * loops + loop]
  llvm::SmallVector<unsigned, 8> asked;
  llvm::SmallVector<int64_t, 8> askedParts;
  llvm::SmallVector<ListId, 8> merged;
  llvm::SmallVector<uint32_t, 8> mergedFrom;

  std::vector<uint64_t> keys;
  std::vector<Proposal> proposals;
  std::vector<Entry> entries;
  InternIndex index;
  llvm::SmallVector<StateId, 32> states;
  llvm::SmallVector<ConstraintId, 32> limits;
  llvm::DenseSet<std::pair<int64_t, uint32_t>> reported;
};

} // namespace shard::propagation

#endif // SHARD_PROPAGATION_OPSTEP_H
