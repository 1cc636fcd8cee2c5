//===- MpiHalos.cpp - Updates of halos as messages ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One dimension after another; a dimension takes the refreshed halos of those before it
// along, and so corners come from diagonal neighbours. What lies outside of the tensor
// in any dimension stays.
//
// Where it is known what devices read (HaloReads.h), only that is sent: of the dimension
// itself what the receiver reads, of those before it what both sides read, which have
// the same place there. Of those behind it what any device reads is sent, since
// neighbours take their corners from there.
//
//===----------------------------------------------------------------------===//

#include "MpiCollectives.h"

#include "shard/Geometry/HaloReads.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace {

using Values = SmallVector<Value>;

/// The run-time twin of ReadRange.
struct ReadValues {
  Value first, count;
  int64_t step = 1;
};

/// One dimension of a buffer with halos.
struct HaloDim {
  Value low, high, core;
  /// The axes that split it, as indices into those of the group.
  SmallVector<size_t> axes;
  /// The place of the device among those that split the dimension, their number, and
  /// how far the positions of neighbours are apart.
  Value at, parts;
  int64_t stride = 0;
  std::optional<WindowReads> reads;
};

class HaloUpdater {
public:
  HaloUpdater(MpiEmitter &e, const CollectiveMark &mark, const Values &widths,
              Value buffer);

  void emit();

private:
  void emitSide(BufferBox box, size_t d, bool isLow);
  Value placeOf(const HaloDim &dim, Value position);
  Value beginOf(const HaloDim &dim, Value place);
  ReadValues elementsRead(const WindowReads &reads, BlockValues iterations);
  BlockValues iterationsOf(const HaloDim &dim, Value position);
  BufferBox cutToReads(BufferBox box, size_t d, BlockValues iterations,
                       BlockValues chunk);

  MpiEmitter &e;
  Value buffer;
  SmallVector<HaloDim> dims;
};

} // namespace

HaloUpdater::HaloUpdater(MpiEmitter &e, const CollectiveMark &mark,
                         const Values &widths, Value buffer)
    : e(e), buffer(buffer) {
  Values extents = e.extents(buffer);
  ArrayRef<int64_t> axesPerDim = mark.arguments[0], windows = mark.arguments[2];
  dims.resize(extents.size());
  size_t axis = 0;
  int64_t stride = 1;
  for (int64_t size : e.axisSizes())
    stride *= size;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    dim.low = widths[2 * d];
    dim.high = widths[2 * d + 1];
    dim.core = e.sub(extents[d], e.add(dim.low, dim.high));
    int64_t parts = 1;
    for (int64_t i = 0; i < axesPerDim[d]; ++i, ++axis) {
      dim.axes.push_back(axis);
      parts *= e.axisSizes()[axis];
    }
    dim.at = placeOf(dim, e.here());
    dim.parts = e.index(parts);
    dim.stride = stride /= parts;
    // With a reach of 0, all is read.
    if (windows.empty() || windows[7 * d + 3] == 0)
      continue;
    ArrayRef<int64_t> n = windows.slice(7 * d, 7);
    dim.reads = {n[0], {n[1], n[2], n[3]}, {n[4], n[5]}, n[6]};
  }
}

/// The place of the device at `position` of the group along `dim`.
Value HaloUpdater::placeOf(const HaloDim &dim, Value position) {
  Value place = e.index(0);
  for (size_t axis : dim.axes)
    place = e.add(e.mul(place, e.index(e.axisSizes()[axis])),
                  e.coordinate(position, axis));
  return place;
}

/// The element of the dimension that stands first in the buffer of the device at
/// `place`; below 0 where halos reach beyond the border.
Value HaloUpdater::beginOf(const HaloDim &dim, Value place) {
  return e.sub(e.mul(place, dim.core), dim.low);
}

/// The twin of elementsRead() of Geometry.
ReadValues HaloUpdater::elementsRead(const WindowReads &reads,
                                     BlockValues iterations) {
  const Window &window = reads.window;
  Value zero = e.index(0), step = e.index(window.step());
  Value validBegin = e.index(reads.valid.offset);
  Value validEnd = e.index(reads.valid.offset + reads.valid.size);
  Value leading = iterations.offset;
  if (window.stride < 0)
    leading = e.select(e.equal(iterations.size, zero), leading,
                       e.sub(e.add(leading, iterations.size), e.index(1)));
  Value start =
      e.add(e.mul(e.index(window.stride), leading), e.index(window.offset));
  Value before = e.sub(validBegin, e.add(start, e.index(window.reach - 1)));
  Value skipped = e.ceilDiv(e.max(before, zero), step);
  Value read = e.min(iterations.size,
                     e.ceilDiv(e.max(e.sub(validEnd, start), zero), step));
  Value first = e.max(e.add(start, e.mul(skipped, step)), validBegin);
  Value span =
      e.add(e.mul(step, e.sub(read, e.index(1))), e.index(window.reach));
  Value last = e.select(e.less(skipped, read),
                        e.min(e.add(start, span), validEnd), first);
  if (reads.step == 1)
    return {first, e.sub(last, first), window.reach == 1 ? window.step() : 1};
  Value apart = e.index(reads.step);
  Value counted = e.add(
      validBegin, e.mul(e.ceilDiv(e.sub(first, validBegin), apart), apart));
  return {counted, e.sub(last, counted), reads.step};
}

/// The iterations of the device at `position` of the group; null where all is read.
BlockValues HaloUpdater::iterationsOf(const HaloDim &dim, Value position) {
  if (!dim.reads)
    return {};
  return e.blockAlong(e.index(dim.reads->iterations), position, dim.axes);
}

/// Of the part `chunk` of dimension `d` of this device's buffer the elements that
/// `iterations` read.
BufferBox HaloUpdater::cutToReads(BufferBox box, size_t d,
                                  BlockValues iterations, BlockValues chunk) {
  const HaloDim &dim = dims[d];
  if (!dim.reads)
    return e.cut(box, d, chunk);
  ReadValues read = elementsRead(*dim.reads, iterations);
  // ReadRange::within() the elements of the chunk.
  Value origin = beginOf(dim, dim.at), step = e.index(read.step);
  Value begin = e.add(origin, chunk.offset), end = e.add(begin, chunk.size);
  Value skipped = e.ceilDiv(e.max(e.sub(begin, read.first), e.index(0)), step);
  Value first = e.add(read.first, e.mul(skipped, step));
  Value last = e.min(e.add(read.first, read.count), end);
  box.offsets[d] = e.sub(first, origin);
  box.sizes[d] = e.ceilDiv(e.max(e.sub(last, first), e.index(0)), step);
  box.steps.resize(dims.size());
  box.steps[d] = step;
  return box;
}

/// Refreshes the halo on one side of dimension `d`. `box` has what is exchanged of the
/// other dimensions.
void HaloUpdater::emitSide(BufferBox box, size_t d, bool isLow) {
  const HaloDim &dim = dims[d];
  Value width = isLow ? dim.low : dim.high;
  Value one = e.index(1), none = e.index(-1);
  Value hops = e.select(e.equal(dim.core, e.index(0)), e.index(0),
                        e.ceilDiv(width, e.max(dim.core, one)));
  // Outwards, a block of a neighbour at a time.
  e.loop(one, e.add(hops, one), [&](Value hop) {
    Value done = e.mul(e.sub(hop, one), dim.core);
    Value size = e.min(dim.core, e.sub(width, done));
    Value end = e.add(dim.low, dim.core);
    // What the neighbours take of this device's own elements, and where what comes
    // from them belongs.
    BlockValues given{isLow ? e.sub(end, size) : dim.low, size};
    BlockValues taken{
        isLow ? e.sub(e.sub(dim.low, done), size) : e.add(end, done), size};
    Value distance = e.mul(hop, e.index(dim.stride));
    Value before =
        e.select(e.less(dim.at, hop), none, e.sub(e.here(), distance));
    Value behind = e.select(e.less(e.add(dim.at, hop), dim.parts),
                            e.add(e.here(), distance), none);
    Value from = isLow ? before : behind, to = isLow ? behind : before;
    BufferBox source =
        cutToReads(box, d, iterationsOf(dim, e.max(to, e.index(0))), given);
    BufferBox target = cutToReads(box, d, iterationsOf(dim, e.here()), taken);
    Value count = e.product(target.sizes);
    Value sent = e.words(e.product(source.sizes)), received = e.words(count);
    e.pack(source, sent, source.sizes);
    e.exchange(sent, received, from, to, count);
    e.branch(e.negate(e.less(from, e.index(0))),
             [&] { e.unpack(received, target.sizes, target); });
    e.release(received);
    e.release(sent);
  });
}

void HaloUpdater::emit() {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d].axes.empty())
      continue;
    BufferBox box = e.whole(buffer);
    for (size_t other = 0; other < dims.size(); ++other) {
      const HaloDim &dim = dims[other];
      if (other == d)
        continue;
      if (other > d) {
        BlockValues all;
        if (dim.reads)
          all = {e.index(0), e.index(dim.reads->iterations)};
        box = cutToReads(box, other, all, {dim.low, dim.core});
        continue;
      }
      Value low = e.min(dim.low, e.mul(dim.at, dim.core));
      Value behind = e.sub(e.sub(dim.parts, e.index(1)), dim.at);
      Value high = e.min(dim.high, e.mul(behind, dim.core));
      box =
          cutToReads(box, other, iterationsOf(dim, e.here()),
                     {e.sub(dim.low, low), e.add(dim.core, e.add(low, high))});
    }
    emitSide(box, d, /*isLow=*/true);
    emitSide(box, d, /*isLow=*/false);
  }
}

void conversion::emitMpiUpdateHalo(MpiEmitter &e, const CollectiveMark &mark,
                                   const Values &widths, Value buffer) {
  HaloUpdater(e, mark, widths, buffer).emit();
}
