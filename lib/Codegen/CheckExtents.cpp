//===- CheckExtents.cpp - Check dynamic extents when the program runs -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifiers of MLIR reject operands that do not fit each other where their extents are
// static. Dynamic extents are compared when the program runs. So are slices whose place is
// a value: MLIR verifies constant places alone. Extents that are values are not negative, and
// the size of an allocation does not overflow.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "shard/Codegen/Workarounds.h"
#include "shard/Geometry/Window.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"

#include <cmath>

using namespace mlir;
using namespace shard;

/// Whether `op` has an operand or result with an extent that is not static.
static bool isDynamic(Operation *op) {
  auto isDynamicBuffer = [](Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    return buffer && !buffer.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), isDynamicBuffer) ||
         llvm::any_of(op->getResultTypes(), isDynamicBuffer);
}

/// Whether `op` may lie outside of a source with static extents, after shard-make-total
/// has moved offsets that are values to where the slice fits.
static bool mayLieOutside(memref::SubViewOp op) {
  for (auto [dim, extent] : llvm::enumerate(op.getSourceType().getShape())) {
    if (op.isDynamicStride(dim))
      return true;
    if (!op.isDynamicOffset(dim) || op.isDynamicSize(dim))
      continue;
    int64_t size = op.getStaticSize(dim);
    if (size < 1)
      continue;
    SliceOffsets range = offsetsInRange(extent, size, op.getStaticStride(dim));
    if (range.first > range.last)
      return true;
  }
  return false;
}

/// Whether only a run tells whether what `op` reads and writes is there.
static bool isChecked(Operation *op) {
  // Indices of single elements are in range (MakeTotal.cpp), and casts are made of views
  // that are checked (checkExtents).
  if (isa<memref::LoadOp, memref::StoreOp, memref::ReinterpretCastOp>(op))
    return false;
  auto slice = dyn_cast<memref::SubViewOp>(op);
  return isDynamic(op) || (slice && mayLieOutside(slice));
}

/// The start of what a failed check says.
static constexpr llvm::StringLiteral kDoNotFit =
    "the extents of this run do not fit: ";

/// The extents of the result of `op` have as many elements as the source. MLIR's own check
/// compares static extents alone.
static void checkElements(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> extents = op.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value product = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t part : group)
      product = builder.createOrFold<arith::MulIOp>(
          loc, product,
          getValueOrCreateConstantIndexOp(builder, loc, extents[part]));
    Value extent = memref::DimOp::create(builder, loc, op.getSrc(), dim);
    Value isSame = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         product, extent);
    cf::AssertOp::create(builder, loc, isSame,
                         (kDoNotFit + "dimension " + Twine(dim) +
                          " of the source of 'memref.expand_shape' has not "
                          "the product of the extents that it becomes")
                             .str());
  }
}

static void require(OpBuilder &builder, Location loc, Value holds,
                    const Twine &message) {
  cf::AssertOp::create(builder, loc, holds, (kDoNotFit + message).str());
}

/// Extents that are values are not negative, and a buffer of them has a size.
static void checkSizes(Operation *op, ArrayRef<OpFoldResult> sizes,
                       std::optional<int64_t> elementBytes) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  // The product is computed in floats: there it does not overflow.
  Type real = builder.getF64Type();
  double known = elementBytes.value_or(0);
  Value bytes;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      known *= static_cast<double>(*constant);
      continue;
    }
    auto extent = cast<Value>(size);
    require(builder, loc,
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                  extent, zero),
            "the extent of dimension " + Twine(dim) +
                " of a tensor is negative");
    Value number =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), extent);
    number = arith::SIToFPOp::create(builder, loc, real, number);
    bytes = bytes ? arith::MulFOp::create(builder, loc, bytes, number) : number;
  }
  if (!bytes || known <= 0)
    return;
  auto most = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(real, std::ldexp(1.0, 62) / known));
  require(builder, loc,
          arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, bytes,
                                most),
          "a tensor takes 2^62 bytes or more");
}

static void checkSizes(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    auto slice = dyn_cast<memref::SubViewOp>(op);
    auto allocation = dyn_cast<memref::AllocOp>(op);
    if ((allocation && !allocation.getDynamicSizes().empty()) ||
        (slice && !slice.getSizes().empty()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      checkSizes(op, slice.getMixedSizes(), std::nullopt);
      continue;
    }
    auto allocation = cast<memref::AllocOp>(op);
    Type element = allocation.getType().getElementType();
    // Other elements, as complex numbers, take no more.
    int64_t bytes = element.isIntOrFloat()
                        ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                        : 16;
    checkSizes(op, allocation.getMixedSizes(), bytes);
  }
}

void codegen::checkExtents(ModuleOp module) {
  // MLIR's checks ask such views which dimensions they drop, which crashes.
  expandReducingViews(module, /*onlyStrided=*/true);
  checkSizes(module);
  SmallVector<RuntimeVerifiableOpInterface> ops;
  module.walk([&](RuntimeVerifiableOpInterface op) {
    if (isChecked(op))
      ops.push_back(op);
  });
  OpBuilder builder(module.getContext());
  for (RuntimeVerifiableOpInterface op : ops) {
    builder.setInsertionPoint(op);
    op.generateRuntimeVerification(
        builder, op.getLoc(), [](Operation *checked, StringRef message) {
          return (kDoNotFit + "'" + checked->getName().getStringRef() +
                  "': " + message)
              .str();
        });
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(*op))
      checkElements(expand);
  }
}
