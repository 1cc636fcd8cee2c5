//===- EmitterTest.cpp - Neutral elements, plans of unknown grids, errors -===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Emitter.h"

#include "shard/IR/ShardDialect.h"
#include "shard/Partitioning/TensorShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

const ReductionKind kKinds[] = {
    ReductionKind::Sum,       ReductionKind::Max,
    ReductionKind::Min,       ReductionKind::Product,
    ReductionKind::Average,   ReductionKind::BitwiseAnd,
    ReductionKind::BitwiseOr, ReductionKind::BitwiseXor,
    ReductionKind::UMin,      ReductionKind::UMax,
    ReductionKind::Generic};

/// What `kind` makes of two integers; nothing where it has no neutral element.
std::optional<APInt> combine(ReductionKind kind, const APInt &a,
                             const APInt &b) {
  switch (kind) {
  case ReductionKind::Sum:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::Max:
    return a.sgt(b) ? a : b;
  case ReductionKind::Min:
    return a.slt(b) ? a : b;
  case ReductionKind::UMax:
    return a.ugt(b) ? a : b;
  case ReductionKind::UMin:
    return a.ult(b) ? a : b;
  case ReductionKind::BitwiseAnd:
    return a & b;
  case ReductionKind::BitwiseOr:
    return a | b;
  case ReductionKind::BitwiseXor:
    return a ^ b;
  case ReductionKind::Average:
  case ReductionKind::Generic:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<APFloat> combine(ReductionKind kind, const APFloat &a,
                               const APFloat &b) {
  switch (kind) {
  case ReductionKind::Sum:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::Max:
    return llvm::maximum(a, b);
  case ReductionKind::Min:
    return llvm::minimum(a, b);
  default:
    return std::nullopt;
  }
}

class Emitter : public testing::Test {
protected:
  Emitter() : builder(&context) {
    context.loadDialect<arith::ArithDialect, tensor::TensorDialect,
                        ShardDialect>();
  }

  MLIRContext context;
  OpBuilder builder;
};

TEST_F(Emitter, NeutralIntegersChangeNothing) {
  std::vector<Type> types{builder.getIndexType()};
  for (unsigned width : {1, 2, 8, 16, 32, 64})
    types.push_back(builder.getIntegerType(width));
  types.push_back(builder.getIntegerType(8, /*isSigned=*/false));
  for (Type type : types)
    for (ReductionKind kind : kKinds) {
      unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
      auto neutral = dyn_cast_or_null<IntegerAttr>(neutralElement(kind, type));
      std::vector<APInt> elements{
          APInt::getZero(width), APInt(width, 1), APInt::getAllOnes(width),
          APInt::getSignedMinValue(width), APInt::getSignedMaxValue(width)};
      for (const APInt &element : elements) {
        ASSERT_EQ(bool(neutral), combine(kind, element, element).has_value());
        if (!neutral)
          continue;
        EXPECT_EQ(neutral.getType(), type);
        EXPECT_EQ(*combine(kind, neutral.getValue(), element), element);
        EXPECT_EQ(*combine(kind, element, neutral.getValue()), element);
      }
    }
}

TEST_F(Emitter, NeutralFloatsChangeNothing) {
  std::vector<FloatType> types{
      builder.getF16Type(),          builder.getBF16Type(),
      builder.getF32Type(),          builder.getF64Type(),
      Float8E5M2Type::get(&context), Float8E4M3FNType::get(&context)};
  for (FloatType type : types)
    for (ReductionKind kind : kKinds) {
      const llvm::fltSemantics &semantics = type.getFloatSemantics();
      auto neutral = dyn_cast_or_null<FloatAttr>(neutralElement(kind, type));
      std::vector<APFloat> elements;
      for (bool negative : {false, true}) {
        elements.push_back(APFloat::getZero(semantics, negative));
        elements.push_back(APFloat::getOne(semantics, negative));
        elements.push_back(APFloat::getLargest(semantics, negative));
        elements.push_back(APFloat::getSmallest(semantics, negative));
        if (APFloat::semanticsHasInf(semantics))
          elements.push_back(APFloat::getInf(semantics, negative));
      }
      for (const APFloat &element : elements) {
        ASSERT_EQ(bool(neutral), combine(kind, element, element).has_value());
        if (!neutral)
          continue;
        EXPECT_EQ(neutral.getType(), type);
        for (const APFloat &combined :
             {*combine(kind, neutral.getValue(), element),
              *combine(kind, element, neutral.getValue())})
          EXPECT_TRUE(combined.bitwiseIsEqual(element));
      }
    }
}

TEST_F(Emitter, OnlyNumbersHaveNeutralElements) {
  for (ReductionKind kind : kKinds)
    EXPECT_FALSE(neutralElement(kind, ComplexType::get(builder.getF32Type())));
}

TEST_F(Emitter, ElementsTakeWholeBytes) {
  auto bytes = [](Type type) {
    return elementBytes(RankedTensorType::get({4}, type));
  };
  for (unsigned bits = 1; bits <= 128; ++bits) {
    Type type = builder.getIntegerType(bits);
    // The least number of bytes that has so many bits.
    EXPECT_GE(8 * bytes(type), bits);
    EXPECT_LT(8 * (bytes(type) - 1), bits);
  }
  for (FloatType type : {builder.getF16Type(), builder.getF32Type(),
                         builder.getF64Type(), builder.getBF16Type()}) {
    EXPECT_EQ(bytes(type), type.getWidth() / 8);
    EXPECT_EQ(bytes(ComplexType::get(type)), 2 * type.getWidth() / 8);
  }
  EXPECT_EQ(bytes(ComplexType::get(builder.getIntegerType(4))), 2);
  EXPECT_EQ(bytes(builder.getIndexType()), 8);
}

/// Grids of which all sizes but one are unknown. More devices than 2^40 have no plan.
TEST_F(Emitter, UnknownSizesAreAtMostEight) {
  for (int64_t known = 1; known <= 31; ++known)
    for (size_t unknown = 1; unknown <= 9; ++unknown) {
      // The sizes that stand for unknown ones divide no known one.
      size_t primes = 8;
      for (int64_t prime : {11, 13, 17, 19, 23, 29, 31, 37})
        primes -= known % prime == 0;
      Grid grid;
      grid.shape.assign(unknown, kDynamic);
      grid.shape.push_back(known);
      Sharding from = Sharding::replicated(1), to = from;
      from.dims[0] = {0};
      LinkCostModel model;
      Planner planner(model);
      std::string error;
      const Plan *plan =
          planWithUnknowns(planner, grid, {8}, 4, from, to, &error);
      EXPECT_EQ(plan != nullptr, unknown <= primes) << known << " " << unknown;
      EXPECT_EQ(error.empty(), plan != nullptr);
      EXPECT_EQ(planWithUnknowns(planner, grid, {8}, 4, from, to) != nullptr,
                plan != nullptr);
    }
}

/// Of halos and bounds too a grid must have all sizes.
TEST_F(Emitter, UnknownSizesLeaveNoHalosAndBounds) {
  Sharding plain = Sharding::replicated(1), halos, offsets;
  plain.dims[0] = {0};
  halos = offsets = plain;
  halos.halos = {1, 1};
  offsets.offsets = {0, 3, 8};
  for (bool known : {false, true})
    for (const Sharding &from : {plain, halos, offsets})
      for (const Sharding &to : {Sharding::replicated(1), halos, offsets}) {
        Grid grid{{2, known ? 2 : kDynamic}};
        LinkCostModel model;
        Planner planner(model);
        std::string error;
        bool planned =
            planWithUnknowns(planner, grid, {8}, 4, from, to, &error);
        bool plainTensors =
            !from.hasHalosOrOffsets() && !to.hasHalosOrOffsets();
        EXPECT_EQ(planned, known || plainTensors);
        EXPECT_EQ(error.empty(), planned);
        EXPECT_EQ(bool(planWithUnknowns(planner, grid, {8}, 4, from, to)),
                  planned);
      }
}

/// Blocks of different extents get no halos.
TEST_F(Emitter, RaggedBlocksHaveNoHalos) {
  std::string said;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  Location loc = builder.getUnknownLoc();
  for (bool uneven : {false, true})
    for (int64_t rows : {int64_t(8), kDynamic})
      for (int64_t columns : {int64_t(8), kDynamic})
        for (GridAxis splits : {0, 1, 2})
          for (bool fromHalos : {false, true})
            for (bool toHalos : {false, true}) {
              Grid grid{{2}};
              grid.unevenDynamic = uneven;
              // Axis 0 splits the rows, the columns, or nothing.
              Sharding from = Sharding::replicated(2);
              if (splits < 2)
                from.dims[splits] = {0};
              Sharding to = from;
              // Halos of nothing are none.
              if (fromHalos && splits < 2)
                from.halos = {1, 1};
              if (toHalos && splits < 2)
                to.halos = {1, 2};
              if (from == to)
                continue;
              auto type =
                  RankedTensorType::get({rows, columns}, builder.getF32Type());
              LinkCostModel model;
              Planner planner(model);
              mlir::Block block;
              builder.setInsertionPointToEnd(&block);
              std::vector<int64_t> local =
                  localShape(grid, shapeOf(type), from);
              Value argument = block.addArgument(type.clone(local), loc);
              Emission emission{grid, FlatSymbolRefAttr::get(&context, "grid"),
                                planner};
              said.clear();
              FailureOr<Value> made =
                  emitReshard(builder, loc, argument, type, from, to, emission);
              bool ragged = uneven && type.isDynamicDim(splits);
              EXPECT_EQ(succeeded(made), !ragged) << said;
              EXPECT_EQ(said.find("divide evenly") != std::string::npos,
                        ragged);
            }
}

} // namespace
