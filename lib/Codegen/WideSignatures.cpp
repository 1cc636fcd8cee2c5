//===- WideSignatures.cpp - Functions of very many tensors ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   define { desc, desc } @f(ptr %0, ptr %1, i64 %2, ...)
//
// becomes
//
//   define void @f(ptr %arguments, ptr %results)
//
// where %arguments points to a struct of the old arguments, which the caller fills, and
// %results to one of the old type of the results.
//
//===----------------------------------------------------------------------===//

#include "WideSignatures.h"

#include "Lowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace shard::codegen;

/// More numbers than this are passed in memory: more than four matrices. It is so low that
/// random programs have both kinds of functions; neither is faster with few tensors.
static constexpr unsigned kMostNumbers = 32;

/// The numbers and pointers in a value of `type`.
static unsigned countNumbers(llvm::Type *type) {
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return array->getNumElements() * countNumbers(array->getElementType());
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure)
    return type->isVoidTy() ? 0 : 1;
  unsigned count = 0;
  for (llvm::Type *element : structure->elements())
    count += countNumbers(element);
  return count;
}

static bool isWide(const llvm::Function &function) {
  unsigned numbers = countNumbers(function.getReturnType());
  for (const llvm::Argument &argument : function.args())
    numbers += countNumbers(argument.getType());
  return numbers > kMostNumbers;
}

/// Whether all uses of `function` are calls of it.
static bool isOnlyCalled(const llvm::Function &function) {
  return llvm::all_of(function.uses(), [](const llvm::Use &use) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(use.getUser());
    return call && call->isCallee(&use);
  });
}

namespace {

class WideFunction {
public:
  explicit WideFunction(llvm::Function &old)
      : old(old), builder(old.getContext()), resultType(old.getReturnType()) {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Argument &argument : old.args())
      types.push_back(argument.getType());
    argumentsType = llvm::StructType::get(old.getContext(), types);
  }

  void rewrite() {
    llvm::Type *pointer = builder.getPtrTy();
    auto *type =
        llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false);
    made = llvm::Function::Create(type, old.getLinkage(), "", old.getParent());
    made->takeName(&old);
    made->addFnAttrs(
        llvm::AttrBuilder(old.getContext(), old.getAttributes().getFnAttrs()));
    made->splice(made->begin(), &old);
    loadArguments();
    for (llvm::BasicBlock &block : *made)
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        storeResults(*end);
    for (llvm::User *user : llvm::make_early_inc_range(old.users()))
      rewriteCall(*llvm::cast<llvm::CallInst>(user));
    old.eraseFromParent();
  }

private:
  void loadArguments() {
    builder.SetInsertPoint(&made->getEntryBlock(),
                           made->getEntryBlock().begin());
    for (auto [index, argument] : llvm::enumerate(old.args()))
      if (!argument.use_empty())
        argument.replaceAllUsesWith(builder.CreateLoad(
            argument.getType(),
            builder.CreateStructGEP(argumentsType, made->getArg(0), index)));
  }

  /// Stores the elements of `value`, which is at `path` of the results, each on its own:
  /// they were put together one after the other.
  void storeElements(llvm::Value *value, llvm::SmallVector<unsigned> path) {
    llvm::Type *type = value->getType();
    if (!type->isAggregateType()) {
      llvm::SmallVector<llvm::Value *> indices{builder.getInt32(0)};
      for (unsigned index : path)
        indices.push_back(builder.getInt32(index));
      builder.CreateStore(value, builder.CreateInBoundsGEP(
                                     resultType, made->getArg(1), indices));
      return;
    }
    unsigned count = type->isStructTy() ? type->getStructNumElements()
                                        : type->getArrayNumElements();
    llvm::SmallVector<llvm::Value *> elements(count);
    llvm::Value *rest = value;
    for (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(rest);
         insert && insert->getNumIndices() == 1;
         insert = llvm::dyn_cast<llvm::InsertValueInst>(rest)) {
      llvm::Value *&element = elements[insert->getIndices().front()];
      if (!element)
        element = insert->getInsertedValueOperand();
      rest = insert->getAggregateOperand();
    }
    for (auto [index, element] : llvm::enumerate(elements)) {
      if (!element && llvm::isa<llvm::UndefValue>(rest))
        continue;
      path.push_back(index);
      storeElements(element ? element : builder.CreateExtractValue(rest, index),
                    path);
      path.pop_back();
    }
  }

  void storeResults(llvm::ReturnInst &end) {
    builder.SetInsertPoint(&end);
    llvm::Value *value = end.getReturnValue();
    if (value)
      storeElements(value, {});
    builder.CreateRetVoid();
    end.eraseFromParent();
    if (value)
      llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
  }

  llvm::Value *allocate(llvm::Function &caller, llvm::Type *type) {
    llvm::IRBuilder<> atEntry(&caller.getEntryBlock(),
                              caller.getEntryBlock().begin());
    return atEntry.CreateAlloca(type);
  }

  /// Where the results of `call` go: to the address that they are stored at if that is all
  /// that happens to them.
  llvm::Value *placeOfResults(llvm::CallInst &call) {
    auto *store = call.hasOneUse()
                      ? llvm::dyn_cast<llvm::StoreInst>(*call.user_begin())
                      : nullptr;
    if (!store || store != call.getNextNode() ||
        store->getValueOperand() != &call)
      return resultType->isVoidTy()
                 ? llvm::ConstantPointerNull::get(builder.getPtrTy())
                 : allocate(*call.getFunction(), resultType);
    llvm::Value *place = store->getPointerOperand();
    store->eraseFromParent();
    return place;
  }

  void rewriteCall(llvm::CallInst &call) {
    llvm::Value *arguments = allocate(*call.getFunction(), argumentsType);
    llvm::Value *results = placeOfResults(call);
    builder.SetInsertPoint(&call);
    for (auto [index, argument] : llvm::enumerate(call.args()))
      if (!llvm::isa<llvm::UndefValue>(argument.get()))
        builder.CreateStore(
            argument, builder.CreateStructGEP(argumentsType, arguments, index));
    builder.CreateCall(made, {arguments, results});
    for (llvm::User *user : llvm::make_early_inc_range(call.users()))
      if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(user)) {
        llvm::SmallVector<llvm::Value *> indices{builder.getInt32(0)};
        for (unsigned index : extract->getIndices())
          indices.push_back(builder.getInt32(index));
        extract->replaceAllUsesWith(builder.CreateLoad(
            extract->getType(),
            builder.CreateInBoundsGEP(resultType, results, indices)));
        extract->eraseFromParent();
      }
    if (!call.use_empty())
      call.replaceAllUsesWith(builder.CreateLoad(resultType, results));
    call.eraseFromParent();
  }

  llvm::Function &old;
  llvm::IRBuilder<> builder;
  llvm::Type *resultType;
  llvm::StructType *argumentsType = nullptr;
  llvm::Function *made = nullptr;
};

} // namespace

void shard::codegen::passWideSignaturesInMemory(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> wide;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && isWide(function) &&
        isOnlyCalled(function) && !function.getName().contains(nestMarker))
      wide.push_back(&function);
  for (llvm::Function *function : wide)
    WideFunction(*function).rewrite();
}
