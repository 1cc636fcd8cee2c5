//===- ReductionKind.h - How partial values combine -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ways in which the blocks of a partial value combine into the value. The
// numbers are those of LLVM's `shard` dialect (bytecode and generic form), with
// `umin` and `umax` added.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_REDUCTIONKIND_H
#define SHARD_GEOMETRY_REDUCTIONKIND_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace shard {

/// `min` and `max` are signed on signless integers and propagate NaN on floats.
/// `average` is the arithmetic mean over the group.
enum class ReductionKind : uint32_t {
  Sum = 1,
  Max = 2,
  Min = 3,
  Product = 4,
  Average = 5,
  BitwiseAnd = 6,
  BitwiseOr = 7,
  BitwiseXor = 8,
  UMin = 9,
  UMax = 10,
  Generic = 100,
};

/// The keyword of `kind` in the textual IR; empty for a number without a name.
std::string_view stringifyReductionKind(ReductionKind kind);

/// The kind named `keyword`, or nothing.
std::optional<ReductionKind> symbolizeReductionKind(std::string_view keyword);

/// The kind numbered `value`, or nothing.
std::optional<ReductionKind> symbolizeReductionKind(uint32_t value);

/// Whether a value combined with itself by `kind` is that value, as for max and min: then it may
/// be combined on each device of a group that has it.
bool isIdempotent(ReductionKind kind);

} // namespace shard

#endif // SHARD_GEOMETRY_REDUCTIONKIND_H
