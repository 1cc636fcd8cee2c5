//===- Search.h - The cheapest sequence of steps ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search behind planReshard, for shardings without halos and offsets.
//
// A *state* is a sharding: each axis is replicated, partial, or at a position of a
// dimension. The *moves* out of a state are the steps of Plan.h. The search is A*
// over states: cheapest first by cost so far plus a lower bound of the cost left;
// equal costs by fewer steps, then by a fixed order. The steps found are the
// cheapest among all sequences of steps, and the fewest among the cheapest, if the
// search comes to its end (`optimal`).
//
// Memory. No step's input plus output exceeds twice the larger of source and
// target block. Where axes divide the dimensions there is nearly always a plan
// within that. If there is none the bound is doubled until there is.
//
// Partial. Axes become partial only where the target is partial. (Making a split
// value a sum of zero-padded blocks and scattering it again would sometimes be
// cheaper than the best plan without, but would change what -0.0 and NaNs are.)
//
// Lower bound. Every step moves as many bytes into each device as it counts. So
// the cost left is at least that of the bytes that the neediest device lacks of
// its target block: all of it where state and target split some dimension by
// different axes, else the target block less its overlap, the product over the
// dimensions of the smaller block (where blocks are uneven, of a device that has a
// full target block: one at coordinates 0 of the target's axes or next to it). The
// devices along the partial axes of the target lack elements together and share them.
// A sum of k summands wanted by g such groups takes at least k - 1 + g - 1 messages per
// element, on average over the devices, fewer where a group has several summands at
// once, and one more for the elements that no device has and wants. All of it is
// arithmetic on the extents: nothing here grows with the number of devices.
//
// Order of moves. Many moves commute; of two orders only the better one is looked
// at (SearchSpace::mayFollow). Slices come before what they make smaller; gathers
// come late. Where axes of a size cost the same and divide the dimensions, a permute
// that only renames axes commutes with everything, so one suffices, right before
// the last gathers: it is then determined by the target. Replicated axes become
// partial at the very end, or right before a permute that merges them with real
// summands into an axis of another size.
//
// Symmetry. Where axes cost the same, two of one size that the target both
// replicates, or both wants partial, can change names: states that differ by that
// only are as far from the target, and are one node of the search.
//
// How long it takes. Of n axes on d dimensions there are at most
//
//     sum over m of  binomial(n, m) * d (d + 1) ... (d + m - 1) * 2^(n - m)
//
// states (m axes split, the others replicated or partial; without partial axes
// the last factor is 1): 1,457 for 4 axes on 4 dimensions (2,424 with partial), of
// which the bound leaves some dozens to be expanded, with some dozens of moves
// each. Dimensions and axes that neither sharding names, beyond a few, are left
// out. For 6 axes on 6 dimensions there are 566,827, so that beyond 4 axes the work
// is limited: `budget` moves are looked at, whatever the problem. First come beam
// searches: of the states that a number of steps leads to, they expand the few with the
// least cost so far, bound and guess at the work left. The exact search then leaves out
// what cannot improve on their plan; each plan that it finds on the way leaves out more.
// With 5 axes that cost the same it comes to its end for nearly all pairs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RESHARDING_SEARCH_H
#define SHARD_RESHARDING_SEARCH_H

#include "shard/Resharding/Plan.h"

#include <limits>

namespace shard {

/// What the search is asked. Extents are numbers (dynamic ones already counted as
/// nominalExtent), shardings without halos, offsets and axes of size 1.
struct SearchProblem {
  Grid grid;
  std::vector<int64_t> extents;
  int64_t elementBytes = 1;
  Sharding from, to;
  /// Dimensions that no step may split, gather or permute.
  std::vector<bool> fixedDims;
  /// Of each dimension a number that its number of parts divides in every state, 0
  /// where any number is allowed. Empty: no limits.
  std::vector<int64_t> partsDivide;
  /// Axes that no step may use.
  AxisList fixedAxes;
  const CostModel *costModel = nullptr;
  /// The cost of a plan that is known. Only plans that cost no more are looked for.
  double knownCost = std::numeric_limits<double>::infinity();
  /// Moves that the search may look at before it settles for the best plan found
  /// so far; some 0.2 microseconds each.
  int64_t budget = 80000;
};

/// Steps with kind, axes, dims and reduction set, nothing else.
struct SearchResult {
  std::vector<Step> steps;
  double cost = 0;
  /// The memory bound in bytes under which the plan was found.
  double memoryBound = 0;
  /// Bytes that some device has to receive whatever the plan.
  double lowerBoundBytes = 0;
  /// Whether a plan exists at all that costs no more than the known one.
  bool found = false;
  /// Whether neither this plan nor the known one is dearer than another within the
  /// memory bound.
  bool optimal = false;
  /// Moves looked at.
  int64_t generated = 0;
};

SearchResult searchPlan(const SearchProblem &problem);

/// A number that no plan costs less than, without a search. Where partial axes are
/// wanted it can be 0.
double boundPlanCost(const SearchProblem &problem);

} // namespace shard

#endif // SHARD_RESHARDING_SEARCH_H
