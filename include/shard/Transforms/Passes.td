//===- Passes.td - Passes of the shard project -------------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_PASSES_TD
#define SHARD_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "shard/Transforms/GroupPasses.td"
include "shard/Transforms/RewritePasses.td"
include "shard/Transforms/StepPasses.td"

def ShardingPropagation : Pass<"sharding-propagation"> {
  let summary = "complete sharding hints to a sharding for every value";
  let description = [{
    Spreads the sharding hints of a program (attributes of function arguments and
    results, `shard.shard`, constraints, groups) over all values, to a fixpoint,
    and writes the outcome back: on function arguments and results as
    `shard.sharding` attributes, elsewhere as one `shard.shard` per value that is
    not replicated, and one `shard.shard ... annotate_for_users` at each use that
    needs another sharding: there, and where an op reduces, communication happens.

    Runs on a module, or on a function that neither calls nor is called. Errors:
    hints that contradict each other, do not fit their tensors or name no grid.

    Before, in this order: `shard-split-calls`, `shard-resolve-passed-shardings`,
    `shard-read-encodings`, `shard-normalize-annotations`, `shard-expand-op-hints`, `shard-close-manual-bodies`, `shard-split-creators`.
    Afterwards constants and functions that came out alike are merged again
    (`shard-merge-functions`), and `shard-tidy-shardings` runs.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
        -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
        -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
      %sharding = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %0 = math.exp %a : tensor<8xf32>
      %sharded = shard.shard %0 to %sharding : tensor<8xf32>
      return %sharded : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "::shard::PropagationStrategy",
           "::shard::PropagationStrategy::Aggressive",
           "How conflicts inside one op are treated",
           [{::llvm::cl::values(
             clEnumValN(::shard::PropagationStrategy::Basic, "basic",
                        "pass on only what all tensors of an op agree on"),
             clEnumValN(::shard::PropagationStrategy::Aggressive, "aggressive",
                        "settle the conflict and pass on the winner"))}]>,
    Option<"traversal", "traversal", "::shard::PropagationTraversal",
           "::shard::PropagationTraversal::BackwardForward",
           "Which way shardings spread first",
           [{::llvm::cl::values(
             clEnumValN(::shard::PropagationTraversal::Forward, "forward",
                        "from operands to results only"),
             clEnumValN(::shard::PropagationTraversal::Backward, "backward",
                        "from results to operands only"),
             clEnumValN(::shard::PropagationTraversal::ForwardBackward,
                        "forward-backward", "forward first, then both ways"),
             clEnumValN(::shard::PropagationTraversal::BackwardForward,
                        "backward-forward", "backward first, then both ways"))}]>,
    Option<"uneven", "uneven", "::shard::UnevenPolicy",
           "::shard::UnevenPolicy::Shard",
           "Whether to split dimensions that axes do not divide",
           [{::llvm::cl::values(
             clEnumValN(::shard::UnevenPolicy::Shard, "shard",
                        "split them; blocks at the end are padded"),
             clEnumValN(::shard::UnevenPolicy::Replicate, "replicate",
                        "leave them whole, with a remark"))}]>,
    Option<"opPriorities", "op-priorities", "bool", "true",
           "Pass-through ops before contractions, single-use chains before others">,
    Option<"userPriorities", "user-priorities", "bool", "true",
           "Spread hints in rounds p0, p1, ... of their priorities">,
  ];
  let statistics = [
    Statistic<"numStated", "stated-values", "Values whose sharding is stated">,
    Statistic<"numReshards", "resharded-uses", "Uses that are resharded">,
  ];
}

def ShardPartition : Pass<"shard-partition"> {
  let summary = "turn an annotated program into the program of one device";
  let description = [{
    Replaces every value by its local block. Each op is built in its local form
    through `ShardingInterface`; where an operand or result has another sharding
    than the op wants, the reshard planner's collectives are inserted. Values
    without annotation are replicated. An op without a sharding model gets
    replicated operands and a remark.

    Arguments and results of functions keep their global type and sharding as the
    attribute `shard.local`; partitioning a function that has it is an error.

    Runs on a module, or on a function that neither calls nor is called.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
        -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
      return %a : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<2xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, [[0]]>>})
        -> (tensor<8xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, [[]]>>}) {
      %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"globalArguments", "global-arguments", "bool", "false",
           "Arguments of public functions arrive whole on every device and are sliced "
           "inside, instead of arriving as local blocks">,
  ];
}

def ShardSimplify : Pass<"shard-simplify"> {
  let summary = "simplify the ops of the dialect";
  let description = [{
    Does with the ops of the dialect what the canonicalizer does: collectives that do
    nothing or undo one another go, chains of them become one, the sum of two sums
    over the same devices becomes the sum of a sum. Of other ops it folds constants only.
    `populateSimplificationPatterns` (shard/Partitioning/Lowerings.h) has the patterns.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %1 = shard.all_reduce %b on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %2 = arith.addf %0, %1 : tensor<8xf32>
      return %2 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = arith.addf %a, %b : tensor<8xf32>
      %1 = shard.all_reduce %0 on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      return %1 : tensor<8xf32>
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
    some communicates once more than before. Part of `shard-spmd`.

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
  let statistics = [
    Statistic<"hoisted", "hoisted-collectives", "Collectives moved out of loops">,
  ];
}

def ShardSinkReductions : Pass<"shard-sink-reductions"> {
  let summary = "reduce values where the fewest bytes are sent";
  let description = [{
    An all_reduce may follow the ops that its result goes through, if these let partial
    values through: for sums, ops whose model says so (`getPartialRule`: sums and
    differences of such values, their products with values that are the same on the
    group, ops that move elements, contractions); for every kind but `average` and
    `generic`, ops that move elements and ops that combine as the reduction does, of
    arith or with such a body. Each value on the way has one user. Among the places on
    the way the cheapest one is taken, by the cost model of the grid (docs/Cost.md); where
    costs are equal nothing moves. Part of `shard-optimize-collectives`.

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
  let statistics = [
    Statistic<"sunk", "sunk-reductions", "Reductions that follow ops they preceded">,
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

    Which place is best is computed for all ops around a collective at once, as a minimum
    cut, in seconds of the machine (docs/Cost.md): a tensor that is needed in front and
    behind is moved once, whoever takes it, and each op costs what it computes where it
    stands. So an all_gather moves behind ops whose results are smaller, in front of ops
    whose results are larger (on bf16 instead of the f32 that it is widened to), and
    behind ops of which every device would compute everything. Where costs are equal
    nothing moves. At most 128 ops around a collective are looked at. Part of
    `shard-optimize-collectives`.

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
  let statistics = [
    Statistic<"moved", "moved-ops", "Ops that changed sides with a collective">,
  ];
}

def ShardPackCollectives : Pass<"shard-pack-collectives"> {
  let summary = "one collective on a packed buffer instead of several small ones";
  let description = [{
    all_reduces of one block with the same group, reduction and type of elements become
    one, of a tensor that holds all of their elements, if the inputs of all of them are
    there before the first result is needed. That is done where it takes less time: the
    latencies that are saved against the time to copy the elements into the packed tensor
    and out of it, by the latency that the grid or its `shard.machine` states and the
    memory bandwidth of the machine (docs/Cost.md). A grid that states neither has no
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
  let statistics = [
    Statistic<"packed", "packed-collectives", "Collectives that became part of another">,
  ];
}

def ShardLowerSlices : Pass<"shard-lower-slices"> {
  let summary = "lower all_slice and process_multi_index to tensor and arith";
  let description = [{
    For compilers that have a lowering of their own for collectives: what needs no
    communication becomes ops of other dialects. `process_multi_index` becomes
    arithmetic on `process_linear_index`, `all_slice` on tensors a
    `tensor.extract_slice` of the block of the device. Short blocks are inserted into
    the padded block. `populateAllOpLoweringPatterns` and others
    (shard/Partitioning/Lowerings.h) have the patterns.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>) -> tensor<2xf32> {
      %0 = shard.all_slice %a on @grid grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> tensor<2xf32> {
      %c2 = arith.constant 2 : index
      %i = shard.process_linear_index on @grid : index
      %0 = arith.muli %i, %c2 : index
      %1 = tensor.extract_slice %a[%0] [2] [1] : tensor<8xf32> to tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    ```
  }];
}

def ShardPrintLoops : Pass<"shard-print-loops"> {
  let summary = "print the loops and indexing maps of every op with a sharding model";
  let description = [{
    For each op on tensors with ShardingInterface, in the order of the program: its
    name and location, its loops with their extent and the kind that propagation uses
    (those of windows are invalid), and the map of each operand and result, as its model
    states them. Of other ops on tensors it says that they have no model. Printed to the
    standard error output; the program stays as it is. See docs/Models.md for how to read
    it.

    ```mlir
    // Input
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>)
        -> tensor<4x2xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>)
          outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    // Printed
    linalg.matmul at loc("f.mlir":2:8)
    loops: parallel(4) parallel(2) reduction<sum>(8)
    operand 0: (d0, d1, d2) -> (d0, d2)
    operand 1: (d0, d1, d2) -> (d2, d1)
    operand 2: (d0, d1, d2) -> (d0, d1)
    result 0: (d0, d1, d2) -> (d0, d1)
    ```
  }];
}

def ShardLowerTosa : Pass<"shard-lower-tosa", "::mlir::ModuleOp"> {
  let summary = "lower tosa to linalg, tensor, arith and scf, where there is any";
  let description = [{
    Runs MLIR's own lowerings of tosa, in the order that leaves no op behind: the
    sharding models and the runner know what they produce. Does nothing in a
    program without tosa ops. Hints stay where they are: types do not change.
    Errors: a tosa op that MLIR cannot lower (`tosa.custom`).

    ```mlir
    // Input
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // Output
    #map = affine_map<(d0) -> (d0)>
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
          ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = math.absf %in : f32
        linalg.yield %2 : f32
      } -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
}

def ShardVerifySpmd : Pass<"shard-verify-spmd"> {
  let summary = "report collectives that not all devices of a group reach";
  let description = [{
    Collectives on tensors have no side effects, so passes of MLIR may move them,
    even below a branch. They are ordered all the same: every device of a group
    must reach the same collectives in the same order. This pass reports each
    collective under control flow that varies along an axis of its group, i.e. that
    depends on a process index or on divided or partial data. Put it behind the
    last pass that moves code. Results of partition pass it.

    Runs on a module or on a function. Changes nothing.

    ```mlir
    // Error: 'shard.all_reduce' is not reached by all devices of its group
    %i = shard.process_multi_index on @grid axes = [0] : index
    %first = arith.cmpi eq, %i, %c0 : index
    %0 = scf.if %first -> tensor<4xf32> {
      %1 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    ```
  }];
}

def ShardReport : Pass<"shard-report", "::mlir::ModuleOp"> {
  let summary = "predict what a program costs on its grid";
  let description = [{
    Prints on stderr, for each public function: its collectives, with the calls, the
    steps, the bytes that a device sends and the time; sums for each kind of op, each
    line of the source and the whole program; and the memory that a device needs.
    docs/Cost.md describes the model. With `json` as one JSON array of objects.

    A program with hints, before or after propagation, is partitioned by the pipeline
    `shard-spmd`, as a copy: what is told is what will run. The program itself stays as
    it is. `machine` names the machine instead of the `shard.machine` of the grid.

    ```mlir
    // collective  axes   calls  steps  bytes sent per device  time      location  needed by
    // all_reduce  model      1      6               96.0 KiB  0.003 ms  f.mlir:9:8  result 0 of linalg.matmul
    ```
  }];
  let options = [
    Option<"json", "json", "bool", "false", "Print JSON">,
    Option<"machine", "machine", "std::string", "",
           "The machine to predict for, by name">,
  ];
}

def ShardExplain : Pass<"shard-explain"> {
  let summary = "sharding-propagation that tells why everything is as it is";
  let description = [{
    Propagates like `sharding-propagation`, with its default options, and prints on
    stderr: for each value that is sharded, the hints that it comes from and the ops
    that they came through; for each use that is resharded, the two wishes that
    disagreed, which won, and why. With `json` as one JSON object.

    ```mlir
    // f.mlir:3:3: %0 math.exp: [[0]]
    //   axis 0 on dimension 0, through math.exp, from argument 0 of @f
    ```
  }];
  let options = [
    Option<"json", "json", "bool", "false", "Print one JSON object">,
  ];
}

#endif // SHARD_TRANSFORMS_PASSES_TD
