//===- UniteIndices.cpp - Compute each index once ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each window and each reshard builds the indices that it needs for itself: the position
// of the device, where its block begins, and constants. Equal ones of a block become
// one here, and those that nothing uses are erased. This is what CSE does, but for
// indices alone: ops of the program itself stay as they are.
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;

namespace shard {

namespace {

/// Ops are equal that compute the same from the same operands.
struct SameOp : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() ||
        b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(a), const_cast<Operation *>(b),
        OperationEquivalence::IgnoreLocations);
  }
};

using Known = llvm::ScopedHashTable<Operation *, Operation *, SameOp>;

bool computesIndices(Operation &op) {
  return op.getNumRegions() == 0 && op.getNumResults() != 0 &&
         llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>) &&
         isMemoryEffectFree(&op);
}

void unite(Region &region, Known &known, SmallVectorImpl<Operation *> &kept) {
  for (mlir::Block &block : region) {
    // Blocks of a region need not dominate each other.
    Known::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!computesIndices(op)) {
        Known own;
        bool isIsolated = op.hasTrait<OpTrait::IsIsolatedFromAbove>();
        for (Region &inner : op.getRegions())
          unite(inner, isIsolated ? own : known, kept);
        continue;
      }
      if (Operation *same = known.lookup(&op)) {
        op.replaceAllUsesWith(same->getResults());
        op.erase();
        continue;
      }
      known.insert(&op, &op);
      kept.push_back(&op);
    }
  }
}

} // namespace

void uniteIndices(Region &body) {
  SmallVector<Operation *> kept;
  {
    Known known;
    unite(body, known, kept);
  }
  for (Operation *op : llvm::reverse(kept))
    if (op->use_empty())
      op->erase();
}

} // namespace shard
