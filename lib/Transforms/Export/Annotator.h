//===- Annotator.h - Writes propagated shardings into the IR ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_EXPORT_ANNOTATOR_H
#define SHARD_LIB_TRANSFORMS_EXPORT_ANNOTATOR_H

#include "Export/CreatorMerge.h"
#include "Export/HintRemover.h"

namespace shard {

/// Writes what `propagation` states into `root`, whose own hints `hints` has taken
/// away. Fails with an error where a refined grid has no place.
llvm::LogicalResult annotate(const GridPropagation &propagation,
                             mlir::Operation *root, const HintRemover &hints,
                             const CreatorMerge &creators);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_EXPORT_ANNOTATOR_H
