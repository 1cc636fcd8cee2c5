//===- LoopMapsTest.cpp - Tables say what indexing maps say ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the table of a linalg.generic with a random indexing map, and compares what it says of
// each dimension, digits or a window, with the elements that all iterations read.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace mlir;
using namespace shard;

namespace {

/// A sum of loops with coefficients, and a constant.
struct Sum {
  std::vector<std::pair<int64_t, unsigned>> terms;
  int64_t offset = 0;

  int64_t at(ArrayRef<int64_t> iteration) const {
    int64_t sum = offset;
    for (auto [coefficient, loop] : terms)
      sum += coefficient * iteration[loop];
    return sum;
  }
};

/// An op of three loops, the first of which are parallel, that reads one tensor.
struct Case {
  std::vector<int64_t> extents;
  unsigned numParallel;
  std::vector<Sum> dims;
  std::vector<int64_t> shape;
};

Case randomCase(std::mt19937 &random) {
  auto below = [&](unsigned n) { return random() % n; };
  Case made;
  made.numParallel = 1 + below(3);
  for (int loop = 0; loop < 3; ++loop)
    made.extents.push_back(1 + below(4));
  for (unsigned rank = 1 + below(2); rank > 0; --rank) {
    std::vector<unsigned> loops{0, 1, 2};
    std::shuffle(loops.begin(), loops.end(), random);
    loops.resize(below(8) == 0 ? 0 : 1 + below(3));
    Sum sum;
    bool digits = below(2), strange = !digits && below(2);
    int64_t extent = 1, most = 0;
    for (unsigned loop : loops) {
      int64_t coefficient = digits ? extent : 1 + below(2);
      if (strange)
        coefficient = (below(2) ? 1 : -1) * int64_t(1 + below(3));
      sum.terms.insert(sum.terms.begin() + below(sum.terms.size() + 1),
                       {coefficient, loop});
      extent *= made.extents[loop];
      most += std::abs(coefficient) * (made.extents[loop] - 1);
    }
    sum.offset = below(3) == 0 ? int64_t(below(5)) - 2 : 0;
    made.dims.push_back(sum);
    // A dimension that a loop alone indexes has an element for each iteration.
    bool isLoop =
        sum.terms.size() == 1 && sum.terms[0].first == 1 && sum.offset == 0;
    made.shape.push_back(isLoop || (digits && below(8)) ? extent
                                                        : most + 1 + below(3));
  }
  return made;
}

/// Calls `visit` with each iteration of the op.
void forEachIteration(const Case &made,
                      llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  for (int64_t i = 0; i < made.extents[0]; ++i)
    for (int64_t j = 0; j < made.extents[1]; ++j)
      for (int64_t k = 0; k < made.extents[2]; ++k)
        visit({i, j, k});
}

/// Whether the loops of `sum` are the digits of a dimension of `extent`: in some order each
/// coefficient is the product of the extents of those behind it.
bool areDigits(const Case &made, const Sum &sum, int64_t extent) {
  std::vector<std::pair<int64_t, unsigned>> terms = sum.terms;
  // Of equal coefficients all but the last have one iteration.
  llvm::sort(terms, [&](auto a, auto b) {
    return std::pair(a.first, made.extents[a.second]) <
           std::pair(b.first, made.extents[b.second]);
  });
  int64_t product = 1;
  for (auto [coefficient, loop] : terms) {
    if (coefficient != product)
      return false;
    product *= made.extents[loop];
  }
  return sum.offset == 0 && product == extent;
}

class LoopMaps : public testing::Test {
protected:
  LoopMaps() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    registerShard(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  LoopTable tableOf(const Case &made) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    Location loc = builder.getUnknownLoc();
    auto exprOf = [&](const Sum &sum) {
      AffineExpr expr = builder.getAffineConstantExpr(sum.offset);
      for (auto [coefficient, loop] : sum.terms)
        expr = expr + builder.getAffineDimExpr(loop) * coefficient;
      return expr;
    };
    SmallVector<AffineExpr> read, shaped, result;
    for (const Sum &sum : made.dims)
      read.push_back(exprOf(sum));
    SmallVector<utils::IteratorType> kinds;
    SmallVector<int64_t> resultShape;
    for (unsigned loop = 0; loop < 3; ++loop) {
      bool isParallel = loop < made.numParallel;
      kinds.push_back(isParallel ? utils::IteratorType::parallel
                                 : utils::IteratorType::reduction);
      shaped.push_back(builder.getAffineDimExpr(loop));
      if (isParallel) {
        result.push_back(shaped.back());
        resultShape.push_back(made.extents[loop]);
      }
    }
    auto tensor = [&](ArrayRef<int64_t> shape) -> Value {
      return tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type());
    };
    Value input = tensor(made.shape), extents = tensor(made.extents),
          init = tensor(resultShape);
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> exprs : {read, shaped, result})
      maps.push_back(AffineMap::get(3, 0, exprs, &context));
    auto generic = linalg::GenericOp::create(
        builder, loc, init.getType(), ValueRange{input, extents},
        ValueRange{init}, maps, kinds,
        [](OpBuilder &nested, Location at, ValueRange elements) {
          Value sum =
              arith::AddFOp::create(nested, at, elements[0], elements.back());
          linalg::YieldOp::create(nested, at, sum);
        });
    return buildLoopTable(generic);
  }

  MLIRContext context;
};

/// Checks that the loops of a dimension are its digits.
void checkDigits(const Case &made, const DimLoops &loops, const Sum &sum) {
  forEachIteration(made, [&](ArrayRef<int64_t> iteration) {
    int64_t number = 0;
    for (int32_t loop : loops)
      number = number * made.extents[loop] + iteration[loop];
    EXPECT_EQ(number, sum.at(iteration));
  });
}

/// Checks that each iteration of `loop` reads all of its window, and nothing else.
void checkWindow(const Case &made, int32_t loop, const Window &window,
                 const Sum &sum) {
  std::map<int64_t, std::pair<int64_t, int64_t>> reads;
  forEachIteration(made, [&](ArrayRef<int64_t> iteration) {
    int64_t at = sum.at(iteration);
    auto [entry, isNew] = reads.insert({iteration[loop], {at, at}});
    entry->second.first = std::min(entry->second.first, at);
    entry->second.second = std::max(entry->second.second, at);
  });
  for (auto [iteration, range] : reads) {
    EXPECT_EQ(range.first, window.stride * iteration + window.offset);
    EXPECT_EQ(range.second + 1, range.first + window.reach);
  }
}

/// The loop of a window: that whose iterations cover most elements, or one of the result, or
/// the longest.
std::tuple<int64_t, bool, int64_t> rank(const Case &made, const Sum &sum,
                                        unsigned loop) {
  int64_t stride = 0;
  for (auto [coefficient, own] : sum.terms)
    if (own == loop)
      stride = std::abs(coefficient);
  return {stride * made.extents[loop], loop < made.numParallel,
          made.extents[loop]};
}

/// Whether a dimension of digits is read by a kernel that lies minor to its place.
bool isKernel(const Case &made, const Sum &sum) {
  unsigned places = 0, place = 0;
  int64_t most = 0, major = 0;
  for (auto [coefficient, loop] : sum.terms) {
    most = std::max(most, made.extents[loop]);
    if (made.extents[loop] > 1)
      major = std::max(major, coefficient);
    if (loop < made.numParallel) {
      ++places;
      place = loop;
    }
  }
  for (auto [coefficient, loop] : sum.terms)
    if (loop == place && (coefficient != major || made.extents[loop] == 1 ||
                          made.extents[loop] != most))
      return false;
  return sum.terms.size() > 1 && places == 1;
}

void check(const Case &made, const LoopTable &table) {
  // How many dimensions each loop indexes, and those that it may not index.
  std::vector<unsigned> uses(3);
  for (const Sum &sum : made.dims)
    for (auto [coefficient, loop] : sum.terms)
      ++uses[loop];
  const TensorLoops &tensor = table.operands[0];
  for (size_t dim = 0; dim < made.dims.size(); ++dim) {
    const Sum &sum = made.dims[dim];
    const DimLoops &loops = tensor.dims[dim];
    bool digits = areDigits(made, sum, made.shape[dim]);
    // Whether the rules for this dimension do not depend on what others say of its loops.
    bool alone = llvm::all_of(
        sum.terms, [&](auto term) { return uses[term.second] == 1; });
    bool kernel = digits && (!alone || isKernel(made, sum));
    auto isValid = [&](unsigned loop) {
      return table.loops[loop].kind != LoopKind::Invalid;
    };
    if (tensor.isWindow(dim)) {
      ASSERT_EQ(loops.size(), 1u);
      EXPECT_TRUE(!digits || kernel);
      checkWindow(made, loops[0], *tensor.windows[dim], sum);
      for (auto [coefficient, loop] : sum.terms) {
        EXPECT_EQ(isValid(loop), int32_t(loop) == loops[0] && uses[loop] == 1);
        // A loop of another window is no rival.
        if (uses[loop] == 1)
          EXPECT_LE(rank(made, sum, loop), rank(made, sum, loops[0]));
      }
      if (tensor.windows[dim]->stride < 0)
        EXPECT_EQ(table.loops[loops[0]].evenOnly,
                  loops[0] >= int32_t(made.numParallel));
    } else if (!loops.empty()) {
      EXPECT_TRUE(digits && !(alone && kernel));
      checkDigits(made, loops, sum);
      for (auto [coefficient, loop] : sum.terms)
        EXPECT_TRUE(llvm::is_contained(loops, int32_t(loop)));
    } else {
      for (auto [coefficient, loop] : sum.terms)
        EXPECT_FALSE(isValid(loop));
    }
    // A loop that indexes this dimension alone, as one of its digits, stays valid.
    if (digits && !kernel)
      for (auto [coefficient, loop] : sum.terms)
        EXPECT_EQ(isValid(loop), uses[loop] == 1) << "loop " << loop;
    if (!digits && !sum.terms.empty())
      EXPECT_EQ(tensor.isWindow(dim), llvm::any_of(sum.terms, [&](auto term) {
                  return isValid(term.second);
                }));
  }
}

TEST_F(LoopMaps, SayWhatIterationsRead) {
  std::mt19937 random(1);
  unsigned windows = 0, digits = 0, none = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    Case made = randomCase(random);
    LoopTable table = tableOf(made);
    ASSERT_EQ(table.operands[0].dims.size(), made.dims.size());
    check(made, table);
    for (size_t dim = 0; dim < made.dims.size(); ++dim) {
      bool empty = table.operands[0].dims[dim].empty();
      bool isWindow = table.operands[0].isWindow(dim);
      windows += isWindow;
      none += empty;
      digits += !isWindow && !empty;
    }
    if (HasFailure()) {
      std::string text;
      for (int64_t extent : made.extents)
        text += " " + std::to_string(extent);
      text += ", " + std::to_string(made.numParallel) + " parallel:";
      for (auto [sum, extent] : llvm::zip_equal(made.dims, made.shape)) {
        text += " [" + std::to_string(extent) + ":";
        for (auto [coefficient, loop] : sum.terms)
          text +=
              " " + std::to_string(coefficient) + "*d" + std::to_string(loop);
        text += " + " + std::to_string(sum.offset) + "]";
      }
      ADD_FAILURE() << "loops" << text;
    }
  }
  EXPECT_GT(windows, 2000u);
  EXPECT_GT(digits, 2000u);
  EXPECT_GT(none, 2000u);
}

/// A model whose maps are what a test says.
struct GivenMaps
    : public ShardingInterface::ExternalModel<GivenMaps,
                                              UnrealizedConversionCastOp> {
  static inline SmallVector<AffineMap> given;

  SmallVector<Loop> getShardingLoops(Operation *) const {
    return {Loop::parallel(4), Loop::parallel(6)};
  }
  SmallVector<AffineMap> getShardingMaps(Operation *) const { return given; }
};

// A map that is missing, of another rank, or of loops that there are not, leaves its tensor whole.
TEST(LoopMapsOfModels, BadMapsLeaveTensorsWhole) {
  MLIRContext context;
  UnrealizedConversionCastOp::attachInterface<GivenMaps>(context);
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  Type type = RankedTensorType::get({4, 6}, builder.getF32Type());
  OwningOpRef<UnrealizedConversionCastOp> input =
      UnrealizedConversionCastOp::create(builder, loc, type, ValueRange());
  OwningOpRef<UnrealizedConversionCastOp> op =
      UnrealizedConversionCastOp::create(builder, loc, type,
                                         input->getResult(0));
  AffineMap good = builder.getMultiDimIdentityMap(2);
  std::vector<AffineMap> bad = {AffineMap()};
  for (unsigned numDims = 0; numDims <= 4; ++numDims)
    for (unsigned rank = 0; rank <= 4; ++rank) {
      if (numDims <= 2 && rank == 2)
        continue;
      SmallVector<AffineExpr> exprs;
      for (unsigned dim = 0; dim < rank; ++dim)
        exprs.push_back(dim < numDims ? builder.getAffineDimExpr(dim)
                                      : builder.getAffineConstantExpr(0));
      bad.push_back(AffineMap::get(numDims, 0, exprs, &context));
    }
  std::vector<DimLoops> whole(2), split = {{0}, {1}};
  auto dimsOf = [](const TensorLoops &tensor) {
    EXPECT_TRUE(tensor.isTensor);
    return std::vector<DimLoops>(tensor.dims.begin(), tensor.dims.end());
  };
  for (AffineMap map : bad) {
    GivenMaps::given = {map, good};
    LoopTable table = buildLoopTable(op.get());
    EXPECT_EQ(dimsOf(table.operands[0]), whole);
    EXPECT_EQ(dimsOf(table.results[0]), split);
    GivenMaps::given = {good, map};
    table = buildLoopTable(op.get());
    // A parallel loop that a result does not have splits nothing.
    EXPECT_EQ(dimsOf(table.operands[0]), whole);
    EXPECT_EQ(dimsOf(table.results[0]), whole);
  }
}

} // namespace
