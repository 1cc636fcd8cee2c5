//===- Descriptors.cpp - Descriptors of memory in LLVM IR -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref is a struct of pointers and numbers, its descriptor. LLVM generates code for single
// instructions quickly, but not where a branch leads to a phi of a struct, nor in a function
// of hundreds of arguments. Both are rewritten here.
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

#include "Descriptors.h"

#include "Lowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace shard::codegen;

/// More numbers than this are passed in memory: some 18 matrices.
static constexpr unsigned kMostNumbers = 128;

/// Calls `visit` with the indices of each number and pointer in a value of `type`.
static void forEachNumber(llvm::Type *type,
                          llvm::SmallVectorImpl<unsigned> &indices,
                          llvm::function_ref<void()> visit) {
  if (!type->isAggregateType()) {
    visit();
    return;
  }
  unsigned count = type->isStructTy() ? type->getStructNumElements()
                                      : type->getArrayNumElements();
  for (unsigned index = 0; index < count; ++index) {
    indices.push_back(index);
    forEachNumber(llvm::ExtractValueInst::getIndexedType(type, {index}),
                  indices, visit);
    indices.pop_back();
  }
}

static unsigned countNumbers(llvm::Type *type) {
  unsigned count = 0;
  llvm::SmallVector<unsigned> indices;
  if (!type->isVoidTy())
    forEachNumber(type, indices, [&] { ++count; });
  return count;
}

/// The number at `indices` of `value`: what was inserted there, or else an extraction.
static llvm::Value *numberAt(llvm::IRBuilder<> &builder, llvm::Value *value,
                             llvm::ArrayRef<unsigned> indices) {
  if (indices.empty())
    return value;
  if (llvm::Value *found = llvm::FindInsertedValue(value, indices))
    return found;
  return builder.CreateExtractValue(value, indices);
}

/// A value of `type` whose numbers are what `number` returns, in order. Arrays in it are made
/// by themselves, so that extractions of them are known, too.
static llvm::Value *makeValue(llvm::IRBuilder<> &builder, llvm::Type *type,
                              llvm::SmallVectorImpl<unsigned> &indices,
                              llvm::function_ref<llvm::Value *()> number) {
  if (!type->isAggregateType())
    return number();
  llvm::Value *whole = llvm::PoisonValue::get(type);
  unsigned count = type->isStructTy() ? type->getStructNumElements()
                                      : type->getArrayNumElements();
  for (unsigned index = 0; index < count; ++index) {
    indices.push_back(index);
    llvm::Value *element = makeValue(
        builder, llvm::ExtractValueInst::getIndexedType(type, {index}), indices,
        number);
    indices.pop_back();
    whole = builder.CreateInsertValue(whole, element, {index});
  }
  return whole;
}

/// Makes a phi for each number of `phi`.
static void splitDescriptor(llvm::PHINode &phi) {
  llvm::IRBuilder<> atPhi(&phi),
      behind(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  llvm::SmallVector<unsigned> indices;
  llvm::Value *whole = makeValue(behind, phi.getType(), indices, [&] {
    auto *type = llvm::ExtractValueInst::getIndexedType(phi.getType(), indices);
    llvm::PHINode *number = atPhi.CreatePHI(type, phi.getNumIncomingValues());
    llvm::SmallDenseMap<llvm::BasicBlock *, llvm::Value *> known;
    for (auto [block, value] :
         llvm::zip_equal(phi.blocks(), phi.incoming_values())) {
      llvm::Value *&incoming = known[block];
      if (!incoming) {
        llvm::IRBuilder<> atEnd(block->getTerminator());
        incoming = numberAt(atEnd, value, indices);
      }
      number->addIncoming(incoming, block);
    }
    return number;
  });
  phi.replaceAllUsesWith(whole);
  phi.eraseFromParent();
}

void shard::codegen::splitDescriptors(llvm::Function &function) {
  for (llvm::BasicBlock &block : function)
    for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis()))
      if (phi.getType()->isAggregateType())
        splitDescriptor(phi);
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

/// Memory of callers, one place for each type in a function: results are read right behind the
/// call. Rewritten functions stay until all are rewritten, so that their addresses stay theirs.
struct Places {
  using OfTypes = llvm::DenseMap<std::pair<llvm::Function *, llvm::Type *>,
                                 llvm::AllocaInst *>;
  OfTypes arguments, results;
};

class WideFunction {
public:
  WideFunction(llvm::Function &old, Places &places)
      : old(old), places(places), builder(old.getContext()),
        resultType(old.getReturnType()) {
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

  /// The address of what is at `path` of the results.
  llvm::Value *addressAt(llvm::Value *results, llvm::ArrayRef<unsigned> path) {
    llvm::SmallVector<llvm::Value *> indices{builder.getInt32(0)};
    for (unsigned index : path)
      indices.push_back(builder.getInt32(index));
    return builder.CreateInBoundsGEP(resultType, results, indices);
  }

  /// Stores the numbers of `value`, which is at the first `depth` indices of `path`.
  void storeNumbers(llvm::Value *value, llvm::SmallVectorImpl<unsigned> &path,
                    size_t depth) {
    forEachNumber(
        llvm::ExtractValueInst::getIndexedType(resultType, path), path, [&] {
          builder.CreateStore(
              numberAt(builder, value, llvm::ArrayRef(path).drop_front(depth)),
              addressAt(made->getArg(1), path));
        });
  }

  /// Stores what `end` returns, the number of each result on its own: results are put together
  /// one after the other.
  void storeResults(llvm::ReturnInst &end) {
    builder.SetInsertPoint(&end);
    llvm::Value *value = end.getReturnValue(), *rest = value;
    llvm::SmallVector<unsigned> path;
    llvm::SmallDenseSet<unsigned> stored;
    while (auto *insert = llvm::dyn_cast_or_null<llvm::InsertValueInst>(rest)) {
      if (insert->getNumIndices() != 1)
        break;
      path.assign(1, insert->getIndices().front());
      if (stored.insert(path.front()).second)
        storeNumbers(insert->getInsertedValueOperand(), path, 1);
      rest = insert->getAggregateOperand();
    }
    if (rest && stored.empty())
      storeNumbers(rest, path, 0);
    else if (rest && !llvm::isa<llvm::UndefValue>(rest))
      for (unsigned index = 0; index < resultType->getStructNumElements();
           ++index)
        if (!stored.contains(index)) {
          path.assign(1, index);
          storeNumbers(rest, path, 0);
        }
    builder.CreateRetVoid();
    end.eraseFromParent();
    if (value)
      llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
  }

  static llvm::Value *placeFor(Places::OfTypes &places, llvm::Function &caller,
                               llvm::Type *type) {
    llvm::AllocaInst *&place = places[{&caller, type}];
    llvm::BasicBlock &entry = caller.getEntryBlock();
    if (!place)
      place = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
    return place;
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
                 : placeFor(places.results, *call.getFunction(), resultType);
    llvm::Value *place = store->getPointerOperand();
    store->eraseFromParent();
    return place;
  }

  llvm::Value *loadResult(llvm::Value *results,
                          llvm::SmallVectorImpl<unsigned> &path) {
    auto typeAt = [&] {
      return llvm::ExtractValueInst::getIndexedType(resultType, path);
    };
    return makeValue(builder, typeAt(), path, [&] {
      return builder.CreateLoad(typeAt(), addressAt(results, path));
    });
  }

  void rewriteCall(llvm::CallInst &call) {
    llvm::Value *arguments =
        placeFor(places.arguments, *call.getFunction(), argumentsType);
    llvm::Value *results = placeOfResults(call);
    builder.SetInsertPoint(&call);
    for (auto [index, argument] : llvm::enumerate(call.args()))
      if (!llvm::isa<llvm::UndefValue>(argument.get()))
        builder.CreateStore(
            argument, builder.CreateStructGEP(argumentsType, arguments, index));
    builder.CreateCall(made, {arguments, results});
    for (llvm::User *user : llvm::make_early_inc_range(call.users()))
      if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(user)) {
        llvm::SmallVector<unsigned> path(extract->getIndices());
        extract->replaceAllUsesWith(loadResult(results, path));
        extract->eraseFromParent();
      }
    llvm::SmallVector<unsigned> whole;
    if (!call.use_empty())
      call.replaceAllUsesWith(loadResult(results, whole));
    call.eraseFromParent();
  }

  llvm::Function &old;
  Places &places;
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
  Places places;
  for (llvm::Function *function : wide)
    WideFunction(*function, places).rewrite();
  for (llvm::Function *function : wide)
    function->eraseFromParent();
}
