//===- Skinny.cpp - Products of a large and a small matrix ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Skinny.h"

#include "Isa.h"
#include "Vectors.h"

#include <algorithm>

using namespace shard;

namespace {

/// Terms that are summed before they are added to a row of sums.
constexpr int64_t kTermsAtOnce = 8;
/// Elements of all rows of sums that are summed over the whole depth before the next ones:
/// they stay in the nearest cache.
constexpr int64_t kSumsAtOnce = 4096;

/// Adds `terms` terms to `vectors` vectors of each of `rows` rows of sums.
template <int rows, int vectors, int lanes, typename Acc, typename T>
SHARD_INLINE void addTerms(const Acc *small, int64_t fewStep, const T *large,
                           int64_t depthStep, int64_t terms, Acc *sums,
                           int64_t sumStep) {
  using Vector = typename VectorOf<Acc, lanes>::Type;
  Vector sum[rows][vectors];
#pragma clang loop unroll(full)
  for (int64_t x = 0; x < terms; ++x, large += depthStep)
    for (int v = 0; v < vectors; ++v) {
      Vector next = loadVector<Acc, lanes>(large + v * lanes);
      for (int r = 0; r < rows; ++r) {
        Acc factor = small[r * fewStep + x];
        if (x == 0)
          sum[r][v] = next * factor;
        else
          sum[r][v] += next * factor;
      }
    }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) {
      Vector old;
      Acc *at = sums + r * sumStep + v * lanes;
      std::memcpy(&old, at, sizeof(old));
      old += sum[r][v];
      std::memcpy(at, &old, sizeof(old));
    }
}

/// sums[r][j] += small[r][x] * large[x][j] over `depth` <= kTermsAtOnce terms x.
template <typename Isa, int rows, typename Acc, typename T>
SHARD_INLINE void addRows(const Acc *small, int64_t fewStep, const T *large,
                          int64_t depthStep, int64_t depth, int64_t columns,
                          Acc *sums, int64_t sumStep) {
  constexpr int lanes = Isa::bytes / sizeof(Acc), atOnce = 8 / rows;
  int64_t j = 0;
  if (depth == kTermsAtOnce) {
    for (; j + atOnce * lanes <= columns; j += atOnce * lanes)
      addTerms<rows, atOnce, lanes>(small, fewStep, large + j, depthStep,
                                    kTermsAtOnce, sums + j, sumStep);
    for (; j + lanes <= columns; j += lanes)
      addTerms<rows, 1, lanes>(small, fewStep, large + j, depthStep,
                               kTermsAtOnce, sums + j, sumStep);
  }
  for (; j + lanes <= columns; j += lanes)
    addTerms<rows, 1, lanes>(small, fewStep, large + j, depthStep, depth,
                             sums + j, sumStep);
  for (; j < columns; ++j)
    addTerms<rows, 1, 1>(small, fewStep, large + j, depthStep, depth, sums + j,
                         sumStep);
}

/// The form whose sums are rows. What is not contiguous is copied first.
template <typename Isa, typename Acc, typename T>
SHARD_INLINE void sumRows(const SkinnyProduct<Acc, T> &p) {
  int64_t atOnce = std::max<int64_t>(kSumsAtOnce / p.few, 512);
  Acc *sums = scratch<Acc>(Scratch::Sums, p.few * atOnce);
  for (int64_t j0 = 0; j0 < p.many; j0 += atOnce) {
    int64_t columns = std::min(atOnce, p.many - j0);
    std::fill(sums, sums + p.few * atOnce, -Acc(0));
    for (int64_t x = 0; x < p.depth; x += kTermsAtOnce) {
      int64_t depth = std::min(kTermsAtOnce, p.depth - x);
      const T *large = p.large + x * p.depthStep + j0 * p.manyStep;
      int64_t depthStep = p.depthStep;
      if (p.manyStep != 1) {
        T *copy = scratch<T>(Scratch::PanelsB, kTermsAtOnce * atOnce);
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t y = 0; y < depth; ++y)
            copy[y * atOnce + j] = large[y * depthStep + j * p.manyStep];
        large = copy;
        depthStep = atOnce;
      }
      auto add = [&](auto rows, int64_t r) SHARD_INLINE_LAMBDA {
        addRows<Isa, decltype(rows)::value>(p.small + r * p.fewStep + x,
                                            p.fewStep, large, depthStep, depth,
                                            columns, sums + r * atOnce, atOnce);
      };
      int64_t r = 0;
      for (; r + 8 <= p.few; r += 8)
        add(std::integral_constant<int, 8>(), r);
      if (r + 4 <= p.few)
        add(std::integral_constant<int, 4>(), r), r += 4;
      if (r + 2 <= p.few)
        add(std::integral_constant<int, 2>(), r), r += 2;
      if (r < p.few)
        add(std::integral_constant<int, 1>(), r);
    }
    for (int64_t r = 0; r < p.few; ++r) {
      Acc *c = p.c + r * p.fewC + j0 * p.manyC;
      for (int64_t j = 0; j < columns; ++j)
        c[j * p.manyC] += sums[r * atOnce + j];
    }
  }
}

/// The sum of the lanes: halves are added until one is left.
template <typename Acc, int lanes>
SHARD_INLINE Acc sumLanes(typename VectorOf<Acc, lanes>::Type vector) {
  Acc values[lanes];
  std::memcpy(values, &vector, sizeof(values));
#pragma clang loop unroll(full)
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      values[i] += values[i + half];
  return values[0];
}

/// Adds the dot products of `manyRows` rows of the large operand from `i` on and `fewRows` of
/// the small one from `r` on to C.
template <int manyRows, int fewRows, typename Acc, typename T>
SHARD_INLINE void addDots(const SkinnyProduct<Acc, T> &p, int64_t i,
                          int64_t r) {
  constexpr int lanes = kLine / sizeof(Acc);
  using Vector = typename VectorOf<Acc, lanes>::Type;
  const T *large = p.large + i * p.manyStep;
  const Acc *small = p.small + r * p.fewStep;
  Vector sum[manyRows][fewRows], zero = {};
  for (auto &row : sum)
    for (Vector &start : row)
      start = -zero;
  auto step = [&](auto &&loadLarge, int64_t x) SHARD_INLINE_LAMBDA {
    Vector factors[fewRows];
    for (int f = 0; f < fewRows; ++f)
      std::memcpy(&factors[f], small + f * p.fewStep + x, sizeof(Vector));
    for (int m = 0; m < manyRows; ++m) {
      Vector row = loadLarge(m);
      for (int f = 0; f < fewRows; ++f)
        sum[m][f] += row * factors[f];
    }
  };
  int64_t x = 0;
  for (; x + lanes <= p.depth; x += lanes)
    step(
        [&](int m) SHARD_INLINE_LAMBDA {
          return loadVector<Acc, lanes>(large + m * p.manyStep + x);
        },
        x);
  if (int64_t rest = p.depth - x; rest > 0)
    // Where the large operand ends, the small one has -0: a sum and -0 is the sum.
    step(
        [&](int m) SHARD_INLINE_LAMBDA {
          Acc values[lanes] = {};
          for (int64_t y = 0; y < rest; ++y)
            values[y] = widen<Acc>(large[m * p.manyStep + x + y]);
          Vector row;
          std::memcpy(&row, values, sizeof(row));
          return row;
        },
        x);
  for (int m = 0; m < manyRows; ++m)
    for (int f = 0; f < fewRows; ++f)
      p.c[(i + m) * p.manyC + (r + f) * p.fewC] +=
          sumLanes<Acc, lanes>(sum[m][f]);
}

/// Dot products of `manyRows` rows of the large operand from `i` on and all of the small one.
template <int manyRows, int dots, typename Acc, typename T>
SHARD_INLINE void addDotRows(const SkinnyProduct<Acc, T> &p, int64_t i) {
  int64_t r = 0;
  if constexpr (manyRows * 4 <= dots)
    for (; r + 4 <= p.few; r += 4)
      addDots<manyRows, 4>(p, i, r);
  if constexpr (manyRows * 2 <= dots)
    for (; r + 2 <= p.few; r += 2)
      addDots<manyRows, 2>(p, i, r);
  for (; r < p.few; ++r)
    addDots<manyRows, 1>(p, i, r);
}

/// The form whose sums are dot products: depthStep is 1.
template <typename Isa, typename Acc, typename T>
SHARD_INLINE void sumDots(const SkinnyProduct<Acc, T> &p) {
  int64_t i = 0;
  // Few rows of the large operand at once, so that they stay in a cache while the small one
  // passes.
  if (p.few == 1) {
    constexpr int many = Isa::dots < 8 ? Isa::dots : 8;
    for (; i + many <= p.many; i += many)
      addDotRows<many, Isa::dots>(p, i);
  } else {
    constexpr int many = Isa::dots < 4 ? 1 : Isa::dots / 4;
    for (; i + many <= p.many; i += many)
      addDotRows<many, Isa::dots>(p, i);
  }
  for (; i < p.many; ++i)
    addDotRows<1, Isa::dots>(p, i);
}

/// The form that fits what is contiguous.
template <typename Isa, typename Acc, typename T>
SHARD_INLINE void multiplyFew(const SkinnyProduct<Acc, T> &p) {
  constexpr int64_t lanes = kLine / sizeof(Acc);
  if (p.depthStep == 1 && (p.manyStep != 1 || p.depth >= lanes))
    sumDots<Isa>(p);
  else
    sumRows<Isa>(p);
}

} // namespace

template <typename Acc, typename T>
static void multiplySkinnyBaseline(const SkinnyProduct<Acc, T> &p) {
  multiplyFew<Baseline>(p);
}
#if SHARD_X86_VARIANTS
template <typename Acc, typename T>
SHARD_TARGET_AVX2 static void
multiplySkinnyAvx2(const SkinnyProduct<Acc, T> &p) {
  multiplyFew<Avx2>(p);
}
template <typename Acc, typename T>
SHARD_TARGET_AVX512 static void
multiplySkinnyAvx512(const SkinnyProduct<Acc, T> &p) {
  multiplyFew<Avx512>(p);
}
#endif

template <typename Acc, typename T>
void shard::multiplySkinny(const SkinnyProduct<Acc, T> &p, ContractionIsa isa) {
#if SHARD_X86_VARIANTS
  if (isa == ContractionIsa::Avx512)
    return multiplySkinnyAvx512(p);
  if (isa == ContractionIsa::Avx2)
    return multiplySkinnyAvx2(p);
#endif
  multiplySkinnyBaseline(p);
}

template void shard::multiplySkinny(const SkinnyProduct<float, float> &,
                                    ContractionIsa);
template void shard::multiplySkinny(const SkinnyProduct<float, Half> &,
                                    ContractionIsa);
template void shard::multiplySkinny(const SkinnyProduct<float, Bfloat> &,
                                    ContractionIsa);
template void shard::multiplySkinny(const SkinnyProduct<double, double> &,
                                    ContractionIsa);
