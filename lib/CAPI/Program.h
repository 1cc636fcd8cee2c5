//===- Program.h - Behind the handles of the C API --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CAPI_PROGRAM_H
#define SHARD_LIB_CAPI_PROGRAM_H

#include "shard-c/Program.h"
#include "shard/Execution/PartitionedProgram.h"

#include "mlir/IR/Diagnostics.h"

namespace shard::capi {

/// What a ShardValue points to.
struct ValueText {
  std::string name, type, elementType;
  std::vector<int64_t> shape;
};

struct Program {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  std::vector<ValueText> arguments, results;
  /// What its partitions are compared with.
  OneDeviceCache oneDevice;
};

struct Partition {
  Program *program;
  /// Null: devices are threads.
  runtime::Processes *processes;
  /// Of the partitioned program; tells it from others among the processes.
  std::string digest;
  /// The whole program with its grid and hints.
  mlir::OwningOpRef<mlir::ModuleOp> hinted;
  mlir::func::FuncOp entry;
  CpuTarget target;
  std::optional<PartitionedProgram> partitioned;
};

inline runtime::Processes *get(ShardProcesses processes) {
  return static_cast<runtime::Processes *>(processes.ptr);
}
inline Program *get(ShardProgram program) {
  return static_cast<Program *>(program.ptr);
}
inline Partition *get(ShardPartition partition) {
  return static_cast<Partition *>(partition.ptr);
}
inline llvm::StringRef get(MlirStringRef text) {
  return llvm::StringRef(text.data, text.length);
}
inline MlirStringRef text(llvm::StringRef text) {
  return MlirStringRef{text.data(), text.size()};
}

/// Sends the diagnostics of a context to a sink as long as it lives.
class DiagnosticForwarder {
public:
  DiagnosticForwarder(mlir::MLIRContext &context, ShardDiagnosticSink sink);
  /// The message of the first error; empty if there is none.
  const std::string &firstError() const { return error; }

private:
  void report(mlir::Diagnostic &diagnostic, ShardSeverity severity);

  ShardDiagnosticSink sink;
  std::string error;
  mlir::ScopedDiagnosticHandler handler;
};

/// Calls `monitor` as shard::Monitor does.
Monitor toMonitor(ShardMonitor monitor);

/// Calls `callback` with what `print` prints.
void printTo(MlirStringCallback callback, void *userData,
             llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace shard::capi

#endif // SHARD_LIB_CAPI_PROGRAM_H
