//===- PlanBench.cpp - How fast reshards are planned ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans without and with the planner's memory, over every ordered pair of
// shardings of a matrix on grids of growing rank. A reported time is that of all
// pairs; the counter `pairs` tells how many they are.
//
// Then random pairs on many axes, one plan per iteration: items per second are
// plans per second. `p99_us` and `max_us` are of the times of 1,000 different pairs,
// the better of two each. `proven` is the part of the plans known to be the cheapest,
// `cost/bound` the cost of all plans over the lower bounds of all pairs.
//
// Last, all pairs on a grid against the oracle of the unit tests: the bytes of all
// plans over the bytes of the cheapest ones.
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/PlanOracle.h"

#include "shard/Resharding/CostModel.h"
#include "shard/Resharding/Plan.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>

using namespace shard;

/// Every way to put axes number `axis` and up on the dimensions of `sharding`.
static void enumerate(const Grid &grid, GridAxis axis, const Sharding &sharding,
                      std::vector<Sharding> &all) {
  if (axis == grid.rank()) {
    all.push_back(sharding);
    return;
  }
  enumerate(grid, axis + 1, sharding, all);
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    for (size_t place = 0; place <= sharding.dims[dim].size(); ++place) {
      Sharding next = sharding;
      AxisList &axes = next.dims[dim];
      axes.insert(axes.begin() + place, axis);
      enumerate(grid, axis + 1, next, all);
    }
  }
}

static Grid gridOfRank(int64_t rank) {
  return Grid{std::vector<int64_t>(rank, 2)};
}

static std::vector<Sharding> shardingsOn(const Grid &grid) {
  std::vector<Sharding> all;
  enumerate(grid, 0, Sharding::replicated(2), all);
  return all;
}

static void planEveryPair(benchmark::State &state) {
  Grid grid = gridOfRank(state.range(0));
  std::vector<Sharding> all = shardingsOn(grid);
  for (auto _ : state)
    for (const Sharding &from : all)
      for (const Sharding &to : all)
        benchmark::DoNotOptimize(planReshard(grid, {64, 64}, 4, from, to));
  state.counters["pairs"] = double(all.size()) * double(all.size());
}
BENCHMARK(planEveryPair)->Arg(1)->Arg(2)->Arg(3)->Unit(benchmark::kMillisecond);

static void recallEveryPair(benchmark::State &state) {
  Grid grid = gridOfRank(state.range(0));
  std::vector<Sharding> all = shardingsOn(grid);
  LinkCostModel costModel;
  Planner planner(costModel);
  for (auto _ : state)
    for (const Sharding &from : all)
      for (const Sharding &to : all)
        benchmark::DoNotOptimize(planner.plan(grid, {64, 64}, 4, from, to));
  state.counters["pairs"] = double(all.size()) * double(all.size());
}
BENCHMARK(recallEveryPair)
    ->Arg(1)
    ->Arg(2)
    ->Arg(3)
    ->Unit(benchmark::kMillisecond);

/// A random sharding: each axis splits a dimension, is partial (that many percent)
/// or replicates (20 percent).
static Sharding anySharding(std::mt19937 &random, const Grid &grid, size_t rank,
                            unsigned partialPercent) {
  Sharding sharding = Sharding::replicated(static_cast<int64_t>(rank));
  AxisList order;
  for (GridAxis axis = 0; axis < grid.rank(); ++axis)
    order.push_back(axis);
  std::shuffle(order.begin(), order.end(), random);
  for (GridAxis axis : order) {
    unsigned what = random() % 100;
    if (what < 20)
      continue;
    if (what < 20 + partialPercent)
      sharding.partial.push_back(axis);
    else
      sharding.dims[random() % rank].push_back(axis);
  }
  std::sort(sharding.partial.begin(), sharding.partial.end());
  return sharding;
}

/// Arguments: rank, axes, percent of partial axes in the source and in the
/// target, whether extents are uneven.
static void planAtRandom(benchmark::State &state) {
  size_t rank = static_cast<size_t>(state.range(0));
  struct Question {
    Grid grid;
    std::vector<int64_t> shape;
    Sharding from, to;
  };
  std::mt19937 random(5);
  std::vector<Question> questions(1000);
  for (Question &q : questions) {
    for (int64_t axis = 0; axis < state.range(1); ++axis)
      q.grid.shape.push_back(state.range(4) ? 2 + random() % 3 : 2);
    for (size_t dim = 0; dim < rank; ++dim)
      q.shape.push_back(state.range(4) ? 5 + random() % 60 : 1024);
    q.from = anySharding(random, q.grid, rank, unsigned(state.range(2)));
    q.to = anySharding(random, q.grid, rank, unsigned(state.range(3)));
  }
  double cost = 0, bound = 0, proven = 0, plans = 0;
  std::vector<double> times;
  auto now = [] {
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  for (const Question &q : questions) {
    std::optional<Plan> plan;
    double best = 1e9;
    for (int repeat = 0; repeat < 2; ++repeat) {
      double start = now();
      plan = planReshard(q.grid, q.shape, 1, q.from, q.to);
      best = std::min(best, now() - start);
    }
    times.push_back(best);
    cost += plan->cost;
    bound += double(plan->lowerBoundBytes);
    proven += plan->optimal;
    plans += 1;
  }
  size_t next = 0;
  for (auto _ : state) {
    const Question &q = questions[next++ % questions.size()];
    benchmark::DoNotOptimize(planReshard(q.grid, q.shape, 1, q.from, q.to));
  }
  state.SetItemsProcessed(state.iterations());
  std::sort(times.begin(), times.end());
  state.counters["p99_us"] = times[times.size() * 99 / 100];
  state.counters["max_us"] = times.back();
  state.counters["proven"] = proven / plans;
  state.counters["cost/bound"] = cost / bound;
}
BENCHMARK(planAtRandom)
    ->ArgNames({"rank", "axes", "partial_from", "partial_to", "uneven"})
    ->Args({4, 4, 0, 0, 0})
    ->Args({4, 4, 0, 0, 1})
    ->Args({4, 4, 20, 0, 0})
    ->Args({4, 4, 20, 20, 0})
    ->Args({4, 4, 20, 20, 1})
    ->Args({2, 5, 0, 0, 1})
    ->Args({3, 5, 20, 20, 0})
    ->Args({3, 5, 20, 20, 1})
    ->Args({5, 5, 0, 0, 0})
    ->Args({5, 5, 20, 20, 1})
    ->Args({6, 6, 0, 0, 0})
    ->Args({6, 6, 0, 0, 1})
    ->Args({6, 6, 10, 0, 0})
    ->Args({6, 6, 20, 20, 1})
    ->Unit(benchmark::kMicrosecond);

/// Argument: 0 for even dimensions, 1 for uneven ones.
static void bytesAgainstTheOracle(benchmark::State &state) {
  Grid grid{{4, 2}};
  std::vector<int64_t> shape = state.range(0) ? std::vector<int64_t>{6, 10}
                                              : std::vector<int64_t>{16, 16};
  fuzz::PlanOracle oracle(grid, shape, 4, /*withPartial=*/true);
  const std::vector<Sharding> &all = oracle.shardings();
  double best = 0, cost = 0;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all.size(); ++j)
      best += oracle.cheapest(i, j).cost;
  for (auto _ : state) {
    cost = 0;
    for (const Sharding &from : all)
      for (const Sharding &to : all)
        cost += planReshard(grid, shape, 4, from, to)->cost;
  }
  state.SetItemsProcessed(state.iterations() *
                          int64_t(all.size() * all.size()));
  state.counters["bytes/oracle"] = cost / best;
}
BENCHMARK(bytesAgainstTheOracle)
    ->ArgName("uneven")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
