//===- MpiCollectives.cpp - Collectives as messages -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MpiCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

using Values = MpiEmitter::Values;

SmallVector<int64_t> conversion::groupAxes(const CollectiveMark &mark) {
  SmallVector<int64_t> all = mark.axes;
  if (mark.name == "permute")
    for (int64_t axis : ArrayRef(mark.arguments[0]).drop_front())
      if (!llvm::is_contained(all, axis))
        all.push_back(axis);
  return all;
}

SmallVector<Values> conversion::markedArguments(MpiEmitter &e,
                                                const CollectiveMark &mark,
                                                ValueRange dynamic) {
  SmallVector<Values> arguments;
  auto next = dynamic.begin();
  for (ArrayRef<int64_t> numbers : mark.arguments) {
    arguments.emplace_back();
    for (int64_t number : numbers)
      arguments.back().push_back(
          ShapedType::isDynamic(number) ? Value(*next++) : e.index(number));
  }
  return arguments;
}

void conversion::packBlock(MpiEmitter &e, Value input, int64_t dim, Value place,
                           Value words, const Values &full) {
  BufferBox box = e.whole(input);
  if (!e.isEven(cast<MemRefType>(input.getType()).getDimSize(dim)))
    e.zeroWords(words, e.product(full));
  e.pack(e.cut(box, dim, e.blockAt(box.sizes[dim], place)), words, full);
}

namespace {

/// Where the blocks of a gathered dimension lie. Their extents are equal up to padding,
/// or, where the type does not tell the extent of the input, those that the devices
/// have: if these add up to the result's, blocks lie one after another.
class GatheredBlocks {
public:
  GatheredBlocks(MpiEmitter &e, Value input, Value result, int64_t dim)
      : e(e), extent(e.extents(result)[dim]), own(e.extents(input)[dim]) {
    if (cast<MemRefType>(input.getType()).isDynamicDim(dim) &&
        !cast<MemRefType>(result.getType()).isDynamicDim(dim))
      exchangeExtents();
  }
  ~GatheredBlocks() {
    if (extents)
      e.release(extents);
  }
  GatheredBlocks(const GatheredBlocks &) = delete;
  GatheredBlocks &operator=(const GatheredBlocks &) = delete;

  /// The extent of the input at `place`, padding included.
  Value inputExtent(Value place) {
    return extents ? load(extents, place) : own;
  }

  /// Its elements in the result.
  BlockValues at(Value place) {
    BlockValues block = e.blockAt(extent, place);
    if (!extents)
      return block;
    Value inOrder = e.equal(sumBefore(e.groupSize()), extent);
    return {e.select(inOrder, sumBefore(place), block.offset),
            e.select(inOrder, inputExtent(place), block.size)};
  }

private:
  Value load(Value buffer, Value at) {
    Value loaded = memref::LoadOp::create(e.b, buffer, at);
    return arith::IndexCastOp::create(e.b, e.b.getIndexType(), loaded);
  }

  void exchangeExtents() {
    Type type = e.b.getI64Type();
    extents = e.words(e.groupSize(), type);
    Value sent = e.words(e.index(1), type);
    memref::StoreOp::create(e.b, arith::IndexCastOp::create(e.b, type, own),
                            sent, e.index(0));
    e.rounds([&](Value partner) {
      e.swap(sent, e.part(extents, partner, e.index(1)), partner, e.index(1));
    });
    e.release(sent);
  }

  Value sumBefore(Value place) {
    auto loop = scf::ForOp::create(e.b, e.index(0), place, e.index(1),
                                   ValueRange(e.index(0)));
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(e.b, e.add(loop.getRegionIterArg(0),
                                    load(extents, loop.getInductionVar())));
    return loop.getResult(0);
  }

  MpiEmitter &e;
  Value extent;
  Value own;
  Value extents;
};

} // namespace

/// Concatenates along `dim`, at position `root`, on all devices if that is null.
static void emitGather(MpiEmitter &e, Value input, Value result, int64_t dim,
                       Value root) {
  BufferBox in = e.whole(input);
  Value count = e.product(in.sizes);
  Value sent = e.words(count);
  e.pack(in, sent, in.sizes);
  GatheredBlocks blocks(e, input, result, dim);
  auto take = [&](Value place, function_ref<void(Value, Value)> transfer) {
    Values full = in.sizes;
    full[dim] = blocks.inputExtent(place);
    Value taken = e.product(full);
    Value received = e.words(taken);
    transfer(received, taken);
    e.unpack(received, full, e.cut(e.whole(result), dim, blocks.at(place)));
    e.release(received);
  };
  if (!root) {
    e.rounds([&](Value partner) {
      take(partner, [&](Value received, Value taken) {
        e.swap(sent, received, partner, taken);
      });
    });
  } else {
    e.branch(
        e.equal(root, e.here()),
        [&] {
          e.loop(e.index(0), e.groupSize(), [&](Value place) {
            take(place, [&](Value received, Value taken) {
              e.branch(
                  e.equal(place, e.here()),
                  [&] { e.copyWords(sent, received, taken); },
                  [&] { e.receive(received, place); });
            });
          });
        },
        [&] {
          e.send(sent, root);
          e.zero(e.whole(result));
        });
  }
  e.release(sent);
}

static void emitAllToAll(MpiEmitter &e, Value input, Value result,
                         int64_t splitDim, int64_t concatDim) {
  Values full = e.extents(input);
  full[splitDim] = e.blockExtent(full[splitDim]);
  Value count = e.product(full);
  Value sent = e.words(count), received = e.words(count);
  BufferBox out = e.whole(result);
  e.rounds([&](Value partner) {
    packBlock(e, input, splitDim, partner, sent, full);
    e.swap(sent, received, partner, count);
    e.unpack(received, full,
             e.cut(out, concatDim, e.blockAt(out.sizes[concatDim], partner)));
  });
  e.release(received);
  e.release(sent);
}

/// What the root sends: its whole input, or, with `dim`, the block of the receiver.
static void emitFromRoot(MpiEmitter &e, Value input, Value result, Value root,
                         std::optional<int64_t> dim) {
  BufferBox out = e.whole(result);
  Value words = e.words(e.product(out.sizes));
  auto pack = [&](Value place) {
    if (dim)
      packBlock(e, input, *dim, place, words, out.sizes);
    else
      e.pack(e.whole(input), words, out.sizes);
  };
  e.branch(
      e.equal(root, e.here()),
      [&] {
        e.loop(e.index(0), e.groupSize(), [&](Value place) {
          e.branch(e.negate(e.equal(place, e.here())), [&] {
            pack(place);
            e.send(words, place);
          });
        });
        pack(e.here());
      },
      [&] { e.receive(words, root); });
  e.unpack(words, out.sizes, out);
  e.release(words);
}

static void emitAllSlice(MpiEmitter &e, Value input, Value result,
                         int64_t dim) {
  BufferBox out = e.whole(result);
  Value words = e.words(e.product(out.sizes));
  packBlock(e, input, dim, e.here(), words, out.sizes);
  e.unpack(words, out.sizes, out);
  e.release(words);
}

/// Sends the input to position `to`; the result is what `from` sends, zeros where that
/// is negative.
static void emitExchange(MpiEmitter &e, Value input, Value result, Value from,
                         Value to) {
  BufferBox in = e.whole(input), out = e.whole(result);
  Value count = e.product(in.sizes);
  Value sent = e.words(count), received = e.words(count);
  e.pack(in, sent, in.sizes);
  e.exchange(sent, received, from, to, count);
  e.branch(
      e.less(from, e.index(0)), [&] { e.zero(out); },
      [&] { e.unpack(received, out.sizes, out); });
  e.release(received);
  e.release(sent);
}

/// The axes `along`, major first, count the places of a shift.
static void emitShift(MpiEmitter &e, const CollectiveMark &mark, Value input,
                      Value result) {
  ArrayRef<int64_t> along = ArrayRef(mark.arguments[0]).drop_front();
  int64_t offset = mark.arguments[1][0];
  bool rotate = mark.arguments[2][0], mirror = mark.arguments[3][0];
  SmallVector<size_t> places;
  int64_t extent = 1;
  Value here = e.index(0);
  for (int64_t axis : along) {
    size_t place = llvm::find(mark.axes, axis) - mark.axes.begin();
    int64_t size = e.axisSizes()[place];
    here = e.add(e.mul(here, e.index(size)), e.coordinate(e.here(), place));
    places.push_back(place);
    extent *= size;
  }
  offset = rotate ? ((offset % extent) + extent) % extent
                  : std::clamp(offset, -2 * extent, 2 * extent);
  // The position of the device that has the place `there`; -1 if none has.
  auto partner = [&](Value there) {
    Value size = e.index(extent);
    if (rotate) // [-extent, 2 * extent)
      there = e.rem(e.add(there, size), size);
    Value position = e.here();
    Value rest = e.max(there, e.index(0));
    for (size_t place : llvm::reverse(places)) {
      Value count = e.index(e.axisSizes()[place]);
      Value step = e.sub(e.rem(rest, count), e.coordinate(e.here(), place));
      position = e.add(position, e.mul(step, e.index(e.axisStrides()[place])));
      rest = e.div(rest, count);
    }
    if (rotate)
      return position;
    Value isInside =
        e.both(e.negate(e.less(there, e.index(0))), e.less(there, size));
    return e.select(isInside, position, e.index(-1));
  };
  Value by = e.index(offset);
  Value from = partner(mirror ? e.sub(by, here) : e.sub(here, by));
  Value to = mirror ? from : partner(e.add(here, by));
  emitExchange(e, input, result, from, to);
}

/// The group of `e` has the axes of both lists, `from` first and then those of `to`
/// that are not in it.
static void emitPermute(MpiEmitter &e, ArrayRef<int64_t> all,
                        ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                        Value input, Value result) {
  SmallVector<int64_t> after(to);
  for (int64_t axis : from)
    if (!llvm::is_contained(to, axis))
      after.push_back(axis);
  // The places of the axes `after` in the group's list.
  SmallVector<size_t> places;
  for (int64_t axis : after)
    places.push_back(llvm::find(all, axis) - all.begin());
  // The device receives from the one whose number by `all` is its own number by
  // `after`, and sends to the one whose number by `after` is its own by `all`.
  Value source = e.index(0);
  for (size_t place : places)
    source = e.add(e.mul(source, e.index(e.axisSizes()[place])),
                   e.coordinate(e.here(), place));
  Value rest = e.here(), destination = e.index(0);
  for (size_t place : llvm::reverse(places)) {
    Value size = e.index(e.axisSizes()[place]);
    destination = e.add(
        destination, e.mul(e.rem(rest, size), e.index(e.axisStrides()[place])));
    rest = e.div(rest, size);
  }
  emitExchange(e, input, result, source, destination);
}

void conversion::emitMpiCollective(MpiEmitter &e, const CollectiveMark &mark,
                                   Value input, Value result,
                                   ArrayRef<Values> arguments) {
  auto number = [&](size_t i) { return mark.arguments[i][0]; };
  auto position = [&](size_t i) { return e.positionOf(arguments[i]); };
  auto kind = [&] { return ReductionKind(number(0)); };
  StringRef name = mark.name;
  if (name == "all_gather")
    emitGather(e, input, result, number(0), Value());
  else if (name == "gather")
    emitGather(e, input, result, number(0), position(1));
  else if (name == "all_slice")
    emitAllSlice(e, input, result, number(0));
  else if (name == "all_to_all")
    emitAllToAll(e, input, result, number(0), number(1));
  else if (name == "broadcast")
    emitFromRoot(e, input, result, position(0), std::nullopt);
  else if (name == "scatter")
    emitFromRoot(e, input, result, position(1), number(0));
  else if (name == "all_reduce")
    emitMpiReduce(e, kind(), input, result, Value());
  else if (name == "reduce")
    emitMpiReduce(e, kind(), input, result, position(1));
  else if (name == "reduce_scatter")
    emitMpiReduceScatter(e, kind(), input, result, number(1));
  else if (name == "shift")
    emitShift(e, mark, input, result);
  else if (name == "permute")
    emitPermute(e, groupAxes(mark), mark.axes,
                ArrayRef(mark.arguments[0]).drop_front(), input, result);
  else if (name == "redistribute")
    emitMpiRedistribute(e, mark, input, result);
  else if (name == "update_halo")
    emitMpiUpdateHalo(e, mark, arguments[1], result);
  else
    llvm_unreachable("a collective without a form as messages");
}
