//===- SplitCollectives.cpp - Pass shard-split-collectives ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several collectives may be live where the memory is highest, so that none of them alone
// lowers the peak. The search therefore begins with all of them in as many parts as there
// may be. If that fits, each kind, the smallest first, takes the fewest parts with which
// the program still fits; most then stay whole. If it does not fit, nothing changes.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"
#include "Optimize/PartForms.h"

#include "shard/Cost/Memory.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/Support/Debug.h"

#include <cmath>
#include <map>

#define DEBUG_TYPE "shard-split-collectives"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDSPLITCOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

/// So many keys are tried, those with the most bytes.
constexpr size_t kMaxKeys = 32;

/// The peak of the function that takes most.
struct Peak {
  FunctionOpInterface function;
  MemoryUse use;

  double bytes() const { return function ? double(use.peak()) : 0; }

  /// The op where the temporaries take most; null if that is not known.
  const MemoryStep *step() const {
    auto most = llvm::max_element(use.steps,
                                  [](const MemoryStep &a, const MemoryStep &b) {
                                    return a.bytes < b.bytes;
                                  });
    return most == use.steps.end() ? nullptr : &*most;
  }
};

class CollectiveSplitter {
public:
  CollectiveSplitter(Operation *root, bool reorderSums)
      : reorderSums(reorderSums) {
    SymbolTableCollection symbols;
    llvm::DenseSet<Operation *> called;
    root->walk([&](Operation *op) {
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        if (!function.isExternal())
          functions.push_back(function);
      if (auto call = dyn_cast<CallOpInterface>(op))
        called.insert(call.resolveCallableInTable(&symbols));
    });
    callsOthers = isa<FunctionOpInterface>(root) && !called.empty();
    for (FunctionOpInterface function : functions)
      if (!called.contains(function))
        entries.push_back(function);
    // Functions that call one another.
    if (entries.empty())
      entries = functions;
  }

  /// The memory that a device has by the grids of the program; nothing if none states it.
  std::optional<double> stated() {
    std::optional<double> least;
    for (FunctionOpInterface function : functions)
      if (std::optional<double> bytes = statedMemory(function))
        least = least ? std::min(*least, *bytes) : *bytes;
    return least;
  }

  /// Cuts what can be cut into `parts` parts, or the next number above. Returns whether
  /// anything changed.
  bool splitAll(int64_t parts) {
    return build([&](const PartForm &form) {
      auto count = llvm::find_if(form.counts,
                                 [&](int64_t count) { return count >= parts; });
      return count == form.counts.end() ? 1 : *count;
    });
  }

  /// Cuts until the program fits into `memory` bytes. Returns whether anything changed.
  bool fit(double memory) {
    if (callsOthers)
      return false;
    Peak before = peak();
    if (before.bytes() <= memory)
      return false;
    findKeys();
    std::vector<Region> kept(functions.size());
    for (auto [function, region] : llvm::zip_equal(functions, kept))
      region.takeBody(function.getFunctionBody());
    auto tryCounts = [&] {
      for (auto [function, region] : llvm::zip_equal(functions, kept)) {
        Region &body = function.getFunctionBody();
        body.dropAllReferences();
        body.getBlocks().clear();
        IRMapping mapping;
        region.cloneInto(&body, mapping);
      }
      build([&](const PartForm &form) { return counts.lookup(form.key()); });
      return peak().bytes();
    };
    double after = before.bytes();
    if (!counts.empty())
      after = tryCounts();
    if (after > memory) {
      for (auto [function, region] : llvm::zip_equal(functions, kept))
        function.getFunctionBody().takeBody(region);
      explain(before, after, memory);
      return false;
    }
    for (auto &[key, candidates] : keys)
      for (int64_t count : candidates) {
        counts[key] = count;
        if (tryCounts() <= memory)
          break;
      }
    LLVM_DEBUG(llvm::dbgs() << "peak " << before.bytes() << " -> "
                            << peak().bytes() << "\n");
    return true;
  }

private:
  Peak peak() {
    Peak most;
    for (FunctionOpInterface function : entries) {
      MemoryUse use = memoryOf(function);
      if (!most.function || double(use.peak()) > most.bytes())
        most = {function, std::move(use)};
    }
    return most;
  }

  std::vector<PartForm> findForms(FunctionOpInterface function) {
    std::vector<PartForm> forms;
    function->walk([&](Operation *op) {
      if (std::optional<PartForm> form = PartForm::of(op, reorderSums))
        forms.push_back(std::move(*form));
    });
    return forms;
  }

  /// The kinds of chains, those with few bytes first, each with the numbers of parts to
  /// try: 1 is whole. All begin with the largest number.
  void findKeys() {
    std::multimap<int64_t, std::pair<Attribute, SmallVector<int64_t>>> found;
    llvm::DenseSet<Attribute> seen;
    for (FunctionOpInterface function : functions)
      for (PartForm &form : findForms(function)) {
        Attribute key = form.key();
        if (!seen.insert(key).second)
          continue;
        SmallVector<int64_t> candidates{1};
        llvm::append_range(candidates, form.counts);
        found.emplace(form.bytesBetween, std::make_pair(key, candidates));
      }
    while (found.size() > kMaxKeys)
      found.erase(found.begin());
    for (auto &[bytes, entry] : found) {
      counts[entry.first] = entry.second.back();
      keys.push_back(std::move(entry));
    }
  }

  /// Cuts each chain into as many parts as `countOf` says. Returns whether anything
  /// changed.
  bool build(function_ref<int64_t(const PartForm &)> countOf) {
    bool changed = false;
    for (FunctionOpInterface function : functions) {
      // Two chains may share an op, which the first one erases.
      llvm::SmallPtrSet<Operation *, 8> erased;
      for (const PartForm &form : findForms(function)) {
        if (llvm::any_of(form.chain, [&](const PartForm::Link &link) {
              return erased.contains(link.op);
            }))
          continue;
        int64_t count = countOf(form);
        if (count < 2 || !form.build(count))
          continue;
        for (const PartForm::Link &link : form.chain)
          erased.insert(link.op);
        changed = true;
      }
    }
    return changed;
  }

  void explain(const Peak &before, double after, double memory) {
    InFlightDiagnostic remark = mlir::emitRemark(before.function->getLoc());
    remark << "takes " << int64_t(before.bytes())
           << " bytes of memory on one device, which has " << int64_t(memory);
    if (after < before.bytes())
      remark << "; with collectives in parts " << int64_t(after);
    else
      remark << "; collectives in parts do not lower that";
    if (const MemoryStep *step = before.step())
      remark.attachNote() << "most is needed by '" << step->op << "' at "
                          << step->location;
  }

  bool reorderSums;
  /// Whether functions are called that other threads may be changing.
  bool callsOthers = false;
  SmallVector<FunctionOpInterface> functions, entries;
  std::vector<std::pair<Attribute, SmallVector<int64_t>>> keys;
  llvm::DenseMap<Attribute, int64_t> counts;
};

struct ShardSplitCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardSplitCollectivesBase<ShardSplitCollectivesPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    if (parts < 0) {
      getOperation()->emitError()
          << "shard-split-collectives: parts is a number from 0 on, not "
          << int64_t(parts);
      return signalPassFailure();
    }
    if (!std::isfinite(memory) || memory < 0) {
      getOperation()->emitError() << "shard-split-collectives: memory is a "
                                     "number of bytes from 0 on, not "
                                  << double(memory);
      return signalPassFailure();
    }
    CollectiveSplitter splitter(getOperation(), reorderSums);
    bool changed = false;
    if (parts > 1)
      changed = splitter.splitAll(parts);
    else if (memory > 0)
      changed = splitter.fit(memory);
    else if (std::optional<double> stated = splitter.stated())
      changed = splitter.fit(*stated);
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
