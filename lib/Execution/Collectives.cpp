//===- Collectives.cpp - What a partitioned program sends -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProgram.h"

#include "shard/Execution/PartitionedProgram.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Resharding/CostModel.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace shard;
using namespace shard::execution;

//===----------------------------------------------------------------------===//
// Where a collective stands and why
//===----------------------------------------------------------------------===//

/// What names a collective both in the IR and in the runtime's record.
template <typename Axes>
static std::string collectiveKey(StringRef kind, const Axes &axes,
                                 StringRef location) {
  std::string key = kind.str() + '|';
  for (int64_t axis : axes)
    key += std::to_string(axis) + ',';
  return key + '|' + location.str();
}

/// The first op outside the dialect that uses what `op` computes.
static std::string firstUser(Operation *op) {
  // Through how many casts, slices and collectives a user is looked for.
  constexpr int kMostSteps = 32;
  Operation *at = op;
  for (int steps = 0; steps < kMostSteps && !at->use_empty(); ++steps) {
    at = *at->user_begin();
    if (at->getName().getDialectNamespace() != "shard" &&
        !isa<tensor::CastOp, tensor::ExtractSliceOp>(at))
      break;
  }
  return at->getName().getStringRef().str();
}

namespace {
/// The place of a collective in the user's program and the op that needed it.
struct Origin {
  std::string place, reason;
};
} // namespace

static Origin originOf(Operation *op) {
  Origin origin;
  op->getLoc()->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && origin.reason.empty())
      origin.reason = name.getName().str();
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    origin.place =
        (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
         ":" + llvm::Twine(file.getColumn()))
            .str();
    return WalkResult::interrupt();
  });
  // An annotation only passes on what its users need.
  if (origin.reason.empty() ||
      StringRef(origin.reason).ends_with("shard.shard"))
    origin.reason = firstUser(op);
  return origin;
}

/// The axes of the group of `op`; nothing if it is no collective.
static std::optional<SmallVector<int16_t>> groupAxes(Operation *op) {
  if (!isa_and_nonnull<ShardDialect>(op->getDialect()))
    return std::nullopt;
  if (auto axes = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes"))
    return llvm::to_vector(axes.asArrayRef());
  if (auto axes = op->getAttrOfType<DenseI16ArrayAttr>("from_axes"))
    return llvm::to_vector(axes.asArrayRef());
  // The neighbours are those along the axes that split the block.
  if (auto halo = dyn_cast<UpdateHaloOp>(op)) {
    SmallVector<int16_t> axes;
    for (auto list : halo.getSplitAxes().getAxes())
      llvm::append_range(axes, list.asArrayRef());
    return axes;
  }
  return std::nullopt;
}

void execution::noteOrigins(ModuleOp module, GridProgram &program) {
  module.walk([&](Operation *op) {
    auto axes = groupAxes(op);
    if (!axes)
      return;
    Origin origin = originOf(op);
    std::string &known = program.origins[collectiveKey(
        op->getName().stripDialect(), *axes, origin.place)];
    if (known.empty())
      known = origin.reason;
    else if (known != origin.reason &&
             !StringRef(known).contains(origin.reason))
      known += ", " + origin.reason;
  });
}

void execution::reportCollectives(const GridProgram &program,
                                  ArrayRef<runtime::CallRecord> calls,
                                  RunReport &report) {
  for (const runtime::CallRecord &call : calls) {
    // A slice of what the device has is no communication.
    if (call.kind == AllSliceOp::getOperationName().split('.').second)
      continue;
    CollectiveReport row;
    row.kind = call.kind;
    auto names = program.axisNames.find(call.gridShape);
    for (int64_t axis : call.axes)
      row.axes.push_back(names != program.axisNames.end()
                             ? names->second[axis]
                             : std::to_string(axis));
    row.calls = call.count;
    row.bytesPerDevice = call.bytes;
    row.seconds = call.seconds;
    row.location = call.location;
    auto origin = program.origins.find(
        collectiveKey(call.kind, call.axes, call.location));
    if (origin != program.origins.end())
      row.neededBy = origin->second;
    report.collectives.push_back(std::move(row));
  }
}

//===----------------------------------------------------------------------===//
// Prediction
//===----------------------------------------------------------------------===//

/// The bytes of a tensor of static shape; -1 if an extent is unknown.
static int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return -1;
  std::optional<ElementType> element =
      getHostElementType(tensor.getElementType());
  return element ? tensor.getNumElements() * byteWidth(*element) : -1;
}

/// What one device sends in one call of `op`; -1 where it depends on the device or
/// is unknown.
static int64_t bytesOfCall(Operation *op, const Grid &grid,
                           ArrayRef<int16_t> axes) {
  auto kind =
      llvm::StringSwitch<std::optional<Collective>>(
          op->getName().getStringRef())
          .Case(AllGatherOp::getOperationName(), Collective::AllGather)
          .Case(AllReduceOp::getOperationName(), Collective::AllReduce)
          .Case(AllToAllOp::getOperationName(), Collective::AllToAll)
          .Case(ReduceScatterOp::getOperationName(), Collective::ReduceScatter)
          .Default(std::nullopt);
  if (!kind || op->getNumOperands() == 0)
    return -1;
  int64_t input = bytesOf(op->getOperand(0).getType());
  if (input < 0)
    return -1;
  int64_t devices = 1;
  for (int16_t axis : axes)
    devices *= grid.shape[axis];
  return std::llround(bytesSent(*kind, devices, double(input)));
}

namespace {

class Predictor {
public:
  explicit Predictor(ModuleOp module) : module(module) {}

  std::vector<CollectiveReport> take() { return std::move(rows); }

  /// Adds what the ops of `region` do in `times` executions of it; -1: unknown.
  void predict(Region &region, int64_t times) {
    for (mlir::Block &block : region)
      for (Operation &op : block)
        predict(&op, times);
  }

private:
  static int64_t product(int64_t a, int64_t b) {
    int64_t result;
    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result))
      return -1;
    return result;
  }

  void predict(Operation *op, int64_t times) {
    if (auto axes = groupAxes(op); axes && !isa<AllSliceOp>(op))
      add(op, *axes, times);
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      auto callee = dyn_cast_if_present<func::FuncOp>(
          call.resolveCallableInTable(&symbols));
      // A recursive function has calls without end.
      if (callee && open.insert(callee).second) {
        predict(callee.getFunctionBody(), times);
        open.erase(callee);
      }
      return;
    }
    int64_t inside = times;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      inside = product(times, trips && trips->getActiveBits() < 63
                                  ? trips->getSExtValue()
                                  : -1);
    }
    for (Region &region : op->getRegions())
      predict(region, inside);
  }

  void add(Operation *op, ArrayRef<int16_t> axes, int64_t times) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    GridOp gridOp = symbol ? getGrid(op, symbol, symbols) : GridOp();
    FailureOr<Grid> grid = gridOp ? staticGrid(gridOp) : FailureOr<Grid>();
    if (failed(grid))
      return;
    GridOp base = gridOp;
    if (FlatSymbolRefAttr refined = gridOp.getRefinesAttr())
      if (GridOp found = getGrid(op, refined, symbols))
        base = found;
    std::vector<std::string> names = axisNamesOf(gridOp, base);
    CollectiveReport row;
    row.kind = op->getName().stripDialect().str();
    for (int16_t axis : axes)
      row.axes.push_back(names[axis]);
    row.calls = times;
    int64_t bytes = bytesOfCall(op, *grid, axes);
    row.bytesPerDevice = times < 0 ? bytes : product(bytes, times);
    Origin origin = originOf(op);
    row.location = std::move(origin.place);
    row.neededBy = std::move(origin.reason);
    rows.push_back(std::move(row));
  }

  ModuleOp module;
  SymbolTableCollection symbols;
  llvm::SmallPtrSet<Operation *, 4> open;
  std::vector<CollectiveReport> rows;
};

} // namespace

std::vector<CollectiveReport> shard::predictCollectives(func::FuncOp entry) {
  Predictor predictor(entry->getParentOfType<ModuleOp>());
  predictor.predict(entry.getFunctionBody(), 1);
  return predictor.take();
}
