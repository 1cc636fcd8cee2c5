//===- Version.h - What --version prints ------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_VERSION_H
#define SHARD_TOOLS_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace shard {

/// Makes --version print this project's version before that of the LLVM that the program
/// is linked with. Call it before the command line is parsed. SHARD_VERSION comes from CMake.
inline void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "shard " SHARD_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
  });
}

} // namespace shard

#endif // SHARD_TOOLS_VERSION_H
