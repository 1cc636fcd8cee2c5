//===- ShardAttrs.td - Attributes of the shard dialect -----*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDATTRS_TD
#define SHARD_IR_SHARDATTRS_TD

include "shard/IR/ShardBase.td"

class Shard_Attr<string name, string attrMnemonic>
    : AttrDef<Shard_Dialect, name> {
  let mnemonic = attrMnemonic;
}

// The enumeration itself is plain C++ of the Geometry floor.
def Shard_ReductionKindParameter
    : AttrParameter<"::shard::ReductionKind", "how partial values combine">;

def Shard_ReductionKindAttr : Shard_Attr<"ReductionKind", "partial"> {
  let summary = "how the values of a device group combine";
  let description = [{
    One of `sum`, `max`, `min`, `product`, `average`, `bitwise_and`,
    `bitwise_or`, `bitwise_xor`, `umin`, `umax`, `generic`. `max` and `min` are
    signed on signless integers and propagate NaN on floats; `umax` and `umin`
    are their unsigned forms on integers; `average` is the arithmetic mean over
    the group; `generic` is an associative function that a region may give.

    ```mlir
    #shard<partial max>
    ```
  }];
  let parameters = (ins Shard_ReductionKindParameter:$value);
  let returnType = "::shard::ReductionKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::shard::ReductionKindAttr::get($_builder.getContext(), $0)";
  // A space and the keyword, as LLVM's dialect prints it.
  let hasCustomAssemblyFormat = 1;
}

def Shard_GridAxesArrayAttr : Shard_Attr<"GridAxesArray", "axisarray"> {
  let summary = "one list of axis numbers per tensor dimension";
  let description = [{
    The `split_axes` of the SSA form: entry `d` lists the axes that split
    dimension `d`, major first.

    ```mlir
    #shard<axisarray[[0], [], [2, 1]]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"GridAxesAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    size_t size() const { return getAxes().size(); }
    auto begin() const { return getAxes().begin(); }
    auto end() const { return getAxes().end(); }
  }];
}

def Shard_PartialAxesAttr : Shard_Attr<"PartialAxes", "partial_axes"> {
  let summary = "the axes under which a value is partial, by number";
  let description = [{
    Each device of a group along the axes holds one part of the value; the
    reduction `kind` over the group gives the value. Axes are sorted and none
    stands twice.

    ```mlir
    #shard.partial_axes<sum [1]>
    ```
  }];
  let parameters = (ins Shard_ReductionKindParameter:$kind,
                        ArrayRefParameter<"int16_t">:$axes);
  let extraClassDeclaration = [{
    static PartialAxesAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Shard_AxisRefAttr : Shard_Attr<"AxisRef", "axis"> {
  let summary = "an axis of a grid, or a sub-axis of it, by name or number";
  let description = [{
    A sub-axis `"x":(p)s` of an axis of size `n = p * s * q` is the part of size
    `s` that has `p` devices outside it: the axis read as `p x s x q`, row major.

    ```mlir
    #shard.axis<"model">
    #shard.axis<1>
    #shard.axis<"model":(2)2>
    ```

    Constraints:

    * exactly one of name and number; the number is not negative;
    * for a sub-axis, `p >= 1` and `s > 1`; where the grid is known, `p * s`
      divides the size of the axis and `s` is smaller than it.
  }];
  // name: null when by number. subSize: 0 for the whole axis.
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$name,
                        "int64_t":$number, "int64_t":$preSize,
                        "int64_t":$subSize);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{
      return $_get($_ctxt, ::mlir::StringAttr::get($_ctxt, name), -1, 0, 0);
    }]>,
    AttrBuilder<(ins "int64_t":$number), [{
      return $_get($_ctxt, ::mlir::StringAttr(), number, 0, 0);
    }]>
  ];
  let extraClassDeclaration = [{
    bool isSubAxis() const { return getSubSize() != 0; }
    /// As in the text: "x":(2)4 or 1.
    std::string str() const;
    static AxisRefAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;
  }];
}

def Shard_DimShardingAttr : Shard_Attr<"DimSharding", "dim"> {
  let summary = "how one dimension is split";
  let description = [{
    The axes that split the dimension, major first; whether propagation may add
    axes (`?`, the dimension is open); and the user priority `p<N>`, 0 first.

    ```mlir
    #shard.dim<["data", ?]p1>
    ```
  }];
  // priority: -1 when absent.
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes,
                        "bool":$open, "int64_t":$priority);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasPriority() const { return getPriority() >= 0; }
    static DimShardingAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::mlir::AsmPrinter &printer) const;
  }];
}

def Shard_ShardingAttr : Shard_Attr<"Sharding", "sharding"> {
  let summary = "a sharding as people write it";
  let description = [{
    The grid; per dimension of the tensor the axes that split it; optionally the
    axes under which the value is partial, those that must replicate it
    explicitly, halos, and offsets. Axes are named by name or by number. An axis
    that is not mentioned replicates the value; propagation may put it into an
    open dimension unless it is listed in `replicated`.

    ```mlir
    #shard.sharding<@mesh, [["data"], ["model", ?]]>
    #shard.sharding<@mesh, [[]p1, []], partial = sum ["data"], replicated = ["model"]>
    #shard.sharding<@mesh, [["model":(2)2], []], halo = [1, 1]>
    #shard.sharding<@mesh, [["data"], []], offsets = [0, 3, 8]>
    ```

    `halo` has two widths, low and high, per split dimension; `offsets` has, for
    each split dimension, the n + 1 bounds of its n blocks, 0 first, the extent
    last.

    Constraints:

    * no axis stands twice, no two sub-axes overlap, in split, partial and
      replicated axes together;
    * where the tensor is known: one entry per dimension;
    * where the grid is known: every axis exists;
    * halo widths are not negative; halo and offsets exclude each other.
  }];
  // partial_kind: null when there are no partial axes.
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$grid,
    ArrayRefParameter<"DimShardingAttr">:$dims,
    OptionalParameter<"::shard::ReductionKindAttr">:$partialKind,
    OptionalArrayRefParameter<"AxisRefAttr">:$partialAxes,
    OptionalArrayRefParameter<"AxisRefAttr">:$replicatedAxes,
    OptionalArrayRefParameter<"int64_t">:$halos,
    OptionalArrayRefParameter<"int64_t">:$offsets
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilderWithInferredContext<(ins "::mlir::FlatSymbolRefAttr":$grid,
        "::llvm::ArrayRef<::shard::DimShardingAttr>":$dims), [{
      return $_get(grid.getContext(), grid, dims, ::shard::ReductionKindAttr(),
                   ::llvm::ArrayRef<::shard::AxisRefAttr>(),
                   ::llvm::ArrayRef<::shard::AxisRefAttr>(),
                   ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>());
    }]>
  ];
}

def Shard_LocalAttr : Shard_Attr<"Local", "local"> {
  let summary = "the global type and sharding of a local value";
  let description = [{
    Set by partition, under the name `shard.local`, on arguments and results of
    partitioned functions. The type of the argument or result is the local type
    of `type` under `sharding`.

    ```mlir
    func.func private @f(tensor<4x8xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@mesh, [[0], []]>>})
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$type,
                        "::shard::ShardingAttr":$sharding);
  let assemblyFormat = "`<` $type `,` $sharding `>`";
}

#endif // SHARD_IR_SHARDATTRS_TD
