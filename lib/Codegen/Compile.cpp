//===- Compile.cpp - Compile a program and run it -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Compile.h"

#include "Lowering.h"
#include "MachineCode.h"

#include "shard/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

std::optional<ElementType> shard::getHostElementType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::C64;
    if (complex.getElementType().isF64())
      return ElementType::C128;
    return std::nullopt;
  }
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](Float8E4M3FNUZType) { return ElementType::F8E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return ElementType::F8E5M2FNUZ; })
      .Case([](Float8E4M3B11FNUZType) { return ElementType::F8E4M3B11FNUZ; })
      .Case([](Float8E4M3Type) { return ElementType::F8E4M3; })
      .Case([](Float8E3M4Type) { return ElementType::F8E3M4; })
      .Default([](Type other) { return getElementType(other); });
}

std::optional<TensorSpec> shard::getTensorSpec(Type type) {
  std::optional<ElementType> element =
      getHostElementType(getElementTypeOrSelf(type));
  if (!element)
    return std::nullopt;
  TensorSpec spec{*element, {}};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    spec.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  else if (isa<ShapedType>(type))
    return std::nullopt;
  return spec;
}

void shard::eraseUnreachable(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  SymbolTable table(module);
  DenseSet<Operation *> reached{entry};
  SmallVector<Operation *> worklist{entry};
  while (!worklist.empty()) {
    Operation *function = worklist.pop_back_val();
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(function);
    if (!uses)
      return;
    for (const SymbolTable::SymbolUse &use : *uses) {
      Operation *target =
          table.lookup(use.getSymbolRef().getRootReference().getValue());
      if (target && reached.insert(target).second)
        worklist.push_back(target);
    }
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function))
      function.erase();
}

/// Every external function that is called must be known.
static LogicalResult
checkExternals(ModuleOp module,
               ArrayRef<std::pair<std::string, void *>> symbols) {
  SymbolTable table(module);
  WalkResult walked = module.walk([&](func::CallOp call) {
    auto callee = table.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !callee.isExternal())
      return WalkResult::advance();
    std::string name = callee.getName().str();
    std::string called =
        callee->hasAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName())
            ? "_mlir_ciface_" + name
            : name;
    bool known = llvm::any_of(
        symbols, [&](const auto &symbol) { return symbol.first == called; });
    if (known || processSymbol(called))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        call.emitError() << "calls '" << name
                         << "', which has no body and is no function "
                            "that a run provides";
    diagnostic.attachNote(callee.getLoc()) << "declared here";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

static LogicalResult getSpecs(func::FuncOp function, TypeRange types,
                              StringRef what, std::vector<TensorSpec> &specs) {
  for (auto [index, type] : llvm::enumerate(types)) {
    std::optional<TensorSpec> spec = getTensorSpec(type);
    if (!spec)
      return function.emitError()
             << what << " " << index << " of '" << function.getName()
             << "' has type " << type
             << "; a run takes ranked tensors and scalars of i1, 8- to 64-bit "
                "integers, index, floats of 8 to 64 bits and complex<f32>, "
                "complex<f64>";
    specs.push_back(*spec);
  }
  return success();
}

/// Lowers `module`, a copy that is free to change, to the LLVM dialect.
static LogicalResult lower(ModuleOp module, StringRef entry,
                           const CompileOptions &compile) {
  LoweringOptions options;
  options.entry = entry.str();
  options.wrapScalars = true;
  options.hosted = true;
  options.total = compile.total;
  options.checkExtents = compile.checkExtents;
  options.mpi = compile.mpi;
  PassManager passes(module.getContext());
  passes.enableVerifier(compile.verifies);
  buildLowerToLLVMPipeline(passes, options);
  return runMonitored(passes, module, "compile", compile.monitor);
}

/// A copy of `module` with only what `entryName` needs, checked and lowered to the
/// LLVM dialect.
static FailureOr<OwningOpRef<ModuleOp>>
lowerCopy(ModuleOp module, StringRef entryName,
          ArrayRef<std::pair<std::string, void *>> symbols,
          const CompileOptions &options) {
  auto original = module.lookupSymbol<func::FuncOp>(entryName);
  if (!original || original.isExternal())
    return emitError(module.getLoc())
           << "the module has no function '" << entryName << "' with a body";
  loadDialects(*module.getContext());
  OwningOpRef<ModuleOp> copy = module.clone();
  auto entry = copy->lookupSymbol<func::FuncOp>(entryName);
  entry.setPublic();
  eraseUnreachable(entry);
  if (failed(checkExternals(*copy, symbols)) ||
      failed(lower(*copy, entryName, options)))
    return failure();
  return copy;
}

FailureOr<std::unique_ptr<CompiledProgram>>
shard::compile(ModuleOp module, StringRef entryName,
               const CompileOptions &options) {
  auto programs = compileAtLevels(module, entryName, options, options.optLevel);
  if (failed(programs))
    return failure();
  return std::move(programs->front());
}

FailureOr<std::vector<std::unique_ptr<CompiledProgram>>>
shard::compileAtLevels(ModuleOp module, StringRef entryName,
                       CompileOptions options, ArrayRef<unsigned> levels) {
  std::vector<TensorSpec> inputs, outputs;
  if (auto entry = module.lookupSymbol<func::FuncOp>(entryName))
    if (failed(getSpecs(entry, entry.getArgumentTypes(), "argument", inputs)) ||
        failed(getSpecs(entry, entry.getResultTypes(), "result", outputs)))
      return failure();
  std::vector<std::pair<std::string, void *>> symbols = runSymbols();
  llvm::append_range(symbols, options.symbols);
  auto lowered = lowerCopy(module, entryName, symbols, options);
  if (failed(lowered))
    return failure();
  auto constants = std::make_shared<const std::vector<HostTensor>>(
      externalizeConstants(**lowered));
  std::vector<std::unique_ptr<CompiledProgram>> programs;
  for (unsigned level : levels) {
    options.optLevel = level;
    if (failed(askMonitor(options.monitor, module, "compile", "machine code")))
      return failure();
    auto code = MachineCode::make(**lowered, mangledName(entryName), symbols,
                                  options, module);
    if (failed(code))
      return failure();
    std::unique_ptr<CompiledProgram> program(new CompiledProgram());
    program->inputSpecs = inputs;
    program->outputSpecs = outputs;
    program->constants = constants;
    program->code = std::move(*code);
    program->function = program->code->entryFunction();
    programs.push_back(std::move(program));
  }
  return programs;
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
shard::compileToObject(ModuleOp module, StringRef entryName,
                       const CompileOptions &options,
                       const ObjectProgram &program) {
  std::vector<std::pair<std::string, void *>> symbols = programSymbols();
  llvm::append_range(symbols, options.symbols);
  auto lowered = lowerCopy(module, entryName, symbols, options);
  if (failed(lowered))
    return failure();
  return generateObject(**lowered, mangledName(entryName), options, module,
                        program);
}
