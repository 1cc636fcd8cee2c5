//===- MachineCode.cpp - From the LLVM dialect to code -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"

#include "CheckSymbols.h"
#include "Descriptors.h"
#include "Lowering.h"
#include "Workarounds/MaskCompression.h"

#include "shard/Codegen/ObjectProgram.h"
#include "shard/Runtime/Kernels/Builtins.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// The function that loads the arguments and calls the program.
static constexpr const char *packedName = "shard.entry";

MachineCode::MachineCode() = default;
MachineCode::~MachineCode() = default;

/// All that is worth its time where code runs once: descriptors of memory that are
/// put together only to be taken apart disappear, which code generation for
/// single instructions is slow at.
static void simplify(llvm::Function &function) {
  splitDescriptors(function);
  llvm::SimplifyQuery query(function.getParent()->getDataLayout());
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

/// Whether `loop` or one in it has instructions of its own that take time: it reads or
/// writes memory, or calls nothing.
static bool isBusy(const llvm::Loop &loop) {
  bool calls = false;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &instruction : *block) {
      bool isCall = llvm::isa<llvm::CallBase>(instruction) &&
                    !llvm::isa<llvm::IntrinsicInst>(instruction);
      calls |= isCall;
      if (!isCall && instruction.mayReadOrWriteMemory())
        return true;
    }
  return !calls || llvm::any_of(loop, [](const llvm::Loop *inner) {
    return isBusy(*inner);
  });
}

/// Whether a loop of `function` is worth optimising. It is not where a block is very long: the
/// time of LLVM's scheduler grows with the square of the block's loads and stores.
static bool hasBusyLoop(llvm::Function &function) {
  constexpr size_t longestBlock = 4000;
  if (llvm::any_of(function, [](const llvm::BasicBlock &block) {
        return block.size() > longestBlock;
      }))
    return false;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  return llvm::any_of(loops,
                      [](const llvm::Loop *loop) { return isBusy(*loop); });
}

/// Makes functions of the outer loops of `function` if they are many. What LLVM's analyses
/// know of a loop depends on all branches in front of it: in one function their time grows
/// faster than the number of loops, with the depth of their recursion.
static void extractLoops(llvm::Function &function) {
  // Each function takes milliseconds, which fewer loops do not save.
  constexpr size_t few = 256;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  if (llvm::range_size(loops) <= few)
    return;
  llvm::CodeExtractorAnalysisCache cache(function);
  for (llvm::Loop *loop : loops) {
    llvm::CodeExtractor extractor(loop->getBlocks(), &dominators);
    if (extractor.isEligible())
      extractor.extractCodeRegion(cache);
  }
}

static void extractLoops(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.getName().contains(nestMarker))
      functions.push_back(&function);
  llvm::for_each(functions,
                 [](llvm::Function *function) { extractLoops(*function); });
}

/// Loop nests, which are functions of their own, are optimised. What only calls them
/// is long where a program has many layers, and runs once.
static void chooseFunctions(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoInline);
    if (function.getName().contains(nestMarker) || hasBusyLoop(function))
      continue;
    simplify(function);
    function.addFnAttr(llvm::Attribute::OptimizeNone);
  }
}

/// LLVM's pipeline, tuned for loop nests that run once: loops are vectorised and
/// interleaved, but not unrolled. Unrolling nests of small static extents gains
/// little here and makes compilation several times as long.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  chooseFunctions(module);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = true;
  tuning.LoopUnrolling = false;
  tuning.SLPVectorization = false;
  // Without these callbacks passes do not look at OptimizeNone.
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skipOptNone(/*DebugLogging=*/false);
  skipOptNone.registerCallbacks(callbacks);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder
      .buildPerModuleDefaultPipeline(level == 2 ? llvm::OptimizationLevel::O2
                                                : llvm::OptimizationLevel::O3)
      .run(module, modules);
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
  llvm::Value *place = entry->getReturnType()->isVoidTy()
                           ? nullptr
                           : addressOf(arguments.size());
  llvm::Value *result = builder.CreateCall(entry, arguments);
  if (place)
    builder.CreateStore(result, place);
  builder.CreateRetVoid();
}

/// Reports `error` at `place`.
static LogicalResult report(Operation *place, StringRef what,
                            llvm::Error error) {
  return place->emitError() << what << ": " << llvm::toString(std::move(error));
}

namespace {
/// Keeps LLVM's errors. What else it reports is about loops of the program's code that
/// were not vectorised as asked (LowerLinalg.cpp), which is nothing to users.
struct KeepErrors : llvm::DiagnosticHandler {
  explicit KeepErrors(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream os(errors);
      llvm::DiagnosticPrinterRawOStream printer(os);
      os << (errors.empty() ? "" : "; ");
      info.print(printer);
    }
    return true;
  }
  std::string &errors;
};
} // namespace

/// Calls the functions of Runtime/Kernels/Memory.h where MLIR's lowering calls its own.
static void renameAllocators(llvm::Module &module) {
  for (auto [from, to] :
       {std::pair("_mlir_memref_to_llvm_aligned_alloc",
                  "shard_kernel_allocate"),
        std::pair("_mlir_memref_to_llvm_free", "shard_kernel_free")})
    if (llvm::Function *function = module.getFunction(from))
      function->setName(to);
}

/// Compiles `module` for `machine`, with the table of `program` if that is not null.
static FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
generateObject(ModuleOp module, StringRef entryName, unsigned level,
               llvm::TargetMachine &machine, ModuleOp source,
               const ObjectProgram *program) {
  llvm::LLVMContext context;
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  // Sizes of types are folded while the code is translated: an i65 takes 16 bytes here, and
  // 12 where no layout is known.
  module->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(module.getContext(),
                      machine.createDataLayout().getStringRepresentation()));
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return failure();
  code->setTargetTriple(machine.getTargetTriple());
  for (llvm::Function &function : *code)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", machine.getTargetCPU());
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    }
  renameAllocators(*code);
  addPackedEntry(*code, code->getFunction(entryName), packedName);
  if (program)
    addProgramTable(*code, *code->getFunction(packedName), *program);
  passWideSignaturesInMemory(*code);
  extractLoops(*code);
  if (level < 2)
    llvm::for_each(*code, simplify);
  else
    optimize(*code, machine, level);
  KeepMasks keepMasks(machine);
  auto object = llvm::orc::SimpleCompiler(machine)(*code);
  if (!object)
    return report(source, "cannot generate code", object.takeError());
  if (!errors.empty())
    return source->emitError() << "cannot generate code: " << errors;
  return std::move(*object);
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
codegen::generateObject(ModuleOp module, StringRef entryName,
                        const CompileOptions &options, ModuleOp source,
                        const ObjectProgram &program) {
  auto machine = createTargetMachine(options.target, options.optLevel,
                                     /*toRun=*/false);
  if (!machine)
    return report(source, "cannot generate code", machine.takeError());
  return ::generateObject(module, entryName, options.optLevel, **machine,
                          source, &program);
}

FailureOr<std::unique_ptr<MachineCode>>
MachineCode::make(ModuleOp module, StringRef entryName,
                  ArrayRef<std::pair<std::string, void *>> symbols,
                  const CompileOptions &options, ModuleOp source) {
  auto machine =
      createTargetMachine(options.target, options.optLevel, /*toRun=*/true);
  if (!machine)
    return report(source, "cannot generate code", machine.takeError());
  auto object =
      ::generateObject(module, entryName, options.optLevel, **machine, source,
                       /*program=*/nullptr);
  if (failed(object))
    return failure();

  llvm::StringMap<void *> known;
  for (auto [name, address] : builtinSymbols())
    known[name] = address;
  known["shard_kernel_contract"] =
      reinterpret_cast<void *>(contractionEntry(contractionIsaOf(**machine)));
  for (const auto &[name, address] : symbols)
    known[name] = address;
  if (failed(checkSymbols(**object, known, source)))
    return failure();

  std::unique_ptr<MachineCode> result(new MachineCode());
  llvm::DataLayout layout = (*machine)->createDataLayout();
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(
                     (*machine)->getTargetTriple()))
                 .setDataLayout(layout)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return report(source, "cannot link", jit.takeError());
  result->jit = std::move(*jit);
  llvm::orc::JITDylib &library = result->jit->getMainJITDylib();
  llvm::orc::MangleAndInterner mangle(library.getExecutionSession(), layout);
  llvm::orc::SymbolMap map;
  for (const auto &symbol : known)
    map[mangle(symbol.first())] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.second),
        llvm::JITSymbolFlags::Exported};
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(map))))
    return report(source, "cannot link", std::move(error));
  if (llvm::Error error = result->jit->addObjectFile(std::move(*object)))
    return report(source, "cannot link", std::move(error));
  auto function = result->jit->lookup(packedName);
  if (!function)
    return report(source, "cannot link", function.takeError());
  result->function = function->toPtr<void (*)(void **)>();
  return result;
}
