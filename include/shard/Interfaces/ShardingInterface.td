//===- ShardingInterface.td - What an op tells about sharding -*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_SHARDINGINTERFACE_TD
#define SHARD_INTERFACES_SHARDINGINTERFACE_TD

include "mlir/IR/OpBase.td"

def Shard_ShardingInterface : OpInterface<"ShardingInterface"> {
  let cppNamespace = "::shard";
  let description = [{
    What propagation and partition need to know of an op: its loops, and how the
    loops index its tensor operands and results (LoopTable.h). Most ops override
    `getShardingLoops` and `getShardingMaps` and inherit the rest. An op without
    the interface gets replicated operands and results, and one remark.

    Source: the mesh RFC of MLIR ("Sharding framework design for device mesh"),
    whose methods of the same purpose are getLoopIteratorTypes and
    getIndexingMaps.
  }];

  let methods = [
    InterfaceMethod<[{
        The loops of the op with their global extents. A matmul of MxK by KxN
        returns {parallel(M), parallel(N), reduce(K, sum)}.
      }],
      "::llvm::SmallVector<::shard::Loop>", "getShardingLoops", (ins), "",
      "return {};">,
    InterfaceMethod<[{
        One map from loops to dimensions per operand, then one per result; a null
        map for what is not a ranked tensor. Results are sums of loops with
        positive coefficients (`c_0 * d_0 + c_1 * d_1`); a constant stands for a
        dimension that no loop indexes and that is therefore replicated.
      }],
      "::llvm::SmallVector<::mlir::AffineMap>", "getShardingMaps", (ins), "",
      [{
        return ::llvm::SmallVector<::mlir::AffineMap>(
            $_op->getNumOperands() + $_op->getNumResults());
      }]>,
    InterfaceMethod<[{
        How the summands of result `result` combine when a reduction loop is
        split; by default the kind of the first reduction loop.
      }],
      "::shard::ReductionKind", "getResultReduction", (ins "unsigned":$result),
      "",
      [{ return ::shard::firstReductionKind($_op.getOperation()); }]>,
    InterfaceMethod<[{
        What the op does to partial operands; by default they are reduced first.
      }],
      "::shard::PartialRule", "getPartialRule", (ins), "",
      "return ::shard::PartialRule::None;">,
    InterfaceMethod<[{
        The number of the first operand that is a destination combined into the
        results (operand firstInit + i into result i), or -1.
      }],
      "int32_t", "getFirstInit", (ins), "", "return -1;">,
    InterfaceMethod<[{
        Builds the per-device form of the op at the builder's insertion point.
        `operands` are the local operands, resharded to what `context.option`
        asks of them; `results` receives one local value per result, sharded as
        context.result(i) says. The default clones the op with local types, which
        is right for every op whose loops are all that ties its dimensions
        together. Errors are emitted at the op's location.
      }],
      "::llvm::LogicalResult", "partition",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$operands,
           "::shard::PartitionContext &":$context,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results),
      "",
      [{
        return ::shard::partitionByCloning($_op.getOperation(), builder, operands,
                                           context, results);
      }]>
  ];

  let extraClassDeclaration = [{
    /// Prints the loops and maps, one line each; for --shard-print-loops.
    void printLoopTypesAndIndexingMaps(::llvm::raw_ostream &os);
  }];
}

#endif // SHARD_INTERFACES_SHARDINGINTERFACE_TD
