//===- NormalizePasses.td - Passes that normalize ops ------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that write the ops of a program of one device in the form that other passes and
// models look for, in the order in which `shard-spmd` runs them. Passes.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_NORMALIZEPASSES_TD
#define SHARD_TRANSFORMS_NORMALIZEPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardFoldNumbers : Pass<"shard-fold-numbers"> {
  let summary = "make constants of numbers that are computed of constants";
  let description = [{
    Whether an op reads a window of a tensor, or may read all of it, is told by offsets,
    sizes and indices that are constants. In a program that has not been canonicalized they
    may be computed instead: by sums and products of constants, casts between integers and
    indices, `affine.apply`, `tensor.dim` of static extents. This pass replaces each op
    that computes integers or indices alone, of operands that are constants or tensors, by
    the constants to which MLIR folds it. An op with an attribute of another dialect, which
    may be a hint, stays, and so does arithmetic of floats. A `shard.shard_shape` of a stated
    sharding becomes the numbers that it asks for. A `tensor.extract_slice` of constant sizes
    gets a static type, and a `tensor.cast` to the old one; the source of a
    `tensor.insert_slice` gets one too. Ops with `shard.loops` stay as they are, because ops of
    other extents may have other loops. A `tensor.dim` asks the tensor where an extent was
    first stated, so that a chain of ops whose dimension is split unevenly at run time asks
    the other devices for it once. Numbers of `ub.poison` are zeros. All ops stay in their
    order and keep their locations.

    ```mlir
    // Input
    func.func @f(%a: tensor<16xf32>) -> tensor<?xf32> {
      %c3 = arith.constant 3 : i32
      %i = arith.index_cast %c3 : i32 to index
      %n = arith.addi %i, %i : index
      %0 = tensor.extract_slice %a[%i] [%n] [1] : tensor<16xf32> to tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    // Output
    func.func @f(%a: tensor<16xf32>) -> tensor<?xf32> {
      %c3 = arith.constant 3 : index
      %0 = tensor.extract_slice %a[%c3] [6] [1] : tensor<16xf32> to tensor<6xf32>
      %1 = tensor.cast %0 : tensor<6xf32> to tensor<?xf32>
      return %1 : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ShardNormalizeOps : Pass<"shard-normalize-ops"> {
  let summary = "write ops in the form that models look for";
  let description = [{
    Passes of MLIR and frontends write one program in several ways. This pass makes

    * a `linalg.fill` of each `linalg.generic` that writes one number to all elements of its
      result: a reduction sees that its init is neutral;
    * constants in the body of a `linalg.generic` of inputs that are one number everywhere, and
      such constants of transposed, broadcast, reshaped and sliced ones: what a product with a
      number commutes with is seen;
    * numbers of the elements that `tensor.extract` takes of such tensors;
    * one input of those that a `linalg.generic` reads twice in one place;
    * a `tensor.empty` of each init that is not read, has no hint of its own and whose elements are
      all written, as `convert-elementwise-to-linalg` makes them of inputs.

    Reshapes that add or drop dimensions of one element stand behind elementwise ops then, where
    they meet the ones that undo them. Broadcasts do, too: keys of which a sort compares all pairs
    are computed, and gathered, once for each element.
    Ops of which the result is a tensor that is there already, or one number, are dropped: copies,
    elementwise ops that fold (those of fills, too), ops of `linalg` whose bodies fold to their
    init, as a product of integers by zero does, to an input, or to one number, slices and
    insertions of whole tensors, casts to an unknown extent and back, reshapes, transpositions and
    packs that are undone. So are ops that nothing uses: they would ask for their operands in a
    sharding of theirs. Those that a hint is about, or that have attributes of other dialects, stay.

    ```mlir
    // Input
    func.func @f(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%a : tensor<8xf32>) {
      ^bb0(%out: f32):
        %one = arith.constant 1.0 : f32
        linalg.yield %one : f32
      } -> tensor<8xf32>
      %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %one = arith.constant 1.0 : f32
      %0 = linalg.fill ins(%one : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      %2 = tensor.empty() : tensor<8xf32>
      %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def ShardRaiseElementwise : Pass<"shard-raise-elementwise"> {
  let summary = "make ops on tensors of elementwise ops of linalg";
  let description = [{
    Replaces each op of linalg that applies one elementwise op to its inputs, as
    `convert-elementwise-to-linalg` and frontends write them, by that op on tensors: a sum that
    a loop carries is seen then, and one whose operands are sums. Ops with attributes of other
    dialects, which may be hints, stay. It runs behind `shard-expand-reshapes`, which moves
    reshapes through ops of linalg.

    ```mlir
    // Input
    func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.addf %a, %b : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}

#endif // SHARD_TRANSFORMS_NORMALIZEPASSES_TD
