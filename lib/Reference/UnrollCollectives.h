//===- UnrollCollectives.h - Collectives on lists of values -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Reference library.
//
// What a collective means, said by ops on tensors: from the inputs of all devices
// of a grid, in one program, to the results of all of them. Where a result is
// unspecified on a device, it is something that the runtime does not give, so
// that a program that relies on it is found out.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_REFERENCE_UNROLLCOLLECTIVES_H
#define SHARD_LIB_REFERENCE_UNROLLCOLLECTIVES_H

#include "Messages.h"

#include "shard/Geometry/Grid.h"
#include "shard/IR/ShardOps.h"

#include "mlir/IR/Builders.h"

namespace shard::reference {

/// One value, by device; null on devices for which nothing is copied.
using Copies = llvm::SmallVector<mlir::Value>;

/// Begins the error about `op`, an op on local values.
mlir::InFlightDiagnostic notSupported(mlir::Operation *op);

/// Begins the error about `op`, which `device` does not reach although others of its
/// group do.
mlir::InFlightDiagnostic lacksMember(mlir::Operation *op, int64_t device);

/// The part of `value` at `offsets`, of `sizes`.
mlir::Value extractBlock(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, llvm::ArrayRef<int64_t> offsets,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `whole` with `block` put at `offsets`.
mlir::Value insertBlock(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value block, mlir::Value whole,
                        llvm::ArrayRef<int64_t> offsets);

/// A tensor of `sizes`, every element the number `element`; of complex values
/// anything.
mlir::Value filled(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type type,
                   int64_t element);

/// Builds ops at the insertion point of `builder`, on the devices of a grid of
/// known sizes.
class CollectiveUnroller {
public:
  /// `operandOn` gives the copy of an operand on a device.
  CollectiveUnroller(
      mlir::OpBuilder &builder, const Grid &devices,
      llvm::function_ref<mlir::Value(mlir::Value, int64_t)> operandOn)
      : builder(builder), devices(devices), operandOn(operandOn) {}

  /// The results of `op` on tensors for inputs by device; reports an op that it
  /// does not know.
  mlir::FailureOr<Copies> unroll(mlir::Operation *op, const Copies &input);

  /// The same for `op`, a send or a recv. What one op sends has the number `event`.
  mlir::FailureOr<Copies> message(mlir::Operation *op, const Copies &input,
                                  Messages &messages, int64_t event);

  /// As all_reduce along `axes` into elements of type `element`, for `op`.
  mlir::FailureOr<Copies> reduce(mlir::Operation *op, const AxisList &axes,
                                 ReductionKind kind, const Copies &input,
                                 mlir::Type element);

private:
  mlir::FailureOr<Copies> gather(mlir::Operation *op, const AxisList &axes,
                                 int64_t dim, const Copies &input);
  mlir::FailureOr<mlir::Value> concat(mlir::Operation *op, const AxisList &axes,
                                      int64_t dim,
                                      llvm::ArrayRef<mlir::Value> blocks);
  mlir::LogicalResult checkCut(mlir::Operation *op, const AxisList &axes,
                               int64_t dim, mlir::Value value);
  mlir::FailureOr<Copies> slice(mlir::Operation *op, const AxisList &axes,
                                int64_t dim, const Copies &input);
  mlir::FailureOr<Copies> fromRoot(mlir::Operation *op, const AxisList &axes,
                                   llvm::ArrayRef<int64_t> root,
                                   mlir::ValueRange dynamicRoot,
                                   const Copies &input);
  mlir::FailureOr<Copies> updateHalo(UpdateHaloOp op, const Copies &input);
  mlir::FailureOr<Place> placeAt(mlir::Operation *op, const AxisList &axes,
                                 llvm::ArrayRef<int64_t> coordinates,
                                 mlir::ValueRange dynamicCoordinates,
                                 int64_t device);
  mlir::FailureOr<Copies> allToAll(AllToAllOp op, const AxisList &axes,
                                   const Copies &input);
  mlir::FailureOr<Copies> redistribute(RedistributeOp op, const AxisList &axes,
                                       const Copies &input);
  mlir::FailureOr<Copies> permute(PermuteOp op, const Copies &input);
  mlir::FailureOr<Copies> shift(ShiftOp op, const AxisList &axes,
                                const Copies &input);

  /// One value per device group along `axes`, made of its members, for the devices
  /// that have an input.
  mlir::FailureOr<Copies> perGroup(
      mlir::Operation *op, const AxisList &axes, const Copies &input,
      llvm::function_ref<mlir::FailureOr<mlir::Value>(llvm::ArrayRef<int64_t>)>
          make);
  mlir::FailureOr<mlir::Value> combine(mlir::Operation *op, ReductionKind kind,
                                       llvm::ArrayRef<mlir::Value> terms,
                                       mlir::Type element);
  mlir::FailureOr<mlir::Value>
  combineByRegion(mlir::Operation *op, int64_t device,
                  llvm::ArrayRef<mlir::Value> terms, mlir::Type element);
  mlir::Value combineTwo(mlir::Location loc, ReductionKind kind, mlir::Value a,
                         mlir::Value b);
  mlir::Value convert(mlir::Location loc, mlir::Value value,
                      mlir::Type element);
  mlir::Value sliceOf(mlir::Location loc, mlir::Value value, int64_t dim,
                      const AxisList &axes, int64_t device);

  mlir::OpBuilder &builder;
  const Grid &devices;
  llvm::function_ref<mlir::Value(mlir::Value, int64_t)> operandOn;
};

} // namespace shard::reference

#endif // SHARD_LIB_REFERENCE_UNROLLCOLLECTIVES_H
