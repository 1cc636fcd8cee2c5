//===- ContractionTest.cpp - The kernel against its definition ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Contraction.h"

#include "../../../lib/Runtime/Kernels/LoopGroups.h"
#include "shard/Host/HostTensor.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace shard;

namespace {

/// Where a loop nest stands in the three operands.
struct Nest {
  std::vector<ContractionLoop> loops;
  int64_t sizeA, sizeB, sizeC;
};

/// Sum of products by the definition, in double.
void define(const Nest &nest, size_t depth, const HostTensor &a,
            const HostTensor &b, std::vector<double> &c, int64_t atA,
            int64_t atB, int64_t atC) {
  if (depth == nest.loops.size()) {
    c[atC] += a.asDouble(atA) * b.asDouble(atB);
    return;
  }
  const ContractionLoop &loop = nest.loops[depth];
  for (int64_t i = 0; i < loop.extent; ++i)
    define(nest, depth + 1, a, b, c, atA + i * loop.strideA,
           atB + i * loop.strideB, atC + i * loop.strideC);
}

const ContractionIsa allForms[] = {
    ContractionIsa::Baseline, ContractionIsa::Avx2, ContractionIsa::Avx512};

void check(const Nest &nest, ContractionTypes types, double tolerance,
           ContractionIsa isa) {
  HostTensor a(types.a, {nest.sizeA}), b(types.b, {nest.sizeB}),
      c(types.c, {nest.sizeC});
  fillRandom(a, 1, 0);
  fillRandom(b, 1, 1);
  fillRandom(c, 1, 2);
  std::vector<double> expected(nest.sizeC);
  for (int64_t i = 0; i < nest.sizeC; ++i)
    expected[i] = c.asDouble(i);
  define(nest, 0, a, b, expected, 0, 0, 0);
  contract(types, a.data(), b.data(), c.data(), nest.loops.data(),
           static_cast<int64_t>(nest.loops.size()), isa);
  for (int64_t i = 0; i < nest.sizeC; ++i)
    ASSERT_NEAR(c.asDouble(i), expected[i],
                tolerance * std::max(1.0, std::fabs(expected[i])))
        << i;
}

/// Checks each form of the kernel that this machine can run.
void check(const Nest &nest, ContractionTypes types, double tolerance) {
  for (ContractionIsa isa : allForms)
    if (isContractionIsaSupported(isa))
      check(nest, types, tolerance, isa);
}

Nest matmul(int64_t m, int64_t n, int64_t k) {
  return {{{m, k, 0, n}, {n, 0, 1, 1}, {k, 1, n, 0}}, m * k, k * n, m * n};
}

const ContractionTypes f32{ElementType::F32, ElementType::F32, ElementType::F32,
                           ElementType::F32};

} // namespace

TEST(ContractionTest, MatrixProductsOfManySizes) {
  for (int64_t m : {1, 2, 7, 8, 9, 97, 200})
    for (int64_t n : {1, 3, 31, 32, 33, 65})
      for (int64_t k : {1, 5, 255, 257})
        check(matmul(m, n, k), f32, 1e-4);
  check(matmul(3, 1100, 4), f32, 1e-5);
}

TEST(ContractionTest, TransposedOperandsAndResults) {
  int64_t m = 20, n = 37, k = 50;
  check({{{m, 1, 0, n}, {n, 0, 1, 1}, {k, m, n, 0}}, m * k, k * n, m * n}, f32,
        1e-5);
  check({{{m, k, 0, n}, {n, 0, k, 1}, {k, 1, 1, 0}}, m * k, k * n, m * n}, f32,
        1e-5);
  check({{{m, k, 0, 1}, {n, 0, 1, m}, {k, 1, n, 0}}, m * k, k * n, m * n}, f32,
        1e-5);
}

// One operand is large, the other has few rows or columns, or one: every count of rows that
// is computed at once, contiguous along either dimension of the large one or along none.
TEST(ContractionTest, SkinnyProducts) {
  for (int64_t few : {1, 2, 3, 7, 8, 13, 16})
    for (int64_t many : {5, 67, 200})
      for (int64_t k : {1, 7, 8, 15, 16, 100, 260}) {
        if (few * many * k < 50)
          continue;
        Nest rows = matmul(few, many, k);
        check(rows, f32, 1e-4);
        check(matmul(many, few, k), f32, 1e-4);
        rows.loops[1].strideB = k;
        rows.loops[2].strideB = 1;
        check(rows, f32, 1e-4);
        rows.loops[1].strideB = 2 * k;
        rows.loops[2].strideB = 2;
        rows.sizeB *= 2;
        check(rows, f32, 1e-4);
      }
  // More columns than have sums at once.
  check(matmul(1, 5000, 9), f32, 1e-5);
  check(matmul(9, 1100, 9), f32, 1e-5);
  using E = ElementType;
  for (auto [m, n] : {std::pair{1, 210}, {210, 1}, {3, 210}, {210, 3}})
    for (int step : {0, 1, 2}) {
      // Contiguous along the columns of B, along the sum, or along none.
      auto product = [&, m = m, n = n](int64_t k) {
        Nest nest = matmul(m, n, k);
        if (step == 0)
          return nest;
        nest.loops[1].strideB = step * k;
        nest.loops[2].strideB = step;
        nest.sizeB *= step;
        // The same of A, whose rows are what is large if B has few columns.
        nest.loops[0].strideA = step;
        nest.loops[2].strideA = step * m;
        nest.sizeA *= step;
        return nest;
      };
      check(product(300), {E::F64, E::F64, E::F64, E::F64}, 1e-12);
      check(product(300), {E::BF16, E::F16, E::BF16, E::F32}, 0x1p-7);
      check(product(300), {E::F32, E::BF16, E::F32, E::F32}, 1e-4);
      check(product(300), {E::F16, E::F32, E::F16, E::F32}, 0x1p-10);
      check(product(30), {E::I8, E::I8, E::I32, E::I32}, 0);
    }
}

TEST(ContractionTest, NaNStaysWhereItIs) {
  float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 70, 37},
                         {70, 1, 37},
                         {6, 70, 37},
                         {70, 6, 37},
                         {20, 20, 37},
                         {50, 600, 300}})
    for (bool transposed : {false, true})
      for (float special : {nan, infinity})
        for (ContractionIsa isa : allForms) {
          if (!isContractionIsaSupported(isa))
            continue;
          Nest nest = matmul(m, n, k);
          if (transposed)
            nest.loops[1].strideB = k, nest.loops[2].strideB = 1;
          std::vector<float> a(m * k, 1.0F), b(k * n, 1.0F), c(m * n, 0.0F);
          a[(m - 1) * k + k - 1] = special;
          contract(f32, a.data(), b.data(), c.data(), nest.loops.data(), 3,
                   isa);
          for (int64_t i = 0; i < m * n; ++i)
            ASSERT_EQ(std::isfinite(c[i]), i / n != m - 1) << i;
        }
}

TEST(ContractionTest, LoopsThatGoThroughMemoryLikeOne) {
  // Rows of 4 x 5, a summed dimension of 6 x 7, and a loop of one step.
  int64_t n = 33, k = 42;
  check({{{4, 5 * k, 0, 5 * n},
          {5, k, 0, n},
          {1, 3, 5, 7},
          {n, 0, 1, 1},
          {6, 7, 7 * n, 0},
          {7, 1, n, 0}},
         20 * k,
         k * n,
         20 * n},
        f32, 1e-5);
}

// The kernels write rows of contiguous elements where loops of either operand give them; A and B
// are exchanged for that, and where both or none do, the longer one of both gives the columns.
TEST(ContractionTest, ColumnsAreContiguous) {
  for (int64_t m : {3, 8})
    for (int64_t n : {3, 8})
      for (auto [rowC, columnC] : {std::pair<int64_t, int64_t>{n, 1},
                                   {1, m},
                                   {2 * n, 2},
                                   {2, 2 * m}}) {
        ContractionLoop rows{m, 1, 0, rowC}, columns{n, 0, 1, columnC},
            depth{5, m, n, 0};
        bool exchanges = columnC != 1 && (rowC == 1 || m > n);
        for (const std::array<ContractionLoop, 3> &loops :
             {std::array<ContractionLoop, 3>{rows, columns, depth},
              std::array<ContractionLoop, 3>{depth, columns, rows}}) {
          LoopGroups groups;
          EXPECT_EQ(groupLoops(loops.data(), 3, groups), exchanges);
          const ContractionLoop &column = exchanges ? rows : columns;
          ASSERT_EQ(groups.columns.size(), 1u);
          EXPECT_EQ(groups.columns[0].extent, column.extent);
          EXPECT_EQ(groups.columns[0].strideC, column.strideC);
          EXPECT_EQ(groups.columns[0].strideA, 0);
          EXPECT_EQ(groups.columns[0].strideB, 1);
          EXPECT_EQ(groups.rows[0].strideA, 1);
          EXPECT_EQ(groups.rows[0].strideB, 0);
          EXPECT_EQ(groups.depth[0].strideA, exchanges ? n : m);
        }
      }
}

TEST(ContractionTest, Batches) {
  int64_t batch = 3, m = 9, n = 10, k = 11;
  check(
      {{{batch, m * k, k * n, m * n}, {m, k, 0, n}, {n, 0, 1, 1}, {k, 1, n, 0}},
       batch * m * k,
       batch * k * n,
       batch * m * n},
      f32, 1e-5);
}

TEST(ContractionTest, ConvolutionsAreSeparableToo) {
  // 1 x 8 x 8 x 3 by 3 x 3 x 3 x 5, stride 2: 1 x 3 x 3 x 5.
  Nest nest{{{3, 2 * 24, 0, 15},
             {3, 2 * 3, 0, 5},
             {5, 0, 1, 1},
             {3, 24, 45, 0},
             {3, 3, 15, 0},
             {3, 1, 5, 0}},
            8 * 24,
            3 * 45,
            45};
  check(nest, f32, 1e-5);
}

TEST(ContractionTest, EmptyExtentsLeaveTheResult) {
  check(matmul(4, 5, 0), f32, 0);
  check(matmul(0, 5, 3), f32, 0);
}

TEST(ContractionTest, EveryType) {
  using E = ElementType;
  auto run = [](ContractionTypes types, double tolerance) {
    ASSERT_TRUE(isContractionSupported(types));
    check(matmul(19, 35, 300), types, tolerance);
  };
  run({E::F64, E::F64, E::F64, E::F64}, 1e-12);
  run({E::F16, E::F16, E::F32, E::F32}, 1e-4);
  run({E::BF16, E::BF16, E::F32, E::F32}, 1e-4);
  run({E::F16, E::F16, E::F16, E::F32}, 0x1p-10);
  run({E::BF16, E::F32, E::BF16, E::F32}, 0x1p-7);
  run({E::I8, E::I8, E::I32, E::I32}, 0);
  run({E::U8, E::I8, E::I32, E::I32}, 0);
  run({E::I32, E::I32, E::I32, E::I32}, 0);
  run({E::I8, E::I64, E::I64, E::I64}, 0);
  EXPECT_FALSE(isContractionSupported({E::F32, E::F32, E::F64, E::F64}));
  EXPECT_FALSE(isContractionSupported({E::F64, E::F64, E::F32, E::F32}));
}

/// Products of each form of the kernel: rows, columns, depth.
const std::array<int64_t, 3> orders[] = {
    {130, 200, 300}, {20, 40, 300}, {37, 65, 300}, {1, 100, 300},
    {100, 1, 300},   {1, 100, 7},   {7, 500, 300}, {500, 7, 300}};

// The sum of zeros is -0 if all of them are -0.
TEST(ContractionTest, ZerosKeepTheirSign) {
  for (auto [m, n, k] : orders)
    for (bool transposed : {false, true})
      for (ContractionIsa isa : allForms)
        for (float start : {0.0F, -0.0F}) {
          if (!isContractionIsaSupported(isa))
            continue;
          Nest nest = matmul(m, n, k);
          if (transposed)
            nest.loops[1].strideB = k, nest.loops[2].strideB = 1;
          std::vector<float> a(m * k, 2.0F), b(k * n, -0.0F), c(m * n, start);
          contract(f32, a.data(), b.data(), c.data(), nest.loops.data(),
                   static_cast<int64_t>(nest.loops.size()), isa);
          for (float element : c)
            ASSERT_TRUE(element == 0 &&
                        std::signbit(element) == std::signbit(start));
        }
}

// Where products are exact, fused multiply-adds do not matter, and all forms must
// round alike: they add the terms of an element in one order.
TEST(ContractionTest, AllFormsAddInOneOrder) {
  auto fill = [](HostTensor &tensor, float scale) {
    auto *data = reinterpret_cast<float *>(tensor.data());
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      data[i] = float((i * 2654435761u >> 7) % 4001 - 2000) * scale;
  };
  for (auto [m, n, k] : orders)
    for (bool transposed : {false, true}) {
      Nest nest = matmul(m, n, k);
      if (transposed)
        nest.loops[1].strideB = k, nest.loops[2].strideB = 1;
      HostTensor a(ElementType::F32, {nest.sizeA}),
          b(ElementType::F32, {nest.sizeB});
      fill(a, 0x1p-9f);
      fill(b, 0x1p-3f);
      std::vector<std::vector<float>> results;
      for (ContractionIsa isa : allForms) {
        if (!isContractionIsaSupported(isa))
          continue;
        std::vector<float> c(nest.sizeC, 0.1f);
        contract(f32, a.data(), b.data(), c.data(), nest.loops.data(), 3, isa);
        results.push_back(c);
      }
      for (const std::vector<float> &result : results)
        EXPECT_EQ(std::memcmp(result.data(), results.front().data(),
                              result.size() * sizeof(float)),
                  0)
            << m << " " << n << " " << k;
    }
}

// A small product is computed where its operands are, a large one from panels. An element of
// both has the same bits.
TEST(ContractionTest, SmallAndLargeProductsAgree) {
  for (bool transposed : {false, true})
    for (ContractionIsa isa : allForms) {
      if (!isContractionIsaSupported(isa))
        continue;
      const int64_t m = 24, n = 18, k = 300, more = 90;
      Nest small = matmul(m, n, k), large = matmul(more, n, k);
      for (Nest *nest : {&small, &large})
        if (transposed)
          nest->loops[1].strideB = k, nest->loops[2].strideB = 1;
      HostTensor a(ElementType::F32, {large.sizeA}),
          b(ElementType::F32, {large.sizeB});
      fillRandom(a, 1, 0);
      fillRandom(b, 1, 1);
      std::vector<float> c(small.sizeC), d(large.sizeC);
      contract(f32, a.data(), b.data(), c.data(), small.loops.data(), 3, isa);
      contract(f32, a.data(), b.data(), d.data(), large.loops.data(), 3, isa);
      EXPECT_EQ(std::memcmp(c.data(), d.data(), c.size() * sizeof(float)), 0);
    }
}

TEST(ContractionTest, EveryEntryTakesATable) {
  const int64_t table[] = {2, 3, 0, 2, 2, 0, 1, 1, 3, 1, 2, 0};
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
  int64_t type = static_cast<int64_t>(ElementType::F32);
  int64_t types = type | type << 8 | type << 16 | type << 24;
  std::vector<ContractionEntry *> entries{&shard_kernel_contract};
  for (ContractionIsa isa : allForms)
    if (isContractionIsaSupported(isa))
      entries.push_back(contractionEntry(isa));
  for (ContractionEntry *entry : entries) {
    std::vector<float> c(4, 0.0f);
    entry(types, a, b, c.data(), 3, table);
    EXPECT_EQ(c, (std::vector<float>{4, 5, 10, 11}));
  }
}
