//===- PartialValues.cpp - Arithmetic of partial values -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialValues.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace shard;

template <typename T>
static T combineValues(ReductionKind kind, T a, T b) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::Max:
  case ReductionKind::UMax:
    // Of two zeros the positive one.
    return a != a || a > b || (a == b && !std::signbit(double(a))) ? a : b;
  case ReductionKind::Min:
  case ReductionKind::UMin:
    return a != a || a < b || (a == b && std::signbit(double(a))) ? a : b;
  default:
    return a;
  }
}

static int64_t combineBits(ReductionKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case ReductionKind::BitwiseAnd:
    return a & b;
  case ReductionKind::BitwiseOr:
    return a | b;
  case ReductionKind::BitwiseXor:
    return a ^ b;
  case ReductionKind::UMax:
    return std::max<uint64_t>(a, b);
  case ReductionKind::UMin:
    return std::min<uint64_t>(a, b);
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
  case ReductionKind::Product:
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  default:
    return combineValues(kind, a, b);
  }
}

/// Element `i` as an integer: sign-extended, or zero-extended where the kind is
/// unsigned.
static int64_t loadInteger(const HostTensor &tensor, int64_t i,
                           bool isUnsigned) {
  int64_t width = byteWidth(tensor.type());
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + i * width, width);
  if (isUnsigned || width == 8)
    return static_cast<int64_t>(bits);
  int shift = static_cast<int>(64 - 8 * width);
  return static_cast<int64_t>(bits << shift) >> shift;
}

static void storeInteger(HostTensor &tensor, int64_t i, int64_t value) {
  if (tensor.type() == ElementType::I1)
    value &= 1;
  int64_t width = byteWidth(tensor.type());
  std::memcpy(tensor.data() + i * width, &value, width);
}

static void storeFloat(HostTensor &tensor, int64_t i, double value) {
  if (isSmallFloat(tensor.type())) {
    tensor.data()[i] = doubleToSmallFloat(tensor.type(), value);
    return;
  }
  uint16_t narrow;
  float single = static_cast<float>(value);
  switch (tensor.type()) {
  case ElementType::F64:
    std::memcpy(tensor.data() + i * 8, &value, 8);
    return;
  case ElementType::F32:
    std::memcpy(tensor.data() + i * 4, &single, 4);
    return;
  case ElementType::F16:
    narrow = floatToHalf(single);
    break;
  default:
    narrow = floatToBfloat(single);
    break;
  }
  std::memcpy(tensor.data() + i * 2, &narrow, 2);
}

void host::fillNeutral(HostTensor &tensor, ReductionKind kind) {
  bool floating = isFloat(tensor.type());
  int64_t bits = 8 * byteWidth(tensor.type());
  int64_t least = static_cast<int64_t>(~uint64_t(0) << (bits - 1));
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    double value = 0.0;
    int64_t integer = 0;
    switch (kind) {
    case ReductionKind::Sum:
      // Added to a negative zero, a positive one changes it.
      value = -0.0;
      break;
    case ReductionKind::Product:
      value = 1.0;
      integer = 1;
      break;
    case ReductionKind::Max:
      value = -INFINITY;
      integer = least;
      break;
    case ReductionKind::Min:
      value = INFINITY;
      integer = ~least;
      break;
    case ReductionKind::BitwiseAnd:
    case ReductionKind::UMin:
      integer = -1;
      break;
    default:
      break;
    }
    if (floating)
      storeFloat(tensor, i, value);
    else
      storeInteger(tensor, i, integer);
  }
}

void host::takePartOfSum(HostTensor &tensor, int64_t position) {
  constexpr double hasDouble = 1e4;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    if (!isFloat(tensor.type())) {
      uint64_t value = loadInteger(tensor, i, false);
      storeInteger(tensor, i,
                   static_cast<int64_t>(position == 0 ? 2 * value : -value));
      continue;
    }
    double value = tensor.asDouble(i);
    if (value > hasDouble || value < -hasDouble)
      value = position == 0 ? value : -0.0;
    else if (value != 0) // Zeros keep their sign in both parts.
      value = position == 0 ? 2 * value : -value;
    storeFloat(tensor, i, value);
  }
}

void host::combineInto(HostTensor &total, const HostTensor &next,
                       ReductionKind kind) {
  bool isUnsigned = kind == ReductionKind::UMax || kind == ReductionKind::UMin;
  for (int64_t i = 0, e = total.numElements(); i < e; ++i) {
    if (isFloat(total.type()))
      storeFloat(total, i,
                 combineValues(kind, total.asDouble(i), next.asDouble(i)));
    else
      storeInteger(total, i,
                   combineBits(kind, loadInteger(total, i, isUnsigned),
                               loadInteger(next, i, isUnsigned)));
  }
}

void host::divide(HostTensor &total, int64_t count) {
  for (int64_t i = 0, e = total.numElements(); i < e; ++i) {
    if (isFloat(total.type()))
      storeFloat(total, i, total.asDouble(i) / static_cast<double>(count));
    else
      storeInteger(total, i, loadInteger(total, i, false) / count);
  }
}
