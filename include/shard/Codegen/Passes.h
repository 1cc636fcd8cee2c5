//===- Passes.h - Passes of code generation --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a partitioned program on tensors to the LLVM dialect, and the one
// pipeline of them: compile() runs it, and `shard-lower-to-llvm` is it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_PASSES_H
#define SHARD_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace shard {

#define GEN_PASS_DECL
#include "shard/Codegen/Passes.h.inc"

/// How buildLowerToLLVMPipeline() lowers a program.
struct LoweringOptions {
  /// The function that is called from outside; empty: every public function.
  std::string entry;
  /// Scalars in the signature of the entry become tensors of rank 0.
  bool wrapScalars = false;
  /// Sums of products call `shard_kernel_contract` of Runtime/Kernels; otherwise
  /// they become loops.
  bool kernelCalls = true;
  /// Divisions and places of elements that make no sense do not trap
  /// (shard-make-total).
  bool total = true;
  /// Dynamic extents are checked when the program runs (shard-check-extents).
  bool checkExtents = false;
  /// The code runs inside a host that owns its memory, as under shard-run. Its
  /// functions are renamed, so that a program's @exp does not stand in for the
  /// library's. Buffers come from `_mlir_memref_to_llvm_aligned_alloc`; the
  /// program frees what is easy to free early, and the host the rest when the run
  /// ends. Otherwise names stay, every tensor result is an allocation of its own
  /// that the caller releases by free(), and the program frees everything else.
  bool hosted = false;
  /// Empty: collectives are calls of the runtime. `openmpi` or `mpich`: they are
  /// messages of LLVM's `mpi` dialect, lowered for that MPI (convert-shard-to-mpi).
  std::string mpi;
};

/// From a partitioned program to the LLVM dialect, with calls of the functions of
/// shard/Runtime/Runtime.h and shard/Runtime/Kernels/Contraction.h. Tensors at
/// function boundaries become contiguous memrefs. For a pass manager on modules.
/// Pipeline `shard-lower-to-llvm`.
void buildLowerToLLVMPipeline(mlir::OpPassManager &manager,
                              const LoweringOptions &options = {});

/// Registers the passes of this floor under their names, and the pipeline
/// `shard-lower-to-llvm`, unless the process has passes of these names already.
/// Calling it twice is harmless.
void registerCodegenPasses();

} // namespace shard

#endif // SHARD_CODEGEN_PASSES_H
