//===- CheckCalls.cpp - Collectives listed and called ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCalls.h"

#include "shard/Codegen/Compile.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// The bytes of a value of `type` in host memory; -1 where that is not known.
static int64_t bytesOf(Type type) {
  std::optional<TensorSpec> spec = getTensorSpec(type);
  if (!spec)
    return -1;
  int64_t bytes = byteWidth(spec->type);
  for (int64_t extent : spec->shape) {
    if (ShapedType::isDynamic(extent))
      return -1;
    bytes *= extent;
  }
  return bytes;
}

static bool isMovedInParts(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<ComplexType>(element) ||
         (element.isInteger() && element.getIntOrFloatBitWidth() > 64);
}

/// The axes of a collective's group, in the order in which the runtime knows them;
/// nothing for other ops.
static std::optional<std::vector<int64_t>> groupOf(Operation *op) {
  if (op->getName().getDialectNamespace() != "shard")
    return std::nullopt;
  std::vector<int64_t> group;
  if (auto halo = dyn_cast<UpdateHaloOp>(op)) {
    for (DenseI16ArrayAttr axes : halo.getSplitAxes())
      llvm::append_range(group, axes.asArrayRef());
    return group;
  }
  auto axes = op->getAttrOfType<DenseI16ArrayAttr>(
      isa<PermuteOp>(op) ? "from_axes" : "grid_axes");
  if (!axes)
    return std::nullopt;
  llvm::append_range(group, axes.asArrayRef());
  // Those that exchange agree outside of both lists.
  if (auto permute = dyn_cast<PermuteOp>(op))
    for (int64_t axis : permute.getToAxes())
      if (!llvm::is_contained(group, axis))
        group.push_back(axis);
  return group;
}

/// Whether `root` has operands, and all that they are made of are constants: it may be
/// folded behind the passes that the program has seen, as where tosa ops are lowered later.
static bool isMadeOfConstants(Operation *root) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value> worklist(root->getOperands());
  if (worklist.empty())
    return false;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    // An index of the process is none of the operands of its op.
    if (!op || op->getNumRegions() > 0 ||
        (op->getNumOperands() == 0 &&
         isa_and_nonnull<ShardDialect>(op->getDialect())))
      return false;
    if (seen.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// The collectives between which and a result of the program is nothing but
/// collectives.
static llvm::SmallPtrSet<Operation *, 8> neededCalls(ModuleOp partitioned) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  SmallVector<Value> worklist;
  for (auto function : partitioned.getOps<func::FuncOp>())
    if (function.isPublic() && function.getBody().hasOneBlock())
      llvm::append_range(worklist,
                         function.front().getTerminator()->getOperands());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && op->getName().getDialectNamespace() == "shard" &&
        !isMadeOfConstants(op) && needed.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return needed;
}

CallList shard::fuzz::listCalls(ModuleOp partitioned) {
  CallList list;
  llvm::SmallPtrSet<Operation *, 8> needed = neededCalls(partitioned);
  SymbolTableCollection symbols;
  partitioned.walk([&](Operation *op) {
    list.straight &= !isa<func::CallOp>(op);
    // Bodies of linalg and tensor ops hold no collectives.
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "scf" || dialect == "cf")
      list.straight = false;
    auto gridName = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    std::optional<std::vector<int64_t>> group = groupOf(op);
    if (!group || !gridName)
      return;
    GridOp grid = getGrid(op, gridName, symbols);
    if (!grid)
      return;
    CallList::Key key(
        op->getName().stripDialect().str(),
        std::vector<int64_t>(grid.getShape().begin(), grid.getShape().end()),
        std::move(*group));
    // By a combiner of its own devices combine what they gather (shard-expand-combiners).
    if (op->getNumRegions() > 0) {
      list.straight = false;
      for (const char *kind : {"all_gather", "all_slice"})
        list.sums[{kind, std::get<1>(key), std::get<2>(key)}];
    }
    // Complex numbers and wide integers are moved in parts, by a call for each.
    if (llvm::any_of(op->getOperandTypes(), isMovedInParts))
      list.straight = false;
    CallList::Sum &sum = list.sums[key];
    ++sum.count;
    sum.needed += needed.contains(op);
    // The operand of a recv gives a shape only.
    if (op->getNumOperands() == 0 || isa<RecvOp>(op))
      return;
    auto operand = dyn_cast<ShapedType>(op->getOperand(0).getType());
    auto result = op->getNumResults() > 0
                      ? dyn_cast<ShapedType>(op->getResult(0).getType())
                      : nullptr;
    // What is combined has been converted to the type of the result.
    int64_t bytes =
        bytesOf(operand && result ? operand.clone(result.getElementType())
                                  : op->getOperand(0).getType());
    list.sized &= bytes >= 0;
    sum.inputBytes += bytes;
  });
  return list;
}

/// "all_gather over axes 0, 1 of a grid 2x3".
static std::string describe(const CallList::Key &key) {
  auto join = [](const std::vector<int64_t> &numbers, const char *separator) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : separator) + std::to_string(number);
    return text;
  };
  return std::get<0>(key) + " over axes " + join(std::get<2>(key), ", ") +
         " of a grid " + join(std::get<1>(key), "x");
}

std::string
shard::fuzz::compareCalls(const CallList &listed,
                          const std::vector<runtime::CallRecord> &called) {
  std::map<CallList::Key, CallList::Sum> sums;
  for (const runtime::CallRecord &record : called) {
    CallList::Key key(record.kind, record.gridShape, record.axes);
    sums[key].count += record.count;
    sums[key].inputBytes += record.inputBytes;
    if (!listed.sums.count(key))
      return "the run called " + describe(key) +
             ", which the program does not contain";
  }
  if (!listed.straight)
    return {};
  for (const auto &[key, sum] : listed.sums) {
    const CallList::Sum &actual = sums[key];
    if (actual.count > sum.count)
      return "the run made " + std::to_string(actual.count) + " calls of " +
             describe(key) + " where the program has " +
             std::to_string(sum.count);
    if (actual.count < sum.needed)
      return "the run made " + std::to_string(actual.count) + " calls of " +
             describe(key) + " where the program needs " +
             std::to_string(sum.needed);
    if (listed.sized && actual.count == sum.count &&
        actual.inputBytes != sum.inputBytes)
      return "the calls of " + describe(key) + " took " +
             std::to_string(actual.inputBytes) +
             " bytes where the program has " + std::to_string(sum.inputBytes);
  }
  return {};
}

std::string shard::fuzz::compareReport(const RunReport &report) {
  std::map<std::string, int64_t> told, called;
  for (const CollectiveReport &row : report.collectives)
    told[row.kind] += row.calls;
  for (const runtime::CallRecord &record : report.calls)
    if (record.kind != "all_slice")
      called[record.kind] += record.count;
  if (told == called)
    return {};
  for (const auto &[kind, count] : called)
    if (told[kind] != count)
      return "the report tells of " + std::to_string(told[kind]) +
             " calls of " + kind + " where the run made " +
             std::to_string(count);
  return "the report tells of calls that the run did not make";
}

std::string
shard::fuzz::comparePrediction(const ProgramCost &cost,
                               const std::vector<runtime::CallRecord> &called) {
  std::map<CallKey, PredictedCalls> predicted = predictCalls(cost);
  auto name = [](const CallKey &key) {
    return describe({std::get<0>(key), std::get<1>(key), std::get<2>(key)}) +
           " at " + std::get<3>(key);
  };
  std::map<CallKey, const runtime::CallRecord *> records;
  for (const runtime::CallRecord &record : called) {
    if (record.kind == "all_slice")
      continue;
    CallKey key(record.kind, record.gridShape, record.axes, record.location);
    records[key] = &record;
    if (!predicted.count(key))
      return "the run called " + name(key) + ", which was not predicted";
  }
  for (const auto &[key, row] : predicted) {
    auto found = records.find(key);
    int64_t count = found == records.end() ? 0 : found->second->count;
    int64_t bytes = found == records.end() ? 0 : found->second->bytes;
    if (row.calls.most && (count > *row.calls.most ||
                           (row.calls.exact && count < *row.calls.most)))
      return "the run made " + std::to_string(count) + " calls of " +
             name(key) + " where " + std::to_string(*row.calls.most) +
             " were predicted";
    if (row.bytes &&
        (bytes > *row.bytes || (row.calls.exact && bytes < *row.bytes)))
      return "the run sent " + std::to_string(bytes) + " bytes by " +
             name(key) + " where " + std::to_string(*row.bytes) +
             " were predicted";
  }
  return {};
}
