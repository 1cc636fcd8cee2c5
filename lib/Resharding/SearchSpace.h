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
  /// Whether state and target divide the dimension, whether they split it by different
  /// axes, and whether some device then has nothing of its target block.
  bool divides = true, disjoint = false, missesAll = false;
};

/// A state written out: the axes of each dimension in order, the extents after
/// each of them, and the sets of the other axes as bit masks.
struct Layout {
  uint8_t count[maxDims];
  uint8_t axes[maxDims][maxAxes];
  int64_t extent[maxDims][maxAxes + 1];
  DimBound dimBounds[maxDims];
  uint32_t replicated = 0, partialSource = 0, partialTarget = 0;
  /// Bytes of the local block, padding included.
  double bytes = 0;

  int64_t local(int dim) const { return extent[dim][count[dim]]; }
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
  /// it: only the dimensions of the move are written anew. `child` is, but for the
  /// dimensions of the set `stale`, a copy of `parent`; afterwards `stale` has the
  /// dimensions in which they differ.
  void layOutChild(const Layout &parent, const Move &move, Layout &child,
                   uint32_t &stale) const;

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

  /// Appends the moves out of `state` whose input plus output stay within
  /// `memoryBound` bytes, but for permutes that cost more than `costLeft`.
  /// `last`, the move that led to the state (null for the source), leaves out
  /// moves that are no worse earlier. With MoveChoice::Narrow axes go only where they
  /// are wanted, or to one of few dimensions to wait.
  void moves(const State &state, const Layout &layout, const Move *last,
             double memoryBound, double costLeft, MoveChoice choice,
             std::vector<Move> &result) const;

  /// Whether `next`, a slice out of a state that `last` led to, and `last` are one
  /// step.
  bool joins(const Move &last, const Layout &layout, const Move &next) const;

  /// A number that no path from the state to the target costs less than.
  double bound(const Layout &layout) const;
  /// The same in bytes that some device has to receive.
  double boundBytes(const Layout &layout) const;
  bool missesBlock(const Layout &layout, int dim, int at, int count) const;

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
  /// The extents of a dimension of `layout`, out of its axes; those of the first `from`
  /// axes are known.
  void measure(Layout &layout, int dim, int from) const;
  void sortAxes(const State &state, Layout &layout, uint32_t dims) const;
  DimBound boundOf(const Layout &layout, int dim) const;
  double largestPart(const Layout &layout, int dim, int index,
                     int64_t before) const;
  void findSymmetries();
  /// Whether one step over all of `axes` cuts a dimension of local extent
  /// `extent` as it should be.
  bool flat(int64_t extent, const uint8_t *axes, int count) const;
  bool keepsBlocks(const Layout &layout, int dim, const uint8_t *axes,
                   int count) const;
  /// The sizes of `axes`, in order, as one number.
  uint64_t sizesCode(const uint8_t *axes, int count) const {
    uint64_t code = 0;
    for (int i = 0; i < count; ++i)
      code = code << 4 | sizeClass[axes[i]];
    return code;
  }
  double cost(Collective collective, uint32_t axes, double bytes) const;

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
    std::vector<Move> &result;
  };
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
  uint32_t targetPartial = 0, targetSplit = 0;
  /// Groups along the partial axes of the target; devices with one element.
  double targetSummands = 1, targetCopies = 1;
  /// Bytes of the target block at coordinates 0, and of the source block.
  double targetBytes = 0, sourceBytes = 0;
  /// Of each dimension whether the target divides it.
  bool evenTarget[maxDims];
  /// Of each axis that the target splits a dimension by: the largest part of the
  /// elements that one coordinate of the axis has in the target.
  double targetPart[maxAxes];
  /// Whether the target is known, so that bounds can be computed.
  bool targetKnown = false;
  /// Bytes of the whole value.
  double wholeBytes = 1;
  mutable AxisList scratch;
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
  /// Axes that split a dimension one after the other.
  struct AxisSequence {
    uint32_t set;
    uint8_t count;
    uint8_t axes[maxAxes];
  };
  /// By a dimension and the sizes of its axes: the sequences that give it the same blocks.
  mutable std::unordered_map<uint64_t, std::vector<AxisSequence>>
      knownSequences;
};

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_SEARCHSPACE_H
