//===- PropagationBench.cpp - How the engine scales -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of N ops for the engine alone, without IR: time per op must not depend
// on N, on the number of users of a value, or on the size of the grid. How the
// pass compares with parsing is told by compare.py.
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/Engine.h"

#include <benchmark/benchmark.h>

using namespace shard;
using namespace shard::propagation;

namespace {

/// Adds ops over 64x64 tensors to a problem.
class Builder {
public:
  explicit Builder(std::vector<int64_t> grid) : problem(Grid{std::move(grid)}) {
    Shape made;
    made.extents = {64, 64};
    shape = problem.addShape(made);
  }

  TableId elementwise(unsigned operands) {
    LoopTable table = identityTable(problem.shapes[shape].extents);
    table.operands.resize(operands, table.operands[0]);
    return add(table, operands + 1);
  }
  TableId dot() {
    LoopTable table;
    table.loops = {Loop::parallel(64), Loop::parallel(64),
                   Loop::reduce(64, ReductionKind::Sum)};
    auto tensor = [](int32_t a, int32_t b) {
      TensorLoops loops;
      loops.isTensor = true;
      loops.dims = {{a}, {b}};
      return loops;
    };
    table.operands = {tensor(0, 2), tensor(2, 1)};
    table.results.push_back(tensor(0, 1));
    table.partialRule = PartialRule::Multilinear;
    return add(table, 3);
  }
  TableId add(const LoopTable &table, unsigned tensors) {
    std::vector<ShapeId> shapes(tensors, shape);
    return problem.addTable(table, shapes);
  }
  ValueId value() { return problem.addValue(shape); }
  ValueId hinted(int dim, GridAxis axis) {
    ValueId id = value();
    Hint hint;
    hint.dims.resize(2);
    hint.dims[dim].axes.push_back({axis, 1, problem.grid.shape[axis]});
    problem.addHint(id, hint);
    return id;
  }

  Problem problem;
  ShapeId shape;
};

Problem chain(int64_t n, std::vector<int64_t> grid) {
  Builder b(std::move(grid));
  TableId add = b.elementwise(2);
  ValueId last = b.hinted(0, 0);
  for (int64_t i = 0; i < n; ++i) {
    ValueId next = b.value();
    b.problem.addOp(add, {last, last}, next);
    last = next;
  }
  return b.problem;
}

Problem fanOut(int64_t n) {
  Builder b({2, 2});
  TableId unary = b.elementwise(1);
  ValueId first = b.hinted(0, 0);
  for (int64_t i = 0; i < n; ++i)
    b.problem.addOp(unary, first, b.value());
  return b.problem;
}

Problem wide(int64_t n) {
  Builder b({2, 2});
  TableId table = b.elementwise(20);
  std::vector<ValueId> values(20, b.hinted(0, 0));
  for (int64_t i = 0; i < n; ++i) {
    ValueId next = b.value();
    b.problem.addOp(table, llvm::ArrayRef<ValueId>(values).take_back(20), next);
    values.push_back(next);
  }
  return b.problem;
}

Problem mlp(int64_t layers) {
  Builder b({2, 2});
  TableId dot = b.dot(), unary = b.elementwise(1), add = b.elementwise(2);
  ValueId last = b.hinted(0, 0);
  for (int64_t i = 0; i < layers; ++i) {
    ValueId hidden = b.value(), active = b.value(), out = b.value(),
            sum = b.value();
    b.problem.addOp(dot, {last, b.hinted(1, 1)}, hidden);
    b.problem.addOp(unary, hidden, active);
    b.problem.addOp(dot, {active, b.hinted(0, 1)}, out);
    b.problem.addOp(add, {last, out}, sum);
    last = sum;
  }
  return b.problem;
}

void run(benchmark::State &state, const Problem &problem) {
  PropagationOptions options;
  for (auto _ : state) {
    auto result = solve(problem, options);
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations() * problem.numOps());
  state.SetComplexityN(problem.numOps());
}

void BM_Chain(benchmark::State &state) {
  run(state, chain(state.range(0), {2, 2}));
}
void BM_ChainOnManyDevices(benchmark::State &state) {
  run(state, chain(state.range(0), {64, 128, 16}));
}
void BM_FanOut(benchmark::State &state) { run(state, fanOut(state.range(0))); }
void BM_TwentyOperands(benchmark::State &state) {
  run(state, wide(state.range(0)));
}
void BM_Mlp(benchmark::State &state) { run(state, mlp(state.range(0))); }

} // namespace

BENCHMARK(BM_Chain)->Arg(25000)->Arg(50000)->Arg(100000)->Complexity();
BENCHMARK(BM_ChainOnManyDevices)->Arg(100000);
BENCHMARK(BM_FanOut)->Arg(25000)->Arg(50000)->Arg(100000)->Complexity();
BENCHMARK(BM_TwentyOperands)->Arg(25000)->Arg(50000)->Arg(100000)->Complexity();
BENCHMARK(BM_Mlp)->Arg(2500)->Arg(5000)->Arg(10000)->Complexity();
