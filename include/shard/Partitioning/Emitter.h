//===- Emitter.h - From plan steps to ops -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that turns the steps of a reshard plan into ops. Everything in
// the compiler that communicates comes through emitReshard.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_EMITTER_H
#define SHARD_PARTITIONING_EMITTER_H

#include "shard/Cost/Links.h"
#include "shard/Geometry/Sharding.h"
#include "shard/IR/ShardOps.h"
#include "shard/Resharding/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <map>
#include <tuple>

namespace shard {

/// A run-time range of global indices, as index values or attributes.
struct DynamicBlock {
  mlir::OpFoldResult offset;
  mlir::OpFoldResult size;
};

/// The indices that code at the end of the entry block of a function has computed, by that
/// block of IR.
struct KnownIndices {
  llvm::DenseMap<std::pair<mlir::Block *, int64_t>, mlir::Value> constants;
  /// The results of ops with two operands, by the kind of op and the operands.
  llvm::DenseMap<
      std::tuple<mlir::Block *, mlir::TypeID, mlir::Value, mlir::Value>,
      mlir::Value>
      results;
  /// By the extent, the axes that split it, and their sizes.
  std::map<std::tuple<mlir::Block *, int64_t, AxisList, std::vector<int64_t>>,
           DynamicBlock>
      blocks;
};

/// The extent of a dimension that reshards have asked for, and the axes that split it in the
/// block that they made.
struct KnownExtent {
  AxisList axes;
  mlir::Value whole;
};

/// By that block and the dimension: a reshard that begins where another one ended need not
/// ask again.
using KnownExtents =
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, KnownExtent>;

/// The extent of the block of a dimension, which the axes split in the block layout.
struct KnownBlockExtent {
  AxisList axes;
  mlir::Value extent;
};

/// By the extent of the whole, as a number of the program: what makes another tensor of that extent
/// has blocks of the same extents, and need not ask for the whole one.
using KnownBlockExtents = llvm::DenseMap<mlir::Value, KnownBlockExtent>;

/// What emitting needs besides the value: the grid, its symbol as seen from the
/// code, and the plans made so far.
struct Emission {
  const Grid &grid;
  mlir::FlatSymbolRefAttr gridSymbol;
  Planner &planner;
  /// Null if each use computes its indices.
  KnownIndices *known = nullptr;
  /// Null if each reshard asks for its extents.
  KnownExtents *extents = nullptr;
  /// Null if each new tensor computes its extents.
  KnownBlockExtents *blockExtents = nullptr;
  /// The local form of an i64 of the program, which halos and offsets may stand for.
  std::function<mlir::Value(mlir::Value)> localOf = nullptr;
};

/// Turns `local`, a block of a tensor of global `type` under `from`, into its
/// block under `to`. Fails with an error at `loc` where no plan exists.
mlir::FailureOr<mlir::Value>
emitReshard(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value local,
            mlir::RankedTensorType type, const Sharding &from,
            const Sharding &to, const Emission &emission);

/// Whether an axis of `grid` has no known size.
bool hasUnknownSizes(const Grid &grid);

/// The plan of `planner` from `from` to `to`; where axes have no known size, one
/// that holds for all sizes, by which they divide everything: dimensions that they
/// split are dynamic in it. Null, with `error`, where there is none.
const Plan *planWithUnknowns(Planner &planner, const Grid &grid,
                             const std::vector<int64_t> &shape,
                             int64_t elementBytes, const Sharding &from,
                             const Sharding &to, std::string *error = nullptr);

/// The number of devices of a group along `axes`, read at run time where it is not
/// known.
mlir::Value sizeOfGroup(mlir::OpBuilder &builder, mlir::Location loc,
                        const Grid &grid, mlir::FlatSymbolRefAttr gridSymbol,
                        const AxisList &axes);

/// The element that changes nothing when combined by `kind`, for an integer,
/// index or float `type`; null where there is none (average, generic, bitwise
/// kinds on floats).
mlir::TypedAttr neutralElement(ReductionKind kind, mlir::Type type);

/// A tensor of `type` filled with `element`, an attribute or a scalar; without one its
/// elements are unspecified. `sizes` has an entry per dimension; those of dynamic
/// dimensions count.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type,
                         mlir::OpFoldResult element,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// A tensor of `type` filled with `element`; dynamic extents as those of
/// `like`.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, mlir::TypedAttr element,
                         mlir::Value like);

} // namespace shard

#endif // SHARD_PARTITIONING_EMITTER_H
