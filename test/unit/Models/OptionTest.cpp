//===- OptionTest.cpp - Options of contractions are the cheapest -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the option that is chosen for a matrix product with all options there are,
// for all shardings of its operands and its result on one axis.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/ShardingOption.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace shard;

namespace {

/// Calls `visit` with every way to put axes of a grid of `numAxes` into `lists`, in
/// every order within a list, or into none.
void forEachPlacing(int numAxes, std::vector<AxisList> &lists,
                    llvm::function_ref<void()> visit, GridAxis axis = 0) {
  if (axis == numAxes)
    return visit();
  forEachPlacing(numAxes, lists, visit, axis + 1);
  for (AxisList &list : lists)
    for (size_t at = 0; at <= list.size(); ++at) {
      list.insert(list.begin() + at, axis);
      forEachPlacing(numAxes, lists, visit, axis + 1);
      list.erase(list.begin() + at);
    }
}

std::vector<Sharding> allShardings(int numAxes, size_t rank) {
  std::vector<Sharding> found;
  Sharding sharding = Sharding::replicated(rank);
  forEachPlacing(numAxes, sharding.dims, [&] { found.push_back(sharding); });
  return found;
}

/// A product of matrices and what its reshards cost.
class Product {
public:
  Product(int64_t m, int64_t k, int64_t n, std::vector<int64_t> shape) {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    registerShard(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    grid.shape = std::move(shape);
    auto type = [](int64_t rows, int64_t columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "xf32>";
    };
    std::string a = type(m, k), b = type(k, n), c = type(m, n);
    module = parseSourceString<ModuleOp>(
        "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " + c +
            " { %0 = linalg.matmul ins(%a, %b : " + a + ", " + b +
            ") outs(%c : " + c + ") -> " + c + " return %0 : " + c + " }",
        &context);
    module->walk([&](linalg::MatmulOp matmul) { op = matmul; });
    table = buildLoopTable(op);
  }

  /// The cost of `option`; the init is made to order.
  double price(const ShardingOption &option, ArrayRef<Sharding> operands,
               const Sharding &result) {
    double total = 0;
    auto add = [&](Value value, const Sharding &from, const Sharding &to) {
      auto type = cast<RankedTensorType>(value.getType());
      const Plan *plan =
          planner.plan(grid, shapeOf(type), elementBytes(type), from, to);
      total += plan ? plan->cost : HUGE_VAL;
    };
    for (unsigned index = 0; index < 2; ++index)
      add(op->getOperand(index), operands[index],
          operandSharding(table, index, option));
    add(op->getResult(0), resultSharding(table, 0, option), result);
    return total;
  }

  /// Whether all tensors have one opinion of how the loops are split, which is obeyed
  /// whatever the reduction of the result costs: the work is split then.
  bool agrees(const ShardingOption &option, ArrayRef<Sharding> operands,
              const Sharding &result) {
    Sharding computed = resultSharding(table, 0, option);
    computed.partial.clear();
    return computed == result &&
           operandSharding(table, 0, option) == operands[0] &&
           operandSharding(table, 1, option) == operands[1];
  }

  MLIRContext context;
  Grid grid;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
  LoopTable table;
  LinkCostModel bytes;
  Planner planner{bytes};
};

/// Whether an operand or the result says that the outermost loop is split: it stays so,
/// for the sake of batches, and other dimensions are not tried.
bool splitsRows(const Sharding &a, const Sharding &c) {
  return !a.dims[0].empty() || !c.dims[0].empty();
}

/// Checks all shardings of a product on a grid of `shape`.
void checkAll(int64_t m, int64_t k, int64_t n, std::vector<int64_t> shape) {
  Product product(m, k, n, shape);
  std::vector<ShardingOption> options;
  ShardingOption option;
  option.loops.resize(product.table.loops.size());
  std::vector<AxisList> loops(option.loops.size());
  forEachPlacing(shape.size(), loops, [&] {
    option.loops.assign(loops.begin(), loops.end());
    if (isValidOption(product.table, product.grid, option))
      options.push_back(option);
  });
  std::vector<Sharding> shardings = allShardings(shape.size(), 2);
  unsigned worse = 0, cases = 0;
  for (const Sharding &a : shardings)
    for (const Sharding &b : shardings)
      for (const Sharding &c : shardings) {
        std::vector<Sharding> operands{a, b, Sharding()};
        ShardingOption chosen =
            chooseOption(product.op, product.table, product.grid, operands, {c},
                         product.planner);
        if (product.agrees(chosen, operands, c) || splitsRows(a, c))
          continue;
        double cost = product.price(chosen, operands, c), best = cost;
        for (const ShardingOption &other : options)
          best = std::min(best, product.price(other, operands, c));
        ++cases;
        if (best < cost && ++worse <= 10)
          ADD_FAILURE() << toString(a) << " x " << toString(b) << " -> "
                        << toString(c) << ": " << cost << " instead of "
                        << best;
      }
  EXPECT_EQ(worse, 0u) << "of " << cases;
}

TEST(Options, OfProductsOnOneAxis) {
  checkAll(64, 8, 8, {4});
  checkAll(8, 64, 8, {4});
  checkAll(8, 8, 64, {4});
  checkAll(8, 8, 8, {4});
}

} // namespace
