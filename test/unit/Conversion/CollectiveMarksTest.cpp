//===- CollectiveMarksTest.cpp - Marks that fit their functions -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a program may hold any mark of a collective on any function. The tests have
// a good function for each collective and damage it in all ways that they know: all short
// lists of small numbers for each argument, compared with the lists that are good.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace {
using Numbers = std::vector<int64_t>;

constexpr int64_t kGridRank = 2, kBufferRank = 1;
constexpr int64_t kDynamic = ShapedType::kDynamic;

/// A collective on buffers of rank 1, on a grid of two axes.
struct Good {
  std::string name;
  size_t numBuffers;
  Numbers axes;
  std::vector<Numbers> arguments;
  /// Lists that may stand for each argument, of those that have at most 4 numbers from -1
  /// to 3.
  std::vector<std::set<Numbers>> lists;
  bool combines = false;
};

/// All lists of `length` numbers from `low` to `high`.
std::vector<Numbers> allLists(size_t length, int64_t low, int64_t high) {
  std::vector<Numbers> lists = {{}};
  for (size_t i = 0; i < length; ++i) {
    std::vector<Numbers> longer;
    for (const Numbers &list : lists)
      for (int64_t number = low; number <= high; ++number) {
        longer.push_back(list);
        longer.back().push_back(number);
      }
    lists = std::move(longer);
  }
  return lists;
}

std::set<Numbers> listsOf(size_t length, int64_t low = -1, int64_t high = 3) {
  std::vector<Numbers> lists = allLists(length, low, high);
  return {lists.begin(), lists.end()};
}

std::vector<Good> allGood() {
  std::set<Numbers> dim = {{0}}, number = listsOf(1);
  // Reductions are counted from 1 on, and there are more than 3.
  std::set<Numbers> reduction = {{1}, {2}, {3}};
  std::set<Numbers> root = listsOf(1), source = root;
  source.insert(Numbers());
  // The number of the axes, then the axes: those of the grid, or of the group.
  std::set<Numbers> anyAxes = {{0}, {1, 0}, {1, 1}, {2, 0, 1}, {2, 1, 0}};
  std::set<Numbers> groupAxes = {{0}, {1, 1}};
  // For each dimension.
  std::set<Numbers> counts = {{2}};
  std::set<Numbers> extents = listsOf(1, 0);
  std::set<Numbers> splits = {{0}, {1, 1}};
  std::set<Numbers> noWindow = {{}};
  return {
      {"all_gather", 2, {0}, {{0}}, {dim}},
      {"all_slice", 2, {1}, {{0}}, {dim}},
      {"all_to_all", 2, {0}, {{0}, {0}}, {dim, dim}},
      {"all_reduce", 2, {0, 1}, {{1}}, {reduction}, true},
      {"broadcast", 2, {0}, {{0}}, {root}},
      {"gather", 2, {0}, {{0}, {0}}, {dim, root}},
      {"scatter", 2, {0}, {{0}, {0}}, {dim, root}},
      {"permute", 2, {0}, {{1, 1}}, {anyAxes}},
      {"recv", 1, {0}, {{0}}, {source}},
      {"redistribute", 2, {1}, {{4}, {0}, {1, 1}}, {extents, splits, splits}},
      {"reduce", 2, {0}, {{1}, {0}}, {reduction, root}, true},
      {"reduce_scatter", 2, {0}, {{1}, {0}}, {reduction, dim}, true},
      {"send", 1, {1}, {{0}}, {root}},
      {"shift",
       2,
       {1},
       {{1, 1}, {0}, {0}, {1}},
       {groupAxes, number, number, number}},
      {"update_halo",
       1,
       {0, 1},
       {{2}, {1, 1}, {}},
       {counts, listsOf(2), noWindow}},
  };
}

struct Marks : testing::Test {
  Marks()
      : builder(&context), module(ModuleOp::create(UnknownLoc::get(&context))),
        handler(&context, [](Diagnostic &) {}) {
    context.loadDialect<func::FuncDialect>();
    buffer = MemRefType::get({4}, builder.getF32Type());
    index = builder.getIndexType();
  }

  std::vector<Type> typesOf(const Good &good, Type type) {
    return std::vector<Type>(good.numBuffers, type);
  }

  /// Whether the mark fits a function with these arguments, results and blocks.
  bool fits(const Good &good, ArrayRef<Type> types, ArrayRef<Type> results = {},
            int64_t numBlocks = 1) {
    builder.setInsertionPointToEnd(module->getBody());
    auto function =
        func::FuncOp::create(builder, module->getLoc(), "f",
                             builder.getFunctionType(types, results));
    for (int64_t i = 0; i < numBlocks; ++i)
      function.getBody().emplaceBlock();
    CollectiveMark mark{good.name,
                        FlatSymbolRefAttr::get(&context, "g"),
                        SmallVector<int64_t>(ArrayRef(good.axes)),
                        {}};
    for (const Numbers &list : good.arguments)
      mark.arguments.emplace_back(ArrayRef(list));
    bool result = succeeded(checkMark(function, mark, kGridRank));
    function.erase();
    return result;
  }

  bool fits(const Good &good) { return fits(good, typesOf(good, buffer)); }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  ScopedDiagnosticHandler handler;
  Type buffer, index;
};

TEST_F(Marks, GoodOnesFit) {
  for (const Good &good : allGood())
    EXPECT_TRUE(fits(good)) << good.name;
}

TEST_F(Marks, ListsOfArguments) {
  for (const Good &good : allGood()) {
    for (size_t i = 0; i < good.arguments.size(); ++i)
      for (size_t length = 0; length <= 4; ++length)
        for (const Numbers &list : allLists(length, -1, 3)) {
          Good damaged = good;
          damaged.arguments[i] = list;
          ASSERT_EQ(fits(damaged), good.lists[i].count(list) != 0)
              << good.name << " argument " << i << ": "
              << testing::PrintToString(list);
        }
    Good fewer = good, more = good;
    fewer.arguments.pop_back();
    more.arguments.push_back({0});
    EXPECT_FALSE(fits(fewer)) << good.name;
    EXPECT_FALSE(fits(more)) << good.name;
  }
}

TEST_F(Marks, ReductionsAreThoseOfTheDialect) {
  for (const Good &good : allGood()) {
    if (!good.combines)
      continue;
    for (int64_t kind = -2; kind < 20; ++kind) {
      Good other = good;
      other.arguments[0] = {kind};
      bool isKind = kind >= 0 && kind <= UINT32_MAX &&
                    symbolizeReductionKind(uint32_t(kind)).has_value() &&
                    ReductionKind(kind) != ReductionKind::Generic;
      EXPECT_EQ(fits(other), isKind) << good.name << " kind " << kind;
    }
  }
}

TEST_F(Marks, WindowsHaveSevenNumbersForEachDimension) {
  for (const Good &good : allGood())
    if (good.name == "update_halo")
      for (size_t length = 0; length < 20; ++length) {
        Good other = good;
        other.arguments[2] = Numbers(length, 1);
        EXPECT_EQ(fits(other), length == 0 || length == 7 * kBufferRank)
            << length;
      }
}

TEST_F(Marks, AxesAreDifferentOnesOfTheGrid) {
  std::set<Numbers> areAxes = {{}, {0}, {1}, {0, 1}, {1, 0}};
  for (const char *name : {"all_gather", "all_reduce"})
    for (const Good &good : allGood())
      for (size_t length = 0; good.name == name && length <= 3; ++length)
        for (const Numbers &axes : allLists(length, -1, kGridRank)) {
          Good other = good;
          other.axes = axes;
          EXPECT_EQ(fits(other), areAxes.count(axes) != 0)
              << name << testing::PrintToString(axes);
        }
}

TEST_F(Marks, OnlyPermutesMoveAlongOtherAxes) {
  for (const Good &good : allGood())
    for (int64_t axis = 0; axis < kGridRank; ++axis) {
      Good other = good;
      other.axes = {axis};
      bool isGroup = axis == 1;
      if (good.name == "redistribute" || good.name == "shift")
        EXPECT_EQ(fits(other), isGroup) << good.name;
      if (good.name == "permute")
        EXPECT_TRUE(fits(other));
    }
}

TEST_F(Marks, NumbersOfTheRunAreIndexArguments) {
  for (const Good &good : allGood())
    for (size_t i = 0; i < good.arguments.size(); ++i)
      for (size_t j = 0; j < good.arguments[i].size(); ++j) {
        Good other = good;
        other.arguments[i][j] = kDynamic;
        // Coordinates and widths of halos.
        bool mayBe = std::set<std::string>({"broadcast", "recv", "send"})
                             .count(good.name)
                         ? i == 0
                         : std::set<std::string>(
                               {"gather", "scatter", "reduce", "update_halo"})
                                   .count(good.name) &&
                               i == 1;
        std::vector<Type> types = typesOf(good, buffer);
        EXPECT_FALSE(fits(other, types)) << good.name;
        types.push_back(index);
        EXPECT_EQ(fits(other, types), mayBe) << good.name;
        types.back() = builder.getI64Type();
        EXPECT_FALSE(fits(other, types)) << good.name;
        types.back() = index;
        types.push_back(index);
        EXPECT_FALSE(fits(other, types)) << good.name;
      }
}

TEST_F(Marks, FunctionsTakeBuffersOfOneTypeAndGiveNothing) {
  auto typed = [&](ArrayRef<int64_t> shape, Type element) -> Type {
    return MemRefType::get(shape, element);
  };
  Type f32 = builder.getF32Type();
  for (const Good &good : allGood()) {
    std::vector<Type> types = typesOf(good, buffer);
    EXPECT_FALSE(fits(good, types, {buffer})) << good.name;
    EXPECT_FALSE(fits(good, types, {}, 0)) << good.name;
    EXPECT_FALSE(fits(good, types, {}, 2)) << good.name;
    EXPECT_FALSE(fits(good, ArrayRef(types).drop_back())) << good.name;
    for (Type extra : {buffer, index, f32}) {
      std::vector<Type> more = types;
      more.push_back(extra);
      EXPECT_FALSE(fits(good, more)) << good.name;
    }
    for (size_t i = 0; i < types.size(); ++i) {
      bool isOne = types.size() == 1;
      auto with = [&](Type type) {
        std::vector<Type> changed = types;
        changed[i] = type;
        return fits(good, changed);
      };
      for (Type type : {index, f32, Type(RankedTensorType::get({4}, f32))})
        EXPECT_FALSE(with(type)) << good.name;
      EXPECT_TRUE(with(typed({8}, f32))) << good.name;
      EXPECT_TRUE(with(typed({kDynamic}, f32))) << good.name;
      EXPECT_EQ(with(typed({4}, builder.getI32Type())), isOne) << good.name;
      if (!isOne)
        EXPECT_FALSE(with(typed({4, 4}, f32))) << good.name;
    }
    // What is combined is a number; what is moved has one of some widths.
    auto all = [&](Type element) {
      return fits(good, typesOf(good, typed({4}, element)));
    };
    for (Type number : {Type(builder.getF16Type()), Type(builder.getBF16Type()),
                        Type(builder.getF64Type()), Type(builder.getI8Type()),
                        Type(builder.getI64Type()), index})
      EXPECT_TRUE(all(number)) << good.name;
    for (Type moved :
         {Type(ComplexType::get(f32)),
          Type(IntegerType::get(&context, 32, IntegerType::Unsigned))})
      EXPECT_EQ(all(moved), !good.combines) << good.name;
    EXPECT_FALSE(all(IntegerType::get(&context, 24))) << good.name;
  }
}

TEST_F(Marks, OthersAreNoCollectives) {
  for (Good good : allGood()) {
    good.name += "s";
    EXPECT_FALSE(fits(good));
  }
}
} // namespace
