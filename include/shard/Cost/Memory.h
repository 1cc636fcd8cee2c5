//===- Memory.h - The memory that one device needs --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_COST_MEMORY_H
#define SHARD_COST_MEMORY_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>
#include <string>
#include <vector>

namespace shard {

/// What the tensors between arguments and results take while an op runs, in bytes, what
/// runs inside of it included.
struct MemoryStep {
  /// The op's name and its place.
  std::string op, location;
  int64_t bytes;
};

/// In bytes, of one device.
struct MemoryUse {
  int64_t arguments = 0, results = 0, constants = 0;
  /// The most that the tensors between arguments and results take at one time, results
  /// included.
  int64_t temporaries = 0;
  /// Whether all sizes are known; if not, dynamic ones count as 0.
  bool complete = true;
  /// The ops of the entry in their order, those that change nothing left out. Empty if it
  /// has several blocks.
  std::vector<MemoryStep> steps;

  int64_t peak() const {
    int64_t sum;
    return __builtin_add_overflow(arguments, constants, &sum) ||
                   __builtin_add_overflow(sum, temporaries, &sum)
               ? INT64_MAX
               : sum;
  }
};

/// Predicts the memory of `entry`, whose tensors have the types of one device, and of
/// what it calls. A tensor takes memory from the op that makes it to its last use.
/// Results of casts, slices and reshapes share the memory of their operand
/// (ShardingInterface::isAlias). Results take over the memory of a destination that the op
/// reads or of the operand of a loop, where it is of their type, made in the same block, or
/// carried by a loop whose body the block is, and not used later. An elementwise op writes
/// to memory of its own.
///
/// What an elementwise op makes for one user takes no memory if code generation computes
/// it there. Each user of a fill, or of a constant that repeats one element, has its own,
/// while it runs; elementwise ops read the element instead. `constants` has all others.
/// Buffers have whole cache lines of 64 bytes, as those of the runtime.
MemoryUse memoryOf(mlir::FunctionOpInterface entry);

/// The bytes of memory of the smallest machine that a grid of a collective of `function`
/// states by `shard.machine`; nothing if none does.
std::optional<double> statedMemory(mlir::FunctionOpInterface function);

} // namespace shard

#endif // SHARD_COST_MEMORY_H
