//===- AheadOfTime.h - Programs that run without a compiler -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole of shard-compile as a function: a module with hints is partitioned and
// compiled as for shard-run, and written to files that run where neither LLVM nor this
// compiler is. shard/Standalone/Program.h tells how C programs use them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_EXECUTION_AHEADOFTIME_H
#define SHARD_EXECUTION_AHEADOFTIME_H

#include "shard/Codegen/Monitor.h"
#include "shard/Codegen/Target.h"
#include "shard/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace shard {

enum class OutputKind { Object, SharedLibrary, Executable };

struct AheadOfTimeOptions {
  OutputKind kind = OutputKind::Executable;
  /// What is written, and the C header beside it. Each gets its name when it is whole.
  std::string output, header;
  /// The C identifier that names in the header begin with; the table of the program is
  /// `NAME_program`.
  std::string name;
  /// What the program was read from, for the comment in the header.
  std::string source;

  /// Of shared libraries and executables: `threads`, `openmpi` or `mpich`.
  std::string backend = "threads";
  /// The folder of libshard_program.so and the others, to link with.
  std::string libraryFolder;
  /// Where the program looks for them when it runs.
  std::string runPath;
  /// The C compiler that links.
  std::string compiler;
  /// More libraries, with functions that the program calls.
  std::vector<std::string> libraries;

  CpuTarget target;
  /// CompileOptions::optLevel.
  unsigned optLevel = 3;
  SpmdPipelineOptions pipeline;
  /// Called with the partitioned module, before it is lowered.
  std::function<void(mlir::ModuleOp)> onPartitioned;
  /// Is told of the linking too, as work of its own ("link").
  Monitor monitor;
};

/// `text` as the beginning of C identifiers.
std::string makeCName(llvm::StringRef text);

/// Compiles `entry` of `module`, which stays as it is. Fails with a located error, and
/// leaves no new file.
mlir::LogicalResult compileAheadOfTime(mlir::ModuleOp module,
                                       mlir::func::FuncOp entry,
                                       const AheadOfTimeOptions &options);

} // namespace shard

#endif // SHARD_EXECUTION_AHEADOFTIME_H
