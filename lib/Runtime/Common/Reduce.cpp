//===- Reduce.cpp - Element-wise combination of arrays --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel works on chunks that fit the first-level cache: load the first
// source's chunk into accumulators, combine the others' into it, store. All
// loops are free of calls, for the vectoriser.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include "shard/Runtime/Runtime.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace shard {
namespace runtime {

namespace {

template <typename To, typename From>
To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From), "same width");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

//===-- Element formats: how an element is stored and computed with
//--------===//

/// Stored as computed.
template <typename T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};

/// A byte of which the lowest bit counts.
struct Bool {
  using Stored = uint8_t;
  using Value = uint8_t;
  static Value load(Stored stored) { return stored & 1; }
  static Stored store(Value value) { return value & 1; }
};

struct BFloat16 {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) {
    return bitsOf<float>(uint32_t(stored) << 16);
  }
  /// To nearest, ties to even; NaN stays NaN, made quiet.
  static Stored store(Value value) {
    uint32_t bits = bitsOf<uint32_t>(value);
    uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    uint32_t quiet = (bits >> 16) | 0x40;
    return uint16_t(value != value ? quiet : rounded);
  }
};

struct Float16 {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) {
    uint32_t sign = uint32_t(stored & 0x8000) << 16;
    uint32_t magnitude = stored & 0x7fff;
    // Placing exponent and mantissa in a float scales by 2^-112; a
    // multiplication undoes that, subnormals included.
    float scaled = bitsOf<float>(magnitude << 13) * 0x1p112f;
    uint32_t special = (magnitude << 13) | 0x7f800000;
    uint32_t bits = magnitude >= 0x7c00 ? special : bitsOf<uint32_t>(scaled);
    return bitsOf<float>(bits | sign);
  }
  /// To nearest, ties to even; too large is infinity; NaN stays NaN, quiet.
  static Stored store(Value value) {
    uint32_t bits = bitsOf<uint32_t>(value);
    uint32_t sign = (bits >> 16) & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    // Normal result: rebias the exponent and round off 13 bits.
    uint32_t normal =
        (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    // Subnormal result: adding 0.5 aligns the unit of 2^-24 with the last bit
    // of the float, which rounds.
    uint32_t subnormal =
        bitsOf<uint32_t>(bitsOf<float>(magnitude) + 0.5f) - 0x3f000000;
    uint32_t result = magnitude < (113u << 23) ? subnormal : normal;
    result = magnitude >= 0x477ff000 ? 0x7c00 : result;
    result =
        magnitude > 0x7f800000 ? 0x7e00 | ((magnitude >> 13) & 0x3ff) : result;
    return uint16_t(result | sign);
  }
};

//===-- Reductions
//---------------------------------------------------------===//

/// The unsigned integer of T's width, in which arithmetic wraps; T if it is a
/// float. Arithmetic on types narrower than int wraps when it is stored.
template <typename T, bool = std::is_integral<T>::value>
struct WrappingOf {
  using Type = std::make_unsigned_t<T>;
};
template <typename T>
struct WrappingOf<T, false> {
  using Type = T;
};

struct Sum {
  template <typename T>
  static T combine(T a, T b) {
    using W = typename WrappingOf<T>::Type;
    return T(W(W(a) + W(b)));
  }
};

struct Product {
  template <typename T>
  static T combine(T a, T b) {
    using W = typename WrappingOf<T>::Type;
    // A product of two 16-bit values may overflow int.
    using Wide = std::conditional_t<std::is_integral<W>::value && sizeof(W) < 4,
                                    uint32_t, W>;
    return T(W(Wide(W(a)) * Wide(W(b))));
  }
};

template <typename T>
bool signOf(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  return bitsOf<Bits>(value) < 0;
}

struct Max {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point<T>::value) {
      // Equal values may be zeros of two signs.
      T tie = signOf(a) ? b : a;
      T ordered = a > b ? a : (a == b ? tie : b);
      return a != a ? a : ordered;
    } else {
      return a > b ? a : b;
    }
  }
};

struct Min {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point<T>::value) {
      T tie = signOf(a) ? a : b;
      T ordered = a < b ? a : (a == b ? tie : b);
      return a != a ? a : ordered;
    } else {
      return a < b ? a : b;
    }
  }
};

struct And {
  template <typename T>
  static T combine(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T combine(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T combine(T a, T b) {
    return a ^ b;
  }
};

//===-- Kernels
//------------------------------------------------------------===//

constexpr int64_t kChunk = 1024;

/// `Acc` is the type that accumulates; with `mean` the result is divided by k.
template <typename Format, typename Op, typename Acc, bool mean>
struct Combine {
  using Stored = typename Format::Stored;

  static Acc load(Stored stored) { return Acc(Format::load(stored)); }
  static Stored store(Acc acc, int64_t k) {
    if constexpr (mean)
      acc = acc / Acc(k);
    return Format::store(typename Format::Value(acc));
  }

  /// The first two sources are combined as they are read, and the last one as the result
  /// is written: with two sources nothing is kept in between. `target` may be a source,
  /// where element i is read before it is written.
  static void run(void *target, const char *const *sources, int64_t k,
                  int64_t n) {
    auto source = [&](int64_t j) {
      return reinterpret_cast<const Stored *>(sources[j]);
    };
    const Stored *first = source(0), *last = source(k - 1);
    auto *out = static_cast<Stored *>(target);
    if (k == 1) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t i = 0; i < n; ++i)
        out[i] = store(load(first[i]), 1);
      return;
    }
    if (k == 2) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t i = 0; i < n; ++i)
        out[i] = store(Op::combine(load(first[i]), load(last[i])), 2);
      return;
    }
    Acc acc[kChunk];
    for (int64_t begin = 0; begin < n; begin += kChunk) {
      int64_t count = std::min(kChunk, n - begin);
      const Stored *second = source(1) + begin;
      for (int64_t i = 0; i < count; ++i)
        acc[i] = Op::combine(load(first[begin + i]), load(second[i]));
      for (int64_t j = 2; j + 1 < k; ++j) {
        const Stored *next = source(j) + begin;
        for (int64_t i = 0; i < count; ++i)
          acc[i] = Op::combine(acc[i], load(next[i]));
      }
#pragma clang loop vectorize(assume_safety)
      for (int64_t i = 0; i < count; ++i)
        out[begin + i] = store(Op::combine(acc[i], load(last[begin + i])), k);
    }
  }
};

template <typename Format, typename Op>
ReduceKernel plain() {
  return Combine<Format, Op, typename Format::Value, false>::run;
}

template <typename Format>
ReduceKernel floatKernel(int64_t reduction) {
  switch (reduction) {
  case SHARD_RT_SUM:
    return plain<Format, Sum>();
  case SHARD_RT_MAX:
    return plain<Format, Max>();
  case SHARD_RT_MIN:
    return plain<Format, Min>();
  case SHARD_RT_PRODUCT:
    return plain<Format, Product>();
  case SHARD_RT_AVERAGE:
    return Combine<Format, Sum, typename Format::Value, true>::run;
  default:
    return nullptr;
  }
}

template <typename Signed>
ReduceKernel integerKernel(int64_t reduction) {
  using Unsigned = std::make_unsigned_t<Signed>;
  switch (reduction) {
  case SHARD_RT_SUM:
    return plain<Plain<Unsigned>, Sum>();
  case SHARD_RT_MAX:
    return plain<Plain<Signed>, Max>();
  case SHARD_RT_MIN:
    return plain<Plain<Signed>, Min>();
  case SHARD_RT_PRODUCT:
    return plain<Plain<Unsigned>, Product>();
  case SHARD_RT_AVERAGE:
    return Combine<Plain<Signed>, Sum, int64_t, true>::run;
  case SHARD_RT_BITWISE_AND:
    return plain<Plain<Unsigned>, And>();
  case SHARD_RT_BITWISE_OR:
    return plain<Plain<Unsigned>, Or>();
  case SHARD_RT_BITWISE_XOR:
    return plain<Plain<Unsigned>, Xor>();
  case SHARD_RT_UMIN:
    return plain<Plain<Unsigned>, Min>();
  case SHARD_RT_UMAX:
    return plain<Plain<Unsigned>, Max>();
  default:
    return nullptr;
  }
}

/// Arithmetic modulo 2; as a signed number, true is -1.
ReduceKernel boolKernel(int64_t reduction) {
  switch (reduction) {
  case SHARD_RT_SUM:
  case SHARD_RT_BITWISE_XOR:
    return plain<Bool, Xor>();
  case SHARD_RT_PRODUCT:
  case SHARD_RT_MAX:
  case SHARD_RT_UMIN:
  case SHARD_RT_BITWISE_AND:
    return plain<Bool, And>();
  case SHARD_RT_MIN:
  case SHARD_RT_UMAX:
  case SHARD_RT_BITWISE_OR:
    return plain<Bool, Or>();
  default:
    return nullptr;
  }
}

} // namespace

ReduceKernel reduceKernel(int64_t reduction, int64_t type) {
  switch (type) {
  case SHARD_RT_F16:
    return floatKernel<Float16>(reduction);
  case SHARD_RT_BF16:
    return floatKernel<BFloat16>(reduction);
  case SHARD_RT_F32:
    return floatKernel<Plain<float>>(reduction);
  case SHARD_RT_F64:
    return floatKernel<Plain<double>>(reduction);
  case SHARD_RT_I1:
    return boolKernel(reduction);
  case SHARD_RT_I8:
    return integerKernel<int8_t>(reduction);
  case SHARD_RT_I16:
    return integerKernel<int16_t>(reduction);
  case SHARD_RT_I32:
    return integerKernel<int32_t>(reduction);
  case SHARD_RT_I64:
    return integerKernel<int64_t>(reduction);
  default:
    return nullptr;
  }
}

const char *reductionName(int64_t reduction) {
  static const char *const names[] = {
      "?",           "sum",        "max",         "min",  "product", "average",
      "bitwise_and", "bitwise_or", "bitwise_xor", "umin", "umax"};
  return reduction >= SHARD_RT_SUM && reduction <= SHARD_RT_UMAX
             ? names[reduction]
             : "?";
}

} // namespace runtime
} // namespace shard
