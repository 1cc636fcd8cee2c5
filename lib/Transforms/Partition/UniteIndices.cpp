//===- UniteIndices.cpp - Compute each index once ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reshard, and each window inside of a region, builds the indices that it needs for itself:
// the position of the device, where its block begins, and constants. (Windows outside of regions
// share them, see KnownIndices.) Equal ones of a block become one here, those that nothing uses are
// erased, and sums of one position and bounds that no device reaches become simpler. This is what
// CSE does, but for indices alone: other ops of the program stay as they are.
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "shard/Partitioning/IndexForms.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;

namespace shard {

namespace {

/// Ops are equal that compute the same from the same operands. Those that are compared have
/// indices as results and no regions.
struct SameOp : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *constant) {
    auto *op = const_cast<Operation *>(constant);
    llvm::hash_code hash = llvm::hash_combine(
        op->getName(), op->getNumResults(), op->hashProperties());
    for (Value operand : op->getOperands())
      hash = llvm::hash_combine(hash, operand);
    return hash;
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() ||
        b == getTombstoneKey() || b == getEmptyKey())
      return false;
    auto *one = const_cast<Operation *>(a), *other = const_cast<Operation *>(b);
    return one->getName() == other->getName() &&
           one->getNumResults() == other->getNumResults() &&
           one->getOperands() == other->getOperands() &&
           one->getDiscardableAttrDictionary() ==
               other->getDiscardableAttrDictionary() &&
           one->getName().compareOpProperties(one->getPropertiesStorage(),
                                              other->getPropertiesStorage());
  }
};

using Known = llvm::ScopedHashTable<Operation *, Operation *, SameOp>;

bool computesIndices(Operation &op) {
  return op.getNumRegions() == 0 && op.getNumResults() != 0 &&
         llvm::all_of(op.getResultTypes(), llvm::IsaPred<IndexType>) &&
         isMemoryEffectFree(&op);
}

/// Reads the ops of a body in order.
class IndexUniter {
public:
  explicit IndexUniter(ArrayRef<GridOp> grids) : forms(grids) {}

  void run(Region &body) {
    {
      Known known;
      unite(body, known);
    }
    for (Operation *op : llvm::reverse(kept))
      if (op->use_empty())
        op->erase();
  }

private:
  void unite(Region &region, Known &known) {
    for (mlir::Block &block : region) {
      // Blocks of a region need not dominate each other.
      Known::ScopeTy scope(known);
      for (Operation &op : llvm::make_early_inc_range(block)) {
        if (computesIndices(op)) {
          read(&op, known);
          continue;
        }
        Known own;
        bool isIsolated = op.hasTrait<OpTrait::IsIsolatedFromAbove>();
        for (Region &inner : op.getRegions())
          unite(inner, isIsolated ? own : known);
      }
    }
  }

  /// Keeps `op`, or puts something that is there or takes less in its place.
  void read(Operation *op, Known &known) {
    if (Operation *same = known.lookup(op)) {
      op->replaceAllUsesWith(same->getResults());
      op->erase();
      return;
    }
    auto put = [&](Operation *made) {
      if (Operation *same = known.lookup(made)) {
        made->erase();
        return same;
      }
      keep(made, known);
      return made;
    };
    if (Value simpler = forms.simplified(op, put)) {
      op->getResult(0).replaceAllUsesWith(simpler);
      op->erase();
      return;
    }
    keep(op, known);
  }

  void keep(Operation *op, Known &known) {
    known.insert(op, op);
    kept.push_back(op);
  }

  IndexForms forms;
  /// Users behind what they use.
  SmallVector<Operation *> kept;
};

} // namespace

void uniteIndices(Region &body, ArrayRef<GridOp> grids) {
  IndexUniter(grids).run(body);
}

} // namespace shard
