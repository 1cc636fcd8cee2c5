//===- Contraction.cpp - The kernel of matrix products --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Contraction.h"

#include "Packing.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using namespace shard;

#if defined(__x86_64__) && defined(__clang__)
#define SHARD_X86_VARIANTS 1
#else
#define SHARD_X86_VARIANTS 0
#endif

namespace {

/// Register blocking: a tile of `rows` x `vectors` vectors of `bytes` bytes.
struct Baseline {
  static constexpr int rows = 4, vectors = 2, bytes = 16;
};
struct Avx2 {
  static constexpr int rows = 6, vectors = 2, bytes = 32;
};
struct Avx512 {
  static constexpr int rows = 8, vectors = 2, bytes = 64;
};

/// Cache blocking, in elements of the summed, row and column dimensions.
constexpr int64_t blockK = 256, blockM = 96, blockN = 1024;
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

/// The loops of a contraction in groups, each flattened to tables of offsets.
struct Problem {
  struct Batch {
    int64_t extent, strideA, strideB, strideC;
  };
  std::vector<Batch> batches;
  std::vector<int64_t> rowA, rowC, columnB, columnC, depthA, depthB;
};

/// Bytes of a cache line, and of the longest vector: panels and tiles begin at one.
constexpr size_t kLine = 64;

/// Memory for packed panels, kept per thread between calls.
template <typename T>
T *scratch(int which, int64_t count) {
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  static thread_local std::unique_ptr<void, Free> memory[3];
  static thread_local size_t sizes[3] = {0, 0, 0};
  size_t size = (count * sizeof(T) + 2 * kLine - 1) / kLine * kLine;
  if (size > sizes[which]) {
    memory[which].reset(std::aligned_alloc(kLine, size));
    sizes[which] = size;
  }
  return static_cast<T *>(memory[which].get());
}

/// One matrix product: C += A * B, all of it through the tables of `p`, except
/// that C is addressed by `rowC` and `columnC`.
template <typename Isa, typename Acc, typename TA, typename TB>
SHARD_INLINE void multiply(const Problem &p, const TA *a, const TB *b, Acc *c,
                           const int64_t *rowC, const int64_t *columnC) {
  using T = Tile<Isa, Acc>;
  int64_t m = p.rowA.size(), n = p.columnB.size(), k = p.depthA.size();
  auto roundUp = [](int64_t x, int64_t y) { return (x + y - 1) / y * y; };
  Acc *packedA = scratch<Acc>(0, roundUp(blockM, T::rows) * blockK);
  Acc *packedB =
      scratch<Acc>(1, roundUp(std::min(n, blockN), T::columns) * blockK);
  alignas(kLine) Acc tile[maxTile];
  for (int64_t n0 = 0; n0 < n; n0 += blockN) {
    int64_t nSize = std::min(blockN, n - n0);
    for (int64_t k0 = 0; k0 < k; k0 += blockK) {
      int64_t kSize = std::min(blockK, k - k0);
      packPanels<T::columns>(b, p.columnB.data() + n0, nSize,
                             p.depthB.data() + k0, kSize, packedB);
      for (int64_t m0 = 0; m0 < m; m0 += blockM) {
        int64_t mSize = std::min(blockM, m - m0);
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
using MultiplyFn = void (*)(const Problem &, const TA *, const TB *, Acc *,
                            const int64_t *, const int64_t *);

template <typename Acc, typename TA, typename TB>
void multiplyBaseline(const Problem &p, const TA *a, const TB *b, Acc *c,
                      const int64_t *rowC, const int64_t *columnC) {
  multiply<Baseline>(p, a, b, c, rowC, columnC);
}
#if SHARD_X86_VARIANTS
template <typename Acc, typename TA, typename TB>
__attribute__((target("avx2,fma,f16c"))) void
multiplyAvx2(const Problem &p, const TA *a, const TB *b, Acc *c,
             const int64_t *rowC, const int64_t *columnC) {
  multiply<Avx2>(p, a, b, c, rowC, columnC);
}
template <typename Acc, typename TA, typename TB>
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))) void
multiplyAvx512(const Problem &p, const TA *a, const TB *b, Acc *c,
               const int64_t *rowC, const int64_t *columnC) {
  multiply<Avx512>(p, a, b, c, rowC, columnC);
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

/// Sets `first` and `second` to the offsets of all points of `loops`, first loop
/// outermost.
void flatten(const std::vector<ContractionLoop> &loops,
             int64_t ContractionLoop::*strideFirst,
             int64_t ContractionLoop::*strideSecond,
             std::vector<int64_t> &first, std::vector<int64_t> &second) {
  first.assign(1, 0);
  second.assign(1, 0);
  for (const ContractionLoop &loop : loops) {
    std::vector<int64_t> nextFirst, nextSecond;
    nextFirst.reserve(first.size() * loop.extent);
    nextSecond.reserve(first.size() * loop.extent);
    for (size_t i = 0; i < first.size(); ++i)
      for (int64_t x = 0; x < loop.extent; ++x) {
        nextFirst.push_back(first[i] + x * loop.*strideFirst);
        nextSecond.push_back(second[i] + x * loop.*strideSecond);
      }
    first = std::move(nextFirst);
    second = std::move(nextSecond);
  }
}

/// The loops by the operands that move with them.
struct LoopGroups {
  std::vector<ContractionLoop> batch, rows, columns, depth;
};

/// Orders `loops` from the largest to the smallest step; equal ones stay.
template <typename StepFn>
void sortByStep(std::vector<ContractionLoop> &loops, StepFn step) {
  for (size_t i = 1; i < loops.size(); ++i)
    for (size_t j = i; j > 0 && step(loops[j]) > step(loops[j - 1]); --j)
      std::swap(loops[j], loops[j - 1]);
}

/// Groups `loops`, ordered so that steps shrink inwards. Returns true if A and B
/// were exchanged so that the columns are contiguous in C.
bool groupLoops(const ContractionLoop *loops, int64_t numLoops,
                LoopGroups &groups) {
  for (int64_t i = 0; i < numLoops; ++i) {
    const ContractionLoop &loop = loops[i];
    if (!loop.strideC)
      groups.depth.push_back(loop);
    else if (loop.strideA && loop.strideB)
      groups.batch.push_back(loop);
    else if (loop.strideB)
      groups.columns.push_back(loop);
    else
      groups.rows.push_back(loop);
  }
  auto stepOfC = [](const ContractionLoop &loop) {
    return std::abs(loop.strideC);
  };
  sortByStep(groups.rows, stepOfC);
  sortByStep(groups.columns, stepOfC);
  sortByStep(groups.depth, [](const ContractionLoop &loop) {
    return std::abs(loop.strideA) + std::abs(loop.strideB);
  });
  auto size = [](const std::vector<ContractionLoop> &group) {
    int64_t product = 1;
    for (const ContractionLoop &loop : group)
      product *= loop.extent;
    return product;
  };
  auto innerStep = [](const std::vector<ContractionLoop> &group) {
    return group.empty() ? 0 : group.back().strideC;
  };
  bool exchange =
      innerStep(groups.columns) != 1 &&
      (innerStep(groups.rows) == 1 || size(groups.rows) > size(groups.columns));
  if (!exchange)
    return false;
  std::swap(groups.rows, groups.columns);
  for (auto *group :
       {&groups.batch, &groups.rows, &groups.columns, &groups.depth})
    for (ContractionLoop &loop : *group)
      std::swap(loop.strideA, loop.strideB);
  return true;
}

/// Calls `body` with the operands' offsets at every point of `batch`.
template <typename BodyFn>
void forEachBatch(const std::vector<ContractionLoop> &batch, size_t depth,
                  int64_t a, int64_t b, int64_t c, BodyFn &&body) {
  if (depth == batch.size())
    return body(a, b, c);
  const ContractionLoop &loop = batch[depth];
  for (int64_t i = 0; i < loop.extent; ++i)
    forEachBatch(batch, depth + 1, a + i * loop.strideA, b + i * loop.strideB,
                 c + i * loop.strideC, body);
}

template <typename Acc, typename TA, typename TB>
void run(const LoopGroups &groups, ElementType typeC, const TA *a, const TB *b,
         void *c, ContractionIsa isa) {
  Problem p;
  flatten(groups.rows, &ContractionLoop::strideA, &ContractionLoop::strideC,
          p.rowA, p.rowC);
  flatten(groups.columns, &ContractionLoop::strideB, &ContractionLoop::strideC,
          p.columnB, p.columnC);
  flatten(groups.depth, &ContractionLoop::strideA, &ContractionLoop::strideB,
          p.depthA, p.depthB);
  auto multiplyFn = chooseMultiply<Acc, TA, TB>(isa);
  bool narrow = typeC == ElementType::F16 || typeC == ElementType::BF16;
  if (!narrow) {
    forEachBatch(groups.batch, 0, 0, 0, 0,
                 [&](int64_t offsetA, int64_t offsetB, int64_t offsetC) {
                   multiplyFn(p, a + offsetA, b + offsetB,
                              static_cast<Acc *>(c) + offsetC, p.rowC.data(),
                              p.columnC.data());
                 });
    return;
  }
  if constexpr (std::is_same_v<Acc, float>) {
    int64_t m = p.rowC.size(), n = p.columnC.size();
    std::vector<int64_t> wideRow(m), wideColumn(n);
    for (int64_t i = 0; i < m; ++i)
      wideRow[i] = i * n;
    for (int64_t j = 0; j < n; ++j)
      wideColumn[j] = j;
    float *wide = scratch<float>(2, m * n);
    forEachBatch(groups.batch, 0, 0, 0, 0,
                 [&](int64_t offsetA, int64_t offsetB, int64_t offsetC) {
                   uint16_t *narrowC = static_cast<uint16_t *>(c) + offsetC;
                   bool isHalf = typeC == ElementType::F16;
                   for (int64_t i = 0; i < m; ++i)
                     for (int64_t j = 0; j < n; ++j) {
                       uint16_t bits = narrowC[p.rowC[i] + p.columnC[j]];
                       wide[i * n + j] =
                           isHalf ? halfToFloat(bits) : bfloatToFloat(bits);
                     }
                   multiplyFn(p, a + offsetA, b + offsetB, wide, wideRow.data(),
                              wideColumn.data());
                   for (int64_t i = 0; i < m; ++i)
                     for (int64_t j = 0; j < n; ++j) {
                       float value = wide[i * n + j];
                       narrowC[p.rowC[i] + p.columnC[j]] =
                           isHalf ? floatToHalf(value) : floatToBfloat(value);
                     }
                 });
  }
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
