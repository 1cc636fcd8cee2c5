//===- ExplainChoices.h - What another choice would cost ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Private to the Propagation library.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_EXPLAINCHOICES_H
#define SHARD_LIB_PROPAGATION_EXPLAINCHOICES_H

#include "ExplainReasons.h"
#include "Writer.h"

#include "shard/Resharding/Plan.h"

namespace shard::propagation {

/// Prices the ways to run the ops that need reshards.
class Choices {
public:
  using Entry = PropagationExplanation::ReshardEntry;

  Choices(ReadProgram &program, const GridPropagation &out, Reasons &reasons,
          Planner &planner, const WrittenReshards &reshards);

  /// Fills Entry::bytesOfOp and Entry::instead for a reshard of `op` on `grid`.
  void add(OpId op, const Grid &grid, Entry &entry);
  /// The sharding in which `op` takes operand `index` or, behind the operands, computes
  /// a result, which has the sharding `has`.
  Sharding takenAs(OpId op, unsigned index, const Sharding &has) const {
    auto other = otherwise.find({op, index});
    return other == otherwise.end() ? has : other->second;
  }

private:
  struct Known {
    int64_t bytes = -1;
    std::vector<Entry::Choice> instead;
  };
  Known price(OpId op, const Grid &grid);

  ReadProgram &program;
  Reasons &reasons;
  Planner &planner;
  /// By operand or, behind them, result, how an op takes or computes it otherwise than
  /// it is.
  llvm::DenseMap<std::pair<OpId, unsigned>, Sharding> otherwise;
  llvm::DenseMap<OpId, Known> known;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_EXPLAINCHOICES_H
