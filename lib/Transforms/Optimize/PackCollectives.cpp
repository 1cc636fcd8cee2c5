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
  /// The parts of the input and of the result, one for each device of the group or one in
  /// all, and the dimensions that consist of them.
  int64_t rowsBefore = 1, rowsAfter = 1;
  int64_t dimBefore = 0, dimAfter = 0;

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
constexpr llvm::StringLiteral kDimNames[] = {"gather_axis", "scatter_axis",
                                             "split_axis", "concat_axis"};

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
      for (StringRef name : kDimNames)
        attributes.erase(name);
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
    if (!isa<AllGatherOp, ReduceScatterOp, AllToAllOp>(op))
      return std::nullopt;
    std::optional<int64_t> devices = groupSizeOf(op);
    auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!devices || !input || !result || !input.hasStaticShape() ||
        !result.hasStaticShape())
      return std::nullopt;
    Packable packable{op, Collective::AllGather};
    // The shape of what each device sends to each other one.
    SmallVector<int64_t> block(input.getShape());
    auto cut = [&](const APInt &dim) {
      packable.dimBefore = dim.getSExtValue();
      packable.rowsBefore = *devices;
      if (block[packable.dimBefore] % *devices != 0)
        return false;
      block[packable.dimBefore] /= *devices;
      return true;
    };
    auto join = [&](const APInt &dim) {
      packable.dimAfter = dim.getSExtValue();
      packable.rowsAfter = *devices;
      return !llvm::MulOverflow(block[packable.dimAfter], *devices,
                                block[packable.dimAfter]);
    };
    bool fits = false;
    if (auto gather = dyn_cast<AllGatherOp>(op)) {
      fits = join(gather.getGatherAxis());
    } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
      packable.kind = Collective::ReduceScatter;
      fits = cut(scatter.getScatterAxis());
    } else if (auto exchange = dyn_cast<AllToAllOp>(op)) {
      packable.kind = Collective::AllToAll;
      fits = cut(exchange.getSplitAxis()) && join(exchange.getConcatAxis());
    }
    // Blocks of equal size only, without padding.
    if (!fits || result.getShape() != ArrayRef(block))
      return std::nullopt;
    return packable;
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

  /// What copying the elements of `each` into the packed tensor and out of it takes, in
  /// seconds: each is read and written in front and behind, and once more where the parts
  /// of the input do not lie one after another. (Those of the result are put in order by
  /// the copy that takes them out.)
  static double secondsOfCopies(const Packable &each, const Machine &machine) {
    auto bytes = [](Value value) {
      return double(bytesOfType(value.getType()).value_or(0));
    };
    auto input = cast<RankedTensorType>(each.input().getType());
    bool transposed =
        each.rowsBefore > 1 && !isOutermost(input, each.dimBefore);
    return 2 *
           ((transposed ? 2 : 1) * bytes(each.input()) + bytes(each.result())) /
           machine.memoryBandwidth;
  }

  /// Leaves in `batch` the collectives that take less time as one, with the copies, than
  /// each alone; whether these are several.
  bool saves(Batch &batch) {
    Operation *first = batch.list.front().op;
    Collective kind = batch.list.front().kind;
    GridOp grid = getGrid(first, symbols);
    std::optional<int64_t> devices = groupSizeOf(first);
    if (!devices)
      return false;
    AxisList axes = axesOf(first);
    Machine machine = machineOf(grid);
    std::unique_ptr<CostModel> costs = linkCosts(grid);
    auto bytes = [](const Packable &each) {
      return double(bytesOfType(each.input().getType()).value_or(0));
    };
    auto cost = [&](double bytes) {
      double sent = bytesSent(kind, *devices, bytes);
      return sent > 0 ? costs->cost(kind, axes, sent) : 0;
    };
    // What one more collective costs alone, and what it costs beside another one.
    llvm::erase_if(batch.list, [&](const Packable &each) {
      double alone = cost(bytes(each));
      double beside = cost(2 * bytes(each)) - cost(bytes(each));
      return beside + secondsOfCopies(each, machine) >= alone;
    });
    double apart = 0, all = 0, copies = 0;
    for (const Packable &each : batch.list) {
      apart += cost(bytes(each));
      all += bytes(each);
      copies += secondsOfCopies(each, machine);
    }
    return batch.list.size() > 1 && cost(all) + copies < apart;
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
    SmallVector<int64_t> cut, joined;
    for (const Packable &each : batch.list) {
      inputs.push_back(each.input());
      types.push_back(each.result().getType());
      places.push_back(each.op->getLoc());
      cut.push_back(each.dimBefore);
      joined.push_back(each.dimAfter);
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
    Value packed =
        packTensors(builder, loc, inputs, rank, first.rowsBefore, cut);
    auto type = cast<RankedTensorType>(packed.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (cuts)
      shape.front() = first.rowsAfter;
    Operation *one = builder.clone(*first.op);
    one->setLoc(loc);
    one->setOperand(0, packed);
    one->getResult(0).setType(type.clone(shape));
    for (StringRef axis : kDimNames)
      if (one->hasAttr(axis))
        one->setAttr(axis, builder.getIndexAttr(0));
    SmallVector<Value> results = unpackTensors(builder, loc, one->getResult(0),
                                               types, first.rowsAfter, joined);
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
