//===- CollectivesTest.cpp - Collectives against their definitions --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each collective on every grid up to 2x3x2, every ordered list of axes, every
// dimension and every element type, compared with its definition written out
// element by element.
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "shard/Geometry/Sharding.h"
#include "shard/Runtime/Threads.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace shard;
using namespace shard::test;

namespace {

using Index = std::vector<int64_t>;

/// One collective on all devices: inputs, the call, and what has to come out.
struct Case {
  std::string name;
  std::vector<Array> inputs;
  std::vector<Array> expected;
  std::function<void(const int64_t *input, const int64_t *result)> call;
};

/// The cases of one grid, list of axes and element type.
struct Suite {
  Grid grid;
  AxisList axes;
  int64_t type;
  std::vector<int64_t> words;
  std::vector<Case> cases;
  unsigned counter = 0;

  Suite(Grid grid, AxisList axes, int64_t type)
      : grid(grid), axes(axes), type(type), words(groupWords(grid, axes)) {}

  int64_t size() const { return grid.groupSize(axes); }
  int64_t position(int64_t device) const {
    return grid.positionInGroup(device, axes);
  }

  double nextValue() {
    counter = counter * 1103515245u + 12345u;
    return double(int((counter >> 16) % 7) - 3);
  }
  Array randomArray(const Index &sizes) {
    Array array(sizes);
    for (double &value : array.values)
      value = decode(encode(nextValue(), type), type);
    return array;
  }
  std::vector<Array> randomInputs(const Index &sizes) {
    std::vector<Array> inputs;
    for (int64_t d = 0; d < grid.numDevices(); ++d)
      inputs.push_back(randomArray(sizes));
    return inputs;
  }

  /// The elements of a dimension at a position, cut axis by axis; -1: padding.
  std::vector<int64_t> elements(int64_t extent, int64_t position) const {
    std::vector<int64_t> list;
    for (int64_t i = 0; i < extent; ++i)
      list.push_back(i);
    Index sizes = grid.sizes(axes), at = delinearize(position, sizes);
    for (size_t a = 0; a < sizes.size(); ++a) {
      int64_t width = (int64_t(list.size()) + sizes[a] - 1) / sizes[a];
      list.resize(width * sizes[a], -1);
      list = {list.begin() + at[a] * width, list.begin() + (at[a] + 1) * width};
    }
    return list;
  }
  /// The block of `whole` along `dim`, padded with `padding`.
  Array block(const Array &whole, int64_t dim, int64_t position,
              double padding) const {
    std::vector<int64_t> list = elements(whole.sizes[dim], position);
    Index sizes = whole.sizes;
    sizes[dim] = list.size();
    Array result(sizes);
    result.forEach([&](Index index) {
      int64_t element = list[index[dim]];
      double &value = result.at(index);
      index[dim] = element;
      value = element < 0 ? padding : whole.at(index);
    });
    return result;
  }

  /// The value that all devices of a group share, one per group.
  std::vector<Array> sharedByGroup(const Index &sizes) {
    std::vector<Array> result(grid.numDevices());
    for (int64_t d = 0; d < grid.numDevices(); ++d) {
      int64_t first = grid.groupMembers(d, axes)[0];
      result[d] = first == d ? randomArray(sizes) : result[first];
    }
    return result;
  }

  void add(std::string name, std::vector<Array> inputs,
           std::vector<Array> expected,
           std::function<void(const int64_t *, const int64_t *)> call) {
    cases.push_back({std::move(name), std::move(inputs), std::move(expected),
                     std::move(call)});
  }

  void run() {
    std::vector<std::vector<Buffer>> inputs(cases.size()),
        results(cases.size());
    for (size_t c = 0; c < cases.size(); ++c)
      for (int64_t d = 0; d < grid.numDevices(); ++d) {
        inputs[c].emplace_back(cases[c].inputs[d], type, c % 3 == 1);
        results[c].emplace_back(Array(cases[c].expected[d].sizes, 5), type);
      }
    auto report = runtime::runOnGrid(grid.shape, [&](int64_t device) {
      for (size_t c = 0; c < cases.size(); ++c)
        cases[c].call(inputs[c][device].words.data(),
                      results[c][device].words.data());
    });
    ASSERT_TRUE(report.ok) << report.error;
    for (size_t c = 0; c < cases.size(); ++c)
      for (int64_t d = 0; d < grid.numDevices(); ++d)
        ASSERT_EQ(results[c][d].array().values, cases[c].expected[d].values)
            << cases[c].name << " on " << describe() << ", device " << d;
  }

  std::string describe() const {
    std::string text = "grid ";
    for (int64_t size : grid.shape)
      text += std::to_string(size) + "x";
    text += " axes";
    for (GridAxis axis : axes)
      text += " " + std::to_string(axis);
    return text + " type " + std::to_string(type);
  }
};

void forEachSuite(const std::vector<int64_t> &types,
                  const std::function<void(Suite &)> &fill) {
  for (const Grid &grid : allGrids())
    for (const AxisList &axes : allAxisLists(grid.rank()))
      for (int64_t type : types) {
        Suite suite(grid, axes, type);
        fill(suite);
        suite.run();
        if (testing::Test::HasFatalFailure())
          return;
      }
}

/// A shape of rank 3 with `extent` at `dim`.
Index shapeWith(int64_t dim, int64_t extent) {
  Index sizes = {2, 3, 2};
  sizes[dim] = extent;
  return sizes;
}

/// Extents that divide, that leave a short block, empty blocks, one element.
std::vector<int64_t> extentsFor(int64_t parts) {
  std::vector<int64_t> extents = {2 * parts};
  if (parts > 1)
    extents.insert(extents.end(), {2 * parts - 1, parts + 1, 1});
  return extents;
}

const char kHere[] = "test.mlir:1:1";
constexpr double kPadding = 1;

TEST(Collectives, AllGatherAndGather) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    for (int64_t dim = 0; dim < 3; ++dim)
      for (int64_t extent : extentsFor(s.size())) {
        std::vector<Array> wholes = s.sharedByGroup(shapeWith(dim, extent));
        std::vector<Array> blocks, atRoot;
        int64_t root = extent % s.size();
        for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
          blocks.push_back(s.block(wholes[d], dim, s.position(d), kPadding));
          atRoot.push_back(s.position(d) == root ? wholes[d]
                                                 : Array(wholes[d].sizes));
        }
        s.add("all_gather", blocks, wholes,
              [&s, dim](const int64_t *in, const int64_t *out) {
                shard_rt_all_gather(kHere, s.words.data(), s.type, in, out,
                                    dim);
              });
        Index at = delinearize(root, s.grid.sizes(s.axes));
        s.add("gather", blocks, atRoot,
              [&s, dim, at](const int64_t *in, const int64_t *out) {
                shard_rt_gather(kHere, s.words.data(), s.type, in, out, dim,
                                at.data());
              });
      }
  });
}

TEST(Collectives, AllSliceScatterAndBroadcast) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    for (int64_t dim = 0; dim < 3; ++dim)
      for (int64_t extent : extentsFor(s.size())) {
        std::vector<Array> inputs = s.randomInputs(shapeWith(dim, extent));
        std::vector<Array> own, fromRoot, rootWhole;
        int64_t root = extent % s.size();
        for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
          int64_t rootDevice = s.grid.groupMembers(d, s.axes)[root];
          own.push_back(s.block(inputs[d], dim, s.position(d), 0));
          rootWhole.push_back(inputs[rootDevice]);
          fromRoot.push_back(
              s.block(inputs[rootDevice], dim, s.position(d), 0));
        }
        s.add("all_slice", inputs, own,
              [&s, dim](const int64_t *in, const int64_t *out) {
                shard_rt_all_slice(kHere, s.words.data(), s.type, in, out, dim);
              });
        Index at = delinearize(root, s.grid.sizes(s.axes));
        s.add("scatter", inputs, fromRoot,
              [&s, dim, at](const int64_t *in, const int64_t *out) {
                shard_rt_scatter(kHere, s.words.data(), s.type, in, out, dim,
                                 at.data());
              });
        s.add("broadcast", inputs, rootWhole,
              [&s, at](const int64_t *in, const int64_t *out) {
                shard_rt_broadcast(kHere, s.words.data(), s.type, in, out,
                                   at.data());
              });
      }
  });
}

TEST(Collectives, AllToAll) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    for (int64_t split = 0; split < 3; ++split)
      for (int64_t concat = 0; concat < 3; ++concat) {
        if (split == concat)
          continue;
        for (int64_t extent : extentsFor(s.size())) {
          // A whole cut along `concat` becomes the whole cut along `split`.
          Index sizes = shapeWith(split, extent);
          sizes[concat] = extentsFor(s.size()).back() + 1;
          std::vector<Array> wholes = s.sharedByGroup(sizes), from, to;
          for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
            from.push_back(s.block(wholes[d], concat, s.position(d), kPadding));
            to.push_back(s.block(wholes[d], split, s.position(d), 0));
          }
          s.add("all_to_all", from, to,
                [&s, split, concat](const int64_t *in, const int64_t *out) {
                  shard_rt_all_to_all(kHere, s.words.data(), s.type, in, out,
                                      split, concat);
                });
        }
      }
    // Within one dimension: block p of the result is block `me` of device p.
    for (int64_t dim = 0; dim < 3; ++dim) {
      std::vector<Array> inputs = s.randomInputs(shapeWith(dim, 2 * s.size()));
      std::vector<Array> expected = inputs;
      for (int64_t d = 0; d < s.grid.numDevices(); ++d)
        expected[d].forEach([&](Index index) {
          double &value = expected[d].at(index);
          int64_t peer = s.grid.groupMembers(d, s.axes)[index[dim] / 2];
          index[dim] = s.position(d) * 2 + index[dim] % 2;
          value = inputs[peer].at(index);
        });
      s.add("all_to_all in one dimension", inputs, expected,
            [&s, dim](const int64_t *in, const int64_t *out) {
              shard_rt_all_to_all(kHere, s.words.data(), s.type, in, out, dim,
                                  dim);
            });
    }
  });
}

/// The definition of a reduction on values of a type; integers are computed
/// without bounds and wrapped at the end.
double combine(int64_t reduction, int64_t type,
               const std::vector<double> &values) {
  int width = bitWidth(type);
  auto asUnsigned = [&](double value) {
    uint64_t bits = uint64_t(int64_t(value));
    return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
  };
  double result = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    double value = values[i];
    switch (reduction) {
    case SHARD_RT_SUM:
    case SHARD_RT_AVERAGE:
      result += value;
      break;
    case SHARD_RT_PRODUCT:
      result *= value;
      break;
    case SHARD_RT_MAX:
      result = std::max(result, value);
      break;
    case SHARD_RT_MIN:
      result = std::min(result, value);
      break;
    case SHARD_RT_UMAX:
      result = asUnsigned(result) < asUnsigned(value) ? value : result;
      break;
    case SHARD_RT_UMIN:
      result = asUnsigned(value) < asUnsigned(result) ? value : result;
      break;
    case SHARD_RT_BITWISE_AND:
      result = double(int64_t(result) & int64_t(value));
      break;
    case SHARD_RT_BITWISE_OR:
      result = double(int64_t(result) | int64_t(value));
      break;
    case SHARD_RT_BITWISE_XOR:
      result = double(int64_t(result) ^ int64_t(value));
      break;
    }
  }
  if (reduction == SHARD_RT_AVERAGE) {
    result /= values.size();
    result = isFloat(type) ? result : std::trunc(result);
  }
  return decode(encode(result, type), type);
}

bool hasMeaning(int64_t reduction, int64_t type) {
  if (isFloat(type))
    return reduction <= SHARD_RT_AVERAGE;
  return type != SHARD_RT_I1 || reduction != SHARD_RT_AVERAGE;
}

/// Values whose reductions are exact in every type: few powers of two for
/// products, and groups whose size is no power of two average multiples of it.
std::vector<Array> reductionInputs(Suite &s, int64_t reduction,
                                   const Index &sizes) {
  std::vector<Array> inputs = s.randomInputs(sizes);
  for (Array &input : inputs)
    for (double &value : input.values) {
      if (isFloat(s.type) && reduction == SHARD_RT_AVERAGE)
        value *= s.size();
      if (isFloat(s.type) && reduction == SHARD_RT_PRODUCT)
        value = value == 3 ? 2 : value == -3 ? -2 : value;
    }
  return inputs;
}

TEST(Collectives, Reductions) {
  forEachSuite(allTypes(), [](Suite &s) {
    for (int64_t reduction = SHARD_RT_SUM; reduction <= SHARD_RT_UMAX;
         ++reduction) {
      if (!hasMeaning(reduction, s.type))
        continue;
      auto reduce = [&](const std::vector<Array> &inputs) {
        std::vector<Array> result;
        for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
          result.push_back(inputs[d]);
          for (size_t i = 0; i < result[d].values.size(); ++i) {
            std::vector<double> values;
            for (int64_t peer : s.grid.groupMembers(d, s.axes))
              values.push_back(inputs[peer].values[i]);
            result[d].values[i] = combine(reduction, s.type, values);
          }
        }
        return result;
      };
      std::vector<Array> inputs = reductionInputs(s, reduction, {2, 3, 2});
      std::vector<Array> all = reduce(inputs), atRoot = all;
      int64_t root = reduction % s.size();
      for (int64_t d = 0; d < s.grid.numDevices(); ++d)
        if (s.position(d) != root)
          atRoot[d] = Array(all[d].sizes);
      s.add("all_reduce " + std::to_string(reduction), inputs, all,
            [&s, reduction](const int64_t *in, const int64_t *out) {
              shard_rt_all_reduce(kHere, s.words.data(), s.type, in, out,
                                  reduction);
            });
      Index at = delinearize(root, s.grid.sizes(s.axes));
      s.add("reduce " + std::to_string(reduction), inputs, atRoot,
            [&s, reduction, at](const int64_t *in, const int64_t *out) {
              shard_rt_reduce(kHere, s.words.data(), s.type, in, out, reduction,
                              at.data());
            });
      for (int64_t dim = 0; dim < 3; ++dim)
        for (int64_t extent : extentsFor(s.size())) {
          // How blocks are cut does not depend on the kind.
          if (reduction != SHARD_RT_SUM && (dim + reduction) % 3 != 0)
            continue;
          // Long runs and short ones take different ways.
          Index sizes = shapeWith(dim, extent);
          if (reduction == SHARD_RT_SUM)
            sizes[dim == 2 ? 1 : 2] = dim == 1 ? 35 : 3;
          inputs = reductionInputs(s, reduction, sizes);
          std::vector<Array> expected = reduce(inputs);
          for (int64_t d = 0; d < s.grid.numDevices(); ++d)
            expected[d] = s.block(expected[d], dim, s.position(d), 0);
          s.add("reduce_scatter " + std::to_string(reduction), inputs, expected,
                [&s, reduction, dim](const int64_t *in, const int64_t *out) {
                  shard_rt_reduce_scatter(kHere, s.words.data(), s.type, in,
                                          out, reduction, dim);
                });
        }
    }
  });
}

TEST(Collectives, Shift) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    auto isInGroup = [&](GridAxis axis) {
      return std::find(s.axes.begin(), s.axes.end(), axis) != s.axes.end();
    };
    for (const AxisList &along : allAxisLists(s.grid.rank())) {
      if (along.empty() || !std::all_of(along.begin(), along.end(), isInGroup))
        continue;
      std::vector<int64_t> offsets = {-7, -1, 0, 2, 8};
      if (along.size() > 1)
        offsets = {-2, 1};
      for (int64_t offset : offsets)
        for (int mode = 0; mode < 4; ++mode) {
          bool rotate = mode & 1, mirror = mode & 2;
          std::vector<Array> inputs = s.randomInputs({2, 3});
          std::vector<Array> expected;
          int64_t extent = s.grid.groupSize(along);
          for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
            Index from = s.grid.coordinates(d);
            int64_t here = 0;
            for (GridAxis axis : along)
              here = here * s.grid.shape[axis] + from[axis];
            int64_t there = mirror ? offset - here : here - offset;
            if (rotate)
              there = ((there % extent) + extent) % extent;
            bool exists = there >= 0 && there < extent;
            for (size_t i = along.size(); exists && i-- > 0;) {
              from[along[i]] = there % s.grid.shape[along[i]];
              there /= s.grid.shape[along[i]];
            }
            expected.push_back(exists ? inputs[s.grid.device(from)]
                                      : Array({2, 3}));
          }
          std::vector<int64_t> words = {int64_t(along.size())};
          words.insert(words.end(), along.begin(), along.end());
          s.add("shift", inputs, expected,
                [&s, words, offset, rotate, mirror](const int64_t *in,
                                                    const int64_t *out) {
                  shard_rt_shift(kHere, s.words.data(), s.type, in, out,
                                 words.data(), offset, rotate, mirror);
                });
        }
    }
  });
}

TEST(Collectives, Permute) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    for (const AxisList &to : allAxisLists(s.grid.rank())) {
      if (s.grid.groupSize(to) != s.size())
        continue;
      auto without = [](const AxisList &list, const AxisList &other) {
        AxisList result;
        for (GridAxis axis : list)
          if (std::find(other.begin(), other.end(), axis) == other.end())
            result.push_back(axis);
        return result;
      };
      AxisList lost = without(s.axes, to), gained = without(to, s.axes);
      std::vector<Array> inputs = s.randomInputs({3, 2}), expected;
      for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
        Index source = s.grid.coordinates(d);
        auto place = [&](int64_t number, const AxisList &axes) {
          Index at = delinearize(number, s.grid.sizes(axes));
          for (size_t i = 0; i < axes.size(); ++i)
            source[axes[i]] = at[i];
        };
        place(s.grid.positionInGroup(d, to), s.axes);
        place(s.grid.positionInGroup(d, lost), gained);
        expected.push_back(inputs[s.grid.device(source)]);
      }
      std::vector<int64_t> words = {int64_t(to.size())};
      words.insert(words.end(), to.begin(), to.end());
      s.add("permute", inputs, expected,
            [&s, words](const int64_t *in, const int64_t *out) {
              shard_rt_permute(kHere, s.words.data(), s.type, in, out,
                               words.data());
            });
    }
  });
}

TEST(Collectives, PermuteRenumbersBlocks) {
  // A value split by axes [0] holds block i where coordinate 0 is i; afterwards
  // block i is where the linear index on `to` is i.
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    for (const AxisList &to : allAxisLists(s.grid.rank())) {
      if (s.grid.groupSize(to) != s.size())
        continue;
      std::vector<Array> inputs, expected;
      for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
        auto number = [&](int64_t n) {
          return Array({1}, decode(encode(double(n), s.type), s.type));
        };
        inputs.push_back(number(s.position(d)));
        expected.push_back(number(s.grid.positionInGroup(d, to)));
      }
      std::vector<int64_t> words = {int64_t(to.size())};
      words.insert(words.end(), to.begin(), to.end());
      s.add("permute", inputs, expected,
            [&s, words](const int64_t *in, const int64_t *out) {
              shard_rt_permute(kHere, s.words.data(), s.type, in, out,
                               words.data());
            });
    }
  });
}

TEST(Collectives, Redistribute) {
  // All axes split rows before; afterwards the first ones split columns in the other
  // order and the last one nothing. Blocks may be short on either side.
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    AxisList rows = s.axes, columns = s.axes;
    if (!columns.empty())
      columns.pop_back();
    std::reverse(columns.begin(), columns.end());
    for (Index extents : {Index{7, 5}, Index{s.size() * 2, s.size()}}) {
      // Every number of the whole occurs once.
      auto blockOf = [&](int64_t device, const AxisList &axes, size_t dim) {
        Sharding sharding = Sharding::replicated(2);
        sharding.dims[dim] = axes;
        std::vector<Block> blocks =
            localBlocks(s.grid, extents, sharding, device);
        Array array(localShape(s.grid, extents, sharding), 0);
        for (int64_t i = 0; i < blocks[0].size; ++i)
          for (int64_t j = 0; j < blocks[1].size; ++j)
            array.at({i, j}) =
                decode(encode(double((blocks[0].offset + i) * extents[1] +
                                     blocks[1].offset + j),
                              s.type),
                       s.type);
        return array;
      };
      std::vector<Array> inputs, expected;
      for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
        inputs.push_back(blockOf(d, rows, 0));
        expected.push_back(blockOf(d, columns, 1));
      }
      Index from = {int64_t(rows.size())}, to = {0, int64_t(columns.size())};
      from.insert(from.end(), rows.begin(), rows.end());
      from.push_back(0);
      to.insert(to.end(), columns.begin(), columns.end());
      s.add("redistribute", inputs, expected,
            [&s, extents, from, to](const int64_t *in, const int64_t *out) {
              shard_rt_redistribute(kHere, s.words.data(), s.type, in, out,
                                    extents.data(), from.data(), to.data());
            });
    }
  });
}

TEST(Collectives, UpdateHalo) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    // The axes split dimension 0, but for the last one, which splits 1.
    if (s.axes.empty())
      return;
    AxisList rows(s.axes.begin(), s.axes.end() - 1), columns = {s.axes.back()};
    Index perDim = {int64_t(rows.size()), 1};
    for (Index halos :
         {Index{1, 1, 1, 1}, Index{0, 2, 1, 0}, Index{3, 4, 5, 3}}) {
      Index core = {2, 3}, sizes, parts;
      parts = {s.grid.groupSize(rows), s.grid.groupSize(columns)};
      for (int i = 0; i < 2; ++i)
        sizes.push_back(halos[2 * i] + core[i] + halos[2 * i + 1]);
      std::vector<Array> inputs = s.randomInputs(sizes), expected = inputs;
      for (int64_t d = 0; d < s.grid.numDevices(); ++d)
        expected[d].forEach([&](Index index) {
          // The element's place in the whole, and who owns it; where nobody
          // does, it stays what it is.
          Index owner = {s.grid.positionInGroup(d, rows),
                         s.grid.positionInGroup(d, columns)};
          Index from = index;
          for (int i = 0; i < 2; ++i) {
            int64_t at = owner[i] * core[i] + index[i] - halos[2 * i];
            if (at < 0 || at >= parts[i] * core[i])
              return;
            owner[i] = at / core[i];
            from[i] = at % core[i] + halos[2 * i];
          }
          Index coordinates = s.grid.coordinates(d);
          Index atRows = delinearize(owner[0], s.grid.sizes(rows));
          for (size_t i = 0; i < rows.size(); ++i)
            coordinates[rows[i]] = atRows[i];
          coordinates[columns[0]] = owner[1];
          expected[d].at(index) = inputs[s.grid.device(coordinates)].at(from);
        });
      s.add("update_halo", inputs, expected,
            [&s, perDim, halos](const int64_t *in, const int64_t *out) {
              shard_rt_update_halo(kHere, s.words.data(), s.type, in, out,
                                   perDim.data(), halos.data(), nullptr);
            });
      s.add("update_halo in place", inputs, expected,
            [&s, perDim, halos](const int64_t *in, const int64_t *out) {
              int64_t none[] = {0, 0}, no[] = {0, 0, 0, 0};
              std::vector<int64_t> alone = groupWords(s.grid, {});
              shard_rt_update_halo(kHere, alone.data(), s.type, in, out, none,
                                   no, nullptr);
              shard_rt_update_halo(kHere, s.words.data(), s.type, out, out,
                                   perDim.data(), halos.data(), nullptr);
            });

      // Only what devices read is sent: every second row, and of three columns of each of
      // five places those that lie 2 apart; the rest of the halos stays what it is.
      Index windows = {5, 2, 1, 1, 0, 9, 1, 5, 1, -1, 3, 1, 6, 2};
      std::vector<Array> read = inputs;
      for (int64_t d = 0; d < s.grid.numDevices(); ++d) {
        Index at = {s.grid.positionInGroup(d, rows),
                    s.grid.positionInGroup(d, columns)};
        auto reads = [&](Index index) {
          for (int i = 0; i < 2; ++i) {
            const int64_t *window = windows.data() + 7 * i;
            int64_t place = at[i] * core[i] + index[i] - halos[2 * i];
            AxisList axes = i == 0 ? rows : columns;
            shard::Block block =
                shard::blockAt(window[0], s.grid.sizes(axes),
                               delinearize(at[i], s.grid.sizes(axes)));
            bool found = false;
            for (int64_t k = 0; k < block.size; ++k) {
              int64_t first = window[1] * (block.offset + k) + window[2];
              found |= place >= first && place < first + window[3];
            }
            if (!found || place < window[4] || place >= window[4] + window[5] ||
                (place - window[4]) % window[6] != 0)
              return false;
          }
          return true;
        };
        read[d].forEach([&](Index index) {
          if (reads(index))
            read[d].at(index) = expected[d].at(index);
        });
      }
      s.add(
          "update_halo of windows", inputs, read,
          [&s, perDim, halos, windows](const int64_t *in, const int64_t *out) {
            int64_t none[] = {0, 0}, no[] = {0, 0, 0, 0};
            std::vector<int64_t> alone = groupWords(s.grid, {});
            shard_rt_update_halo(kHere, alone.data(), s.type, in, out, none, no,
                                 nullptr);
            shard_rt_update_halo(kHere, s.words.data(), s.type, out, out,
                                 perDim.data(), halos.data(), windows.data());
          });
    }
  });
}

TEST(Collectives, SendAndReceive) {
  forEachSuite(oneTypePerWidth(), [](Suite &s) {
    // Everybody sends twice around the ring, in order; then the last position
    // collects from anybody.
    std::vector<Array> inputs = s.randomInputs({2, 3}), expected;
    int64_t k = s.size();
    for (int64_t d = 0; d < s.grid.numDevices(); ++d)
      expected.push_back(
          inputs[s.grid.groupMembers(d, s.axes)[(s.position(d) + k - 1) % k]]);
    s.add("send and recv", inputs, expected,
          [&s, k](const int64_t *in, const int64_t *out) {
            int64_t me = s.position(shard_rt_process_linear_index());
            Index sizes = s.grid.sizes(s.axes);
            Index next = delinearize((me + 1) % k, sizes),
                  last = delinearize((me + k - 1) % k, sizes);
            Buffer second(Array({4}, double(me)), s.type),
                got(Array({4}), s.type);
            const int64_t *group = s.words.data();
            shard_rt_send(kHere, group, s.type, in, next.data());
            shard_rt_send(kHere, group, s.type, second.words.data(),
                          next.data());
            shard_rt_recv(kHere, group, s.type, out, last.data());
            shard_rt_recv(kHere, group, s.type, got.words.data(), nullptr);
            EXPECT_EQ(got.array().values[0],
                      decode(encode(double((me + k - 1) % k), s.type), s.type));
          });
  });
}

} // namespace
