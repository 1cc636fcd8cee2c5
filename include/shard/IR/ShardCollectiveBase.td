//===- ShardCollectiveBase.td - What collectives have in common -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_IR_SHARDCOLLECTIVEBASE_TD
#define SHARD_IR_SHARDCOLLECTIVEBASE_TD

include "shard/IR/ShardAttrs.td"

// The value of an op within one device group along `grid_axes`, outermost
// first. Without `grid_axes` every device is a group of its own.
class Shard_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Shard_Op<mnemonic,
               !listconcat(traits, [Shard_UsesGrid, Shard_NamesResults])> {
  dag commonArgs = (ins
    FlatSymbolRefAttr:$grid,
    DefaultValuedAttr<Shard_GridAxesAttr, "{}">:$grid_axes
  );
}

def Shard_HasMemoryForm
    : DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;
def Shard_SpeculatableOnTensors
    : DeclareOpInterfaceMethods<ConditionallySpeculatable>;

defvar Shard_DefaultReduction = "::shard::ReductionKind::Sum";

#endif // SHARD_IR_SHARDCOLLECTIVEBASE_TD
