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
//===----------------------------------------------------------------------===//

#include "shard/Resharding/CostModel.h"
#include "shard/Resharding/Plan.h"

#include <benchmark/benchmark.h>

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
