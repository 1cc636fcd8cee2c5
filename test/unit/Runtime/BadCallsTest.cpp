//===- BadCallsTest.cpp - Each argument of each collective is checked -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All devices make the same call. One that is right succeeds; with one of its numbers changed
// the run ends with a message that says which one is wrong.
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "shard/Runtime/Threads.h"

#include "gtest/gtest.h"

#include <atomic>

using namespace shard;
using namespace shard::test;

namespace {

using Numbers = std::vector<int64_t>;

/// The numbers of a call on a grid of 2x2 devices. Calls that have no group of all devices, or
/// other shapes, say so.
struct Arguments {
  Numbers input = {8, 4}, result = {8, 4};
  Numbers group = groupWords(Grid{{2, 2}}, {0, 1});
  int64_t type = SHARD_RT_F32;
  /// Dimensions, roots, and all else.
  Numbers more = {};
  /// Whether the result has gaps between its elements.
  bool hasGaps = false;
};

using Function = void (*)(const int64_t *group, int64_t type,
                          const int64_t *input, const int64_t *result,
                          const int64_t *more);

/// What a run of the call says. No device goes on where something is wrong.
std::string errorOf(Function function, const Arguments &arguments) {
  std::vector<Buffer> inputs, results;
  int64_t type = arguments.type == SHARD_RT_I1 ? SHARD_RT_I1 : SHARD_RT_F32;
  for (int64_t device = 0; device < 4; ++device) {
    inputs.emplace_back(Array(arguments.input, 1), type);
    results.emplace_back(Array(arguments.result), type, arguments.hasGaps);
  }
  std::atomic<int> ended{0};
  auto report = runtime::runOnGrid({2, 2}, [&](int64_t device) {
    function(arguments.group.data(), arguments.type,
             inputs[device].words.data(), results[device].words.data(),
             arguments.more.data());
    ++ended;
  });
  EXPECT_EQ(report.ok, report.error.empty());
  EXPECT_EQ(ended, report.ok ? 4 : 0) << report.error;
  return report.error;
}

/// A change of the arguments, and a part of the message.
struct Bad {
  const char *message;
  std::function<void(Arguments &)> change;
};

void expectErrors(const char *name, Function function, const Arguments &right,
                  const std::vector<Bad> &changes) {
  EXPECT_EQ(errorOf(function, right), "") << name;
  for (const Bad &bad : changes) {
    Arguments wrong = right;
    bad.change(wrong);
    std::string error = errorOf(function, wrong);
    EXPECT_NE(error.find(bad.message), std::string::npos)
        << name << " should say '" << bad.message << "' and says '" << error
        << "'";
  }
}

/// The change of one number.
Bad more(size_t index, int64_t value, const char *message) {
  return {message, [=](Arguments &a) { a.more[index] = value; }};
}
Bad input(Numbers sizes, const char *message) {
  return {message, [=](Arguments &a) { a.input = sizes; }};
}
Bad result(Numbers sizes, const char *message) {
  return {message, [=](Arguments &a) { a.result = sizes; }};
}

const char kHere[] = "a.mlir:1:1";
const char kRank[] = "input and result differ in rank";
const char kDim0[] = "input and result differ in dimension 0";
const char kDim1[] = "input and result differ in dimension 1";
const char kRange[] = "is out of range for a tensor of rank 2";

// What all calls check in one way.
TEST(BadCalls, GroupsTypesAndRanks) {
  auto words = [](Numbers words, const char *message) {
    return Bad{message, [=](Arguments &a) { a.group = words; }};
  };
  auto type = [](int64_t type) {
    return Bad{"is not the number of an element type",
               [=](Arguments &a) { a.type = type; }};
  };
  const char tooMany[] = "grids of more than 16 axes are not supported";
  static_assert(SHARD_RT_MAX_RANK == 16, "the messages say so");
  expectErrors(
      "all_reduce",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *) {
        shard_rt_all_reduce(kHere, group, type, in, out, SHARD_RT_SUM);
      },
      {},
      {type(0), type(SHARD_RT_I64 + 1), words({-1, 0}, tooMany),
       words({17, 0}, tooMany), words({2, 2, 2, -1}, tooMany),
       words({2, 2, 2, 17}, tooMany),
       words({2, 2, 3, 1, 0},
             "the program's grid has 6 devices, the run has 4"),
       words({2, 4, 0, 1, 0}, "has no extent for axis 1"),
       words({2, 2, 2, 1, 2}, "grid axis 2 is out of range"),
       words({2, 2, 2, 1, -1}, "grid axis -1 is out of range"),
       words({2, 2, 2, 2, 1, 1}, "grid axis 1 is listed twice"),
       input(Numbers(17, 1), "more than 16 dimensions are not supported"),
       result(Numbers(17, 1), "more than 16 dimensions are not supported")});
}

TEST(BadCalls, Gathers) {
  Arguments right;
  right.input = {2, 4};
  right.more = {0, 1, 1};
  std::vector<Bad> changes = {more(0, -1, kRange), more(0, 2, kRange),
                              result({8}, kRank), result({8, 5}, kDim1)};
  expectErrors(
      "all_gather",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_all_gather(kHere, group, type, in, out, more[0]);
      },
      right, changes);
  changes.push_back(more(1, 2, "root coordinate 2 is out of range on axis 0"));
  changes.push_back(
      more(2, -1, "root coordinate -1 is out of range on axis 1"));
  expectErrors(
      "gather",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_gather(kHere, group, type, in, out, more[0], more + 1);
      },
      right, changes);
}

// The blocks of a gather are all as long as that of a dimension cut among as many devices, padding
// included, or they make up the result.
TEST(BadCalls, BlocksOfGathers) {
  Numbers group = groupWords(Grid{{3}}, {0});
  for (int64_t extent = 0; extent < 10; ++extent)
    for (int64_t code = 0; code < 64; ++code) {
      Numbers blocks = {code % 4, code / 4 % 4, code / 16};
      std::vector<Buffer> inputs, results;
      for (int64_t block : blocks) {
        inputs.emplace_back(Array({block}, 1), SHARD_RT_F32);
        results.emplace_back(Array({extent}), SHARD_RT_F32);
      }
      auto report = runtime::runOnGrid({3}, [&](int64_t device) {
        shard_rt_all_gather(kHere, group.data(), SHARD_RT_F32,
                            inputs[device].words.data(),
                            results[device].words.data(), 0);
      });
      bool padded = blocks == Numbers(3, (extent + 2) / 3);
      bool makeUp = blocks[0] + blocks[1] + blocks[2] == extent;
      EXPECT_EQ(report.ok, padded || makeUp)
          << testing::PrintToString(blocks) << " of " << extent << ": "
          << report.error;
    }
}

TEST(BadCalls, Slices) {
  Arguments right;
  right.result = {2, 4};
  right.more = {0, 1, 1};
  const char cut[] = "dimension 0: an extent of 8 over a group of 4 makes "
                     "blocks of 2, not of 3";
  std::vector<Bad> changes = {more(0, -1, kRange), more(0, 2, kRange),
                              result({2}, kRank), result({2, 5}, kDim1),
                              result({3, 4}, cut)};
  expectErrors(
      "all_slice",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_all_slice(kHere, group, type, in, out, more[0]);
      },
      right, changes);
  std::vector<Bad> ofReduction = changes;
  ofReduction.push_back({"the result of a reduction has to be contiguous",
                         [](Arguments &a) { a.hasGaps = true; }});
  expectErrors(
      "reduce_scatter",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_reduce_scatter(kHere, group, type, in, out, SHARD_RT_SUM,
                                more[0]);
      },
      right, ofReduction);
  changes.push_back(more(1, 2, "root coordinate 2 is out of range on axis 0"));
  expectErrors(
      "scatter",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_scatter(kHere, group, type, in, out, more[0], more + 1);
      },
      right, changes);
}

TEST(BadCalls, AllToAll) {
  Function call = [](const int64_t *group, int64_t type, const int64_t *in,
                     const int64_t *out, const int64_t *more) {
    shard_rt_all_to_all(kHere, group, type, in, out, more[0], more[1]);
  };
  Arguments right;
  right.input = {8, 2, 3};
  right.result = {2, 8, 3};
  right.more = {0, 1};
  const char range[] = "is out of range for a tensor of rank 3";
  const char split[] = "dimension 0: an extent of 8 over a group of 4 makes "
                       "blocks of 2, not of 3";
  const char concat[] = "dimension 1: an extent of 9 over a group of 4 makes "
                        "blocks of 3, not of 2";
  expectErrors("all_to_all", call, right,
               {more(0, -1, range), more(0, 3, range), more(1, -1, range),
                more(1, 3, range), result({2, 8}, kRank),
                result({2, 8, 4}, "differ in dimension 2"),
                result({3, 8, 3}, split), result({2, 9, 3}, concat)});
  Arguments within;
  within.more = {0, 0};
  expectErrors("all_to_all in one dimension", call, within,
               {result({4, 4}, kDim0),
                result({8, 5}, kDim1),
                {"is not divisible by the group's size 4",
                 [](Arguments &a) { a.input = a.result = {6, 4}; }}});
}

TEST(BadCalls, Reductions) {
  Arguments right;
  right.more = {SHARD_RT_SUM, 1, 1};
  const char none[] = "this reduction has no meaning on f32";
  std::vector<Bad> changes = {more(0, 0, none),
                              more(0, SHARD_RT_BITWISE_AND, none),
                              more(0, SHARD_RT_UMAX, none),
                              more(0, SHARD_RT_UMAX + 1, none),
                              {"this reduction has no meaning on i1",
                               [](Arguments &a) {
                                 a.type = SHARD_RT_I1;
                                 a.more[0] = SHARD_RT_AVERAGE;
                               }},
                              result({8}, kRank),
                              result({7, 4}, kDim0),
                              result({8, 5}, kDim1),
                              {"the result of a reduction has to be contiguous",
                               [](Arguments &a) { a.hasGaps = true; }}};
  expectErrors(
      "all_reduce",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_all_reduce(kHere, group, type, in, out, more[0]);
      },
      right, changes);
  changes.push_back(more(1, -1, "root coordinate -1 is out of range on axis"));
  changes.push_back(more(2, 2, "root coordinate 2 is out of range on axis 1"));
  expectErrors(
      "reduce",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_reduce(kHere, group, type, in, out, more[0], more + 1);
      },
      right, changes);
}

TEST(BadCalls, Messages) {
  Arguments right;
  right.more = {0, 1};
  expectErrors(
      "broadcast",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_broadcast(kHere, group, type, in, out, more);
      },
      right,
      {result({8}, kRank), result({7, 4}, kDim0), result({8, 5}, kDim1),
       more(0, 2, "root coordinate 2 is out of range on axis 0 of extent 2")});
  // Each device to itself.
  right.group = groupWords(Grid{{2, 2}}, {});
  Function pass = [](const int64_t *group, int64_t type, const int64_t *in,
                     const int64_t *out, const int64_t *more) {
    shard_rt_send(kHere, group, type, in, more);
    shard_rt_recv(kHere, group, type, out, more + 1);
  };
  expectErrors("send and recv", pass, right,
               {result({4, 8}, "does not fit recv (-> 4x8xf32")});
  auto inRow = [](Numbers more) {
    return [more](Arguments &a) {
      a.group = groupWords(Grid{{2, 2}}, {1});
      a.more = more;
    };
  };
  expectErrors("send and recv", pass, right,
               {{"destination coordinate 2 is out of range", inRow({2, 0})},
                {"source coordinate -1 is out of range", inRow({0, -1})}});
}

TEST(BadCalls, Shift) {
  Function call = [](const int64_t *group, int64_t type, const int64_t *in,
                     const int64_t *out, const int64_t *more) {
    shard_rt_shift(kHere, group, type, in, out, more, /*offset=*/1,
                   /*rotate=*/1, /*mirror=*/0);
  };
  Arguments right;
  right.more = {1, 1, 0};
  expectErrors("shift", call, right,
               {more(0, 0, "a shift along 0 axes of a group along 2"),
                more(0, 3, "a shift along 3 axes of a group along 2"),
                more(1, 2, "the shift axis is not one of the group's axes"),
                result({8}, kRank), result({8, 5}, kDim1)});
}

TEST(BadCalls, UpdateHalo) {
  // The axes of each dimension, the halos, and the windows: iterations, stride, offset, reach,
  // the first valid element, their number and the step.
  Arguments right;
  right.more = {1, 1, 1, 0, 0, 1, 4, 1, 0, 2, 0, 4, 1, 4, 1, 0, 2, 0, 4, 1};
  constexpr size_t kHalos = 2, kWindows = 6;
  const char halos0[] = "do not fit dimension 0 of extent 8";
  const char halos1[] = "do not fit dimension 1 of extent 4";
  const char axes[] = "the axes per dimension do not add up to the group's";
  const char window[] = "the window of dimension 0 is none";
  std::vector<Bad> changes = {result({8}, kRank),
                              result({9, 4}, kDim0),
                              result({8, 5}, kDim1),
                              more(0, 0, axes),
                              more(1, 2, axes),
                              more(kHalos, -1, halos0),
                              more(kHalos + 1, -1, halos0),
                              more(kHalos + 1, 8, halos0),
                              more(kHalos + 2, 4, halos1)};
  expectErrors(
      "update_halo",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_update_halo(kHere, group, type, in, out, more, more + kHalos,
                             nullptr);
      },
      right, changes);
  for (auto [number, value] :
       {std::pair<size_t, int64_t>{0, -1}, {1, 0}, {3, -1}, {5, -1}, {6, 0}})
    changes.push_back(more(kWindows + number, value, window));
  changes.push_back(
      more(kWindows + 7 + 6, -1, "the window of dimension 1 is none"));
  Function call = [](const int64_t *group, int64_t type, const int64_t *in,
                     const int64_t *out, const int64_t *more) {
    shard_rt_update_halo(kHere, group, type, in, out, more, more + kHalos,
                         more + kWindows);
  };
  expectErrors("update_halo", call, right, changes);
  // Without a reach neither stride nor step means anything; halos may take all elements.
  for (size_t number : {1, 3, 6})
    right.more[kWindows + number] = 0;
  right.more[kHalos] = 5;
  right.more[kHalos + 1] = 3;
  EXPECT_EQ(errorOf(call, right), "");
}

TEST(BadCalls, Permute) {
  Arguments right;
  right.more = {2, 1, 0};
  expectErrors(
      "permute",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_permute(kHere, group, type, in, out, more);
      },
      right,
      {more(0, -1, "permute to -1 axes of a grid of 2 axes"),
       more(0, 3, "permute to 3 axes of a grid of 2 axes"),
       more(0, 1, "permute from axes that make 4 parts to axes that make 2"),
       more(1, 0, "grid axis 0 is listed twice"),
       more(1, 2, "grid axis 2 is out of range"), result({8}, kRank),
       result({8, 5}, kDim1)});
}

TEST(BadCalls, Redistribute) {
  // Extents, then the axes of each dimension before and after.
  Arguments right;
  right.input = {4, 4};
  right.result = {8, 2};
  right.more = {8, 4, 1, 0, 0, 0, 1, 1};
  constexpr size_t kFrom = 2, kTo = 5;
  const char notOne[] = "is not one of the group's, or twice";
  expectErrors(
      "redistribute",
      [](const int64_t *group, int64_t type, const int64_t *in,
         const int64_t *out, const int64_t *more) {
        shard_rt_redistribute(kHere, group, type, in, out, more, more + kFrom,
                              more + kTo);
      },
      right,
      {result({8}, kRank),
       more(0, 9, "dimension 0 of the input is no block of 9"),
       more(1, 6, "dimension 1 of the input is no block of 6"),
       result({4, 2}, "dimension 0 of the result is no block of 8"),
       result({8, 4}, "dimension 1 of the result is no block of 4"),
       more(kFrom + 1, 2, notOne),
       more(kFrom, -1, "from names -1 axes where the group has 2 left"),
       more(kTo, 3, "to names 3 axes where the group has 2 left"),
       {notOne, [](Arguments &a) { a.more = {8, 4, 2, 0, 0, 0, 1, 1}; }}});
}

} // namespace
