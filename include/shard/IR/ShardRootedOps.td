//===- ShardRootedOps.td - Collectives from or to one device -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDROOTEDOPS_TD
#define SHARD_IR_SHARDROOTEDOPS_TD

include "shard/IR/ShardCollectiveBase.td"

def Shard_BroadcastOp
    : Shard_CollectiveOp<"broadcast", [Pure,
        AllShapesMatch<["input", "result"]>,
        AllElementTypesMatch<["input", "result"]>]> {
  let summary = "copies the input of one device to its group";
  let description = [{
    Every device of a group receives the input of the device at in-group
    coordinates `root`. Other inputs are ignored.

    Algebra: broadcast(x, A, root) = x where x is replicated over A.

    ```mlir
    %1 = shard.broadcast %0 on @mesh grid_axes = [0] root = [1] : (tensor<2xi8>) -> tensor<2xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$root, Variadic<Index>:$root_dynamic));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `root` `=` custom<DynamicIndexList>($root_dynamic, $root)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Shard_GatherOp
    : Shard_CollectiveOp<"gather", [Pure,
        AllRanksMatch<["input", "result"]>,
        AllElementTypesMatch<["input", "result"]>]> {
  let summary = "concatenates the blocks of a group on one device";
  let description = [{
    As `all_gather`, but only the device at in-group coordinates `root` receives
    the result; it is unspecified on the others.

    Algebra: gather(scatter(x, A, d, root), A, d, root) = x.

    ```mlir
    %1 = shard.gather %0 on @mesh grid_axes = [1] gather_axis = 1 root = [1] : (tensor<2x2xi8>) -> tensor<2x8xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, IndexAttr:$gather_axis, DenseI64ArrayAttr:$root,
    Variadic<Index>:$root_dynamic));
  let results = (outs AnyNon0RankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `gather_axis` `=` $gather_axis
    `root` `=` custom<DynamicIndexList>($root_dynamic, $root)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Shard_ScatterOp
    : Shard_CollectiveOp<"scatter", [Pure,
        AllRanksMatch<["input", "result"]>,
        AllElementTypesMatch<["input", "result"]>]> {
  let summary = "spreads the input of one device over its group";
  let description = [{
    The input of the device at in-group coordinates `root` is cut into blocks
    along tensor dimension `scatter_axis`; each device receives the block of its
    position. Other inputs are ignored. `scatter_dim` is read as well.

    Shapes: the result extent is ceil(d / n) for an input extent d and groups of
    n devices.

    Algebra:

    * scatter(gather(x, A, d, root), A, d, root) = x;
    * scatter(x, A, d, root) = all_slice(x, A, d) where x is replicated over A.

    ```mlir
    %1 = shard.scatter %0 on @mesh grid_axes = [0] scatter_axis = 0 root = [1] : (tensor<2x2xi8>) -> tensor<1x2xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, IndexAttr:$scatter_axis, DenseI64ArrayAttr:$root,
    Variadic<Index>:$root_dynamic));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    custom<ScatterAxis>($scatter_axis)
    `root` `=` custom<DynamicIndexList>($root_dynamic, $root)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Shard_SendOp
    : Shard_CollectiveOp<"send", [
        AllShapesMatch<["input", "result"]>,
        AllElementTypesMatch<["input", "result"]>]> {
  let summary = "sends to one device of the group";
  let description = [{
    Sends the input to the device at in-group coordinates `destination`. The
    result is the input.

    ```mlir
    %1 = shard.send %0 on @mesh grid_axes = [0] destination = [1] : (tensor<2xi8>) -> tensor<2xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, DenseI64ArrayAttr:$destination, Variadic<Index>:$destination_dynamic));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `destination` `=` custom<DynamicIndexList>($destination_dynamic, $destination)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

def Shard_RecvOp
    : Shard_CollectiveOp<"recv", [
        AllShapesMatch<["input", "result"]>,
        AllElementTypesMatch<["input", "result"]>]> {
  let summary = "receives from one device of the group";
  let description = [{
    Receives from the device at in-group coordinates `source`; without `source`,
    from any device of the group. The input gives the shape only.

    ```mlir
    %1 = shard.recv %0 on @mesh grid_axes = [0] source = [1] : (tensor<2xi8>) -> tensor<2xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, OptionalAttr<DenseI64ArrayAttr>:$source,
    Variadic<Index>:$source_dynamic));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    (`source` `=` custom<DynamicIndexList>($source_dynamic, $source)^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

#endif // SHARD_IR_SHARDROOTEDOPS_TD
