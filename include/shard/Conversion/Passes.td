//===- Passes.td - Lowering of the shard dialect -----------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CONVERSION_PASSES_TD
#define SHARD_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertShardToRuntime : Pass<"convert-shard-to-runtime", "::mlir::ModuleOp"> {
  let summary = "turn a bufferized partitioned program into runtime calls";
  let description = [{
    The last pass that knows the shard dialect. Ops about the process and the
    grid become arithmetic on `shard_rt_process_linear_index`, collectives on
    memrefs become calls of the functions of shard/Runtime/Runtime.h, and
    `cf.assert` calls `shard_rt_fail`, which ends the run with a message instead
    of aborting the process. Grids and the attributes of the dialect disappear.
    What remains is in the dialects arith, cf, func, memref and scf; MLIR's own
    passes take it to LLVM.

    Collectives on tensors are turned into the same calls by one-shot-bufferize,
    which therefore runs before. Each call goes through a private function of its
    own, which holds the descriptors of the buffers, so that calls in a loop do
    not let the stack grow, and passes about the lifetime of buffers see which
    ones a collective uses.

    Errors: an annotation or hint, which partition would have removed; a collective
    on tensors; a reduction `generic`, or one on a type that has no such; element
    types other than those of 1, 8, 16, 32 and 64 bits.

    ```mlir
    // Input
    shard.grid @grid(shape = 2x4)
    func.func @f() -> index {
      %0 = shard.process_multi_index on @grid axes = [1] : index
      return %0 : index
    }
    // Output
    func.func @f() -> index {
      %0 = call @shard_rt_process_linear_index() : () -> index
      %c4 = arith.constant 4 : index
      %1 = arith.remui %0, %c4 : index
      return %1 : index
    }
    func.func private @shard_rt_process_linear_index() -> index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShardVerifyPartitioned : Pass<"shard-verify-partitioned", "::mlir::ModuleOp"> {
  let summary = "report annotations and hints that partition has not seen";
  let description = [{
    Fails, with an error at the place, if the program has an annotation, a
    constraint, a group, a manual computation, or the hint `shard.sharding` or
    `shard.loops` on a function argument, a result or an op. Such a program is for
    one device; lowered as it stands, every device would compute all of it. The
    first pass of `shard-lower-to-llvm`. Changes nothing.
  }];
}

#endif // SHARD_CONVERSION_PASSES_TD
