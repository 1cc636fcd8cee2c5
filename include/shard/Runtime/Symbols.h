//===- Symbols.h - What compiled code calls ------------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_SYMBOLS_H
#define SHARD_RUNTIME_SYMBOLS_H

#include <utility>
#include <vector>

namespace shard {
namespace runtime {

/// Name and address of every function of Runtime.h that compiled code calls, for
/// a JIT's symbol table: those of the back end that is linked. Processes.h has
/// those of one that was loaded.
std::vector<std::pair<const char *, void *>> runtimeSymbols();

/// Name and address of what programs of convert-shard-to-mpi refer to, and the name of
/// the MPI, "openmpi" or "mpich", that they have to be lowered for: with MPI its own
/// functions, with threads such as do the same between the devices of a run.
std::vector<std::pair<const char *, void *>> mpiSymbols();
const char *mpiName();

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_SYMBOLS_H
