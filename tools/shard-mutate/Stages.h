//===- Stages.h - What every program goes through --------------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_MUTATE_STAGES_H
#define SHARD_TOOLS_MUTATE_STAGES_H

#include "shard/Fuzz/Check.h"

#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shard::fuzz {

/// A place where a program can fail: the stage, and, where an upstream tool can
/// be asked too, the pipeline and the program as they are right there.
struct Place {
  std::string stage;
  std::string pipeline;
  std::string program;
};

/// What every valid program is put through, one after another: pipelines of
/// passes, each from the parsed program.
const std::vector<std::string> &pipelines();

/// Registers every pass that the pipelines name; once per process.
void registerPasses();
/// A context of one thread with every dialect.
std::unique_ptr<mlir::MLIRContext> makeWideContext();

/// Parses and verifies `program`, writes and reads it as bytecode, imports it if
/// it is of the `mesh` dialect, and runs `pipelines` on it. What fails must print an
/// error and what prints an error must fail: else CheckFailed. Before each step
/// `at` is called, if given; `parsed` is set if the program is valid.
Outcome runStages(mlir::MLIRContext &context, const std::string &program,
                  const std::vector<std::string> &pipelines, bool &parsed,
                  const std::function<void(const Place &)> &at = {});

} // namespace shard::fuzz

#endif // SHARD_TOOLS_MUTATE_STAGES_H
