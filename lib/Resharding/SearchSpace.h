//===- SearchSpace.h - States and moves of the reshard search ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state says for each axis where it stands: replicated, partial, or at a
// position of a dimension. It fits 16 bytes, one per axis. SearchSpace lists
// the moves out of a state with their costs and bounds the cost from a state to
// the target from below.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RESHARDING_SEARCHSPACE_H
#define SHARD_LIB_RESHARDING_SEARCHSPACE_H

#include "shard/Resharding/Search.h"

#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shard {
namespace detail {

/// The axes and dimensions of a state. For larger problems SearchSpace::fits is
/// false, and the search finds no plan.
constexpr int maxAxes = 16;
constexpr int maxDims = 14;

/// Where an axis stands.
enum Place : uint8_t {
  Replicated = 0,
  /// Partial by the kind of the source, and by that of the target where the two
  /// kinds differ.
  PartialSource = 1,
  PartialTarget = 2,
  /// Place of position p of dimension d: (d + 1) * 16 + p.
  FirstSplit = 16,
};

struct State {
  std::array<uint8_t, maxAxes> place{};

  bool operator==(const State &other) const {
    uint64_t a[2], b[2];
    std::memcpy(a, place.data(), sizeof(a));
    std::memcpy(b, other.place.data(), sizeof(b));
    return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
  }
  uint64_t hash() const {
    uint64_t words[2];
    std::memcpy(words, place.data(), sizeof(words));
    uint64_t h = words[0] * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
    h = (h + words[1]) * 0xD6E8FEB86659FD93u;
    return h ^ (h >> 29);
  }
};

/// What one dimension of a state contributes to the lower bound: it depends on the axes
/// of the dimension alone, and on the target (SearchSpace::boundBytes).
struct DimBound {
  /// Elements along the dimension that a device has of its target block, at most: any
  /// device, and the one at coordinates 0 of the target's axes. Where the target is
  /// partial, a group along its partial axes counts as one device.
  double overlap = 1, atOrigin = 1;
  /// At most this part of the elements is in the state and in the target on one device.
  double meets = 1;
  /// One bit each: whether state and target do not both divide the dimension, whether they
  /// split it by different axes, and whether some device then has nothing of its target block.
  /// A state has a bit if one of its dimensions has it.
  enum : uint8_t { Uneven = 1, Disjoint = 2, MissesAll = 4 };
  uint8_t bits = 0;
};

/// One dimension of a state written out: its axes in order, and the extents after each of
/// them. What is read for each move comes first.
struct DimLayout {
  DimBound bound;
  int dim = 0, count = 0;
  /// The extent behind all axes.
  int64_t local = 0;
  /// The set of `axes` as a bit mask.
  uint32_t set = 0;
  /// Whether one step over the axes from number i on cuts the extent in front of them as it
  /// should be: bit i.
  uint32_t flatFrom = 0;
  uint8_t axes[maxAxes];
  int64_t extent[maxAxes + 1];
  /// The same dimension without the last axis, and with one more, where that has been
  /// looked at.
  const DimLayout *without = nullptr;
  mutable const DimLayout *with[maxAxes] = {};
  /// What SearchSpace::sequencesFor found, by SearchSpace::even.
  mutable const std::vector<const DimLayout *> *sequences[2] = {};
};

/// A state written out: its dimensions, which are kept by SearchSpace, and the sets of the
/// other axes as bit masks.
struct Layout {
  const DimLayout *dims[maxDims];
  uint32_t replicated = 0, partialSource = 0, partialTarget = 0;
  /// Bytes of the local block, padding included.
  double bytes = 0;

  int count(int dim) const { return dims[dim]->count; }
  const uint8_t *axes(int dim) const { return dims[dim]->axes; }
  const int64_t *extent(int dim) const { return dims[dim]->extent; }
  int64_t local(int dim) const { return dims[dim]->local; }
};

/// The largest number of axes for which the list of all moves has every permute and
/// every order of axes; where axes differ in what they cost, for which it is short enough.
constexpr int mostAxesWithAllMoves = 5, mostUnequalAxesWithAllMoves = 4;

/// Which moves are looked at: all, all but rare ones of many axes, or those that look
/// useful.
enum class MoveChoice { All, Usual, Narrow };

/// A move: enough to write the step down once the path is known.
struct Move {
  State to;
  double cost = 0;
  /// SearchSpace::bound of the state that it leads to; negative if it has not been found.
  double bound = -1;
  Step::Kind kind = Step::Kind::AllGather;
  int8_t dim = -1, concatDim = -1;
  /// Of slices the number of axes, those of joined earlier slices included.
  int8_t count = 0;
  /// Of permutes whether axes only change place with axes of equal size.
  bool renames = false;
};

class SearchSpace {
public:
  explicit SearchSpace(const SearchProblem &problem);

  /// Whether the problem fits (axes and dimensions that matter).
  bool fits() const { return representable; }
  int axes() const { return numAxes; }
  /// Whether MoveChoice::All lists every permute and every order of axes.
  bool hasEveryOrder() const {
    return numAxes <=
           (uniform ? mostAxesWithAllMoves : mostUnequalAxesWithAllMoves);
  }
  /// Whether the moves are all that there are, but for those that cannot help.
  bool complete() const { return allMoves && !evenOnly; }

  /// With many axes that divide the dimensions of source and target, but not all
  /// of them together: look only at states where they divide. Whether that is so.
  bool restrictToEven();
  void allowUneven() {
    even = even && !evenOnly;
    evenOnly = false;
  }

  const State &source() const { return sourceState; }
  const State &target() const { return targetState; }

  void layOut(const State &state, Layout &layout) const;

  /// The same for the state that `move` leads to, out of the layout of the state before
  /// it: only the dimensions of the move are looked up anew.
  void layOutChild(const Layout &parent, const Move &move, Layout &child) const;

  /// One of the states from which the target is equally far: they differ in the
  /// names of axes that have one size and one role in the target.
  State canonical(const State &state) const {
    State result = state;
    for (int i = 0; i < numAlike; ++i) {
      uint8_t &a = result.place[alike[i].first];
      uint8_t &b = result.place[alike[i].second];
      if (a > b)
        std::swap(a, b);
    }
    return result;
  }

  /// Appends the moves out of `state`, to which a path of `cost` leads, whose input plus
  /// output stay within `memoryBound` bytes. Leaves out all_to_alls and permutes behind
  /// which each path costs more than `limit`; returns how many. `last`, the move that led
  /// to the state (null for the source), leaves out moves that are no worse earlier. With
  /// MoveChoice::Narrow axes go only where they are wanted, or to one of few dimensions to
  /// wait.
  int64_t moves(const State &state, const Layout &layout, const Move *last,
                double memoryBound, double cost, double limit,
                MoveChoice choice, std::vector<Move> &result) const;

  /// Whether `next`, a slice out of a state that `last` led to, and `last` are one
  /// step.
  bool joins(const Move &last, const Layout &layout, const Move &next) const;

  /// A number that no path from the state to the target costs less than.
  double bound(const Layout &layout) const {
    return costOf(boundBytes(layout));
  }
  /// The same in bytes that some device has to receive.
  double boundBytes(const Layout &layout) const;
  double bytesToMove(const Layout &layout, double summands) const;
  /// What `bound` is at least for all states with the local extents of `layout` and as many
  /// summands, whichever axes they have.
  double boundWithSameExtents(const Layout &layout) const;
  /// The same for all states that split dimensions by further axes than `layout`.
  double boundWithMoreAxes(const Layout &layout) const;
  double costOf(double bytes) const {
    if (costPerByte <= 0)
      return 0;
    // Rounded down to what sums of costs are multiples of; larger numbers are integers.
    constexpr double integers = static_cast<double>(int64_t(1) << 52);
    double cost = bytes * costPerByte * kByteGrains;
    return (cost < integers ? static_cast<double>(static_cast<int64_t>(cost))
                            : cost) /
           kByteGrains;
  }
  double leastBytes(const Layout &layout, double overlap) const;
  bool missesBlock(const DimLayout &layout, int at, int count) const;

  /// A guess at the cost of the work left that is not in the bound: so much per
  /// axis that is in the way of others or not where it is wanted (what the last
  /// gathers cost is in `bound`, that of the state). With `anyPath` a guess that leads straight to
  /// the target, cheap or not.
  double workLeft(const Layout &layout, double bound, bool anyPath) const;

  /// The step that leads from one state to the next.
  Step step(const State &from, const Move &move) const;

private:
  /// Choose what the search is about; false where it does not fit.
  bool chooseAxes();
  bool chooseDims();
  /// Writes down the source and the target.
  void readEnds();
  /// The axes of one dimension as one number, four bits for each, the first one lowest.
  struct DimCode {
    uint64_t axes = 0;
    int count = 0;
  };
  /// The sets of axes of `layout`, and the axes of those of its dimensions that are in
  /// `dims`.
  void sortAxes(const State &state, Layout &layout, uint32_t dims,
                DimCode *codes) const;
  /// `layout` with one more axis, without a bound; with it.
  DimLayout append(const DimLayout &layout, uint8_t axis) const;
  const DimLayout *with(const DimLayout *layout, uint8_t axis) const;
  /// The dimension `dim` with the axes `code`.
  const DimLayout *dimLayout(int dim, DimCode code) const;
  void sumBytes(Layout &layout) const;
  DimBound boundOf(const DimLayout &layout) const;
  double largestPart(const DimLayout &layout, int index, int64_t before) const;
  uint32_t axesThatStay(const DimLayout &from, const DimLayout &to) const;
  void findSymmetries();
  /// Whether one step over all of `axes` cuts a dimension of local extent
  /// `extent` as it should be.
  bool flat(int64_t extent, const uint8_t *axes, int count) const;
  /// The same for the axes of a dimension from number `first` on.
  bool flatFrom(const DimLayout &layout, int first) const {
    return (even && !evenOnly) || layout.flatFrom >> first & 1;
  }
  bool keepsBlocks(const Layout &layout, int dim, const uint8_t *axes,
                   int count) const;
  /// The sizes of `axes`, in order, as one number.
  uint64_t sizesCode(const uint8_t *axes, int count) const {
    uint64_t code = 0;
    for (int i = 0; i < count; ++i)
      code = code << 4 | sizeClass[axes[i]];
    return code;
  }
  double cost(Collective collective, uint32_t axes, double bytes) const {
    if (bytes <= 0)
      return 0;
    return uniform ? bytes * costPerByte : costAlong(collective, axes, bytes);
  }
  /// The same where axes differ in what they cost.
  double costAlong(Collective collective, uint32_t axes, double bytes) const;

  /// What the lists of moves have in common.
  struct Expansion {
    const State &state;
    const Layout &layout;
    const Move *last;
    double memoryBound;
    /// Dimensions to which any axis may go.
    uint32_t openDims;
    /// Whether every permute and every order of axes is wanted.
    bool everyOrder;
    double cost, limit;
    std::vector<Move> &result;
    mutable int64_t leftOut = 0;
  };
  /// Whether a path over `move`, which leads to `child`, may cost no more than the limit;
  /// counts it if not.
  bool mayPay(const Expansion &at, Move &move, const Layout &child) const;
  /// Whether blocks of extent `local` may be cut `k` ways.
  bool mayCut(int64_t local, int64_t k) const {
    return !evenOnly || local % k == 0;
  }
  bool mayFollow(const Move *last, Step::Kind kind, int dim,
                 int concatDim = -1) const;
  uint32_t waitingDims(const Layout &layout) const;
  /// Whether axes, of which `first` is the most major, may go to `dim`.
  bool mayAppend(const Expansion &at, int dim, uint8_t first) const;
  void gathers(const Expansion &) const;
  void slices(const Expansion &) const;
  void exchanges(const Expansion &) const;
  /// The last axes of a dimension, from number `first` on.
  struct LastAxes {
    int dim, first;
    uint32_t set;
    int64_t parts;
  };
  void exchange(const Expansion &at, const LastAxes &moved, int to,
                Layout &child) const;
  void reductions(const Expansion &) const;
  void partials(const Expansion &) const;
  void renamings(const Expansion &) const;
  void permutes(const Expansion &) const;
  struct PermuteBuilder;
  struct RenameBuilder;
  /// Whether `state` cuts no dimension into parts that it must not have.
  bool hasAllowedParts(const State &state) const;

  uint32_t setOf(const uint8_t *axes, int count) const {
    uint32_t mask = 0;
    for (int i = 0; i < count; ++i)
      mask |= 1u << axes[i];
    return mask;
  }
  int64_t product(uint32_t mask) const {
    int64_t result = 1;
    for (; mask; mask &= mask - 1)
      result *= size[__builtin_ctz(mask)];
    return result;
  }

  const SearchProblem &problem;
  bool representable = true, allMoves = true;
  int numAxes = 0, numDims = 0;
  /// Of each axis of the search its number in the grid and its size.
  GridAxis gridAxis[maxAxes];
  int64_t size[maxAxes];
  /// Axes of one size have one number here.
  uint8_t sizeClass[maxAxes];
  /// Of each dimension of the search its number in the tensor and its extent.
  int tensorDim[maxDims];
  int64_t extent[maxDims];
  /// Of each dimension SearchProblem::partsDivide, and whether any of it is not 0.
  int64_t partsDivide[maxDims];
  bool hasPartLimits = false;
  /// Bytes of one element times the extents of the dimensions left out.
  double unitBytes = 1;
  double devices = 1;
  /// Devices along all axes that a step may use, those that the search leaves out too.
  double usableDevices = 1;
  bool sameKind = true, canMakePartial = true, canEmbedPartial = true;
  double costPerByte = 0;
  bool uniform = false, allSizesEqual = true;
  /// Whether all axes together divide every dimension, or only states in which
  /// the axes divide the dimensions are looked at (`evenOnly`).
  bool even = true, evenOnly = false;
  /// Spare axes of one size (replicated in source and target) by ascending
  /// number: the one before it, or -1.
  int spareBefore[maxAxes];
  /// Pairs of axes that are interchangeable in the target, in an order in which
  /// comparing and exchanging them one after the other sorts the axes.
  std::pair<uint8_t, uint8_t> alike[maxAxes * (maxAxes - 1) / 2];
  int numAlike = 0;

  State sourceState, targetState;
  Layout targetLayout;
  DimLayout targetDims[maxDims];
  uint32_t targetPartial = 0, targetSplit = 0;
  /// Groups along the partial axes of the target; devices with one element.
  double targetSummands = 1, targetCopies = 1;
  /// Of the lower bound: the target block over the devices of a group, the whole value over
  /// all devices, and the groups that want an element beyond the first.
  double groupBytes = 0, bytesPerDevice = 0, moreGroups = 0;
  /// Bytes of the target block at coordinates 0, and of the source block.
  double targetBytes = 0, sourceBytes = 0;
  /// Of each dimension whether the target divides it.
  bool evenTarget[maxDims];
  /// Of each axis that the target splits a dimension by: the largest part of the
  /// elements that one coordinate of the axis has in the target.
  double targetPart[maxAxes];
  /// Bytes of the whole value.
  double wholeBytes = 1;
  mutable AxisList scratch;
  /// The dimensions of the states that have been looked at: there are far fewer than
  /// states. They lie in pieces, so that they stay where they are.
  DimLayout *keep(const DimLayout &layout) const {
    constexpr size_t pieceSize = 32;
    if (dimLayouts.empty() || dimLayouts.back().size() == pieceSize)
      dimLayouts.emplace_back().reserve(pieceSize);
    return &dimLayouts.back().emplace_back(layout);
  }
  mutable std::vector<std::vector<DimLayout>> dimLayouts;
  /// Each dimension without axes.
  DimLayout *wholeDims[maxDims];
  /// What keepsBlocks found: it is asked the same again and again.
  struct KnownBlocks {
    uint64_t before = 0, after = 0;
    int8_t dim = -1;
    uint8_t countBefore = 0, countAfter = 0;
    bool same = false;
  };
  /// A cache with one entry per hash; a new entry replaces the one before it.
  static constexpr size_t numKnownBlocks = 256;
  mutable std::array<KnownBlocks, numKnownBlocks> knownBlocks;
  /// By a dimension and the sizes of its axes: what has the same blocks.
  mutable std::unordered_map<uint64_t, std::vector<const DimLayout *>>
      knownSequences;
};

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_SEARCHSPACE_H
