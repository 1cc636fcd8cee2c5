//===- Program.h - The program that a tool is given -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shard-run and shard-compile have in common: the file of the program, --entry,
// --grid, --hint, --lift-constants, --partition-tosa.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_COMMON_PROGRAM_H
#define SHARD_TOOLS_COMMON_PROGRAM_H

#include "shard/IR/ShardOps.h"
#include "shard/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace shard {

struct GivenProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  /// Null if it has no grid.
  GridOp grid;
};

/// The path of the program; `-` is standard input.
const std::string &programPath();

/// Reads the program and changes it as the options say. What fails has been reported.
mlir::FailureOr<GivenProgram> readProgram(mlir::MLIRContext &context);

/// What the options say of partition.
SpmdPipelineOptions readPipelineOptions();

/// A place in the text of an option.
mlir::InFlightDiagnostic errorAtOption(mlir::MLIRContext *context,
                                       llvm::StringRef option,
                                       llvm::StringRef text);

/// At what names the processor: --cpu, $SHARD_CPU or --triple.
mlir::InFlightDiagnostic errorAtTarget(mlir::MLIRContext *context,
                                       llvm::StringRef cpu,
                                       llvm::StringRef triple);

} // namespace shard

#endif // SHARD_TOOLS_COMMON_PROGRAM_H
