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
        positive coefficients (`c_0 * d_0 + c_1 * d_1`); a constant alone stands
        for a dimension that no loop indexes and that is therefore replicated.
        Maps of operands may add a constant to the sum: such a dimension is a
        window (LoopTable.h), as `d_0 - 1` is of what is padded by one element.
      }],
      "::llvm::SmallVector<::mlir::AffineMap>", "getShardingMaps", (ins), "",
      [{
        return ::llvm::SmallVector<::mlir::AffineMap>(
            $_op->getNumOperands() + $_op->getNumResults());
      }]>,
    InterfaceMethod<[{
        What `getShardingLoops` and `getShardingMaps` return, in one call. By default it
        calls the two; a model that computes both from one description need not do so twice.
      }],
      "::shard::LoopsAndMaps", "getLoopsAndMaps", (ins), "",
      [{ return ::shard::askLoopsAndMaps($_op.getOperation()); }]>,
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
        Whether an elementwise op commutes with reductions of kind `kind` of tensor operand
        `operand`: `f(reduce(x, y)) = reduce(f(x), f(y))`, to the bit, whatever x and y are, if
        the other operands are the same on all devices and each element of the result depends
        on one element of the operand. An example is arith.truncf and a maximum. By default
        false. Sums that getPartialRule lets pass need not be told again.
      }],
      "bool", "commutesWith", (ins "::shard::ReductionKind":$kind, "unsigned":$operand), "",
      "return false;">,
    InterfaceMethod<[{
        The number of the first operand that is a destination combined into the
        results (operand firstInit + i into result i), or -1.
      }],
      "int32_t", "getFirstInit", (ins), "", "return -1;">,
    InterfaceMethod<[{
        Whether the op makes its one tensor out of nothing, at no cost, so that
        each user may get a copy of its own in the sharding that it wants. By
        default true of constants (the trait ConstantLike).
      }],
      "bool", "isCreator", (ins), "",
      [{ return ::shard::isConstantTensor($_op.getOperation()); }]>,
    InterfaceMethod<[{
        Whether each user of the result may get an op of its own, in the sharding
        that it wants. By default true of creators. Also true of ops that
        compute elements from their places alone, such as a count or a mask: they cost
        less to repeat than to send. Such ops are no creators, because a part of
        their result is not what the same op makes of a smaller type.
      }],
      "bool", "isMadeForEachUser", (ins), "",
      [{ return ::shard::isCreator($_op.getOperation()); }]>,
    InterfaceMethod<[{
        Whether the op may stop the machine on some elements of its operands, for
        instance a division by zero, where the padding of an uneven dimension may
        be any element. Padding is trimmed from the operands of such ops. By
        default true of ops that are not speculatable, and of ops with regions if
        it is true of an op in them.
      }],
      "bool", "mayTrapOnPadding", (ins), "",
      [{ return ::shard::mayTrapByEffects($_op.getOperation()); }]>,
    InterfaceMethod<[{
        Whether each element of the results is computed from those elements of the
        operands that the maps say, by a rule that does not depend on the place.
        Such an op works on blocks with explicit offsets as they are. Where all maps
        are identities it also works on blocks with halos, if all of its tensors have
        the same. By default true of elementwise ops that
        no element may stop (mayTrapOnPadding): what a halo has beyond the edge of
        the tensor may be any element.
      }],
      "bool", "isPointwise", (ins), "",
      [{ return ::shard::isHarmlessElementwise($_op.getOperation()); }]>,
    InterfaceMethod<[{
        The element that counts as the one at each place outside of tensor operand
        `operand` that a window of it reaches: an attribute or a scalar that does
        not depend on the place. Null, the default, if no window leaves the tensor, and
        if it does not matter what is there.
      }],
      "::mlir::OpFoldResult", "getWindowFill", (ins "unsigned":$operand), "",
      "return {};">,
    InterfaceMethod<[{
        Whether each element of result 0 is the element of operand 0 that the maps
        say, or the fill (getWindowFill) outside of the operand, and there is no
        other tensor: padding and slices. Windows of the result are then cut out of
        the operand, which saves an exchange of halos.
      }],
      "bool", "isView", (ins), "", "return false;">,
    InterfaceMethod<[{
        Which elements of dimension `dim` of result 0, of static extent, may be others than
        one fill. Halos of the result are sent these elements only. By default all.
      }],
      "::shard::Spread", "getElementSpread", (ins "unsigned":$dim), "", "return {};">,
    InterfaceMethod<[{
        Whether `partition` is right where loops grow (PartitionContext::grown), so that
        the device computes iterations in front of its block and behind it too: local
        types come from localResultType, places from loopBlock, and nothing else is said
        of the block. False by default.
      }],
      "bool", "computesBeyondBlock", (ins), "", "return false;">,
    InterfaceMethod<[{
        Whether the form of the op on a device says nothing of the sizes of the axes that
        split its loops: such loops are split by axes of unknown size too, if nothing is
        exchanged along them. By default true of elementwise ops and of ops with indexing
        maps.
      }],
      "bool", "hasFormOfAnySize", (ins), "",
      [{ return ::shard::saysNothingOfSizes($_op.getOperation()); }]>,
    InterfaceMethod<[{
        What a user could write instead, where tensor operand `operand` cannot be split
        along dimension `dim`: the end of the remark that tells of the gather. Empty, the
        default, if there is nothing to say.
      }],
      "::std::string", "getSplitAdvice", (ins "unsigned":$operand, "unsigned":$dim), "",
      "return {};">,
    InterfaceMethod<[{
        The tensor, of the type of result 0, that result 0 is with its elements moved around
        one dimension, whatever operands these come through: slices of a tensor, two or
        more, that are joined in another order. Propagation then passes shardings between
        both as if they were one, because devices of one layout exchange what moves, and
        nothing else. Null, the default, if there is none.
      }],
      "::mlir::Value", "getRolledTensor", (ins), "", "return {};">,
    InterfaceMethod<[{
        How many operations on elements one iteration of all loops takes; the cost of
        the op is this times the extents of its loops (docs/Cost.md). By default the
        number of elementwise ops in its regions, or 1 if it is elementwise itself;
        casts and ops on indices do not count.
      }],
      "int64_t", "getFlopsPerIteration", (ins), "",
      [{ return ::shard::countFlops($_op.getOperation()); }]>,
    InterfaceMethod<[{
        Whether result 0 is the memory of operand 0, or a part of it, and nothing is
        copied. By default true of casts.
      }],
      "bool", "isAlias", (ins), "",
      [{ return ::shard::isCast($_op.getOperation()); }]>,
    InterfaceMethod<[{
        Whether the op reads single elements of tensor operand `operand`, at
        places that are computed at run time. If the operand is split, each
        execution of the op sends a message.
      }],
      "bool", "readsSingleElements", (ins "unsigned":$operand), "",
      "return false;">,
    InterfaceMethod<[{
        Whether tensor operand `operand` is wanted whole if the op is in a loop
        and the operand is not: it is then gathered once, in front of the loop.
        By default true of operands of which single elements are read, because
        one gather is less than one message per iteration.
      }],
      "bool", "isWholeInLoops", (ins "unsigned":$operand), "",
      [{ return ::shard::readsSingleElements($_op.getOperation(), operand); }]>,
    InterfaceMethod<[{
        Whether the elements of tensor operand `operand` are extents of the
        results, as the shape of a tensor.reshape. The verification of SPMD
        programs then requires the elements to be the same on all devices
        wherever the extents have to be.
      }],
      "bool", "isShapeOperand", (ins "unsigned":$operand), "",
      "return false;">,
    InterfaceMethod<[{
        Numbers for what loops and maps follow from besides the op itself, its types and its
        operands of integers: what makes its tensors. Ops with other numbers
        are not like it, and have a loop table of their own. By default none.
      }],
      "::llvm::SmallVector<int64_t>", "getFactsOfOperands", (ins), "",
      "return {};">,
    InterfaceMethod<[{
        Whether the op may decide itself which loops it is split by. If not, which
        is the default, `getShardingOption` is never asked.
        The answer must not depend on shardings: it is kept for all equal ops.
      }],
      "bool", "decidesOption", (ins), "", "return false;">,
    InterfaceMethod<[{
        Which loops the op is to be split by, if it decides this itself; asked
        only where `decidesOption` is true. Of the
        option only `loops` counts; the partial rule says the rest. `operand(i)`
        is the sharding in which operand i comes, `result(i)` that in which
        result i is wanted; a sharding without dimensions stands for what is no
        ranked tensor and for operands that are made to order. Propagation and
        partition both ask: the answer must be the same for the same shardings,
        and again the same if the operands come as it asks for.
        No value, the default, leaves the choice to `chooseOption`, which takes
        the cheapest; so does an option that `isValidOption` refuses.

        Source: the mesh RFC's method of this name.
      }],
      "::std::optional<::shard::ShardingOption>", "getShardingOption",
      (ins "const ::shard::Grid &":$grid,
           "::llvm::function_ref<::shard::Sharding(unsigned)>":$operand,
           "::llvm::function_ref<::shard::Sharding(unsigned)>":$result),
      "", "return ::std::nullopt;">,
    InterfaceMethod<[{
        Annotates the operands and the results of the op with the shardings that
        `option` asks of them, on the grid named `grid`. Results are annotated
        without the axes under which the op leaves them partial. The default
        builds one shard.shard per ranked tensor. A `shard.loops` hint on an op is
        turned into annotations by this method.

        Source: the mesh RFC's method of this name.
      }],
      "void", "setShardingAnnotations",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::StringRef":$grid,
           "const ::shard::ShardingOption &":$option),
      "",
      [{
        ::shard::annotateByOption($_op.getOperation(), builder, grid, option);
      }]>,
    InterfaceMethod<[{
        Builds the per-device form of the op at the builder's insertion point.
        `operands` are the local operands, resharded to what `context.option`
        asks of them; of dimensions over which a split loop slides they are the
        window of the device's iterations. `results` receives one local value per result, sharded as
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
