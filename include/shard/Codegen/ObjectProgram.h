//===- ObjectProgram.h - The table of a program in an object ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the table of a program compiled ahead of time says
// (shard/Standalone/Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_OBJECTPROGRAM_H
#define SHARD_CODEGEN_OBJECTPROGRAM_H

#include "shard/Standalone/Layout.h"

#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace shard {

struct ObjectValue {
  /// The whole tensor in MLIR, and its sharding by the names of axes.
  std::string type, sharding;
  std::vector<int64_t> shape, localShape;
  ValueLayout layout;
};

struct ObjectProgram {
  /// The symbol of the table.
  std::string symbol;
  /// The entry in the source.
  std::string name;
  Grid grid;
  /// The physical device at each position; empty: position p is device p.
  std::vector<int64_t> deviceIds;
  std::vector<std::string> axisNames;
  std::vector<ObjectValue> arguments, results;
  /// Also define `main`, which calls shard_program_main.
  bool hasMain = false;
};

/// Adds the table to `module`. `entry` takes an array with the addresses of the arguments
/// and of the result. Everything else in `module` becomes invisible to other objects.
void addProgramTable(llvm::Module &module, llvm::Function &entry,
                     const ObjectProgram &program);

} // namespace shard

#endif // SHARD_CODEGEN_OBJECTPROGRAM_H
