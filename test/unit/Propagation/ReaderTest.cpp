//===- ReaderTest.cpp - What propagation reads in programs ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardDialect.h"
#include "shard/Models/Models.h"
#include "shard/Propagation/Propagation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using shard::PropagationResult;

namespace {

/// A program on the grid 2x2 with axes a and b, propagated at once. In the text,
/// T stands for tensor<8x8xf32>. Results of ops with a `tag` attribute are asked
/// for by that.
class Source {
public:
  explicit Source(std::string text, shard::PropagationOptions options = {}) {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
    registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
      context->getOrLoadDialect<shard::ShardDialect>();
    });
    shard::registerAllModels(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    text = "shard.grid @g(shape = 2x2) axes [\"a\", \"b\"]\n" + text;
    for (size_t at = 0; (at = text.find("T", at)) != std::string::npos; ++at)
      text.replace(at, 1, "tensor<8x8xf32>");
    ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        errors += "note: " + note.str() + "\n";
      return success();
    });
    module = parseSourceString<ModuleOp>(text, context.get(), "source.mlir");
    if (module)
      ok = succeeded(shard::propagateShardings(*module, options, result));
  }

  std::string text(const shard::Sharding *sharding) {
    return sharding ? shard::toString(*sharding) : "replicated";
  }
  std::string at(Value value) { return text(result.sharding(value)); }
  Operation *op(StringRef tag) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (auto attr = op->getAttrOfType<StringAttr>("tag"))
        if (attr.getValue() == tag)
          found = op;
    });
    return found;
  }
  std::string operator[](StringRef tag) { return at(op(tag)->getResult(0)); }
  std::string argument(unsigned number, StringRef function = "f") {
    return at(module->lookupSymbol<func::FuncOp>(function).getArgument(number));
  }
  /// "operand 1 of arith.addf: [[0], []]" and so on.
  std::string uses() {
    std::string list;
    for (const auto &use : result.grids[0].uses)
      list += "operand " + std::to_string(use.use->getOperandNumber()) +
              " of " + use.use->getOwner()->getName().getStringRef().str() +
              ": " + text(&result.grids[0].shardings[use.sharding]) + "\n";
    return list;
  }
  std::string explanation() {
    std::string text;
    llvm::raw_string_ostream os(text);
    result.explanation.print(os);
    return text;
  }

  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  PropagationResult result;
  std::string errors;
  bool ok = false;
};

#define HINT(dims) "{shard.sharding = #shard.sharding<@g, " dims ">}"

TEST(Reader, ArgumentsAndResults) {
  Source p("func.func @f(%x: T " HINT("[[\"a\"], [?]]") ", %y: T) -> (T " HINT(
      "[[?], [\"b\"]]") ") {\n"
                        "%0 = arith.addf %x, %y {tag = \"sum\"} : T\n"
                        "return %0 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["sum"], "[[0], [1]]");
  EXPECT_EQ(p.argument(1), "[[0], [1]]");
  EXPECT_EQ(p.argument(0), "[[0], [1]]");
  ASSERT_EQ(p.result.grids[0].results.size(), 1u);
  EXPECT_EQ(p.uses(), "");
}

TEST(Reader, ShardOpsInBothRoles) {
  Source p("func.func @f(%x: T) -> T {\n"
           "%s = shard.sharding @g split_axes = [[0]] : !shard.sharding\n"
           "%t = shard.sharding @g split_axes = [[1]] : !shard.sharding\n"
           "%0 = shard.shard %x to %s : T\n"
           "%1 = shard.shard %0 to %t annotate_for_users {tag = \"use\"} : T\n"
           "%2 = math.exp %1 {tag = \"user\"} : T\n"
           "%3 = math.exp %0 {tag = \"other\"} : T\n"
           "return %2 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p.argument(0), "[[0], []]");
  EXPECT_EQ(p["use"], "[[1], []]");
  EXPECT_EQ(p["user"], "[[1], []]");
  EXPECT_EQ(p["other"], "[[0], []]");
  EXPECT_EQ(p.uses(), "");
}

TEST(Reader, ContradictionNamesBothPlaces) {
  Source p("func.func @f(%x: T) -> T {\n"
           "%s = shard.sharding @g split_axes = [[0]] : !shard.sharding\n"
           "%t = shard.sharding @g split_axes = [[1]] : !shard.sharding\n"
           "%0 = shard.shard %x to %s : T\n"
           "%1 = shard.shard %0 to %t : T\n"
           "return %1 : T }");
  EXPECT_FALSE(p.ok);
  EXPECT_NE(p.errors.find("sharding <@g, [[1], []]> contradicts another one of "
                          "the same value in dimension 0"),
            std::string::npos)
      << p.errors;
  EXPECT_NE(p.errors.find("note: the other one, <@g, [[0], []]>, is here"),
            std::string::npos);
}

TEST(Reader, ConstraintWithAndWithoutUsers) {
  Source p("func.func @f(%x: T) -> T {\n"
           "%0 = math.exp %x {tag = \"v\"} : T\n"
           "%1 = shard.constraint %0 to <@g, [[\"a\"], []]> : T\n"
           "%2 = shard.constraint %0 to <@g, [[\"b\"], []]> : T\n"
           "%3 = math.exp %2 {tag = \"user\"} : T\n"
           "return %3 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["v"], "[[0], []]");
  EXPECT_EQ(p["user"], "[[1], []]");
}

TEST(Reader, GroupJoins) {
  Source p("func.func @f(%x: T " HINT(
      "[[\"a\"], []]") ", %y: T) -> T {\n"
                       "%0 = math.exp %x : T\n"
                       "%1 = math.exp %y {tag = \"v\"} : T\n"
                       "shard.group %0, %1 id = 7 : T, T\n"
                       "return %1 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["v"], "[[0], []]");
  EXPECT_EQ(p.argument(1), "[[0], []]");
}

TEST(Reader, LoopArgumentsAndResultsAreOneValue) {
  Source p("func.func @f(%x: T " HINT(
      "[[\"a\"], []]") ", %n: index) -> T {\n"
                       "%c0 = arith.constant 0 : index\n %c1 = arith.constant "
                       "1 : index\n"
                       "%r = scf.for %i = %c0 to %n step %c1 iter_args(%v = "
                       "%x) -> T {\n"
                       "  %1 = math.exp %v {tag = \"body\"} : T\n scf.yield %1 "
                       ": T\n"
                       "} {tag = \"loop\"}\n return %r : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["body"], "[[0], []]");
  EXPECT_EQ(p["loop"], "[[0], []]");
  EXPECT_EQ(p.uses(), "");
}

TEST(Reader, WhileLoop) {
  Source p("func.func @f(%x: T " HINT(
      "[[\"a\"], []]") ", %c: i1) -> T {\n"
                       "%r = scf.while (%v = %x) : (T) -> T {\n"
                       "  scf.condition(%c) %v : T\n"
                       "} do {\n ^bb0(%w: T):\n"
                       "  %1 = math.exp %w {tag = \"body\"} : T\n scf.yield %1 "
                       ": T\n"
                       "}\n return %r : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["body"], "[[0], []]");
}

TEST(Reader, BranchesOfAnIfMeet) {
  Source p("func.func @f(%x: T " HINT("[[\"a\"], []]") ", %y: T " HINT(
      "[[\"b\"], []]") ", %c: i1) -> T {\n"
                       "%r = scf.if %c -> T {\n scf.yield %x : T\n } else {\n "
                       "scf.yield %y : T\n } {tag = \"if\"}\n"
                       "return %r : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["if"], "[[0], []]");
  EXPECT_EQ(p.uses(), "operand 0 of scf.yield: [[0], []]\n");
}

TEST(Reader, BlocksOfAGraph) {
  Source p("func.func @f(%x: T " HINT(
      "[[\"a\"], []]") ", %c: i1) -> T {\n"
                       "cf.cond_br %c, ^bb1(%x : T), ^bb2(%x : T)\n"
                       "^bb1(%1: T):\n %2 = math.exp %1 {tag = \"one\"} : T\n"
                       " cf.br ^bb2(%2 : T)\n"
                       "^bb2(%3: T):\n return %3 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["one"], "[[0], []]");
  EXPECT_EQ(p.uses(), "");
}

TEST(Reader, CallsCarryShardings) {
  Source p("func.func private @g1(%x: T) -> T {\n"
           "%2 = math.exp %x {tag = \"callee\"} : T\n return %2 : T }\n"
           "func.func @f(%x: T " HINT(
               "[[\"a\"], []]") ") -> T {\n"
                                "%2 = call @g1(%x) {tag = \"call\"} : (T) -> "
                                "T\n return %2 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["callee"], "[[0], []]");
  EXPECT_EQ(p["call"], "[[0], []]");
}

TEST(Reader, FunctionsThatDoNotCallMayUseOtherGrids) {
  Source p("shard.grid @h(shape = 4)\n"
           "func.func @f(%x: T " HINT(
               "[[\"a\"], []]") ") -> T {\n"
                                "return %x : T }\n"
                                "func.func @f2(%x: T {shard.sharding = "
                                "#shard.sharding<@h, [[0], "
                                "[]]>}) -> T {\n return %x : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  ASSERT_EQ(p.result.grids.size(), 2u);
  EXPECT_EQ(p.result.grids[1].gridName.getValue(), "h");
}

TEST(Reader, MixedGridsAreAnError) {
  Source p("shard.grid @h(shape = 4)\n"
           "func.func @f(%x: T " HINT(
               "[[\"a\"], []]") ", %y: T "
                                "{shard.sharding = #shard.sharding<@h, [[0], "
                                "[]]>}) -> T {\n"
                                "%0 = arith.addf %x, %y : T\n return %0 : T }");
  EXPECT_FALSE(p.ok);
  EXPECT_NE(p.errors.find("'arith.addf' ties values on grid @"),
            std::string::npos)
      << p.errors;
}

TEST(Reader, BodyThatUsesAWholeTensor) {
  Source p("func.func @f(%x: T " HINT(
      "[[\"a\"], []]") ", %i: tensor<8xindex>) -> "
                       "tensor<8xf32> {\n"
                       "%e = tensor.empty() : tensor<8xf32>\n"
                       "%c0 = arith.constant 0 : index\n"
                       "%0 = linalg.generic {indexing_maps = [affine_map<(d0) "
                       "-> (d0)>, "
                       "affine_map<(d0) -> (d0)>], iterator_types = "
                       "[\"parallel\"]} ins(%i : "
                       "tensor<8xindex>) outs(%e : tensor<8xf32>) {\n"
                       "^bb0(%a: index, %b: f32):\n"
                       "  %v = tensor.extract %x[%a, %c0] : T\n  linalg.yield "
                       "%v : f32\n"
                       "} -> tensor<8xf32>\n return %0 : tensor<8xf32> }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p.uses(), "operand 0 of tensor.extract: [[], []]\n");
  EXPECT_EQ(p.result.grids[0].uses[0].anchor->getName().getStringRef(),
            "linalg.generic");
}

TEST(Reader, UnknownOpTakesWholeTensors) {
  Source p(
      "func.func private @g1(T) -> T\n"
      "func.func @f(%x: T " HINT(
          "[[\"a\"], []]") ") -> T {\n"
                           "%2 = call @g1(%x) : (T) -> T\n return %2 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p.uses(), "operand 0 of func.call: [[], []]\n");
}

TEST(Reader, ManualComputation) {
  Source p("func.func @f(%x: T, %z: tensor<4x8xf32> " HINT(
      "[[\"a\"], []]") ") "
                       "-> T {\n"
                       "%0 = math.exp %x {tag = \"outer\"} : T\n"
                       "%2 = shard.manual_computation(%0) on @g in = [<@g, "
                       "[[\"b\", ?], "
                       "[?]]>] out = [<@g, [[\"b\", ?], []]>] axes = [\"b\"] "
                       "(%arg: "
                       "tensor<4x8xf32>) {\n"
                       "  %3 = arith.addf %arg, %z {tag = \"body\"} : "
                       "tensor<4x8xf32>\n"
                       "  shard.return %3 : tensor<4x8xf32>\n"
                       "} : (T) -> T\n return %2 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p["outer"], "[[1, 0], []]");
  EXPECT_EQ(p["body"], "[[0], []]");
  ASSERT_EQ(p.result.grids[0].manual.size(), 1u);
  EXPECT_EQ(shard::toString(p.result.grids[0].manual[0].in[0]), "[[1, 0], []]");
  EXPECT_EQ(shard::toString(p.result.grids[0].manual[0].out[0]),
            "[[1, 0], []]");
  EXPECT_EQ(p.uses(), "");
}

TEST(Reader, ClosedManualComputationKeepsAxesOut) {
  Source p("func.func @f(%x: T, %z: tensor<4x8xf32> " HINT(
      "[[\"a\"], []]") ") "
                       "-> T {\n"
                       "%2 = shard.manual_computation(%x) on @g in = [<@g, "
                       "[[\"b\"], "
                       "[?]]>] out = [<@g, [[\"b\"], []]>] axes = [\"b\"] "
                       "(%arg: "
                       "tensor<4x8xf32>) {\n"
                       "  %3 = arith.addf %arg, %z {tag = \"body\"} : "
                       "tensor<4x8xf32>\n"
                       "  shard.return %3 : tensor<4x8xf32>\n"
                       "} : (T) -> T\n return %2 : T }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_EQ(p.argument(0), "[[1], []]");
  EXPECT_EQ(shard::toString(p.result.grids[0].manual[0].in[0]), "[[1], []]");
  EXPECT_EQ(shard::toString(p.result.grids[0].manual[0].out[0]), "[[1], []]");
}

TEST(Reader, CutAxesRefineTheGrid) {
  Source p("shard.grid @h(shape = 4)\n"
           "func.func @f(%x: tensor<8xf32> {shard.sharding = "
           "#shard.sharding<@h, [[0]]>}) -> tensor<2x4xf32> {\n"
           "%0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] {tag = "
           "\"r\"} : tensor<8xf32> into tensor<2x4xf32>\n"
           "return %0 : tensor<2x4xf32> }");
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_TRUE(p.result.grids[0].refined);
  EXPECT_EQ(p.result.grids[0].grid.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(p["r"], "[[0], [1]]");
  EXPECT_EQ(p.argument(0), "[[0, 1]]");
}

TEST(Reader, UnevenDimensionGivesARemark) {
  Source p("func.func @f(%x: tensor<7xf32> " HINT(
      "[[\"a\"]]") ") -> "
                   "tensor<7xf32> {\n"
                   "%0 = math.exp %x : tensor<7xf32>\n return %0 : "
                   "tensor<7xf32> }");
  ASSERT_TRUE(p.ok) << p.errors;
  ASSERT_EQ(p.result.remarks.size(), 1u);
  EXPECT_EQ(p.result.remarks[0].text,
            "a dimension of extent 7 is split unevenly by axis a (2 parts, the "
            "last ones short or empty)");
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

shard::PropagationOptions explaining() {
  shard::PropagationOptions options;
  options.explain = true;
  return options;
}

TEST(Explain, ChainEndsAtTheHint) {
  Source p("func.func @f(%x: T " HINT(
               "[[\"a\"], []]") ") -> T {\n"
                                "%0 = math.exp %x : T\n%1 = math.exp %0 : T\n "
                                "return %1 : T }",
           explaining());
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_NE(
      p.explanation().find(
          "%1 at source.mlir:4:6: [[a], []]\n"
          "    axis a in dimension 0: through math.exp at source.mlir:4:6, "
          "through math.exp at source.mlir:3:6, from the hint "
          "#shard.sharding<@g, [[\"a\"], []]> at source.mlir:2:14"),
      std::string::npos)
      << p.explanation();
}

TEST(Explain, ReshardNamesBothHints) {
  Source p("func.func @f(%x: T " HINT("[[\"a\"], []]") ", %y: T " HINT(
               "[[\"b\"], []]") ") -> T {\n"
                                "%0 = arith.addf %x, %y : T\n return %0 : T }",
           explaining());
  ASSERT_TRUE(p.ok) << p.errors;
  std::string text = p.explanation();
  EXPECT_NE(text.find("reshard of %arg1 for arith.addf operand 1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("it has axis b in dimension 0: from the hint"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("against axis a in dimension 0 of operand 0: from the hint"),
      std::string::npos)
      << text;
}

TEST(Explain, LongChainsAreCut) {
  std::string text = "func.func @f(%x: T " HINT("[[\"a\"], []]") ") -> T {\n";
  std::string last = "%x";
  for (int i = 0; i < 100; ++i) {
    std::string next = "%v" + std::to_string(i);
    text += next + " = math.exp " + last + " : T\n";
    last = next;
  }
  Source p(text + "return " + last + " : T }", explaining());
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_NE(p.explanation().find("and 92 more ops, from the hint"),
            std::string::npos);
}

TEST(Explain, UnknownOpIsNamed) {
  Source p(
      "func.func private @g1(T) -> T\n"
      "func.func @f(%x: T " HINT(
          "[[\"a\"], []]") ") -> T {\n"
                           "%2 = call @g1(%x) : (T) -> T\n return %2 : T }",
      explaining());
  ASSERT_TRUE(p.ok) << p.errors;
  EXPECT_NE(
      p.explanation().find(
          "decided: the op has no sharding model and takes whole tensors"),
      std::string::npos)
      << p.explanation();
}

TEST(Explain, Json) {
  Source p("func.func @f(%x: T " HINT(
               "[[\"a\"], []]") ") -> T {\n"
                                "%0 = math.exp %x : T\n return %0 : T }",
           explaining());
  ASSERT_TRUE(p.ok) << p.errors;
  std::string text;
  llvm::raw_string_ostream os(text);
  p.result.explanation.printJson(os);
  EXPECT_NE(text.find("\"sharding\": \"[[a], []]\""), std::string::npos)
      << text;
}

} // namespace
