//===- LoopHints.cpp - Axes for the loops of random ops ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loops an op has, its model knows and no text says. So these hints are put
// on the parsed program.
//
//===----------------------------------------------------------------------===//

#include "LoopHints.h"

#include "shard/Execution/Verify.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/LoopTable.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

/// One for all programs of this process.
static MLIRContext &hintContext() {
  static std::unique_ptr<MLIRContext> context = [] {
    DialectRegistry registry;
    registerRunDialects(registry);
    return std::make_unique<MLIRContext>(registry,
                                         MLIRContext::Threading::DISABLED);
  }();
  return *context;
}

/// The axes that a hint at `op` may name.
static std::vector<GridAxis> freeAxes(Operation *op, GridOp grid) {
  std::vector<GridAxis> axes;
  auto manual = op->getParentOfType<ManualComputationOp>();
  for (int64_t axis = 0; axis < grid.getRank(); ++axis) {
    bool taken = false;
    for (ManualComputationOp around = manual; around;
         around = around->getParentOfType<ManualComputationOp>())
      for (AxisRefAttr ref : around.getManualAxes().getAsRange<AxisRefAttr>())
        taken |= grid.axisNumber(ref) == axis;
    if (!taken)
      axes.push_back(GridAxis(axis));
  }
  return axes;
}

/// Axes dealt to the loops that can be split.
static ShardingOption randomOption(const LoopTable &table,
                                   std::vector<GridAxis> axes, Random &rng,
                                   bool wrong) {
  ShardingOption option;
  option.loops.resize(table.loops.size());
  rng.shuffle(axes);
  for (GridAxis axis : axes) {
    if (rng.chance(30))
      continue;
    int64_t loop = rng.between(0, int64_t(table.loops.size()) - 1);
    if (wrong || table.loops[loop].kind != LoopKind::Invalid)
      option.loops[loop].push_back(axis);
  }
  return option;
}

static ShardingAttr toAttr(GridOp grid, const ShardingOption &option,
                           Random &rng) {
  MLIRContext *context = grid.getContext();
  bool names = grid.getAxisNames() && rng.chance(50);
  SmallVector<DimShardingAttr> dims;
  for (const AxisList &loop : option.loops) {
    SmallVector<AxisRefAttr> axes;
    for (GridAxis axis : loop)
      axes.push_back(names ? AxisRefAttr::get(context, grid.axisName(axis))
                           : AxisRefAttr::get(context, int64_t(axis)));
    dims.push_back(
        DimShardingAttr::get(context, axes, rng.chance(10), /*priority=*/-1));
  }
  return ShardingAttr::get(FlatSymbolRefAttr::get(grid), dims);
}

std::string shard::fuzz::addLoopHints(const std::string &program, Random &rng,
                                      int64_t percent, bool wrong) {
  MLIRContext &context = hintContext();
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return program;
  auto grids = module->getOps<GridOp>();
  if (grids.empty())
    return program;
  GridOp gridOp = *grids.begin();
  FailureOr<Grid> grid = staticGrid(gridOp);
  if (failed(grid))
    return program;
  bool any = false;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    bool hasBody = dialect == "linalg" || dialect == "tensor";
    bool fits =
        isa<ShardingInterface>(op) && dialect != "shard" &&
        !op->hasTrait<OpTrait::IsTerminator>() &&
        (hasBody || op->getNumRegions() == 0) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    WalkResult on = hasBody ? WalkResult::skip() : WalkResult::advance();
    if (!fits || !rng.chance(percent))
      return on;
    LoopTable table = buildLoopTable(op);
    if (table.loops.empty())
      return on;
    bool wrongHere = wrong && rng.chance(20);
    ShardingOption option =
        randomOption(table, freeAxes(op, gridOp), rng, wrongHere);
    if (wrongHere && rng.chance(30))
      option.loops.pop_back();
    if (!wrongHere && !isExpressible(table, *grid, option))
      return on;
    op->setDiscardableAttr(kLoopsAttrName, toAttr(gridOp, option, rng));
    any = true;
    return on;
  });
  if (!any)
    return program;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << '\n';
  return text;
}
