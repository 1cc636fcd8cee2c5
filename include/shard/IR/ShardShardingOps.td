//===- ShardShardingOps.td - Ops that say how values are spread -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDSHARDINGOPS_TD
#define SHARD_IR_SHARDSHARDINGOPS_TD

include "shard/IR/ShardAttrs.td"

def Shard_ShardingOp
    : Shard_Op<"sharding", [Pure, AttrSizedOperandSegments, Shard_UsesGrid,
                            Shard_NamesResults]> {
  let summary = "defines a sharding";
  let description = [{
    `split_axes` has one list per tensor dimension, of the axes that split it,
    major first; trailing empty lists may be left out, but one list must stand.
    `partial` lists the axes under which the value is partial, and how the parts
    combine. Every other axis replicates the value.

    `halo_sizes` has two widths, low and high, per split dimension.
    `sharded_dims_offsets` has, for each split dimension, the n + 1 bounds of its
    n blocks: 0 first, the extent last, never decreasing; it replaces the block
    layout. The two exclude each other. An entry may be an SSA value. One that does not
    fold to a constant is checked when the program runs: a width that is negative or
    above 2^40, and offsets that break the rule, end the run with an error.

    ```mlir
    %0 = shard.sharding @mesh split_axes = [[0], [1]] : !shard.sharding
    %1 = shard.sharding @mesh split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
    %2 = shard.sharding @mesh split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
    %3 = shard.sharding @mesh split_axes = [[0]] partial = sum [1] : !shard.sharding
    ```
  }];
  // So that bytecode of LLVM's dialect is read.
  let useCustomPropertiesEncoding = 1;
  let arguments = (ins
    FlatSymbolRefAttr:$grid,
    Shard_GridAxesArrayAttr:$split_axes,
    OptionalAttr<Shard_PartialAxesAttr>:$partial,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$static_sharded_dims_offsets,
    Variadic<I64>:$dynamic_sharded_dims_offsets,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$static_halo_sizes,
    Variadic<I64>:$dynamic_halo_sizes
  );
  let results = (outs Shard_ShardingType:$result);
  let assemblyFormat = [{
    $grid `split_axes` `=` $split_axes
    (`partial` `=` custom<PartialAxes>($partial)^)?
    (`halo_sizes` `=` custom<DynamicIndexList>($dynamic_halo_sizes, $static_halo_sizes)^)?
    (`sharded_dims_offsets` `=` custom<DynamicIndexList>($dynamic_sharded_dims_offsets, $static_sharded_dims_offsets)^)?
    attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$grid,
      "::llvm::ArrayRef<::shard::GridAxesAttr>":$split_axes,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$static_halo_sizes,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$static_sharded_dims_offsets,
      CArg<"::shard::PartialAxesAttr", "{}">:$partial)>,
    OpBuilder<(ins "::mlir::FlatSymbolRefAttr":$grid,
      "::llvm::ArrayRef<::shard::GridAxesAttr>":$split_axes,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$halo_sizes,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$sharded_dims_offsets,
      CArg<"::shard::PartialAxesAttr", "{}">:$partial)>,
    OpBuilder<(ins "::llvm::StringRef":$grid,
      "::llvm::ArrayRef<::shard::GridAxesAttr>":$split_axes,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$static_halo_sizes,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$static_sharded_dims_offsets,
      CArg<"::shard::PartialAxesAttr", "{}">:$partial)>
  ];
  let hasVerifier = 1;
}

def Shard_GetShardingOp : Shard_Op<"get_sharding", [Pure]> {
  let summary = "the sharding of a tensor";
  let description = [{
    The sharding that the tensor ends with. Propagation gives it to all values that are
    annotated by it, as if they were in one `shard.group` with the tensor. Where the
    tensor is annotated, it is what the nearest annotation states.

    ```mlir
    %0 = shard.get_sharding %t : tensor<8x8xf32> -> !shard.sharding
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs Shard_ShardingType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` type($result)
  }];
  let hasCanonicalizer = 1;
}

def Shard_ShardShapeOp
    : Shard_Op<"shard_shape", [Pure, AttrSizedOperandSegments, Shard_UsesGrid,
                               Shard_NamesResults]> {
  let summary = "the extents that one device holds";
  let description = [{
    For a tensor of extents `dims` under `sharding`: the extents of the valid
    elements on the device of coordinates `device`, one result per dimension. Halos,
    which are copies of elements of other devices, do not count. Partition and the
    conversion to runtime calls replace it by arithmetic on indices.

    ```mlir
    %0:2 = shard.shard_shape dims = [8, %n] sharding = %s device = [0, %i] : index, index
    ```
  }];
  let arguments = (ins
    DenseI64ArrayAttr:$dims,
    Variadic<Index>:$dims_dynamic,
    Shard_ShardingType:$sharding,
    DenseI64ArrayAttr:$device,
    Variadic<Index>:$device_dynamic
  );
  let results = (outs Variadic<Index>:$result);
  let assemblyFormat = [{
    `dims` `=` custom<DynamicIndexList>($dims_dynamic, $dims)
    `sharding` `=` $sharding
    `device` `=` custom<DynamicIndexList>($device_dynamic, $device)
    attr-dict `:` type(results)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$dims,
                   "::llvm::ArrayRef<::mlir::Value>":$dims_dyn,
                   "::mlir::Value":$sharding, "::mlir::ValueRange":$device)>
  ];
  let hasVerifier = 1;
}

def Shard_ShardOp
    : Shard_Op<"shard", [Pure, AllTypesMatch<["result", "src"]>, Shard_UsesGrid,
                         Shard_NamesResults]> {
  let summary = "annotates a value with its sharding";
  let description = [{
    An identity. Without `annotate_for_users`, the source and the result have the
    sharding. With it, the result, hence all its users, has the sharding, and a
    source of another sharding is resharded right there.

    ```mlir
    %0 = shard.shard %t to %s : tensor<8x8xf32>
    %1 = shard.shard %0 to %u annotate_for_users : tensor<8x8xf32>
    ```

    Constraints:

    * the sharding has at most as many dimensions as the tensor;
    * explicit offsets end at the extents of the split dimensions;
    * one value has annotations of one grid only.
  }];
  let arguments = (ins
    AnyRankedTensor:$src,
    Shard_ShardingType:$sharding,
    UnitAttr:$annotate_for_users
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $src `to` $sharding (`annotate_for_users` $annotate_for_users^)?
    attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Shard_ConstraintOp
    : Shard_Op<"constraint", [AllTypesMatch<["result", "input"]>,
                              Shard_UsesGrid]> {
  let summary = "a wish of the user about the sharding of a value";
  let description = [{
    An identity that propagation reads and removes. Without users it is about
    the value itself, else about the uses of its result. It is not Pure, so that
    canonicalization keeps it.

    ```mlir
    %0 = shard.constraint %t to <@mesh, [["data"], [?]]> : tensor<8x8xf32>
    ```

    With the attribute `shard.propagate` it is a barrier: its result has the hint, and
    axes pass from the input to the result only (`"forward"`), from the result to the
    input only (`"backward"`) or not at all (`"none"`). The input is resharded where the
    two differ. It is about its result, also if nothing uses that.

    ```mlir
    %1 = shard.constraint %0 to <@mesh, [[?], [?]]> {shard.propagate = "forward"} : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Shard_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `to` $sharding attr-dict `:` type($result)
  }];
}

def Shard_GroupOp : Shard_Op<"group"> {
  let summary = "values that are to have one sharding";
  let description = [{
    All values of all groups of one `id` in a function get the same sharding
    ("shard as", "shard like"). Propagation reads and removes it.

    ```mlir
    shard.group %0, %1 id = 0 : tensor<8x8xf32>, tensor<8x8xf32>
    ```

    Constraints:

    * the values of one `id` have one shape;
    * they live in one function, on one side of every `manual_computation`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$id);
  let assemblyFormat = "$inputs `id` `=` $id attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def Shard_ManualComputationOp
    : Shard_Op<"manual_computation", [SingleBlock, RecursiveMemoryEffects,
                                      Shard_UsesGrid]> {
  let summary = "a computation that is local on some axes";
  let description = [{
    The body is written per device with respect to the manual axes `axes`: an
    argument's type is that of the operand with each dimension divided by the
    manual axes that its in sharding puts there, and so for results. With respect
    to all other axes the body is global, and propagation and partition treat it
    as the rest of the program. Collectives in the body use manual axes only, and so
    do `process_multi_index` and `process_linear_index`; they are on `@mesh` or on a
    grid that it refines. A tensor from outside that the body uses is whole there with
    respect to the manual axes: as an operand that is replicated over them.

    ```mlir
    %2 = shard.manual_computation(%0) on @mesh
        in = [<@mesh, [["data"], []]>] out = [<@mesh, [["data"], []]>] axes = ["data"]
        (%arg: tensor<4x8xf32>) {
      %3 = arith.addf %arg, %arg : tensor<4x8xf32>
      shard.return %3 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    ```

    Constraints:

    * one in sharding per operand, one out sharding per result, all on `@mesh`;
    * every manual axis is used or listed in `replicated` in each of them;
    * in a dimension, manual axes come before (are major to) the others;
    * manual axes split their dimensions evenly;
    * shardings have neither halos nor offsets, which the body would not see;
    * the manual axes of nested ops are disjoint.
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$inputs,
    FlatSymbolRefAttr:$grid,
    TypedArrayAttrBase<Shard_ShardingAttr, "array of shardings">:$in_shardings,
    TypedArrayAttrBase<Shard_ShardingAttr, "array of shardings">:$out_shardings,
    TypedArrayAttrBase<Shard_AxisRefAttr, "array of axes">:$manual_axes
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Shard_ReturnOp
    : Shard_Op<"return", [Pure, Terminator,
        ParentOneOf<["ManualComputationOp", "AllReduceOp", "ReduceOp",
                     "ReduceScatterOp"]>]> {
  let summary = "ends a body of the dialect";
  let description = [{
    Gives the results of a `manual_computation`, or the combined value of a
    generic reduction.

    ```mlir
    %1 = shard.all_reduce %0 on @mesh grid_axes = [0] reduction = generic combiner {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      shard.return %c : f32
    } : tensor<4x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
}

#endif // SHARD_IR_SHARDSHARDINGOPS_TD
