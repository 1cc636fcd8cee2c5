//===- ExternalConstants.cpp - Large constants outside of the code --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// From how many bytes on a constant is kept out of the generated code, which
/// LLVM would otherwise emit element by element.
static constexpr int64_t largeBytes = 4096;

/// The elements of `value` as they lie in memory; empty if they do not.
static ArrayRef<char> rawElements(Attribute value) {
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(value)) {
    if (dense.isSplat() || !dense.getElementType().isIntOrFloat() ||
        dense.getElementType().getIntOrFloatBitWidth() % 8)
      return {};
    return dense.getRawData();
  }
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(value))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return {};
}

std::vector<HostTensor> codegen::externalizeConstants(ModuleOp module) {
  std::vector<HostTensor> owned;
  llvm::StringMap<int64_t> addresses;
  for (auto global :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>())) {
    ArrayRef<char> elements = rawElements(global.getValueOrNull());
    if (!global.getConstant() ||
        static_cast<int64_t>(elements.size()) < largeBytes)
      continue;
    HostTensor &copy = owned.emplace_back(
        ElementType::U8,
        std::vector<int64_t>{static_cast<int64_t>(elements.size())});
    std::memcpy(copy.data(), elements.data(), elements.size());
    addresses[global.getSymName()] = reinterpret_cast<int64_t>(copy.data());
    global.erase();
  }
  if (addresses.empty())
    return owned;
  SmallVector<LLVM::AddressOfOp> uses;
  module.walk([&](LLVM::AddressOfOp op) { uses.push_back(op); });
  for (LLVM::AddressOfOp op : uses) {
    auto found = addresses.find(op.getGlobalName());
    if (found == addresses.end())
      continue;
    OpBuilder builder(op);
    Value address =
        LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI64Type(),
                                 builder.getI64IntegerAttr(found->second));
    Value pointer =
        LLVM::IntToPtrOp::create(builder, op.getLoc(), op.getType(), address);
    op.replaceAllUsesWith(pointer);
    op.erase();
  }
  return owned;
}
