//===- ShardReductionOps.td - Collectives that combine data -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDREDUCTIONOPS_TD
#define SHARD_IR_SHARDREDUCTIONOPS_TD

include "shard/IR/ShardCollectiveBase.td"

def Shard_AllReduceOp
    : Shard_CollectiveOp<"all_reduce", [SameOperandsAndResultShape,
                                        SingleBlock, Shard_HasMemoryForm,
                                        Shard_SpeculatableOnTensors]> {
  let summary = "combines the inputs of a group on all of its devices";
  let description = [{
    Combines the inputs of the devices of a group, element by element, by
    `reduction`; all of them receive the result, bit for bit the same. Inputs are
    first converted to the element type of the result. The tensor form is pure;
    the memref form reads its input and returns fresh memory.

    `generic` may have a region of two arguments of the result's element type
    that yields their combination; it must be associative and commutative.

    Algebra:

    * all_reduce(x, A, k) = x for groups of one device;
    * all_reduce(all_reduce(x, A, k), B, k) = all_reduce(x, A ++ B, k) where A and B
      are disjoint (mean of integers and generic excepted), or k is idempotent:
      max, min, umax, umin, bitwise_and, bitwise_or;
    * all_reduce(x, A, k) = x where x is replicated over A and k is idempotent;
    * the reduction of a splat that no addition rounds is a splat.

    ```mlir
    %1 = shard.all_reduce %0 on @mesh grid_axes = [1, 0] reduction = max : tensor<3x4xf32> -> tensor<3x4xf64>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyTypeOf<[AnyMemRef, AnyRankedTensor]>:$input, DefaultValuedAttr<Shard_ReductionKindAttr, Shard_DefaultReduction>:$reduction
  ));
  let results = (outs AnyTypeOf<[AnyMemRef, AnyRankedTensor]>:$result);
  let regions = (region VariadicRegion<SizedRegion<1>>:$combiner);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    (`reduction` `=` $reduction^)? (`combiner` $combiner^)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "::shard::ReductionKind":$reduction)>,
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "::shard::ReductionKind":$reduction)>
  ];
  let hasVerifier = 1;
}

def Shard_ReduceOp
    : Shard_CollectiveOp<"reduce", [Pure, SingleBlock,
                                    AllShapesMatch<["input", "result"]>]> {
  let summary = "combines the inputs of a group on one of its devices";
  let description = [{
    As `all_reduce`, but only the device at in-group coordinates `root` receives
    the result; it is unspecified on the others.

    ```mlir
    %1 = shard.reduce %0 on @mesh grid_axes = [1, 0] reduction = max root = [2, 1] : (tensor<3x4xf32>) -> tensor<3x4xf64>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyRankedTensor:$input, DefaultValuedAttr<Shard_ReductionKindAttr, Shard_DefaultReduction>:$reduction,
    DenseI64ArrayAttr:$root,
    Variadic<Index>:$root_dynamic
  ));
  let results = (outs AnyRankedTensor:$result);
  let regions = (region VariadicRegion<SizedRegion<1>>:$combiner);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    (`reduction` `=` $reduction^)? (`combiner` $combiner^)?
    `root` `=` custom<DynamicIndexList>($root_dynamic, $root)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Shard_ReduceScatterOp
    : Shard_CollectiveOp<"reduce_scatter", [Pure, SingleBlock,
                                            SameOperandsAndResultRank]> {
  let summary = "combines the inputs of a group and spreads the result";
  let description = [{
    As `all_reduce` followed by `all_slice` along tensor dimension
    `scatter_axis`, without the detour. `scatter_dim` is read as well.

    Algebra: reduce_scatter(x, A, k, d) = all_slice(x, A, d) where x is replicated
    over A and k is idempotent.

    Shapes: the result extent is ceil(d / n) for an input extent d and groups of
    n devices.

    ```mlir
    %1 = shard.reduce_scatter %0 on @mesh grid_axes = [0] reduction = max scatter_axis = 0 : tensor<2x2xf32> -> tensor<1x2xf64>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, DefaultValuedAttr<Shard_ReductionKindAttr, Shard_DefaultReduction>:$reduction,
    IndexAttr:$scatter_axis
  ));
  let results = (outs AnyRankedTensor:$result);
  let regions = (region VariadicRegion<SizedRegion<1>>:$combiner);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    (`reduction` `=` $reduction^)? (`combiner` $combiner^)?
    custom<ScatterAxis>($scatter_axis)
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "::shard::ReductionKind":$reduction,
                   "int64_t":$scatterAxis)>
  ];
  let hasVerifier = 1;
}

#endif // SHARD_IR_SHARDREDUCTIONOPS_TD
