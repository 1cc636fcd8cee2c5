//===- SharedOps.h - Ops that makers of several files write -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_SHAREDOPS_H
#define SHARD_LIB_FUZZ_SHAREDOPS_H

#include "shard/Fuzz/ProgramBuilder.h"

namespace shard::fuzz {

/// `a` with elements `value`, `low` in front and `high` behind in dimension `dim`, of type
/// `type`. The result is in no scope: `value` may be infinite. (ScanOps.cpp)
std::string paddedAlong(ProgramBuilder &program, const Val &a, size_t dim,
                        int64_t low, int64_t high, const std::string &value,
                        std::string &type);

/// How the elements up to a place are combined in two ops: a tensor that has each element of
/// `value` once for each place of dimension `dim`, `elsewhere` where the element does not compare
/// with the place as `compares` says, and its reduction by `op`, which begins with `init`.
struct MaskedScan {
  size_t dim;
  std::string compares, elsewhere, op;
  /// The tensor in between has its dimensions in another order.
  bool isTurned = false;
};

/// The result is in no scope. (ScanOps.cpp)
std::string maskedScan(ProgramBuilder &program, const Val &value,
                       const Val &init, const MaskedScan &scan);

/// Writes and reads a variable of the type of `a`, or reads it alone. (TosaVariables.cpp)
bool tosaVariable(ProgramBuilder &program, const Val &a, int64_t dim);

/// A "tosa.const" of one element, such as a zero point, and a constant of numbers that are no
/// tensor, such as new extents. Neither is in the scope. (TosaOps.cpp)
std::string tosaOne(ProgramBuilder &program, const std::string &type,
                    const std::string &value);
std::string tosaShape(ProgramBuilder &program, const std::string &numbers,
                      int64_t count);

/// The shape of what is gathered from `table` along `dims` at `places` places: `reduced`
/// leaves these dimensions out. (LookUpOps.cpp)
Shape gatheredShape(const Val &table, const std::vector<int64_t> &dims,
                    int64_t places, bool reduced);

/// Writes a tensor.gather of that shape. (LookUpOps.cpp)
void gather(ProgramBuilder &program, const Val &table,
            const std::string &indices, const std::string &indicesType,
            const std::vector<int64_t> &dims, const Shape &shape);

/// One or two ops in a row on the integer or float tensor `a` that some kinds of reduction
/// pass. The result is in no scope. (CommutingOps.cpp)
Val commutingOps(ProgramBuilder &program, const Val &a);

/// A reduction of elements as `value` has them by a combiner of its own: `generic combiner
/// {...}`. The order of the devices matters to some. (ManualOps.cpp)
std::string combinedBy(Random &rng, const Val &value);

/// A manual computation over some axes of the grid that the program is on. (ManualOps.cpp)
bool manualComputation(ProgramBuilder &program);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_SHAREDOPS_H
