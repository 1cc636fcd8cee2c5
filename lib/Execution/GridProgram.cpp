//===- GridProgram.cpp - A partitioned program, compiled ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProgram.h"

#include "shard/Conversion/Conversion.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Pass/PassManager.h"
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
    text += (" partial = " + keyword(sharding.reduction) + " ").str() +
            list(sharding.partial);
  return text;
}

/// The global shape and sharding of a value of local `type` with the attribute
/// `shard.local`, which may be missing.
static FailureOr<GridValue> readLocal(func::FuncOp function, Type type,
                                      Attribute attribute,
                                      ArrayRef<std::string> axisNames,
                                      std::vector<ValueReport> &reports) {
  auto local = dyn_cast_if_present<LocalAttr>(attribute);
  GridValue value;
  if (!local) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      value.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      value.sharding = Sharding::replicated(tensor.getRank());
    }
    reports.push_back(
        {print(type), describe(value.sharding, axisNames), 0, {}});
    return value;
  }
  SymbolTableCollection symbols;
  GridOp grid = getGrid(function, local.getSharding().getGrid(), symbols);
  if (!grid)
    return function.emitError() << "names a grid that is not there";
  auto emit = [&]() { return function.emitError(); };
  FailureOr<ResolvedSharding> resolved =
      resolve(local.getSharding(), grid, local.getType(), emit);
  if (failed(resolved))
    return failure();
  FailureOr<Sharding> sharding = toSharding(*resolved);
  if (failed(sharding))
    return function.emitError()
           << "states a sharding with sub-axes after partition";
  value.sharding = std::move(*sharding);
  ArrayRef<int64_t> shape = local.getType().getShape();
  value.shape.assign(shape.begin(), shape.end());
  reports.push_back(
      {print(local.getType()), describe(value.sharding, axisNames), 0, {}});
  return value;
}

static FailureOr<Grid> describeGrid(GridOp gridOp, RunReport &report,
                                    std::vector<std::string> &axisNames) {
  FailureOr<Grid> grid = staticGrid(gridOp);
  if (failed(grid))
    return gridOp.emitError()
           << "has an axis of unknown size: say by --grid what to run on";
  report.gridName = gridOp.getSymName().str();
  report.gridShape = grid->shape;
  if (gridOp.getAxisNames())
    for (int64_t axis = 0; axis < gridOp.getRank(); ++axis)
      axisNames.push_back(gridOp.axisName(axis));
  report.axisNames = axisNames;
  return grid;
}

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
  Operation *at = op;
  for (int steps = 0; steps < 32 && !at->use_empty(); ++steps) {
    at = *at->user_begin();
    if (at->getName().getDialectNamespace() != "shard" &&
        !isa<tensor::CastOp, tensor::ExtractSliceOp>(at))
      break;
  }
  return at->getName().getStringRef().str();
}

/// Notes for each collective which op needed it: partition says so by the name
/// around the op's location.
static void noteOrigins(ModuleOp module, GridProgram &program) {
  module.walk([&](Operation *op) {
    auto axes = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes");
    if (!axes || op->getName().getDialectNamespace() != "shard")
      return;
    std::string place, reason;
    op->getLoc()->walk([&](Location part) {
      if (auto name = dyn_cast<NameLoc>(part); name && reason.empty())
        reason = name.getName().str();
      auto file = dyn_cast<FileLineColLoc>(part);
      if (!file)
        return WalkResult::advance();
      place =
          (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
           ":" + llvm::Twine(file.getColumn()))
              .str();
      return WalkResult::interrupt();
    });
    // An annotation only passes on what its users need.
    if (reason.empty() || StringRef(reason).ends_with("shard.shard"))
      reason = firstUser(op);
    std::string &known = program.origins[collectiveKey(
        op->getName().stripDialect(), axes.asArrayRef(), place)];
    if (known.empty())
      known = reason;
    else if (known != reason && !StringRef(known).contains(reason))
      known += ", " + reason;
  });
}

FailureOr<GridProgram>
execution::buildGridProgram(ModuleOp module, StringRef entryName, GridOp gridOp,
                            const RunOptions &options, RunReport &report) {
  GridProgram program;
  FailureOr<Grid> grid = describeGrid(gridOp, report, program.axisNames);
  if (failed(grid))
    return failure();
  program.grid = *grid;

  PassManager passes(module.getContext());
  buildSpmdPipeline(passes, options.pipeline);
  if (failed(passes.run(module)))
    return failure();
  if (options.onPartitioned)
    options.onPartitioned(module);

  noteOrigins(module, program);

  auto entry = module.lookupSymbol<func::FuncOp>(entryName);
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    FailureOr<GridValue> value = readLocal(entry, entry.getArgumentTypes()[i],
                                           entry.getArgAttr(i, "shard.local"),
                                           program.axisNames, report.arguments);
    if (failed(value))
      return failure();
    program.arguments.push_back(std::move(*value));
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    FailureOr<GridValue> value = readLocal(
        entry, entry.getResultTypes()[i], entry.getResultAttr(i, "shard.local"),
        program.axisNames, report.results);
    if (failed(value))
      return failure();
    program.results.push_back(std::move(*value));
  }

  CompileOptions compileOptions;
  compileOptions.optLevel = options.optLevel;
  compileOptions.addBufferPasses = buildShardToRuntimePipeline;
  for (auto [name, address] : runtime::runtimeSymbols())
    compileOptions.symbols.emplace_back(name, address);
  auto code = compile(module, entryName, compileOptions);
  if (failed(code))
    return failure();
  program.code = std::move(*code);
  return program;
}

void execution::reportCollectives(const GridProgram &program,
                                  ArrayRef<runtime::CallRecord> calls,
                                  RunReport &report) {
  for (const runtime::CallRecord &call : calls) {
    // A slice of what the device has is no communication.
    if (call.kind == "all_slice")
      continue;
    CollectiveReport row;
    row.kind = call.kind;
    bool named =
        call.gridShape == program.grid.shape && !program.axisNames.empty();
    for (int64_t axis : call.axes)
      row.axes.push_back(named ? program.axisNames[axis]
                               : std::to_string(axis));
    row.calls = call.count;
    row.bytesPerDevice = call.bytes;
    row.location = call.location;
    auto origin = program.origins.find(
        collectiveKey(call.kind, call.axes, call.location));
    if (origin != program.origins.end())
      row.neededBy = origin->second;
    report.collectives.push_back(std::move(row));
  }
}

void execution::describeUnpartitioned(func::FuncOp entry, RunReport &report) {
  for (Type type : entry.getArgumentTypes()) {
    std::optional<TensorSpec> spec = getTensorSpec(type);
    int64_t bytes = byteWidth(spec->type);
    for (int64_t extent : spec->shape)
      bytes *= extent < 0 ? 0 : extent;
    report.arguments.push_back({print(type), "", bytes, {}});
  }
  for (Type type : entry.getResultTypes())
    report.results.push_back({print(type), "", 0, {}});
}
