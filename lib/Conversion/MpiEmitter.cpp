//===- MpiEmitter.cpp - Messages between the devices of a group -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MpiEmitter.h"

#include "CollectiveCalls.h"

#include "shard/Geometry/BlockLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

/// The integer that an element of `type` is moved as.
static Type wordOf(Type type) {
  unsigned width = 64; // index
  if (auto complex = dyn_cast<ComplexType>(type))
    width = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (type.isIntOrFloat())
    width = type.getIntOrFloatBitWidth();
  return IntegerType::get(type.getContext(), std::max(width, 8u));
}

MpiEmitter::MpiEmitter(OpBuilder &builder, Operation *op, GridOp grid,
                       ArrayRef<int64_t> axes, Type elementType,
                       SymbolTableCollection &symbols)
    : b(op->getLoc(), builder), op(op), grid(grid), symbols(&symbols),
      element(elementType), word(wordOf(elementType)) {
  GridArithmetic arithmetic(b, op, grid, symbols, BackEnd::Mpi);
  Value device = arithmetic.linearIndex();
  world = mpi::CommWorldOp::create(b, mpi::CommType::get(b.getContext()));
  ArrayRef<int64_t> shape = grid.getShape();
  for (int64_t axis : axes) {
    sizes.push_back(shape[axis]);
    numDevices *= shape[axis];
    int64_t stride = 1;
    for (int64_t extent : shape.drop_front(axis + 1))
      stride *= extent;
    deviceStrides.push_back(stride);
  }
  int64_t stride = numDevices;
  for (int64_t size : sizes)
    strides.push_back(stride /= size);
  position = index(0);
  firstDevice = device;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value at = arithmetic.coordinate(device, axis);
    position = add(position, mul(at, index(strides[i])));
    firstDevice = sub(firstDevice, mul(at, index(deviceStrides[i])));
  }
}

//===----------------------------------------------------------------------===//
// Arithmetic on indices
//===----------------------------------------------------------------------===//

Value MpiEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}
Value MpiEmitter::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}
Value MpiEmitter::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y);
}
Value MpiEmitter::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(x, y);
}
Value MpiEmitter::div(Value x, Value y) {
  return b.createOrFold<arith::DivUIOp>(x, y);
}
Value MpiEmitter::rem(Value x, Value y) {
  return b.createOrFold<arith::RemUIOp>(x, y);
}
Value MpiEmitter::ceilDiv(Value x, Value y) {
  return div(add(x, sub(y, index(1))), y);
}
Value MpiEmitter::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(x, y);
}
Value MpiEmitter::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(x, y);
}
Value MpiEmitter::equal(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
}
Value MpiEmitter::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}
Value MpiEmitter::both(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(x, y);
}
Value MpiEmitter::negate(Value condition) {
  return b.createOrFold<arith::XOrIOp>(
      condition, arith::ConstantIntOp::create(b, 1, 1).getResult());
}
Value MpiEmitter::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(condition, x, y);
}
Value MpiEmitter::product(ArrayRef<Value> factors) {
  Value result = index(1);
  for (Value factor : factors)
    result = mul(result, factor);
  return result;
}

void MpiEmitter::loop(Value first, Value end, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, first, end, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void MpiEmitter::branch(Value condition, Body then, Body otherwise) {
  auto branch = scf::IfOp::create(b, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

Value MpiEmitter::coordinate(Value place, size_t axis) {
  return rem(div(place, index(strides[axis])), index(sizes[axis]));
}

Value MpiEmitter::positionOf(ArrayRef<Value> coordinates) {
  Value result = index(0);
  for (auto [at, stride] : llvm::zip_equal(coordinates, strides))
    result = add(result, mul(at, index(stride)));
  return result;
}

BlockValues MpiEmitter::blockAt(Value extent, Value place) {
  return blockAlong(extent, place,
                    llvm::to_vector(llvm::seq<size_t>(0, sizes.size())));
}

BlockValues MpiEmitter::blockAlong(Value extent, Value place,
                                   ArrayRef<size_t> axes) {
  Value begin = index(0), end = extent, width = extent;
  for (size_t axis : axes) {
    width = ceilDiv(width, index(sizes[axis]));
    begin = min(add(begin, mul(coordinate(place, axis), width)), end);
    end = min(add(begin, width), end);
  }
  return {begin, sub(end, begin)};
}

Value MpiEmitter::blockExtent(Value extent) {
  for (int64_t size : sizes)
    extent = ceilDiv(extent, index(size));
  return extent;
}

bool MpiEmitter::isEven(int64_t extent) const {
  return ShapedType::isDynamic(extent) ||
         dividesEvenly(extent,
                       std::vector<int64_t>(sizes.begin(), sizes.end()));
}

Value MpiEmitter::rankOf(Value place) {
  Value device = firstDevice;
  for (auto [axis, stride] : llvm::enumerate(deviceStrides))
    device = add(device, mul(coordinate(place, axis), index(stride)));
  return GridArithmetic(b, op, grid, *symbols, BackEnd::Mpi).rankOf(device);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// `value` as an integer of its bits.
static Value bitsOf(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (type.isSignlessInteger())
    return value;
  auto bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(b, bits, value);
  return UnrealizedConversionCastOp::create(b, bits, value).getResult(0);
}

static Value ofBits(ImplicitLocOpBuilder &b, Value bits, Type type) {
  if (bits.getType() == type)
    return bits;
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(b, type, bits);
  return UnrealizedConversionCastOp::create(b, type, bits).getResult(0);
}

Value MpiEmitter::toWord(Value value) {
  if (element.isIndex())
    return arith::IndexCastOp::create(b, word, value);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, word, value);
  auto complex = dyn_cast<ComplexType>(element);
  if (!complex)
    return bitsOf(b, value);
  unsigned width = word.getIntOrFloatBitWidth() / 2;
  Value real = arith::ExtUIOp::create(
      b, word, bitsOf(b, complex::ReOp::create(b, value)));
  Value imaginary = arith::ExtUIOp::create(
      b, word, bitsOf(b, complex::ImOp::create(b, value)));
  Value shift = arith::ConstantIntOp::create(b, word, width);
  return arith::OrIOp::create(b, real,
                              arith::ShLIOp::create(b, imaginary, shift));
}

Value MpiEmitter::fromWord(Value value) {
  if (element.isIndex())
    return arith::IndexCastOp::create(b, element, value);
  if (element.isInteger(1))
    return arith::TruncIOp::create(b, element, value);
  auto complex = dyn_cast<ComplexType>(element);
  if (!complex)
    return ofBits(b, value, element);
  unsigned width = word.getIntOrFloatBitWidth() / 2;
  Type half = b.getIntegerType(width);
  Value shift = arith::ConstantIntOp::create(b, word, width);
  Value real = arith::TruncIOp::create(b, half, value);
  Value imaginary =
      arith::TruncIOp::create(b, half, arith::ShRUIOp::create(b, value, shift));
  Type type = complex.getElementType();
  return complex::CreateOp::create(b, complex, ofBits(b, real, type),
                                   ofBits(b, imaginary, type));
}

Value MpiEmitter::words(Value count, Type type) {
  auto buffer = MemRefType::get({ShapedType::kDynamic}, type ? type : word);
  return memref::AllocOp::create(b, buffer, ValueRange(count));
}

void MpiEmitter::release(Value words) { memref::DeallocOp::create(b, words); }

Value MpiEmitter::part(Value words, Value offset, Value count) {
  return memref::SubViewOp::create(b, words, ArrayRef<OpFoldResult>{offset},
                                   ArrayRef<OpFoldResult>{count},
                                   ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

void MpiEmitter::copyWords(Value from, Value to, Value count) {
  loop(index(0), count, [&](Value i) {
    memref::StoreOp::create(b, memref::LoadOp::create(b, from, i), to, i);
  });
}

void MpiEmitter::zeroWords(Value words, Value count) {
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(cast<MemRefType>(words.getType()).getElementType()));
  loop(index(0), count,
       [&](Value i) { memref::StoreOp::create(b, zero, words, i); });
}

MpiEmitter::Values MpiEmitter::extents(Value buffer) {
  Values result;
  for (int64_t d = 0, e = cast<MemRefType>(buffer.getType()).getRank(); d < e;
       ++d)
    result.push_back(b.createOrFold<memref::DimOp>(buffer, index(d)));
  return result;
}

BufferBox MpiEmitter::whole(Value buffer) {
  Values sizes = extents(buffer);
  return {buffer, Values(sizes.size(), index(0)), sizes};
}

BufferBox MpiEmitter::cut(BufferBox box, int64_t dim, BlockValues block) {
  box.offsets[dim] = add(box.offsets[dim], block.offset);
  box.sizes[dim] = block.size;
  return box;
}

/// Emits `body` with the indices of each element of a box of `sizes`, and with its
/// number in an array of extents `full`.
void MpiEmitter::forEach(ArrayRef<Value> sizes, const Values &full,
                         function_ref<void(const Values &, Value)> body) {
  OpBuilder::InsertionGuard guard(b);
  Values at;
  Value number = index(0);
  for (auto [size, extent] : llvm::zip_equal(sizes, full)) {
    auto loop = scf::ForOp::create(b, index(0), size, index(1));
    b.setInsertionPointToStart(loop.getBody());
    at.push_back(loop.getInductionVar());
    number = add(mul(number, extent), at.back());
  }
  body(at, number);
}

MpiEmitter::Values MpiEmitter::placeOf(const BufferBox &box, const Values &at) {
  Values place;
  for (auto [dim, i] : llvm::enumerate(at)) {
    Value step = box.steps.empty() ? Value() : box.steps[dim];
    place.push_back(add(step ? mul(i, step) : i, box.offsets[dim]));
  }
  return place;
}

void MpiEmitter::pack(const BufferBox &box, Value words, const Values &full) {
  forEach(box.sizes, full, [&](const Values &at, Value number) {
    Value loaded = memref::LoadOp::create(b, box.buffer, placeOf(box, at));
    memref::StoreOp::create(b, toWord(loaded), words, number);
  });
}

void MpiEmitter::unpack(Value words, const Values &full, const BufferBox &box) {
  forEach(box.sizes, full, [&](const Values &at, Value number) {
    Value loaded = memref::LoadOp::create(b, words, number);
    memref::StoreOp::create(b, fromWord(loaded), box.buffer, placeOf(box, at));
  });
}

void MpiEmitter::zero(const BufferBox &box) {
  Value zero = fromWord(arith::ConstantOp::create(b, b.getZeroAttr(word)));
  forEach(box.sizes, box.sizes, [&](const Values &at, Value) {
    memref::StoreOp::create(b, zero, box.buffer, placeOf(box, at));
  });
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void MpiEmitter::send(Value words, Value place) {
  Value tag = arith::ConstantIntOp::create(b, 0, 32);
  mpi::SendOp::create(b, TypeRange(), words, tag, rankOf(place), world);
}

void MpiEmitter::receive(Value words, Value place) {
  Value tag = arith::ConstantIntOp::create(b, 0, 32);
  mpi::RecvOp::create(b, TypeRange(), words, tag, rankOf(place), world);
}

void MpiEmitter::rounds(function_ref<void(Value)> body) {
  Value opposite = sub(groupSize(), position);
  loop(index(0), groupSize(),
       [&](Value round) { body(rem(add(round, opposite), groupSize())); });
}

void MpiEmitter::swap(Value sent, Value received, Value partner, Value count) {
  branch(
      equal(partner, position), [&] { copyWords(sent, received, count); },
      [&] {
        branch(
            less(position, partner),
            [&] {
              send(sent, partner);
              receive(received, partner);
            },
            [&] {
              receive(received, partner);
              send(sent, partner);
            });
      });
}

void MpiEmitter::exchange(Value sent, Value received, Value from, Value to,
                          Value count) {
  Value none = index(0);
  Value toItself = equal(from, position);
  Value sends = both(negate(less(to, none)), negate(equal(to, position)));
  Value receives = both(negate(less(from, none)), negate(toItself));
  Value sendsFirst = less(position, from);
  branch(toItself, [&] { copyWords(sent, received, count); });
  branch(both(sends, sendsFirst), [&] { send(sent, to); });
  branch(receives, [&] { receive(received, from); });
  branch(both(sends, negate(sendsFirst)), [&] { send(sent, to); });
}
