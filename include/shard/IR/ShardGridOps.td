//===- ShardGridOps.td - Ops about the grid and the process -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDGRIDOPS_TD
#define SHARD_IR_SHARDGRIDOPS_TD

include "shard/IR/ShardAttrs.td"

def Shard_GridOp : Shard_Op<"grid", [Symbol, Pure, Shard_UsesGrid]> {
  let summary = "an n-dimensional arrangement of devices";
  let description = [{
    Names a grid. `shape` has the size of each axis, at least 1, axis 0
    outermost; `?` is a size that is not known before the program runs. `axes`
    names the axes. A device's linear index is the row-major position of its
    coordinates.

    `device_ids` maps positions to physical devices: the device at linear index p is
    physical device `device_ids[p]`. It is a permutation of 0, 1, ...; a grid of one
    device may name any. Without it, position p is physical device p. Everything in a
    program is by position; what runs it obeys the mapping: with MPI, rank r runs the
    position whose id is r. A refinement has the ids of the grid that it refines and
    states none.

    By contract, devices divide dimensions of dynamic extent evenly. With
    `uneven_dynamic` they need not: each device then has the valid elements of its block
    and no padding, so that local extents differ between devices, and steps between
    shardings pad blocks to the extent of the largest one on the way. The sizes of all
    axes have to be known, and a refinement states it as the grid that it refines does.

    `refines` names the grid of which this one is a refinement: the same devices
    in the same linear order, with some axes factored into several. `latency`
    (seconds) and `bandwidth` (bytes per second and device) have one entry per
    axis and feed the cost model.

    ```mlir
    shard.grid @mesh(shape = 2x4) axes ["data", "model"]
    shard.grid @some(shape = 2x?)
    shard.grid @columns(shape = 2x2) device_ids = [0, 2, 1, 3]
    shard.grid @batches(shape = 4) {uneven_dynamic}
    shard.grid @mesh_1(shape = 2x2x2) {refines = @mesh}
    shard.grid @links(shape = 2x4) {bandwidth = array<f64: 1.0e9, 1.0e11>, latency = array<f64: 1.0e-5, 1.0e-6>}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    DenseI64ArrayAttr:$shape,
    OptionalAttr<StrArrayAttr>:$axis_names,
    OptionalAttr<FlatSymbolRefAttr>:$refines,
    OptionalAttr<DenseF64ArrayAttr>:$latency,
    OptionalAttr<DenseF64ArrayAttr>:$bandwidth,
    OptionalAttr<DenseI64ArrayAttr>:$device_ids,
    UnitAttr:$uneven_dynamic
  );
  let assemblyFormat = [{
    $sym_name `(` `shape` `=` custom<DimensionList>($shape) `)`
    (`axes` $axis_names^)? (`device_ids` `=` $device_ids^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<int64_t>":$shape)>
  ];
  // So that bytecode of LLVM's dialect is read.
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    int64_t getRank() { return getShape().size(); }
    /// The number of the axis that `axis` is, or is a part of; nothing if the
    /// grid does not have it.
    std::optional<int16_t> axisNumber(::shard::AxisRefAttr axis);
    /// The part of an axis that `axis` names, not checked against the size of the
    /// axis; nothing if the grid does not have the axis.
    std::optional<::shard::AxisPart> axisPart(::shard::AxisRefAttr axis);
    /// The name of `axis` if it has one, else its number.
    std::string axisName(int64_t axis);
  }];
  let hasVerifier = 1;
}

def Shard_GridShapeOp
    : Shard_Op<"grid_shape", [Pure, Shard_UsesGrid, Shard_NamesResults]> {
  let summary = "the sizes of axes of a grid";
  let description = [{
    One result per entry of `axes`; without `axes`, one per axis of the grid.
    Axes of static size fold to constants. The sizes are the same on all devices, so
    that the op may also stand in a program that is not partitioned yet.

    ```mlir
    %0:2 = shard.grid_shape @mesh : index, index
    %1 = shard.grid_shape @mesh axes = [1] : index
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$grid,
    DefaultValuedAttr<Shard_GridAxesAttr, "{}">:$axes
  );
  let results = (outs Variadic<Index>:$result);
  let assemblyFormat = [{
    $grid (`axes` `=` $axes^)? attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "::shard::GridOp":$grid)>,
    OpBuilder<(ins "::shard::GridOp":$grid,
                   "::llvm::ArrayRef<int16_t>":$axes)>,
    OpBuilder<(ins "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$axes)>
  ];
}

def Shard_ProcessMultiIndexOp
    : Shard_Op<"process_multi_index",
               [Pure, Shard_UsesGrid, Shard_NamesResults]> {
  let summary = "the coordinates of this device";
  let description = [{
    One coordinate per entry of `axes`; without `axes`, one per axis. They are those of
    the position in the grid, whatever `device_ids` the grid has.

    ```mlir
    %0:2 = shard.process_multi_index on @mesh : index, index
    %1 = shard.process_multi_index on @mesh axes = [1] : index
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$grid,
    DefaultValuedAttr<Shard_GridAxesAttr, "{}">:$axes
  );
  let results = (outs Variadic<Index>:$result);
  let assemblyFormat = [{
    `on` $grid (`axes` `=` $axes^)? attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "::shard::GridOp":$grid)>,
    OpBuilder<(ins "::llvm::StringRef":$grid,
                   "::llvm::ArrayRef<int16_t>":$axes)>
  ];
}

def Shard_ProcessLinearIndexOp
    : Shard_Op<"process_linear_index",
               [Pure, Shard_UsesGrid, Shard_NamesResults]> {
  let summary = "the linear index of this device";
  let description = [{
    The row-major position of the device's coordinates: on a grid of shape
    10x20x30 the device (1, 2, 3) has index (1 * 20 + 2) * 30 + 3 = 663. It is a
    position in the grid, not the number of the physical device that `device_ids` of
    the grid says.

    ```mlir
    %0 = shard.process_linear_index on @mesh : index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$grid);
  let results = (outs Index:$result);
  let assemblyFormat = "`on` $grid attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::shard::GridOp":$grid)>];
}

def Shard_NeighborsLinearIndicesOp
    : Shard_Op<"neighbors_linear_indices",
               [Pure, Shard_UsesGrid, Shard_NamesResults]> {
  let summary = "the linear indices of the two neighbours along an axis";
  let description = [{
    Of the device whose coordinates are `device`: the linear index of the device
    before it and of the one behind it along the one axis in `split_axes`; -1
    where there is none. On a grid of shape 10x20x30, the neighbours of (1, 2, 3)
    along axis 1 are (1, 1, 3) = 633 and (1, 3, 3) = 693.

    ```mlir
    %down, %up = shard.neighbors_linear_indices on @mesh[%i, %j] split_axes = [1] : index, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$grid,
                       Variadic<Index>:$device,
                       Shard_GridAxesAttr:$split_axes);
  let results = (outs Index:$neighbor_down, Index:$neighbor_up);
  let assemblyFormat = [{
    `on` $grid `[` $device `]` `split_axes` `=` $split_axes
    attr-dict `:` type(results)
  }];
}

#endif // SHARD_IR_SHARDGRIDOPS_TD
