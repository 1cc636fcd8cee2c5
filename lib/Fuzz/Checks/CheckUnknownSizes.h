//===- CheckUnknownSizes.h - Grids with axes of unknown size ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKUNKNOWNSIZES_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKUNKNOWNSIZES_H

#include "shard/Fuzz/Check.h"

#include "shard/Execution/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shard::fuzz {

/// Partitions `module` for its grid with some axes of unknown size, which the seed of `options`
/// chooses, puts the sizes in behind that, runs `entry` as `options` say, and compares the results
/// with `expected`, those of the program whose sizes were known from the beginning. Passes where such
/// an axis splits what it does not divide, which the contract of these axes excludes, and where
/// partition says why it needs the sizes.
Outcome checkUnknownSizes(mlir::ModuleOp module, mlir::func::FuncOp entry,
                          RunOptions options,
                          const std::vector<HostTensor> &expected);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKUNKNOWNSIZES_H
