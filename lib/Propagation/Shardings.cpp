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
  StateId id =
      1 + index.intern(llvm::hash_combine_range(lists), [&](StateId known) {
        return this->lists(known + 1) == lists;
      });
  if (id == entries.size()) {
    entries.push_back({uint32_t(dims.size()), uint32_t(lists.size()), mask});
    dims.insert(dims.end(), lists.begin(), lists.end());
  }
  return id;
}

void Constraint::hideBehind(int32_t round) {
  hidden = 0;
  for (auto [dim, priority] : llvm::enumerate(priorities))
    if (dim < kMaxDims && priority > round)
      hidden |= uint64_t(1) << dim;
  if (!hidden)
    priorities.clear();
}

} // namespace shard::propagation
