//===- SearchNodes.h - The nodes of the reshard search ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RESHARDING_SEARCHNODES_H
#define SHARD_LIB_RESHARDING_SEARCHNODES_H

#include "SearchSpace.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace shard {
namespace detail {

struct Node {
  /// The canonical form of the state, by which the node is found, and the state
  /// itself.
  State key, state;
  double cost = std::numeric_limits<double>::infinity();
  double bound = 0, guess = 0;
  int32_t steps = 0;
  int32_t parent = -1;
  Move move;
  bool closed = false;
};

/// The nodes, found by the canonical forms of their states: open addressing over
/// indices.
class NodeTable {
public:
  NodeTable() : slots(1024) { nodes.reserve(400); }

  /// The index of the node of `key`, or -1.
  int32_t find(const State &key) const { return slots[slotOf(key)].node; }

  /// A new node for a key that has none.
  int32_t insert(const State &key) {
    if ((nodes.size() + 1) * 2 > slots.size())
      grow();
    auto index = static_cast<int32_t>(nodes.size());
    slots[slotOf(key)] = {index, tagOf(key)};
    nodes.emplace_back();
    nodes.back().key = key;
    return index;
  }

  /// A copy of a node that is found in its place; the old one remains as the
  /// parent of others.
  int32_t supersede(int32_t index) {
    slots[slotOf(nodes[index].key)].node = static_cast<int32_t>(nodes.size());
    nodes[index].closed = true;
    Node copy = nodes[index];
    nodes.push_back(copy);
    return static_cast<int32_t>(nodes.size()) - 1;
  }

  Node &operator[](int32_t index) { return nodes[index]; }
  void clear() {
    nodes.clear();
    std::fill(slots.begin(), slots.end(), Slot());
  }

private:
  /// A node, and bits of the hash of its key: most other keys differ in them, so that
  /// the node need not be looked at.
  struct Slot {
    int32_t node = -1;
    uint32_t tag = 0;
  };
  static uint32_t tagOf(const State &key) {
    return static_cast<uint32_t>(key.hash() >> 32);
  }

  /// The slot of the node of `key`, or the free one where it would be.
  size_t slotOf(const State &key) const {
    uint64_t hash = key.hash();
    auto tag = static_cast<uint32_t>(hash >> 32);
    size_t slot = hash & (slots.size() - 1);
    while (slots[slot].node >= 0 &&
           (slots[slot].tag != tag || !(nodes[slots[slot].node].key == key)))
      slot = (slot + 1) & (slots.size() - 1);
    return slot;
  }

  void grow() {
    slots.assign(slots.size() * 2, Slot());
    // Of nodes with one key the last one is found.
    for (size_t i = 0; i < nodes.size(); ++i)
      slots[slotOf(nodes[i].key)] = {static_cast<int32_t>(i),
                                     tagOf(nodes[i].key)};
  }

  std::vector<Node> nodes;
  std::vector<Slot> slots;
};

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_SEARCHNODES_H
