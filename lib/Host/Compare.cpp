//===- Compare.cpp - Are two results the same? ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace shard;

/// The root mean square of the finite elements.
static double scaleOf(const HostTensor &tensor) {
  double sum = 0.0;
  int64_t count = 0;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    double value = tensor.asDouble(i);
    if (!std::isfinite(value))
      continue;
    sum += value * value;
    ++count;
  }
  return count ? std::sqrt(sum / static_cast<double>(count)) : 0.0;
}

static void note(Comparison &result, int64_t i, double expected,
                 double actual) {
  if (result.worst >= 0 && std::isnan(result.actual - result.expected))
    return;
  double error = std::fabs(expected - actual);
  bool worse = result.worst < 0 || std::isnan(error) ||
               error > std::fabs(result.expected - result.actual);
  if (!worse)
    return;
  result.worst = i;
  result.expected = expected;
  result.actual = actual;
}

Comparison shard::compareTensors(const HostTensor &expected,
                                 const HostTensor &actual,
                                 const ErrorModel &model, double moved) {
  Comparison result;
  if (expected.type() != actual.type() || expected.shape() != actual.shape()) {
    result.equal = false;
    result.mismatches = std::max(expected.numElements(), actual.numElements());
    return result;
  }
  if (isComplex(expected.type())) {
    result = compareTensors(partsOf(expected), partsOf(actual), model, moved);
    if (result.worst >= 0)
      result.worst /= 2;
    return result;
  }
  int64_t count = expected.numElements();
  int64_t width = byteWidth(expected.type());
  if (!isFloat(expected.type())) {
    for (int64_t i = 0; i < count; ++i) {
      if (!std::memcmp(expected.data() + i * width, actual.data() + i * width,
                       width))
        continue;
      ++result.mismatches;
      double x = expected.asDouble(i), y = actual.asDouble(i);
      double error = std::fabs(x - y);
      result.maxAbsolute = std::max(result.maxAbsolute, error);
      result.maxRelative =
          std::max(result.maxRelative,
                   error / std::max({std::fabs(x), std::fabs(y), 1.0}));
      note(result, i, x, y);
    }
    result.equal = result.mismatches == 0;
    return result;
  }

  double roundoff = std::max(model.roundoff, unitRoundoff(expected.type()));
  double sumRoundoff = std::min(roundoff, unitRoundoff(ElementType::F32));
  double steps = 4.0 * std::sqrt(static_cast<double>(model.chain));
  double relative =
      steps *
      (roundoff + std::sqrt(static_cast<double>(model.terms)) * sumRoundoff);
  result.scale = scaleOf(expected);
  result.tolerance = relative;
  result.moved = moved;
  for (int64_t i = 0; i < count; ++i) {
    double x = expected.asDouble(i), y = actual.asDouble(i);
    if (std::isnan(x) && std::isnan(y))
      ++result.nans;
    if (x == 0 && y == 0 && std::signbit(x) != std::signbit(y))
      ++result.otherZeros;
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double error = std::fabs(x - y);
    double magnitude = std::max(std::fabs(x), std::fabs(y));
    if (!std::isfinite(error)) {
      ++result.mismatches;
      result.maxAbsolute = result.maxRelative =
          std::numeric_limits<double>::infinity();
      note(result, i, x, y);
      continue;
    }
    result.maxAbsolute = std::max(result.maxAbsolute, error);
    double size = std::max(magnitude, result.scale);
    result.maxRelative = std::max(result.maxRelative, error / size);
    note(result, i, x, y);
    if (error > relative * size + steps * moved)
      ++result.mismatches;
  }
  result.equal = result.mismatches == 0;
  return result;
}
