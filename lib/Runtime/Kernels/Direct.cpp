//===- Direct.cpp - Small products, without packing -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Direct.h"

#include "Isa.h"
#include "Vectors.h"

#include <algorithm>

using namespace shard;

namespace {

/// Adds `rows` x (vectors * lanes) elements of the product, summed over k, to C. Columns of B
/// and C are contiguous.
template <int rows, int vectors, int lanes, typename Acc>
SHARD_INLINE void addDirectTile(const PlainProduct &p, int64_t k, const Acc *a,
                                const Acc *b, Acc *c) {
  using Vector = typename VectorOf<Acc, lanes>::Type;
  Vector sum[rows][vectors], zero = {};
  for (auto &row : sum)
    for (Vector &start : row)
      start = -zero;
  int64_t rowA = p.rowA, depthA = p.depthA, depthB = p.depthB;
  for (int64_t x = 0; x < k; ++x, a += depthA, b += depthB) {
    Vector fromB[vectors];
    std::memcpy(fromB, b, sizeof(fromB));
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; ++r) {
      Acc fromA = a[r * rowA];
#pragma clang loop unroll(full)
      for (int v = 0; v < vectors; ++v)
        sum[r][v] += fromB[v] * fromA;
    }
  }
  for (int r = 0; r < rows; ++r) {
    Vector old[vectors];
    Acc *row = c + r * p.rowC;
    std::memcpy(old, row, sizeof(old));
    for (int v = 0; v < vectors; ++v)
      old[v] += sum[r][v];
    std::memcpy(row, old, sizeof(old));
  }
}

/// All rows of as many columns as the vectors have.
template <typename Isa, int vectors, int lanes, typename Acc>
SHARD_INLINE void addDirectColumns(const PlainProduct &p, int64_t k,
                                   const Acc *a, const Acc *b, Acc *c) {
  int64_t i = 0;
  auto add = [&](auto rows) SHARD_INLINE_LAMBDA {
    constexpr int count = decltype(rows)::value;
    addDirectTile<count, vectors, lanes>(p, k, a + i * p.rowA, b,
                                         c + i * p.rowC);
    i += count;
  };
  while (i + Isa::rows <= p.m)
    add(std::integral_constant<int, Isa::rows>());
  if constexpr (Isa::rows > 4)
    if (i + 4 <= p.m)
      add(std::integral_constant<int, 4>());
  if (i + 2 <= p.m)
    add(std::integral_constant<int, 2>());
  while (i < p.m)
    add(std::integral_constant<int, 1>());
}

/// B with contiguous columns.
template <typename Acc>
SHARD_INLINE const Acc *copyOfB(const PlainProduct &p, const Acc *b) {
  Acc *copy = scratch<Acc>(Scratch::PanelsB, p.k * p.n);
  int64_t j = 0;
  if (p.depthB == 1)
    for (; j + 4 <= p.n; j += 4) {
      int64_t rows[4], k = 0;
      for (int i = 0; i < 4; ++i)
        rows[i] = (j + i) * p.columnB;
      for (; k + 4 <= p.k; k += 4)
        transpose4(b + k, rows, copy + k * p.n + j, p.n);
      for (; k < p.k; ++k)
        for (int i = 0; i < 4; ++i)
          copy[k * p.n + j + i] = b[rows[i] + k];
    }
  for (; j < p.n; ++j)
    for (int64_t k = 0; k < p.k; ++k)
      copy[k * p.n + j] = b[k * p.depthB + j * p.columnB];
  return copy;
}

/// C += A * B, blocks of `kBlockK` of the summed dimension one after another.
template <typename Isa, typename Acc>
SHARD_INLINE void multiplyBlocks(PlainProduct p, const Acc *a, const Acc *b,
                                 Acc *c) {
  constexpr int lanes = Isa::bytes / sizeof(Acc);
  if (p.columnB != 1) {
    b = copyOfB(p, b);
    p.columnB = 1;
    p.depthB = p.n;
  }
  for (int64_t k0 = 0; k0 < p.k;
       k0 += kBlockK, a += kBlockK * p.depthA, b += kBlockK * p.depthB) {
    int64_t k = std::min(kBlockK, p.k - k0), j = 0;
    for (; j + 2 * lanes <= p.n; j += 2 * lanes)
      addDirectColumns<Isa, 2, lanes>(p, k, a, b + j, c + j);
    if (j + lanes <= p.n)
      addDirectColumns<Isa, 1, lanes>(p, k, a, b + j, c + j), j += lanes;
    if constexpr (lanes >= 16)
      if (j + 8 <= p.n)
        addDirectColumns<Isa, 1, 8>(p, k, a, b + j, c + j), j += 8;
    if constexpr (lanes >= 8)
      if (j + 4 <= p.n)
        addDirectColumns<Isa, 1, 4>(p, k, a, b + j, c + j), j += 4;
    if constexpr (lanes >= 4)
      if (j + 2 <= p.n)
        addDirectColumns<Isa, 1, 2>(p, k, a, b + j, c + j), j += 2;
    for (; j < p.n; ++j)
      addDirectColumns<Isa, 1, 1>(p, k, a, b + j, c + j);
  }
}

} // namespace

template <typename Acc>
static void multiplyDirectBaseline(const PlainProduct &p, const Acc *a,
                                   const Acc *b, Acc *c) {
  multiplyBlocks<Baseline>(p, a, b, c);
}
#if SHARD_X86_VARIANTS
template <typename Acc>
SHARD_TARGET_AVX2 static void
multiplyDirectAvx2(const PlainProduct &p, const Acc *a, const Acc *b, Acc *c) {
  multiplyBlocks<Avx2>(p, a, b, c);
}
template <typename Acc>
SHARD_TARGET_AVX512 static void multiplyDirectAvx512(const PlainProduct &p,
                                                     const Acc *a, const Acc *b,
                                                     Acc *c) {
  multiplyBlocks<Avx512>(p, a, b, c);
}
#endif

template <typename Acc>
void shard::multiplyDirect(const PlainProduct &p, const Acc *a, const Acc *b,
                           Acc *c, ContractionIsa isa) {
#if SHARD_X86_VARIANTS
  if (isa == ContractionIsa::Avx512)
    return multiplyDirectAvx512(p, a, b, c);
  if (isa == ContractionIsa::Avx2)
    return multiplyDirectAvx2(p, a, b, c);
#endif
  multiplyDirectBaseline(p, a, b, c);
}

template void shard::multiplyDirect(const PlainProduct &, const float *,
                                    const float *, float *, ContractionIsa);
template void shard::multiplyDirect(const PlainProduct &, const double *,
                                    const double *, double *, ContractionIsa);
