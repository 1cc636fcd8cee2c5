//===- CollectiveAlgebraTest.cpp - Canonicalization keeps the meaning -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Both sides of every rewrite run on all devices of a grid, and must agree
// wherever the left side is specified: first the rules one by one, then random
// chains of collectives.
//
//===----------------------------------------------------------------------===//

#include "CollectiveInterpreter.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace shard;

namespace {
MLIRContext &context() {
  static MLIRContext *instance = [] {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect>();
    registerShardDialect(registry);
    auto *result = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    result->loadAllAvailableDialects();
    return result;
  }();
  return *instance;
}

// The ops of `function` but for its terminator, by name without the dialect.
std::string opNames(func::FuncOp function) {
  std::string names;
  for (Operation &op : function.getBody().front().without_terminator())
    names += (names.empty() ? "" : " ") + op.getName().stripDialect().str();
  return names;
}

// Canonicalizes the program and returns the names of what is left; empty with a
// failure if the meaning changed.
std::string canonicalizeAndCompare(const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context());
  if (!module) {
    ADD_FAILURE() << "does not parse:\n" << text;
    return "";
  }
  auto function = *module->getOps<func::FuncOp>().begin();
  auto before = interpret(function);
  PassManager manager(&context());
  manager.addPass(createCanonicalizerPass());
  if (failed(manager.run(*module))) {
    ADD_FAILURE() << "does not canonicalize:\n" << text;
    return "";
  }
  auto after = interpret(function);
  std::string printed;
  llvm::raw_string_ostream(printed) << function;
  if (!before || !after) {
    ADD_FAILURE() << "does not run:\n" << text << printed;
    return "";
  }
  for (auto [left, right] : llvm::zip_equal(*before, *after))
    EXPECT_TRUE(refines(right, left)) << text << "became\n" << printed;
  return opNames(function);
}

struct Rule {
  const char *name;
  const char *grid;
  /// The function behind "func.func @f".
  const char *function;
  /// What is left.
  const char *expected;
};

const Rule rules[] = {
    {"slice_of_gather", "2x3",
     R"((%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<4xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<12xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32> })",
     ""},
    {"slice_of_gather_uneven", "2x3",
     R"((%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<4xi32> -> tensor<10xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<10xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32> })",
     ""},
    {"slice_of_gather_other_order", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1, 0] slice_axis = 0 : tensor<12xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_gather all_slice"},
    {"slice_of_gather_prefix", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<5xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<10xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0] slice_axis = 0 : tensor<10xi32> -> tensor<5xi32>
  return %1 : tensor<5xi32> })",
     "all_gather"},
    {"slice_of_gather_suffix_stays", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<12xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<12xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32> })",
     "all_gather all_slice"},
    {"slice_more_than_gather", "2x3",
     R"((%x: tensor<5xi32>) -> tensor<2xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<5xi32> -> tensor<9xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [0, 1] slice_axis = 0 : tensor<9xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_slice"},
    {"slice_of_gather_other_dim", "2x3",
     R"((%x: tensor<3x3xi32>) -> tensor<9x1xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<3x3xi32> -> tensor<9x3xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 1 : tensor<9x3xi32> -> tensor<9x1xi32>
  return %1 : tensor<9x1xi32> })",
     "all_gather all_slice"},
    {"gather_of_slice_of_unknown_stays", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_slice %x on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "all_slice all_gather"},
    {"gather_of_slice_of_replicated", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = shard.broadcast %x on @g grid_axes = [1, 0] root = [1, 1] : (tensor<6xi32>) -> tensor<6xi32>
  %0 = shard.all_slice %r on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "broadcast"},
    {"gather_of_slice_replicated_elsewhere_stays", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = shard.broadcast %x on @g grid_axes = [0] root = [1] : (tensor<6xi32>) -> tensor<6xi32>
  %0 = shard.all_slice %r on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "broadcast all_slice all_gather"},
    {"gather_of_slice_of_sum_of_replicated", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %r = shard.all_reduce %x on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %s = arith.addi %r, %c : tensor<6xi32>
  %0 = shard.all_slice %s on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "constant all_reduce addi"},
    {"all_to_all_pair", "3x2",
     R"((%x: tensor<6x2xi32>) -> tensor<6x2xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<6x2xi32> -> tensor<2x6xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x6xi32> -> tensor<6x2xi32>
  return %1 : tensor<6x2xi32> })",
     ""},
    {"all_to_all_pair_uneven", "3x2",
     R"((%x: tensor<5x2xi32>) -> tensor<5x2xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0, 1] split_axis = 0 concat_axis = 1 : tensor<5x2xi32> -> tensor<1x11xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0, 1] split_axis = 1 concat_axis = 0 : tensor<1x11xi32> -> tensor<5x2xi32>
  return %1 : tensor<5x2xi32> })",
     ""},
    {"all_to_all_same_dim_pair", "3x2",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<6xi32> -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     ""},
    {"all_to_all_not_inverse_stays", "2x2",
     R"((%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = shard.all_to_all %x on @g grid_axes = [0, 1] split_axis = 0 concat_axis = 1 : tensor<4x4xi32> -> tensor<1x16xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [1, 0] split_axis = 1 concat_axis = 0 : tensor<1x16xi32> -> tensor<4x4xi32>
  return %1 : tensor<4x4xi32> })",
     "all_to_all all_to_all"},
    {"permute_identity", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [1, 0] to_axes = [1, 0] : tensor<2xi32>
  return %0 : tensor<2xi32> })",
     ""},
    {"permute_inverse", "2x3x6",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [1, 0] to_axes = [2] : tensor<2xi32>
  %1 = shard.permute %0 on @g from_axes = [2] to_axes = [1, 0] : tensor<2xi32>
  return %1 : tensor<2xi32> })",
     ""},
    {"permute_chain_of_one_set", "2x3x2",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [0, 1, 2] to_axes = [1, 0, 2] : tensor<2xi32>
  %1 = shard.permute %0 on @g from_axes = [1, 0, 2] to_axes = [2, 1, 0] : tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "permute"},
    {"permute_chain_over_other_axes_stays", "2x2x2",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.permute %x on @g from_axes = [0] to_axes = [1] : tensor<2xi32>
  %1 = shard.permute %0 on @g from_axes = [1] to_axes = [2] : tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "permute permute"},
    {"permute_of_replicated", "2x2",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = shard.all_reduce %x on @g grid_axes = [0, 1] : tensor<2xi32> -> tensor<2xi32>
  %0 = shard.permute %r on @g from_axes = [0] to_axes = [1] : tensor<2xi32>
  return %0 : tensor<2xi32> })",
     "all_reduce"},
    {"shift_zero", "4",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 0 : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     ""},
    {"shift_all_around", "4",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = -8 rotate : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     ""},
    {"shift_too_far", "4",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 4 : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     ""},
    {"shift_just_not_too_far", "4",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = -3 : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     "shift"},
    {"mirror_of_end", "4",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 6 mirror : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     ""},
    {"mirror_of_last_two", "4",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 5 mirror : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     "shift"},
    {"mirror_of_two", "2",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 2 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     ""},
    {"mirror_of_three", "3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32> })",
     "shift"},
    {"shift_chain_rotate", "2x5",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 3 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 1 offset = 4 rotate : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "shift"},
    {"shift_chain_back", "5",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 2 : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = -2 : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     ""},
    {"shift_chain_mixed_stays", "5",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 2 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 1 : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "shift shift"},
    {"shift_of_mirror", "2x5",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0] offset = 4 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0] offset = 7 rotate : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "shift"},
    {"mirror_of_shift", "5",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "shift"},
    {"mirror_twice", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 5 mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 5 mirror : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     ""},
    {"mirror_twice_is_shift", "5",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 4 rotate mirror : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "shift"},
    {"shifts_along_other_axes_stay", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.shift %x on @g grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 1 rotate : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.shift %0 on @g grid_axes = [0, 1] shift_axis = 1 minor_axes = [0] offset = 1 rotate : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "shift shift"},
    {"slice_of_all_reduce", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<1xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1, 0] slice_axis = 0 : tensor<6xi32> -> tensor<1xi32>
  return %1 : tensor<1xi32> })",
     "reduce_scatter"},
    {"slice_of_all_reduce_partial_overlap", "2x3",
     R"((%x: tensor<5xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = max : tensor<5xi32> -> tensor<5xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<5xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "reduce_scatter all_reduce"},
    {"slice_of_mean_of_floats", "2x2",
     R"((%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = average : tensor<4xf32> -> tensor<4xf32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<4xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32> })",
     "reduce_scatter all_reduce"},
    {"slice_of_mean_of_integers_stays", "2x2",
     R"((%x: tensor<4xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = average : tensor<4xi32> -> tensor<4xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<4xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce all_slice"},
    {"slice_over_other_axis_stays", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce all_slice"},
    {"slice_of_all_reduce_used_twice_stays", "2x3",
     R"((%x: tensor<6xi32>) -> (tensor<6xi32>, tensor<2xi32>) {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  return %0, %1 : tensor<6xi32>, tensor<2xi32> })",
     "all_reduce all_slice"},
    {"gather_of_reduce_scatter", "2x3",
     R"((%x: tensor<5xi32>) -> tensor<5xi32> {
  %0 = shard.reduce_scatter %x on @g grid_axes = [1] reduction = bitwise_xor scatter_axis = 0 : tensor<5xi32> -> tensor<2xi32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<5xi32>
  return %1 : tensor<5xi32> })",
     "all_reduce"},
    {"nested_sums", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce"},
    {"sum_of_sum_over_same_axis_stays", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce all_reduce"},
    {"max_of_max_overlapping", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = max : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1, 0] reduction = max : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce"},
    {"max_of_umax_stays", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = umax : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = max : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce all_reduce"},
    {"umin_of_replicated", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<2xi32> -> tensor<2xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] reduction = umin : tensor<2xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "all_reduce"},
    {"reduce_scatter_of_replicated", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<2xi32> {
  %0 = shard.broadcast %x on @g grid_axes = [1] root = [0] : (tensor<6xi32>) -> tensor<6xi32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [1] reduction = bitwise_or scatter_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "broadcast all_slice"},
    {"reduce_of_replicated", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.reduce %0 on @g grid_axes = [1] reduction = min root = [2] : (tensor<6xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "all_reduce"},
    {"broadcast_of_replicated", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<6xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  %1 = shard.broadcast %0 on @g grid_axes = [1] root = [2] : (tensor<6xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "all_gather"},
    {"gather_of_scatter", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
  %1 = shard.gather %0 on @g grid_axes = [1] gather_axis = 0 root = [1] : (tensor<2xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     ""},
    {"gather_of_scatter_other_root_stays", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.scatter %x on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
  %1 = shard.gather %0 on @g grid_axes = [1] gather_axis = 0 root = [0] : (tensor<2xi32>) -> tensor<6xi32>
  return %1 : tensor<6xi32> })",
     "scatter gather"},
    {"scatter_of_gather", "2x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.gather %x on @g grid_axes = [1, 0] gather_axis = 0 root = [1, 1] : (tensor<2xi32>) -> tensor<12xi32>
  %1 = shard.scatter %0 on @g grid_axes = [1, 0] scatter_axis = 0 root = [1, 1] : (tensor<12xi32>) -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     ""},
    {"scatter_of_replicated", "2x3",
     R"((%x: tensor<6xi32>) -> tensor<2xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.scatter %0 on @g grid_axes = [1] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<2xi32>
  return %1 : tensor<2xi32> })",
     "reduce_scatter"},
    {"one_device", "1x3",
     R"((%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<6xi32> -> tensor<6xi32>
  %1 = shard.all_gather %0 on @g gather_axis = 0 : tensor<6xi32> -> tensor<6xi32>
  %2 = shard.broadcast %1 on @g grid_axes = [0] root = [0] : (tensor<6xi32>) -> tensor<6xi32>
  return %2 : tensor<6xi32> })",
     ""},
    {"axes_of_one_device", "1x3",
     R"((%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<6xi32>
  %1 = shard.all_slice %0 on @g grid_axes = [1, 0] slice_axis = 0 : tensor<6xi32> -> tensor<2xi32>
  %2 = shard.permute %1 on @g from_axes = [0, 1] to_axes = [1, 0] : tensor<2xi32>
  return %2 : tensor<2xi32> })",
     ""},
    {"axes_of_one_device_beside_others", "1x2x3",
     R"((%x: tensor<6x1xi32>) -> tensor<1x6xi32> {
  %0 = shard.permute %x on @g from_axes = [1, 0, 2] to_axes = [0, 2, 1] : tensor<6x1xi32>
  %1 = shard.all_to_all %0 on @g grid_axes = [2, 0, 1] split_axis = 0 concat_axis = 1 : tensor<6x1xi32> -> tensor<1x6xi32>
  %2 = shard.all_reduce %1 on @g grid_axes = [1, 0] : tensor<1x6xi32> -> tensor<1x6xi32>
  return %2 : tensor<1x6xi32> })",
     "permute all_to_all all_reduce"},
    {"splat_moves", "2x3",
     R"(() -> tensor<12xi32> {
  %c = arith.constant dense<3> : tensor<6x2xi32>
  %0 = shard.all_to_all %c on @g grid_axes = [1] split_axis = 0 concat_axis = 1 : tensor<6x2xi32> -> tensor<2x6xi32>
  %d = arith.constant dense<4> : tensor<6xi32>
  %1 = shard.all_gather %d on @g grid_axes = [0] gather_axis = 0 : tensor<6xi32> -> tensor<12xi32>
  return %1 : tensor<12xi32> })",
     "constant"},
    {"sum_of_integer_splat", "2x3",
     R"(() -> tensor<6xi32> {
  %c = arith.constant dense<-3> : tensor<6xi32>
  %0 = shard.all_reduce %c on @g grid_axes = [0, 1] : tensor<6xi32> -> tensor<6xi32>
  return %0 : tensor<6xi32> })",
     "constant"},
    {"sum_of_float_splat_stays", "2x3",
     R"(() -> tensor<6xf32> {
  %c = arith.constant dense<3.0> : tensor<6xf32>
  %0 = shard.all_reduce %c on @g grid_axes = [0, 1] : tensor<6xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32> })",
     "constant all_reduce"},
    {"constant_with_different_elements_is_sliced", "2x3",
     R"(() -> tensor<1xi32> {
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = shard.all_slice %c on @g grid_axes = [1] slice_axis = 0 : tensor<3xi32> -> tensor<1xi32>
  return %0 : tensor<1xi32> })",
     "constant all_slice"},
};

class CollectiveAlgebra : public testing::TestWithParam<Rule> {};

TEST_P(CollectiveAlgebra, KeepsTheMeaning) {
  const Rule &rule = GetParam();
  std::string text = std::string("shard.grid @g(shape = ") + rule.grid +
                     ")\nfunc.func @f" + rule.function + "\n";
  EXPECT_EQ(canonicalizeAndCompare(text), rule.expected) << text;
}

INSTANTIATE_TEST_SUITE_P(Rules, CollectiveAlgebra, testing::ValuesIn(rules),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

//===----------------------------------------------------------------------===//
// Random chains
//===----------------------------------------------------------------------===//

struct Chain {
  std::mt19937 random;
  Grid grid;
  std::vector<int64_t> shape;
  std::string body;
  int next = 0;
  AxisList lastAxes = {};
  int64_t lastDim = 0;

  int64_t pick(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }

  std::string type() {
    std::string text = "tensor<";
    for (int64_t extent : shape)
      text += std::to_string(extent) + "x";
    return text + "i32>";
  }

  static std::string print(const AxisList &axes) {
    std::string text = "[";
    for (size_t i = 0; i < axes.size(); ++i)
      text += (i ? ", " : "") + std::to_string(axes[i]);
    return text + "]";
  }

  AxisList pickAxes() {
    // Often those of the op before, so that rules apply.
    if (!lastAxes.empty() && pick(3) != 0)
      return lastAxes;
    AxisList axes;
    for (GridAxis axis = 0; axis < grid.rank(); ++axis)
      if (pick(2))
        axes.insert(axes.begin() + pick(axes.size() + 1), axis);
    return lastAxes = axes;
  }

  int64_t pickDim() {
    if (pick(3))
      lastDim = pick(shape.size());
    return lastDim;
  }

  // A whole extent that n blocks of `block` make up, sometimes with padding.
  int64_t whole(int64_t block, int64_t n) {
    return std::max<int64_t>(block * n - pick(3), (block - 1) * n + 1);
  }

  std::string root(const AxisList &axes) {
    AxisList coordinates;
    for (GridAxis axis : axes)
      coordinates.push_back(pick(2) ? 0 : pick(grid.shape[axis]));
    return "root = " + print(coordinates);
  }

  void append() {
    static const char *kinds[] = {"sum",        "max",        "min",
                                  "umax",       "umin",       "bitwise_and",
                                  "bitwise_or", "bitwise_xor"};
    std::string before = type(), input = "%" + std::to_string(next), name,
                attrs;
    AxisList axes = pickAxes();
    int64_t n = grid.groupSize(axes), dim = pickDim();
    std::string onAxes = " grid_axes = " + print(axes) + " ";
    std::string kind =
        std::string("reduction = ") + kinds[pick(2) ? 1 : pick(8)] + " ";
    std::string at = std::to_string(dim);
    bool functional = false;
    switch (pick(10)) {
    case 0:
    case 1:
      name = "all_gather", attrs = onAxes + "gather_axis = " + at;
      shape[dim] = whole(shape[dim], n);
      break;
    case 2:
    case 3:
      name = "all_slice", attrs = onAxes + "slice_axis = " + at;
      shape[dim] = ceilDiv(shape[dim], n);
      break;
    case 4: {
      int64_t other = pick(shape.size());
      if (other == dim && shape[dim] % n != 0)
        return;
      name = "all_to_all";
      attrs = onAxes + "split_axis = " + at +
              " concat_axis = " + std::to_string(other);
      if (other != dim) {
        shape[other] = whole(shape[other], n);
        shape[dim] = ceilDiv(shape[dim], n);
      }
      break;
    }
    case 5:
      name = "all_reduce", attrs = onAxes + kind;
      break;
    case 6:
      name = "reduce_scatter", attrs = onAxes + kind + "scatter_axis = " + at;
      shape[dim] = ceilDiv(shape[dim], n);
      break;
    case 7: {
      name = "shift";
      if (axes.empty())
        return;
      attrs = onAxes + "shift_axis = " + std::to_string(axes.front()) +
              (axes.size() > 1 && pick(2)
                   ? " minor_axes = [" + std::to_string(axes[1]) + "]"
                   : "") +
              " offset = " + std::to_string(pick(7) - 3) +
              (pick(2) ? " rotate" : "") + (pick(2) ? " mirror" : "");
      break;
    }
    case 8: {
      functional = true;
      int64_t which = pick(3);
      name = which == 0 ? "broadcast" : which == 1 ? "gather" : "scatter";
      attrs = onAxes +
              (which == 1   ? "gather_axis = " + at + " "
               : which == 2 ? "scatter_axis = " + at + " "
                            : "") +
              root(axes);
      if (which == 1)
        shape[dim] = whole(shape[dim], n);
      if (which == 2)
        shape[dim] = ceilDiv(shape[dim], n);
      break;
    }
    case 9: {
      AxisList to = axes;
      std::shuffle(to.begin(), to.end(), random);
      if (axes.size() == 1 && pick(2))
        for (GridAxis axis = 0; axis < grid.rank(); ++axis)
          if (grid.shape[axis] == grid.shape[axes[0]])
            to = {axis};
      body += "  %" + std::to_string(next + 1) + " = shard.permute " + input +
              " on @g from_axes = " + print(axes) + " to_axes = " + print(to) +
              " : " + before + "\n";
      lastAxes = to;
      ++next;
      return;
    }
    }
    std::string typed = functional ? "(" + before + ")" : before;
    body += "  %" + std::to_string(++next) + " = shard." + name + " " + input +
            " on @g" + attrs + " : " + typed + " -> " + type() + "\n";
  }
};

TEST(CollectiveAlgebra, RandomChainsKeepTheMeaning) {
  const std::vector<std::vector<int64_t>> grids = {{2, 2},    {2, 3}, {3},
                                                   {2, 2, 2}, {1, 3}, {4, 2}};
  int simplified = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Chain chain{std::mt19937(seed), {grids[seed % grids.size()]}, {5, 4}, ""};
    chain.shape = {1 + chain.pick(6), 1 + chain.pick(4)};
    std::string argument = chain.type();
    int64_t length = 2 + chain.pick(4);
    for (int64_t i = 0; i < length; ++i) {
      chain.append();
      if (chain.shape[0] * chain.shape[1] > 200)
        break;
    }
    std::string shape;
    for (int64_t extent : chain.grid.shape)
      shape += (shape.empty() ? "" : "x") + std::to_string(extent);
    std::string text =
        "shard.grid @g(shape = " + shape + ")\nfunc.func @f(%0: " + argument +
        ") -> " + chain.type() + " {\n" + chain.body + "  return %" +
        std::to_string(chain.next) + " : " + chain.type() + "\n}\n";
    std::string names = canonicalizeAndCompare(text);
    simplified += llvm::count(names, ' ') + 1 < chain.next;
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  // The rules do apply.
  EXPECT_GT(simplified, 500);
}
} // namespace
