//===- HintsTest.cpp - Hints of every target, and wrong ones --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"
#include "shard/IR/ShardAttrs.h"
#include "shard/IR/ShardDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

const char *const program = R"mlir(
  shard.grid @grid(shape = 2x4) axes ["data", "model"]
  func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %n: index)
      -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = arith.constant dense<0.0> : tensor<8x8xf32>
    %1 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>)
        outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>)
        outs(%1 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %3:2 = scf.if %c -> (tensor<8x8xf32>, tensor<8x8xf32>) {
      scf.yield %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
    } else {
      scf.yield %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
    }
    return %3#0, %3#1 : tensor<8x8xf32>, tensor<8x8xf32>
  })mlir";

const char *const valid[] = {"arg0=[[0], [1]]",
                             "arg1=[[], [data, \"model\"]]",
                             "result0=[[\"data\"], []]",
                             "result1=[[?], [0, ?]]",
                             "linalg.matmul#0=[[0], []], partial = sum [1]",
                             "linalg.matmul#1=[[0]p1, [?]]",
                             "linalg.matmul#1:2=[[model:(1)2], []]",
                             "linalg.matmul#0:1=[[], [0]]",
                             "scf.if#0:result1=[[0], []]"};

struct HintsTest : public testing::Test {
  HintsTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    std::string text(program);
    text.replace(text.find("%3:2"), 0, "%c = arith.constant true\n    ");
    module = parseSourceString<ModuleOp>(text, &context);
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerRunDialects(registry);
    return registry;
  }

  /// The program with these hints; nothing if there is an error, and it is in `said`.
  OwningOpRef<ModuleOp> apply(ArrayRef<std::string> hints,
                              MissingDims missing = MissingDims::Error) {
    said.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        said += diagnostic.str() + "\n";
      if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
        column = place.getColumn() - 1;
      return success();
    });
    OwningOpRef<ModuleOp> copy = module->clone();
    if (failed(applyHints(*findEntry(*copy, ""), hints, missing)) ||
        failed(mlir::verify(*copy)))
      return {};
    return copy;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string said;
  /// Where the last error is in its hint, from 0 on.
  int64_t column = -1;
};

} // namespace

TEST_F(HintsTest, EveryTarget) {
  ASSERT_TRUE(module);
  OwningOpRef<ModuleOp> hinted = apply(llvm::to_vector(llvm::map_range(
      valid, [](const char *hint) { return std::string(hint); })));
  ASSERT_TRUE(hinted) << said;
  auto entry = *findEntry(*hinted, "");
  auto sharding = [&](StringRef text) {
    return parseAttribute(("#shard.sharding<@grid, " + text + ">").str(),
                          &context);
  };
  EXPECT_EQ(entry.getArgAttr(0, kShardingAttrName), sharding("[[0], [1]]"));
  EXPECT_EQ(entry.getArgAttr(1, kShardingAttrName),
            sharding("[[], [\"data\", \"model\"]]"));
  EXPECT_EQ(entry.getResultAttr(0, kShardingAttrName),
            sharding("[[\"data\"], []]"));
  EXPECT_EQ(entry.getResultAttr(1, kShardingAttrName),
            sharding("[[?], [0, ?]]"));
  SmallVector<Operation *> products;
  Operation *branch = nullptr;
  entry.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "linalg.matmul")
      products.push_back(op);
    if (op->getName().getStringRef() == "scf.if")
      branch = op;
  });
  ASSERT_EQ(products.size(), 2u);
  // A closed hint is an annotation: of a result for all users, of an operand for its op.
  auto users = llvm::to_vector(products[0]->getUsers());
  ASSERT_EQ(users.size(), 1u);
  auto annotation = dyn_cast<ShardOp>(users[0]);
  ASSERT_TRUE(annotation);
  EXPECT_FALSE(annotation.getAnnotateForUsers());
  auto operand = products[0]->getOperand(1).getDefiningOp<ShardOp>();
  ASSERT_TRUE(operand);
  EXPECT_TRUE(operand.getAnnotateForUsers());
  EXPECT_EQ(operand.getSrc(), entry.getArgument(1));
  // Parts of axes and open dimensions make a constraint.
  EXPECT_TRUE(products[1]->getOperand(2).getDefiningOp<ConstraintOp>());
  EXPECT_TRUE(llvm::any_of(products[1]->getUsers(), [](Operation *user) {
    return isa<ConstraintOp>(user);
  }));
  ASSERT_TRUE(branch->getResult(1).hasOneUse());
  EXPECT_TRUE(isa<ShardOp>(*branch->getResult(1).user_begin()));
  EXPECT_FALSE(isa<ShardOp>(*branch->getResult(0).user_begin()));
}

// A hint is applied, or there is an error; never both. Hints with one mistake.
TEST_F(HintsTest, EveryMistake) {
  ASSERT_TRUE(module);
  int64_t applied = 0, refused = 0;
  auto check = [&](const std::string &hint) {
    OwningOpRef<ModuleOp> hinted = apply(hint);
    EXPECT_EQ(!hinted, !said.empty()) << hint << ": " << said;
    ++(hinted ? applied : refused);
    // All of an error is about the hint.
    if (!hinted)
      EXPECT_EQ(StringRef(said).trim().count('\n'), 0u) << hint << said;
  };
  for (std::string hint : valid) {
    ASSERT_TRUE(apply(hint)) << hint << ": " << said;
    for (size_t at = 0; at < hint.size(); ++at) {
      std::string wrong = hint;
      check(wrong.erase(at, 1));
      wrong = hint;
      check(wrong.insert(at, 1, hint[at]));
      for (char c : {'0', '1', '7', '[', ']', ',', 'x', '"', ':', '='}) {
        wrong = hint;
        wrong[at] = c;
        check(wrong);
      }
      check(hint.substr(0, at));
    }
  }
  EXPECT_GT(applied, 100);
  EXPECT_GT(refused, 1000);
}

TEST_F(HintsTest, TwoHintsOfOneTarget) {
  ASSERT_TRUE(module);
  for (std::string first : valid)
    for (std::string second : valid) {
      StringRef targetA = StringRef(first).split('=').first;
      StringRef targetB = StringRef(second).split('=').first;
      EXPECT_EQ(bool(apply({first, second})),
                targetA != targetB || first == second)
          << first << " and " << second << ": " << said;
    }
}

// Dimensions that a hint does not name are whole, where the caller says so.
TEST_F(HintsTest, MissingDimensions) {
  ASSERT_TRUE(module);
  EXPECT_FALSE(apply({"arg0=[[0]]"}));
  OwningOpRef<ModuleOp> some = apply({"arg0=[[0]]"}, MissingDims::Whole);
  OwningOpRef<ModuleOp> all = apply({"arg0=[[0], []]"});
  ASSERT_TRUE(some && all) << said;
  EXPECT_EQ(print(*some), print(*all));
  EXPECT_FALSE(apply({"arg0=[[0], [], []]"}, MissingDims::Whole));
}

// An error points to what is wrong.
TEST_F(HintsTest, PlacesOfErrors) {
  ASSERT_TRUE(module);
  const std::pair<const char *, int64_t> wrong[] = {
      {"arg0", 0},
      {"arg7=[[0]]", 0},
      {"result2=[[0]]", 0},
      {"argument=[[0]]", 0},
      {"arg2=[[0]]", 0},
      {"linalg.matmul=[[0], []]", 0},
      {"linalg.matmul#2=[[0], []]", 14},
      {"linalg.matmul#0:3=[[0], []]", 16},
      {"linalg.matmul#0:result1=[[0], []]", 16},
      {"scf.if#0=[[0], []]", 0},
      {"arg0=[[0], []", 5},
      {"arg0=[[0, []", 6},
      {"arg0=[[0], []]]", 14},
      {"arg0=[[0], [data:]]", 17},
      {"arg0=[[5], []]", 5}};
  for (auto [hint, place] : wrong) {
    EXPECT_FALSE(apply({hint})) << hint;
    EXPECT_EQ(column, place) << hint << ": " << said;
  }
  EXPECT_FALSE(apply({"arg0=[[0], []]", "arg0=[[], [0]]"}));
  EXPECT_EQ(column, 0);
}
