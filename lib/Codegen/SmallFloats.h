//===- SmallFloats.h - Floats of one byte -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32 and floats of 8 bits as integer arithmetic: LLVM has no such
// types.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_SMALLFLOATS_H
#define SHARD_LIB_CODEGEN_SMALLFLOATS_H

#include "mlir/IR/Builders.h"

namespace shard::codegen {

/// Whether `type` is a float of 8 bits with a sign and a mantissa.
bool isSmallFloat(mlir::Type type);

/// `value`, a float of 8 bits, as f32, which holds each of its numbers.
mlir::Value extendSmallFloat(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value);

/// `value`, an f32, rounded to `type`, to nearest, ties to even; NaN stays NaN. What is
/// too large becomes infinity, or NaN where the type has no infinity.
mlir::Value truncateToSmallFloat(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value value, mlir::Type type);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_SMALLFLOATS_H
