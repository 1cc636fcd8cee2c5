//===- PlanReshard.cpp - Prints reshard plans -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanReshard.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/ShardingOption.h"
#include "shard/Resharding/Plan.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shard {

namespace {

constexpr llvm::StringLiteral usage =
    "grid=4x2 type=tensor<16x16xf32> from=[[0],[1]] to=[[1],[0]], or all in "
    "place of from and to";

/// More pairs than this make no table that a person reads.
constexpr size_t mostShardings = 200;

class Request {
public:
  Request(MLIRContext &context, raw_ostream &output, raw_ostream &errors)
      : context(context), output(output), errors(errors) {}

  int run(StringRef text) {
    if (failed(split(text)) || failed(readGrid()) || failed(readType()))
      return 1;
    if (all)
      return printAll();
    FailureOr<Sharding> source = readSharding("from", from);
    FailureOr<Sharding> target = readSharding("to", to);
    if (failed(source) || failed(target))
      return 1;
    std::string error;
    Planner planner(costs);
    const Plan *plan = planner.plan(grid, shapeOf(type), elementBytes(type),
                                    *source, *target, &error);
    if (!plan)
      return report("no plan: " + error);
    output << toString(*plan, grid, shapeOf(type), elementBytes(type), *source,
                       *target);
    return 0;
  }

private:
  /// Prints an error; the exit code.
  int report(const Twine &message) {
    errors << "--shard-plan-reshard: error: " << message << "\n";
    return 1;
  }
  LogicalResult fail(const Twine &message) {
    report(message);
    return failure();
  }

  /// Each value goes on to the next key that stands behind white space.
  LogicalResult split(StringRef text) {
    struct Key {
      StringRef name;
      std::string *value;
    };
    const Key keys[] = {{"grid=", &shapeText},
                        {"type=", &typeText},
                        {"from=", &from},
                        {"to=", &to}};
    std::string *current = nullptr;
    for (StringRef word : llvm::split(text, ' ')) {
      if (word.empty())
        continue;
      const Key *key = llvm::find_if(
          keys, [&](const Key &entry) { return word.starts_with(entry.name); });
      if (key != std::end(keys)) {
        current = key->value;
        *current = word.drop_front(key->name.size()).str();
      } else if (word == "all") {
        all = true;
        current = nullptr;
      } else if (current) {
        *current += " " + word.str();
      } else {
        return fail("unexpected '" + word + "'; write " + usage);
      }
    }
    if (shapeText.empty() || typeText.empty() ||
        (!all && (from.empty() || to.empty())))
      return fail("write " + usage);
    return success();
  }

  LogicalResult readGrid() {
    ScopedDiagnosticHandler silent(&context,
                                   [](Diagnostic &) { return success(); });
    module = parseSourceString<ModuleOp>(
        "shard.grid @grid(shape = " + shapeText + ")", &context);
    if (!module)
      return fail("'" + shapeText + "' is no grid; write sizes such as 4x2");
    gridOp = *module->getOps<GridOp>().begin();
    FailureOr<Grid> shape = staticGrid(gridOp);
    if (failed(shape))
      return fail("the sizes of all axes of grid " + shapeText +
                  " must be known");
    grid = *shape;
    return success();
  }

  LogicalResult readType() {
    ScopedDiagnosticHandler silent(&context,
                                   [](Diagnostic &) { return success(); });
    type = dyn_cast_or_null<RankedTensorType>(parseType(typeText, &context));
    if (!type)
      return fail("'" + typeText +
                  "' is no ranked tensor type; write one such as "
                  "tensor<16x16xf32>");
    return success();
  }

  FailureOr<Sharding> readSharding(StringRef key, StringRef text) {
    std::string reason;
    ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
      if (reason.empty())
        reason = diagnostic.str();
      return success();
    });
    auto attribute = dyn_cast_or_null<ShardingAttr>(parseAttribute(
        ("#shard.sharding<@grid, " + text + ">").str(), &context));
    if (attribute) {
      FailureOr<ResolvedSharding> resolved =
          resolve(attribute, gridOp, type,
                  [&] { return emitError(UnknownLoc::get(&context)); });
      if (succeeded(resolved)) {
        FailureOr<Sharding> sharding = toSharding(*resolved);
        if (succeeded(sharding))
          return *sharding;
        reason = "sub-axes: write the refined grid instead";
      }
    }
    return fail(key + "=" + text + ": " + reason);
  }

  /// All ways to put each axis on a dimension, in every order, or on none.
  void enumerate(Sharding &sharding, GridAxis axis,
                 std::vector<Sharding> &list) {
    if (list.size() > mostShardings)
      return;
    if (axis == grid.rank()) {
      list.push_back(sharding);
      return;
    }
    enumerate(sharding, axis + 1, list);
    for (AxisList &axes : sharding.dims)
      for (size_t place = 0; place <= axes.size(); ++place) {
        axes.insert(axes.begin() + place, axis);
        enumerate(sharding, axis + 1, list);
        axes.erase(axes.begin() + place);
      }
  }

  int printAll() {
    std::vector<Sharding> list;
    Sharding start = Sharding::replicated(type.getRank());
    enumerate(start, 0, list);
    if (list.size() > mostShardings)
      return report("more than " + Twine(mostShardings) +
                    " shardings; take a smaller grid or rank");
    output << llvm::formatv("{0,-24}{1,-24}{2,6}{3,12}{4,12}{5,12}\n", "from",
                            "to", "steps", "bytes", "peak", "least bytes");
    Planner planner(costs);
    int64_t bytes = 0, least = 0;
    for (const Sharding &source : list)
      for (const Sharding &target : list) {
        std::string error;
        const Plan *plan = planner.plan(grid, shapeOf(type), elementBytes(type),
                                        source, target, &error);
        if (!plan)
          return report("no plan from " + toString(source) + " to " +
                        toString(target) + ": " + error);
        output << llvm::formatv("{0,-24}{1,-24}{2,6}{3,12}{4,12}{5,12}\n",
                                toString(source), toString(target),
                                plan->steps.size(), plan->bytesSent,
                                plan->peakBytes, plan->lowerBoundBytes);
        bytes += plan->bytesSent;
        least += plan->lowerBoundBytes;
      }
    output << llvm::formatv(
        "{0} pairs, {1} bytes, at least {2} whatever the plan\n",
        list.size() * list.size(), bytes, least);
    return 0;
  }

  MLIRContext &context;
  raw_ostream &output, &errors;
  OwningOpRef<ModuleOp> module;
  GridOp gridOp;
  Grid grid;
  RankedTensorType type;
  LinkCostModel costs;
  std::string shapeText, typeText, from, to;
  bool all = false;
};

} // namespace

int planReshard(StringRef request, MLIRContext &context, raw_ostream &output,
                raw_ostream &errors) {
  return Request(context, output, errors).run(request);
}

} // namespace shard
