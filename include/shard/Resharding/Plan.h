//===- Plan.h - The steps that change a sharding ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan turns local blocks of one sharding into local blocks of another, step
// by step. Each step says what it does and what the sharding and the static
// local shape are afterwards; whoever turns steps into operations needs nothing
// else.
//
//     from [[], [0, 1]] to [[0], []] on a 4x2 grid, 16x16 elements of 4 bytes:
//
//       all_gather axes = [1] dim = 1         -> [[], [0]]   16x4
//       all_to_all axes = [0] dim = 0 <- 1    -> [[0], []]    4x16
//
// Dimensions that the axes do not divide follow BlockLayout.h. What lies behind
// the valid elements of a block is unspecified and no step lets it through:
//
//   slice   k ways: pad the local extent L to k * ceil(L / k), keep one of k
//           pieces;
//   gather  k ways: concatenate the blocks of the group in order, cut the end
//           off to the extent in `localShape`.
//
// A step over several axes is one step over a group of k = the product of their
// sizes. It is only planned where this gives the nested blocks of
// BlockLayout.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RESHARDING_PLAN_H
#define SHARD_RESHARDING_PLAN_H

#include "shard/Geometry/Sharding.h"
#include "shard/Resharding/CostModel.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shard {

/// One step of a plan.
struct Step {
  enum class Kind {
    /// `axes`, the most minor axes of `dim`, no longer split it: every device
    /// gathers the blocks of its group along `axes`.
    AllGather,
    /// `axes`, which were replicated, become the most minor axes of `dim`:
    /// every device keeps the piece at its position in its group. No
    /// communication.
    AllSlice,
    /// `axes`, the most minor axes of `concatDim`, become the most minor axes
    /// of `dim`: dimension `dim` is sliced k ways, piece q goes to the device at
    /// position q of the group, pieces that arrive are gathered along
    /// `concatDim`, in order of the group.
    AllToAll,
    /// The block at linear index i over `axes` (F) goes to linear index i over
    /// `toAxes` (T). The device at coordinates c receives from c', where
    ///   c' on F      = delinearize(position of c over T, sizes of F),
    ///   c' on T \ F  = delinearize(position of c over F \ T, sizes of T \ F),
    ///   c' elsewhere = c
    /// (F \ T and T \ F in the order of F and of T). A bijection of the
    /// devices; local shapes do not change.
    Permute,
    /// The blocks of `result` are assembled from those before in one step: every
    /// device receives what it lacks of its new block, from devices of its group
    /// along `axes` (Redistribution.h). `extents`, `fromDims` and `toDims` say what
    /// the group has together; dimensions that keep their axes count with their local
    /// extents and have no axes there.
    Redistribute,
    /// The blocks of the group along `axes`, a subset of the partial axes, are
    /// combined by `reduction`; every device has the result.
    AllReduce,
    /// The same, of which every device keeps one piece: `axes` become the most
    /// minor axes of `dim`.
    ReduceScatter,
    /// `axes`, which were replicated, become partial. For sum, product and
    /// bitwise_xor the device at position 0 of each group keeps its block, the
    /// others take the neutral element. For the kinds that are idempotent on
    /// equal values (max, min, umax, umin, bitwise_and, bitwise_or, average)
    /// every device just keeps its block: the step is a change of name. No
    /// communication.
    MakePartial,
    /// `axes`, the most minor axes of `dim`, become partial: every device puts
    /// its block at its place in a block k times as long along `dim` (cut to
    /// `localShape`) that is filled with the neutral element of `reduction`
    /// elsewhere, at least wherever another device's valid elements lie. No
    /// communication. Not planned for average.
    EmbedPartial,
    /// Local blocks get halos as wide as `result.halos` says, filled with the
    /// elements of the neighbours, corners included; halos that the input has are
    /// dropped first. Local position p of a dimension then holds the element
    /// (offset of the block) - low + p of the whole, as far as there is one; the
    /// halos of empty blocks are unspecified.
    /// A halo that is wider than a block is filled with the elements of several
    /// neighbours. Planned only where the blocks follow one another at equal
    /// distances (cutsAtOnce).
    UpdateHalo,
    /// Dimension `dim`, which was not split, is cut into the blocks of `axes`
    /// widened by its halos in `result`: a local slice of the window
    /// [offset - low, offset + local extent + high). What lies outside the whole
    /// is unspecified. No communication.
    SliceHalo,
    /// Halos shrink to `result.halos` (none: empty): a local slice.
    TrimHalo,
    /// `dim`, split by `axes` (all of its axes) at explicit bounds, is no longer
    /// split: blocks are padded to the largest one, gathered, and the valid parts
    /// concatenated. The bounds are those of the step before (`bounds`).
    GatherOffsets,
    /// `dim`, which was not split, is cut at `bounds`; `axes` are all its axes
    /// afterwards. A local slice of the device's own size. No communication.
    SliceOffsets,
    /// `dim` is split at explicit bounds that are those of the block layout: the
    /// exact local blocks are padded to the local extent. A local pad.
    PadOffsets,
    /// The inverse: the local blocks are cut to the exact size of each device.
    TrimOffsets,
  };

  Kind kind = Kind::AllGather;
  /// The ordered device group; the axes F of a permute.
  AxisList axes;
  /// The axes T of a permute.
  AxisList toAxes;
  /// The dimension gathered, sliced, scattered or (all_to_all) sliced; -1 for
  /// kinds that are about no single dimension.
  int64_t dim = -1;
  /// The dimension that all_to_all concatenates; -1 for other kinds.
  int64_t concatDim = -1;
  /// Of the kinds about partial values.
  ReductionKind reduction = ReductionKind::Sum;
  /// Of Redistribute: what the group has together, and the axes that split each
  /// dimension before and after.
  std::vector<int64_t> extents;
  std::vector<AxisList> fromDims, toDims;
  /// The n + 1 block bounds of the ...Offsets kinds.
  std::vector<int64_t> bounds;
  /// The sharding of the value after the step.
  Sharding result;
  /// The static local shape after the step (as localShape computes it).
  std::vector<int64_t> localShape;

  /// What the busiest device sends. Dynamic extents count as `nominalExtent`.
  int64_t bytesSent = 0;
  /// Local input plus local output, in bytes.
  int64_t peakBytes = 0;
  double cost = 0;
};

/// The steps in order, and their sums. No steps: nothing to do at run time.
struct Plan {
  std::vector<Step> steps;
  double cost = 0;
  int64_t bytesSent = 0;
  /// The largest `peakBytes` of the steps.
  int64_t peakBytes = 0;
  /// In every plan some device has to receive at least so many bytes: those of its
  /// target block that it lacks, and for sums what must arrive on average. 0 where nothing is
  /// known (partial targets, explicit offsets, halos).
  int64_t lowerBoundBytes = 0;
  /// Whether the search proved that no cheaper plan exists within the memory
  /// bound (Search.h).
  bool optimal = true;

  bool communicates() const;
};

/// The cheapest plan from one sharding of a tensor to another on one grid; see
/// Search.h for what cheapest means. `shape` is the global shape, kDynamic
/// where unknown (such dimensions divide evenly by contract, unless the grid has
/// `unevenDynamic`); `elementBytes`
/// the size of an element, at least 1. Without a plan (arguments that do not
/// fit together, a change that no steps make) nothing, and `error` says why.
std::optional<Plan> planReshard(const Grid &grid,
                                const std::vector<int64_t> &shape,
                                int64_t elementBytes, const Sharding &from,
                                const Sharding &to,
                                const CostModel &costModel = LinkCostModel(),
                                std::string *error = nullptr);

/// A number that the plan of planReshard costs no less than, in a small part of its
/// time. 0 where halos or offsets are involved or where there is no plan.
double boundReshardCost(const Grid &grid, const std::vector<int64_t> &shape,
                        int64_t elementBytes, const Sharding &from,
                        const Sharding &to, const CostModel &costModel);

/// What a dynamic extent counts as in bytes and costs: a multiple of the number
/// of devices, at least 1024; on a grid with `unevenDynamic` one more.
int64_t nominalExtent(const Grid &grid);

/// Keeps the plans that it makes: a second question for one costs one look-up. Threads
/// may share a planner.
class Planner {
public:
  /// Takes a text of some lines. This library has no LLVM_DEBUG: whoever makes a
  /// planner passes a function that prints, or nothing.
  using Trace = std::function<void(const std::string &)>;

  /// `costModel` must outlive the planner. `trace` is given each new question and
  /// its plan.
  explicit Planner(const CostModel &costModel, Trace trace = nullptr);
  ~Planner();
  Planner(const Planner &) = delete;
  Planner &operator=(const Planner &) = delete;

  /// As planReshard; the plan lives as long as the planner. Null without one.
  const Plan *plan(const Grid &grid, const std::vector<int64_t> &shape,
                   int64_t elementBytes, const Sharding &from,
                   const Sharding &to, std::string *error = nullptr);

  /// That which plans are compared by.
  const CostModel &costModel() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The keyword of a kind: that of the dialect's op where there is one
/// ("all_gather"), else a name of its own ("make_partial").
const char *stringifyStepKind(Step::Kind kind);

/// One line: "all_to_all axes = [0] dim = 0 concat_dim = 1 -> [[0], []] 4x16".
std::string toString(const Step &step);

/// The plan for people: a line per step with local shapes, bytes, peak memory
/// and cost, then the totals and the lower bound.
std::string toString(const Plan &plan, const Grid &grid,
                     const std::vector<int64_t> &shape, int64_t elementBytes,
                     const Sharding &from, const Sharding &to);

/// A table of the plans between all ordered pairs of shardings of a tensor on a
/// grid, partial ones left out: a line per pair with the steps' keywords, cost,
/// lower bound, peak memory. Nothing, and `error`, where the arguments make no
/// sense or where there are more than `maxPairs` pairs.
std::optional<std::string>
tableOfPlans(const Grid &grid, const std::vector<int64_t> &shape,
             int64_t elementBytes, const CostModel &costModel = LinkCostModel(),
             int64_t maxPairs = 100000, std::string *error = nullptr);

} // namespace shard

#endif // SHARD_RESHARDING_PLAN_H
