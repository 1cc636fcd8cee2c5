//===- PartitionProgram.cpp - Partition of a module or function -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All annotations are read before anything changes, so that calls know the
// signatures of their callees; then each function is rebuilt.
//
//===----------------------------------------------------------------------===//

#include "shard/Transforms/Transforms.h"

#include "Import/Encodings.h"
#include "Import/OpHints.h"
#include "Import/UnreachableBlocks.h"
#include "Partition/FunctionPartitioner.h"
#include "Partition/FunctionShardings.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/ManualCalls.h"
#include "shard/Partitioning/PlanTrace.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace shard {

using FunctionShardingsMap =
    llvm::MapVector<Operation *, std::unique_ptr<FunctionShardings>>;

/// A function pass sees one function only, so the other end of a call would
/// keep the old signature.
static LogicalResult rejectCalls(Operation *root) {
  if (isa<ModuleOp>(root))
    return success();
  WalkResult walk = root->walk([](CallOpInterface call) {
    if (!isa<SymbolRefAttr>(call.getCallableForCallee()))
      return WalkResult::advance();
    call.emitError() << "a function that calls another one cannot be "
                        "partitioned alone; run the pass on the module";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// The axes that are manual in `callers`.
static ManualAxes
manualAxes(const llvm::SetVector<ManualComputationOp> &callers,
           SymbolTableCollection &symbols) {
  ManualAxes axes;
  for (ManualComputationOp manual : callers) {
    GridOp grid = getGrid(manual, manual.getGridAttr(), symbols);
    for (auto reference : manual.getManualAxes().getAsRange<AxisRefAttr>()) {
      std::optional<GridAxis> axis = grid.axisNumber(reference);
      if (axis && !llvm::is_contained(axes[grid], *axis))
        axes[grid].push_back(*axis);
    }
  }
  return axes;
}

/// A function that is called in a manual computation is a part of it: what its collectives
/// combine along other axes are blocks that nobody has stated.
static LogicalResult checkCollectives(Operation *function,
                                      const ManualAxes &manual,
                                      SymbolTableCollection &symbols) {
  WalkResult walk = function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (manual.empty() || isa<ManualComputationOp>(op))
      return WalkResult::skip();
    auto used = op->getAttrOfType<GridAxesAttr>("grid_axes");
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    if (!used || !symbol || !isa_and_nonnull<ShardDialect>(op->getDialect()))
      return WalkResult::advance();
    GridOp grid = getGrid(op, symbol, symbols);
    auto known = manual.find(grid);
    if (known == manual.end())
      return WalkResult::advance();
    for (GridAxis axis : used.asArrayRef())
      if (grid.getShape()[axis] != 1 &&
          !llvm::is_contained(known->second, axis)) {
        op->emitError() << "uses axis " << grid.axisName(axis)
                        << ", which is not manual where its function is called";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// Whether the type of a function with `signature` changes.
static bool hasSharded(const SignatureShardings &signature) {
  auto isSharded = [](const Sharding *sharding) {
    return sharding && !sharding->isReplicated();
  };
  return llvm::any_of(signature.arguments, isSharded) ||
         llvm::any_of(signature.results, isSharded);
}

/// A function that states nothing itself, but calls one that is on a grid, has all its values
/// replicated on that grid: whoever runs it needs to know of the grid.
static void giveGridsToCallers(const FunctionShardingsMap &functions,
                               SymbolTableCollection &symbols) {
  DenseMap<Operation *, SmallVector<Operation *, 2>> callers;
  SmallVector<Operation *> onGrids;
  for (auto &[function, shardings] : functions) {
    if (shardings->gridOp)
      onGrids.push_back(function);
    function->walk([&, caller = function](CallOpInterface call) {
      if (auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
        callers[symbols.lookupNearestSymbolFrom(call, symbol)].push_back(
            caller);
    });
  }
  for (size_t next = 0; next < onGrids.size(); ++next) {
    GridOp grid = functions.find(onGrids[next])->second->gridOp;
    for (Operation *caller : callers.lookup(onGrids[next]))
      if (GridOp &used = functions.find(caller)->second->gridOp; !used) {
        used = grid;
        onGrids.push_back(caller);
      }
  }
}

/// A function that is used as a value must keep its type: whoever calls it does not
/// know the local one.
static LogicalResult checkFunctionValues(Operation *root,
                                         const FunctionShardingsMap &functions,
                                         SymbolTableCollection &symbols) {
  WalkResult walk = root->walk([&](Operation *op) {
    if (op->getNumOperands() || op->getNumResults() != 1 ||
        !isa<FunctionType>(op->getResult(0).getType()))
      return WalkResult::advance();
    for (NamedAttribute attribute : op->getAttrs()) {
      auto symbol = dyn_cast<SymbolRefAttr>(attribute.getValue());
      auto function = functions.find(
          symbol ? symbols.lookupNearestSymbolFrom(op, symbol) : nullptr);
      if (function == functions.end() ||
          !hasSharded(function->second->signature))
        continue;
      InFlightDiagnostic error =
          op->emitError()
          << "makes a value of function " << symbol
          << ", whose arguments or results are sharded; call it directly, or "
             "state that they are replicated";
      error.attachNote(function->first->getLoc()) << "the function";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// States the shardings that are asked for by get_sharding, now that they are known.
static LogicalResult stateAskedShardings(Operation *function,
                                         const FunctionShardings &shardings) {
  SmallVector<GetShardingOp> asked;
  function->walk([&](GetShardingOp op) {
    if (!op->use_empty())
      asked.push_back(op);
  });
  for (GetShardingOp op : asked) {
    OpBuilder builder(op);
    const Sharding *sharding = shardings.of(op.getSource());
    GridOp grid = shardings.gridOf(op.getSource());
    if (!grid)
      grid = shardings.gridOp;
    if (!grid || !sharding)
      return op.emitError(
          "asks for a sharding in a function that uses no grid; "
          "annotate a value of the function");
    op.getResult().replaceAllUsesWith(
        buildSharding(builder, op.getLoc(), grid.getSymName(), *sharding)
            .getResult());
  }
  return success();
}

/// Whoever partitions without propagation would get a program without their wishes, and
/// no word of it.
static LogicalResult rejectHints(Operation *root) {
  constexpr StringLiteral advice =
      ", which propagation reads; run sharding-propagation before "
      "shard-partition";
  WalkResult walk = root->walk([&](Operation *op) {
    auto constraint = dyn_cast<ConstraintOp>(op);
    // Propagation leaves what unreachable code makes from itself.
    Operation *source =
        constraint ? constraint.getInput().getDefiningOp() : nullptr;
    if (source && source->getBlock() == op->getBlock() &&
        !source->isBeforeInBlock(op))
      return WalkResult::advance();
    if (hasShardingEncoding(op))
      op->emitError("has a tensor type with a sharding as its encoding")
          << advice;
    else if (constraint || isa<GroupOp>(op))
      mlir::emitError(op->getLoc())
          << "'" << op->getName() << "' is a hint" << advice;
    else if (hasOpHint(op))
      op->emitError() << "'"
                      << (op->hasAttr(kLoopsAttrName) ? kLoopsAttrName
                                                      : kShardingAttrName)
                      << "' on an op is a hint" << advice;
    else
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Arguments of public functions may arrive whole: that is what a host passes. Callers
/// of private functions have blocks.
static void setArriving(FunctionShardingsMap &functions, ShardingPool &pool,
                        const PartitionOptions &options) {
  for (auto &[op, shardings] : functions) {
    auto function = cast<FunctionOpInterface>(op);
    SignatureShardings &signature = shardings->signature;
    signature.arriving = signature.arguments;
    if (!options.globalArguments || !function.isPublic() ||
        function.isExternal())
      continue;
    for (const Sharding *&sharding : signature.arriving)
      if (sharding)
        sharding = pool.replicated(sharding->dims.size());
  }
}

LogicalResult partitionProgram(Operation *root,
                               const PartitionOptions &options) {
  return partitionProgram(root, options, nullptr);
}

LogicalResult partitionProgram(Operation *root, const PartitionOptions &options,
                               PlannedReshards *planned) {
  dropUnreachableBlocks(root);
  SmallVector<ShardingOp> shardings;
  SmallVector<ShardOp> annotations;
  root->walk([&](Operation *op) {
    if (auto sharding = dyn_cast<ShardingOp>(op))
      shardings.push_back(sharding);
    else if (auto annotation = dyn_cast<ShardOp>(op))
      annotations.push_back(annotation);
  });
  if (failed(rejectCalls(root)) || failed(rejectHints(root)) ||
      failed(makeShardingsStatic(shardings)))
    return failure();
  startAtAnnotations(annotations);
  reshardChains(annotations);
  SymbolTableCollection symbols;
  ShardingPool pool;
  FunctionShardingsMap functions;
  WalkResult read = root->walk([&](FunctionOpInterface function) {
    auto shardings =
        std::make_unique<FunctionShardings>(function, pool, symbols);
    if (failed(shardings->read()))
      return WalkResult::interrupt();
    functions[function] = std::move(shardings);
    return WalkResult::skip();
  });
  if (read.wasInterrupted() ||
      failed(checkFunctionValues(root, functions, symbols)))
    return failure();
  giveGridsToCallers(functions, symbols);
  setArriving(functions, pool, options);
  for (auto &[function, shardings] : functions)
    if (failed(stateAskedShardings(function, *shardings)))
      return failure();

  SmallVector<FunctionOpInterface> all;
  for (auto &[function, shardings] : functions)
    all.push_back(cast<FunctionOpInterface>(function));
  // Partition replaces manual computations by their bodies: what is asked of them is read before.
  llvm::DenseMap<Operation *, ManualAxes> manualIn;
  for (const auto &[function, callers] : findManualCallers(all, symbols))
    manualIn[function] = manualAxes(callers, symbols);

  auto signatureOf = [&](Operation *call,
                         StringRef callee) -> const SignatureShardings * {
    Operation *target = symbols.lookupNearestSymbolFrom(
        call, StringAttr::get(call->getContext(), callee));
    auto it = functions.find(target);
    return it == functions.end() ? nullptr : &it->second->signature;
  };
  ProgramGrids grids(root);
  grids.remarkOtherMachines();
  for (auto &[function, shardings] : functions) {
    ManualAxes manual = manualIn.lookup(function);
    if (failed(checkCollectives(function, manual, symbols)))
      return failure();
    // Without a grid nothing is sharded and the function stays as it is.
    if (!shardings->gridOp) {
      if (failed(expandShardShapes(function, symbols)))
        return failure();
      continue;
    }
    if (function == root && cast<FunctionOpInterface>(function).isPrivate())
      return function->emitError() << "a private function cannot be "
                                      "partitioned apart from its calls; "
                                      "run the pass on the module";
    LocalFunction local(cast<FunctionOpInterface>(function), *shardings, pool,
                        grids, signatureOf, options, planned);
    if (failed(shardings->checkWithout(manual)))
      return failure();
    local.setManual(manual);
    if (failed(FunctionPartitioner(local, symbols).run()))
      return failure();
  }
  return success();
}

} // namespace shard
