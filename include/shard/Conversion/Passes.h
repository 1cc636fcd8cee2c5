//===- Passes.h - Lowering of the shard dialect -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CONVERSION_PASSES_H
#define SHARD_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace shard {

#define GEN_PASS_DECL
#include "shard/Conversion/Passes.h.inc"

/// Registers the passes of this floor under their names, unless the process
/// has passes of these names already; not convert-shard-to-mpi, whose name LLVM's own
/// pass has (Pipelines/Registration.h). Calling it twice is harmless.
void registerConversionPasses();

} // namespace shard

#endif // SHARD_CONVERSION_PASSES_H
