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

def ShardLegalizeElements : Pass<"shard-legalize-elements", "::mlir::ModuleOp"> {
  let summary = "give collectives elements that the runtime knows";
  let description = [{
    The runtime moves elements of 1, 8, 16, 32 and 64 bits. A collective on tensors of
    other elements becomes one on the next wider integer, or one for each part of an
    element: words of 64 bits, the real and the imaginary part. Floats are moved as the
    integers of their bits.

    Reductions are defined on f16, bf16, f32, f64, index, integers of up to 64 bits, and,
    sums and averages, on complex numbers of these floats.

    Errors: a reduction on other elements; elements that are signed or unsigned integers
    of another width.

    ```mlir
    // Input
    shard.grid @grid(shape = 2)
    func.func @f(%a: tensor<2xi4>) -> tensor<2xi4> {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<2xi4> -> tensor<2xi4>
      return %0 : tensor<2xi4>
    }
    // Output
    #map = affine_map<(d0) -> (d0)>
    module {
      shard.grid @grid(shape = 2)
      func.func @f(%arg0: tensor<2xi4>) -> tensor<2xi4> {
        %0 = tensor.empty() : tensor<2xi8>
        %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<2xi4>) outs(%0 : tensor<2xi8>) {
        ^bb0(%in: i4, %out: i8):
          %5 = arith.extsi %in : i4 to i8
          linalg.yield %5 : i8
        } -> tensor<2xi8>
        %all_reduce = shard.all_reduce %1 on @grid grid_axes = [0] : tensor<2xi8> -> tensor<2xi8>
        %2 = tensor.empty() : tensor<2xi4>
        %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%all_reduce : tensor<2xi8>) outs(%2 : tensor<2xi4>) {
        ^bb0(%in: i8, %out: i4):
          %5 = arith.trunci %in : i8 to i4
          linalg.yield %5 : i4
        } -> tensor<2xi4>
        return %3 : tensor<2xi4>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SHARD_CONVERSION_PASSES_TD
