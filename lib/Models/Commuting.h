//===- Commuting.h - Scalar ops that commute with reductions ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_COMMUTING_H
#define SHARD_LIB_MODELS_COMMUTING_H

#include "shard/Geometry/ReductionKind.h"

#include "mlir/IR/Operation.h"

namespace shard {

/// Whether `op` of arith or math, on scalars or elementwise on tensors, commutes with
/// reductions of kind `kind` of operand `operand`, other operands being the same on all
/// devices: `f(reduce(x, y), z) = reduce(f(x, z), f(y, z))`, to the bit.
///
/// These do: with maxima and minima, what never falls as the operand rises and gives NaN for NaN;
/// with bitwise reductions, what works on each bit; with sums and products of integers, what is
/// a homomorphism modulo a power of two. Functions that are approximated (math.exp) do not: an
/// approximation may fall where the function rises.
bool commutesWithReduction(mlir::Operation *op, ReductionKind kind,
                           unsigned operand);

} // namespace shard

#endif // SHARD_LIB_MODELS_COMMUTING_H
