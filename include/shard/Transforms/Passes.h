//===- Passes.h - Passes of the shard project -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_PASSES_H
#define SHARD_TRANSFORMS_PASSES_H

#include "shard/Transforms/Transforms.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace shard {

#define GEN_PASS_DECL
#include "shard/Transforms/Passes.h.inc"

} // namespace shard

#endif // SHARD_TRANSFORMS_PASSES_H
