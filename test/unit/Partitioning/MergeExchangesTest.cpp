//===- MergeExchangesTest.cpp - One exchange for several windows ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random exchanges of one block: each user still has its window, no exchange is wider than its
// users need, and no two are left of which one would send no more.
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Windows.h"

#include "../Interfaces/SmallTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;
using shard::test::Random;

namespace {

using Numbers = std::vector<int64_t>;

/// Dimension 1 is not split.
constexpr int64_t kRank = 3;
const char kGrid[] = "shard.grid @g(shape = 2x3)\n";
const Numbers kParts = {2, 1, 3};

/// What one user reads, or what one exchange gives.
struct Halos {
  Numbers low, high;
  /// The element that the halos have where nothing is sent; -1: any.
  int64_t fill = -1;
  /// Whether a window describes the dimension.
  std::vector<bool> isWindow;
  /// The windows where they do not read all; empty: they do.
  HaloWindows narrow = {};

  int64_t width(size_t dim) const { return low[dim] + high[dim]; }
};

std::string typeOf(const Numbers &block, const Halos &halos) {
  std::string type = "tensor<";
  for (size_t dim = 0; dim < kRank; ++dim)
    type += std::to_string(block[dim] + halos.width(dim)) + "x";
  return type + "f32>";
}

std::string list(const Numbers &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string programOf(const Numbers &block, const std::vector<Halos> &all) {
  Halos none = {Numbers(kRank, 0), Numbers(kRank, 0), -1, {}};
  std::string source = typeOf(block, none);
  std::string text = kGrid + ("func.func @f(%x: " + source + ") {\n");
  for (size_t i = 0; i < all.size(); ++i) {
    const Halos &halos = all[i];
    std::string n = std::to_string(i), type = typeOf(block, halos);
    text += "%e" + n + " = " +
            (halos.fill < 0 ? "tensor.empty()"
                            : "arith.constant dense<" +
                                  std::to_string(halos.fill) + ".0>") +
            " : " + type + "\n";
    text += "%i" + n + " = tensor.insert_slice %x into %e" + n +
            list(halos.low) + list(block) + "[1, 1, 1] : " + source + " into " +
            type + "\n";
    text += "%h" + n + " = shard.update_halo %i" + n +
            " on @g split_axes = [[0], [], [1]] halo_sizes = " +
            list({halos.low[0], halos.high[0], halos.low[2], halos.high[2]}) +
            " : " + type + "\n";
    text += "\"test.use\"(%h" + n + ") : (" + type + ") -> ()\n";
  }
  return text + "return\n}\n";
}

/// What the exchange `op` of a block of shape `block` gives.
Halos halosOf(UpdateHaloOp op) {
  Halos halos = {Numbers(kRank, 0), Numbers(kRank, 0), -1, {}};
  ArrayRef<int64_t> widths = op.getStaticHaloSizes();
  for (size_t dim : {0, 2}) {
    halos.low[dim] = widths[dim];
    halos.high[dim] = widths[dim + 1];
  }
  auto insert = op.getDestination().getDefiningOp<tensor::InsertSliceOp>();
  EXPECT_EQ(SmallVector<int64_t>(insert.getStaticOffsets()),
            SmallVector<int64_t>(ArrayRef(halos.low)));
  Operation *around = insert.getDest().getDefiningOp();
  DenseElementsAttr constant;
  if (matchPattern(around, m_Constant(&constant)))
    halos.fill = int64_t(constant.getSplatValue<APFloat>().convertToFloat());
  else if (auto splat = dyn_cast<tensor::SplatOp>(around)) {
    FloatAttr element;
    EXPECT_TRUE(matchPattern(splat.getInput(), m_Constant(&element)));
    halos.fill = int64_t(element.getValueAsDouble());
  } else {
    EXPECT_TRUE(isa<tensor::EmptyOp>(around));
  }
  HaloWindows windows = getWindows(op);
  windows.resize(kRank);
  for (const std::optional<WindowReads> &window : windows)
    halos.isWindow.push_back(window.has_value());
  return halos;
}

int64_t sent(const Numbers &block, const Numbers &low, const Numbers &high) {
  int64_t own = 1, all = 1;
  for (size_t dim = 0; dim < kRank; ++dim) {
    own *= block[dim];
    all *= block[dim] + low[dim] + high[dim];
  }
  return all - own;
}

struct MergeExchanges : testing::Test {
  MergeExchanges() : random(1) {
    context.loadDialect<arith::ArithDialect, tensor::TensorDialect,
                        func::FuncDialect, ShardDialect>();
    context.allowUnregisteredDialects();
  }

  /// The exchanges of up to 5 users.
  std::vector<Halos> draw() {
    std::vector<Halos> all(2 + random.below(4));
    bool hasFills = random.oneIn(3), hasWindows = random.oneIn(2);
    for (Halos &halos : all) {
      for (size_t dim = 0; dim < kRank; ++dim) {
        for (Numbers *widths : {&halos.low, &halos.high})
          widths->push_back(dim == 1 || random.oneIn(2) ? 0 : random.below(3));
        halos.isWindow.push_back(hasWindows && random.oneIn(2));
      }
      if (hasFills)
        halos.fill = int64_t(random.below(3)) - 1;
    }
    return all;
  }

  /// States windows that read all of a dimension and its halos.
  void state(UpdateHaloOp op, const Numbers &block, const Halos &halos) {
    HaloWindows windows(kRank);
    bool any = false;
    for (size_t dim = 0; dim < kRank; ++dim) {
      if (!halos.isWindow[dim])
        continue;
      int64_t extent = kParts[dim] * block[dim];
      any = true;
      windows[dim] =
          halos.narrow.empty()
              ? WindowReads{extent,
                            {1, -halos.low[dim], 1 + halos.width(dim)},
                            {0, extent},
                            1}
              : halos.narrow[dim];
    }
    if (any)
      setWindows(op, windows);
  }

  /// The users of an exchange, by number, each with what it takes of the exchange.
  void check(const Numbers &block, const std::vector<Halos> &wanted,
             ModuleOp module) {
    std::vector<std::pair<UpdateHaloOp, std::vector<size_t>>> left;
    size_t user = 0;
    module.walk([&](Operation *op) {
      if (op->getName().getStringRef() != "test.use")
        return;
      const Halos &own = wanted[user];
      Value value = op->getOperand(0);
      SmallVector<int64_t> from(kRank, 0);
      if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
        while (slice) {
          for (size_t dim = 0; dim < kRank; ++dim)
            from[dim] += slice.getStaticOffset(dim);
          value = slice.getSource();
          slice = value.getDefiningOp<tensor::ExtractSliceOp>();
        }
      }
      auto exchange = value.getDefiningOp<UpdateHaloOp>();
      ASSERT_TRUE(exchange);
      Halos has = halosOf(exchange);
      auto type = cast<RankedTensorType>(op->getOperand(0).getType());
      for (size_t dim = 0; dim < kRank; ++dim) {
        EXPECT_EQ(type.getDimSize(dim), block[dim] + own.width(dim));
        EXPECT_EQ(from[dim], has.low[dim] - own.low[dim]);
        EXPECT_GE(has.high[dim], own.high[dim]);
        if (own.isWindow[dim] && own.width(dim) && own.narrow.empty())
          EXPECT_TRUE(has.isWindow[dim]);
      }
      if (own.fill >= 0)
        EXPECT_EQ(has.fill, own.fill);
      if (left.empty() || left.back().first != exchange) {
        auto known = llvm::find_if(
            left, [&](auto &entry) { return entry.first == exchange; });
        if (known != left.end())
          known->second.push_back(user);
        else
          left.push_back({exchange, {user}});
      } else {
        left.back().second.push_back(user);
      }
      ++user;
    });
    EXPECT_EQ(user, wanted.size());
    size_t count = 0;
    module.walk([&](UpdateHaloOp) { ++count; });
    EXPECT_EQ(count, left.size());
    for (auto &[exchange, users] : left)
      checkOne(block, wanted, exchange, users);
    // Windows of other iterations keep exchanges apart.
    for (size_t i = 0; i < left.size() && wanted[0].narrow.empty(); ++i)
      for (size_t j = 0; j < i; ++j) {
        Halos a = halosOf(left[i].first), b = halosOf(left[j].first);
        Numbers low, high;
        for (size_t dim = 0; dim < kRank; ++dim) {
          low.push_back(std::max(a.low[dim], b.low[dim]));
          high.push_back(std::max(a.high[dim], b.high[dim]));
        }
        bool fit = a.fill < 0 || b.fill < 0 || a.fill == b.fill;
        EXPECT_FALSE(fit &&
                     sent(block, low, high) <= sent(block, a.low, a.high) +
                                                   sent(block, b.low, b.high));
      }
    merged += wanted.size() - left.size();
    kept += left.size() - 1;
  }

  /// An exchange is as wide as its users need, and windows are as wide as it is.
  void checkOne(const Numbers &block, const std::vector<Halos> &wanted,
                UpdateHaloOp exchange, const std::vector<size_t> &users) {
    Halos has = halosOf(exchange);
    HaloWindows windows = getWindows(exchange);
    windows.resize(kRank);
    for (size_t dim = 0; dim < kRank; ++dim) {
      int64_t low = 0, high = 0;
      bool allAreWindows = true;
      for (size_t number : users) {
        low = std::max(low, wanted[number].low[dim]);
        high = std::max(high, wanted[number].high[dim]);
        allAreWindows &= wanted[number].isWindow[dim];
      }
      EXPECT_EQ(has.low[dim], low);
      EXPECT_EQ(has.high[dim], high);
      int64_t extent = kParts[dim] * block[dim];
      if (!wanted[0].narrow.empty()) {
        for (size_t number : users)
          if (windows[dim])
            checkHolds(*windows[dim], wanted[number], dim, extent);
        continue;
      }
      if (low + high == 0)
        EXPECT_EQ(has.isWindow[dim], allAreWindows);
      if (!windows[dim])
        continue;
      EXPECT_EQ(windows[dim]->window, (Window{1, -low, 1 + low + high}));
      EXPECT_EQ(windows[dim]->valid, (shard::Block{0, extent}));
      EXPECT_EQ(windows[dim]->iterations, extent);
    }
  }

  /// Each block of iterations reads of `window` all that it reads for the user.
  void checkHolds(const WindowReads &window, const Halos &user, size_t dim,
                  int64_t extent) {
    WindowReads all = {
        extent, {1, -user.low[dim], 1 + user.width(dim)}, {0, extent}, 1};
    WindowReads own = user.isWindow[dim] ? *user.narrow[dim] : all;
    EXPECT_LE(window.valid.offset, own.valid.offset);
    EXPECT_GE(window.valid.offset + window.valid.size,
              own.valid.offset + own.valid.size);
    EXPECT_LE(window.window.offset, own.window.offset);
    EXPECT_GE(window.window.offset + window.window.reach,
              own.window.offset + own.window.reach);
    if (!user.isWindow[dim])
      return;
    if (user.width(dim))
      EXPECT_EQ(window.iterations, own.iterations);
    EXPECT_EQ(window.step, own.step);
  }

  void mergeAndCheck(const Numbers &block, const std::vector<Halos> &wanted) {
    std::string text = programOf(block, wanted);
    SCOPED_TRACE(text);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    SmallVector<UpdateHaloOp> exchanges;
    module->walk([&](UpdateHaloOp op) {
      state(op, block, wanted[exchanges.size()]);
      exchanges.push_back(op);
    });
    mergeExchanges(exchanges);
    check(block, wanted, *module);
  }

  MLIRContext context;
  Random random;
  size_t merged = 0, kept = 0;
};

// Windows that leave out elements and halos: what is read by one exchange holds what its users
// read, which is all where they have no window.
TEST_F(MergeExchanges, WindowsHoldThoseOfTheirUsers) {
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    Numbers block = {int64_t(2 + random.below(3)), int64_t(1 + random.below(2)),
                     int64_t(2 + random.below(3))};
    std::vector<Halos> wanted = draw();
    // Of the block, and so the same for all.
    int64_t step = random.oneIn(4) ? 2 : 1;
    for (Halos &halos : wanted) {
      halos.fill = -1;
      halos.narrow.resize(kRank);
      for (size_t dim = 0; dim < kRank; ++dim) {
        if (!halos.isWindow[dim])
          continue;
        int64_t extent = kParts[dim] * block[dim];
        int64_t low = random.below(halos.low[dim] + 1);
        int64_t high = random.below(halos.high[dim] + 1);
        int64_t offset = random.oneIn(2) ? 0 : 1;
        halos.narrow[dim] =
            WindowReads{extent - int64_t(random.below(2)),
                        {1, -low, 1 + low + high},
                        {offset, extent - offset - int64_t(random.below(2))},
                        step};
      }
    }
    mergeAndCheck(block, wanted);
  }
  EXPECT_GT(merged, 500u);
}

TEST_F(MergeExchanges, UntilNoneCanBe) {
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    Numbers block = {int64_t(2 + random.below(3)), int64_t(1 + random.below(2)),
                     int64_t(2 + random.below(3))};
    mergeAndCheck(block, draw());
  }
  EXPECT_GT(merged, 500u);
  EXPECT_GT(kept, 500u);
}

// The last one is merged with the third one, and both together hold the first one, which
// neither of them does.
TEST_F(MergeExchanges, WithEarlierOnes) {
  std::vector<Halos> wanted;
  for (Numbers widths : {Numbers{2, 0, 0, 2}, Numbers{0, 0, 1, 1},
                         Numbers{1, 1, 1, 0}, Numbers{2, 1, 0, 0}})
    wanted.push_back({{widths[0], 0, widths[2]},
                      {widths[1], 0, widths[3]},
                      -1,
                      {false, false, false}});
  mergeAndCheck({1, 1, 1}, wanted);
}

} // namespace
