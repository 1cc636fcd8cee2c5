//===- ThreadRunTest.cpp - Plans executed by the thread runtime -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixed sample of 2,000 plans on the runtime itself: every device is a thread,
// every step that communicates is a call of the C ABI. The values are integers, so
// the outcome has to be exact. Padding starts as poison that must not get into a
// valid element. What the runtime counts as sent is held against the plan.
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Plan.h"
#include "shard/Runtime/Runtime.h"
#include "shard/Runtime/Threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <random>

using namespace shard;

namespace {
using Extents = std::vector<int64_t>;
using Kind = Step::Kind;

int64_t numElements(const Extents &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

int32_t combine(ReductionKind kind, int32_t a, int32_t b) {
  uint32_t ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
  switch (kind) {
  case ReductionKind::Sum:
    return static_cast<int32_t>(ua + ub);
  case ReductionKind::Product:
    return static_cast<int32_t>(ua * ub);
  case ReductionKind::Max:
    return std::max(a, b);
  case ReductionKind::Min:
    return std::min(a, b);
  case ReductionKind::UMax:
    return static_cast<int32_t>(std::max(ua, ub));
  case ReductionKind::UMin:
    return static_cast<int32_t>(std::min(ua, ub));
  case ReductionKind::BitwiseAnd:
    return a & b;
  case ReductionKind::BitwiseOr:
    return a | b;
  default:
    return a ^ b;
  }
}

int32_t neutral(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Product:
    return 1;
  case ReductionKind::Max:
    return INT32_MIN;
  case ReductionKind::Min:
    return INT32_MAX;
  case ReductionKind::UMin:
  case ReductionKind::BitwiseAnd:
    return -1;
  default:
    return 0;
  }
}

/// Whether all devices of a group may hold the value that they combine to.
bool allMayHold(ReductionKind kind) {
  return kind != ReductionKind::Sum && kind != ReductionKind::Product &&
         kind != ReductionKind::BitwiseXor;
}

/// A local block with the words by which the C ABI knows it.
struct Buffer {
  Extents shape;
  std::vector<int32_t> data;
  std::vector<int64_t> words;

  explicit Buffer(Extents shape, int32_t fill)
      : shape(std::move(shape)), data(numElements(this->shape), fill) {
    words = {static_cast<int64_t>(reinterpret_cast<intptr_t>(data.data())), 0,
             static_cast<int64_t>(this->shape.size())};
    words.insert(words.end(), this->shape.begin(), this->shape.end());
    for (size_t dim = 0; dim < this->shape.size(); ++dim)
      words.push_back(numElements(
          Extents(this->shape.begin() + static_cast<ptrdiff_t>(dim) + 1,
                  this->shape.end())));
  }
  Buffer(Buffer &&) = default;
  Buffer(const Buffer &) = delete;
};

std::vector<int64_t> groupWords(const Grid &grid, const AxisList &axes) {
  std::vector<int64_t> words = {grid.rank()};
  words.insert(words.end(), grid.shape.begin(), grid.shape.end());
  words.push_back(static_cast<int64_t>(axes.size()));
  words.insert(words.end(), axes.begin(), axes.end());
  return words;
}

/// A step with all that its execution needs: nothing is allocated in the run.
struct Call {
  const Step *step;
  std::string location;
  /// `from` and `to` of a redistribution count the axes of each dimension.
  std::vector<int64_t> group, from, to;
  /// Of each device.
  std::vector<int64_t> position;
};

/// A plan, its calls, and what each device holds before and after each of them.
struct Program {
  Extents shape;
  Sharding from, to;
  Plan plan;
  std::vector<Call> calls;
  /// [step][device]; one more than there are steps.
  std::vector<std::vector<Buffer>> values;
  /// The whole value.
  std::vector<int32_t> whole;
};

/// Changes to partial are no calls of the runtime but code of the device.
void makePartial(const Call &call, const Buffer &input, Buffer &output,
                 int64_t position) {
  bool keeps = position == 0 || allMayHold(call.step->reduction);
  for (size_t i = 0; i < output.data.size(); ++i)
    output.data[i] = keeps ? input.data[i] : neutral(call.step->reduction);
}

void embedPartial(const Call &call, const Buffer &input, Buffer &output,
                  int64_t position) {
  std::fill(output.data.begin(), output.data.end(),
            neutral(call.step->reduction));
  int64_t dim = call.step->dim, inner = 1, outer = 1;
  for (int64_t i = 0; i < static_cast<int64_t>(input.shape.size()); ++i)
    if (i != dim)
      (i < dim ? outer : inner) *= input.shape[i];
  int64_t width = input.shape[dim], whole = output.shape[dim];
  int64_t first = std::min(position * width, whole);
  int64_t count = std::min(width, whole - first);
  for (int64_t o = 0; o < outer; ++o)
    std::copy_n(input.data.begin() + o * width * inner, count * inner,
                output.data.begin() + (o * whole + first) * inner);
}

/// Runs on the thread of `device`. Holds nothing with a destructor: the runtime
/// leaves by longjmp when another device fails.
void execute(const Call &call, Program &program, size_t index, int64_t device) {
  const Step &step = *call.step;
  Buffer &input = program.values[index][device];
  Buffer &output = program.values[index + 1][device];
  const char *location = call.location.c_str();
  const int64_t *group = call.group.data();
  const int64_t *in = input.words.data(), *out = output.words.data();
  int64_t reduction = static_cast<int64_t>(step.reduction);
  switch (step.kind) {
  case Kind::AllGather:
    shard_rt_all_gather(location, group, SHARD_RT_I32, in, out, step.dim);
    return;
  case Kind::AllSlice:
    shard_rt_all_slice(location, group, SHARD_RT_I32, in, out, step.dim);
    return;
  case Kind::AllToAll:
    shard_rt_all_to_all(location, group, SHARD_RT_I32, in, out, step.dim,
                        step.concatDim);
    return;
  case Kind::Permute:
    shard_rt_permute(location, group, SHARD_RT_I32, in, out, call.to.data());
    return;
  case Kind::Redistribute:
    shard_rt_redistribute(location, group, SHARD_RT_I32, in, out,
                          step.extents.data(), call.from.data(),
                          call.to.data());
    return;
  case Kind::AllReduce:
    shard_rt_all_reduce(location, group, SHARD_RT_I32, in, out, reduction);
    return;
  case Kind::ReduceScatter:
    shard_rt_reduce_scatter(location, group, SHARD_RT_I32, in, out, reduction,
                            step.dim);
    return;
  case Kind::MakePartial:
    makePartial(call, input, output, call.position[device]);
    return;
  case Kind::EmbedPartial:
    embedPartial(call, input, output, call.position[device]);
    return;
  default:
    shard_rt_fail("a step about halos or offsets, which nobody asked for");
  }
}

/// Random numbers that are the same with every standard library.
struct Random {
  std::mt19937 engine{11};
  int64_t below(int64_t n) { return static_cast<int64_t>(engine() % n); }
};

Sharding anySharding(Random &random, const Grid &grid, size_t rank,
                     ReductionKind reduction) {
  Sharding sharding = Sharding::replicated(static_cast<int64_t>(rank));
  AxisList order;
  for (GridAxis axis = 0; axis < grid.rank(); ++axis)
    order.insert(order.begin() + random.below(axis + 1), axis);
  for (GridAxis axis : order) {
    int64_t where = random.below(static_cast<int64_t>(rank) + 2);
    if (where < static_cast<int64_t>(rank))
      sharding.dims[where].push_back(axis);
    else if (where == static_cast<int64_t>(rank) && random.below(2))
      sharding.partial.push_back(axis);
  }
  std::sort(sharding.partial.begin(), sharding.partial.end());
  if (!sharding.partial.empty())
    sharding.reduction = reduction;
  return sharding;
}

/// The element of `array` of `shape` at `index`.
int32_t &elementAt(std::vector<int32_t> &array, const Extents &shape,
                   const Extents &index) {
  return array[linearize(index, shape)];
}

/// Calls `body` with every index below `shape`.
template <typename Body>
void forEachIndex(const Extents &shape, Body body) {
  int64_t n = numElements(shape);
  for (int64_t i = 0; i < n; ++i)
    body(delinearize(i, shape));
}

Extents sizesOf(const std::vector<Block> &blocks) {
  Extents sizes;
  for (const Block &block : blocks)
    sizes.push_back(block.size);
  return sizes;
}

Extents globalIndex(const std::vector<Block> &blocks, Extents index) {
  for (size_t dim = 0; dim < index.size(); ++dim)
    index[dim] += blocks[dim].offset;
  return index;
}

constexpr ReductionKind reductions[] = {
    ReductionKind::Sum,        ReductionKind::Max,
    ReductionKind::Min,        ReductionKind::Product,
    ReductionKind::UMin,       ReductionKind::UMax,
    ReductionKind::BitwiseAnd, ReductionKind::BitwiseOr,
    ReductionKind::BitwiseXor};

/// A random question, its plan, and the blocks that the devices begin with.
std::unique_ptr<Program> makeProgram(Random &random, const Grid &grid,
                                     const std::string &name) {
  auto program = std::make_unique<Program>();
  Program &p = *program;
  size_t rank = 1 + static_cast<size_t>(random.below(3));
  bool even = random.below(2) == 0;
  for (size_t dim = 0; dim < rank; ++dim)
    p.shape.push_back(even ? grid.numDevices() : 1 + random.below(9));
  ReductionKind kind = reductions[random.below(std::size(reductions))];
  p.from = anySharding(random, grid, rank, kind);
  do
    p.to = anySharding(random, grid, rank, kind);
  while (p.to == p.from);
  std::string error;
  std::optional<Plan> plan =
      planReshard(grid, p.shape, 4, p.from, p.to, LinkCostModel(), &error);
  EXPECT_TRUE(plan) << error;
  if (!plan)
    return nullptr;
  p.plan = std::move(*plan);

  // The summands, and what they combine to.
  std::vector<std::vector<int32_t>> summands(grid.groupSize(p.from.partial));
  for (std::vector<int32_t> &summand : summands) {
    for (int64_t i = 0, n = numElements(p.shape); i < n; ++i)
      summand.push_back(kind == ReductionKind::Product
                            ? static_cast<int32_t>(1 + random.below(3))
                            : static_cast<int32_t>(random.below(2000)) - 1000);
    if (p.whole.empty())
      p.whole = summand;
    else
      for (size_t i = 0; i < summand.size(); ++i)
        p.whole[i] = combine(kind, p.whole[i], summand[i]);
  }

  int32_t poison = 0x5EED0000;
  auto buffers = [&](const Extents &local) {
    std::vector<Buffer> result;
    for (int64_t device = 0; device < grid.numDevices(); ++device)
      result.emplace_back(local, poison += 7);
    return result;
  };
  p.values.push_back(buffers(localShape(grid, p.shape, p.from)));
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<Block> blocks = localBlocks(grid, p.shape, p.from, device);
    Buffer &buffer = p.values[0][device];
    std::vector<int32_t> &summand =
        summands[grid.positionInGroup(device, p.from.partial)];
    forEachIndex(sizesOf(blocks), [&](const Extents &index) {
      elementAt(buffer.data, buffer.shape, index) =
          elementAt(summand, p.shape, globalIndex(blocks, index));
    });
  }
  for (const Step &step : p.plan.steps) {
    Call call;
    call.step = &step;
    call.location = name + " step " + std::to_string(p.calls.size());
    call.group = groupWords(grid, step.axes);
    auto add = [](std::vector<int64_t> &words, const AxisList &axes) {
      words.push_back(static_cast<int64_t>(axes.size()));
      words.insert(words.end(), axes.begin(), axes.end());
    };
    if (step.kind == Kind::Redistribute) {
      for (const AxisList &axes : step.fromDims)
        add(call.from, axes);
      for (const AxisList &axes : step.toDims)
        add(call.to, axes);
    } else {
      add(call.to, step.toAxes);
    }
    for (int64_t device = 0; device < grid.numDevices(); ++device)
      call.position.push_back(grid.positionInGroup(device, step.axes));
    p.calls.push_back(std::move(call));
    p.values.push_back(buffers(step.localShape));
  }
  return program;
}

/// The number of valid elements that are wrong, over all devices.
int64_t countWrong(const Grid &grid, Program &p) {
  int64_t wrong = 0;
  std::vector<Buffer> &outcome = p.values.back();
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<Block> blocks = localBlocks(grid, p.shape, p.to, device);
    std::vector<int64_t> group = grid.groupMembers(device, p.to.partial);
    forEachIndex(sizesOf(blocks), [&](const Extents &index) {
      int32_t value = 0;
      for (size_t i = 0; i < group.size(); ++i) {
        Buffer &summand = outcome[group[i]];
        int32_t next = elementAt(summand.data, summand.shape, index);
        value = i == 0 ? next : combine(p.to.reduction, value, next);
      }
      wrong += value != elementAt(p.whole, p.shape, globalIndex(blocks, index));
    });
  }
  return wrong;
}

/// Whether the runtime counts the bytes of the step as the planner does, which
/// counts the padding that goes along where blocks do not divide.
bool countsAlike(const Grid &grid, const Program &p, size_t index) {
  const Step &step = p.plan.steps[index];
  return (step.kind != Kind::AllToAll && step.kind != Kind::ReduceScatter) ||
         p.values[index][0].shape[step.dim] % grid.groupSize(step.axes) == 0;
}
} // namespace

TEST(ThreadRun, TwoThousandPlans) {
  const std::vector<Grid> grids = {{{2}},       {{3}},    {{6}},    {{2, 2}},
                                   {{4, 2}},    {{2, 4}}, {{3, 2}}, {{2, 3}},
                                   {{2, 2, 2}}, {{8}}};
  const int plansPerGrid = 200;
  Random random;
  std::map<std::string, int64_t> steps;
  int64_t plans = 0;
  for (const Grid &grid : grids) {
    std::vector<std::unique_ptr<Program>> programs;
    for (int i = 0; i < plansPerGrid; ++i) {
      programs.push_back(
          makeProgram(random, grid, "plan " + std::to_string(i)));
      ASSERT_TRUE(programs.back());
    }
    // One run per grid: its threads execute one plan after another.
    runtime::RunReport report =
        runtime::runOnGrid(grid.shape, [&](int64_t device) {
          for (size_t i = 0; i < programs.size(); ++i)
            for (size_t j = 0; j < programs[i]->calls.size(); ++j)
              execute(programs[i]->calls[j], *programs[i], j, device);
        });
    ASSERT_TRUE(report.ok) << report.error;

    std::map<std::string, int64_t> sent;
    for (const runtime::CallRecord &record : report.calls)
      sent[record.location] += record.bytes;
    for (std::unique_ptr<Program> &program : programs) {
      Program &p = *program;
      auto text = [&] {
        return toString(p.plan, grid, p.shape, 4, p.from, p.to);
      };
      ASSERT_EQ(countWrong(grid, p), 0) << text();
      for (size_t i = 0; i < p.calls.size(); ++i) {
        const Step &step = p.plan.steps[i];
        ++steps[stringifyStepKind(step.kind)];
        // All but 1: the plan rounds up, the runtime down.
        if (countsAlike(grid, p, i))
          ASSERT_LE(std::abs(step.bytesSent - sent[p.calls[i].location]), 1)
              << toString(step) << "\n"
              << text();
      }
      ++plans;
    }
  }
  EXPECT_EQ(plans, 2000);
  std::cout << plans << " plans";
  for (const char *kind :
       {"all_gather", "all_slice", "all_to_all", "permute", "all_reduce",
        "reduce_scatter", "redistribute", "make_partial", "embed_partial"}) {
    std::cout << ", " << steps[kind] << " " << kind;
    // The sample is worth something only if every step is in it many times.
    EXPECT_GE(steps[kind], 50) << kind;
  }
  std::cout << "\n";
}
