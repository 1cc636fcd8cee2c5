//===- PlanReshard.h - Prints reshard plans ---------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_SHARD_OPT_PLANRESHARD_H
#define SHARD_TOOLS_SHARD_OPT_PLANRESHARD_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace shard {

/// Handles `--shard-plan-reshard=REQUEST`, which needs no program. REQUEST is
///
///   grid=4x2 type=tensor<16x16xf32> from=[[0],[1]] to=[[1],[0]]
///
/// and prints the plan step by step with local shapes, bytes, peak memory, cost
/// and the lower bound. from and to may go on like `[[0],[]], partial = sum [1]`,
/// as in #shard.sharding. With `all` in place of from and to it prints a table
/// over all pairs of shardings without partial axes. Returns the exit code: 0, or
/// 1 after an error on `errors`. `context` has the dialects.
int planReshard(llvm::StringRef request, mlir::MLIRContext &context,
                llvm::raw_ostream &output, llvm::raw_ostream &errors);

} // namespace shard

#endif // SHARD_TOOLS_SHARD_OPT_PLANRESHARD_H
