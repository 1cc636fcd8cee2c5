//===- CheckUnknownSizes.cpp - Grids with axes of unknown size ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program for a grid with axes of unknown size cannot run, and passes fold what they know of the
// sizes. So they get to know them behind partition.
//
//===----------------------------------------------------------------------===//

#include "CheckUnknownSizes.h"

#include "Errors.h"

#include "shard/Fuzz/Random.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Pipelines/Pipelines.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace shard::fuzz {

namespace {
/// Which axes of the one grid of a program have no known size.
class UnknownSizes {
public:
  UnknownSizes(ModuleOp module, uint64_t seed);

  /// Whether there is such an axis.
  bool any() const { return unknown != sizes; }
  SmallVector<int64_t> shape() const { return unknown; }
  /// Ids are those of a number of devices. Results do not depend on them.
  void forget(ModuleOp module) const {
    (*module.getOps<GridOp>().begin()).removeDeviceIdsAttr();
    setShape(module, unknown);
  }
  void state(ModuleOp module) const { setShape(module, sizes); }
  /// Whether all of these axes divide what they split by the shardings of `annotated`. The sizes of
  /// those that do not are known from then on.
  bool divideAll(ModuleOp annotated);

private:
  static void setShape(ModuleOp module, ArrayRef<int64_t> shape) {
    (*module.getOps<GridOp>().begin()).setShape(shape);
  }
  bool divide(Type type, const Sharding &sharding);

  SmallVector<int64_t> sizes, unknown;
};
} // namespace

UnknownSizes::UnknownSizes(ModuleOp module, uint64_t seed) {
  auto grids = module.getOps<GridOp>();
  // Between grids nothing moves where sizes are unknown.
  if (!llvm::hasSingleElement(grids))
    return;
  GridOp grid = *grids.begin();
  if (grid.getUnevenDynamic())
    return;
  sizes.assign(grid.getShape().begin(), grid.getShape().end());
  unknown = sizes;
  Random rng(seed ^ 0x756e6b6e6f776eull);
  for (int64_t &size : unknown)
    if (size > 1 && rng.chance(70))
      size = ShapedType::kDynamic;
}

bool UnknownSizes::divide(Type type, const Sharding &sharding) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped)
    return true;
  bool divides = true;
  for (auto [extent, axes] : llvm::zip(shaped.getShape(), sharding.dims)) {
    int64_t parts = 1;
    bool isUnknown = false;
    for (GridAxis axis : axes) {
      parts *= sizes[axis];
      isUnknown |= ShapedType::isDynamic(unknown[axis]);
    }
    if (!isUnknown || ShapedType::isDynamic(extent) || extent % parts == 0)
      continue;
    for (GridAxis axis : axes)
      unknown[axis] = sizes[axis];
    divides = false;
  }
  return divides;
}

bool UnknownSizes::divideAll(ModuleOp annotated) {
  GridOp grid = *annotated.getOps<GridOp>().begin();
  auto byAttribute = [&](Type type, Attribute attribute) {
    auto sharding = dyn_cast_if_present<ShardingAttr>(attribute);
    if (!sharding)
      return true;
    FailureOr<ResolvedSharding> resolved =
        resolve(sharding, grid, type, [&] { return grid.emitError(); });
    if (failed(resolved))
      return false;
    FailureOr<Sharding> plain = toSharding(*resolved);
    return succeeded(plain) && divide(type, *plain);
  };
  bool divides = true;
  WalkResult walked = annotated.walk([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        divides &= byAttribute(function.getArgumentTypes()[i],
                               function.getArgAttr(i, kShardingAttrName));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        divides &= byAttribute(function.getResultTypes()[i],
                               function.getResultAttr(i, kShardingAttrName));
    } else if (auto annotation = dyn_cast<ShardOp>(op)) {
      ShardingOp stated = getShardingOp(annotation.getSharding());
      auto type = dyn_cast<RankedTensorType>(annotation.getSrc().getType());
      if (!stated || !type)
        return WalkResult::interrupt();
      FailureOr<Sharding> sharding = resolve(stated, type.getRank());
      if (failed(sharding))
        return WalkResult::interrupt();
      divides &= divide(type, *sharding);
    } else if (auto manual = dyn_cast<ManualComputationOp>(op)) {
      for (auto [type, in] :
           llvm::zip(manual->getOperandTypes(), manual.getInShardings()))
        divides &= byAttribute(type, in);
      for (auto [type, out] :
           llvm::zip(manual->getResultTypes(), manual.getOutShardings()))
        divides &= byAttribute(type, out);
    }
    return WalkResult::advance();
  });
  return divides && !walked.wasInterrupted();
}

static Outcome compare(const std::vector<HostTensor> &expected,
                       const std::vector<HostTensor> &actual) {
  if (expected.size() != actual.size())
    return {Verdict::CheckFailed, "with axes of unknown size there are " +
                                      std::to_string(actual.size()) +
                                      " results"};
  for (size_t i = 0; i < expected.size(); ++i) {
    std::string which =
        "with axes of unknown size result " + std::to_string(i) + " ";
    if (expected[i].shape() != actual[i].shape())
      return {Verdict::Wrong, which + "has another shape"};
    Comparison comparison = compareTensors(expected[i], actual[i], {});
    if (!comparison.equal || comparison.maxAbsolute != 0)
      return {Verdict::Wrong,
              which + "is " + std::to_string(comparison.actual) +
                  " instead of " + std::to_string(comparison.expected) +
                  " at element " + std::to_string(comparison.worst)};
  }
  return {};
}

/// The error of a pass. Only what needs the sizes may fail for the lack of them.
static Outcome refused(const Errors &errors) {
  if (errors.first.empty())
    return {Verdict::CheckFailed, "axes of unknown size fail without an error"};
  StringRef said = errors.first;
  if (said.contains("needs the sizes") || said.contains("need the sizes") ||
      said.contains("refines a grid of unknown sizes") ||
      said.contains("for device grids with dynamic shape"))
    return {};
  return {Verdict::CheckFailed,
          "axes of unknown size are refused: " + oneLine(errors.first)};
}

/// The program for axes of unknown size.
static Outcome checkWith(UnknownSizes &sizes, ModuleOp module, StringRef entry,
                         RunOptions options,
                         const std::vector<HostTensor> &expected) {
  Errors errors(module.getContext());
  OwningOpRef<ModuleOp> annotated = module.clone();
  sizes.forget(*annotated);
  // Blocks in manual computations have the extents that the sizes give.
  if (failed(verify(*annotated)))
    return {};
  OwningOpRef<ModuleOp> partitioned = annotated->clone();
  // The shardings are those that partition reads: behind what folds in front of it.
  if (failed(runPasses(*annotated, [&](OpPassManager &manager) {
        buildPropagationPipeline(manager, options.pipeline);
      })))
    return refused(errors);
  // Grids that are refined for parts of axes have unknown sizes of their own.
  auto hasOneGrid = [](ModuleOp program) {
    return llvm::hasSingleElement(program.getOps<GridOp>());
  };
  if (!hasOneGrid(*annotated))
    return {};
  sizes.state(*annotated);
  SmallVector<int64_t> before = sizes.shape();
  if (!sizes.divideAll(*annotated))
    return sizes.any() && sizes.shape() != before
               ? checkWith(sizes, module, entry, std::move(options), expected)
               : Outcome();
  if (failed(runPasses(*partitioned, [&](OpPassManager &manager) {
        buildSpmdPipeline(manager, options.pipeline);
      })))
    return refused(errors);
  if (!hasOneGrid(*partitioned))
    return {};
  sizes.state(*partitioned);
  auto local = partitioned->lookupSymbol<func::FuncOp>(entry);
  if (!local)
    return {};
  options.verify = options.timeOneDevice = false;
  options.oneDevice = nullptr;
  options.keepOutputs = true;
  options.onPartitioned = nullptr;
  // What the entry does not call may have no local types.
  options.partitionAll = false;
  FailureOr<RunReport> report =
      runProgram(*partitioned, local, std::move(options));
  if (failed(report))
    return {Verdict::CheckFailed,
            "with axes of unknown size: " + oneLine(errors.first)};
  // Which dynamic extents these axes divide is known to nobody before the run.
  if (StringRef(report->error).contains("a dynamic dimension of extent"))
    return {};
  if (!report->error.empty())
    return {Verdict::RunFailed,
            "with axes of unknown size: " + oneLine(report->error)};
  return compare(expected, report->outputs);
}

Outcome checkUnknownSizes(ModuleOp module, func::FuncOp entry,
                          RunOptions options,
                          const std::vector<HostTensor> &expected) {
  UnknownSizes sizes(module, options.seed);
  if (!sizes.any())
    return {};
  return checkWith(sizes, module, entry.getName(), std::move(options),
                   expected);
}

} // namespace shard::fuzz
