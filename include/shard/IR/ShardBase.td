//===- ShardBase.td - The shard dialect and its type -------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDBASE_TD
#define SHARD_IR_SHARDBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Shard_Dialect : Dialect {
  let name = "shard";
  let cppNamespace = "::shard";
  let summary = "Sharding of tensors over a grid of devices, and collectives";
  let description = [{
    A **grid** is an n-dimensional arrangement of devices; its dimensions are
    **axes**. A **sharding** says, for each dimension of a tensor, which axes
    split it, and under which axes the value is partial; every other axis
    replicates it. **Collectives** change how a value is spread.

    The text is a superset of that of the `shard` dialect of LLVM 22: what that
    one parses and verifies reads and prints here to the same text, except for
    the cases that docs/Rejected.md lists. The C++ namespace is `::shard`.

    ```mlir
    shard.grid @mesh(shape = 2x4) axes ["data", "model"]
    func.func @f(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@mesh, [["data"], [?]]>})
        -> tensor<8x8xf32> {
      %0 = shard.constraint %a to <@mesh, [["data"], ["model"]]> : tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }
    ```

    Discardable attributes of the dialect:

    * `shard.sharding`, a `#shard.sharding`, on arguments and results of
      functions and on ops of one result: the sharding that the value shall have;
    * `shard.loops`, a `#shard.sharding` whose entries stand for the loops of the
      op instead of dimensions, on any op: the axes that split each loop;
    * `shard.local`, a `#shard.local`, on arguments and results of partitioned
      functions: the global type and the sharding that the local type came from;
    * `shard.windows`, an array of `array<i64>`, on `shard.update_halo`: what devices read
      of the halos, so that no more is sent (`shard/IR/HaloWindows.h`);
    * `shard.propagate`, a string, on `shard.constraint`: a barrier for propagation (see
      there);
    * `shard.halo_steps`, an i64, on a loop: for how many iterations one exchange of halos
      serves (`shard-widen-halos`), which marks ops by `shard.recompute`;
    * `shard.step`, a string, on `shard.shard`: the one step of the planner that leads from
      the sharding of its source to that of its result (`shard-materialize-reshards`);
    * `shard.machine`, a dictionary, on `shard.grid`: the figures of the devices, from
      which times are predicted (docs/Cost.md).
  }];

  // The canonicalizer materializes index and splat constants.
  let dependentDialects = ["::mlir::arith::ArithDialect"];

  // ShardDialect.h has short names for those of the generated helpers.
  let discardableAttrs = (ins
    "::shard::ShardingAttr":$sharding,
    "::shard::ShardingAttr":$loops,
    "::shard::LocalAttr":$local,
    "::mlir::DictionaryAttr":$machine
  );

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Shard_ShardingType : TypeDef<Shard_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "the sharding of a tensor as a value";
  let description = [{
    What `shard.sharding` defines and `shard.shard` takes. A handle that exists
    at compile time only: no type conversion gives it a run-time form.

    ```mlir
    %s = shard.sharding @mesh split_axes = [[0], [1]] : !shard.sharding
    ```
  }];
  let assemblyFormat = "";
}

class Shard_Op<string mnemonic, list<Trait> traits = []>
    : Op<Shard_Dialect, mnemonic, traits>;

// Axis lists of the SSA form and of collectives: numbers, outermost first.
def Shard_GridAxesAttr
    : DenseArrayAttrBase<"DenseI16ArrayAttr", "int16_t", "i16">;

def Shard_NamesResults
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;
def Shard_UsesGrid : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

#endif // SHARD_IR_SHARDBASE_TD
