//===- Random.h - Numbers that follow from a seed ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_RANDOM_H
#define SHARD_FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shard::fuzz {

/// The same numbers on every machine, from any seed, close seeds included: the state
/// begins at a scattered number, as each number is a step of the state, and the next seed
/// would give the same numbers but the first one.
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014 (SplitMix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) { state = next(); }

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % uint64_t(high - low + 1));
  }

  /// True in `percent` of 100 cases.
  bool chance(int64_t percent) { return between(0, 99) < percent; }

  template <typename T>
  const T &oneOf(const std::vector<T> &values) {
    return values[between(0, int64_t(values.size()) - 1)];
  }

  template <typename T>
  void shuffle(std::vector<T> &values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[between(0, int64_t(i) - 1)]);
  }

private:
  uint64_t state;
};

} // namespace shard::fuzz

#endif // SHARD_FUZZ_RANDOM_H
