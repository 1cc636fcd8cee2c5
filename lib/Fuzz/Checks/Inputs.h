//===- Inputs.h - What a random program is run on ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an argument has dynamic dimensions, the function's attribute `extents`
// has the extents of all of its dimensions, and an empty list for any argument
// that is static:
//
//   func.func @main(%a: tensor<?x6xf32>, %b: f32)
//       attributes {extents = [array<i64: 4, 6>, array<i64>]}
//
// Floats carry small integers, in a function with the attribute `specials` also NaN and
// infinities, or real numbers in one with the attribute `real`.
// Integers are positive in a function with the attribute `traps`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_INPUTS_H
#define SHARD_LIB_FUZZ_INPUTS_H

#include "shard/Host/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace shard::fuzz {

/// Whether floats are real numbers in `entry`.
bool isReal(mlir::func::FuncOp entry);

/// The input of each argument; none for what a run cannot take. The same for the
/// same seed and types.
std::map<unsigned, HostTensor> makeInputs(mlir::func::FuncOp entry,
                                          uint64_t seed);

/// Makes `extents` follow the erasure of an argument.
void eraseExtents(mlir::func::FuncOp function, unsigned argument);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_INPUTS_H
