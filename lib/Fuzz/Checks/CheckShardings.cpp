//===- CheckShardings.cpp - Shardings, right and wrong --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckShardings.h"

#include "CheckPlans.h"
#include "ShardingMaker.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/TensorShapes.h"
#include "shard/Resharding/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace shard::fuzz {

/// The text of `sharding`, in a program, is that sharding.
static std::string checkText(MLIRContext &context, const ShardingMaker &maker,
                             const Sharding &sharding) {
  std::string text = toString(sharding), axes;
  for (int64_t size : maker.grid.shape)
    axes += (axes.empty() ? "" : "x") + std::to_string(size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "shard.grid @g(shape = " + axes +
          ")\nfunc.func @main() {\n  %0 = shard.sharding @g split_axes = " +
          text + " : !shard.sharding\n  return\n}\n",
      &context);
  if (!module)
    return "the text of a sharding is not valid: " + text;
  FailureOr<Sharding> read = failure();
  module->walk(
      [&](ShardingOp op) { read = resolve(op, int64_t(maker.shape.size())); });
  if (failed(read) || *read != sharding || hashOf(*read) != hashOf(sharding))
    return "the text of a sharding is another one: " + text;
  return {};
}

/// No plan leads from `from` to `to`, and an error says why.
static std::string checkRefused(const ShardingMaker &maker,
                                const Sharding &from, const Sharding &to,
                                const std::string &reason) {
  std::string error;
  std::optional<Plan> plan =
      planReshard(maker.grid, maker.shape, maker.elementBytes, from, to,
                  LinkCostModel(), &error);
  std::string ends =
      " (" + reason + "): from " + toString(from) + " to " + toString(to);
  if (plan)
    return "there is a plan where none can be" + ends;
  if (error.empty())
    return "nothing says why there is no plan" + ends;
  return checkPlanner(maker.grid, maker.shape, maker.elementBytes, from, to);
}

/// An axis becomes partial by a reduction of which no element is neutral.
static std::string checkGeneric(ShardingMaker &maker) {
  Sharding from = Sharding::replicated(int64_t(maker.shape.size())), to = from;
  if (maker.rng.chance(50))
    from.dims[0] = {0};
  to.partial = {0};
  to.reduction = ReductionKind::Generic;
  return checkRefused(maker, from, to, "partial by a generic reduction");
}

/// How many bytes plans count for an element of a random type.
static std::string checkElementBytes(MLIRContext &context, Random &rng) {
  static const std::vector<int64_t> floats = {16, 32, 64};
  int64_t bits = rng.between(1, 130);
  int64_t bitsOfFloat = rng.oneOf(floats);
  Builder builder(&context);
  Type real = bitsOfFloat == 16   ? builder.getF16Type()
              : bitsOfFloat == 32 ? builder.getF32Type()
                                  : builder.getF64Type();
  auto count = [](Type element) {
    return elementBytes(RankedTensorType::get({1}, element));
  };
  if (count(builder.getIntegerType(bits)) != (bits + 7) / 8)
    return "elements of " + std::to_string(bits) + " bits have other bytes";
  if (count(real) != bitsOfFloat / 8 ||
      count(ComplexType::get(real)) != bitsOfFloat / 4)
    return "floats of " + std::to_string(bitsOfFloat) +
           " bits, or pairs of them, have other bytes";
  return count(builder.getIndexType()) == 8 ? "" : "indices have other bytes";
}

std::string checkShardings(MLIRContext &context, uint64_t seed) {
  ShardingMaker maker(seed);
  if (std::string wrong = checkElementBytes(context, maker.rng); !wrong.empty())
    return wrong;
  Sharding good = maker.make();
  if (std::string wrong = checkText(context, maker, good); !wrong.empty())
    return wrong;
  if (std::string wrong = checkGeneric(maker); !wrong.empty())
    return wrong;
  Sharding bad = maker.make();
  std::string reason = maker.damage(bad);
  if (!reason.empty()) {
    bool isTarget = maker.rng.chance(50);
    std::string wrong = checkRefused(maker, isTarget ? good : bad,
                                     isTarget ? bad : good, reason);
    if (!wrong.empty())
      return wrong;
  }
  Sharding other = maker.make();
  reason = maker.damageTensor();
  return checkRefused(maker, good, other, reason);
}

} // namespace shard::fuzz
