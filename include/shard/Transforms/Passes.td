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
include "shard/Transforms/OptimizePasses.td"
include "shard/Transforms/GroupPasses.td"
include "shard/Transforms/NormalizePasses.td"
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
}

def ShardPartition : Pass<"shard-partition"> {
  let summary = "turn an annotated program into the program of one device";
  let description = [{
    Replaces every value by its local block. Each op is built in its local form
    through `ShardingInterface`; where an operand or result has another sharding
    than the op wants, the reshard planner's collectives are inserted. Values
    without annotation are replicated. An op without a sharding model gets
    replicated operands and a remark. Hints that propagation weighs (`shard.constraint`,
    `shard.group`, `shard.sharding` and `shard.loops` of ops) are errors: run
    `sharding-propagation` first.

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

def ShardMaterializeReshards
    : Pass<"shard-materialize-reshards", "::mlir::ModuleOp"> {
  let summary = "write each step of each reshard into the annotated program";
  let description = [{
    For programs that propagation has annotated. Each reshard that partition would make
    becomes a row of annotations for users, one for each step of its plan, with the
    name of the step as `shard.step`. Types stay global, so that a step can be moved to
    another place, deleted, or be given another sharding, by hand or by another pass;
    `shard-partition` then makes those steps: between two annotations it makes what leads
    from the one sharding to the other, and it is an error if that is not the one step
    that `shard.step` names. What an op gives in another sharding than its users take
    gets the annotation of the former.

    Left as they are, and made by partition as before: moves between grids, halos and
    whatever else ops choose that read windows, and reshards of values that such a window
    may be cut from. A remark tells of each.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
        -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %r = shard.sharding @grid split_axes = [[]] : !shard.sharding
      %0 = math.exp %a : tensor<8x8xf32>
      %1 = shard.shard %0 to %s : tensor<8x8xf32>
      %2 = shard.shard %1 to %r annotate_for_users : tensor<8x8xf32>
      return %2 : tensor<8x8xf32>
    }
    // Output
    func.func @f(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
        -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %r = shard.sharding @grid split_axes = [[]] : !shard.sharding
      %0 = math.exp %a : tensor<8x8xf32>
      %1 = shard.shard %0 to %s : tensor<8x8xf32>
      %2 = shard.shard %1 to %r annotate_for_users {shard.step = "all_gather"} : tensor<8x8xf32>
      return %2 : tensor<8x8xf32>
    }
    ```
  }];
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
    program without tosa ops. Hints on values stay where they are: types do not change.
    Those that stand on tosa ops become hints on their operands and results first, as by
    `shard-expand-op-hints`, and so does `shard.loops` on an op that takes a computed number: the
    lowerings fold numbers, and the op may then have other loops. Maxima and minima of floats along a dimension and over windows begin
    with an infinity, not with the least or the largest finite number as MLIR has it: the maximum
    of one element, which MLIR folds to it, and that of blocks are then the same for infinities
    too. A `tosa.rescale` whose multipliers and shifts are not all constants becomes a
    linalg.generic here, because MLIR's lowering of it is wrong.
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
    depends on a process index or on divided or partial data; but for `shard.send` and
    `shard.recv`, which different devices of a group may reach. It also reports each
    `root` that depends on such a thing along an axis of the group: all devices must name
    one. Put it behind the last pass that moves code. Results of partition pass it.

    What is read from memory or from a global depends on all that any op of the module
    stores there. The pass cannot see what functions store in buffers that they are given,
    nor what external functions do; buffers and tensors that arguments without
    `shard.local` bring count as the same on all devices. Whether each send has its recv
    only a run tells.

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
