//===- FailureTest.cpp - What does not fit is reported, never hangs -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "shard/Runtime/Threads.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using namespace shard;
using namespace shard::test;

namespace {

/// Buffers that live outside the device's function, which a failure leaves by
/// longjmp.
struct Slots {
  Grid grid{{2, 2}};
  std::vector<int64_t> rows = groupWords(grid, {0});
  std::vector<int64_t> columns = groupWords(grid, {1});
  std::vector<int64_t> all = groupWords(grid, {0, 1});
  std::vector<int64_t> noAxis = groupWords(grid, {2});
  std::vector<int64_t> tooMany = groupWords(Grid{{2, 4}}, {0});
  std::vector<Buffer> in4, out4, out8;
  Slots() {
    for (int64_t d = 0; d < 4; ++d) {
      in4.emplace_back(Array({4}, 1), SHARD_RT_F32);
      out4.emplace_back(Array({4}), SHARD_RT_F32);
      out8.emplace_back(Array({8}), SHARD_RT_F32);
    }
  }
  void allReduce(const char *location, const std::vector<int64_t> &group,
                 int64_t device, int64_t reduction = SHARD_RT_SUM) {
    shard_rt_all_reduce(location, group.data(), SHARD_RT_F32,
                        in4[device].words.data(), out4[device].words.data(),
                        reduction);
  }
  void allGather(const char *location, const std::vector<int64_t> &group,
                 int64_t device, int64_t dim = 0) {
    shard_rt_all_gather(location, group.data(), SHARD_RT_F32,
                        in4[device].words.data(), out8[device].words.data(),
                        dim);
  }
};

template <typename Fn>
std::string errorOf(Fn fn) {
  Slots slots;
  auto report =
      runtime::runOnGrid({2, 2}, [&](int64_t device) { fn(slots, device); });
  EXPECT_EQ(report.ok, report.error.empty());
  return report.error;
}

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

TEST(Failure, OtherKind) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    s.allReduce("a.mlir:1:1", s.all, d);
    if (d == 2)
      s.allGather("a.mlir:2:2", s.columns, d);
    else if (d == 3)
      s.allReduce("a.mlir:3:3", s.columns, d);
  });
  EXPECT_CONTAINS(error, "collective mismatch");
  EXPECT_CONTAINS(error, "device 2 is in all_gather (4xf32 -> 8xf32, dimension "
                         "= 0) at a.mlir:2:2");
  EXPECT_CONTAINS(error, "device 3 is in all_reduce (4xf32 -> 4xf32, reduction "
                         "= sum) at a.mlir:3:3");
}

TEST(Failure, OtherReduction) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    s.allReduce("a.mlir:1:1", s.rows, d, d == 3 ? SHARD_RT_MAX : SHARD_RT_SUM);
  });
  EXPECT_CONTAINS(error, "reduction = max");
  EXPECT_CONTAINS(error, "reduction = sum");
}

TEST(Failure, OtherElementTypeAndShape) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    int64_t root[] = {0, 0};
    shard_rt_broadcast("a.mlir:1:1", s.all.data(),
                       d == 1 ? SHARD_RT_I32 : SHARD_RT_F32,
                       s.in4[d].words.data(), s.out4[d].words.data(), root);
  });
  EXPECT_CONTAINS(error, "4xi32 -> 4xi32");
  error = errorOf([](Slots &s, int64_t d) {
    int64_t root[] = {0, 0};
    const Buffer &in = d == 1 ? s.out8[d] : s.in4[d];
    const Buffer &out = d == 1 ? s.out8[0] : s.out4[d];
    shard_rt_broadcast("a.mlir:1:1", s.all.data(), SHARD_RT_F32,
                       in.words.data(), out.words.data(), root);
  });
  EXPECT_CONTAINS(error, "8xf32 -> 8xf32");
  EXPECT_CONTAINS(error, "4xf32 -> 4xf32");
}

/// What a run of `call` says, in which device 3 has other numbers than the others.
template <typename Fn>
std::string errorOfNumbers(const std::vector<int64_t> &most,
                           const std::vector<int64_t> &ofThree, Fn call) {
  std::vector<Buffer> in, out;
  for (int64_t d = 0; d < 4; ++d) {
    in.emplace_back(Array({4, 4}, 1), SHARD_RT_F32);
    out.emplace_back(Array({4, 4}), SHARD_RT_F32);
  }
  return errorOf([&](Slots &s, int64_t d) {
    call(s, in[d].words.data(), out[d].words.data(),
         (d == 3 ? ofThree : most).data());
  });
}

// The numbers that devices must agree on, beside shapes: each one by itself.
TEST(Failure, EachNumberIsCompared) {
  auto halo = [](Slots &s, const int64_t *in, const int64_t *out,
                 const int64_t *numbers) {
    shard_rt_update_halo("a.mlir:1:1", s.all.data(), SHARD_RT_F32, in, out,
                         numbers, numbers + 2, nullptr);
  };
  // Axes of each dimension, then the halos of each.
  const std::vector<int64_t> halos = {1, 1, 1, 0, 0, 1};
  EXPECT_EQ(errorOfNumbers(halos, halos, halo), "");
  for (const std::vector<int64_t> &other :
       {std::vector<int64_t>{2, 0, 1, 0, 0, 1},
        {1, 1, 0, 0, 0, 1},
        {1, 1, 1, 1, 0, 1},
        {1, 1, 1, 0, 1, 1},
        {1, 1, 1, 0, 0, 0}})
    EXPECT_CONTAINS(errorOfNumbers(halos, other, halo), "collective mismatch");

  auto windows = [](Slots &s, const int64_t *in, const int64_t *out,
                    const int64_t *numbers) {
    const int64_t axes[] = {1, 1}, widths[] = {1, 0, 0, 1};
    shard_rt_update_halo("a.mlir:1:1", s.all.data(), SHARD_RT_F32, in, out,
                         axes, widths, numbers);
  };
  // Of each dimension: iterations, stride, offset, reach, the valid elements and the step.
  const std::vector<int64_t> window = {4, 1, 0, 2, 0, 4, 1,
                                       4, 1, 0, 2, 0, 4, 1};
  EXPECT_EQ(errorOfNumbers(window, window, windows), "");
  for (size_t number = 0; number < window.size(); ++number) {
    std::vector<int64_t> other = window;
    ++other[number];
    EXPECT_CONTAINS(errorOfNumbers(window, other, windows),
                    "collective mismatch");
  }

  auto shift = [](Slots &s, const int64_t *in, const int64_t *out,
                  const int64_t *numbers) {
    shard_rt_shift("a.mlir:1:1", s.all.data(), SHARD_RT_F32, in, out, numbers,
                   numbers[2], numbers[3], numbers[4]);
  };
  // A list of one axis, the offset, whether it rotates and whether it mirrors.
  const std::vector<int64_t> shifts = {1, 0, 1, 1, 0};
  EXPECT_EQ(errorOfNumbers(shifts, shifts, shift), "");
  for (const std::vector<int64_t> &other : {std::vector<int64_t>{1, 1, 1, 1, 0},
                                            {1, 0, 0, 1, 0},
                                            {1, 0, 1, 0, 0},
                                            {1, 0, 1, 1, 1}})
    EXPECT_CONTAINS(errorOfNumbers(shifts, other, shift),
                    "collective mismatch");

  auto exchange = [](Slots &s, const int64_t *in, const int64_t *out,
                     const int64_t *numbers) {
    shard_rt_permute("a.mlir:1:1", s.all.data(), SHARD_RT_F32, in, out,
                     numbers);
  };
  EXPECT_EQ(errorOfNumbers({2, 1, 0}, {2, 1, 0}, exchange), "");
  EXPECT_CONTAINS(errorOfNumbers({2, 1, 0}, {2, 0, 1}, exchange),
                  "collective mismatch");
}

TEST(Failure, HalosOfOneRank) {
  Buffer square(Array({2, 2}), SHARD_RT_F32);
  std::string error = errorOf([&](Slots &s, int64_t d) {
    const int64_t axes[] = {2}, halos[] = {0, 0};
    shard_rt_update_halo("a.mlir:1:1", s.all.data(), SHARD_RT_F32,
                         s.in4[d].words.data(), square.words.data(), axes,
                         halos, nullptr);
  });
  EXPECT_CONTAINS(error, "input and result differ in rank");
}

TEST(Failure, MissingParticipant) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    if (d != 3)
      s.allReduce("a.mlir:1:1", s.all, d);
  });
  EXPECT_CONTAINS(error, "at a.mlir:1:1");
  EXPECT_CONTAINS(error, "device 3, which has reached the end of the program");
}

TEST(Failure, MissingParticipantThatEndsLast) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    if (d != 3)
      s.allReduce("a.mlir:1:1", s.all, d);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_CONTAINS(error, "device 3, which has reached the end of the program");
}

TEST(Failure, DivergentOrder) {
  // Rows first or columns first: all wait in a cycle.
  std::string error = errorOf([](Slots &s, int64_t d) {
    bool rowsFirst = d == 0 || d == 3;
    s.allReduce(rowsFirst ? "a.mlir:1:1" : "a.mlir:2:2",
                rowsFirst ? s.rows : s.columns, d);
    s.allReduce("a.mlir:3:3", rowsFirst ? s.columns : s.rows, d);
  });
  EXPECT_CONTAINS(error, "no device can go on");
  EXPECT_CONTAINS(error, "a.mlir:1:1");
  EXPECT_CONTAINS(error, "a.mlir:2:2");
}

TEST(Failure, ReceiveThatNobodyServes) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    int64_t from[] = {0};
    if (d == 2)
      shard_rt_recv("a.mlir:1:1", s.rows.data(), SHARD_RT_F32,
                    s.out4[d].words.data(), from);
  });
  EXPECT_CONTAINS(error, "device 2 waits in recv");
  EXPECT_CONTAINS(error, "device 0, which has reached the end of the program");
  error = errorOf([](Slots &s, int64_t d) {
    if (d == 2)
      shard_rt_recv("a.mlir:1:1", s.rows.data(), SHARD_RT_F32,
                    s.out4[d].words.data(), nullptr);
  });
  EXPECT_CONTAINS(error, "waits in recv (-> 4xf32) at a.mlir:1:1 for any of "
                         "devices 0, 2");
  EXPECT_CONTAINS(error, "device 3 has reached the end of the program");
  // Each of two waits for the other one.
  error = errorOf([](Slots &s, int64_t d) {
    int64_t from[] = {d == 1 ? 1 : 0};
    if (d % 2 == 1)
      shard_rt_recv("a.mlir:1:1", s.rows.data(), SHARD_RT_F32,
                    s.out4[d].words.data(), from);
    else
      shard_rt_barrier("a.mlir:2:2", s.all.data());
  });
  EXPECT_CONTAINS(error, "no device can go on: device 0 waits in barrier at "
                         "a.mlir:2:2 for the group of devices 0, 1, 2, 3; "
                         "device 1 waits in recv (-> 4xf32, source = 1) at "
                         "a.mlir:1:1 for device 3; device 2 waits");
  EXPECT_CONTAINS(error, "source = 0) at a.mlir:1:1 for device 1");
}

TEST(Failure, MessageThatNobodyReceives) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    int64_t to[] = {1};
    if (d == 1)
      shard_rt_send("a.mlir:1:1", s.rows.data(), SHARD_RT_F32,
                    s.in4[d].words.data(), to);
  });
  EXPECT_EQ(error, "what device 1 has sent at a.mlir:1:1 to device 3 was never "
                   "received");
}

TEST(Failure, MessageOfOtherShape) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    int64_t here[] = {0}, there[] = {1};
    if (d == 0)
      shard_rt_send("a.mlir:1:1", s.rows.data(), SHARD_RT_F32,
                    s.in4[d].words.data(), there);
    if (d == 2)
      shard_rt_recv("a.mlir:2:2", s.rows.data(), SHARD_RT_F32,
                    s.out8[d].words.data(), here);
  });
  EXPECT_CONTAINS(error, "send (4xf32) at a.mlir:1:1");
  EXPECT_CONTAINS(error, "recv (-> 8xf32, source = 0) at a.mlir:2:2");
}

TEST(Failure, FailedCheckEndsAllDevices) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    if (d == 1)
      shard_rt_fail("an extent of 7 is not divisible by 2");
    s.allReduce("a.mlir:1:1", s.all, d);
    s.allReduce("a.mlir:2:2", s.all, d);
  });
  EXPECT_EQ(error, "device 1: an extent of 7 is not divisible by 2");
}

TEST(Failure, BadArguments) {
  EXPECT_CONTAINS(errorOf([](Slots &s, int64_t d) {
                    s.allGather("a.mlir:1:1", s.rows, d, 1);
                  }),
                  "dimension is out of range for a tensor of rank 1");
  EXPECT_CONTAINS(
      errorOf([](Slots &s, int64_t d) { s.allGather("a.mlir:1:1", s.all, d); }),
      "extents 4 4 4 4 of dimension 0 do not make up the result's "
      "8: expected 4 blocks of 2");
  EXPECT_CONTAINS(errorOf([](Slots &s, int64_t d) {
                    s.allReduce("a.mlir:1:1", s.all, d, SHARD_RT_BITWISE_OR);
                  }),
                  "this reduction has no meaning on f32");
  EXPECT_CONTAINS(errorOf([](Slots &s, int64_t d) {
                    s.allReduce("a.mlir:1:1", s.noAxis, d);
                  }),
                  "grid axis 2 is out of range");
  EXPECT_CONTAINS(errorOf([](Slots &s, int64_t d) {
                    s.allReduce("a.mlir:1:1", s.tooMany, d);
                  }),
                  "grid has 8 devices, the run has 4");
  EXPECT_CONTAINS(errorOf([](Slots &s, int64_t d) {
                    int64_t root[] = {2};
                    shard_rt_broadcast("a.mlir:1:1", s.rows.data(),
                                       SHARD_RT_F32, s.in4[d].words.data(),
                                       s.out4[d].words.data(), root);
                  }),
                  "root coordinate 2 is out of range on axis 0 of extent 2");
}

TEST(Failure, TimeoutIsTheLastResort) {
  runtime::RunOptions options;
  options.timeoutSeconds = 0.05;
  Slots slots;
  auto report = runtime::runOnGrid(
      {2, 2},
      [&](int64_t d) {
        if (d == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(90));
        slots.allReduce("a.mlir:1:1", slots.all, d);
      },
      options);
  EXPECT_FALSE(report.ok);
  EXPECT_CONTAINS(report.error, "has waited for more than");
}

TEST(FailureDeathTest, OutsideOfARunTheProcessEnds) {
  EXPECT_EXIT(shard_rt_fail("no run"), testing::ExitedWithCode(1),
              "error: no run");
  EXPECT_EXIT(shard_rt_barrier("a.mlir:1:1", nullptr),
              testing::ExitedWithCode(1),
              "barrier at a.mlir:1:1 is called outside of a run");
}

TEST(Failure, GridsThatCannotRun) {
  auto report = runtime::runOnGrid({2, 0}, [](int64_t) {});
  EXPECT_EQ(report.error, "a grid axis of extent 0 cannot be run");
  report = runtime::runOnGrid({1 << 20, 1 << 20}, [](int64_t) {});
  EXPECT_EQ(report.error,
            "a grid of more than 4096 devices cannot be run as threads");
}

//===-- What a good run reports
//--------------------------------------------===//

TEST(Run, Records) {
  Slots slots;
  auto report = runtime::runOnGrid({2, 2}, [&](int64_t d) {
    slots.allReduce("a.mlir:1:1", slots.all, d);
    for (int i = 0; i < 3; ++i)
      slots.allGather("a.mlir:2:2", slots.columns, d);
  });
  ASSERT_TRUE(report.ok) << report.error;
  ASSERT_EQ(report.calls.size(), 2u);
  EXPECT_EQ(report.calls[0].kind, "all_reduce");
  EXPECT_EQ(report.calls[0].axes, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(report.calls[0].gridShape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(report.calls[0].count, 1);
  EXPECT_EQ(report.calls[0].bytes, 2 * 3 * 16 / 4);
  EXPECT_EQ(report.calls[1].kind, "all_gather");
  EXPECT_EQ(report.calls[1].location, "a.mlir:2:2");
  EXPECT_EQ(report.calls[1].count, 3);
  EXPECT_EQ(report.calls[1].bytes, 3 * 16);
  EXPECT_GT(report.seconds, 0);
  EXPECT_GT(report.secondsInCalls, 0);
}

TEST(Run, NoRecordsIfNobodyAsks) {
  Slots slots;
  runtime::RunOptions options;
  options.keepsRecords = false;
  auto report = runtime::runOnGrid(
      {2, 2},
      [&](int64_t d) {
        slots.allReduce("a.mlir:1:1", slots.all, d);
        shard_rt_start("a.mlir:2:2");
        slots.allReduce("a.mlir:2:2", slots.all, d);
      },
      options);
  ASSERT_TRUE(report.ok) << report.error;
  EXPECT_TRUE(report.calls.empty());
  EXPECT_EQ(report.secondsInCalls, 0);
}

TEST(Run, GridsWithUnknownExtents) {
  // 2x? on 8 devices is 2x4; ?x? takes both from a running grid of two axes.
  int64_t one[] = {2, SHARD_RT_DYNAMIC}, two[] = {-1, -1};
  int64_t extents[3] = {};
  auto report = runtime::runOnGrid({8}, [&](int64_t d) {
    if (d == 0)
      extents[0] = shard_rt_grid_extent("a.mlir:1:1", 2, one, 1);
  });
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(extents[0], 4);
  report = runtime::runOnGrid({4, 2}, [&](int64_t d) {
    if (d == 0) {
      extents[1] = shard_rt_grid_extent("a.mlir:1:1", 2, two, 0);
      extents[2] = shard_rt_grid_extent("a.mlir:1:1", 2, two, 1);
    }
  });
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(extents[1], 4);
  EXPECT_EQ(extents[2], 2);
  report = runtime::runOnGrid(
      {8}, [&](int64_t) { shard_rt_grid_extent("a.mlir:1:1", 2, two, 0); });
  EXPECT_CONTAINS(report.error, "grid axis 0 at a.mlir:1:1 does not follow");
}

TEST(Run, ExtentsOfDynamicDimensions) {
  std::vector<int64_t> group = groupWords(Grid{{2, 3}}, {1});
  int64_t size = 0, extent = 0;
  auto report = runtime::runOnGrid({2, 3}, [&](int64_t d) {
    if (d == 0) {
      size = shard_rt_group_size("a.mlir:1:1", group.data());
      extent = shard_rt_divide_extent("a.mlir:1:1", group.data(), 12);
    }
  });
  EXPECT_TRUE(report.ok) << report.error;
  EXPECT_EQ(size, 3);
  EXPECT_EQ(extent, 4);
  report = runtime::runOnGrid({2, 3}, [&](int64_t) {
    shard_rt_divide_extent("a.mlir:1:1", group.data(), 10);
  });
  EXPECT_CONTAINS(report.error,
                  "at a.mlir:1:1: a dynamic dimension of extent 10 is cut over "
                  "a group of 3 devices");
}

TEST(Run, PlainCInterface) {
  int64_t shape[] = {2, 3};
  int64_t seen[6] = {};
  auto note = [](void *context, int64_t device) {
    static_cast<int64_t *>(context)[device] =
        shard_rt_process_linear_index() + 1;
  };
  EXPECT_EQ(shard_rt_run(2, shape, note, seen), 0);
  EXPECT_STREQ(shard_rt_error(), "");
  for (int64_t d = 0; d < 6; ++d)
    EXPECT_EQ(seen[d], d + 1);
  auto refuse = [](void *, int64_t) { shard_rt_fail("no"); };
  EXPECT_EQ(shard_rt_run(0, shape, refuse, nullptr), 1);
  EXPECT_STREQ(shard_rt_error(), "device 0: no");
}

TEST(Run, BlocksOfDifferingExtentsAreConcatenated) {
  Slots slots;
  std::vector<Buffer> in, out;
  in.emplace_back(Array({3}, 1), SHARD_RT_F32);
  in.emplace_back(Array({5}, 2), SHARD_RT_F32);
  for (int i = 0; i < 2; ++i)
    out.emplace_back(Array({8}), SHARD_RT_F32);
  std::vector<int64_t> group = groupWords(Grid{{2}}, {0});
  auto report = runtime::runOnGrid({2}, [&](int64_t d) {
    shard_rt_all_gather("a.mlir:1:1", group.data(), SHARD_RT_F32,
                        in[d].words.data(), out[d].words.data(), 0);
  });
  ASSERT_TRUE(report.ok) << report.error;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(out[i].array().values,
              (std::vector<double>{1, 1, 1, 2, 2, 2, 2, 2}));
}

//===-- Floating point
//-----------------------------------------------------===//

/// all_reduce of one value per device, in the bits of a type.
std::vector<uint64_t> reduceBits(int64_t type, int64_t reduction,
                                 const std::vector<uint64_t> &values) {
  int64_t n = values.size();
  std::vector<Buffer> in, out;
  for (uint64_t value : values) {
    in.emplace_back(Array({1}), type);
    memcpy(in.back().storage.data(), &value, byteWidth(type));
    out.emplace_back(Array({1}), type);
  }
  std::vector<int64_t> group = groupWords(Grid{{n}}, {0});
  auto report = runtime::runOnGrid({n}, [&](int64_t d) {
    shard_rt_all_reduce("a.mlir:1:1", group.data(), type, in[d].words.data(),
                        out[d].words.data(), reduction);
  });
  EXPECT_TRUE(report.ok) << report.error;
  std::vector<uint64_t> result;
  for (Buffer &buffer : out) {
    result.push_back(0);
    memcpy(&result.back(), buffer.storage.data(), byteWidth(type));
  }
  return result;
}

TEST(Floats, MaxAndMinPropagateNaN) {
  struct {
    int64_t type;
    uint64_t nan, one;
  } rows[] = {{SHARD_RT_F16, 0x7e00, 0x3c00},
              {SHARD_RT_BF16, 0x7fc0, 0x3f80},
              {SHARD_RT_F32, 0x7fc00000, 0x3f800000},
              {SHARD_RT_F64, 0x7ff8000000000000, 0x3ff0000000000000}};
  for (const auto &row : rows)
    for (int64_t reduction : {SHARD_RT_MAX, SHARD_RT_MIN})
      for (int place = 0; place < 3; ++place) {
        std::vector<uint64_t> values(3, row.one);
        values[place] = row.nan;
        EXPECT_EQ(reduceBits(row.type, reduction, values),
                  std::vector<uint64_t>(3, row.nan));
      }
}

TEST(Floats, ZerosAreOrdered) {
  uint64_t minus = 0x80000000;
  EXPECT_EQ(reduceBits(SHARD_RT_F32, SHARD_RT_MAX, {minus, 0}),
            (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(reduceBits(SHARD_RT_F32, SHARD_RT_MAX, {0, minus}),
            (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(reduceBits(SHARD_RT_F32, SHARD_RT_MIN, {minus, 0}),
            (std::vector<uint64_t>{minus, minus}));
  EXPECT_EQ(reduceBits(SHARD_RT_F32, SHARD_RT_MIN, {0, minus}),
            (std::vector<uint64_t>{minus, minus}));
}

TEST(Floats, HalfPrecisionSumsInSingle) {
  // 2048 + 1 + 1 + 1 + 1: each step alone would be rounded away in f16.
  EXPECT_EQ(reduceBits(SHARD_RT_F16, SHARD_RT_SUM,
                       {0x6800, 0x3c00, 0x3c00, 0x3c00, 0x3c00})[0],
            0x6802u); // 2052
  EXPECT_EQ(reduceBits(SHARD_RT_BF16, SHARD_RT_SUM,
                       {0x4380, 0x3f80, 0x3f80, 0x3f80, 0x3f80})[0],
            0x4382u); // 260
}

TEST(Floats, HalfPrecisionRoundTrip) {
  // One device: load, store. Every f16 and bf16 keeps its bits (NaN its being
  // one).
  for (int64_t type : {SHARD_RT_F16, SHARD_RT_BF16}) {
    Buffer in(Array({65536}), type), out(Array({65536}), type);
    auto *bits = reinterpret_cast<uint16_t *>(in.storage.data());
    for (int i = 0; i < 65536; ++i)
      bits[i] = uint16_t(i);
    std::vector<int64_t> group = groupWords(Grid{{1}}, {0});
    auto report = runtime::runOnGrid({1}, [&](int64_t) {
      shard_rt_all_reduce("a.mlir:1:1", group.data(), type, in.words.data(),
                          out.words.data(), SHARD_RT_SUM);
    });
    ASSERT_TRUE(report.ok);
    auto *result = reinterpret_cast<uint16_t *>(out.storage.data());
    int infinity = type == SHARD_RT_F16 ? 0x7c00 : 0x7f80;
    for (int i = 0; i < 65536; ++i) {
      if ((i & 0x7fff) > infinity)
        ASSERT_GT(result[i] & 0x7fff, infinity) << i;
      else
        ASSERT_EQ(result[i], i);
    }
  }
}

#ifdef __FLT16_MAX__
TEST(Floats, RoundingToHalf) {
  // a + b in f32, rounded once, against the compiler's own conversion.
  uint32_t state = 1;
  auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return uint16_t(state >> 16);
  };
  constexpr int64_t n = 20000;
  std::vector<Buffer> in, out;
  for (int d = 0; d < 2; ++d) {
    in.emplace_back(Array({n}), SHARD_RT_F16);
    out.emplace_back(Array({n}), SHARD_RT_F16);
    for (int64_t i = 0; i < n; ++i) {
      uint16_t bits = next();
      memcpy(in[d].storage.data() + 2 * i, &bits, 2);
    }
  }
  std::vector<int64_t> group = groupWords(Grid{{2}}, {0});
  for (int64_t reduction : {SHARD_RT_SUM, SHARD_RT_PRODUCT}) {
    auto report = runtime::runOnGrid({2}, [&](int64_t d) {
      shard_rt_all_reduce("a.mlir:1:1", group.data(), SHARD_RT_F16,
                          in[d].words.data(), out[d].words.data(), reduction);
    });
    ASSERT_TRUE(report.ok);
    auto *a = reinterpret_cast<_Float16 *>(in[0].storage.data());
    auto *b = reinterpret_cast<_Float16 *>(in[1].storage.data());
    auto *c = reinterpret_cast<_Float16 *>(out[0].storage.data());
    for (int64_t i = 0; i < n; ++i) {
      float exact = reduction == SHARD_RT_SUM ? float(a[i]) + float(b[i])
                                              : float(a[i]) * float(b[i]);
      if (std::isnan(exact))
        ASSERT_TRUE(std::isnan(float(c[i])));
      else
        ASSERT_EQ(float(_Float16(exact)), float(c[i]))
            << float(a[i]) << " and " << float(b[i]);
    }
  }
}
#endif

TEST(Floats, ReplicasAreTheSameBits) {
  // Values whose sum depends on the order; long enough for several pieces.
  constexpr int64_t n = 20001, k = 6;
  std::vector<Buffer> in, out;
  uint32_t state = 7;
  for (int64_t d = 0; d < k; ++d) {
    in.emplace_back(Array({n}), SHARD_RT_F32);
    out.emplace_back(Array({n}), SHARD_RT_F32);
    auto *values = reinterpret_cast<float *>(in.back().storage.data());
    for (int64_t i = 0; i < n; ++i) {
      state = state * 1664525u + 1013904223u;
      values[i] = std::ldexp(float(state >> 8), int(state % 40) - 40);
    }
  }
  std::vector<int64_t> group = groupWords(Grid{{2, 3}}, {1, 0});
  auto report = runtime::runOnGrid({2, 3}, [&](int64_t d) {
    shard_rt_all_reduce("a.mlir:1:1", group.data(), SHARD_RT_F32,
                        in[d].words.data(), out[d].words.data(), SHARD_RT_SUM);
  });
  ASSERT_TRUE(report.ok);
  Grid grid{{2, 3}};
  for (int64_t d = 0; d < k; ++d)
    EXPECT_EQ(out[d].storage, out[0].storage);
  // In the order of the positions.
  auto *result = reinterpret_cast<float *>(out[0].storage.data());
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int64_t device : grid.groupMembers(0, {1, 0}))
      sum += reinterpret_cast<float *>(in[device].storage.data())[i];
    ASSERT_EQ(result[i], sum) << i;
  }
}

void waitFor(const char *location, const Buffer &result, const Buffer &input) {
  shard_rt_wait(location, reinterpret_cast<const void *>(result.words[0]),
                reinterpret_cast<const void *>(input.words[0]));
}

// Waits in another order than the starts; a collective in between that is not started.
TEST(Overlap, InTheOrderOfTheCalls) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    shard_rt_start("a.mlir:1:1");
    s.allReduce("a.mlir:1:1", s.all, d);
    shard_rt_start("a.mlir:2:2");
    s.allGather("a.mlir:2:2", s.rows, d);
    waitFor("a.mlir:2:2", s.out8[d], s.in4[d]);
    if (reinterpret_cast<float *>(s.out8[d].storage.data())[7] != 1)
      shard_rt_fail("not gathered");
    shard_rt_barrier("a.mlir:3:3", s.all.data());
    if (reinterpret_cast<float *>(s.out4[d].storage.data())[3] != 4)
      shard_rt_fail("not summed");
    waitFor("a.mlir:1:1", s.out4[d], s.in4[d]);
  });
  EXPECT_EQ(error, "");
}

TEST(Overlap, Mismatch) {
  std::atomic<bool> goesOn{false};
  std::string error = errorOf([&](Slots &s, int64_t d) {
    shard_rt_start("a.mlir:1:1");
    if (d == 2)
      s.allGather("a.mlir:1:1", s.all, d);
    else
      s.allReduce("a.mlir:2:2", s.all, d);
    waitFor("a.mlir:1:1", d == 2 ? s.out8[d] : s.out4[d], s.in4[d]);
    goesOn = true;
  });
  EXPECT_FALSE(goesOn);
  EXPECT_CONTAINS(error, "a.mlir:1:1");
  EXPECT_CONTAINS(error, "a.mlir:2:2");
}

TEST(Overlap, OneDeviceDoesNotCome) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    if (d == 3)
      return;
    shard_rt_start("a.mlir:1:1");
    s.allReduce("a.mlir:1:1", s.all, d);
    waitFor("a.mlir:1:1", s.out4[d], s.in4[d]);
  });
  EXPECT_CONTAINS(error, "a.mlir:1:1");
  EXPECT_CONTAINS(error, "device 3");
}

// Some devices start a collective at which others wait.
TEST(Overlap, SomeDevicesStart) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    for (int i = 0; i < 50; ++i) {
      bool starts = (d + i) % 3 != 0;
      s.out4[d].storage.assign(s.out4[d].storage.size(), 0);
      if (starts)
        shard_rt_start("a.mlir:1:1");
      s.allReduce("a.mlir:1:1", s.all, d);
      if (starts)
        shard_rt_start("a.mlir:2:2");
      s.allGather("a.mlir:2:2", s.rows, d);
      waitFor("a.mlir:2:2", s.out8[d], s.in4[d]);
      waitFor("a.mlir:1:1", s.out4[d], s.in4[d]);
      if (reinterpret_cast<float *>(s.out4[d].storage.data())[3] != 4)
        shard_rt_fail("not summed");
    }
  });
  EXPECT_EQ(error, "");
}

// Inputs with strides are packed when they start: one after another does not use the
// memory of the one before.
TEST(Overlap, StridedInputs) {
  std::vector<int64_t> group = groupWords(Grid{{2}}, {0});
  std::vector<Buffer> first, second, sums;
  for (int64_t d = 0; d < 2; ++d) {
    first.emplace_back(Array({3, 5}, 1), SHARD_RT_F32, /*gaps=*/true);
    second.emplace_back(Array({3, 5}, 2), SHARD_RT_F32, /*gaps=*/true);
    sums.emplace_back(Array({3, 5}), SHARD_RT_F32);
    sums.emplace_back(Array({3, 5}), SHARD_RT_F32);
  }
  auto report = runtime::runOnGrid({2}, [&](int64_t d) {
    shard_rt_start("a.mlir:1:1");
    shard_rt_all_reduce("a.mlir:1:1", group.data(), SHARD_RT_F32,
                        first[d].words.data(), sums[2 * d].words.data(),
                        SHARD_RT_SUM);
    shard_rt_start("a.mlir:2:2");
    shard_rt_all_reduce("a.mlir:2:2", group.data(), SHARD_RT_F32,
                        second[d].words.data(), sums[2 * d + 1].words.data(),
                        SHARD_RT_SUM);
    waitFor("a.mlir:2:2", sums[2 * d + 1], second[d]);
  });
  ASSERT_TRUE(report.ok) << report.error;
  for (size_t i = 0; i < sums.size(); ++i)
    for (int64_t at = 0; at < 15; ++at)
      ASSERT_EQ(reinterpret_cast<float *>(sums[i].storage.data())[at],
                i % 2 ? 4 : 2);
}

// What nobody waits for is done before the device ends.
TEST(Overlap, NeverWaitedFor) {
  std::string error = errorOf([](Slots &s, int64_t d) {
    shard_rt_start("a.mlir:1:1");
    s.allReduce("a.mlir:1:1", s.all, d);
  });
  EXPECT_EQ(error, "");
}

} // namespace
