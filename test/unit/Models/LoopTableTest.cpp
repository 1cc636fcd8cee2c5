//===- LoopTableTest.cpp - Tables of all models make sense ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the programs of test/Models, which have every op with a model outside of
// the elementwise families, and checks what holds for each table.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/LoopTable.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Models/Models.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

class Tables : public testing::Test {
protected:
  Tables() {
    DialectRegistry registry;
    shard::registerUpstreamDialects(registry);
    shard::registerShard(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Calls `check` for each op of the programs of test/Models.
  void forEachOp(llvm::function_ref<void(Operation *)> check) {
    std::error_code error;
    unsigned files = 0;
    for (llvm::sys::fs::directory_iterator it(SHARD_MODEL_PROGRAMS, error), end;
         it != end && !error; it.increment(error)) {
      if (llvm::sys::path::extension(it->path()) != ".mlir")
        continue;
      auto file = llvm::MemoryBuffer::getFile(it->path(), /*IsText=*/true);
      ASSERT_TRUE(bool(file)) << it->path();
      SmallVector<StringRef> programs;
      (*file)->getBuffer().split(programs, "// -----");
      for (StringRef program : programs) {
        OwningOpRef<ModuleOp> module =
            parseSourceString<ModuleOp>(program, &context, it->path());
        ASSERT_TRUE(module) << it->path();
        module->walk(check);
      }
      ++files;
    }
    EXPECT_GT(files, 0u);
  }

  MLIRContext context;
};

void checkTensor(const shard::LoopTable &table,
                 const shard::TensorLoops &tensor, Type type,
                 llvm::SmallBitVector &indexes) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  EXPECT_EQ(tensor.isTensor, bool(ranked));
  if (!ranked)
    return;
  ASSERT_EQ(int64_t(tensor.dims.size()), ranked.getRank());
  for (auto [dim, loops] : llvm::enumerate(tensor.dims)) {
    int64_t product = 1;
    for (int32_t loop : loops) {
      ASSERT_TRUE(loop >= 0 && size_t(loop) < table.loops.size());
      bool isValid = table.loops[loop].kind != shard::LoopKind::Invalid;
      EXPECT_FALSE(isValid && indexes.test(loop))
          << "loop " << loop << " twice";
      indexes.set(loop);
      int64_t extent = table.loops[loop].extent;
      product = ShapedType::isDynamic(extent) || ShapedType::isDynamic(product)
                    ? ShapedType::kDynamic
                    : product * extent;
    }
    // What loops index, they index the whole of; a single loop that splits evenly
    // may know more of the extent than the type, and one alone slides.
    bool knowsMore = loops.size() == 1 && table.loops[loops[0]].evenOnly &&
                     ranked.isDynamicDim(dim);
    if (tensor.isWindow(dim))
      EXPECT_EQ(loops.size(), 1u);
    else if (!loops.empty() && !knowsMore)
      EXPECT_EQ(product, ranked.getDimSize(dim)) << "dimension " << dim;
  }
}

void checkTable(Operation *op) {
  shard::LoopTable table = shard::buildLoopTable(op);
  ASSERT_EQ(table.operands.size(), op->getNumOperands());
  ASSERT_EQ(table.results.size(), op->getNumResults());
  for (auto [tensor, type] : llvm::zip(table.operands, op->getOperandTypes())) {
    llvm::SmallBitVector indexes(table.loops.size());
    checkTensor(table, tensor, type, indexes);
  }
  for (auto [tensor, type] : llvm::zip(table.results, op->getResultTypes())) {
    llvm::SmallBitVector indexes(table.loops.size());
    checkTensor(table, tensor, type, indexes);
    if (!tensor.isTensor)
      continue;
    for (auto [number, loop] : llvm::enumerate(table.loops))
      if (loop.kind != shard::LoopKind::Invalid)
        EXPECT_EQ(indexes.test(number), loop.kind == shard::LoopKind::Parallel)
            << "loop " << number;
  }
  // Each loop that may be split can be, by itself, and results and operands
  // agree on what that means.
  shard::Grid grid{{2}};
  for (auto [number, loop] : llvm::enumerate(table.loops)) {
    shard::ShardingOption option;
    option.loops.resize(table.loops.size());
    option.loops[number] = {0};
    if (!shard::isExpressible(table, grid, option))
      continue;
    EXPECT_NE(loop.kind, shard::LoopKind::Invalid);
    for (unsigned result = 0; result < op->getNumResults(); ++result) {
      if (!table.results[result].isTensor)
        continue;
      shard::Sharding sharding = shard::resultSharding(table, result, option);
      unsigned splits = llvm::count_if(
          sharding.dims, [](const auto &axes) { return !axes.empty(); });
      EXPECT_EQ(splits + sharding.partial.size(), 1u);
    }
  }
}

TEST_F(Tables, AreConsistent) {
  forEachOp([](Operation *op) {
    SCOPED_TRACE(op->getName().getStringRef().str());
    checkTable(op);
  });
}

TEST_F(Tables, CoverWhatTheProgramsUse) {
  llvm::StringSet<> seen;
  forEachOp([&](Operation *op) { seen.insert(op->getName().getStringRef()); });
  for (const std::string &name : shard::modelledOps(context)) {
    StringRef dialect = StringRef(name).split('.').first;
    if (dialect == "tensor" || dialect == "bufferization")
      EXPECT_TRUE(seen.contains(name)) << name << " stands in no program";
  }
  for (StringRef name : {"linalg.pack", "linalg.unpack", "linalg.softmax"})
    EXPECT_TRUE(seen.contains(name)) << name.str();
}

TEST_F(Tables, EveryElementwiseAndStructuredOpHasAModel) {
  llvm::StringSet<> modelled;
  for (const std::string &name : shard::modelledOps(context))
    modelled.insert(name);
  for (StringRef name : {"arith.addf",
                         "arith.select",
                         "arith.cmpi",
                         "arith.constant",
                         "arith.extf",
                         "arith.mulsi_extended",
                         "math.exp",
                         "math.fma",
                         "math.sincos",
                         "linalg.generic",
                         "linalg.matmul",
                         "linalg.batch_matmul",
                         "linalg.contract",
                         "linalg.elementwise",
                         "linalg.map",
                         "linalg.reduce",
                         "linalg.broadcast",
                         "linalg.transpose",
                         "linalg.conv_2d_nhwc_hwcf",
                         "linalg.pooling_nchw_max"})
    EXPECT_TRUE(modelled.contains(name)) << name.str();
}

} // namespace
