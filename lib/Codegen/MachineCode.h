//===- MachineCode.h - From the LLVM dialect to code -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlir::ExecutionEngine does, without a run-time platform: that compiles two
// more modules for every program, for constructors and destructors, which programs
// here do not have.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_MACHINECODE_H
#define SHARD_LIB_CODEGEN_MACHINECODE_H

#include "shard/Codegen/Compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace shard::codegen {

class MachineCode {
public:
  ~MachineCode();

  /// Compiles `module`, of the LLVM dialect, and links it to `symbols`, to
  /// builtinSymbols() and to what this process exports. Failures are reported at
  /// the op of `source`, the module that the user wrote, that they concern.
  static mlir::FailureOr<std::unique_ptr<MachineCode>>
  make(mlir::ModuleOp module, llvm::StringRef entry,
       llvm::ArrayRef<std::pair<std::string, void *>> symbols,
       const CompileOptions &options, mlir::ModuleOp source);

  /// `entry`, taking the addresses of its arguments and then that of its result.
  void (*entryFunction() const)(void **) { return function; }

private:
  MachineCode();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*function)(void **) = nullptr;
};

/// Compiles `module` as MachineCode::make does, to an object file with the table of
/// `program`.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
generateObject(mlir::ModuleOp module, llvm::StringRef entry,
               const CompileOptions &options, mlir::ModuleOp source,
               const ObjectProgram &program);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_MACHINECODE_H
