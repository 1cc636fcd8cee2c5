//===- CheckExchangesTold.cpp - Is what devices exchange told of? ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Propagation/Propagation.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>
#include <set>

using namespace mlir;

namespace shard::fuzz {

/// The kinds of collectives at each place.
using KindsAt = std::map<std::string, std::set<std::string>>;

/// The steps of reshards that are collectives.
static bool isReshard(StringRef kind) {
  return llvm::is_contained({"all_gather", "all_to_all", "permute",
                             "redistribute", "all_reduce", "reduce_scatter"},
                            kind);
}

/// Whether `op` asks for the extent of a dynamic dimension that does not divide evenly.
static bool asksForExtent(Operation *op) {
  auto sum = dyn_cast<AllReduceOp>(op);
  auto type =
      sum ? dyn_cast<RankedTensorType>(sum.getInput().getType()) : nullptr;
  return type && type.getRank() == 0 && type.getElementType().isInteger(64);
}

/// Whether `location` names what is resharded because an annotation says so, or because an op
/// computes its result otherwise.
static bool isOfReshard(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  StringRef name = named ? named.getName().strref() : StringRef();
  return name.ends_with(" of shard.shard") || name.starts_with("result ");
}

/// The collectives of `module`, or those of reshards alone.
static KindsAt collectivesOf(ModuleOp module, bool reshardsOnly) {
  KindsAt kinds;
  module.walk([&](Operation *op) {
    StringRef kind = op->getName().stripDialect();
    if (isCollective(op) && isReshard(kind) &&
        (!reshardsOnly || (isOfReshard(op->getLoc()) && !asksForExtent(op))))
      kinds[placeOf(op->getLoc())].insert(kind.str());
  });
  return kinds;
}

/// How many ops of `module` are at each place, and, as "place result N", of how many of them
/// result N has users. Annotations are at the places of the ops that they are made for.
static std::map<std::string, unsigned> usesAtPlaces(ModuleOp module) {
  std::map<std::string, unsigned> uses;
  module.walk([&](Operation *op) {
    if (isa<ShardOp>(op))
      return;
    std::string place = placeOf(op->getLoc());
    ++uses[place];
    for (OpResult result : op->getResults())
      if (!result.use_empty())
        ++uses[place + " result " + std::to_string(result.getResultNumber())];
  });
  return uses;
}

/// Lets no manual computation of `module` use an operand that its body does not read: partition
/// makes no collectives for it. Returns whether one did.
static bool dropUnreadOperands(ModuleOp module) {
  bool changed = false;
  module.walk([&](ManualComputationOp op) {
    OpBuilder builder(op);
    for (auto [argument, operand] :
         llvm::zip_equal(op.getBody().getArguments(), op.getInputsMutable()))
      if (argument.use_empty() &&
          !operand.get().getDefiningOp<UnrealizedConversionCastOp>()) {
        auto unread = UnrealizedConversionCastOp::create(
            builder, builder.getUnknownLoc(), operand.get().getType(),
            ValueRange());
        operand.set(unread.getResult(0));
        changed = true;
      }
  });
  return changed;
}

/// The places of the ops of `module` that something uses, and "place result N" of each result.
/// Copies that are made for the users of an op share its place, which is left out if one of them
/// leads to nothing: partition makes no collectives for that copy.
static std::set<std::string> livePlaces(ModuleOp module) {
  OwningOpRef<ModuleOp> live = module.clone();
  IRRewriter rewriter(module.getContext());
  // An op in a region that is dropped counts as a user until the region is dropped.
  while (succeeded(runRegionDCE(rewriter, (*live)->getRegions())) ||
         dropUnreadOperands(*live))
    continue;
  std::map<std::string, unsigned> all = usesAtPlaces(module);
  std::set<std::string> places;
  for (const auto &[place, count] : usesAtPlaces(*live))
    if (all[place] == count)
      places.insert(place);
  return places;
}

/// The steps of `entry` that are collectives.
static std::set<std::string>
stepsOf(const PropagationExplanation::ReshardEntry &entry) {
  std::set<std::string> kinds;
  SmallVector<StringRef> words;
  StringRef(entry.steps).split(words, ", ", -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    // "kind over axis", "2 kind over axis", or another axis.
    StringRef kind = word.split(" over ").first.ltrim("0123456789 ");
    if (kind == "gather_offsets")
      kind = "all_gather";
    if (isReshard(kind))
      kinds.insert(kind.str());
  }
  return kinds;
}

/// Each annotation that moves a value to another grid is told of at its place.
static std::string
checkCrossingsTold(ModuleOp annotated,
                   const PropagationExplanation &explanation) {
  std::set<std::string> told;
  for (const auto &entry : explanation.reshards)
    if (StringRef(entry.to).contains(" on grid @"))
      told.insert(entry.place);
  std::string wrong;
  SymbolTableCollection symbols;
  annotated.walk([&](ShardOp move) {
    auto before = move.getSrc().getDefiningOp<ShardOp>();
    if (!before || move->use_empty())
      return;
    ShardingOp from = getShardingOp(before.getSharding()),
               to = getShardingOp(move.getSharding());
    if (!from || !to || from.getGridAttr() == to.getGridAttr())
      return;
    // Grids that are refined have other names in front of propagation.
    for (ShardingOp sharding : {from, to})
      if (GridOp grid = getGrid(sharding, sharding.getGridAttr(), symbols);
          !grid || grid.getRefinesAttr())
        return;
    std::string place = placeOf(move.getLoc());
    if (!told.count(place))
      wrong = "no explanation tells of the move to grid @" +
              to.getGrid().str() + " at " + place;
  });
  return wrong;
}

std::string checkExchangesTold(ModuleOp original, ModuleOp annotated,
                               const PropagationExplanation &explanation) {
  // The collectives between grids are told of by both.
  if (!llvm::hasSingleElement(original.getOps<GridOp>()))
    return checkCrossingsTold(annotated, explanation);
  OwningOpRef<ModuleOp> partitioned = annotated.clone();
  std::set<std::string> live = livePlaces(annotated);
  PassManager manager(original.getContext());
  manager.addPass(createShardPartition());
  if (failed(manager.run(*partitioned)))
    return {};
  KindsAt told;
  for (const auto &entry : explanation.reshards)
    for (const std::string &kind : stepsOf(entry))
      told[entry.place].insert(kind);
  // What a body needs is resharded in front of the op.
  original.walk([&](Operation *op) {
    if (auto inner = told.find(placeOf(op->getLoc())); inner != told.end())
      for (Operation *around = op->getParentOp(); around;
           around = around->getParentOp())
        told[placeOf(around->getLoc())].insert(inner->second.begin(),
                                               inner->second.end());
  });
  for (const auto &[place, kinds] : collectivesOf(*partitioned, true))
    for (const std::string &kind : kinds)
      if (!told[place].count(kind))
        return "no explanation tells of the shard." + kind + " at " + place;
  // Operands may be resharded for several ops at once, for the first of them. Slices and padding
  // may be cut out of what they read.
  KindsAt made = collectivesOf(*partitioned, false);
  auto isMade = [&](const PropagationExplanation::ReshardEntry &entry) {
    StringRef user(entry.user);
    auto [op, result] = user.split(" result ");
    std::string used = entry.place;
    if (!result.empty())
      used += " result " + result.str();
    return live.count(used) && !op.starts_with("tensor.") &&
           (entry.from == entry.to || !result.empty());
  };
  for (const auto &entry : explanation.reshards)
    if (isMade(entry))
      for (const std::string &kind : stepsOf(entry))
        if (!made[entry.place].count(kind))
          return "an explanation tells of a shard." + kind + " for " +
                 entry.user + " at " + entry.place + ", and there is none";
  return {};
}

} // namespace shard::fuzz
