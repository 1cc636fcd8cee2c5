//===- OpenPartials.cpp - Partial values behind settled regions -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenPartials.h"

#include "OpsOfValues.h"
#include "RegionPrices.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shard::propagation {

/// Exchanges what `placement` says of values and ops with what `solution` says.
static void exchange(Placement &placement, Solution &solution,
                     SolvedShardings &solved) {
  for (auto &[value, sharding] : placement.values) {
    Sharding had = solved.shardingOf(value);
    solution.values[value] =
        sharding.isReplicated() ? kReplicated : solved.indexFor(sharding);
    sharding = std::move(had);
  }
  std::swap(placement.agrees, solution.agrees);
  std::swap(placement.takesCompleted, solution.takesCompleted);
  std::swap(placement.couldBePartial, solution.couldBePartial);
}

void settlePartials(ReadProgram &program, Solution &solution,
                    SolvedShardings &solved, OpWishes &opWishes,
                    const GridPropagation &out,
                    llvm::ArrayRef<ValueId> changed) {
  if (changed.empty())
    return;
  std::vector<ShardedValue> values;
  for (ValueId value : changed)
    values.emplace_back(value, solved.shardingOf(value));
  std::optional<Placement> placement = placePartialsAgain(solution, values);
  if (!placement)
    return;
  OpsOfValues ops(program);
  llvm::SetVector<OpId> touched;
  for (const auto &[value, sharding] : placement->values)
    for (const TensorUse &use : ops.of(value)) {
      touched.insert(use.op);
      placement->agrees[use.op] = false;
    }
  RegionPrices prices(program, solution, solved, opWishes, out);
  std::optional<double> before = prices.of(ops, touched.getArrayRef());
  exchange(*placement, solution, solved);
  std::optional<double> after = prices.of(ops, touched.getArrayRef());
  if (!before || !after || *after >= *before)
    exchange(*placement, solution, solved);
}

} // namespace shard::propagation
