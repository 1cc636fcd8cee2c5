//===- ChecksTest.cpp - The verdict about one program ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/CheckCalls.h"
#include "Checks/CheckForms.h"
#include "Checks/CheckHints.h"
#include "Checks/CheckLocal.h"
#include "Checks/CheckWaste.h"

#include "shard/Fuzz/Check.h"
#include "shard/Fuzz/Coverage.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace shard;
using namespace shard::fuzz;

namespace {

/// Whether `text` contains `part`; a failing test prints `text`.
testing::AssertionResult holds(const std::string &text,
                               const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

Outcome verdictOf(const std::string &program, uint64_t inputSeed = 1) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  return check(*context, program, inputSeed, /*stability=*/true);
}

mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &program,
                                        mlir::MLIRContext &context) {
  return mlir::parseSourceString<mlir::ModuleOp>(program, &context);
}

TEST(Check, aProgramThatComputesTheSamePasses) {
  const char *program = R"(
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<5xf32> {
  %0 = arith.addf %a, %a : tensor<5xf32>
  return %0 : tensor<5xf32>
}
)";
  // The seed chooses forms, and how the program is compiled.
  for (uint64_t seed = 0; seed < 16; ++seed) {
    Outcome outcome = verdictOf(program, seed);
    EXPECT_EQ(outcome.verdict, Verdict::Pass) << outcome.message;
    EXPECT_FALSE(isFailure(outcome.verdict));
  }
}

TEST(Check, whatIsNotRunMustSendNoMoreThanItSays) {
  auto verdict = [](const std::string &most) {
    std::unique_ptr<mlir::MLIRContext> context = makeContext();
    return checkUnrun(*context,
                      R"(
shard.grid @grid(shape = 4)
func.func @main(%a: tensor<4xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<4xi32> {shard.sharding = #shard.sharding<@grid, [[]]>}) attributes {most_collectives = 1, most_bytes = )" +
                          most + R"(} {
  return %a : tensor<4xi32>
}
)",
                      /*seed=*/1);
  };
  EXPECT_EQ(verdict("12").verdict, Verdict::Pass);
  Outcome outcome = verdict("8");
  EXPECT_EQ(outcome.verdict, Verdict::CheckFailed);
  EXPECT_TRUE(holds(outcome.message, "no more than 8 bytes and send 12"));
}

TEST(Check, aCopyThatNothingUsesNeedsNoCollectives) {
  // The fill is made for each of its users, at one place; the permute that the first copy needs is
  // told of, and partition drops that copy with the slice that nothing uses.
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Outcome outcome = checkUnrun(*context,
                               R"(
shard.grid @grid(shape = 2x2)
func.func @main(%a: tensor<9xf32> {shard.sharding = #shard.sharding<@grid, [[1]]>}) -> tensor<9xf32> {
  %one = arith.constant 1.0 : f32
  %new = tensor.empty() {shard.loops = #shard.sharding<@grid, [[0]]>} : tensor<9xf32>
  %filled = linalg.fill ins(%one : f32) outs(%new : tensor<9xf32>) -> tensor<9xf32>
  %sum = arith.addf %filled, %a {shard.loops = #shard.sharding<@grid, [[1]]>} : tensor<9xf32>
  %unused = tensor.extract_slice %sum[0] [9] [1] : tensor<9xf32> to tensor<9xf32>
  %used = arith.negf %filled {shard.loops = #shard.sharding<@grid, [[0]]>} : tensor<9xf32>
  return %used : tensor<9xf32>
}
)",
                               /*seed=*/1);
  EXPECT_EQ(outcome.verdict, Verdict::Pass) << outcome.message;
}

TEST(Waste, isNamed) {
  auto wasteOf = [](const std::string &lines, const std::string &result) {
    std::unique_ptr<mlir::MLIRContext> context = makeContext();
    std::string gather = " = shard.all_gather %a on @g grid_axes = [0] "
                         "gather_axis = 0 : tensor<2xf32> -> tensor<4xf32>\n";
    auto module = parse("shard.grid @g(shape = 2)\n"
                        "func.func @main(%a: tensor<2xf32>) -> tensor<" +
                            result + "xf32> {\n%b" + gather + lines +
                            " : tensor<" + result + "xf32>\n}\n",
                        *context);
    EXPECT_TRUE(module);
    return module ? checkWaste(*module) : "";
  };
  EXPECT_EQ(wasteOf("return %b", "4"), "");
  EXPECT_TRUE(holds(wasteOf("return %a", "2"), "nothing uses"));
  EXPECT_TRUE(holds(
      wasteOf("%c = shard.all_gather %a on @g grid_axes = [0] gather_axis "
              "= 0 : tensor<2xf32> -> tensor<4xf32>\n"
              "%d = arith.addf %b, %c : tensor<4xf32>\nreturn %d",
              "4"),
      "is done before"));
  EXPECT_TRUE(holds(
      wasteOf("%c = shard.all_slice %b on @g grid_axes = [0] slice_axis = "
              "0 : tensor<4xf32> -> tensor<2xf32>\nreturn %c",
              "2"),
      "takes back a gather"));
}

TEST(Check, hintsThatContradictEachOtherAreNoFailure) {
  Outcome outcome = verdictOf(R"(
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<4xf32> {
  %s = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %b = shard.shard %a to %s : tensor<4xf32>
  return %b : tensor<4xf32>
}
)");
  EXPECT_EQ(outcome.verdict, Verdict::Contradiction);
  EXPECT_FALSE(isFailure(outcome.verdict));
}

TEST(Check, aProgramThatIsNotValidIsAFaultOfTheGenerator) {
  EXPECT_EQ(verdictOf("func.func @main() { return %a : f32 }").verdict,
            Verdict::Invalid);
  EXPECT_EQ(verdictOf("shard.grid @grid(shape = 2)").verdict, Verdict::Invalid);
}

TEST(Check, anErrorForAnotherReasonIsAFailure) {
  Outcome outcome = verdictOf(R"(
func.func @main(%a: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  return %a : tensor<4xf8E8M0FNU>
}
)");
  EXPECT_EQ(outcome.verdict, Verdict::Rejected);
  EXPECT_TRUE(holds(outcome.message, "f8E8M0FNU"));
  EXPECT_TRUE(isFailure(outcome.verdict));
}

TEST(Check, realNumbersAreComparedWithF64) {
  // What is left of the division depends on bits that f32 lacks.
  Outcome outcome = verdictOf(R"(
#map = affine_map<(d0) -> (d0)>
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> attributes {real} {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %big = arith.constant 1.1e9 : f32
    %seven = arith.constant 7 : i32
    %1 = arith.mulf %x, %big : f32
    %2 = arith.fptosi %1 : f32 to i32
    %3 = arith.remsi %2, %seven : i32
    %4 = arith.sitofp %3 : i32 to f32
    linalg.yield %4 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
)");
  EXPECT_EQ(outcome.verdict, Verdict::Wrong);
  EXPECT_TRUE(holds(outcome.message, "in f64"));
}

TEST(Check, whatASumCancelsMayBeRounded) {
  Outcome outcome = verdictOf(R"(
#map = affine_map<(d0) -> (d0)>
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> attributes {real} {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %large = arith.constant 1.0e4 : f32
    %1 = arith.addf %x, %large : f32
    %2 = arith.subf %1, %large : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
)");
  EXPECT_EQ(outcome.verdict, Verdict::Pass) << outcome.message;
}

TEST(SameFailure, numbersAndNamesMayDiffer) {
  auto rejected = [](const char *message) {
    return Outcome{Verdict::Rejected, message};
  };
  EXPECT_TRUE(sameFailure(rejected("'a.b' has 3 of <x>"),
                          rejected("'c' has 14 of <y<z>>")));
  EXPECT_FALSE(sameFailure(rejected("has 3"), rejected("had 3")));
  EXPECT_FALSE(sameFailure(rejected("has 3"), {Verdict::Wrong, "has 3"}));
  EXPECT_TRUE(sameFailure({Verdict::Wrong, "a"}, {Verdict::Wrong, "b"}));
}

const char *const gathers = R"(
shard.grid @grid(shape = 2x3)
func.func @main(%a: tensor<4xf32>) -> tensor<12xf32> {
  %0 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0 : tensor<4xf32> -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
)";

/// `count` calls of all_gather, over axis 1, with inputs of `inputBytes`.
runtime::CallRecord gatherCalls(int64_t count, int64_t inputBytes) {
  runtime::CallRecord record;
  record.kind = "all_gather";
  record.gridShape = {2, 3};
  record.axes = {1};
  record.count = count;
  record.inputBytes = inputBytes;
  return record;
}

TEST(CompareCalls, theRunCallsWhatTheProgramHas) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = parse(gathers, *context);
  ASSERT_TRUE(module);
  CallList listed = listCalls(*module);
  EXPECT_EQ(compareCalls(listed, {gatherCalls(1, 16)}), "");
  EXPECT_TRUE(
      holds(compareCalls(listed, {gatherCalls(2, 32)}), "made 2 calls"));
  EXPECT_TRUE(holds(compareCalls(listed, {}), "the program needs 1"));
  EXPECT_TRUE(holds(compareCalls(listed, {gatherCalls(1, 20)}),
                    "20 bytes where the program has 16"));
  runtime::CallRecord other = gatherCalls(1, 16);
  other.axes = {0};
  EXPECT_TRUE(holds(compareCalls(listed, {other}),
                    "all_gather over axes 0 of a grid 2x3, which the "
                    "program does not contain"));
}

TEST(CompareReport, theReportTellsOfEveryCallButSlices) {
  RunReport report;
  report.calls = {gatherCalls(3, 48)};
  report.calls.push_back(gatherCalls(5, 80));
  report.calls.back().kind = "all_slice";
  EXPECT_TRUE(holds(compareReport(report), "tells of 0 calls"));
  CollectiveReport row;
  row.kind = "all_gather";
  row.calls = 3;
  report.collectives = {row};
  EXPECT_EQ(compareReport(report), "");
  row.kind = "permute";
  report.collectives.push_back(row);
  EXPECT_TRUE(holds(compareReport(report), "did not make"));
}

/// A partitioned program with a value of this local type and recorded sharding.
std::string partitioned(const std::string &type, const std::string &dims) {
  std::string local = type +
                      " {shard.local = #shard.local<tensor<5xf32>, "
                      "<@grid, " +
                      dims + ">>}";
  return "shard.grid @grid(shape = 2)\nfunc.func @main(%a: " + local +
         ") -> (" + local + ") {\n  return %a : " + type + "\n}\n";
}

TEST(CheckLocal, typesAndHintsAreThoseOfTheRecordedShardings) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto original = parse(R"(
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<5xf32> {
  return %a : tensor<5xf32>
}
)",
                        *context);
  ASSERT_TRUE(original);
  auto checked = [&](const std::string &type, const std::string &dims) {
    auto module = parse(partitioned(type, dims), *context);
    EXPECT_TRUE(module);
    return module ? checkLocal(*original, *module) : "does not parse";
  };
  EXPECT_EQ(checked("tensor<3xf32>", "[[0]]"), "");
  // The hint of the argument is closed.
  EXPECT_TRUE(holds(checked("tensor<5xf32>", "[[]]"), "hint"));
}

// The original, and what propagation could make of it.
constexpr char kOtherBlocks[] = R"(
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @grid split_axes = SPLIT : !shard.sharding
  %b = arith.addf %a, %a : tensor<4x4xf32>
  %c = shard.shard %b to %s : tensor<4x4xf32>
  %t = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %d = shard.shard %c to %t annotate_for_users : tensor<4x4xf32>
  return USED : tensor<4x4xf32>
}
)";

TEST(CheckHints, anAnnotationThatAValueNeedsIsFollowed) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto program = [&](const std::string &split, const std::string &used) {
    std::string text = kOtherBlocks;
    text.replace(text.find("SPLIT"), 5, split);
    text.replace(text.find("USED"), 4, used);
    return parse(text, *context);
  };
  EXPECT_EQ(checkHints(*program("[[0]]", "%d"), *program("[[0]]", "%d")), "");
  EXPECT_TRUE(holds(checkHints(*program("[[0]]", "%d"), *program("[[]]", "%d")),
                    "has another sharding"));
  // Nobody uses what is annotated for users.
  EXPECT_TRUE(holds(checkHints(*program("[[0]]", "%b"), *program("[[]]", "%b")),
                    "none of them takes"));
}

TEST(CheckForm, everyFormReadsBackAsItWas) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = parse(gathers, *context);
  ASSERT_TRUE(module);
  for (unsigned form = 0; form < numForms; ++form) {
    EXPECT_EQ(checkForm(*module, print(*module), Form(form)), "") << form;
    EXPECT_NE(checkForm(*module, "another text", Form(form)), "") << form;
  }
  EXPECT_EQ(difference("a\nb\nc", "a\nd\nc"), "'b' and then 'd'");
}

TEST(Coverage, sumsOfChildrenAreThoseOfOneProcess) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = parse(gathers, *context);
  ASSERT_TRUE(module);
  Coverage child, parent;
  child.countOps(*module);
  child.countCollectives(*module);
  parent.add(child.encode());
  parent.add(child.encode());
  EXPECT_EQ(parent.numOps(), child.numOps());
  EXPECT_EQ(parent.numCollectives(), 1u);
  EXPECT_TRUE(holds(parent.encode(), "c all_gather 2 "));
  EXPECT_EQ(parent.missing({"func.func", "tensor.pad"}),
            std::vector<std::string>{"tensor.pad"});
}

} // namespace
