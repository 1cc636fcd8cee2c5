//===- Precise.h - Real numbers against a run in f64 ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of a continuous program are compared with those of the same program on
// one device with f64 in place of every float type. An element may be off by
//
//   t * max(|x|, |y|, scale) + 8 * spread
//
//  t       what shard-run allows, which follows from the roundoff, the longest
//          reduction and the longest path (shard/Host/Compare.h);
//  spread  how far any element of the result moves when the f64 program is run
//          again with every float that it computes off by a random part of one
//          rounding of a reduction of that length: differences of what is nearly
//          equal magnify errors, and spread says how much.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_PRECISE_H
#define SHARD_LIB_FUZZ_PRECISE_H

#include "shard/Fuzz/Check.h"

#include "shard/Execution/Verify.h"

namespace shard::fuzz {

/// Compares `outputs`, of the grid, with the f64 run of `entry` of `module` on
/// `inputs`, of all arguments. Only floats are compared.
Outcome comparePrecisely(mlir::ModuleOp module, mlir::func::FuncOp entry,
                         const std::map<unsigned, HostTensor> &inputs,
                         const std::vector<HostTensor> &outputs, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_PRECISE_H
