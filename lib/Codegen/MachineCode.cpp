//===- MachineCode.cpp - From the LLVM dialect to code -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

MachineCode::MachineCode() = default;
MachineCode::~MachineCode() = default;

/// This machine; asking the processor what it can do takes its time.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder> host() {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  static std::optional<llvm::orc::JITTargetMachineBuilder> known =
      llvm::expectedToOptional(
          llvm::orc::JITTargetMachineBuilder::detectHost());
  if (!known)
    return llvm::orc::JITTargetMachineBuilder::detectHost();
  return *known;
}

/// LLVM's pipeline, tuned for loop nests that run once: loops are vectorised and
/// interleaved, but not unrolled. Unrolling nests of small static extents gains
/// little here and makes compilation several times as long.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = level >= 2;
  tuning.LoopUnrolling = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(levels[std::min(level, 3u)])
      .run(module, modules);
}

/// All that is worth its time where code runs once: descriptors of memory that are
/// put together only to be taken apart disappear, which code generation for
/// single instructions is slow at.
static void simplify(llvm::Module &module) {
  llvm::SimplifyQuery query(module.getDataLayout());
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (instruction.use_empty())
        continue;
      if (llvm::Value *value = llvm::simplifyInstruction(
              &instruction, query.getWithInstruction(&instruction)))
        instruction.replaceAllUsesWith(value);
    }
    llvm::SmallVector<llvm::WeakTrackingVH> dead;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isInstructionTriviallyDead(&instruction))
        dead.push_back(&instruction);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(dead);
  }
}

/// Adds a function that loads the arguments of `entry` from the addresses it
/// gets and stores the result to the last one.
static void addPackedEntry(llvm::Module &module, llvm::Function *entry,
                           StringRef name) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false);
  auto *packed = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, name, module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", packed));
  auto addressOf = [&](unsigned index) {
    return builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, packed->getArg(0), index));
  };
  SmallVector<llvm::Value *> arguments;
  for (auto [index, argument] : llvm::enumerate(entry->args()))
    arguments.push_back(
        builder.CreateLoad(argument.getType(), addressOf(index)));
  llvm::Value *result = builder.CreateCall(entry, arguments);
  if (!result->getType()->isVoidTy())
    builder.CreateStore(result, addressOf(arguments.size()));
  builder.CreateRetVoid();
}

FailureOr<std::unique_ptr<MachineCode>>
MachineCode::make(ModuleOp module, StringRef entryName,
                  ArrayRef<std::pair<std::string, void *>> symbols,
                  unsigned level, Operation *place) {
  auto report = [&](StringRef what, llvm::Error error) -> LogicalResult {
    return place->emitError()
           << what << ": " << llvm::toString(std::move(error));
  };
  auto builder = host();
  if (!builder)
    return report("cannot detect the host", builder.takeError());
  builder->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(level));
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return report("cannot target the host", machine.takeError());
  llvm::DataLayout layout = (*machine)->createDataLayout();

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, *context);
  if (!code)
    return failure();
  code->setDataLayout(layout);
  code->setTargetTriple((*machine)->getTargetTriple());
  for (llvm::Function &function : *code)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", (*machine)->getTargetCPU());
      function.addFnAttr("target-features",
                         (*machine)->getTargetFeatureString());
    }
  static constexpr const char *packedName = "shard.entry";
  addPackedEntry(*code, code->getFunction(entryName), packedName);
  if (level == 0)
    simplify(*code);
  else
    optimize(*code, **machine, level);

  std::unique_ptr<MachineCode> result(new MachineCode());
  auto jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(*builder)
          .setDataLayout(layout)
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
          .setCompileFunctionCreator(
              [&](llvm::orc::JITTargetMachineBuilder)
                  -> llvm::Expected<
                      std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>> {
                return std::make_unique<llvm::orc::TMOwningSimpleCompiler>(
                    std::move(*machine));
              })
          .create();
  if (!jit)
    return report("cannot compile", jit.takeError());
  result->jit = std::move(*jit);
  llvm::orc::JITDylib &library = result->jit->getMainJITDylib();
  llvm::orc::MangleAndInterner mangle(library.getExecutionSession(), layout);
  llvm::orc::SymbolMap map;
  for (const auto &[name, address] : symbols)
    map[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                         llvm::JITSymbolFlags::Exported};
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(map))))
    return report("cannot link", std::move(error));
  if (llvm::Error error =
          result->jit->addIRModule({std::move(code), std::move(context)}))
    return report("cannot compile", std::move(error));
  auto function = result->jit->lookup(packedName);
  if (!function)
    return report("cannot link", function.takeError());
  result->function = function->toPtr<void (*)(void **)>();
  return result;
}
