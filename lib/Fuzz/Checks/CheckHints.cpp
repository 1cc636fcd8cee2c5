//===- CheckHints.cpp - Annotations after propagation ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckHints.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;

/// Of each device the block of each dimension that it has, how many parts of partial
/// values there are, and how many widths of halos and bounds of blocks are known when the
/// program runs.
using Blocks = std::vector<std::vector<int64_t>>;

static Blocks blocksOf(GridOp gridOp, const FailureOr<Sharding> &sharding) {
  FailureOr<Grid> grid = gridOp ? staticGrid(gridOp) : FailureOr<Grid>();
  if (failed(grid) || failed(sharding))
    return {};
  Blocks blocks;
  for (int64_t device = 0; device < grid->numDevices(); ++device) {
    std::vector<int64_t> &own = blocks.emplace_back();
    for (const AxisList &axes : sharding->dims) {
      own.push_back(grid->positionInGroup(device, axes));
      own.push_back(grid->groupSize(axes));
    }
    own.push_back(grid->groupSize(sharding->partial));
    own.push_back(llvm::count_if(sharding->halos, isRunTime));
    own.push_back(llvm::count_if(sharding->offsets, isRunTime));
  }
  return blocks;
}

/// Nothing where the sharding is not known.
static Blocks blocksOf(ShardOp op, SymbolTableCollection &symbols) {
  ShardingOp sharding = getShardingOp(op.getSharding());
  if (!sharding)
    return {};
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  return blocksOf(getGrid(sharding, symbols), resolve(sharding, rank));
}

static Blocks blocksOf(ShardingAttr attribute, Operation *user, Type type,
                       SymbolTableCollection &symbols) {
  GridOp grid = getGrid(user, attribute.getGrid(), symbols);
  FailureOr<ResolvedSharding> resolved =
      resolve(attribute, grid, type, [&] { return emitError(user->getLoc()); });
  if (failed(resolved))
    return {};
  return blocksOf(grid, toSharding(*resolved));
}

/// Where a value comes from: the location of its op or block argument, and its number. The
/// annotation that propagation writes behind a value has the location of the value.
static std::pair<Location, unsigned> placeOf(Value value) {
  for (auto op = value.getDefiningOp<ShardOp>();
       op && op.getLoc() == op.getSrc().getLoc();
       op = value.getDefiningOp<ShardOp>())
    value = op.getSrc();
  if (auto result = dyn_cast<OpResult>(value))
    return {value.getLoc(), result.getResultNumber()};
  return {value.getLoc(), cast<BlockArgument>(value).getArgNumber()};
}

/// The manual computation that `block` is in the body of, or null.
static Operation *bodyAround(mlir::Block *block) {
  Operation *parent = block->getParentOp();
  if (!parent || isa<ManualComputationOp>(parent))
    return parent;
  return parent->getParentOfType<ManualComputationOp>();
}

/// Only annotations that nobody uses use the annotation `op`, so no value needs its
/// blocks. A group passes on what an annotation says that reshards, of an annotation or by
/// numbers of the run, and needs no value resharded for it.
static bool isUnused(ShardOp op) {
  ShardingOp sharding = getShardingOp(op.getSharding());
  bool reshards = op.getSrc().getDefiningOp<ShardOp>() ||
                  (sharding && sharding->getNumOperands() != 0);
  SmallVector<Operation *> users(op->user_begin(), op->user_end());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    if (reshards && isa<GroupOp>(user))
      continue;
    if (!isa<ShardOp, ConstraintOp>(user))
      return false;
    llvm::append_range(users, user->getUsers());
  }
  return true;
}

std::string fuzz::checkHints(ModuleOp original, ModuleOp annotated) {
  WalkResult walked = annotated.walk([](ShardOp op) {
    return op.getAnnotateForUsers() && op->use_empty() ? WalkResult::interrupt()
                                                       : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return "propagation annotates for users what none of them takes";
  SymbolTableCollection symbols;
  DenseMap<Location, SmallVector<Blocks>> byPlace;
  DenseMap<std::pair<Location, unsigned>, SmallVector<Blocks>> bySource;
  // Annotations of annotations, by what the first one annotates.
  DenseMap<std::pair<Location, unsigned>, SmallVector<Blocks>> byOrigin;
  annotated.walk([&](ShardOp op) {
    Blocks blocks = blocksOf(op, symbols);
    byPlace[op.getLoc()].push_back(blocks);
    bySource[placeOf(op->getOperand(0))].push_back(blocks);
    if (auto before = op->getOperand(0).getDefiningOp<ShardOp>())
      byOrigin[placeOf(before->getOperand(0))].push_back(std::move(blocks));
  });
  // The annotation of an argument is in the signature.
  annotated.walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments())
      if (auto attribute = function.getArgAttrOfType<ShardingAttr>(
              argument.getArgNumber(), kShardingAttrName))
        bySource[placeOf(argument)].push_back(
            blocksOf(attribute, function, argument.getType(), symbols));
  });
  // Numbers that fold to constants are known before the program runs.
  OwningOpRef<ModuleOp> folded(original.clone());
  SmallVector<ShardingOp> shardings;
  folded->walk([&](ShardingOp op) { shardings.push_back(op); });
  if (failed(makeShardingsStatic(shardings)))
    return "the shardings break rules when they are folded";
  std::string problem;
  folded->walk([&](ShardOp op) {
    if (!problem.empty() || op.getAnnotateForUsers() || isUnused(op))
      return;
    Blocks expected = blocksOf(op, symbols);
    if (expected.empty())
      return;
    SmallVector<Blocks> candidates = byPlace.lookup(op.getLoc());
    // Annotations in front that change nothing are gone: their source stands for them.
    llvm::SmallPtrSet<Operation *, 4> passed;
    // A value from outside of a manual computation is another one in its body, which may
    // be split alike or not.
    SmallVector<Blocks> outside;
    Operation *body = bodyAround(op->getBlock());
    for (Value source = op->getOperand(0); source;) {
      bool isInside = bodyAround(source.getParentBlock()) == body;
      llvm::append_range(isInside ? candidates : outside,
                         bySource.lookup(placeOf(source)));
      // The body's copy of the value comes in as the body wants it.
      if (!isInside)
        llvm::append_range(outside, byOrigin.lookup(placeOf(source)));
      Operation *made = source.getDefiningOp();
      source = isa_and_present<ShardOp, ConstraintOp>(made) &&
                       passed.insert(made).second
                   ? made->getOperand(0)
                   : Value();
    }
    // What is replicated may have no annotation.
    bool isReplicated = llvm::all_equal(expected);
    if (llvm::is_contained(candidates, expected) ||
        llvm::is_contained(outside, expected) ||
        (isReplicated && candidates.empty()))
      return;
    llvm::raw_string_ostream(problem)
        << "the annotation " << op->getResult(0).getType() << " at "
        << op.getLoc()
        << (candidates.empty() ? " is lost" : " has another sharding");
  });
  return problem;
}
