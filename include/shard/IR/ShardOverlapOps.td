//===- ShardOverlapOps.td - Collectives beside other work -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDOVERLAPOPS_TD
#define SHARD_IR_SHARDOVERLAPOPS_TD

include "shard/IR/ShardAttrs.td"

def Shard_WaitOp
    : Shard_Op<"wait", [Pure, TypesMatchWith<"the result is the value",
                                             "value", "result", "$_self">]> {
  let summary = "the place where the result of a collective is needed first";
  let description = [{
    Gives `value`. The collective that makes `value` may run beside the ops between it
    and the wait: the collective starts where it stands and ends at the wait.

    `input` is the operand of that collective. The wait takes it, so that its memory
    stays as it is until the collective has ended.

    A collective is started, instead of run to its end, if all of these hold:

    * it is an all_gather, all_reduce, all_to_all, broadcast, permute, reduce_scatter or
      shift, and its operand and its result have one type of elements;
    * its result is used by waits alone, which stand in its block;
    * the `input` of each of them is its operand.

    Where one does not hold, the collective runs to its end and the wait has no effect.
    So a pass that replaces the collective or moves ops changes when data moves, and
    never what the program computes. The starts of a device are carried out in the order
    of the program, and every other collective waits for them.

    ```mlir
    %0 = shard.all_gather %w on @mesh grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
    %1 = math.tanh %x : tensor<8x8xf32>
    %2 = shard.wait %0 of %w : tensor<8x8xf32>, tensor<2x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `of` $input attr-dict `:` type($value) `,` type($input)
  }];
  let hasFolder = 1;
}

#endif // SHARD_IR_SHARDOVERLAPOPS_TD
