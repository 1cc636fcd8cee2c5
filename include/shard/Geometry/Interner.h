//===- Interner.h - Equal values get equal numbers --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interning gives equal values one number, so that comparing them is comparing
// numbers. Numbers count from 0 in the order in which values come.
//
// Interner keeps the values itself. InternIndex only finds numbers; its user keeps
// the values, in whatever form is best:
//
//   uint32_t id = index.intern(hash, [&](uint32_t known) {
//     return values[known] == value;
//   });
//   if (id == values.size())
//     values.push_back(value);
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_INTERNER_H
#define SHARD_GEOMETRY_INTERNER_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace shard {

/// A hash table from hashes to numbers, with open addressing.
class InternIndex {
public:
  /// The number of the value with `hash` for which `isEqual(number)` holds; else
  /// the next number, which is the value's from now on. `isEqual` is asked about
  /// numbers of values with the same hash only.
  template <typename IsEqual>
  uint32_t intern(uint64_t hash, IsEqual isEqual) {
    if (2 * (hashes.size() + 1) > slots.size())
      grow();
    for (size_t at = slotOf(hash);; at = (at + 1) & (slots.size() - 1)) {
      uint32_t &slot = slots[at];
      if (slot == 0) {
        hashes.push_back(hash);
        slot = static_cast<uint32_t>(hashes.size());
        return slot - 1;
      }
      if (hashes[slot - 1] == hash && isEqual(slot - 1))
        return slot - 1;
    }
  }

  size_t size() const { return hashes.size(); }

private:
  /// The upper bits of a product depend on all bits of the hash.
  size_t slotOf(uint64_t hash) const {
    return static_cast<size_t>((hash * 0x9E3779B97F4A7C15u) >> 32) &
           (slots.size() - 1);
  }

  void grow() {
    slots.assign(slots.empty() ? 16 : 2 * slots.size(), 0);
    for (size_t number = 0; number < hashes.size(); ++number) {
      size_t at = slotOf(hashes[number]);
      while (slots[at] != 0)
        at = (at + 1) & (slots.size() - 1);
      slots[at] = static_cast<uint32_t>(number + 1);
    }
  }

  /// By number.
  std::vector<uint64_t> hashes;
  /// A number plus 1, or 0 for an empty slot; a power of two of them, at most half
  /// of them in use.
  std::vector<uint32_t> slots;
};

/// Mixes `word` into `hash`.
inline uint64_t mixHash(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// The hash of a list of integers: of its length and its entries.
template <typename Int>
uint64_t hashOf(const std::vector<Int> &list) {
  uint64_t hash = mixHash(0, list.size());
  for (Int word : list)
    hash = mixHash(hash, static_cast<uint64_t>(word));
  return hash;
}

/// Keeps distinct values of a type with operator== and an overload of hashOf.
template <typename T>
class Interner {
public:
  uint32_t intern(const T &value) {
    uint32_t number = index.intern(
        hashOf(value), [&](uint32_t known) { return values[known] == value; });
    if (number == values.size())
      values.push_back(value);
    return number;
  }

  /// Stays where it is as long as the interner lives.
  const T &operator[](uint32_t number) const { return values[number]; }
  size_t size() const { return values.size(); }

private:
  std::deque<T> values;
  InternIndex index;
};

} // namespace shard

#endif // SHARD_GEOMETRY_INTERNER_H
