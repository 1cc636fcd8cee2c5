//===- MpiCollectives.h - Collectives as messages ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each collective of shard/Runtime/Runtime.h, emitted as loops and messages. Meaning,
// padding and the bits of results are those of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CONVERSION_MPICOLLECTIVES_H
#define SHARD_LIB_CONVERSION_MPICOLLECTIVES_H

#include "CollectiveCalls.h"
#include "MpiEmitter.h"

#include "shard/Geometry/ReductionKind.h"

namespace shard {
namespace conversion {

/// The arguments of a marked call behind its buffers, as values of type index. Those
/// that are known only when the program runs are taken from `dynamic`, in order.
llvm::SmallVector<llvm::SmallVector<mlir::Value>>
markedArguments(MpiEmitter &e, const CollectiveMark &mark,
                mlir::ValueRange dynamic);

/// The axes of the devices that exchange: those of the mark, for permute those of both
/// its lists.
llvm::SmallVector<int64_t> groupAxes(const CollectiveMark &mark);

/// Emits the collective of `mark` between two buffers; the same one for update_halo.
/// Not for send and recv, of which two make one exchange. The group of `e` is that of
/// groupAxes().
void emitMpiCollective(
    MpiEmitter &e, const CollectiveMark &mark, mlir::Value input,
    mlir::Value result,
    llvm::ArrayRef<llvm::SmallVector<mlir::Value>> arguments);

/// What emitMpiCollective() does with reductions. `root` is a position, null if all
/// devices get the result.
void emitMpiReduce(MpiEmitter &e, ReductionKind kind, mlir::Value input,
                   mlir::Value result, mlir::Value root);
void emitMpiReduceScatter(MpiEmitter &e, ReductionKind kind, mlir::Value input,
                          mlir::Value result, int64_t dim);

/// What emitMpiCollective() does with redistribute.
void emitMpiRedistribute(MpiEmitter &e, const CollectiveMark &mark,
                         mlir::Value input, mlir::Value result);

/// What emitMpiCollective() does with update_halo, in place. `widths` are two for each
/// dimension.
void emitMpiUpdateHalo(MpiEmitter &e, const CollectiveMark &mark,
                       const MpiEmitter::Values &widths, mlir::Value buffer);

/// Copies the block at `place` of `input` along `dim` into `words`, as an array of
/// extents `full`, with zeros behind short blocks.
void packBlock(MpiEmitter &e, mlir::Value input, int64_t dim, mlir::Value place,
               mlir::Value words, const MpiEmitter::Values &full);

} // namespace conversion
} // namespace shard

#endif // SHARD_LIB_CONVERSION_MPICOLLECTIVES_H
