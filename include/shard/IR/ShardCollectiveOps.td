//===- ShardCollectiveOps.td - Collectives that move data --*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDCOLLECTIVEOPS_TD
#define SHARD_IR_SHARDCOLLECTIVEOPS_TD

include "shard/IR/ShardCollectiveBase.td"

def Shard_AllGatherOp
    : Shard_CollectiveOp<"all_gather", [Pure, SameOperandsAndResultElementType,
                                        SameOperandsAndResultRank]> {
  let summary = "concatenates the blocks of a group on all of its devices";
  let description = [{
    The result on every device of a group holds, along tensor dimension
    `gather_axis`, the input of each device of the group at the place of its
    block: where n divides the result's extent D, the inputs one behind another
    by position in the group. Where not, the block layout of D over the axes (the
    major axis cuts first, into blocks of ceil(D / size)) says where the valid
    elements of each input go; what is padding is dropped.

    Shapes: the input extent is ceil(D / n) for groups of n devices.

    Algebra, d a dimension, A and C lists of axes, A ++ C their concatenation:

    * all_gather(x, A, d) = x for groups of one device;
    * all_gather(all_slice(x, A, d), A, d) = x where x is replicated over A;
    * all_gather(reduce_scatter(x, A, k, d), A, d) = all_reduce(x, A, k);
    * all_gather(splat) = splat.

    ```mlir
    %1 = shard.all_gather %0 on @mesh grid_axes = [1] gather_axis = 1 : tensor<2x2xi8> -> tensor<2x8xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, IndexAttr:$gather_axis));
  let results = (outs AnyNon0RankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `gather_axis` `=` $gather_axis attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "int64_t":$gatherAxis)>
  ];
}

def Shard_AllSliceOp
    : Shard_CollectiveOp<"all_slice", [Pure, SameOperandsAndResultElementType,
                                       SameOperandsAndResultRank]> {
  let summary = "keeps on each device its own block";
  let description = [{
    Each device keeps the block of its input, along tensor dimension
    `slice_axis`, that belongs to its position in the group, in the block layout:
    the axes cut one after another, major first. Communicates nothing. Inverse of
    `all_gather` where the input is replicated in the group.

    Shapes: the result extent is ceil(d / n) for an input extent d and groups of n
    devices; blocks at the end may be short or empty, what lies behind them is
    padding of unspecified content.

    Algebra:

    * all_slice(x, A, d) = x for groups of one device;
    * all_slice(all_gather(x, A, d), A, d) = x;
    * all_slice(all_gather(x, A ++ C, d), A, d) = all_gather(x, C, d), if nothing else
      uses the all_gather;
    * all_slice(all_gather(x, A, d), A ++ C, d) = all_slice(x, C, d);
    * all_slice(all_reduce(x, A, k), A, d) = reduce_scatter(x, A, k, d), and with
      a subset B of A: all_reduce(reduce_scatter(x, B, k, d), A \ B, k);
    * all_slice(splat) = splat.

    ```mlir
    %1 = shard.all_slice %0 on @mesh grid_axes = [1] slice_axis = 1 : tensor<2x8xi8> -> tensor<2x2xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, IndexAttr:$slice_axis));
  let results = (outs AnyNon0RankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `slice_axis` `=` $slice_axis attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::shard::GridOp":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "int64_t":$sliceAxis)>,
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "int64_t":$sliceAxis)>
  ];
}

def Shard_AllToAllOp
    : Shard_CollectiveOp<"all_to_all", [Pure, SameOperandsAndResultElementType,
                                        SameOperandsAndResultRank]> {
  let summary = "moves a split from one tensor dimension to another";
  let description = [{
    Each device cuts its input along `split_axis` into one block per device of
    the group and sends block p to position p; it concatenates what it receives
    along `concat_axis`, by position of the sender.

    Shapes, for groups of n devices: the split dimension shrinks from d to
    ceil(d / n); the concatenated one grows from c to a D with ceil(D / n) = c.
    Where both are one dimension its extent stays and n divides it. Blocks are cut
    and placed as by `all_slice` and `all_gather`.

    Algebra:

    * all_to_all(x, A, s, c) = x for groups of one device;
    * all_to_all(all_to_all(x, A, s, c), A, c, s) = x;
    * all_to_all(splat) = splat.

    ```mlir
    %1 = shard.all_to_all %0 on @mesh grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<4x2xi8> -> tensor<2x4xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, IndexAttr:$split_axis, IndexAttr:$concat_axis));
  let results = (outs AnyNon0RankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `split_axis` `=` $split_axis `concat_axis` `=` $concat_axis
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "int64_t":$splitAxis, "int64_t":$concatAxis)>
  ];
}

def Shard_PermuteOp
    : Shard_CollectiveOp<"permute",
                         [Pure, AllTypesMatch<["result", "input"]>]> {
  let summary = "exchanges the axes under which blocks are spread";
  let description = [{
    A permutation of devices that re-labels the axes of a sharding: what was
    spread over the axes `from_axes` = F, outermost first, is afterwards spread
    over `to_axes` = T. The device with coordinates c receives the input of the
    device c' with

    * on F: the coordinates at row-major position linear(c over T);
    * on T \ F: the coordinates at position linear(c over F \ T), each list in
      its own order;
    * elsewhere: as c.

    The products of the sizes of F and of T are equal. Shapes do not change. The
    text does not grow with the number of devices.

    A dimension split over [0, 1] is, after `from_axes = [0, 1] to_axes = [1, 0]`,
    split over [1, 0]; split over [0], after `from_axes = [0] to_axes = [1]` on a
    square grid, over [1].

    Algebra:

    * permute(x, F, F) = x;
    * permute(permute(x, F, T), T, F) = x;
    * permute(permute(x, F, T), T, U) = permute(x, F, U) where F, T and U are one
      set;
    * permute(x, F, T) = x where x is replicated over F and T.

    ```mlir
    %1 = shard.permute %0 on @mesh from_axes = [0, 1] to_axes = [1, 0] : tensor<2x2xi8>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, FlatSymbolRefAttr:$grid,
                       Shard_GridAxesAttr:$from_axes,
                       Shard_GridAxesAttr:$to_axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid `from_axes` `=` $from_axes `to_axes` `=` $to_axes
    attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Shard_ShiftOp
    : Shard_CollectiveOp<"shift", [Pure, SameOperandsAndResultElementType,
                                   SameOperandsAndResultShape]> {
  let summary = "shifts blocks along axes";
  let description = [{
    Within a group the device at position p along the grid axis `shift_axis`, one of
    `grid_axes`, receives the input of the device at position p - `offset`, or, with
    `mirror`, of the device at position `offset` - p. With `minor_axes`, further ones
    of `grid_axes`, positions count along `shift_axis` and these, row-major. With
    `rotate` positions wrap around; without, the result on a device without a source
    is unspecified.

    Algebra, all with `rotate` or all without, along the same axes:

    * shift(x, n) = x and mirror(x, n) = x where no device receives the block of another
      one: shift(x, 0), with `rotate` also for multiples of the number of positions;
    * shift(shift(x, m), n) = shift(x, m + n);
    * shift(mirror(x, m), n) = mirror(x, m + n);
    * mirror(shift(x, m), n) = mirror(x, n - m);
    * mirror(mirror(x, m), n) = shift(x, n - m);
    * shift(x, n) = mirror(x, n) = x where x is replicated over the axes.

    ```mlir
    %1 = shard.shift %0 on @mesh grid_axes = [1] shift_axis = 1 offset = 2 rotate : tensor<2xi8> -> tensor<2xi8>
    // Over all devices of a 2x4 grid, the blocks in reverse order:
    %2 = shard.shift %1 on @mesh grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 7 mirror : tensor<2xi8> -> tensor<2xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input, IndexAttr:$shift_axis,
                            OptionalAttr<Shard_GridAxesAttr>:$minor_axes,
                            I64Attr:$offset, UnitAttr:$rotate, UnitAttr:$mirror));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `shift_axis` `=` $shift_axis (`minor_axes` `=` $minor_axes^)?
    `offset` `=` $offset (`rotate` $rotate^)? (`mirror` $mirror^)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                   "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$gridAxes,
                   "::llvm::ArrayRef<int16_t>":$shiftAxes, "int64_t":$offset,
                   "bool":$rotate, "bool":$mirror)>
  ];
  let extraClassDeclaration = [{
    /// The axes along which positions count, major first.
    ::llvm::SmallVector<int16_t> getShiftAxes() {
      ::llvm::SmallVector<int16_t> axes = {
          static_cast<int16_t>(getShiftAxis().getSExtValue())};
      if (::std::optional<::llvm::ArrayRef<int16_t>> minor = getMinorAxes())
        axes.append(minor->begin(), minor->end());
      return axes;
    }
  }];
}

def Shard_RedistributeOp
    : Shard_CollectiveOp<"redistribute", [Pure, SameOperandsAndResultElementType,
                                          SameOperandsAndResultRank]> {
  let summary = "takes blocks of one sharding to blocks of another in one step";
  let description = [{
    The devices of a group together have a tensor of `extents`. Before, the axes
    `from` split its dimensions, and the input is the device's block; after, the axes
    `to` do, and the result is the device's block. Each device receives just the
    elements of its new block that its old one lacks, each from one of the devices
    that have it: all-to-all with messages of different sizes (MPI_Alltoallw).

    `from` and `to` have a list of axes per dimension, major first; dimensions behind
    the last list are not split. Blocks of dimensions that the axes do not divide are
    those of `all_slice`; what lies behind the valid elements of the result is
    unspecified. `grid_axes` are the axes of both, each once. A group has 256 devices
    at most, since each device looks at what all of them send.

    Algebra:

    * redistribute(x, A, A) = x;
    * redistribute(redistribute(x, A, B), B, A) = x;
    * redistribute(splat) = splat.

    ```mlir
    // Rows over axis 0 and columns over axis 1 become rows over 1, columns over 0.
    %1 = shard.redistribute %0 on @mesh grid_axes = [0, 1] from = [[0], [1]] to = [[1], [0]] extents = [8, 8] : tensor<4x2xi8> -> tensor<2x4xi8>
    ```
  }];
  let arguments = !con(commonArgs, (ins AnyNon0RankedTensor:$input,
                                        Shard_GridAxesArrayAttr:$from,
                                        Shard_GridAxesArrayAttr:$to,
                                        DenseI64ArrayAttr:$extents));
  let results = (outs AnyNon0RankedTensor:$result);
  let assemblyFormat = [{
    $input `on` $grid (`grid_axes` `=` $grid_axes^)?
    `from` `=` $from `to` `=` $to `extents` `=` $extents
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What moves, on a grid of which the axes of the group have sizes.
    ::shard::Redistribution getRedistribution(::shard::GridOp grid);
  }];
}

def Shard_UpdateHaloOp
    : Shard_Op<"update_halo", [
        DestinationStyleOpInterface, Shard_HasMemoryForm,
        Shard_SpeculatableOnTensors, Shard_UsesGrid,
        TypesMatchWith<"result has same type as destination", "result",
                       "destination", "$_self">]> {
  let summary = "fills halos with the neighbours' elements";
  let description = [{
    `destination` is a local block with its halos; the result has the halos
    filled with the elements of the neighbouring blocks. `split_axes` are those
    of the sharding; `halo_sizes` has two widths, low and high, per split
    dimension. Halos at the border of the tensor keep what they hold. The tensor
    form is pure; the memref form works in place.

    ```mlir
    %1 = shard.update_halo %0 on @mesh split_axes = [[0]] halo_sizes = [1, 1] : tensor<6x8xf32>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyNon0RankedMemRef, AnyNon0RankedTensor]>:$destination,
    FlatSymbolRefAttr:$grid,
    Shard_GridAxesArrayAttr:$split_axes,
    Variadic<I64>:$halo_sizes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$static_halo_sizes
  );
  let results = (outs
    AnyTypeOf<[AnyNon0RankedMemRef, AnyNon0RankedTensor]>:$result);
  let assemblyFormat = [{
    $destination `on` $grid `split_axes` `=` $split_axes
    (`halo_sizes` `=` custom<DynamicIndexList>($halo_sizes, $static_halo_sizes)^)?
    attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestinationMutable();
    }
  }];
  let hasVerifier = 1;
}

#endif // SHARD_IR_SHARDCOLLECTIVEOPS_TD
