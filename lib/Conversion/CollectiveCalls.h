//===- CollectiveCalls.h - Calls of the runtime by collectives ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description for all collectives, from which the call and the sizes of its
// result follow.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CONVERSION_COLLECTIVECALLS_H
#define SHARD_LIB_CONVERSION_COLLECTIVECALLS_H

#include "RuntimeCalls.h"

#include "mlir/IR/OpDefinition.h"

namespace shard {
namespace conversion {

/// An argument of a runtime call behind the buffers: a number, or the address
/// of words, each known or an SSA value of type index or i64.
struct CallArgument {
  bool isWords = false;
  llvm::SmallVector<mlir::OpFoldResult> values;
};

struct CollectiveCall {
  /// "all_gather": the function is shard_rt_all_gather.
  llvm::StringRef name;
  mlir::FlatSymbolRefAttr grid;
  llvm::SmallVector<int64_t> axes;
  /// Whether it computes with elements, so that their type matters.
  bool combines = false;
  bool takesInput = true;
  bool givesResult = true;
  /// The dimensions whose extent is divided, or multiplied, by the group's
  /// size; -1: none.
  int64_t cutDim = -1;
  int64_t growDim = -1;
  llvm::SmallVector<CallArgument> arguments;
};

/// The attribute of a function or call that says which collective it is, until a back
/// end is chosen: {name, grid, axes, arguments = [numbers and lists of numbers]}.
/// Numbers that are known only when the program runs stand as ShapedType::kDynamic.
constexpr llvm::StringLiteral kCollectiveMark = "shard_collective";

/// A mark, decoded.
struct CollectiveMark {
  llvm::StringRef name;
  mlir::FlatSymbolRefAttr grid;
  llvm::SmallVector<int64_t> axes;
  /// A number is a list of one. An argument that is not there has no list.
  llvm::SmallVector<llvm::SmallVector<int64_t>> arguments;
};

/// The mark of a collective over `axes`.
mlir::DictionaryAttr markOf(mlir::MLIRContext *context, llvm::StringRef name,
                            mlir::FlatSymbolRefAttr grid,
                            llvm::ArrayRef<int64_t> axes,
                            llvm::ArrayRef<CallArgument> arguments = {});

/// An error unless the mark of `function` is one that emitCollective() makes.
mlir::LogicalResult checkMark(mlir::func::FuncOp function,
                              const CollectiveMark &mark, int64_t gridRank);

/// The mark of `op`; nothing if it has none.
std::optional<CollectiveMark> readMark(mlir::Operation *op);

/// The number of a shard_rt_type for elements of `type`; 0 if there is none. Where
/// elements are only moved, not combined, any type of the right width will do.
int64_t runtimeType(mlir::Type type, bool combines);

/// The call of the runtime that `op` becomes; an error if the runtime does not have
/// such a collective.
mlir::FailureOr<CollectiveCall> describeCollective(mlir::Operation *op);

/// The sizes of the dynamic dimensions of a result of `type`, for the input
/// buffer `input`.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
resultSizes(mlir::OpBuilder &builder, mlir::Operation *op,
            const CollectiveCall &call, mlir::ShapedType type,
            mlir::Value input, mlir::SymbolTableCollection &symbols);

/// Emits the call of `op` from buffer `input` to buffer `result`; the same one
/// for an op in place, null where there is none.
mlir::LogicalResult emitCollective(mlir::OpBuilder &builder,
                                   mlir::Operation *op,
                                   const CollectiveCall &call,
                                   mlir::Value input, mlir::Value result,
                                   mlir::SymbolTableCollection &symbols);

/// Emits the call that waits until a collective from buffer `input` to buffer `result`
/// has ended.
void emitWait(mlir::OpBuilder &builder, WaitOp op, mlir::Value result,
              mlir::Value input, mlir::SymbolTableCollection &symbols);

/// Lowers the memref forms, all_reduce into fresh memory and update_halo in place, to
/// such calls. `pass` is the name of the pass that is running.
mlir::LogicalResult lowerMemRefForm(mlir::RewriterBase &rewriter,
                                    mlir::Operation *op,
                                    mlir::SymbolTableCollection &symbols,
                                    llvm::StringRef pass);

/// Emits loops that convert the elements of buffer `input` into those of
/// `result`, which has its shape; an error where no conversion is meant.
mlir::LogicalResult emitElementConversion(mlir::OpBuilder &builder,
                                          mlir::Operation *op,
                                          mlir::Value input,
                                          mlir::Value result);

} // namespace conversion
} // namespace shard

#endif // SHARD_LIB_CONVERSION_COLLECTIVECALLS_H
