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

  /// Compiles `module`, of the LLVM dialect, for this machine, with LLVM's
  /// optimisation `level`. Failures are reported at `place`.
  static mlir::FailureOr<std::unique_ptr<MachineCode>>
  make(mlir::ModuleOp module, llvm::StringRef entry,
       llvm::ArrayRef<std::pair<std::string, void *>> symbols, unsigned level,
       mlir::Operation *place);

  /// `entry`, taking the addresses of its arguments and then that of its result.
  void (*entryFunction() const)(void **) { return function; }

private:
  MachineCode();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*function)(void **) = nullptr;
};

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_MACHINECODE_H
