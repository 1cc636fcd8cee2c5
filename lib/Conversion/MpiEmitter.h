//===- MpiEmitter.h - Messages between the devices of a group ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering to the `mpi` dialect is built of. Of the ops of that dialect, LLVM
// 22 lowers to LLVM for both MPIs, and correctly: init, finalize, comm_world,
// comm_rank, and send and recv of buffers of rank 1. (comm_split of Open MPI cuts the
// handle to 32 bits, allreduce of Open MPI names symbols that its library does not
// have, buffers of higher rank are sent up to their first extent, and isend, irecv,
// wait, barrier and comm_size are not lowered.) So everything is made of blocking
// messages in MPI_COMM_WORLD.
//
// Blocking messages need an order: a send may wait until its receiver has come. All
// messages of a program have one total order, and each device takes its own messages
// in that order; then the first message that is not done has both its ends at it, and
// no device waits forever. The order is that of the collectives in the program, and
// within one
//  - in rounds: in round r, position p exchanges with position (r - p) modulo the
//    group's size, the lower of the two sends first;
//  - for one message of each device: by the position of the sender.
//
// Buffers that are sent hold *words*: the elements of a block, row-major, each as a
// signless integer of 8, 16, 32 or 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CONVERSION_MPIEMITTER_H
#define SHARD_LIB_CONVERSION_MPIEMITTER_H

#include "GridArithmetic.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shard {
namespace conversion {

/// A part of a buffer: `sizes` elements from `offsets` on, `steps` apart; no steps: one.
struct BufferBox {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<mlir::Value> sizes;
  llvm::SmallVector<mlir::Value> steps = {};
};

/// The run-time twin of Geometry's Block.
struct BlockValues {
  mlir::Value offset;
  mlir::Value size;
};

/// Emits arithmetic, loops and messages at the insertion point of `b`, for one device
/// group and elements of one type.
class MpiEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<void()>;

  /// The extents of the grid are known.
  MpiEmitter(mlir::OpBuilder &builder, mlir::Operation *op, GridOp grid,
             llvm::ArrayRef<int64_t> axes, mlir::Type elementType,
             mlir::SymbolTableCollection &symbols);

  mlir::ImplicitLocOpBuilder b;

  //===-- Arithmetic on indices ------------------------------------------===//

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value ceilDiv(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value negate(mlir::Value condition);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value product(llvm::ArrayRef<mlir::Value> factors);

  /// A loop over [first, end).
  void loop(mlir::Value first, mlir::Value end,
            llvm::function_ref<void(mlir::Value)> body);
  void branch(mlir::Value condition, Body then, Body otherwise = nullptr);

  //===-- The group ------------------------------------------------------===//

  /// Number of devices, and the position of this one.
  mlir::Value groupSize() { return index(numDevices); }
  mlir::Value here() { return position; }
  /// The sizes of the group's axes, and how far positions are apart on each.
  llvm::ArrayRef<int64_t> axisSizes() const { return sizes; }
  llvm::ArrayRef<int64_t> axisStrides() const { return strides; }
  /// The number of `place` on an axis of the group.
  mlir::Value coordinate(mlir::Value place, size_t axis);
  mlir::Value positionOf(llvm::ArrayRef<mlir::Value> coordinates);

  /// The block at `place` of a dimension that the group's axes cut (blockAt() of
  /// Geometry), and the extent of one such block with its padding.
  BlockValues blockAt(mlir::Value extent, mlir::Value place);
  /// The block of a dimension that `axes` cut, indices of axes of the group.
  BlockValues blockAlong(mlir::Value extent, mlir::Value place,
                         llvm::ArrayRef<size_t> axes);
  mlir::Value blockExtent(mlir::Value extent);
  /// Whether blocks of a dimension of `extent`, kDynamic if it is not known, need no
  /// padding.
  bool isEven(int64_t extent) const;

  //===-- Words ----------------------------------------------------------===//

  mlir::Type wordType() const { return word; }
  mlir::Value toWord(mlir::Value element);
  mlir::Value fromWord(mlir::Value value);

  /// A fresh buffer of words; with `type`, of those. freed by release().
  mlir::Value words(mlir::Value count, mlir::Type type = mlir::Type());
  void release(mlir::Value words);
  mlir::Value part(mlir::Value words, mlir::Value offset, mlir::Value count);
  void copyWords(mlir::Value from, mlir::Value to, mlir::Value count);
  void zeroWords(mlir::Value words, mlir::Value count);

  /// The extents of a buffer, and all of it as a box.
  Values extents(mlir::Value buffer);
  BufferBox whole(mlir::Value buffer);
  /// A part in one dimension.
  BufferBox cut(BufferBox box, int64_t dim, BlockValues block);
  /// Copies a box to or from the words of an array of extents `full`, from its
  /// first element on.
  void pack(const BufferBox &box, mlir::Value words, const Values &full);
  void unpack(mlir::Value words, const Values &full, const BufferBox &box);
  void zero(const BufferBox &box);

  //===-- Messages -------------------------------------------------------===//

  void send(mlir::Value words, mlir::Value place);
  void receive(mlir::Value words, mlir::Value place);
  /// Once with each position of the group, this one too: in each round with another.
  void rounds(llvm::function_ref<void(mlir::Value)> body);
  /// Sends one buffer to `partner` and receives the other from there; from here,
  /// copies `count` words. For rounds().
  void swap(mlir::Value sent, mlir::Value received, mlir::Value partner,
            mlir::Value count);
  /// Sends to position `to` and receives from position `from`, negative where there
  /// is none. Each device of the group takes part, and what one sends another
  /// receives.
  void exchange(mlir::Value sent, mlir::Value received, mlir::Value from,
                mlir::Value to, mlir::Value count);

private:
  /// The place in its buffer of the element of `box` at the indices `at`.
  Values placeOf(const BufferBox &box, const Values &at);
  void forEach(llvm::ArrayRef<mlir::Value> sizes, const Values &full,
               llvm::function_ref<void(const Values &, mlir::Value)> body);
  mlir::Value rankOf(mlir::Value place);

  mlir::Operation *op;
  GridOp grid;
  mlir::SymbolTableCollection *symbols;
  mlir::Type element;
  mlir::Type word;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> deviceStrides;
  int64_t numDevices = 1;
  mlir::Value world;
  mlir::Value position;
  /// The device at position 0 of the group, as its position in the grid.
  mlir::Value firstDevice;
};

} // namespace conversion
} // namespace shard

#endif // SHARD_LIB_CONVERSION_MPIEMITTER_H
