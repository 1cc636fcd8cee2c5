//===- MpiRedistribute.cpp - Blocks to blocks as messages -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MpiCollectives.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace {

using Values = SmallVector<Value>;
using Split = SmallVector<SmallVector<size_t>>;

/// The axes of each dimension, as indices of axes of the group.
Split splitOf(const CollectiveMark &mark, ArrayRef<int64_t> words,
              int64_t rank) {
  Split split(rank);
  for (SmallVector<size_t> &axes : split) {
    for (int64_t axis : words.slice(1, words[0]))
      axes.push_back(llvm::find(mark.axes, axis) - mark.axes.begin());
    words = words.drop_front(1 + words[0]);
  }
  return split;
}

/// A redistribution as messages between pairs. Of the devices that have a block, that
/// one gives it to a device whose coordinates on the axes that do not split the blocks
/// before are those of the device: both sides find it without a table.
class Redistributor {
public:
  Redistributor(MpiEmitter &e, const CollectiveMark &mark, int64_t rank)
      : e(e), from(splitOf(mark, mark.arguments[1], rank)),
        to(splitOf(mark, mark.arguments[2], rank)) {
    for (int64_t extent : mark.arguments[0])
      extents.push_back(e.index(extent));
    for (size_t axis = 0; axis < mark.axes.size(); ++axis)
      if (llvm::none_of(from, [&](ArrayRef<size_t> axes) {
            return llvm::is_contained(axes, axis);
          }))
        others.push_back(axis);
  }

  /// The elements of the block of `giver` before that the block of `taker` has after, as
  /// a part of `buffer`, which is the block of one of them; empty where another device
  /// gives them.
  BufferBox given(Value giver, Value taker, Value buffer, bool isGiver) {
    Value gives = e.equal(e.index(0), e.index(0));
    for (size_t axis : others)
      gives = e.both(
          gives, e.equal(e.coordinate(giver, axis), e.coordinate(taker, axis)));
    BufferBox box{buffer, {}, {}};
    for (size_t dim = 0; dim < extents.size(); ++dim) {
      BlockValues before = e.blockAlong(extents[dim], giver, from[dim]);
      BlockValues after = e.blockAlong(extents[dim], taker, to[dim]);
      Value begin = e.max(before.offset, after.offset);
      Value end = e.min(e.add(before.offset, before.size),
                        e.add(after.offset, after.size));
      Value size = e.max(e.sub(end, begin), e.index(0));
      box.offsets.push_back(
          e.sub(begin, isGiver ? before.offset : after.offset));
      box.sizes.push_back(e.select(gives, size, e.index(0)));
    }
    return box;
  }

private:
  MpiEmitter &e;
  Split from, to;
  Values extents;
  /// The axes of the group that split no dimension before.
  SmallVector<size_t> others;
};

} // namespace

void conversion::emitMpiRedistribute(MpiEmitter &e, const CollectiveMark &mark,
                                     Value input, Value result) {
  Redistributor blocks(e, mark, cast<MemRefType>(input.getType()).getRank());
  // What lies behind the valid elements.
  e.zero(e.whole(result));
  e.rounds([&](Value partner) {
    BufferBox source = blocks.given(e.here(), partner, input, true);
    BufferBox target = blocks.given(partner, e.here(), result, false);
    Value count = e.product(target.sizes);
    Value sent = e.words(e.product(source.sizes)), received = e.words(count);
    e.pack(source, sent, source.sizes);
    e.swap(sent, received, partner, count);
    e.unpack(received, target.sizes, target);
    e.release(received);
    e.release(sent);
  });
}
