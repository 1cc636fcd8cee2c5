//===- RewritePasses.td - Passes in front of propagation ---*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites of programs of one device into others that can be split better, in the order
// in which `shard-spmd` runs them. Passes.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_REWRITEPASSES_TD
#define SHARD_TRANSFORMS_REWRITEPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardDropResults : Pass<"shard-drop-results"> {
  let summary = "drop results of generic ops that nothing uses";
  let description = [{
    All results of a `linalg.generic` are split alike. PyTorch's maxima, and a softmax made of
    them, come as an op that computes maxima and their places. The places cannot be combined
    over devices, so that a split dimension would be gathered, also where nothing uses them.
    This pass drops such results, with what the body computes for them. A result that another
    one needs stays, and so does an op with an attribute of another dialect, which may be a
    hint.

    ```mlir
    // Input
    func.func @f(%a: tensor<4x8xi32>, %m: tensor<4xi32>, %p: tensor<4xindex>) -> tensor<4xi32> {
      %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                              affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<4x8xi32>) outs(%m, %p : tensor<4xi32>, tensor<4xindex>) {
      ^bb0(%x: i32, %most: i32, %place: index):
        %j = linalg.index 1 : index
        %next = arith.maxsi %x, %most : i32
        %more = arith.cmpi sgt, %x, %most : i32
        %at = arith.select %more, %j, %place : index
        linalg.yield %next, %at : i32, index
      } -> (tensor<4xi32>, tensor<4xindex>)
      return %0#0 : tensor<4xi32>
    }
    // Output
    func.func @f(%a: tensor<4x8xi32>, %m: tensor<4xi32>, %p: tensor<4xindex>) -> tensor<4xi32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<4x8xi32>) outs(%m : tensor<4xi32>) {
      ^bb0(%x: i32, %most: i32):
        %next = arith.maxsi %x, %most : i32
        linalg.yield %next : i32
      } -> tensor<4xi32>
      return %0 : tensor<4xi32>
    }
    ```
  }];
}

def ShardCompleteTiles : Pass<"shard-complete-tiles"> {
  let summary = "pad in front of linalg.pack and cut behind linalg.unpack";
  let description = [{
    Where tiles fill a dimension, the number of a tile and the place inside are digits of its
    index, and the dimension is split along its tiles. A dimension with an incomplete tile
    would be gathered. This pass pads the tensor in front of such a `linalg.pack`, and cuts
    the result of such a `linalg.unpack`, so that all tiles are complete; padding and slices
    are windows. Ops of dynamic shapes and with hints stay as they are.

    ```mlir
    // Input
    func.func @f(%a: tensor<7xf32>) -> tensor<7xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<2x4xf32>
      %1 = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [4]
          into %0 : tensor<7xf32> -> tensor<2x4xf32>
      %2 = tensor.empty() : tensor<7xf32>
      %3 = linalg.unpack %1 inner_dims_pos = [0] inner_tiles = [4]
          into %2 : tensor<2x4xf32> -> tensor<7xf32>
      return %3 : tensor<7xf32>
    }
    // Output
    func.func @f(%a: tensor<7xf32>) -> tensor<7xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<2x4xf32>
      %padded = tensor.pad %a low[0] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<7xf32> to tensor<8xf32>
      %1 = linalg.pack %padded inner_dims_pos = [0] inner_tiles = [4]
          into %0 : tensor<8xf32> -> tensor<2x4xf32>
      %2 = tensor.empty() : tensor<7xf32>
      %3 = tensor.empty() : tensor<8xf32>
      %4 = linalg.unpack %1 inner_dims_pos = [0] inner_tiles = [4]
          into %3 : tensor<2x4xf32> -> tensor<8xf32>
      %5 = tensor.extract_slice %4[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
      return %5 : tensor<7xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ShardSeparatePlaces : Pass<"shard-separate-places"> {
  let summary = "make reductions of their own of a maximum and its place";
  let description = [{
    The place of a maximum or minimum (`argmax`) cannot be combined over devices without
    the element, so that the dimension along which it is looked for would be gathered.
    This pass makes reductions of the two: one finds the element, the other the least of
    the places where it is, and each can be split along that dimension.

    It is for ops of two results, which keep an element and the iteration of their one
    reduction loop where a strict comparison says that the element is better. All results
    stay the same, for NaNs too. A maximum of floats that is used itself is the element at
    its place, found by a third reduction: it may be a zero of either sign. In PyTorch's
    form, in which a NaN is the maximum but has no place, a third one finds the first NaN.
    An op with an attribute of another dialect, which may be a hint, stays.

    ```mlir
    // Input
    func.func @f(%a: tensor<8xi32>, %m: tensor<i32>, %p: tensor<index>) -> tensor<index> {
      %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                                              affine_map<(i) -> ()>],
                             iterator_types = ["reduction"]}
          ins(%a : tensor<8xi32>) outs(%m, %p : tensor<i32>, tensor<index>) {
      ^bb0(%x: i32, %most: i32, %place: index):
        %i = linalg.index 0 : index
        %more = arith.cmpi sgt, %x, %most : i32
        %next = arith.select %more, %x, %most : i32
        %at = arith.select %more, %i, %place : index
        linalg.yield %next, %at : i32, index
      } -> (tensor<i32>, tensor<index>)
      return %0#1 : tensor<index>
    }
    // Output
    func.func @f(%a: tensor<8xi32>, %m: tensor<i32>, %p: tensor<index>) -> tensor<index> {
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
          ins(%a : tensor<8xi32>) outs(%m : tensor<i32>) {
      ^bb0(%x: i32, %most: i32):
        %next = arith.maxsi %x, %most : i32
        linalg.yield %next : i32
      } -> tensor<i32>
      %last = arith.constant 9223372036854775807 : index
      %1 = tensor.empty() : tensor<index>
      %2 = linalg.fill ins(%last : index) outs(%1 : tensor<index>) -> tensor<index>
      %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                                            affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
          ins(%a, %0 : tensor<8xi32>, tensor<i32>) outs(%2 : tensor<index>) {
      ^bb0(%x: i32, %most: i32, %place: index):
        %i = linalg.index 0 : index
        %is = arith.cmpi eq, %x, %most : i32
        %at = arith.select %is, %i, %last : index
        %next = arith.minsi %at, %place : index
        linalg.yield %next : index
      } -> tensor<index>
      %4 = tensor.empty() : tensor<index>
      %5 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                                            affine_map<() -> ()>, affine_map<() -> ()>,
                                            affine_map<() -> ()>],
                           iterator_types = []}
          ins(%0, %m, %3, %p : tensor<i32>, tensor<i32>, tensor<index>, tensor<index>)
          outs(%4 : tensor<index>) {
      ^bb0(%best: i32, %most: i32, %first: index, %place: index, %unused: index):
        %more = arith.cmpi sgt, %best, %most : i32
        %at = arith.select %more, %first, %place : index
        linalg.yield %at : index
      } -> tensor<index>
      return %5 : tensor<index>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardRaiseExtracts : Pass<"shard-raise-extracts"> {
  let summary = "make elements that generic ops extract their operands";
  let description = [{
    A `tensor.extract` in the body of a `linalg.generic` may read any element, so that
    its tensor is gathered. The same holds in a `tensor.generate`, which becomes a
    `linalg.generic` if it reads a tensor at places as below. Frontends and the lowering of
    tosa write reversed dimensions like that. Where the indices are sums of `linalg.index`
    and constants, or the quotient or remainder of one by a number that divides the extent of its loop, and all places
    lie inside of a static tensor, the tensor becomes an input of the op with an indexing
    map, of which each device needs a block or a window. Where some indices are loops over
    whole dimensions, and the others do not depend on these loops, the op looks up slices:
    it becomes a `tensor.gather`, whose result is the input. An index counts as a loop, too, if
    it is an element of an input that ops of linalg compute from places alone, as PyTorch's
    frontend makes the numbers 0, 1, 2, ..., and if a comparison chooses it that always has one
    outcome, as in `i < 0 ? i + n : i`. An index that is computed of one loop in another way, as
    by `floor(i * 0.5)`, or by other ops of linalg, or from a constant, is computed for up to 4096
    iterations: it counts if it is a multiple of the loop and a number, or such a quotient, for all
    of them. If it is neither, but reads a few slices of the tensor, one behind the other, a
    `tensor.concat` of these slices becomes the input: at most 16, of which one has half of all
    elements. So are borders that are reflected or repeated: 2, 1, 0, 1, ..., 15, 14, 13 are five
    slices of 16 rows, of which devices exchange halos. The rows 0 0 0 1 1 2 2 ... of interpolation
    are slices, too, that take turns, at most eight with equal strides that cover the dimension:
    each turn may choose among three slices by its place, and read other elements in its first and
    last two times. An element that does not change in the body of an op of linalg, a
    `tensor.generate` or an `scf.forall` is extracted in front of it: at most four of a tensor.

    ```mlir
    // Input: %last is 7, %i is linalg.index 0
    %at = arith.subi %last, %i : index
    %x = tensor.extract %a[%at] : tensor<8xf32>
    linalg.yield %x : f32
    // Output: the body yields its first argument, and %a is an input by
    // affine_map<(d0) -> (-d0 + 7)>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def ShardWidenHalos : Pass<"shard-widen-halos"> {
  let summary = "let one exchange of halos serve several iterations of a stencil";
  let description = [{
    Unrolls loops (`scf.for`) that read windows of tensors, as a stencil does, `steps`
    times, and marks the ops of their bodies by `shard.recompute`. Partition then computes
    of each intermediate result also what the next step reads of the neighbours' blocks,
    and exchanges halos of the first operand alone, `steps` times as wide. That saves
    calls, costs arithmetic, and sends as many bytes in one dimension and more in
    several, because wide halos have large corners. Results are equal bit by bit.

    The attribute `shard.halo_steps` of a loop (i64) is its own number of steps. Iterations
    that are left over at the end are a loop of their own. Run it before propagation.

    ```mlir
    // Input, with steps=2
    %r = scf.for %i = %c0 to %c100 step %c1 iter_args(%u = %a) -> (tensor<64xf32>) {
      %0 = linalg.generic ... ins(%padded, ...) ...   // reads windows of %u
      scf.yield %0 : tensor<64xf32>
    }
    // Output: 50 iterations; the second op reads windows of %0
    %r = scf.for %i = %c0 to %c100 step %c2 iter_args(%u = %a) -> (tensor<64xf32>) {
      %0 = linalg.generic ... ins(%padded, ...) ... {shard.recompute}
      %1 = linalg.generic ... ins(%padded_1, ...) ... {shard.recompute}
      scf.yield %1 : tensor<64xf32>
    }
    ```
  }];
  let options = [
    Option<"steps", "steps", "unsigned", /*default=*/"1",
           "Iterations for one exchange, in loops that do not say it themselves">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def ShardChooseHaloSteps
    : Pass<"shard-choose-halo-steps", "::mlir::ModuleOp"> {
  let summary = "choose how many steps of a stencil one exchange of halos serves";
  let description = [{
    Predicts the program of one device (docs/Cost.md) with 1, 2, 4 and 8 steps for one
    exchange, on the machine that the grid states, and does what shard-widen-halos does
    for the best number. A remark tells of more than one. Programs without stencils in
    loops stay as they are.

    ```mlir
    // Input, 0.8 ms are predicted
    %r = scf.for %i = %c0 to %c100 step %c1 iter_args(%u = %a) -> (tensor<64xf32>) {...}
    // Output, 0.4 ms
    %r = scf.for %i = %c0 to %c100 step %c4 iter_args(%u = %a) -> (tensor<64xf32>) {...}
    ```
  }];
}

def ShardBlockScans : Pass<"shard-block-scans"> {
  let summary = "make scans of blocks of running sums";
  let description = [{
    A scan (running sum, product, minimum, maximum, ...) comes from frontends as a window
    that is as long as its dimension, of a tensor that is padded with the neutral element, or
    (of PyTorch) as a reduction over elements that are neutral where their place is beyond that
    of the result. Split along that dimension, every device would need all that lies before its
    block.
    This pass scans blocks instead: each one alone, then the totals of the blocks, one
    element of each, and combines what comes before a block with its elements. It makes
    as many blocks as the largest grid has devices, so that each device has whole ones.
    Scans of dynamic shapes, scans with hints of their own, and those not longer than the
    number of blocks stay as they are. Floats are combined in another order than before,
    as in any split reduction. Source: G. Blelloch, "Prefix Sums and Their Applications",
    CMU-CS-90-190, 1990.

    ```mlir
    // Input: %0 is %a: tensor<8xf32> with 7 zeros in front, %w an empty tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>,
                                          affine_map<(i, k) -> (k)>,
                                          affine_map<(i, k) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%0, %w : tensor<15xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {...}
    // Output, with blocks=4
    %0 = tensor.expand_shape %a ... into tensor<4x2xf32>
    // %1: the scans of its rows. %2: the sums of all rows before each row.
    %3 = linalg.generic {...} ins(%2 : tensor<4xf32>) outs(%1 : tensor<4x2xf32>) {...}
    %4 = tensor.collapse_shape %3 ... into tensor<8xf32>
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", /*default=*/"0",
           "Number of blocks; 0: the number of devices of the largest grid of the module">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def ShardSpreadInsertions : Pass<"shard-spread-insertions"> {
  let summary = "make reshapes of insertions with strides, and concats of those side by side";
  let description = [{
    A concatenation comes from frontends as a chain of `tensor.insert_slice` ops that write all of
    a tensor, side by side in one dimension. This pass makes a `tensor.concat` of such a chain: its
    operands are cut alike, and one of slices of one tensor is a roll, which is a shift. A chain
    that writes by turns, part k every n-th element from element k on, becomes a concat along a
    new dimension of extent n, which is merged behind it: each block holds whole groups. Slices
    of a concat become slices of its operands, if each lies in one, and a concat of a concat that
    nothing else reads becomes one.

    A transposed convolution comes from frontends as a `tensor.insert_slice` with a stride
    into zeros, in front of a convolution. What a block of its result holds is no window
    of the operand, which is therefore gathered. This pass makes of each element a
    dimension of extent 1, which it pads to the stride and merges again. Then a block of
    the operand makes a block of the result, and the convolution reads halos.
    The operand is padded before, if need be, such that the axes of the largest grid of the
    module divide the dimension, as far as it is long enough. Where the tensor that is inserted
    into holds other elements than equal ones, as in red-black relaxation, a `linalg.generic`
    chooses between these and the spread ones by their place; equal elements that are
    inserted need not be spread. Insertions with hints, of dynamic shapes and at dynamic offsets
    stay as they are in all cases, and without a grid all do. Values do not change.

    ```mlir
    // Input
    shard.grid @g(shape = 2)
    func.func @f(%a: tensor<4xf32>) -> tensor<8xf32> {
      %0 = arith.constant dense<0.0> : tensor<8xf32>
      %1 = tensor.insert_slice %a into %0[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // Output
    shard.grid @g(shape = 2)
    func.func @f(%a: tensor<4xf32>) -> tensor<8xf32> {
      %zeros = arith.constant dense<0.0> : tensor<8xf32>
      %zero = arith.constant 0.0 : f32
      %0 = tensor.expand_shape %a [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
      %1 = tensor.pad %0 low[0, 0] high[0, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<4x1xf32> to tensor<4x2xf32>
      %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
      %3 = tensor.extract_slice %2[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
      %4 = tensor.pad %3 low[1] high[0] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<7xf32> to tensor<8xf32>
      return %4 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardExpandReshapes : Pass<"shard-expand-reshapes"> {
  let summary = "take loops apart that run over merged dimensions";
  let description = [{
    A dimension that `tensor.collapse_shape` made of several cannot be split by the inner
    ones of them: behind a merge of `batch x heads`, a split of the heads is lost, and
    the operand is gathered. Frontends merge dimensions like that for batched products
    and linear layers. This pass moves such a merge from the inputs of an op of linalg, or of an
    elementwise op on tensors, to its results, if each input that the loop indexes is merged
    alike, and folds it with the `tensor.expand_shape` that takes it back. A reduction over a dimension that all inputs
    merge alike becomes several. Named ops become `linalg.generic`. Where what is merged is
    taken apart in another way, dimensions are split first and merged behind that:
    attention of PyTorch merges `rows x (batch*heads) x width` as a whole, to get
    `(rows*batch) x (heads*width)`. Loops whose results one op combines completely, as a loss does,
    come apart too. Dimensions of one element that an op reads at 0 are dropped for that, and slices
    that take merged dimensions whole stand in front of the merge.
    A dimension that slices read in two or more equal chunks, such as the halves of a product
    for a gate and its input, gets a dimension for the number of the chunk, up to the
    arguments of the function: each device then has its part of every chunk, where a split of the
    whole dimension gives it a part of one. That is done where shapes are static, only
    elementwise ops and ops of linalg stand between, none of them has a hint, no sum is computed
    twice for it, and the hints of the arguments split the dimension by chunks or not at all.
    Dimensions of extent 1 do not count: those that a `tensor.collapse_shape` drops of a
    `tensor.extract_slice` become dropped dimensions of the slice. A slice that keeps one element of
    several at a known place drops it in front of a `tensor.expand_shape`, unless slices, padding
    or joins read it or make its source: it is a look-up then. Values do not change, not even in
    the last bit.

    ```mlir
    // Input
    func.func @f(%a: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
      %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x8x4xf32> into tensor<16x4xf32>
      %1 = tensor.empty() : tensor<16x4xf32>
      %2 = linalg.exp ins(%0 : tensor<16x4xf32>) outs(%1 : tensor<16x4xf32>) -> tensor<16x4xf32>
      %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [2, 8, 4] : tensor<16x4xf32> into tensor<2x8x4xf32>
      return %3 : tensor<2x8x4xf32>
    }
    // Output
    #map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    func.func @f(%a: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
      %0 = tensor.empty() : tensor<2x8x4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%a : tensor<2x8x4xf32>) outs(%0 : tensor<2x8x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = math.exp %in : f32
        linalg.yield %2 : f32
      } -> tensor<2x8x4xf32>
      return %1 : tensor<2x8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // SHARD_TRANSFORMS_REWRITEPASSES_TD
