//===- Compare.h - Are two results the same? --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers must agree bit for bit. Floats agree within a tolerance that follows
// from the program, not from what passes:
//
//   |x - y| <= 4 * sqrt(chain) * (u + sqrt(terms) * a) * max(|x|, |y|, scale)
//
//  u      the unit roundoff of the coarsest float type that the program
//         computes in, but at least that of the result's type: 2^-53 for f64,
//         2^-24 for f32, 2^-11 for f16, 2^-8 for bf16;
//  a      that of the sums: f16 and bf16 are summed in f32 (Compile.h);
//  terms  the longest reduction of the program: the rounding errors of a sum of
//         n terms grow like a random walk, to sqrt(n) * a, and reordering a sum
//         moves it by no more;
//  chain  the number of rounding ops on the longest path through the program,
//         whose errors add up in the same way;
//  4      how far the worst of many elements may lie from the walk's spread;
//  scale  the root mean square of all finite elements of the result: an element
//         that is a sum of terms of both signs may come out much smaller than
//         what was rounded to get there.
//
// Source: Higham and Mary, "A New Approach to Probabilistic Rounding Error
// Analysis", 2019: the bound lambda * sqrt(n) * u holds but for a probability of
// about 2 exp(-lambda^2 / 2).
//
// NaN agrees with NaN alone, and an infinity with the same infinity.
//
// A program that magnifies errors (a division by what cancels, a comparison that
// flips) may exceed the bound and still be right. Where it does, runs with the same program on
// one device tell how far the result moves if its inputs are rounded otherwise, each by a unit in
// the last place, and what moves may differ by
//
//   4 * sqrt(chain) * moved
//
// more, the root mean square of these movements. A result that is nothing but rounding errors,
// such as a gradient that is zero, is compared with their size. It proves little, as NaN does.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_HOST_COMPARE_H
#define SHARD_HOST_COMPARE_H

#include "shard/Host/HostTensor.h"

namespace shard {

/// What the tolerance of a program follows from.
struct ErrorModel {
  int64_t terms = 1;
  int64_t chain = 1;
  /// Of the coarsest type that the program computes in.
  double roundoff = 0.0;
};

struct Comparison {
  bool equal = true;
  /// Over all elements; relative to max(|x|, |y|, scale).
  double maxAbsolute = 0.0, maxRelative = 0.0;
  /// What maxRelative may be, `moved` left out; 0 for integers.
  double tolerance = 0.0;
  double scale = 0.0;
  /// How far rounding the inputs otherwise moves an element; 0 if that was not asked.
  double moved = 0.0;
  int64_t mismatches = 0;
  /// Elements that are NaN in both: equal, but they prove little.
  int64_t nans = 0;
  /// Elements that are zeros of different signs: equal, but not the same bits.
  int64_t otherZeros = 0;
  /// Row-major position of the worst element, and its two values.
  int64_t worst = -1;
  double expected = 0.0, actual = 0.0;
  /// Whether rounding the inputs moves elements about as far as they are from 0.
  bool provesLittle() const { return moved > 0.1 * scale; }
};

/// Compares `actual` with `expected`. Differing types or shapes are not equal.
Comparison compareTensors(const HostTensor &expected, const HostTensor &actual,
                          const ErrorModel &model, double moved = 0.0);

} // namespace shard

#endif // SHARD_HOST_COMPARE_H
