//===- UnreachableBlocks.h - Blocks that nothing reaches -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_IMPORT_UNREACHABLEBLOCKS_H
#define SHARD_LIB_TRANSFORMS_IMPORT_UNREACHABLEBLOCKS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Erases the blocks of functions that no branch reaches, with a remark for each hint in
/// them. Such blocks never run, and may use values in any order.
void dropUnreachableBlocks(mlir::Operation *root);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_IMPORT_UNREACHABLEBLOCKS_H
