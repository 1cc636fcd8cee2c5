//===- AheadOfTime.h - Parts of compileAheadOfTime --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Execution library.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_EXECUTION_AHEADOFTIME_H
#define SHARD_LIB_EXECUTION_AHEADOFTIME_H

#include "shard/Codegen/ObjectProgram.h"
#include "shard/Execution/AheadOfTime.h"

#include "llvm/Support/Error.h"

namespace shard::execution {

/// The text of the C header of `program`.
std::string makeCHeader(const ObjectProgram &program,
                        const AheadOfTimeOptions &options);

/// Fails unless all that a link needs is there.
llvm::Error checkLink(const AheadOfTimeOptions &options);

/// Links `object` to `output`.
llvm::Error link(llvm::StringRef object, llvm::StringRef output,
                 const AheadOfTimeOptions &options);

} // namespace shard::execution

#endif // SHARD_LIB_EXECUTION_AHEADOFTIME_H
