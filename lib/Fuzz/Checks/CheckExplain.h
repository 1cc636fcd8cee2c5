//===- CheckExplain.h - What propagation says of its choices ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKEXPLAIN_H
#define SHARD_LIB_FUZZ_CHECKEXPLAIN_H

#include "shard/Propagation/Options.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Propagates in `module`. What its explanation and its remarks say must agree with each other,
/// with the hints and with the shardings that they name: each axis of a value has one reason,
/// whose hint names the axis; the steps of a reshard name the axes that change; an op that cannot
/// be split is told of once. What is wrong, in words, empty if nothing is; failure if propagation
/// fails.
llvm::FailureOr<std::string> checkTold(mlir::ModuleOp module,
                                       const PropagationOptions &options);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKEXPLAIN_H
