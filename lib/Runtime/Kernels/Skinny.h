//===- Skinny.h - Products of a large and a small matrix --------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product with few rows or few columns, a matrix-vector product among them, takes the time
// in which the large operand is read: it is not packed, but read once, in the order of the
// memory. There are two forms, by what is contiguous in the large operand:
//
// * its dimension of the result: rows of the large operand, times a number each, are added to
//   rows of sums;
// * the summed dimension: dot products, each of 64 bytes of partial sums.
//
// Where neither is, blocks of it are copied, and the first form takes them.
//
// Which terms are added to which partial sum, and in which order, follows from the number of
// terms alone. So it is the same on every processor and for every element.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_KERNELS_SKINNY_H
#define SHARD_LIB_RUNTIME_KERNELS_SKINNY_H

#include "LoopGroups.h"
#include "Packing.h"

namespace shard {

/// The product as the forms see it: sums over `depth` of few x many elements. The operand
/// with few is packed, [few][fewStep], with -0 behind the depth.
template <typename Acc, typename T>
struct SkinnyProduct {
  int64_t few, many, depth;
  const T *large;
  int64_t manyStep, depthStep;
  Acc *c;
  int64_t fewC, manyC;
  const Acc *small = nullptr;
  int64_t fewStep = 0;
};

/// Packs the small operand, which begins at `from`.
template <typename Acc, typename TF, typename TM>
void packFew(const TF *from, int64_t fewStep, int64_t depthStep,
             SkinnyProduct<Acc, TM> &p) {
  constexpr int64_t lanes = kLine / sizeof(Acc);
  p.fewStep = (p.depth + lanes - 1) / lanes * lanes;
  Acc *packed = scratch<Acc>(Scratch::Few, p.few * p.fewStep);
  for (int64_t r = 0; r < p.few; ++r) {
    Acc *row = packed + r * p.fewStep;
    for (int64_t x = 0; x < p.depth; ++x)
      row[x] = widen<Acc>(from[r * fewStep + x * depthStep]);
    std::fill(row + p.depth, row + p.fewStep, -Acc(0));
  }
  p.small = packed;
}

/// C += the product, of floats.
template <typename Acc, typename T>
void multiplySkinny(const SkinnyProduct<Acc, T> &p, ContractionIsa isa);

/// The most rows or columns that are few.
constexpr int64_t kFew = 16;

/// Whether the product is one of a large and a small matrix. `largeIsB` tells which is large.
inline bool isSkinny(const PlainProduct &p, bool &largeIsB) {
  largeIsB = p.m <= p.n;
  return std::min(p.m, p.n) <= kFew;
}

} // namespace shard

#endif // SHARD_LIB_RUNTIME_KERNELS_SKINNY_H
