//===- LikeOps.cpp - Ops that have one loop table -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/LikeOps.h"

#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace shard {

/// Whether a model may look at what defines `operand`: offsets, sizes and the like.
static bool isPartOfSignature(Value operand) {
  return operand.getType().isIntOrIndex();
}

static llvm::hash_code hashOfOne(Operation *op) {
  return llvm::hash_combine(
      op->getName(), op->getNumOperands(), op->getNumResults(),
      op->getPropertiesStorageSize() ? op->hashProperties()
                                     : hash_value(op->getRawDictionaryAttrs()));
}

/// Whether `region` has `value`. The outermost region may belong to no op yet.
static bool isIn(Region &region, Value value) {
  Region *home = value.getParentRegion();
  while (home && home != &region)
    home = home->getParentOp() ? home->getParentRegion() : nullptr;
  return home;
}

static uint64_t hashOf(Operation *op) {
  llvm::hash_code hash = hashOfOne(op);
  for (Value operand : op->getOperands()) {
    hash = llvm::hash_combine(hash, operand.getType());
    if (isPartOfSignature(operand))
      hash = llvm::hash_combine(hash, operand.getAsOpaquePointer());
  }
  for (Type type : op->getResultTypes())
    hash = llvm::hash_combine(hash, type);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      hash = llvm::hash_combine(hash, hashOfOne(&inner));
      // Such values may be replaced while the op is known, which is then like no other one.
      // Hashes that differ spare the comparison with all of them.
      for (Value operand : inner.getOperands())
        if (!isIn(region, operand))
          hash = llvm::hash_combine(hash, op);
    }
  return hash;
}

static bool areAlike(Operation *a, Operation *b) {
  if (a->getName() != b->getName() ||
      a->getNumOperands() != b->getNumOperands() ||
      a->getNumResults() != b->getNumResults() ||
      a->getNumRegions() != b->getNumRegions())
    return false;
  for (auto [left, right] : llvm::zip_equal(a->getOperands(), b->getOperands()))
    if (left.getType() != right.getType() ||
        (isPartOfSignature(left) && left != right))
      return false;
  if (!llvm::equal(a->getResultTypes(), b->getResultTypes()))
    return false;
  if (a->getPropertiesStorageSize()) {
    if (!a->getName().compareOpProperties(a->getPropertiesStorage(),
                                          b->getPropertiesStorage()))
      return false;
  } else if (a->getRawDictionaryAttrs() != b->getRawDictionaryAttrs()) {
    return false;
  }
  for (auto [left, right] : llvm::zip_equal(a->getRegions(), b->getRegions()))
    if (!OperationEquivalence::isRegionEquivalentTo(
            &left, &right, OperationEquivalence::IgnoreLocations))
      return false;
  return true;
}

uint32_t LikeOps::numberOf(Operation *op) {
  auto model = dyn_cast<ShardingInterface>(op);
  Facts facts = model ? model.getFactsOfOperands() : Facts();
  uint64_t hash = llvm::hash_combine(
      hashOf(op), llvm::hash_combine_range(facts.begin(), facts.end()));
  uint32_t number = index.intern(hash, [&](uint32_t id) {
    return known[id].second == facts && areAlike(known[id].first, op);
  });
  if (number == known.size())
    known.emplace_back(op, std::move(facts));
  return number;
}

} // namespace shard
