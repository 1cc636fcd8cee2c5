//===- OpsOfValues.h - Which ops make and use a value -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what changes the sharding of a value after propagation: the ops that this concerns,
// and the values that must stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_OPSOFVALUES_H
#define SHARD_LIB_PROPAGATION_OPSOFVALUES_H

#include "OpWishes.h"
#include "ReadProgram.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// A tensor of an op; results are numbered behind operands.
struct TensorUse {
  OpId op;
  unsigned tensor;
};

/// The ops that make and that use each value, but for barriers: what is chosen by costs on
/// one side of them does not depend on the other side.
class OpsOfValues {
public:
  explicit OpsOfValues(const ReadProgram &program);

  /// In the order of the program, at most `most` of them.
  llvm::ArrayRef<TensorUse> of(ValueId value, size_t most = ~size_t(0)) const {
    size_t count = begin[value + 1] - begin[value];
    return llvm::ArrayRef<TensorUse>(ops).slice(begin[value],
                                                std::min(count, most));
  }

private:
  std::vector<uint32_t> begin;
  std::vector<TensorUse> ops;
};

/// Whether `value` may be split as in `wanted` instead of `has` where that sends less. What is
/// split less costs more operations, so that only copies get fewer parts: the ops that make the
/// value, few of them, repeat what they read, as a broadcast does, or edges hand on to it what has
/// no more parts.
bool mayReplace(const ReadProgram &program, const OpsOfValues &ops,
                const SolvedShardings &solved, const Grid &grid, ValueId value,
                const Sharding &wanted);

/// Whether `value` has each element of another tensor once: an edge hands it on, or a pad makes
/// it of a tensor with fewer elements.
bool holdsOnce(const ReadProgram &program, const OpsOfValues &ops,
               ValueId value);

/// The values that a hint is for, that a body uses whole, or that a declared function
/// takes.
llvm::DenseSet<ValueId> findFixed(const ReadProgram &program);

/// The values that do not take another sharding because it costs less: the fixed ones, and,
/// where hints have user priorities, all that `solution` splits, because priorities decide
/// before costs do. What priorities leave whole may change, as it may when the annotations
/// of this propagation, which have no priorities, are propagated again.
llvm::DenseSet<ValueId> findDecided(const ReadProgram &program,
                                    const Solution &solution,
                                    const PropagationOptions &options);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_OPSOFVALUES_H
