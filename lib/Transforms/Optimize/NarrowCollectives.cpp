//===- NarrowCollectives.cpp - Collectives of what is read ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/NarrowCollectives.h"

#include "Optimize/OpForms.h"
#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/IR/ShardOps.h"
#include "shard/Partitioning/ReadParts.h"

using namespace mlir;

namespace shard {

/// Whether to send `share` of the elements takes so much less time that it pays for the copies.
static bool isFaster(const MovingCollective &collective, Operation *op,
                     double share) {
  double bytes =
      double(bytesOfType(cast<RankedTensorType>(op->getOperand(0).getType()))
                 .value_or(0));
  Collective kind = isa<AllGatherOp>(op)  ? Collective::AllGather
                    : isa<AllToAllOp>(op) ? Collective::AllToAll
                    : isa<PermuteOp>(op)  ? Collective::Permute
                                          : Collective::Shift;
  Machine machine = machineOf(collective.gridOp);
  LinkCostModel links = linkSeconds(collective.gridOp, machine);
  auto seconds = [&](double bytes) {
    return links.cost(kind, collective.axes,
                      bytesSent(kind, collective.groupSize, bytes));
  };
  return seconds(share * bytes) + 2 * share * bytes / machine.memoryBandwidth <
         seconds(bytes);
}

static bool narrow(Operation *op, SymbolTableCollection &symbols) {
  std::optional<MovingCollective> collective =
      MovingCollective::of(op, symbols);
  if (!collective)
    return false;
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  MovedDims dims = MovingCollective::dimsOf(op);
  llvm::SmallBitVector whole(type.getRank());
  for (int64_t dim : {dims.joined, dims.cut})
    if (dim >= 0)
      whole.set(dim);
  std::optional<ReadPart> part;
  if (!result.use_empty())
    part = readPartOf(result, whole);
  if (!part || part->numElements() == 0 ||
      part->numElements() == type.getNumElements() ||
      !isFaster(*collective, op,
                double(part->numElements()) / double(type.getNumElements())))
    return false;
  OpBuilder builder(op);
  Value taken =
      takePart(builder, op->getLoc(), op->getOperand(0), *part, whole);
  readTaken(result, *part, collective->apply(builder, taken, dims));
  op->erase();
  return true;
}

bool narrowCollectives(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<AllGatherOp, AllToAllOp, PermuteOp, ShiftOp>(op))
      ops.push_back(op);
  });
  SymbolTableCollection symbols;
  bool changed = false;
  for (Operation *op : ops)
    changed |= narrow(op, symbols);
  return changed;
}

} // namespace shard
