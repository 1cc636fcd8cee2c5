//===- GridProgram.cpp - A partitioned program, compiled ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProgram.h"

#include "shard/Cost/Links.h"
#include "shard/Execution/Hints.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Reference/Reference.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace shard;
using namespace shard::execution;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// `sharding` with the names of axes.
static std::string describe(const Sharding &sharding,
                            ArrayRef<std::string> axisNames) {
  auto axis = [&](GridAxis number) {
    return axisNames.empty() ? std::to_string(number) : axisNames[number];
  };
  auto list = [&](const AxisList &axes) {
    return "[" + llvm::join(llvm::map_range(axes, axis), ", ") + "]";
  };
  std::string text =
      "[" + llvm::join(llvm::map_range(sharding.dims, list), ", ") + "]";
  if (!sharding.partial.empty())
    text += " partial = " + std::string(keyword(sharding.reduction)) + " " +
            list(sharding.partial);
  return text;
}

/// The global shape and sharding of a value of local `type` with the attribute
/// `shard.local`, which may be missing.
static FailureOr<GridValue> readLocal(func::FuncOp function, Type type,
                                      Attribute attribute, GridOp base,
                                      std::vector<ValueReport> &reports) {
  auto local = dyn_cast_if_present<LocalAttr>(attribute);
  GridValue value;
  value.grid = *staticGrid(base);
  if (!local) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      value.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      value.sharding = Sharding::replicated(tensor.getRank());
    }
    reports.push_back({print(type),
                       describe(value.sharding, {}),
                       0,
                       value.grid,
                       value.sharding,
                       {}});
    return value;
  }
  SymbolTableCollection symbols;
  FailureOr<LocalSharding> read = resolveLocal(function, local, symbols);
  if (failed(read))
    return failure();
  value.grid = std::move(read->sizes);
  value.sharding = std::move(read->sharding);
  ArrayRef<int64_t> shape = local.getType().getShape();
  value.shape.assign(shape.begin(), shape.end());
  reports.push_back({print(local.getType()),
                     describe(value.sharding, axisNamesOf(read->grid)),
                     0,
                     value.grid,
                     value.sharding,
                     {}});
  return value;
}

static FailureOr<Grid> describeGrid(GridOp gridOp, RunReport &report) {
  FailureOr<Grid> grid = staticGrid(gridOp);
  if (failed(grid))
    return gridOp.emitError()
           << "has an axis of unknown size: say by --grid what to run on";
  report.gridName = gridOp.getSymName().str();
  report.gridShape = grid->shape;
  if (gridOp.getAxisNames())
    report.axisNames = axisNamesOf(gridOp);
  return grid;
}

LogicalResult execution::checkProcesses(GridOp gridOp,
                                        const runtime::Processes *processes) {
  if (!processes)
    return success();
  FailureOr<Grid> grid = staticGrid(gridOp);
  // Of axes without a size the partition says what is wrong.
  if (failed(grid))
    return success();
  int64_t devices = grid->numDevices();
  if (devices != processes->count())
    return emitError(gridOp.getLoc())
           << "the grid has " << devices << " devices, but there are "
           << processes->count() << " processes: start " << devices
           << ", as by mpirun -n " << devices;
  SymbolTableCollection symbols;
  ArrayRef<int64_t> ids = deviceIdsOf(gridOp, symbols);
  if (!ids.empty() && !llvm::is_contained(ids, processes->number()))
    return emitError(gridOp.getLoc())
           << "device_ids of the grid name no device " << processes->number()
           << ", which is the number of a process";
  return success();
}

FailureOr<GridProgram>
execution::partitionForGrid(ModuleOp module, StringRef entryName, GridOp gridOp,
                            const RunOptions &options, RunReport &report) {
  GridProgram program;
  FailureOr<Grid> grid = describeGrid(gridOp, report);
  if (failed(grid) || failed(checkConstants(module)))
    return failure();
  program.grid = *grid;
  SymbolTableCollection symbols;
  program.deviceIds = deviceIdsOf(gridOp, symbols).vec();

  PassManager passes(module.getContext());
  if (isPartitioned(module.lookupSymbol<func::FuncOp>(entryName)))
    passes.addPass(createShardVerifySpmd());
  else
    buildSpmdPipeline(passes, options.pipeline);
  if (failed(runMonitored(passes, module, "partition", options.monitor)))
    return failure();
  if (options.onPartitioned)
    options.onPartitioned(module);

  for (auto other : module.getOps<GridOp>())
    if (FailureOr<Grid> sizes = staticGrid(other); succeeded(sizes))
      program.axisNames.try_emplace(sizes->shape, axisNamesOf(other));
  auto entry = module.lookupSymbol<func::FuncOp>(entryName);
  report.cost = predictProgram(entry);
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    FailureOr<GridValue> value = readLocal(entry, entry.getArgumentTypes()[i],
                                           entry.getArgAttr(i, kLocalAttrName),
                                           gridOp, report.arguments);
    if (failed(value))
      return failure();
    program.arguments.push_back(std::move(*value));
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    FailureOr<GridValue> value = readLocal(
        entry, entry.getResultTypes()[i],
        entry.getResultAttr(i, kLocalAttrName), gridOp, report.results);
    if (failed(value))
      return failure();
    program.results.push_back(std::move(*value));
  }
  return program;
}

LogicalResult execution::compileForGrid(ModuleOp module, StringRef entryName,
                                        const RunOptions &options,
                                        GridProgram &program) {
  if (failed(lowerTosa(module)))
    return failure();
  CompileOptions compileOptions = compileWithRuntime(
      options, options.processes ? options.processes->symbols()
                                 : runtime::runtimeSymbols());
  if (options.mpiDialect) {
    // Messages need nothing of the runtime but what tells of a failed assertion.
    llvm::erase_if(compileOptions.symbols, [](const auto &symbol) {
      return symbol.first != "shard_rt_fail";
    });
    runtime::Processes *processes = options.processes;
    compileOptions.mpi = processes ? processes->mpiName() : runtime::mpiName();
    for (auto [name, address] :
         processes ? processes->mpiSymbols() : runtime::mpiSymbols())
      compileOptions.symbols.emplace_back(name, address);
  }
  auto code = compile(module, entryName, compileOptions);
  if (failed(code))
    return failure();
  program.code = std::move(*code);
  return success();
}

CompileOptions execution::compileWithRuntime(
    const RunOptions &options,
    const std::vector<std::pair<const char *, void *>> &symbols) {
  CompileOptions result;
  result.optLevel = options.optLevel;
  result.verifies = options.verifies;
  result.total = result.checkExtents = options.total;
  result.target = options.target;
  result.monitor = options.monitor;
  for (auto [name, address] : symbols)
    result.symbols.emplace_back(name, address);
  return result;
}

FailureOr<TensorSpec> execution::argumentSpec(func::FuncOp entry,
                                              unsigned index) {
  Type type = entry.getArgumentTypes()[index];
  // Inputs of programs that are partitioned already are global too.
  if (auto local = entry.getArgAttrOfType<LocalAttr>(index, kLocalAttrName))
    type = local.getType();
  if (std::optional<TensorSpec> spec = getTensorSpec(type))
    return *spec;
  return emitError(entry.getArgument(index).getLoc())
         << "argument " << index << " has type " << type
         << ", which has no form in host memory";
}

LogicalResult execution::checkInput(func::FuncOp entry, unsigned index,
                                    ElementType type, ArrayRef<int64_t> shape,
                                    const HostTensor &input) {
  auto mayBe = [](int64_t wanted, int64_t given) {
    return ShapedType::isDynamic(wanted) || wanted == given;
  };
  if (input.type() == type &&
      std::equal(shape.begin(), shape.end(), input.shape().begin(),
                 input.shape().end(), mayBe))
    return success();
  return emitError(entry.getArgument(index).getLoc())
         << "argument " << index << " takes " << toString(type, shape)
         << ", but the input is " << toString(input.type(), input.shape());
}

void execution::describeUnpartitioned(func::FuncOp entry, RunReport &report) {
  for (Type type : entry.getArgumentTypes())
    report.arguments.push_back({print(type), "", 0, {}, {}, {}});
  for (Type type : entry.getResultTypes())
    report.results.push_back({print(type), "", 0, {}, {}, {}});
}
