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

/// A collective that may be one with others.
struct Packable {
  Operation *op = nullptr;
  Collective kind = Collective::AllReduce;
  /// The blocks that lie one after another in the input and in the result, one for each
  /// device of the group or one in all.
  int64_t rowsBefore = 1, rowsAfter = 1;

  Value input() const { return op->getOperand(0); }
  Value result() const { return op->getResult(0); }
};

/// Collectives that may be one, and where it would stand.
struct Batch {
  SmallVector<Packable> list;
  /// The number of the last op of the block that an input comes from, and of the first
  /// one that takes a result.
  int64_t lastInput = -1, firstUse = INT64_MAX;

  bool has(Operation *op) const {
    return llvm::any_of(list,
                        [&](const Packable &each) { return each.op == op; });
  }
};

/// A collective may join one of so many batches, the latest of its kind.
constexpr size_t kMaxOpen = 16;

/// The attributes that name the dimension of a block.
constexpr llvm::StringLiteral kGatherAxis = "gather_axis",
                              kScatterAxis = "scatter_axis";

/// Whether blocks along `dim` lie one after another: it is the first dimension, but for
/// such of one element.
bool isOutermost(RankedTensorType type, int64_t dim) {
  return llvm::all_of(type.getShape().take_front(dim),
                      [](int64_t extent) { return extent == 1; });
}

class Packer {
public:
  /// Returns whether anything was packed.
  bool run(mlir::Block &block) {
    numbers.clear();
    ops.clear();
    for (Operation &op : block) {
      numbers[&op] = int64_t(ops.size());
      ops.push_back(&op);
    }
    // What two collectives have to agree in: their name, all attributes but the
    // dimension, the type of elements.
    using Key = std::tuple<const void *, Attribute, Type>;
    llvm::MapVector<Key, std::vector<Batch>, std::map<Key, unsigned, KeyLess>>
        batches;
    for (Operation *op : ops) {
      std::optional<Packable> packable = asPackable(op);
      if (!packable)
        continue;
      NamedAttrList attributes(op->getAttrs());
      attributes.erase(kGatherAxis);
      attributes.erase(kScatterAxis);
      Key key(op->getName().getAsOpaquePointer(),
              attributes.getDictionary(op->getContext()),
              getElementTypeOrSelf(op->getResult(0).getType()));
      add(batches[key], *packable);
    }
    for (auto &[key, list] : batches)
      for (Batch &batch : list)
        if (batch.list.size() > 1 && saves(batch))
          pack(batch);
    // They have marked places until here.
    bool changed = !dead.empty();
    for (Operation *op : dead)
      op->erase();
    dead.clear();
    return changed;
  }

private:
  /// What packing has to know of `op`; nothing if it cannot be packed.
  std::optional<Packable> asPackable(Operation *op) {
    std::optional<Packable> found = collectiveOf(op);
    if (!found || op->getNumOperands() != 1 || op->use_empty() ||
        !op->getDiscardableAttrs().empty())
      return std::nullopt;
    // A region combines: the op has no kind to pack by.
    if (op->getNumRegions() > 0 && !op->getRegion(0).empty())
      return std::nullopt;
    for (Value value : {found->input(), found->result()}) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
          type.getEncoding() ||
          type.getElementType() !=
              getElementTypeOrSelf(found->result().getType()))
        return std::nullopt;
    }
    return found;
  }

  std::optional<Packable> collectiveOf(Operation *op) {
    if (isa<AllReduceOp>(op))
      return Packable{op, Collective::AllReduce};
    if (isa<PermuteOp>(op))
      return Packable{op, Collective::Permute};
    if (isa<ShiftOp>(op))
      return Packable{op, Collective::Shift};
    if (isa<BroadcastOp>(op))
      return Packable{op, Collective::Broadcast};
    auto cut = [&](Value whole, Value block, const APInt &dim, int64_t &rows) {
      auto type = dyn_cast<RankedTensorType>(whole.getType());
      auto part = dyn_cast<RankedTensorType>(block.getType());
      int64_t at = dim.getSExtValue();
      std::optional<int64_t> devices = groupSizeOf(op);
      if (!type || !part || !devices || !type.hasStaticShape() ||
          !part.hasStaticShape() || !isOutermost(type, at) ||
          type.getDimSize(at) != part.getDimSize(at) * *devices)
        return false;
      rows = *devices;
      return true;
    };
    if (auto gather = dyn_cast<AllGatherOp>(op)) {
      Packable packable{op, Collective::AllGather};
      if (cut(gather.getResult(), gather.getInput(), gather.getGatherAxis(),
              packable.rowsAfter))
        return packable;
    }
    if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
      Packable packable{op, Collective::ReduceScatter};
      if (cut(scatter.getInput(), scatter.getResult(), scatter.getScatterAxis(),
              packable.rowsBefore))
        return packable;
    }
    return std::nullopt;
  }

  /// The axes over which `op` communicates.
  static AxisList axesOf(Operation *op) {
    AxisList axes;
    if (auto permute = dyn_cast<PermuteOp>(op)) {
      llvm::append_range(axes, permute.getFromAxes());
      for (GridAxis axis : permute.getToAxes())
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
      return axes;
    }
    llvm::append_range(
        axes, op->getAttrOfType<DenseI16ArrayAttr>("grid_axes").asArrayRef());
    return axes;
  }

  std::optional<int64_t> groupSizeOf(Operation *op) {
    GridOp grid = getGrid(op, symbols);
    FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
    if (failed(sizes))
      return std::nullopt;
    return sizes->groupSize(axesOf(op));
  }

  /// Any order will do: MapVector keeps that of insertion.
  struct KeyLess {
    template <typename Key>
    bool operator()(const Key &a, const Key &b) const {
      auto pointers = [](const Key &key) {
        return std::make_tuple(std::get<0>(key),
                               std::get<1>(key).getAsOpaquePointer(),
                               std::get<2>(key).getAsOpaquePointer());
      };
      return pointers(a) < pointers(b);
    }
  };

  void add(std::vector<Batch> &list, const Packable &packable) {
    mlir::Block *block = packable.op->getBlock();
    Operation *source = packable.input().getDefiningOp();
    int64_t input =
        source && source->getBlock() == block ? numbers[source] : -1;
    int64_t use = INT64_MAX;
    for (Operation *user : packable.result().getUsers())
      if (Operation *here = block->findAncestorOpInBlock(*user))
        use = std::min(use, numbers[here]);
    // Not all of many, so that the work stays linear.
    size_t tried = std::min(list.size(), kMaxOpen);
    for (Batch &batch : llvm::drop_begin(list, list.size() - tried))
      if (std::max(batch.lastInput, input) < std::min(batch.firstUse, use) &&
          !batch.has(source)) {
        batch.list.push_back(packable);
        batch.lastInput = std::max(batch.lastInput, input);
        batch.firstUse = std::min(batch.firstUse, use);
        return;
      }
    list.push_back({{packable}, input, use});
  }

  /// Whether one collective and the copies take less time than the collectives.
  bool saves(const Batch &batch) {
    const Packable &first = batch.list.front();
    GridOp grid = getGrid(first.op, symbols);
    std::optional<int64_t> devices = groupSizeOf(first.op);
    if (!devices)
      return false;
    AxisList axes = axesOf(first.op);
    std::unique_ptr<CostModel> costs = linkCosts(grid);
    auto cost = [&](double bytes) {
      double sent = bytesSent(first.kind, *devices, bytes);
      return sent > 0 ? costs->cost(first.kind, axes, sent) : 0;
    };
    double apart = 0, before = 0, after = 0;
    for (const Packable &each : batch.list) {
      std::optional<int64_t> in = bytesOfType(each.input().getType());
      std::optional<int64_t> out = bytesOfType(each.result().getType());
      if (!in || !out)
        return false;
      apart += cost(double(*in));
      before += double(*in);
      after += double(*out);
    }
    // Each element is read and written, before and after.
    double copies = 2 * (before + after) / machineOf(grid).memoryBandwidth;
    return cost(before) + copies < apart;
  }

  /// Whether all inputs still stand in front of `user`, and no use does: what was
  /// packed before has moved.
  static bool fitsBefore(Operation *user, const Batch &batch) {
    mlir::Block *block = user->getBlock();
    return llvm::all_of(batch.list, [&](const Packable &each) {
      Operation *source = each.input().getDefiningOp();
      return (!source || source->getBlock() != block ||
              source->isBeforeInBlock(user)) &&
             llvm::none_of(each.result().getUsers(), [&](Operation *other) {
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
    for (const Packable &each : batch.list) {
      inputs.push_back(each.input());
      types.push_back(each.result().getType());
      places.push_back(each.op->getLoc());
    }
    const Packable &first = batch.list.front();
    OpBuilder builder(first.op);
    // Packed ones stand in front of the first use of a result.
    Operation *user = batch.firstUse < int64_t(ops.size())
                          ? ops[size_t(batch.firstUse)]
                          : ops.back();
    if (!fitsBefore(user, batch))
      return;
    builder.setInsertionPoint(user);
    Location loc = builder.getFusedLoc(places);
    // One dimension where blocks are moved as a whole, else one of blocks and one of
    // their elements.
    bool cuts = first.rowsBefore > 1 || first.rowsAfter > 1;
    int64_t rank = cuts ? 2 : 1;
    Value packed = packTensors(builder, loc, inputs, rank, first.rowsBefore);
    auto type = cast<RankedTensorType>(packed.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (cuts)
      shape.front() = first.rowsAfter;
    Operation *one = builder.clone(*first.op);
    one->setLoc(loc);
    one->setOperand(0, packed);
    one->getResult(0).setType(type.clone(shape));
    for (StringRef axis : {kGatherAxis, kScatterAxis})
      if (one->hasAttr(axis))
        one->setAttr(axis, builder.getIndexAttr(0));
    SmallVector<Value> results =
        unpackTensors(builder, loc, one->getResult(0), types, first.rowsAfter);
    for (auto [each, result] : llvm::zip(batch.list, results)) {
      each.result().replaceAllUsesWith(result);
      dead.push_back(each.op);
    }
  }

  SymbolTableCollection symbols;
  /// The ops of the block in their order, and the place of each.
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, int64_t> numbers;
  SmallVector<Operation *> dead;
};

struct ShardPackCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardPackCollectivesBase<ShardPackCollectivesPass>> {
  void runOnOperation() override {
    bool changed = false;
    getOperation()->walk(
        [&](mlir::Block *block) { changed |= Packer().run(*block); });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
