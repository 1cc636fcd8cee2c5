//===- Contraction.h - The kernel of matrix products and convolutions -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for every op that sums products over a rectangular index space,
// with linear indexing: C[...] += A[...] * B[...]. Matrix products with any
// number of batch, row, column and summed loops and any strides, transposed or
// not, and convolutions (a window index is the sum of two loops' terms) are all
// of this form. Compiled programs call it instead of carrying a tiled, vectorised
// loop nest for each op: one kernel to trust, no compile time per op, and
// dynamic extents are no special case.
//
// The method is that of Goto and van de Geijn ("Anatomy of High-Performance
// Matrix Multiplication", 2008): blocks of A and B are packed into panels, and
// a register-blocked inner kernel multiplies panels. Here packing goes through
// offset tables (one per group of loops), which is what makes it general. Two kinds of
// products are not packed, because that would take longer than to multiply: those of a large
// matrix and a few rows or columns (lib/Runtime/Kernels/Skinny.h), matrix-vector products
// among them, and small ones (Direct.h). The element types, extents and steps alone decide
// which form computes a product, and with it the order in which terms are added.
//
// Plain C++17, no MLIR. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_KERNELS_CONTRACTION_H
#define SHARD_RUNTIME_KERNELS_CONTRACTION_H

#include "shard/Host/ElementType.h"

namespace shard {

/// One loop: its extent, and by how many elements one step moves in A, B, C.
struct ContractionLoop {
  int64_t extent;
  int64_t strideA, strideB, strideC;
};

/// The element types of the operands and of the sum. Products and sums are
/// computed in `accumulator`, one of F32, F64, I32, I64; C has that type, or
/// F16 or BF16 with an F32 accumulator, and is then rounded once, at the end.
struct ContractionTypes {
  ElementType a, b, c, accumulator;
};

/// Whether contract() has a kernel for `types`.
bool isContractionSupported(const ContractionTypes &types);

/// The instructions that a form of the kernel uses. All forms add the terms of an
/// element in the same order; they differ in whether a product is rounded before it
/// is added (Baseline) or not (fused multiply-add).
enum class ContractionIsa : uint8_t {
  /// What every processor of the architecture has.
  Baseline,
  /// x86-64 with AVX2, FMA and F16C.
  Avx2,
  /// x86-64 with AVX-512 F, VL, BW and DQ.
  Avx512
};

/// Whether this machine can run the form `isa`.
bool isContractionIsaSupported(ContractionIsa isa);
/// The best form that this machine can run.
ContractionIsa bestContractionIsa();

/// C += A * B over all `loops`. The pointers are those of the elements at the
/// origin of all loops.
void contract(const ContractionTypes &types, const void *a, const void *b,
              void *c, const ContractionLoop *loops, int64_t numLoops,
              ContractionIsa isa = bestContractionIsa());

/// What compiled programs call: `types` is four ElementType numbers, a in the lowest
/// byte; `table` four numbers per loop, as ContractionLoop.
using ContractionEntry = void(int64_t types, const void *a, const void *b,
                              void *c, int64_t numLoops, const int64_t *table);
/// The entry of the form `isa`, which the machine must be able to run.
ContractionEntry *contractionEntry(ContractionIsa isa);
/// The entry by name, for programs compiled ahead of time: uses the best form.
extern "C" ContractionEntry shard_kernel_contract;

} // namespace shard

#endif // SHARD_RUNTIME_KERNELS_CONTRACTION_H
