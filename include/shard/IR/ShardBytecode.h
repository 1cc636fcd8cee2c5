//===- ShardBytecode.h - Bytecode of the dialect, and its versions -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDBYTECODE_H
#define SHARD_IR_SHARDBYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace shard {

class ShardDialect;

/// The version of the encoding of the dialect's attributes and types.
///
/// * 0: axes without sub-axes, dimensions without priorities;
/// * 1: with both;
/// * 2: grids with device_ids;
/// * 3: grids with uneven_dynamic.
///
/// Files without a version come from LLVM's dialect: attributes are text, and the
/// properties that this dialect adds to ops are not there.
///
/// Files of every version up to the current one are read. To write an older one,
/// give it to BytecodeWriterConfig::setDialectVersion; attributes that it cannot express
/// are stored as text, device_ids and uneven_dynamic are left out with a warning.
struct ShardVersion : mlir::DialectVersion {
  static constexpr uint64_t kCurrent = 3;

  explicit ShardVersion(uint64_t number = kCurrent) : number(number) {}

  uint64_t number;
};

/// Called by the dialect.
void addBytecodeInterface(ShardDialect *dialect);

} // namespace shard

#endif // SHARD_IR_SHARDBYTECODE_H
