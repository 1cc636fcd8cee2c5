//===- Lowerings.h - Patterns under the names of LLVM's ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns for passes of other compilers. Functions of these names, with these
// arguments, are in mlir/Dialect/Shard/Transforms of LLVM; the ops that these here
// rewrite are those of `::shard`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_LOWERINGS_H
#define SHARD_PARTITIONING_LOWERINGS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir {
class SymbolTableCollection;
} // namespace mlir

namespace shard {

/// process_multi_index becomes arithmetic on process_linear_index.
void populateProcessMultiIndexOpLoweringPatterns(
    mlir::RewritePatternSet &patterns, mlir::SymbolTableCollection &symbols);

/// all_slice on tensors becomes tensor.extract_slice at a place that is computed from
/// process_multi_index; where blocks are uneven, the valid elements are inserted into
/// the padded block. Whether axes divide a dynamic extent is checked by cf.assert.
void populateAllSliceOpLoweringPatterns(mlir::RewritePatternSet &patterns,
                                        mlir::SymbolTableCollection &symbols);

/// Both of them.
void populateAllOpLoweringPatterns(mlir::RewritePatternSet &patterns,
                                   mlir::SymbolTableCollection &symbols);

/// What the canonicalizer does with ops of this dialect: collectives that do nothing,
/// chains of collectives, reductions of sums, and others.
void populateSimplificationPatterns(mlir::RewritePatternSet &patterns,
                                    mlir::SymbolTableCollection &symbols);

} // namespace shard

#endif // SHARD_PARTITIONING_LOWERINGS_H
