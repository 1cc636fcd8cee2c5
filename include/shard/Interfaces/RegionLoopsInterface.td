//===- RegionLoopsInterface.td - Loops of a region ----------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_REGIONLOOPSINTERFACE_TD
#define SHARD_INTERFACES_REGIONLOOPSINTERFACE_TD

include "mlir/IR/OpBase.td"

def Shard_RegionLoopsInterface : OpInterface<"RegionLoopsInterface"> {
  let cppNamespace = "::shard";
  let description = [{
    For loops, such as scf.forall, whose iterations insert slices into shared
    tensors. The op has one region of one block, whose last arguments are the
    shared tensors; the results of the op are what these are in the end. The
    terminator has the InParallelOpInterface, and the insertions in it have the
    ParallelCombiningOpInterface. Which dimensions of a shared tensor
    can be split follows from the insertions: those that every insertion takes
    whole. Each device then runs all iterations on its part of these dimensions.
  }];

  let methods = [
    InterfaceMethod<[{
        Whether the other methods may be called: all shared tensors are ranked,
        and nothing but insertions of slices writes to them.
      }],
      "bool", "hasRegionLoops", (ins)>,
    InterfaceMethod<[{
        The operands that the shared tensors start from.
      }],
      "::mlir::MutableOperandRange", "getSharedTensors", (ins)>,
    InterfaceMethod<[{
        From shared tensor `number`, operand 0 of the table, to the block argument
        and the result that stand for it, results 0 and 1: one loop for each
        dimension that all insertions take whole.
      }],
      "::shard::LoopTable", "getSharedTensorLoops", (ins "unsigned":$number)>,
    InterfaceMethod<[{
        The operand of `insertion` that is the inserted slice.
      }],
      "::mlir::OpOperand &", "getInsertedSlice",
      (ins "::mlir::Operation *":$insertion)>,
    InterfaceMethod<[{
        From the slice, operand 0 of the table, to the destination of `insertion`,
        result 0: one loop for each dimension that is taken whole.
      }],
      "::shard::LoopTable", "getInsertionLoops",
      (ins "::mlir::Operation *":$insertion)>,
    InterfaceMethod<[{
        Builds the per-device form of `insertion` at the builder's insertion
        point. `operands` are the local operands; the destination has the sharding
        `destination`.
      }],
      "void", "buildLocalInsertion",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$insertion,
           "::llvm::ArrayRef<::mlir::Value>":$operands,
           "const ::shard::Sharding &":$destination)>,
    InterfaceMethod<[{
        Replaces the op, which is erased, by loops that run the iterations one
        after the other, and returns the loops' results. The ops of the body are moved
        into the loops, not copied. Partition does so with the per-device form if
        collectives are left in it: all devices must reach these in one order.
      }],
      "::llvm::SmallVector<::mlir::Value>", "makeSequential",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // SHARD_INTERFACES_REGIONLOOPSINTERFACE_TD
