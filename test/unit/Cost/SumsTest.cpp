//===- SumsTest.cpp - What a prediction adds up ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts random programs: the sums by kind of op and by place are those of the ops, in the
// order of what they cost.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include "shard/Cost/Ops.h"
#include "shard/Cost/Predict.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace shard;
using namespace shard::test;

namespace {

double secondsOf(const CostSum &sum) {
  return sum.secondsComputing + sum.secondsSending;
}

void expectSame(const CostSum &a, const CostSum &b) {
  EXPECT_EQ(a.ops, b.ops);
  EXPECT_EQ(a.flops, b.flops);
  EXPECT_EQ(a.bytesTouched, b.bytesTouched);
  EXPECT_EQ(a.bytesSent, b.bytesSent);
  EXPECT_NEAR(a.secondsComputing, b.secondsComputing, 1e-15);
  EXPECT_NEAR(a.secondsSending, b.secondsSending, 1e-15);
  EXPECT_EQ(a.complete, b.complete);
}

/// Adds a row to a sum of rows.
void add(CostSum &sum, const CostSum &row) {
  sum.ops += row.ops;
  sum.flops += row.flops;
  sum.bytesTouched += row.bytesTouched;
  sum.bytesSent += row.bytesSent;
  sum.secondsComputing += row.secondsComputing;
  sum.secondsSending += row.secondsSending;
  sum.complete &= row.complete;
}

/// The most expensive first, and of those that cost the same by name.
void expectSorted(const std::vector<CostSum> &rows, const CostSum &total) {
  CostSum sum;
  for (size_t i = 0; i < rows.size(); ++i) {
    add(sum, rows[i]);
    if (i == 0)
      continue;
    double before = secondsOf(rows[i - 1]), here = secondsOf(rows[i]);
    EXPECT_TRUE(before > here ||
                (before == here && rows[i - 1].name < rows[i].name))
        << rows[i - 1].name << " in front of " << rows[i].name;
  }
  expectSame(sum, total);
}

} // namespace

TEST(SumsTest, ByKindAndByPlace) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerShard(registry);
  MLIRContext context(registry);
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomProgram program(seed);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program.text(), &context, "program.mlir");
    ASSERT_TRUE(module) << program.text();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text());
    auto entry = module->lookupSymbol<func::FuncOp>("main");
    ProgramCost cost = predictProgram(entry);
    // No loop has a known length: all inside counts once.
    std::map<std::string, CostSum> kinds;
    CostSum total;
    auto collective = cost.collectives.begin();
    entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // The bodies of other ops work on elements, which these count.
      if (!isa<FunctionOpInterface, LoopLikeOpInterface,
               RegionBranchOpInterface>(op->getParentOp()))
        return;
      CostSum row;
      row.ops = 1;
      row.complete = !op->getParentOfType<LoopLikeOpInterface>();
      if (collective != cost.collectives.end() &&
          op->getName().stripDialect() == collective->cost.kind) {
        row.bytesSent = *collective->bytesOnce;
        row.secondsSending = collective->secondsOnce;
        ++collective;
      } else {
        std::optional<OpCost> own = costOfOp(op);
        ASSERT_TRUE(own);
        row.flops = own->flops;
        row.bytesTouched = own->bytesTouched;
        row.secondsComputing = own->seconds(cost.machine);
        if (row.flops == 0 && row.bytesTouched == 0)
          return;
      }
      add(kinds[op->getName().getStringRef().str()], row);
      add(total, row);
    });
    EXPECT_TRUE(collective == cost.collectives.end());
    expectSame(cost.total, total);
    EXPECT_EQ(cost.total.name, "main");
    EXPECT_EQ(cost.kinds.size(), kinds.size());
    for (const CostSum &row : cost.kinds)
      expectSame(row, kinds[row.name]);
    expectSorted(cost.kinds, cost.total);
    expectSorted(cost.places, cost.total);
    // Each op has a line of its own.
    EXPECT_EQ(int64_t(cost.places.size()), cost.total.ops);
    // Nothing is started, so that all goes one after another.
    EXPECT_FALSE(cost.overlaps);
    if (total.complete)
      EXPECT_NEAR(cost.seconds, secondsOf(cost.total), 1e-15);
    if (HasFailure())
      return;
  }
}
