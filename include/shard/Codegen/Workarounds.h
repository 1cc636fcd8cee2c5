//===- Workarounds.h - Around faults of MLIR 22 -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each function works around a fault of MLIR 22. test/Codegen/Workarounds holds, for
// each, the smallest input that shows the fault with LLVM's own mlir-opt. When a
// newer MLIR mends it, that test fails: then delete the workaround and the test.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_WORKAROUNDS_H
#define SHARD_CODEGEN_WORKAROUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class Operation;
class RewriterBase;
} // namespace mlir

namespace shard {

/// Writes views of buffers below `root` that drop dimensions as views that keep
/// them and a cast that says what is left. MLIR's lowering of views crashes where
/// strides do not tell which dimension is dropped. `onlyStrided`: those whose own strides
/// are not all 1.
void expandReducingViews(mlir::Operation *root, bool onlyStrided = false);

/// Writes views of buffers below `root` that split a dimension into several of unknown
/// extents with computed strides. MLIR's lowering of such views crashes.
void expandDynamicSplits(mlir::Operation *root);

/// Gives tensors that functions below `root` return or pass on buffers of their
/// own where strides follow from dynamic extents. MLIR's bufferization makes
/// contiguous memrefs of them without a copy whenever strides are unknown, of a
/// slice with the strides of the whole too.
void copyDynamicBoundaries(mlir::Operation *root);

/// Gives results of functions below `root` buffers of their own. MLIR's analysis of
/// a caller knows which argument a result is, but not that two results are one
/// value, nor that a result is a constant, which must not be written. The results
/// of `entries` are not copied if a host copies them (`hosted`).
void copyCallResults(mlir::Operation *root,
                     llvm::ArrayRef<mlir::func::FuncOp> entries, bool hosted);

/// Gives what the regions of scf.index_switch below `root` yield buffers of its
/// own. MLIR's bufferization writes into a constant that a region yields.
void copySwitchResults(mlir::Operation *root);

/// Gives tensors from outside of a loop below `root` that the loop yields, or passes
/// from its condition to its body, buffers of their own. MLIR's bufferization yields
/// the buffer of a view that it has copied as it is, and writes into it after the loop.
void copyOuterYields(mlir::Operation *root);

/// Gives each but the first result of a loop below `root` that the loop yields one value
/// for, or passes one value for from its condition to its body, a buffer of its own.
/// MLIR's bufferization lets several carried values share a buffer that the next
/// iteration writes into.
void copyRepeatedYields(mlir::Operation *root);

/// Copies what scf.forall ops below `root` with several shared outputs put into
/// them. One output may be read from another, which MLIR's bufferization
/// overwrites first.
void copyBetweenOutputs(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Gives inputs and outputs of linalg.softmax ops below `root` one type, with
/// every extent that either knows: MLIR's decomposition makes invalid ops of two
/// types.
void unifySoftmaxTypes(mlir::Operation *root);

/// Writes tensor.pad ops below `root` whose padding may be negative as a slice and a
/// pad whose padding is not. MLIR merges pads by adding up their padding, takes a pad
/// between equal types for an identity, and writes what is cut off outside of the
/// buffer. Returns whether there were any.
bool expandNegativePadding(mlir::Operation *root);

/// Writes tensor.insert_slice ops below `root` that insert a padded tensor with strides as
/// two insertions, of the padding and of what is padded. MLIR's canonicalization folds
/// such a pad into the insertion as if the strides were 1. No padding may be negative.
/// Returns whether there were any.
bool separateStridedPadding(mlir::Operation *root);

/// Turns linalg ops below `root` that do not write every element of a result whose
/// init they do not read into loops that insert elements. MLIR's fusion replaces such
/// an init by tensor.empty, and its bufferization does not copy it.
void keepUnwrittenElements(mlir::Operation *root);

/// Gives constants of dynamic shape below `root` that elementwise ops take the extents of
/// another operand. MLIR makes such constants: of (a - b) - a it makes 0 - b. Fails,
/// with an error at the op, where there is no such operand: nobody knows the extents of
/// what was a comparison of a tensor with itself.
mlir::LogicalResult giveConstantsExtents(mlir::Operation *root);

/// Computes products of integers of 16 bits below `root`, of which the high part is kept, in 32
/// bits. LLVM computes the high part of wider products wrongly.
void narrowProducts(mlir::Operation *root);

} // namespace shard

#endif // SHARD_CODEGEN_WORKAROUNDS_H
