//===- DecomposeCollectives.cpp - Pass shard-decompose-collectives --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms with equal keys are decided together, so that the number of predictions does not
// grow with the number of layers of a model: all of them are built in a copy of the
// function's body, which stays if the function is then predicted to take less time. Both
// times are those behind shard-overlap-collectives: an all_gather that runs beside other
// ops is not worth a ring.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"
#include "Optimize/OverlapCollectives.h"
#include "Optimize/RingForms.h"

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "shard-decompose-collectives"

#include <cmath>

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDDECOMPOSECOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

/// So many keys are tried in a function, those that come first.
constexpr unsigned kMaxKeys = 64;

class Decomposer {
public:
  Decomposer(FunctionOpInterface function, double minGain, bool reorderSums)
      : function(function), body(function.getFunctionBody()), minGain(minGain),
        reorderSums(reorderSums) {}

  /// Returns whether anything changed.
  bool run() {
    bool changed = false;
    std::optional<double> before;
    while (tried.size() < kMaxKeys) {
      Attribute key = nextKey();
      if (!key)
        return changed;
      tried.insert(key);
      if (!before)
        before = secondsOverlapped();
      Region kept;
      copyBody(kept);
      buildAll(key);
      double after = secondsOverlapped(), gain = *before - after;
      // Where nothing may be lost, equal times change nothing.
      bool isBetter = gain * 1e6 >= minGain && (gain > 0 || minGain < 0);
      LLVM_DEBUG(llvm::dbgs()
                 << function.getName() << ": " << *before << " s, with rings "
                 << after << " s: " << key << "\n");
      if (isBetter)
        before = after;
      else
        body.takeBody(kept);
      changed |= isBetter;
    }
    return changed;
  }

private:
  /// The forms of the body, in the order of the text.
  std::vector<RingForm> findForms() {
    SymbolTableCollection symbols;
    Replication replication;
    std::vector<RingForm> forms;
    body.walk([&](Operation *op) {
      if (std::optional<RingForm> form =
              RingForm::of(op, symbols, replication, reorderSums))
        forms.push_back(std::move(*form));
    });
    return forms;
  }

  /// A key that was not tried; null if all were.
  Attribute nextKey() {
    for (const RingForm &form : findForms())
      if (Attribute key = form.key(); !tried.contains(key))
        return key;
    return {};
  }

  void buildAll(Attribute key) {
    // Two forms may share the op, which the first one erases.
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (const RingForm &form : findForms()) {
      if (erased.contains(form.op) || form.key() != key)
        continue;
      erased.insert(form.op);
      form.build();
    }
    shareShifts();
  }

  /// Rings of several ops may send one operand around: each step of it is done once.
  void shareShifts() {
    body.walk([](mlir::Block *block) {
      llvm::DenseMap<Value, SmallVector<ShiftOp, 1>> bySource;
      for (auto shift : llvm::make_early_inc_range(block->getOps<ShiftOp>())) {
        SmallVector<ShiftOp, 1> &earlier = bySource[shift.getInput()];
        auto *same = llvm::find_if(earlier, [&](ShiftOp other) {
          return OperationEquivalence::isEquivalentTo(
              shift, other, OperationEquivalence::exactValueMatch, nullptr,
              OperationEquivalence::IgnoreLocations);
        });
        if (same == earlier.end()) {
          earlier.push_back(shift);
          continue;
        }
        shift->replaceAllUsesWith(*same);
        shift.erase();
      }
    });
  }

  /// Moves the body to `kept` and puts a copy in its place.
  void copyBody(Region &kept) {
    kept.takeBody(body);
    IRMapping mapping;
    kept.cloneInto(&body, mapping);
  }

  /// What the function takes behind shard-overlap-collectives.
  double secondsOverlapped() {
    Region kept;
    copyBody(kept);
    overlapCollectives(function, std::max(0.0, minGain));
    double seconds = predictSeconds(function);
    body.takeBody(kept);
    return seconds;
  }

  FunctionOpInterface function;
  Region &body;
  double minGain;
  bool reorderSums;
  llvm::DenseSet<Attribute> tried;
};

struct ShardDecomposeCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardDecomposeCollectivesBase<ShardDecomposeCollectivesPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    if (std::isnan(minGain)) {
      getOperation()->emitError()
          << "shard-decompose-collectives: min-gain is a "
             "number of microseconds, not nan";
      return signalPassFailure();
    }
    bool changed = false;
    SmallVector<FunctionOpInterface> functions;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    for (FunctionOpInterface function : functions)
      changed |= Decomposer(function, minGain, reorderSums).run();
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
