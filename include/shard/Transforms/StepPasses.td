//===- StepPasses.td - The steps of sharding-propagation ---*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_STEPPASSES_TD
#define SHARD_TRANSFORMS_STEPPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardSplitCalls : Pass<"shard-split-calls", "::mlir::ModuleOp"> {
  let summary = "give each call of a private function a copy of the function";
  let description = [{
    A private function that several calls reach would tie the shardings of all its
    callers together. Each call gets a copy of its own; a copy's calls get copies,
    too. Copies are bounded: a module grows to at most twice its ops, and calls
    beyond that share a function. Recursive functions, and functions with uses that
    are no calls, are not copied.

    ```mlir
    // Input
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // Output
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @g_0(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @g_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
}

def ShardMergeFunctions : Pass<"shard-merge-functions", "::mlir::ModuleOp"> {
  let summary = "replace private functions that are equal by one of them";
  let description = [{
    The converse of `shard-split-calls`: private functions that are equal but for
    their names, and that only calls use, become one. Callees come first, so that
    callers of equal functions are found to be equal, too.

    ```mlir
    // Input
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @h(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @h(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // Output
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
}

def ShardResolvePassedShardings
    : Pass<"shard-resolve-passed-shardings", "::mlir::ModuleOp"> {
  let summary = "write shardings that functions pass on where they are used";
  let description = [{
    A `!shard.sharding` that a private function returns, or gets from all of its
    calls, is stated again where it is used, and goes out of the signature. One that
    differs between calls, or that no `shard.sharding` states, stays.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func private @g(%a: tensor<8xf32>, %s: !shard.sharding) -> tensor<8xf32> {
      %0 = shard.shard %a to %s : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %0 = call @g(%a, %s) : (tensor<8xf32>, !shard.sharding) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // Output
    shard.grid @grid(shape = 4)
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %0 = shard.shard %a to %s : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}

def ShardReadEncodings : Pass<"shard-read-encodings"> {
  let summary = "make hints of shardings that are encodings of tensor types";
  let description = [{
    A `#shard.sharding` as the encoding of a tensor type, the form of MLIR's mesh RFC, is
    a hint for each value of that type: an attribute of a function argument or result,
    else a `shard.constraint` without users. The types lose the encoding. A casting op
    between two types that differ in it alone separates two values, and so two hints.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32, #shard.sharding<@grid, [[0]]>>)
        -> tensor<8xf32, #shard.sharding<@grid, [[0]]>> {
      %0 = math.exp %a : tensor<8xf32, #shard.sharding<@grid, [[0]]>>
      return %0 : tensor<8xf32, #shard.sharding<@grid, [[0]]>>
    }
    // Output
    func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
        -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
      %0 = math.exp %a : tensor<8xf32>
      %1 = shard.constraint %0 to <@grid, [[0]]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}

def ShardNormalizeAnnotations : Pass<"shard-normalize-annotations"> {
  let summary = "drop annotations without effect, make halos and offsets static";
  let description = [{
    Erases each `shard.shard ... annotate_for_users` whose result has no user: it
    asks for nothing, but counts as a use of its source. Halos and offsets of
    `shard.sharding` that are constants become attributes. Errors: halos and offsets
    that are computed at run time.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %0 = shard.shard %a to %s annotate_for_users : tensor<8xf32>
      %1 = shard.shard %a to %s : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %1 = shard.shard %a to %s : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
}

def ShardExpandOpHints : Pass<"shard-expand-op-hints"> {
  let summary = "turn hints on ops into hints on values";
  let description = [{
    `shard.sharding` on an op becomes a `shard.constraint` of its result.
    `shard.loops`, which gives each loop of the op its axes, becomes the shardings
    that these ask of the operands and of the results. Errors: an op with another
    number of loops, a loop that cannot be split, axes that no sharding of a tensor
    expresses.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a {shard.sharding = #shard.sharding<@grid, [[0]]>} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      %1 = shard.constraint %0 to <@grid, [[0]]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}

def ShardCloseManualBodies : Pass<"shard-close-manual-bodies"> {
  let summary = "make what bodies of manual computations capture operands of these";
  let description = [{
    Tensors that the body of a `shard.manual_computation` takes from outside become
    operands that are replicated over the manual axes and open in all dimensions.
    What costs nothing to make, such as a constant, is made in the body instead.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>, %b: tensor<2xf32>) -> tensor<8xf32> {
      %0 = shard.manual_computation(%a) on @grid in = [<@grid, [[0]]>]
          out = [<@grid, [[0]]>] axes = [0] (%x: tensor<2xf32>) {
        %1 = arith.addf %x, %b : tensor<2xf32>
        shard.return %1 : tensor<2xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>, %b: tensor<2xf32>) -> tensor<8xf32> {
      %0 = shard.manual_computation(%a, %b) on @grid
          in = [<@grid, [[0]]>, <@grid, [[?]], replicated = [0]>]
          out = [<@grid, [[0]]>] axes = [0] (%x: tensor<2xf32>, %y: tensor<2xf32>) {
        %1 = arith.addf %x, %y : tensor<2xf32>
        shard.return %1 : tensor<2xf32>
      } : (tensor<8xf32>, tensor<2xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
}

def ShardSplitCreators : Pass<"shard-split-creators"> {
  let summary = "give each user a copy of what costs nothing to make";
  let description = [{
    Constants, `tensor.empty`, splats and fills of these that several ops use are
    copied, one for each user: a value that many ops share would carry the sharding
    of one of them to all others. `cse` is the converse; `sharding-propagation`
    merges copies that got the same sharding.

    ```mlir
    // Input
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %c = arith.constant dense<1.0> : tensor<8xf32>
      %0 = arith.addf %a, %c : tensor<8xf32>
      %1 = arith.mulf %0, %c : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %c = arith.constant dense<1.0> : tensor<8xf32>
      %d = arith.constant dense<1.0> : tensor<8xf32>
      %0 = arith.addf %a, %d : tensor<8xf32>
      %1 = arith.mulf %0, %c : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
}

def ShardTidyShardings : Pass<"shard-tidy-shardings"> {
  let summary = "put one shard.sharding per sharding at the start of each function";
  let description = [{
    `shard.sharding` ops that annotations use move to the start of their function, in
    the order in which annotations name them; of equal ones the first stays. Those
    with halos or offsets that are SSA values stay where they are.

    ```mlir
    // Input
    shard.grid @grid(shape = 4)
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %1 = shard.shard %0 to %s : tensor<8xf32>
      %2 = math.exp %1 : tensor<8xf32>
      %t = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %3 = shard.shard %2 to %t : tensor<8xf32>
      return %3 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
      %0 = math.exp %a : tensor<8xf32>
      %1 = shard.shard %0 to %s : tensor<8xf32>
      %2 = math.exp %1 : tensor<8xf32>
      %3 = shard.shard %2 to %s : tensor<8xf32>
      return %3 : tensor<8xf32>
    }
    ```
  }];
}

#endif // SHARD_TRANSFORMS_STEPPASSES_TD
