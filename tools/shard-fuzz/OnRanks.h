//===- OnRanks.h - shard-fuzz --mpi -----------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_SHARD_FUZZ_ONRANKS_H
#define SHARD_TOOLS_SHARD_FUZZ_ONRANKS_H

#include "shard/Fuzz/Generate.h"
#include "shard/Fuzz/Ranks.h"

/// Joins the other ranks, and proves `programs`, random ones by `options`. Returns the
/// exit code. `hasFiles`: the command line, `arguments`, names programs.
int proveUnderMpi(const std::vector<std::string> &arguments,
                  shard::fuzz::GenerateOptions options, bool hasFiles,
                  shard::fuzz::RankPrograms programs);

#endif // SHARD_TOOLS_SHARD_FUZZ_ONRANKS_H
