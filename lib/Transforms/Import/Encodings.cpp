//===- Encodings.cpp - Shardings as encodings of tensor types -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Encodings.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace shard {

/// The sharding that stands as the encoding of `type`; null if there is none.
static ShardingAttr encodedIn(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<ShardingAttr>(tensor.getEncoding())
                : ShardingAttr();
}

bool hasShardingEncoding(Operation *op) {
  auto isEncoded = [](Type type) { return static_cast<bool>(encodedIn(type)); };
  if (llvm::any_of(op->getResultTypes(), isEncoded))
    return true;
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return llvm::any_of(function.getArgumentTypes(), isEncoded) ||
           llvm::any_of(function.getResultTypes(), isEncoded);
  for (Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isEncoded))
        return true;
  return false;
}

namespace {
/// Writes the hints; the types are changed afterwards.
class EncodingReader {
public:
  LogicalResult read(Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return readSignature(function);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (failed(hint(builder, result, op)))
        return failure();
    for (Region &region : op->getRegions())
      for (mlir::Block &block : region)
        if (failed(readBlock(block, op)))
          return failure();
    return success();
  }

private:
  LogicalResult check(ShardingAttr sharding, Type type, Operation *from,
                      Location location) {
    GridOp grid = getGrid(from, sharding.getGrid(), symbols);
    if (!grid)
      return mlir::emitError(location)
             << "the encoding of " << type << " names grid "
             << sharding.getGrid() << ", which is not in scope";
    return resolve(sharding, grid, type, [&] {
      return mlir::emitError(location) << "the encoding of " << type << ": ";
    });
  }

  LogicalResult hint(OpBuilder &builder, Value value, Operation *from) {
    ShardingAttr sharding = encodedIn(value.getType());
    if (!sharding)
      return success();
    if (failed(check(sharding, value.getType(), from, value.getLoc())))
      return failure();
    ConstraintOp::create(builder, value.getLoc(), value.getType(), value,
                         sharding);
    return success();
  }

  LogicalResult readBlock(mlir::Block &block, Operation *parent) {
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (Value argument : block.getArguments())
      if (failed(hint(builder, argument, parent)))
        return failure();
    return success();
  }

  LogicalResult readSignature(FunctionOpInterface function) {
    auto join = [&](Attribute stated, Type type,
                    const Twine &what) -> FailureOr<Attribute> {
      ShardingAttr encoded = encodedIn(type);
      if (!encoded)
        return stated;
      if (failed(check(encoded, type, function, function.getLoc())))
        return failure();
      if (stated && stated != encoded)
        return mlir::emitError(function.getLoc())
               << what << " of '" << function.getName() << "' has the sharding "
               << stated << " and the encoding " << encoded
               << ", which differs; write one of them";
      return Attribute(encoded);
    };
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto joined = join(function.getArgAttr(index, kShardingAttrName), type,
                         "argument " + Twine(index));
      if (failed(joined))
        return failure();
      if (*joined)
        function.setArgAttr(index, kShardingAttrName, *joined);
    }
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      auto joined = join(function.getResultAttr(index, kShardingAttrName), type,
                         "result " + Twine(index));
      if (failed(joined))
        return failure();
      if (*joined)
        function.setResultAttr(index, kShardingAttrName, *joined);
    }
    if (function.isExternal())
      return success();
    for (mlir::Block &block : llvm::drop_begin(function.getFunctionBody()))
      if (failed(readBlock(block, function)))
        return failure();
    return success();
  }

  SymbolTableCollection symbols;
};
} // namespace

static void dropEncodings(Operation *root) {
  AttrTypeReplacer replacer;
  auto plain = [](RankedTensorType type) {
    return encodedIn(type)
               ? RankedTensorType::get(type.getShape(), type.getElementType())
               : type;
  };
  replacer.addReplacement([=](RankedTensorType type) -> std::optional<Type> {
    return plain(type);
  });
  // Elements know their type apart from their parts.
  replacer.addReplacement(
      [=](DenseElementsAttr elements) -> std::optional<Attribute> {
        auto type = dyn_cast<RankedTensorType>(elements.getType());
        if (!type || !encodedIn(type))
          return std::nullopt;
        return elements.reshape(plain(type));
      });
  replacer.addReplacement(
      [=](DenseResourceElementsAttr elements) -> std::optional<Attribute> {
        auto type = dyn_cast<RankedTensorType>(elements.getType());
        if (!type || !encodedIn(type))
          return std::nullopt;
        return DenseResourceElementsAttr::get(plain(type),
                                              elements.getRawHandle());
      });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

LogicalResult readEncodings(Operation *root, ArrayRef<Operation *> encoded) {
  if (encoded.empty())
    return success();
  EncodingReader reader;
  for (Operation *op : encoded)
    if (failed(reader.read(op)))
      return failure();
  dropEncodings(root);
  return success();
}

LogicalResult readEncodings(Operation *root) {
  SmallVector<Operation *> encoded;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (hasShardingEncoding(op))
      encoded.push_back(op);
  });
  return readEncodings(root, encoded);
}

} // namespace shard
