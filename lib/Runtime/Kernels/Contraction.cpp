//===- Contraction.cpp - The kernel of matrix products --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Contraction.h"

#include "Direct.h"
#include "Isa.h"
#include "LoopGroups.h"
#include "Packing.h"
#include "Skinny.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

using namespace shard;

namespace {

constexpr int maxTile = 8 * 2 * 16;

template <typename Isa, typename Acc>
struct Tile {
  static constexpr int rows = Isa::rows;
  static constexpr int lanes = Isa::bytes / sizeof(Acc);
  static constexpr int columns = Isa::vectors * lanes;
};

/// tile[rows][columns] = panelA * panelB, summed over `depth`.
template <typename Isa, typename Acc>
SHARD_INLINE void multiplyPanels(const Acc *panelA, const Acc *panelB,
                                 int64_t depth, Acc *tile) {
  using T = Tile<Isa, Acc>;
  typedef Acc Vector __attribute__((vector_size(Isa::bytes)));
  // Of floats -0: unlike 0 it changes no sum, not that of zeros either.
  Vector sum[T::rows][Isa::vectors], zero = {};
  for (auto &row : sum)
    for (Vector &start : row)
      start = -zero;
  for (int64_t k = 0; k < depth; ++k) {
    Vector b[Isa::vectors];
    std::memcpy(b, panelB + k * T::columns, sizeof(b));
#pragma clang loop unroll(full)
    for (int r = 0; r < T::rows; ++r) {
      Acc a = panelA[k * T::rows + r];
#pragma clang loop unroll(full)
      for (int v = 0; v < Isa::vectors; ++v)
        sum[r][v] += b[v] * a;
    }
  }
  std::memcpy(tile, sum, sizeof(sum));
}

/// Which form of the kernel computes a product.
enum class Form { Packed, Skinny, Direct };

/// One matrix product. Tables of offsets, one a group of loops, for the packed form; for the
/// others a plain product.
struct Problem {
  Form form = Form::Packed;
  std::vector<int64_t> rowA, rowC, columnB, columnC, depthA, depthB;
  PlainProduct plain;
  bool largeIsB = false;
};

/// C += A * B through the tables of `p`.
template <typename Isa, typename Acc, typename TA, typename TB>
SHARD_INLINE void multiplyPacked(const Problem &p, const TA *a, const TB *b,
                                 Acc *c) {
  const int64_t *rowC = p.rowC.data(), *columnC = p.columnC.data();
  using T = Tile<Isa, Acc>;
  int64_t m = p.rowA.size(), n = p.columnB.size(), k = p.depthA.size();
  auto roundUp = [](int64_t x, int64_t y) { return (x + y - 1) / y * y; };
  Acc *packedA =
      scratch<Acc>(Scratch::PanelsA, roundUp(kBlockM, T::rows) * kBlockK);
  Acc *packedB = scratch<Acc>(
      Scratch::PanelsB, roundUp(std::min(n, kBlockN), T::columns) * kBlockK);
  alignas(kLine) Acc tile[maxTile];
  for (int64_t n0 = 0; n0 < n; n0 += kBlockN) {
    int64_t nSize = std::min(kBlockN, n - n0);
    for (int64_t k0 = 0; k0 < k; k0 += kBlockK) {
      int64_t kSize = std::min(kBlockK, k - k0);
      packPanels<T::columns>(b, p.columnB.data() + n0, nSize,
                             p.depthB.data() + k0, kSize, packedB);
      for (int64_t m0 = 0; m0 < m; m0 += kBlockM) {
        int64_t mSize = std::min(kBlockM, m - m0);
        packPanels<T::rows>(a, p.rowA.data() + m0, mSize, p.depthA.data() + k0,
                            kSize, packedA);
        for (int64_t j = 0; j < nSize; j += T::columns) {
          int64_t columns = std::min<int64_t>(T::columns, nSize - j);
          const int64_t *columnOffsets = columnC + n0 + j;
          bool contiguous = columns == T::columns &&
                            areConsecutive(columnOffsets, T::columns);
          for (int64_t i = 0; i < mSize; i += T::rows) {
            int64_t rows = std::min<int64_t>(T::rows, mSize - i);
            // C arrives while the panels are multiplied.
            for (int64_t r = 0; r < rows; ++r)
              for (int64_t x = 0; x < columns; x += kLine / sizeof(Acc))
                __builtin_prefetch(c + rowC[m0 + i + r] + columnOffsets[x], 1);
            multiplyPanels<Isa>(packedA + i * kSize, packedB + j * kSize, kSize,
                                tile);
            for (int64_t r = 0; r < rows; ++r) {
              Acc *row = c + rowC[m0 + i + r];
              const Acc *sums = tile + r * T::columns;
              if (contiguous) {
                row += columnOffsets[0];
                for (int x = 0; x < T::columns; ++x)
                  row[x] += sums[x];
              } else {
                for (int64_t x = 0; x < columns; ++x)
                  row[columnOffsets[x]] += sums[x];
              }
            }
          }
        }
      }
    }
  }
}

template <typename Acc, typename TA, typename TB>
using MultiplyFn = void (*)(const Problem &, const TA *, const TB *, Acc *);

template <typename Acc, typename TA, typename TB>
void multiplyBaseline(const Problem &p, const TA *a, const TB *b, Acc *c) {
  multiplyPacked<Baseline>(p, a, b, c);
}
#if SHARD_X86_VARIANTS
template <typename Acc, typename TA, typename TB>
SHARD_TARGET_AVX2 void multiplyAvx2(const Problem &p, const TA *a, const TB *b,
                                    Acc *c) {
  multiplyPacked<Avx2>(p, a, b, c);
}
template <typename Acc, typename TA, typename TB>
SHARD_TARGET_AVX512 void multiplyAvx512(const Problem &p, const TA *a,
                                        const TB *b, Acc *c) {
  multiplyPacked<Avx512>(p, a, b, c);
}
#endif

template <typename Acc, typename TA, typename TB>
MultiplyFn<Acc, TA, TB> chooseMultiply(ContractionIsa isa) {
#if SHARD_X86_VARIANTS
  if (isa == ContractionIsa::Avx512)
    return multiplyAvx512<Acc, TA, TB>;
  if (isa == ContractionIsa::Avx2)
    return multiplyAvx2<Acc, TA, TB>;
#endif
  (void)isa;
  return multiplyBaseline<Acc, TA, TB>;
}

/// C += A * B in the form of `p`.
template <typename Acc, typename TA, typename TB>
void multiply(const Problem &p, const TA *a, const TB *b, Acc *c,
              ContractionIsa isa) {
  if constexpr (std::is_floating_point_v<Acc>) {
    const PlainProduct &q = p.plain;
    if (p.form == Form::Skinny && p.largeIsB) {
      SkinnyProduct<Acc, TB> product{q.m,      q.n, q.k,    b,        q.columnB,
                                     q.depthB, c,   q.rowC, q.columnC};
      packFew(a, q.rowA, q.depthA, product);
      return multiplySkinny(product, isa);
    }
    if (p.form == Form::Skinny) {
      SkinnyProduct<Acc, TA> product{q.n,      q.m, q.k,       a,     q.rowA,
                                     q.depthA, c,   q.columnC, q.rowC};
      packFew(b, q.columnB, q.depthB, product);
      return multiplySkinny(product, isa);
    }
    if constexpr (std::is_same_v<TA, Acc> && std::is_same_v<TB, Acc>)
      if (p.form == Form::Direct)
        return multiplyDirect(q, a, b, c, isa);
  }
  chooseMultiply<Acc, TA, TB>(isa)(p, a, b, c);
}

/// The tables of the packed form.
void flattenGroups(const LoopGroups &groups, Problem &p) {
  flattenLoops(groups.rows, &ContractionLoop::strideA,
               &ContractionLoop::strideC, p.rowA, p.rowC);
  flattenLoops(groups.columns, &ContractionLoop::strideB,
               &ContractionLoop::strideC, p.columnB, p.columnC);
  flattenLoops(groups.depth, &ContractionLoop::strideA,
               &ContractionLoop::strideB, p.depthA, p.depthB);
}

/// The product of `groups` in the form that computes it. The choice does not depend on the
/// machine: the order in which terms are added follows from it.
template <typename Acc, typename TA, typename TB>
Problem chooseForm(const LoopGroups &groups) {
  Problem p;
  std::optional<PlainProduct> plain = plainProduct(groups);
  if (plain && std::is_floating_point_v<Acc>) {
    p.plain = *plain;
    if (std::is_same_v<TA, Acc> && std::is_same_v<TB, Acc> &&
        isDirect<Acc>(*plain))
      p.form = Form::Direct;
    else if (isSkinny(*plain, p.largeIsB))
      p.form = Form::Skinny;
  }
  if (p.form == Form::Packed)
    flattenGroups(groups, p);
  return p;
}

/// C is F16 or BF16 and the sum in f32: each product is added to a copy of its C.
template <typename TA, typename TB>
void runNarrow(const LoopGroups &groups, Problem &p, bool isHalf, const TA *a,
               const TB *b, uint16_t *c, ContractionIsa isa) {
  std::vector<int64_t> rowC, columnC, unused;
  flattenLoops(groups.rows, &ContractionLoop::strideA,
               &ContractionLoop::strideC, unused, rowC);
  flattenLoops(groups.columns, &ContractionLoop::strideB,
               &ContractionLoop::strideC, unused, columnC);
  int64_t m = rowC.size(), n = columnC.size();
  p.rowC.resize(m);
  p.columnC.resize(n);
  for (int64_t i = 0; i < m; ++i)
    p.rowC[i] = i * n;
  for (int64_t j = 0; j < n; ++j)
    p.columnC[j] = j;
  p.plain.rowC = n;
  p.plain.columnC = 1;
  float *wide = scratch<float>(Scratch::WideC, m * n);
  forEachBatch(groups.batch, 0, 0, 0, 0,
               [&](int64_t offsetA, int64_t offsetB, int64_t offsetC) {
                 uint16_t *narrow = c + offsetC;
                 for (int64_t i = 0; i < m; ++i)
                   for (int64_t j = 0; j < n; ++j) {
                     uint16_t bits = narrow[rowC[i] + columnC[j]];
                     wide[i * n + j] =
                         isHalf ? halfToFloat(bits) : bfloatToFloat(bits);
                   }
                 multiply(p, a + offsetA, b + offsetB, wide, isa);
                 for (int64_t i = 0; i < m; ++i)
                   for (int64_t j = 0; j < n; ++j) {
                     float value = wide[i * n + j];
                     narrow[rowC[i] + columnC[j]] =
                         isHalf ? floatToHalf(value) : floatToBfloat(value);
                   }
               });
}

template <typename Acc, typename TA, typename TB>
void run(const LoopGroups &groups, ElementType typeC, const TA *a, const TB *b,
         void *c, ContractionIsa isa) {
  Problem p = chooseForm<Acc, TA, TB>(groups);
  if (typeC == ElementType::F16 || typeC == ElementType::BF16) {
    if constexpr (std::is_same_v<Acc, float>)
      runNarrow(groups, p, typeC == ElementType::F16, a, b,
                static_cast<uint16_t *>(c), isa);
    return;
  }
  forEachBatch(groups.batch, 0, 0, 0, 0,
               [&](int64_t offsetA, int64_t offsetB, int64_t offsetC) {
                 multiply(p, a + offsetA, b + offsetB,
                          static_cast<Acc *>(c) + offsetC, isa);
               });
}

/// Calls `body` with a null pointer of the C++ type of `type`, if the
/// accumulator `Acc` takes that type.
template <typename Acc, typename BodyFn>
bool dispatch(ElementType type, BodyFn &&body) {
  if constexpr (std::is_same_v<Acc, float>) {
    if (type == ElementType::F32)
      return body(static_cast<const float *>(nullptr));
    if (type == ElementType::F16)
      return body(static_cast<const Half *>(nullptr));
    if (type == ElementType::BF16)
      return body(static_cast<const Bfloat *>(nullptr));
  } else if constexpr (std::is_same_v<Acc, double>) {
    if (type == ElementType::F64)
      return body(static_cast<const double *>(nullptr));
  } else {
    if (type == ElementType::I8)
      return body(static_cast<const int8_t *>(nullptr));
    if (type == ElementType::U8)
      return body(static_cast<const uint8_t *>(nullptr));
    if (type == ElementType::I32 && sizeof(Acc) == 4)
      return body(static_cast<const int32_t *>(nullptr));
    if (type == ElementType::I64 && sizeof(Acc) == 8)
      return body(static_cast<const int64_t *>(nullptr));
  }
  return false;
}

template <typename Acc>
bool dispatchAndRun(const ContractionTypes &types, const void *a, const void *b,
                    void *c, const LoopGroups *groups, ContractionIsa isa) {
  return dispatch<Acc>(types.a, [&](auto *typedA) {
    return dispatch<Acc>(types.b, [&](auto *typedB) {
      if (groups)
        run<Acc>(*groups, types.c, static_cast<decltype(typedA)>(a),
                 static_cast<decltype(typedB)>(b), c, isa);
      return true;
    });
  });
}

/// Runs if `groups` is set; else only tells whether there is a kernel.
bool dispatchAccumulator(const ContractionTypes &types, const void *a,
                         const void *b, void *c, const LoopGroups *groups,
                         ContractionIsa isa) {
  // Integers wrap, and products of unsigned types are those of signed ones.
  switch (types.accumulator) {
  case ElementType::F32:
    return dispatchAndRun<float>(types, a, b, c, groups, isa);
  case ElementType::F64:
    return dispatchAndRun<double>(types, a, b, c, groups, isa);
  case ElementType::I32:
    return dispatchAndRun<uint32_t>(types, a, b, c, groups, isa);
  case ElementType::I64:
    return dispatchAndRun<uint64_t>(types, a, b, c, groups, isa);
  default:
    return false;
  }
}

} // namespace

bool shard::isContractionSupported(const ContractionTypes &types) {
  bool narrow = types.accumulator == ElementType::F32 &&
                (types.c == ElementType::F16 || types.c == ElementType::BF16);
  return (types.c == types.accumulator || narrow) &&
         dispatchAccumulator(types, nullptr, nullptr, nullptr, nullptr,
                             ContractionIsa::Baseline);
}

void shard::contract(const ContractionTypes &types, const void *a,
                     const void *b, void *c, const ContractionLoop *loops,
                     int64_t numLoops, ContractionIsa isa) {
  for (int64_t i = 0; i < numLoops; ++i)
    if (loops[i].extent <= 0)
      return;
  LoopGroups groups;
  ContractionTypes ordered = types;
  if (groupLoops(loops, numLoops, groups)) {
    std::swap(a, b);
    std::swap(ordered.a, ordered.b);
  }
  dispatchAccumulator(ordered, a, b, c, &groups, isa);
}
