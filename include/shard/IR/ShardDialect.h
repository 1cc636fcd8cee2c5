//===- ShardDialect.h - The shard dialect -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDDIALECT_H
#define SHARD_IR_SHARDDIALECT_H

#include "shard/IR/ShardAttrs.h"

#include "mlir/IR/Dialect.h"

#include "shard/IR/ShardDialect.h.inc"

namespace shard {

/// The names of the discardable attributes that ShardBase.td declares and
/// describes: "shard.sharding", "shard.loops" and "shard.local".
inline constexpr llvm::StringLiteral kShardingAttrName =
    ShardDialect::ShardingAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLoopsAttrName =
    ShardDialect::LoopsAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kLocalAttrName =
    ShardDialect::LocalAttrHelper::getNameStr();
inline constexpr llvm::StringLiteral kMachineAttrName =
    ShardDialect::MachineAttrHelper::getNameStr();

/// Makes the dialect available to contexts made from `registry`. Safe in hosts
/// whose registry also has LLVM's dialect of the same name
/// (registerAllDialects): the dialect is loaded, under its name, as soon as the
/// builtin dialect is.
void registerShardDialect(mlir::DialectRegistry &registry);

} // namespace shard

#endif // SHARD_IR_SHARDDIALECT_H
