//===- CheckResults.h - Are the results of the grid those of one device? -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKRESULTS_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKRESULTS_H

#include "shard/Fuzz/Check.h"

#include "shard/Execution/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shard::fuzz {

/// Whether all results were compared and are exactly the reference's, but for real
/// numbers, which are compared with others. Zeros have the sign of the reference's,
/// unless `partitioned`, the program that ran, adds floats of several devices and the
/// ops of `entry` are applied to the summands: 0 * (2 - 1) is 0 and -0 * (2 - 1) is -0,
/// but both 0 * 2 - 0 * 1 and -0 * 2 - -0 * 1 are 0.
Outcome judgeResults(mlir::func::FuncOp entry, mlir::ModuleOp partitioned,
                     const RunReport &report);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKRESULTS_H
