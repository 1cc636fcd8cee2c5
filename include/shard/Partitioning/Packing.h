//===- Packing.h - Several tensors in one -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_PACKING_H
#define SHARD_PARTITIONING_PACKING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace shard {

/// Whether equal parts of dimension `dim` of a tensor of `type` lie one after another in
/// row-major order: dimensions before it have one element.
bool isOutermost(mlir::RankedTensorType type, int64_t dim);

/// A tensor of `rank` 1 or 2 that holds the elements of `tensors`. In one dimension the
/// tensors stand one after another, each in row-major order. In two dimensions row r holds
/// part r of each tensor: dimension `cut[i]` of tensor i is cut into `rows` equal parts, each
/// of which is in row-major order. The tensors have static shapes and one type of elements.
mlir::Value packTensors(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::ValueRange tensors, int64_t rank = 1,
                        int64_t rows = 1, llvm::ArrayRef<int64_t> cut = {});

/// The inverse: tensors of `types` out of `packed`. Dimension `joined[i]` of tensor i
/// consists of `rows` equal parts.
llvm::SmallVector<mlir::Value>
unpackTensors(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value packed,
              mlir::TypeRange types, int64_t rows = 1,
              llvm::ArrayRef<int64_t> joined = {});

} // namespace shard

#endif // SHARD_PARTITIONING_PACKING_H
