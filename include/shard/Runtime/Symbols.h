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

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_SYMBOLS_H
