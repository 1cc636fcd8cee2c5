//===- Compile.h - Compile a program and run it -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a module on tensors into machine code for the host, once; the result
// runs any number of times, on any number of threads at once.
//
// What happens to a program, in order:
//  1. named linalg ops become linalg.generic, elementwise ops on tensors too;
//     elementwise ops are fused;
//  2. a reduction whose result is f16 or bf16 is summed in f32 and rounded once,
//     and so is a contraction: on one device and on each device of a grid alike;
//     elementwise f16 and bf16 ops are computed in f32 and rounded after each op;
//  3. tensors become buffers; the caller's arguments are never written;
//  4. sums of products call the kernel of Contraction.h, everything else becomes
//     loops that LLVM vectorises;
//  5. LLVM, at -O3, for the processor of CompileOptions::target.
//
// Where a program would be undefined (integer division by zero, an index
// out of range in tensor.extract) the compiled one is defined and does not crash:
// such a division gives 0, such an index is clamped. Where dynamic extents do not fit, it
// ends with a message, if CompileOptions::checkExtents says so.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_COMPILE_H
#define SHARD_CODEGEN_COMPILE_H

#include "shard/Codegen/Monitor.h"
#include "shard/Codegen/Target.h"
#include "shard/Host/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>

namespace shard {

struct ObjectProgram;

namespace codegen {
class MachineCode;
} // namespace codegen

/// Registers what compile() needs: the dialects it lowers to, interface models
/// and translations. Call it before the context parses the program.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// An argument or result of a program. Scalars count as tensors of rank 0.
struct TensorSpec {
  ElementType type;
  /// mlir::ShapedType::kDynamic where the size is known only when it runs.
  std::vector<int64_t> shape;
};

/// The element type of host tensors that `type` is, of those that the kernels compute
/// with; nothing if there is none.
std::optional<ElementType> getElementType(mlir::Type type);

/// The same with those that can only be passed in and out: floats of 8 bits, complex.
std::optional<ElementType> getHostElementType(mlir::Type type);

/// The spec of `type`, a ranked tensor or a scalar; nothing for types that
/// cannot be passed in or out.
std::optional<TensorSpec> getTensorSpec(mlir::Type type);

struct CompileOptions {
  /// Functions that the program may call, by symbol name. Collectives and
  /// cf.assert call those of shard/Runtime/Runtime.h.
  std::vector<std::pair<std::string, void *>> symbols;
  /// `openmpi` or `mpich`: collectives are messages of LLVM's `mpi` dialect, lowered
  /// for that MPI, whose functions are among `symbols`. Empty: calls of the runtime.
  std::string mpi;
  /// How much LLVM optimises. 0: nothing, instructions are selected one by one.
  /// 1: nothing; the code generator works as usual. Levels 0 and 1 share no
  /// transformation of LLVM IR with 2 and 3, which are LLVM's -O2 and -O3.
  unsigned optLevel = 3;
  /// Whether the IR is verified behind each pass. That takes time.
  bool verifies = false;
  /// Divisions and places of elements that make no sense do not trap
  /// (shard-make-total).
  bool total = true;
  /// Dynamic extents are checked when the program runs (shard-check-extents). Where they do
  /// not fit, it calls shard_rt_fail, which has to be among `symbols`.
  bool checkExtents = false;
  /// What compile() generates code for must be able to run here.
  CpuTarget target;
  Monitor monitor;
};

class RunMemory;

/// One run of a program, ready to go: everything that can fail has been checked.
/// It may be executed on any thread, once.
class Invocation {
public:
  Invocation();
  Invocation(Invocation &&);
  Invocation &operator=(Invocation &&);
  ~Invocation();

  /// Runs on the calling thread. Owns nothing on the stack, so that a failing
  /// collective may leave it by longjmp.
  void execute();
  /// The results, after execute() has returned. Callable once.
  std::vector<HostTensor> takeResults();
  /// The most bytes that the run's buffers took at once, arguments not counted.
  int64_t peakBytes() const;

private:
  friend class CompiledProgram;
  void (*function)(void **) = nullptr;
  std::vector<TensorSpec> outputSpecs;
  std::vector<int64_t> words, resultWords;
  std::vector<void *> packed;
  std::unique_ptr<RunMemory> memory;
};

/// Machine code of one function.
class CompiledProgram {
public:
  ~CompiledProgram();

  const std::vector<TensorSpec> &inputs() const { return inputSpecs; }
  const std::vector<TensorSpec> &outputs() const { return outputSpecs; }

  /// Makes ready to run with `arguments`, which must outlive the run and stay
  /// unchanged. Fails where number, type or shape do not fit.
  llvm::Expected<Invocation>
  prepare(llvm::ArrayRef<const HostTensor *> arguments) const;

  /// Runs the program on the calling thread.
  llvm::Expected<std::vector<HostTensor>>
  run(llvm::ArrayRef<const HostTensor *> arguments) const;

private:
  friend mlir::FailureOr<std::vector<std::unique_ptr<CompiledProgram>>>
      compileAtLevels(mlir::ModuleOp, llvm::StringRef, CompileOptions,
                      llvm::ArrayRef<unsigned>);
  CompiledProgram();

  std::unique_ptr<codegen::MachineCode> code;
  void (*function)(void **) = nullptr;
  std::vector<TensorSpec> inputSpecs, outputSpecs;
  /// Large constants that the code refers to.
  std::shared_ptr<const std::vector<HostTensor>> constants;
};

/// Erases the functions that `entry` does not reach.
void eraseUnreachable(mlir::func::FuncOp entry);

/// Compiles function `entry` of `module`, which stays as it is. Anything that
/// cannot be compiled is reported at its location.
mlir::FailureOr<std::unique_ptr<CompiledProgram>>
compile(mlir::ModuleOp module, llvm::StringRef entry,
        const CompileOptions &options = {});

/// Compiles it once for each of `levels` (CompileOptions::optLevel). It is lowered to
/// LLVM once.
mlir::FailureOr<std::vector<std::unique_ptr<CompiledProgram>>>
compileAtLevels(mlir::ModuleOp module, llvm::StringRef entry,
                CompileOptions options, llvm::ArrayRef<unsigned> levels);

/// Compiles function `entry` of `module` to an object file for `options.target`, which
/// may be one that this machine cannot run. All that others see of it is the table of
/// `program`. Of CompileOptions::symbols the names alone count: what else is called has
/// to be in libm or in a library that this process has loaded.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(mlir::ModuleOp module, llvm::StringRef entry,
                const CompileOptions &options, const ObjectProgram &program);

} // namespace shard

#endif // SHARD_CODEGEN_COMPILE_H
