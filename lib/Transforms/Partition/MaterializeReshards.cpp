//===- MaterializeReshards.cpp - Pass shard-materialize-reshards ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which reshards there are, partition itself tells: it runs on a copy. So that it does
// the same again, each reshard is written as the rows of shardings between its steps,
// and only where each pair of neighbours is that one step for the planner, too.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"
#include "Partition/PlannedReshards.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/IR/Steps.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <set>

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDMATERIALIZERESHARDS
#include "shard/Transforms/Passes.h.inc"

namespace {

class StepWriter {
public:
  /// `origins` are the values of the program by those of its copy.
  explicit StepWriter(const DenseMap<Value, Value> &origins)
      : origins(origins) {}

  /// Writes the steps of the reshard of `value`, as it is called in the program.
  void write(Value value, const PlannedReshards::Reshard &reshard) {
    if (!reshard.stepsAreApart) {
      mlir::emitRemark(value.getLoc())
          << "this reshard stays one annotation: there are other steps of the "
             "same cost as some of its steps";
      return;
    }
    if (auto annotation = value.getDefiningOp<ShardOp>())
      splitAnnotation(annotation, reshard);
    else if (value.getDefiningOp() && !isa<ConstraintOp>(value.getDefiningOp()))
      annotateResult(value, reshard);
  }

  /// Lets reshards that a loop makes in front of it, of what it captures, end with the steps that
  /// stand there. Partition would make others, which need not be the same ops.
  void shareWithLoops() {
    llvm::SetVector<Value> sources;
    for (auto &[chain, last] : chains)
      sources.insert(std::get<0>(chain));
    for (Value source : sources)
      for (Operation *user : llvm::make_early_inc_range(source.getUsers()))
        if (auto inner = dyn_cast<ShardOp>(user);
            inner && !inner->hasAttr(kStepAttrName))
          if (ShardOp last = stepInFrontOf(inner))
            inner.getSrcMutable().assign(last.getResult());
  }

private:
  /// The last step of a reshard like `inner` that stands in front of a loop around it; null if
  /// there is none.
  ShardOp stepInFrontOf(ShardOp inner) {
    Operation *loop = inner->getParentOp();
    for (; loop && loop->getBlock(); loop = loop->getParentOp()) {
      ShardOp last = chains.lookup(
          {inner.getSrc(), inner.getSharding(), loop->getBlock()});
      if (last && last->isBeforeInBlock(loop))
        return last;
    }
    return {};
  }

  ShardOp annotate(OpBuilder &builder, Location loc, Value source,
                   const PlannedReshards::Reshard &reshard, Sharding sharding) {
    for (auto *numbers : {&sharding.halos, &sharding.offsets})
      for (int64_t &number : *numbers)
        if (Value value = runTimeValue(number))
          number = runTimeNumber(origins.lookup(value));
    Value handle =
        buildSharding(builder, loc, reshard.grid.getValue(), sharding);
    return ShardOp::create(builder, loc, source.getType(), source, handle,
                           UnitAttr());
  }

  void name(ShardOp annotation, const Step &step) {
    annotation.setAnnotateForUsers(true);
    annotation->setAttr(
        kStepAttrName,
        StringAttr::get(annotation.getContext(), stringifyStepKind(step.kind)));
  }

  /// The last step is `annotation` itself; others stand in front of it.
  void splitAnnotation(ShardOp annotation,
                       const PlannedReshards::Reshard &reshard) {
    OpBuilder builder(annotation);
    Value value = annotation.getSrc();
    // What stated the sharding of a value, as of a shared output in the body of its scf.forall,
    // becomes its last step. The value as it comes is stated in front.
    if (!annotation.getAnnotateForUsers())
      value = annotate(builder, annotation.getLoc(), value, reshard,
                       reshard.before);
    for (const Step &step : ArrayRef(reshard.steps).drop_back()) {
      // Reshards of one value in one block share their first steps.
      auto &others = shared[{value, annotation->getBlock()}];
      auto *other = llvm::find_if(
          others, [&](const auto &made) { return made.first == step.result; });
      if (other != others.end()) {
        value = other->second;
        continue;
      }
      ShardOp made =
          annotate(builder, annotation.getLoc(), value, reshard, step.result);
      name(made, step);
      others.emplace_back(step.result, made);
      value = made;
    }
    if (value != annotation.getSrc()) {
      ShardOp &first = chains[{annotation.getSrc(), annotation.getSharding(),
                               annotation->getBlock()}];
      if (!first || annotation->isBeforeInBlock(first))
        first = annotation;
    }
    annotation.getSrcMutable().assign(value);
    name(annotation, reshard.steps.back());
  }

  void annotateResult(Value value, const PlannedReshards::Reshard &reshard) {
    SmallVector<ShardOp> stated;
    for (Operation *user : value.getUsers())
      if (auto annotation = dyn_cast<ShardOp>(user);
          annotation && !annotation.getAnnotateForUsers())
        stated.push_back(annotation);
    // Partition makes nothing of a value that only an unused annotation takes.
    if (llvm::all_of(value.getUsers(), [&](Operation *user) {
          return llvm::is_contained(stated, user) && user->use_empty();
        }))
      return;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    ShardOp natural = annotate(builder, loc, value, reshard, reshard.before);
    Value last = natural;
    for (const Step &step : reshard.steps) {
      ShardOp made = annotate(builder, loc, last, reshard, step.result);
      name(made, step);
      last = made;
    }
    value.replaceAllUsesExcept(last, natural);
    // They say what the last step says.
    for (ShardOp annotation : stated) {
      annotation.getResult().replaceAllUsesWith(last);
      annotation.erase();
    }
  }

  const DenseMap<Value, Value> &origins;
  DenseMap<std::pair<Value, mlir::Block *>,
           SmallVector<std::pair<Sharding, Value>, 1>>
      shared;
  /// By what is resharded by several steps, the sharding and the block: the first last step.
  llvm::MapVector<std::tuple<Value, Value, mlir::Block *>, ShardOp> chains;
};

struct ShardMaterializeReshardsPass
    : public impl::ShardMaterializeReshardsBase<ShardMaterializeReshardsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registerShardDialect(registry);
    registry.insert<arith::ArithDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    IRMapping mapping;
    OwningOpRef<ModuleOp> copy(cast<ModuleOp>(getOperation()->clone(mapping)));
    DenseMap<Value, Value> origins;
    for (auto [origin, made] : mapping.getValueMap())
      origins[made] = origin;
    PlannedReshards planned;
    {
      // Errors are about the program; remarks come again when it is partitioned.
      ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
      if (failed(partitionProgram(*copy, PartitionOptions(), &planned)))
        return signalPassFailure();
    }
    StepWriter writer(origins);
    for (const PlannedReshards::Reshard &reshard : planned.reshards) {
      Value value = origins.lookup(reshard.value);
      if (value && planned.searched.contains(reshard.value))
        mlir::emitRemark(value.getLoc())
            << "this reshard stays one annotation: an op that reads a window "
               "of "
               "the value chooses in which sharding it reads it";
      else if (value)
        writer.write(value, reshard);
    }
    writer.shareWithLoops();
    std::set<std::pair<const void *, std::string>> told;
    for (const auto &[location, what] : planned.kept)
      if (told.insert({location.getAsOpaquePointer(), what}).second)
        mlir::emitRemark(location) << what << " is no step in the program; "
                                   << "partition makes it";
  }
};

} // namespace
} // namespace shard
