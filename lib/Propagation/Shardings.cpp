//===- Shardings.cpp - Interned shardings ---------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/Shardings.h"

namespace shard::propagation {

StateId Shardings::intern(llvm::ArrayRef<ListId> lists, AtomMask mask) {
  if (mask == 0 && llvm::all_of(lists, [](ListId list) { return !list; }))
    return kUnsplit;
  // The two largest keys are DenseMap's own.
  uint64_t hash =
      uint64_t(llvm::hash_combine_range(lists.begin(), lists.end())) >> 1;
  StateId &slot = index[hash];
  for (StateId id = slot; id; id = older[id])
    if (this->lists(id) == lists)
      return id;
  StateId id = entries.size();
  entries.push_back({uint32_t(dims.size()), uint32_t(lists.size()), mask});
  dims.insert(dims.end(), lists.begin(), lists.end());
  older.push_back(slot);
  slot = id;
  return id;
}

} // namespace shard::propagation
