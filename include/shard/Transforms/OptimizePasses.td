//===- OptimizePasses.td - Passes on collectives -----------------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_OPTIMIZEPASSES_TD
#define SHARD_TRANSFORMS_OPTIMIZEPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardFoldCollectives : Pass<"shard-fold-collectives"> {
  let summary = "fold collectives with each other, and make equal ops one";
  let description = [{
    Applies all canonicalization patterns, then eliminates common subexpressions, in one pass that
    leaves a program that has nothing to fold untouched. Three patterns are left out as they may
    change results: of an element of a `tensor.generate`, of what an `scf.for` carries as a cast,
    and of constants in slices, which has another one. The patterns of collectives are:

    * an all_slice of an all_reduce is a reduce_scatter; an all_gather of that an all_reduce;
    * an all_slice of an all_gather over the same axes and dimension, and the reverse where
      all devices of the group have the same, is the value itself;
    * two all_reduces in a row are one over the axes of both;
    * two all_to_alls, shifts, permutes or redistributes that undo each other go away;
    * a gather to a root and a scatter from it undo each other; a scatter or broadcast of
      what all devices have needs no communication;
    * what the first device of each group starts a sum from, where it is gathered of the blocks that a
      reduce_scatter of the sum gives, is combined with these (floats round in another order);
    * a collective of a constant or a fill of one number is a constant, unless it rounds;
    * an update_halo by whose `shard.windows` devices read only what they have is its operand;
    * a collective over groups of one device is its operand; axes of one device beside
      others are dropped, but for collectives with a root.

    Part of `shard-optimize-collectives`, as the first pass that looks at collectives. Passes behind
    it that move or share collectives fold again, and make equal ops one, where they changed anything.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %a = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %s = shard.all_slice %a on @grid grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<2xf32>
      %t = arith.negf %s : tensor<2xf32>
      %u = arith.negf %s : tensor<2xf32>
      return %t, %u : tensor<2xf32>, tensor<2xf32>
    }
    // Output
    func.func @f(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %s = shard.reduce_scatter %x on @grid grid_axes = [0] scatter_axis = 0 : tensor<8xf32> -> tensor<2xf32>
      %t = arith.negf %s : tensor<2xf32>
      return %t, %t : tensor<2xf32>, tensor<2xf32>
    }
    ```
  }];
}

def ShardHoistCollectives : Pass<"shard-hoist-collectives"> {
  let summary = "move collectives out of loops where nothing changes them";
  let description = [{
    Moves each collective on tensors whose operands are the same in every iteration of a
    loop in front of the loop, with the ops of the loop that its operand is computed from:
    a weight that a loop gathers is gathered once. All other ops stay, unlike under
    `loop-invariant-code-motion`: their results would live through the loop. Collectives
    of branches in the loop stay, since the branch may never be taken, and so do those of
    loops that are known not to run. A loop that runs no iteration when it could have run
    some communicates once more than before. Where something moved, equal ops become one:
    what several loops gather is gathered once. Part of `shard-spmd`.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%x: tensor<8xf32>, %w: tensor<2xf32>, %n: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
        %t = math.tanh %w : tensor<2xf32>
        %g = shard.all_gather %t on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
        %s = arith.addf %a, %g : tensor<8xf32>
        scf.yield %s : tensor<8xf32>
      }
      return %r : tensor<8xf32>
    }
    // Output
    func.func @f(%x: tensor<8xf32>, %w: tensor<2xf32>, %n: index) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = math.tanh %w : tensor<2xf32>
      %g = shard.all_gather %t on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
        %s = arith.addf %a, %g : tensor<8xf32>
        scf.yield %s : tensor<8xf32>
      }
      return %r : tensor<8xf32>
    }
    ```
  }];
}

def ShardShareCollectives : Pass<"shard-share-collectives"> {
  let summary = "do once what collectives have in common";
  let description = [{
    * all_gathers of one value in one block, over axes of which none repeats, share the steps
      that they have in common, whatever the dimensions and the order: what is gathered over
      fewer axes is made first, and gathered on. all_gathers that do the same in another
      order become one. An all_gather changes only if that costs less by the links of the
      grid (docs/Cost.md), with what nothing else needs any more.
    * Of equal collectives behind a region and in it (a branch, a loop) the one behind moves
      in front of the region, and the other one goes. (Equal collectives behind one that
      dominates them are common subexpressions.)

    What is shared lives from its first use to its last. A function stays as it is only where
    its predicted memory would grow and be more than the `memory` of a `shard.machine` that a
    grid states (docs/Cost.md). Types are static and blocks equal. Part of `shard-optimize-collectives`, between
    `shard-hoist-collectives` and `shard-move-collectives`.

    ```mlir
    // Input
    shard.grid @grid(shape = 2x4)
    func.func @f(%a: tensor<2x8xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) {
      %0 = shard.all_gather %a on @grid grid_axes = [0, 1] gather_axis = 0 : tensor<2x8xf32> -> tensor<16x8xf32>
      %1 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
      %2 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 1 : tensor<2x8xf32> -> tensor<2x16xf32>
      %3 = shard.all_gather %2 on @grid grid_axes = [1] gather_axis = 0 : tensor<2x16xf32> -> tensor<8x16xf32>
      return %0, %1, %3 : tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>
    }
    // Output
    func.func @f(%a: tensor<2x8xf32>) -> (tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) {
      %1 = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
      %0 = shard.all_gather %1 on @grid grid_axes = [0] gather_axis = 0 : tensor<8x8xf32> -> tensor<16x8xf32>
      %3 = shard.all_gather %1 on @grid grid_axes = [0] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x16xf32>
      return %0, %1, %3 : tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>
    }
    ```
  }];
}

def ShardSinkCollectives : Pass<"shard-sink-collectives"> {
  let summary = "move collectives into the branch that needs them";
  let description = [{
    Moves each collective whose result one region of a branch alone takes to the start of
    that region, with the ops between: where the branch is not taken nothing is sent, and
    elsewhere as much as before. The branch is any op whose `RegionBranchOpInterface` says
    that the region runs at most once and may not run, such as `scf.if` and
    `scf.index_switch`; loops are none. From one branch a collective moves on into
    branches in it.

    All devices of a group must take the same way. What decides must be the same on them by
    the analysis of `shard-verify-spmd`, which here trusts scalar arguments of functions
    alone: of tensors without `shard.local`, external functions and memory nothing is
    known. A pass on a single function knows no callers and trusts no arguments.

    Memory is no reason to stay: the operand lives until the branch instead of the result.
    Part of `shard-optimize-collectives`, behind the passes that move collectives out of
    loops and past ops.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<2xf32>, %b: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
      %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
      %1 = scf.if %c -> (tensor<8xf32>) {
        %2 = math.exp %0 : tensor<8xf32>
        scf.yield %2 : tensor<8xf32>
      } else {
        scf.yield %b : tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<2xf32>, %b: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
      %1 = scf.if %c -> (tensor<8xf32>) {
        %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
        %2 = math.exp %0 : tensor<8xf32>
        scf.yield %2 : tensor<8xf32>
      } else {
        scf.yield %b : tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    ```
  }];
}

def ShardSinkReductions : Pass<"shard-sink-reductions"> {
  let summary = "reduce values where that takes the least time";
  let description = [{
    An all_reduce may follow the ops that its result goes through, if these let partial values
    through: for sums, ops whose model says so (`getPartialRule`: sums and differences of such
    values, their products with values that are the same on the group, ops that move elements,
    contractions); for every kind but `average` and `generic`, ops that move elements, ops that
    combine as the reduction does, of arith or with such a body, and ops whose model says that
    they commute with it to the bit (`commutesWith`): with maxima and minima rounding, sums with
    finite constants, products with positive ones, exact casts, `arith.truncf` to formats with
    infinities and `arith.select`; with bitwise reductions shifts and masks; with sums of
    integers `arith.trunci`. Each value on the way has one user; an all_reduce may have several,
    and is gone where all of them stand in front of one reduction. Where such an op takes a value
    that the whole group has besides, only the first device of the group takes it: `w +
    all_reduce(a) + all_reduce(b)` needs one all_reduce. A reduce_scatter may follow elementwise
    ops in the same way; of what they take besides, each device adds the block that it has at the
    place of that block: `(reduce_scatter(a) + v) + (reduce_scatter(b) + w)` needs one
    reduce_scatter. Among the places on the way the one is taken that takes the least time as
    predicted (docs/Cost.md); where the times are equal nothing moves. An all_reduce moves in
    front of such an op that makes its operand larger, as `arith.extf` and `linalg.broadcast` do.
    Integer ops that move lose the promise that they do not overflow (`overflow<nsw>`): sums of
    summands of one device may. Part of `shard-optimize-collectives`.

    Floats are added up in another order than before. `reorder-sums=false` leaves sums
    and products of floats where they are.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2xf32> {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %1 = shard.all_reduce %b on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %2 = arith.subf %0, %1 : tensor<8xf32>
      %3 = tensor.extract_slice %2[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
      return %3 : tensor<2xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2xf32> {
      %2 = arith.subf %a, %b : tensor<8xf32>
      %3 = tensor.extract_slice %2[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
      %4 = shard.all_reduce %3 on @grid grid_axes = [0] : tensor<2xf32> -> tensor<2xf32>
      return %4 : tensor<2xf32>
    }
    ```
  }];
  let options = [
    Option<"reorderSums", "reorder-sums", "bool", "true",
           "Also move sums and products of floats, which are then rounded otherwise">,
  ];
}

def ShardMoveCollectives : Pass<"shard-move-collectives"> {
  let summary = "move data where the fewest bytes are sent";
  let description = [{
    An all_gather, all_to_all, permute or rotating shift may stand in front of an op or
    behind it, if each element that it moves is computed from elements that it moves
    along: elementwise ops, transposes, reshapes, slices, pads and joins in other
    dimensions, broadcasts, casts, products of matrices. For dimensions that it joins or
    cuts, the loops of the op's model say so. Other operands must be the same on all
    devices that it moves data between; those that are indexed along are sliced, or made
    again if they are fills or constants.

    The best place is computed for all ops around a collective at once (at most 128), as a minimum
    cut, in seconds of the machine (docs/Cost.md): a tensor that is needed in front and behind is
    moved once, and each op costs what it computes where it stands. So an all_gather moves behind
    ops whose results are smaller, in front of ops whose results are larger (on bf16 instead of
    the f32 that it is widened to), and behind ops of which every device would compute
    everything. Where costs are equal nothing moves. Where only slices at known places read what
    is moved, they are moved, joined. Slices of what all devices have need no collective to be
    gathered again, nor to become other slices. Part of `shard-optimize-collectives`.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<2x8xbf16>) -> tensor<8x4xf32> {
      %0 = arith.extf %a : tensor<2x8xbf16> to tensor<2x8xf32>
      %1 = shard.all_gather %0 on @grid grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
      %2 = math.tanh %1 : tensor<8x8xf32>
      %3 = tensor.extract_slice %2[0, 2] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
      return %3 : tensor<8x4xf32>
    }
    // Output
    func.func @f(%a: tensor<2x8xbf16>) -> tensor<8x4xf32> {
      %0 = arith.extf %a : tensor<2x8xbf16> to tensor<2x8xf32>
      %1 = math.tanh %0 : tensor<2x8xf32>
      %2 = tensor.extract_slice %1[0, 2] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
      %3 = shard.all_gather %2 on @grid grid_axes = [0] gather_axis = 0 : tensor<2x4xf32> -> tensor<8x4xf32>
      return %3 : tensor<8x4xf32>
    }
    ```
  }];
}

def ShardPackCollectives : Pass<"shard-pack-collectives"> {
  let summary = "one collective on a packed buffer instead of several small ones";
  let description = [{
    Collectives of one block that agree in kind, attributes and type of elements become
    one, of a tensor that holds all of their elements, if the inputs of all of them are
    there before the first result is needed: all_reduce, permute, shift, broadcast, and
    all_gather, reduce_scatter and all_to_all with blocks of equal size. These three work on
    a packed tensor of two dimensions, in which each row has what one device sends or
    receives. Blocks along another dimension than the first one do not lie one after
    another; a transpose brings them together. Packing is done where it takes less time: the
    latencies that are saved against the time to copy the elements into the packed tensor
    and out of it, by the latency that the grid or its `shard.machine` states and the
    memory bandwidth of the machine (docs/Cost.md). A collective whose own copies take longer
    than its latency stays alone. A grid that states neither has no
    latency, and nothing is packed. Part of `shard-optimize-collectives`.

    ```mlir
    // Input
    shard.grid @grid(shape = 4) {shard.machine = {name = "a100"}}
    func.func @f(%a: tensor<8xf32>, %b: tensor<2x2xf32>) -> (tensor<8xf32>, tensor<2x2xf32>) {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %1 = shard.all_reduce %b on @grid grid_axes = [0] : tensor<2x2xf32> -> tensor<2x2xf32>
      return %0, %1 : tensor<8xf32>, tensor<2x2xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>, %b: tensor<2x2xf32>) -> (tensor<8xf32>, tensor<2x2xf32>) {
      %e = tensor.empty() : tensor<12xf32>
      %0 = tensor.insert_slice %a into %e[0] [8] [1] : tensor<8xf32> into tensor<12xf32>
      %1 = tensor.collapse_shape %b [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
      %2 = tensor.insert_slice %1 into %0[8] [4] [1] : tensor<4xf32> into tensor<12xf32>
      %3 = shard.all_reduce %2 on @grid grid_axes = [0] : tensor<12xf32> -> tensor<12xf32>
      %4 = tensor.extract_slice %3[0] [8] [1] : tensor<12xf32> to tensor<8xf32>
      %5 = tensor.extract_slice %3[8] [4] [1] : tensor<12xf32> to tensor<4xf32>
      %6 = tensor.expand_shape %5 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
      return %4, %6 : tensor<8xf32>, tensor<2x2xf32>
    }
    ```
  }];
}

def ShardSplitCollectives : Pass<"shard-split-collectives"> {
  let summary = "run large collectives and the ops around them in parts, to save memory";
  let description = [{
    Where the grid states the memory of a device (`shard.machine`) and the program is
    predicted to take more (docs/Cost.md), collectives are cut into parts along a dimension
    that they neither join nor cut. Parts of a collective alone save no memory, since its
    operand and its result are whole tensors still. So the ops that make the operand, up to
    four, and those that take the result, as many, are cut along the same dimension, if each
    has only one user. The parts are iterations of a loop: no tensor between those ops is
    ever whole. What the ops take from outside is sliced in each iteration. The last op
    writes its part of the result, or, if it sums over the dimension, adds to it.

    Cut are all_gather, all_reduce, all_to_all, broadcast, permute, reduce_scatter and shift, and
    ops on static shapes whose model says that they do the same to all elements
    (`isPointwise`): products of matrices, linalg.generic, elementwise ops, transposes. Numbers
    of parts divide the extent, are at most 64, and each that is tried is at least twice the
    one before. As many bytes are sent, in more calls.

    The program changes only if it then fits: each kind of collective, the smallest first,
    takes the fewest parts with which the whole program fits. Kinds are told by types and
    attributes; the 32 largest are tried. If the program does not fit in any case, it stays
    as it is, and a remark says how much it takes, and where. Part of
    `shard-optimize-collectives`.

    Alone on a function that calls others the pass changes nothing, since their memory counts,
    too.

    Sums over the dimension that is cut add the same elements in the same order, but
    are rounded after each part. They are not cut where `reorder-sums` is off, and not for
    floats of less than 32 bits.

    ```mlir
    // Input
    shard.grid @grid(shape = 2)
    func.func @f(%x: tensor<4x64xf32>, %w: tensor<32x64xf32>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
      %0 = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
      %1 = linalg.matmul ins(%x, %0 : tensor<4x64xf32>, tensor<64x64xf32>) outs(%c : tensor<4x64xf32>) -> tensor<4x64xf32>
      return %1 : tensor<4x64xf32>
    }
    // Output, with memory=20000
    func.func @f(%x: tensor<4x64xf32>, %w: tensor<32x64xf32>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%r = %c) -> (tensor<4x64xf32>) {
        %c32 = arith.constant 32 : index
        %1 = arith.muli %i, %c32 : index
        %2 = tensor.extract_slice %w[0, %1] [32, 32] [1, 1] : tensor<32x64xf32> to tensor<32x32xf32>
        %3 = shard.all_gather %2 on @grid grid_axes = [0] gather_axis = 0 : tensor<32x32xf32> -> tensor<64x32xf32>
        %4 = tensor.extract_slice %r[0, %1] [4, 32] [1, 1] : tensor<4x64xf32> to tensor<4x32xf32>
        %5 = linalg.matmul ins(%x, %3 : tensor<4x64xf32>, tensor<64x32xf32>) outs(%4 : tensor<4x32xf32>) -> tensor<4x32xf32>
        %6 = tensor.insert_slice %5 into %r[0, %1] [4, 32] [1, 1] : tensor<4x32xf32> into tensor<4x64xf32>
        scf.yield %6 : tensor<4x64xf32>
      }
      return %0 : tensor<4x64xf32>
    }
    ```
  }];
  let options = [
    Option<"memory", "memory", "double", "0",
           "The bytes of memory of a device; 0: what the grid states">,
    Option<"parts", "parts", "int64_t", "0",
           "Cut all that can be cut into so many parts, or the next number above that is "
           "tried, whatever memory that takes">,
    Option<"reorderSums", "reorder-sums", "bool", "true",
           "Also cut where sums and products of floats are then rounded otherwise">,
  ];
}

def ShardDecomposeCollectives : Pass<"shard-decompose-collectives"> {
  let summary = "cut products and their collectives into parts that overlap";
  let description = [{
    Collective matmul: an op that takes the result of an all_gather, or makes the operand
    of a reduce_scatter, becomes as many parts as the group has devices. Blocks travel
    around the ring of the devices by rotating shifts, each of which runs beside a part of
    the op (`shard.wait`). With k devices and the position p of a device:

    * all_gather along a parallel loop of the op: in step s the device has the block of
      position (p - s) mod k, and writes that part of the results;
    * all_gather along a reduction loop: each part adds to the results;
    * reduce_scatter of sums along a parallel loop: the sum of a block travels, and each
      device adds its part to it.

    The op may be any whose model says that it does the same to all elements
    (`isPointwise`): products of matrices in all forms of linalg, linalg.generic, elementwise
    ops. Shapes are static, the blocks equal, the group has 2 to 16 devices along any axes,
    and the collective and the op are each other's only partners. Other collectives stay.
    As many bytes are sent.

    Something changes where the function is predicted to take at least `min-gain`
    microseconds less (docs/Cost.md), both times with `shard-overlap-collectives` behind:
    what other ops hide stays whole. Products with equal types and attributes are decided
    together, the first 64 kinds of a function. The options `overlap` of `shard-spmd` and `shard-run` run this pass in front
    of `shard-overlap-collectives`.

    Parts along a parallel loop compute the same bits. The other two forms add in the
    order of the ring, which differs from device to device: they are not taken for sums and
    products of floats where `reorder-sums` is off, for floats of less than 32 bits, which
    would be rounded after each part, and along a reduction loop for floats if no other
    operand is known to be split over the group: replicas remain the same bits.

    ```mlir
    // Input
    shard.grid @grid(shape = 2)
    func.func @f(%a: tensor<2x4xi32>, %b: tensor<4x4xi32>, %c: tensor<4x4xi32>) -> tensor<4x4xi32> {
      %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2x4xi32> -> tensor<4x4xi32>
      %1 = linalg.matmul ins(%0, %b : tensor<4x4xi32>, tensor<4x4xi32>) outs(%c : tensor<4x4xi32>) -> tensor<4x4xi32>
      return %1 : tensor<4x4xi32>
    }
    // Output, with min-gain=-1000000
    func.func @f(%a: tensor<2x4xi32>, %b: tensor<4x4xi32>, %c: tensor<4x4xi32>) -> tensor<4x4xi32> {
      %p = shard.process_multi_index on @grid axes = [0] : index
      %s = shard.shift %a on @grid grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<2x4xi32> -> tensor<2x4xi32>
      %c2 = arith.constant 2 : index
      %0 = arith.muli %p, %c2 : index
      %1 = tensor.extract_slice %c[%0, 0] [2, 4] [1, 1] : tensor<4x4xi32> to tensor<2x4xi32>
      %2 = linalg.matmul ins(%a, %b : tensor<2x4xi32>, tensor<4x4xi32>) outs(%1 : tensor<2x4xi32>) -> tensor<2x4xi32>
      %3 = tensor.insert_slice %2 into %c[%0, 0] [2, 4] [1, 1] : tensor<2x4xi32> into tensor<4x4xi32>
      %4 = shard.wait %s of %a : tensor<2x4xi32>, tensor<2x4xi32>
      %c1 = arith.constant 1 : index
      %5 = arith.addi %p, %c1 : index
      %c2_0 = arith.constant 2 : index
      %6 = arith.remui %5, %c2_0 : index
      %c2_1 = arith.constant 2 : index
      %7 = arith.muli %6, %c2_1 : index
      %8 = tensor.extract_slice %3[%7, 0] [2, 4] [1, 1] : tensor<4x4xi32> to tensor<2x4xi32>
      %9 = linalg.matmul ins(%4, %b : tensor<2x4xi32>, tensor<4x4xi32>) outs(%8 : tensor<2x4xi32>) -> tensor<2x4xi32>
      %10 = tensor.insert_slice %9 into %3[%7, 0] [2, 4] [1, 1] : tensor<2x4xi32> into tensor<4x4xi32>
      return %10 : tensor<4x4xi32>
    }
    ```
  }];
  let options = [
    Option<"minGain", "min-gain", "double", "1.0",
           "Microseconds of the predicted time that must be saved; less than 0: that may "
           "be lost">,
    Option<"reorderSums", "reorder-sums", "bool", "true",
           "Also cut where sums and products of floats are then rounded otherwise">,
  ];
}

def ShardOverlapCollectives : Pass<"shard-overlap-collectives"> {
  let summary = "run collectives beside the ops that do not need them";
  let description = [{
    Gives each collective that a device can compute beside a `shard.wait` in front of the
    first op that needs its result, and makes room between the two: the collective moves
    up past ops that its operand does not need, and ops behind the wait that do not need
    its result move in front of it, until they take as long as the collective, by the
    machine of the grid (docs/Cost.md). Each op hides one collective. Collectives keep
    their order, and none moves past a call or a region that communicates. Nothing
    changes where less time is hidden than `min-gain`. A pass of its own, behind
    `shard-spmd`: `shard-spmd` and `shard-run` run it with their option `overlap`.

    The results are the same bits. The operand and the result of a collective live
    longer than without it.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %1 = math.tanh %0 : tensor<8xf32>
      %2 = math.exp %x : tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    }
    // Output, with min-gain=0
    func.func @f(%a: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %2 = math.exp %x : tensor<8xf32>
      %3 = shard.wait %0 of %a : tensor<8xf32>, tensor<8xf32>
      %1 = math.tanh %3 : tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"minGain", "min-gain", "double", "1.0",
           "Microseconds that must be hidden: what a start and a wait take">,
  ];
}

#endif // SHARD_TRANSFORMS_OPTIMIZEPASSES_TD
