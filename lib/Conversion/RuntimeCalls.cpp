//===- RuntimeCalls.cpp - Emitting calls of the runtime -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Runtime/Runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

RuntimeEmitter::RuntimeEmitter(OpBuilder &builder, Operation *op,
                               SymbolTableCollection &symbols)
    : builder(builder), loc(op->getLoc()),
      table(symbols.getSymbolTable(SymbolTable::getNearestSymbolTable(op))) {}

Value RuntimeEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value RuntimeEmitter::constantMemRef(StringRef name, ElementsAttr value) {
  auto type = MemRefType::get(value.getShapedType().getShape(),
                              value.getShapedType().getElementType());
  // The name tells the content, so that equal ones are one; where it is taken
  // by something else, the table finds another.
  auto global = table.lookup<memref::GlobalOp>(name);
  if (!global || global.getInitialValue() != Attribute(value)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.clearInsertionPoint();
    global = memref::GlobalOp::create(builder, builder.getUnknownLoc(), name,
                                      builder.getStringAttr("private"), type,
                                      value, /*constant=*/true,
                                      /*alignment=*/IntegerAttr());
    table.insert(global);
  }
  return memref::GetGlobalOp::create(builder, loc, type, global.getSymName());
}

Value RuntimeEmitter::constantGlobal(StringRef name, ElementsAttr value) {
  return memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, constantMemRef(name, value));
}

Value RuntimeEmitter::constantWord(ArrayRef<int64_t> words, Value at) {
  // As many as there are devices: too many for a name.
  std::string name =
      "__shard_table_" + llvm::utohexstr(llvm::xxh3_64bits(ArrayRef<uint8_t>(
                             reinterpret_cast<const uint8_t *>(words.data()),
                             words.size() * sizeof(int64_t))));
  auto type =
      RankedTensorType::get({int64_t(words.size())}, builder.getI64Type());
  Value memref = constantMemRef(name, DenseIntElementsAttr::get(type, words));
  Value word = memref::LoadOp::create(builder, loc, memref, at);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), word);
}

Value RuntimeEmitter::constantWords(ArrayRef<int64_t> words) {
  std::string name = "__shard_words";
  for (int64_t word : words)
    name +=
        word < 0 ? "_m" + std::to_string(-word) : "_" + std::to_string(word);
  auto type =
      RankedTensorType::get({int64_t(words.size())}, builder.getI64Type());
  return constantGlobal(name, DenseIntElementsAttr::get(type, words));
}

Value RuntimeEmitter::constantText(StringRef text) {
  std::string name = "__shard_text_" + llvm::utohexstr(llvm::xxh3_64bits(text));
  SmallVector<int8_t> bytes(text.begin(), text.end());
  bytes.push_back(0);
  auto type =
      RankedTensorType::get({int64_t(bytes.size())}, builder.getI8Type());
  return constantGlobal(name,
                        DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
}

Value RuntimeEmitter::location() { return constantText(describeLocation(loc)); }

Value RuntimeEmitter::stackWords(ValueRange values) {
  auto type = MemRefType::get({int64_t(values.size())}, builder.getIndexType());
  Value words = memref::AllocaOp::create(builder, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    memref::StoreOp::create(builder, loc, value, words, ValueRange{index(i)});
  return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, words);
}

Value RuntimeEmitter::describeBuffer(Value memref) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  SmallVector<Value> words;
  words.push_back(
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref));
  words.push_back(metadata.getOffset());
  words.push_back(index(cast<MemRefType>(memref.getType()).getRank()));
  llvm::append_range(words, metadata.getSizes());
  llvm::append_range(words, metadata.getStrides());
  return stackWords(words);
}

func::CallOp RuntimeEmitter::call(StringRef name, ValueRange operands,
                                  bool hasResult) {
  Type indexType = builder.getIndexType();
  SmallVector<Type> inputs(operands.size(), indexType);
  SmallVector<Type> results(hasResult ? 1 : 0, indexType);
  if (!table.lookup(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.clearInsertionPoint();
    auto function =
        func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                             builder.getFunctionType(inputs, results));
    function.setPrivate();
    table.insert(function);
  }
  return func::CallOp::create(builder, loc, name, results, operands);
}

func::FuncOp RuntimeEmitter::createFunction(StringRef name, TypeRange inputs) {
  OpBuilder::InsertionGuard guard(builder);
  builder.clearInsertionPoint();
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(inputs, {}));
  function.setPrivate();
  function.addEntryBlock();
  table.insert(function);
  return function;
}

SmallVector<int64_t> conversion::runtimeShape(GridOp grid) {
  SmallVector<int64_t> shape;
  for (int64_t extent : grid.getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? SHARD_RT_DYNAMIC : extent);
  return shape;
}
