//===- ExampleTest.cpp - The example of docs/Models.md --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page quotes the model and its registration from here;
// test/Models/page.test compares them.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Pipelines/Registration.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// `demo.norms %x : (tensor<MxN>) -> tensor<M>`: the sum of squares of each row.
class NormsOp : public Op<NormsOp, OpTrait::ZeroRegions, OpTrait::OneOperand,
                          OpTrait::OneResult, OpTrait::ZeroSuccessors> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "demo.norms"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class DemoDialect : public Dialect {
public:
  explicit DemoDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<DemoDialect>()) {
    addOperations<NormsOp>();
  }
  static StringRef getDialectNamespace() { return "demo"; }
};

/// Rows are independent: a parallel loop. Columns are summed up: a reduction
/// loop. The result has no dimension for the columns.
struct NormsModel
    : public shard::ShardingInterface::ExternalModel<NormsModel, NormsOp> {
  SmallVector<shard::Loop> getShardingLoops(Operation *op) const {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    return {shard::Loop::parallel(type.getDimSize(0)),
            shard::Loop::reduce(type.getDimSize(1), shard::ReductionKind::Sum)};
  }

  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    Builder builder(op->getContext());
    AffineExpr row = builder.getAffineDimExpr(0);
    AffineExpr column = builder.getAffineDimExpr(1);
    return {AffineMap::get(2, 0, {row, column}, op->getContext()), // operand 0
            AffineMap::get(2, 0, {row}, op->getContext())};        // result 0
  }
};

void registerDemoModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DemoDialect *) {
    NormsOp::attachInterface<NormsModel>(*context);
  });
}

std::string partition(StringRef program) {
  DialectRegistry registry;
  registry.insert<DemoDialect, func::FuncDialect>();
  shard::registerShard(registry);
  registerDemoModels(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return "does not parse";
  PassManager passes(&context);
  passes.addPass(shard::createShardPartition());
  if (failed(passes.run(*module)))
    return "does not partition";
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

std::string withSharding(StringRef sharding) {
  return ("shard.grid @grid(shape = 2)\n"
          "func.func @f(%x: tensor<8x6xf32> {shard.sharding = "
          "#shard.sharding<@grid, " +
          sharding +
          ">}) -> tensor<8xf32> {\n"
          "  %n = \"demo.norms\"(%x) : (tensor<8x6xf32>) -> tensor<8xf32>\n"
          "  return %n : tensor<8xf32>\n"
          "}\n")
      .str();
}

TEST(ModelExample, SplitRowsNeedTheResultGathered) {
  std::string text = partition(withSharding("[[0], []]"));
  EXPECT_NE(text.find("(tensor<4x6xf32>) -> tensor<4xf32>"), std::string::npos)
      << text;
  EXPECT_NE(text.find("shard.all_gather"), std::string::npos) << text;
  EXPECT_EQ(text.find("shard.all_reduce"), std::string::npos) << text;
}

TEST(ModelExample, SplitColumnsNeedAReduction) {
  std::string text = partition(withSharding("[[], [0]]"));
  EXPECT_NE(text.find("(tensor<8x3xf32>) -> tensor<8xf32>"), std::string::npos)
      << text;
  EXPECT_NE(text.find("shard.all_reduce"), std::string::npos) << text;
  EXPECT_EQ(text.find("shard.all_gather"), std::string::npos) << text;
}

} // namespace
