//===- MpiReductions.cpp - Reductions as messages -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device gets a part of all inputs, combines them in the order of the positions,
// and, for all_reduce and reduce, hands its part on. So all replicas have the same
// bits, those of the runtime, and a device sends twice the bytes of its input at most.
//
//===----------------------------------------------------------------------===//

#include "MpiCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

/// The type that values of `type` are combined in.
static Type accumulatorOf(ImplicitLocOpBuilder &b, ReductionKind kind,
                          Type type) {
  if (type.isF16() || type.isBF16())
    return b.getF32Type();
  if (type.isIndex() ||
      (kind == ReductionKind::Average && type.isSignlessInteger()))
    return b.getI64Type();
  return type;
}

static Value widen(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, type, value);
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

static Value narrow(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  if (isa<FloatType>(type))
    return arith::TruncFOp::create(b, type, value);
  return arith::TruncIOp::create(b, type, value);
}

static Value combineFloats(ImplicitLocOpBuilder &b, ReductionKind kind, Value x,
                           Value y) {
  switch (kind) {
  case ReductionKind::Max:
    return arith::MaximumFOp::create(b, x, y);
  case ReductionKind::Min:
    return arith::MinimumFOp::create(b, x, y);
  case ReductionKind::Product:
    return arith::MulFOp::create(b, x, y);
  default:
    return arith::AddFOp::create(b, x, y);
  }
}

/// As the kinds are defined in shard/Runtime/Runtime.h.
static Value combine(ImplicitLocOpBuilder &b, ReductionKind kind, Value x,
                     Value y) {
  if (isa<FloatType>(x.getType()))
    return combineFloats(b, kind, x, y);
  switch (kind) {
  case ReductionKind::Max:
    return arith::MaxSIOp::create(b, x, y);
  case ReductionKind::Min:
    return arith::MinSIOp::create(b, x, y);
  case ReductionKind::UMax:
    return arith::MaxUIOp::create(b, x, y);
  case ReductionKind::UMin:
    return arith::MinUIOp::create(b, x, y);
  case ReductionKind::Product:
    return arith::MulIOp::create(b, x, y);
  case ReductionKind::BitwiseAnd:
    return arith::AndIOp::create(b, x, y);
  case ReductionKind::BitwiseOr:
    return arith::OrIOp::create(b, x, y);
  case ReductionKind::BitwiseXor:
    return arith::XOrIOp::create(b, x, y);
  default:
    return arith::AddIOp::create(b, x, y);
  }
}

/// Combines the parts of `count` words that stand in `parts` one after another, by
/// position, into `result`.
static void combineParts(MpiEmitter &e, ReductionKind kind, Value parts,
                         Value result, Value count) {
  ImplicitLocOpBuilder &b = e.b;
  e.loop(e.index(0), count, [&](Value i) {
    Value first = e.fromWord(memref::LoadOp::create(b, parts, i));
    Type type = first.getType();
    Type wide = accumulatorOf(b, kind, type);
    auto loop = scf::ForOp::create(b, e.index(1), e.groupSize(), e.index(1),
                                   ValueRange(widen(b, first, wide)));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value at = e.add(e.mul(loop.getInductionVar(), count), i);
      Value next = e.fromWord(memref::LoadOp::create(b, parts, at));
      scf::YieldOp::create(
          b, combine(b, kind, loop.getRegionIterArg(0), widen(b, next, wide)));
    }
    Value sum = loop.getResult(0);
    if (kind == ReductionKind::Average) {
      Value size = arith::IndexCastOp::create(b, b.getI64Type(), e.groupSize());
      if (isa<FloatType>(wide))
        sum = arith::DivFOp::create(b, sum,
                                    arith::SIToFPOp::create(b, wide, size));
      else
        sum = arith::DivSIOp::create(b, sum, size);
    }
    memref::StoreOp::create(b, e.toWord(narrow(b, sum, type)), result, i);
  });
}

void conversion::emitMpiReduce(MpiEmitter &e, ReductionKind kind, Value input,
                               Value result, Value root) {
  BufferBox in = e.whole(input);
  Value count = e.product(in.sizes);
  Value share = e.ceilDiv(count, e.groupSize());
  Value total = e.mul(share, e.groupSize());
  Value own = e.words(total), parts = e.words(total);
  e.zeroWords(own, total);
  e.pack(in, own, in.sizes);
  auto shareOf = [&](Value buffer, Value place) {
    return e.part(buffer, e.mul(place, share), share);
  };
  e.rounds([&](Value partner) {
    e.swap(shareOf(own, partner), shareOf(parts, partner), partner, share);
  });
  Value combined = shareOf(own, e.here());
  combineParts(e, kind, parts, combined, share);

  if (!root) {
    e.rounds([&](Value partner) {
      e.branch(e.negate(e.equal(partner, e.here())), [&] {
        e.swap(combined, shareOf(own, partner), partner, share);
      });
    });
    e.unpack(own, in.sizes, e.whole(result));
  } else {
    e.branch(
        e.equal(root, e.here()),
        [&] {
          e.loop(e.index(0), e.groupSize(), [&](Value place) {
            e.branch(e.negate(e.equal(place, e.here())),
                     [&] { e.receive(shareOf(own, place), place); });
          });
          e.unpack(own, in.sizes, e.whole(result));
        },
        [&] {
          e.send(combined, root);
          e.zero(e.whole(result));
        });
  }
  e.release(parts);
  e.release(own);
}

void conversion::emitMpiReduceScatter(MpiEmitter &e, ReductionKind kind,
                                      Value input, Value result, int64_t dim) {
  BufferBox out = e.whole(result);
  Value count = e.product(out.sizes);
  Value sent = e.words(count), parts = e.words(e.mul(count, e.groupSize()));
  e.rounds([&](Value partner) {
    packBlock(e, input, dim, partner, sent, out.sizes);
    e.swap(sent, e.part(parts, e.mul(partner, count), count), partner, count);
  });
  combineParts(e, kind, parts, sent, count);
  e.unpack(sent, out.sizes, out);
  e.release(parts);
  e.release(sent);
}
