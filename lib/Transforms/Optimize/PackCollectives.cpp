//===- PackCollectives.cpp - Pass shard-pack-collectives ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/Packing.h"
#include "shard/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDPACKCOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

/// all_reduces that may be one, and where they would stand.
struct Batch {
  SmallVector<AllReduceOp> ops;
  /// The number of the last op of the block that an input comes from, and of the first
  /// one that takes a result.
  int64_t lastInput = -1, firstUse = INT64_MAX;
};

/// An all_reduce may join one of so many batches, the latest of its kind.
constexpr size_t kMaxOpen = 16;

class Packer {
public:
  void run(mlir::Block &block) {
    numbers.clear();
    ops.clear();
    for (Operation &op : block) {
      numbers[&op] = int64_t(ops.size());
      ops.push_back(&op);
    }
    // Grid, axes, reduction, type of elements.
    using Key = std::tuple<Attribute, Attribute, int64_t, Type>;
    llvm::MapVector<Key, std::vector<Batch>, std::map<Key, unsigned, KeyLess>>
        batches;
    for (auto op : block.getOps<AllReduceOp>()) {
      auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
      if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
          !op.getCombiner().empty() || op.getInput().getType() != type ||
          type.getEncoding() || op.getResult().use_empty())
        continue;
      Key key(op.getGridAttr(), op.getGridAxesAttr(),
              int64_t(op.getReduction()), type.getElementType());
      add(batches[key], op);
    }
    for (auto &[key, list] : batches)
      for (Batch &batch : list)
        if (batch.ops.size() > 1 && saves(batch))
          pack(batch);
    // They have marked places until here.
    for (AllReduceOp op : dead)
      op->erase();
    dead.clear();
  }

private:
  /// Any order will do: MapVector keeps that of insertion.
  struct KeyLess {
    template <typename Key>
    bool operator()(const Key &a, const Key &b) const {
      auto pointers = [](const Key &key) {
        return std::make_tuple(std::get<0>(key).getAsOpaquePointer(),
                               std::get<1>(key).getAsOpaquePointer(),
                               std::get<2>(key),
                               std::get<3>(key).getAsOpaquePointer());
      };
      return pointers(a) < pointers(b);
    }
  };

  void add(std::vector<Batch> &list, AllReduceOp op) {
    mlir::Block *block = op->getBlock();
    Operation *source = op.getInput().getDefiningOp();
    int64_t input =
        source && source->getBlock() == block ? numbers[source] : -1;
    int64_t use = INT64_MAX;
    for (Operation *user : op.getResult().getUsers())
      if (Operation *here = block->findAncestorOpInBlock(*user))
        use = std::min(use, numbers[here]);
    // Not all of many, so that the work stays linear.
    size_t tried = std::min(list.size(), kMaxOpen);
    for (Batch &batch : llvm::drop_begin(list, list.size() - tried))
      if (std::max(batch.lastInput, input) < std::min(batch.firstUse, use) &&
          !llvm::is_contained(batch.ops, source)) {
        batch.ops.push_back(op);
        batch.lastInput = std::max(batch.lastInput, input);
        batch.firstUse = std::min(batch.firstUse, use);
        return;
      }
    list.push_back({{op}, input, use});
  }

  /// Whether one collective and the copies take less time than the collectives.
  bool saves(const Batch &batch) {
    AllReduceOp first = batch.ops.front();
    GridOp grid = getGrid(first, first.getGridAttr(), symbols);
    FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
    if (failed(sizes))
      return false;
    AxisList axes(first.getGridAxes().begin(), first.getGridAxes().end());
    int64_t devices = sizes->groupSize(axes);
    std::unique_ptr<CostModel> costs = linkCosts(grid);
    auto cost = [&](double bytes) {
      double sent = bytesSent(Collective::AllReduce, devices, bytes);
      return sent > 0 ? costs->cost(Collective::AllReduce, axes, sent) : 0;
    };
    double apart = 0, total = 0;
    for (AllReduceOp op : batch.ops) {
      std::optional<int64_t> bytes = bytesOfType(op.getResult().getType());
      if (!bytes)
        return false;
      apart += cost(double(*bytes));
      total += double(*bytes);
    }
    // Each element is read and written, before and after.
    double copies = 4 * total / machineOf(grid).memoryBandwidth;
    return cost(total) + copies < apart;
  }

  /// Whether all inputs still stand in front of `user`, and no use does: what was
  /// packed before has moved.
  static bool fitsBefore(Operation *user, const Batch &batch) {
    mlir::Block *block = user->getBlock();
    return llvm::all_of(batch.ops, [&](AllReduceOp op) {
      Operation *source = op.getInput().getDefiningOp();
      return (!source || source->getBlock() != block ||
              source->isBeforeInBlock(user)) &&
             llvm::none_of(op.getResult().getUsers(), [&](Operation *other) {
               Operation *here = block->findAncestorOpInBlock(*other);
               return here && here->isBeforeInBlock(user);
             });
    });
  }

  /// Packs `batch`, unless that does not fit any more.
  void pack(Batch &batch) {
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    SmallVector<Location> places;
    for (AllReduceOp op : batch.ops) {
      inputs.push_back(op.getInput());
      types.push_back(op.getResult().getType());
      places.push_back(op.getLoc());
    }
    AllReduceOp first = batch.ops.front();
    OpBuilder builder(first);
    // Packed ones stand in front of the first use of a result.
    Operation *user = batch.firstUse < int64_t(ops.size())
                          ? ops[size_t(batch.firstUse)]
                          : ops.back();
    if (!fitsBefore(user, batch))
      return;
    builder.setInsertionPoint(user);
    Location loc = builder.getFusedLoc(places);
    Value packed = packTensors(builder, loc, inputs);
    Value reduced = AllReduceOp::create(builder, loc, packed.getType(), packed,
                                        first.getGrid(), first.getGridAxes(),
                                        first.getReduction());
    SmallVector<Value> results = unpackTensors(builder, loc, reduced, types);
    for (auto [op, result] : llvm::zip(batch.ops, results)) {
      op.getResult().replaceAllUsesWith(result);
      dead.push_back(op);
    }
  }

  SymbolTableCollection symbols;
  /// The ops of the block in their order, and the place of each.
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, int64_t> numbers;
  SmallVector<AllReduceOp> dead;
};

struct ShardPackCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardPackCollectivesBase<ShardPackCollectivesPass>> {
  void runOnOperation() override {
    getOperation()->walk([&](mlir::Block *block) { Packer().run(*block); });
  }
};

} // namespace

} // namespace shard
