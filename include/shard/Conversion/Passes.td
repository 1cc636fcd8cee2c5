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

def ConvertShardToMPI : Pass<"convert-shard-to-mpi", "::mlir::ModuleOp"> {
  let summary = "turn a bufferized partitioned program into messages of MPI";
  let description = [{
    Takes the place of `convert-shard-to-runtime` where the program is to go on as one
    of LLVM's `mpi` dialect, without a library of this project. Device i of the grid is
    rank i of `MPI_COMM_WORLD`. The host calls `MPI_Init` (or runs `mpi.init`) before
    it calls the program.

    All collectives are covered, for all groups, element types, uneven blocks and
    halos of any width. Their results are the bits of the runtime: values combine in
    the order of the devices, f16 and bf16 in f32.

    Of the ops of `mpi`, the pass uses those that LLVM 22 lowers to calls of both Open
    MPI and MPICH: `comm_world`, `comm_rank`, and blocking `send` and `recv` of buffers
    of rank 1. All messages of a program have one order, which each device keeps, so
    that none waits forever however little MPI buffers. The other ops of the dialect are
    not used because of what LLVM 22.1 makes of them: `isend`, `irecv`, `wait`,
    `barrier` and `comm_size` stay as they are, with exit code 0; `comm_split` of Open
    MPI cuts the communicator to 32 bits; `allreduce` of Open MPI names symbols that
    its library does not have; buffers of higher rank are sent up to their first extent.

    A collective is a private function with loops and messages. A `shard.send` and the
    `shard.recv` behind it in its block are one exchange, in which every device of the
    group sends and receives.

    The pass runs behind bufferization and behind the passes that insert
    deallocations: LLVM's do not know the effects of the ops of `mpi`. `cf.assert`
    stays, which LLVM lowers to `abort`. Element types that the runtime does not have
    are for `shard-legalize-elements`, reductions by a region for
    `shard-expand-combiners`, both before bufferization; `shard-lower-to-llvm=mpi=mpich`
    runs all of it. In hosts that have LLVM's pass of this name, ours is
    `shard-convert-to-mpi`.

    Errors: those of `convert-shard-to-runtime`; a grid with axes of unknown size; a
    `shard.recv` without a source; a `shard.send` that all devices run and that no
    `shard.recv` follows.

    ```mlir
    // Input
    shard.grid @grid(shape = 2x4)
    func.func @f() -> index {
      %0 = shard.process_multi_index on @grid axes = [1] : index
      return %0 : index
    }
    // Output
    func.func @f() -> index {
      %0 = mpi.comm_world : !mpi.comm
      %rank = mpi.comm_rank(%0) : i32
      %1 = arith.index_cast %rank : i32 to index
      %c4 = arith.constant 4 : index
      %2 = arith.remui %1, %c4 : index
      return %2 : index
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::mpi::MPIDialect",
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

def ShardExpandCombiners : Pass<"shard-expand-combiners", "::mlir::ModuleOp"> {
  let summary = "turn reductions that a region defines into ops on each device";
  let description = [{
    The runtime has the named reductions only. An `all_reduce`, `reduce` or
    `reduce_scatter` of kind `generic` with a region becomes an `all_gather` of all
    inputs and a reduction on each device, in the order of the devices.

    Errors: a region on memrefs; a grid of unknown size.

    ```mlir
    // Input
    shard.grid @grid(shape = 2)
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] reduction = generic combiner {
      ^bb0(%x: f32, %y: f32):
        %1 = arith.addf %x, %y : f32
        shard.return %1 : f32
      } : tensor<4xf32> -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // Output
    #map = affine_map<(d0, d1) -> (d1, d0)>
    #map1 = affine_map<(d0, d1) -> (d0)>
    module {
      shard.grid @grid(shape = 2)
      func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        %expanded = tensor.expand_shape %arg0 [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
        %all_gather = shard.all_gather %expanded on @grid grid_axes = [0] gather_axis = 0 : tensor<1x4xf32> -> tensor<2x4xf32>
        %extracted_slice = tensor.extract_slice %all_gather[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
        %extracted_slice_0 = tensor.extract_slice %all_gather[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<1x4xf32>
        %0 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%extracted_slice_0 : tensor<1x4xf32>) outs(%extracted_slice : tensor<4xf32>) {
        ^bb0(%in: f32, %out: f32):
          %1 = arith.addf %out, %in : f32
          linalg.yield %1 : f32
        } -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
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
