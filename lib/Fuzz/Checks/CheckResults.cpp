//===- CheckResults.cpp - Are the results of the grid those of one device? ---===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckResults.h"
#include "Inputs.h"

#include "shard/IR/ShardAttrs.h"
#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// Whether `function` returns parts of a sum, which are added where the results meet.
static bool returnsParts(func::FuncOp function) {
  for (unsigned number = 0; number < function.getNumResults(); ++number) {
    auto local =
        function.getResultAttrOfType<LocalAttr>(number, kLocalAttrName);
    ReductionKindAttr kind =
        local ? local.getSharding().getPartialKind() : ReductionKindAttr();
    if (kind && (kind.getValue() == ReductionKind::Sum ||
                 kind.getValue() == ReductionKind::Average))
      return true;
  }
  return false;
}

/// Whether devices, or those who read the results, add floats in `partitioned`.
static bool addsFloats(ModuleOp partitioned) {
  for (func::FuncOp function : partitioned.getOps<func::FuncOp>())
    if (returnsParts(function))
      return true;
  WalkResult walked = partitioned.walk([](Operation *op) {
    auto kind = op->getAttrOfType<ReductionKindAttr>("reduction");
    bool adds = isCollective(op) && kind &&
                (kind.getValue() == ReductionKind::Sum ||
                 kind.getValue() == ReductionKind::Average) &&
                llvm::any_of(op->getOperandTypes(), [](Type type) {
                  return isa<FloatType>(getElementTypeOrSelf(type));
                });
    return adds ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

/// Whether tosa.mul multiplies floats. MLIR folds a product with a constant 0 to 0, whatever
/// the sign of the other factor is.
static bool foldsProducts(func::FuncOp entry) {
  return entry->getParentOfType<ModuleOp>()
      .walk([](tosa::MulOp op) {
        return isa<FloatType>(getElementTypeOrSelf(op.getType()))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `entry` only states and changes shardings.
static bool onlyReshards(func::FuncOp entry) {
  return llvm::all_of(entry.getOps(), [](Operation &op) {
    return isa<func::ReturnOp>(op) || isa<ShardDialect>(op.getDialect());
  });
}

Outcome shard::fuzz::judgeResults(func::FuncOp entry, ModuleOp partitioned,
                                  const RunReport &report) {
  for (auto [index, result] : llvm::enumerate(report.results)) {
    if (!result.comparison)
      return {Verdict::CheckFailed, "a result was not compared"};
    const Comparison &comparison = *result.comparison;
    if (isReal(entry) && comparison.tolerance > 0)
      continue;
    if (comparison.equal && comparison.maxAbsolute == 0) {
      if (comparison.otherZeros == 0 ||
          (!onlyReshards(entry) && addsFloats(partitioned)) ||
          foldsProducts(entry))
        continue;
      return {Verdict::Wrong, "result " + std::to_string(index) + " has " +
                                  std::to_string(comparison.otherZeros) +
                                  " zeros of the other sign"};
    }
    std::string message;
    llvm::raw_string_ostream(message)
        << "result " << index << " is " << comparison.actual << " instead of "
        << comparison.expected << " at element " << comparison.worst;
    return {Verdict::Wrong, message};
  }
  return {};
}
