//===- ObjectProgram.cpp - The table of a program in an object ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/ObjectProgram.h"

#include "shard/Standalone/Program.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace shard;
using llvm::ArrayRef;
using llvm::Constant;
using llvm::StringRef;

namespace {

/// Makes constants of a module.
class Tables {
public:
  explicit Tables(llvm::Module &module)
      : module(module), word(llvm::Type::getInt64Ty(module.getContext())),
        pointer(llvm::PointerType::getUnqual(module.getContext())) {}

  Constant *number(int64_t value) {
    return llvm::ConstantInt::getSigned(word, value);
  }
  Constant *text(StringRef value) {
    return keep(llvm::ConstantDataArray::getString(module.getContext(), value));
  }
  Constant *words(ArrayRef<int64_t> values) {
    llvm::SmallVector<uint64_t> bits(values.begin(), values.end());
    return keep(llvm::ConstantDataArray::get(module.getContext(), bits));
  }
  Constant *texts(ArrayRef<std::string> values) {
    llvm::SmallVector<Constant *> parts;
    for (const std::string &value : values)
      parts.push_back(text(value));
    return keep(llvm::ConstantArray::get(
        llvm::ArrayType::get(pointer, parts.size()), parts));
  }
  Constant *null() { return llvm::ConstantPointerNull::get(pointer); }
  Constant *keep(Constant *value) {
    return new llvm::GlobalVariable(module, value->getType(),
                                    /*isConstant=*/true,
                                    llvm::GlobalValue::PrivateLinkage, value);
  }
  Constant *valueTable(ArrayRef<ObjectValue> values);

private:
  llvm::Module &module;
  llvm::Type *word;
  llvm::PointerType *pointer;
};

} // namespace

static int64_t numElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// An array of shard_program_value.
Constant *Tables::valueTable(ArrayRef<ObjectValue> values) {
  llvm::SmallVector<Constant *> rows;
  for (const ObjectValue &value : values) {
    int64_t width = byteWidth(value.layout.type);
    Constant *fields[] = {text(value.type),
                          text(value.sharding),
                          text(stringifyElementType(value.layout.type)),
                          number(width),
                          number(static_cast<int64_t>(value.shape.size())),
                          words(value.shape),
                          words(value.localShape),
                          number(width * numElements(value.shape)),
                          number(width * numElements(value.localShape)),
                          words(encodeLayout(value.layout))};
    rows.push_back(llvm::ConstantStruct::getAnon(fields));
  }
  if (rows.empty())
    return null();
  return keep(llvm::ConstantArray::get(
      llvm::ArrayType::get(rows.front()->getType(), rows.size()), rows));
}

static void addMain(llvm::Module &module, llvm::GlobalVariable *table) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *number = builder.getInt32Ty(), *pointer = builder.getPtrTy();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      "shard_program_main",
      llvm::FunctionType::get(number, {number, pointer, pointer}, false));
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(number, {number, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, "main", module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  builder.CreateRet(builder.CreateCall(
      callee, {function->getArg(0), function->getArg(1), table}));
}

void shard::addProgramTable(llvm::Module &module, llvm::Function &entry,
                            const ObjectProgram &program) {
  for (llvm::GlobalObject &object : module.global_objects())
    if (!object.isDeclaration())
      object.setLinkage(llvm::GlobalValue::InternalLinkage);
  Tables tables(module);
  Constant *fields[] = {
      tables.number(SHARD_PROGRAM_VERSION),
      tables.text(program.name),
      tables.number(program.grid.rank()),
      tables.words(program.grid.shape),
      tables.texts(program.axisNames),
      tables.number(program.grid.numDevices()),
      tables.number(static_cast<int64_t>(program.arguments.size())),
      tables.number(static_cast<int64_t>(program.results.size())),
      tables.valueTable(program.arguments),
      tables.valueTable(program.results),
      &entry,
      program.deviceIds.empty() ? tables.null()
                                : tables.words(program.deviceIds)};
  Constant *value = llvm::ConstantStruct::getAnon(fields);
  auto *table = new llvm::GlobalVariable(
      module, value->getType(), /*isConstant=*/true,
      llvm::GlobalValue::ExternalLinkage, value, program.symbol);
  if (program.hasMain)
    addMain(module, table);
}
