//===- ReadResources.cpp - Resources that LLVM's translation cannot read --===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace shard;

static bool isNumber(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return (complex ? complex.getElementType() : element).isIntOrIndexOrFloat();
}

/// The translation to LLVM IR takes neither a tensor without dimensions or elements nor these
/// elements from a resource.
static bool isUnread(ShapedType type) {
  return type.getRank() == 0 || type.getNumElements() == 0 ||
         type.getElementType().isInteger(1) ||
         isa<ComplexType>(type.getElementType());
}

/// The bytes of an element in a resource, where bits have a byte each.
static int64_t bytesOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  if (isa<IndexType>(element))
    return IndexType::kInternalStorageBitWidth / 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

LogicalResult codegen::readResources(ModuleOp module) {
  WalkResult walked = module.walk([](arith::ConstantOp op) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    AsmResourceBlob *blob =
        resource ? resource.getRawHandle().getBlob() : nullptr;
    if (!blob)
      return WalkResult::advance();
    ShapedType type = resource.getType();
    Type element = type.getElementType();
    if (!isNumber(element)) {
      op.emitError("has elements of type ")
          << element << " in a resource, which is for numbers";
      return WalkResult::interrupt();
    }
    if (!isUnread(type))
      return WalkResult::advance();
    ArrayRef<char> data = blob->getData();
    int64_t bytes = type.getNumElements() * bytesOf(element);
    if (bytes == 0) {
      op.setValueAttr(DenseElementsAttr::get(type, ArrayRef<Attribute>()));
      return WalkResult::advance();
    }
    if (static_cast<int64_t>(data.size()) != bytes) {
      op.emitError("has a resource of ")
          << data.size() << " bytes; a " << type << " takes " << bytes;
      return WalkResult::interrupt();
    }
    if (!element.isInteger(1)) {
      op.setValueAttr(DenseElementsAttr::getFromRawBuffer(type, data));
      return WalkResult::advance();
    }
    SmallVector<bool> bits(
        llvm::map_range(data, [](char c) { return c != 0; }));
    op.setValueAttr(DenseElementsAttr::get(type, bits));
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
