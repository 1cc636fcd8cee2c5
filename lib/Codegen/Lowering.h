//===- Lowering.h - The steps of compile() ----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Codegen library. Each function is one step of the list in
// Compile.h, and reports what it cannot do at the location of the op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_LOWERING_H
#define SHARD_LIB_CODEGEN_LOWERING_H

#include "shard/Codegen/Compile.h"
#include "shard/Runtime/Kernels/Contraction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::bufferization {
struct OneShotBufferizationOptions;
} // namespace mlir::bufferization

namespace shard::codegen {

/// Loads every dialect that the steps create ops of.
void loadDialects(mlir::MLIRContext &context);

/// How often a greedy rewriter goes over the program, so that patterns that undo each
/// other come to an end.
inline constexpr int64_t kMaxRewrites = 20;

/// The attribute of a loop that tells LLVM how to vectorise it.
inline constexpr llvm::StringLiteral loopAnnotationName =
    "llvm.loop_annotation";

/// A linalg op that the contraction kernel computes.
struct MatchedContraction {
  mlir::OpOperand *a, *b, *c;
  ContractionTypes types;
  /// The matrix of a matrix-vector product, else null.
  mlir::OpOperand *matrix;
};

/// Matches an op on tensors or buffers whose body sums products of two operands,
/// with linear indexing maps, and which is a matrix product or a matrix-vector product of
/// floats, or a batch of either. Others are left to loops, which are faster there.
std::optional<MatchedContraction> matchContraction(mlir::linalg::LinalgOp op);

/// The factor of each loop in `expr`, if it is a sum of multiples of loops.
std::optional<llvm::SmallVector<int64_t>> linearFactors(mlir::AffineExpr expr,
                                                        unsigned numLoops);

/// The function called `name`, or every public function with a body if `name` is
/// empty. Reports that there is no such function.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
findEntries(mlir::ModuleOp module, llvm::StringRef name);

/// Moves the body of `entry` into a private function if the program calls `entry` too, as a
/// recursion does: `entry` then calls it. What is done where the program begins is not done
/// again by such calls.
void separateEntry(mlir::func::FuncOp entry);

/// Makes `entry` take and return tensors only: scalars become tensors of rank 0.
void wrapScalars(mlir::func::FuncOp entry);

/// Globals of ml_program become buffers that the entry makes and hands on. A
/// program with globals has one entry.
mlir::LogicalResult lowerGlobals(mlir::ModuleOp module,
                                 llvm::ArrayRef<mlir::func::FuncOp> entries);

/// Ops that have no form on buffers (gather, scatter, pack, bitcast) become others that
/// have one.
mlir::LogicalResult lowerTensorOps(mlir::ModuleOp module);

/// Blocks and branches become ops of scf.
mlir::LogicalResult liftBranches(mlir::ModuleOp module);

/// Each use of a fill or of an empty tensor gets its own.
void separateCreators(mlir::ModuleOp module);

/// Named ops and elementwise ops become linalg.generic and are fused.
mlir::LogicalResult prepareTensors(mlir::ModuleOp module);

/// Makes dense constants of those resources that the translation to LLVM IR cannot read. Fails
/// with an error where one has another size than its type.
mlir::LogicalResult readResources(mlir::ModuleOp module);

/// Reductions into f16 and bf16 are summed in f32.
void widenReductions(mlir::ModuleOp module);

/// Integer divisions, reads and writes of elements, and slices become defined for
/// every operand.
void makeTotal(mlir::ModuleOp module);

/// Gives the tensor that `operand` is, if it is one, a buffer of its own.
void copyTensor(mlir::OpOperand &operand);

/// Copies versions of tensors between which there are many updates, so that the analysis
/// of bufferization takes linear time, and removes such copies of buffers that are not used
/// any more.
void cutWriteChains(
    mlir::ModuleOp module,
    const mlir::bufferization::OneShotBufferizationOptions &options);
void joinWriteChains(mlir::ModuleOp module);

/// Tensors become buffers; arguments of `entries` are not written. Unless
/// `hosted`, every result of a function is an allocation of its own.
mlir::LogicalResult bufferize(mlir::ModuleOp module,
                              llvm::ArrayRef<mlir::func::FuncOp> entries,
                              bool hosted);

/// Ops on buffers of dynamic extents check that these fit each other.
void checkExtents(mlir::ModuleOp module);

/// Copies between buffers with gaps become linalg.generic ops.
void expandCopies(mlir::ModuleOp module);

/// Makes loops of scf.forall, which has no results any more: a device is one thread, so
/// its parallel loops run in order.
llvm::LogicalResult expandForalls(mlir::ModuleOp module);

/// Moves each linalg op on buffers that becomes a loop nest into a function of its
/// own; equal ones share one. LLVM then compiles each distinct nest once, and the
/// time of its passes, which grows faster than the size of a function, stays linear.
void outlineNests(mlir::ModuleOp module, bool kernelCalls);
inline constexpr llvm::StringLiteral nestMarker = ".nest";
/// The attribute of a function of a nest that lists the pointers, by their positions
/// among the arguments in the LLVM dialect, whose memory no other argument reaches.
inline constexpr llvm::StringLiteral unaliasedName = "unaliased";
/// The name of nest `number`, which was first met in `function`.
std::string nestName(llvm::StringRef function, unsigned number);

/// Ops of linalg on buffers become kernel calls, if `kernelCalls`, and loops.
mlir::LogicalResult lowerLinalg(mlir::ModuleOp module, bool kernelCalls);

/// Frees buffers after their last use where that is easy to prove, and at the end of
/// each iteration of a loop all others that it made and does not yield. What is left
/// lives until the run ends, when its memory is released as a whole.
void insertDeallocations(mlir::ModuleOp module);

/// Functions of the host: the number of the next buffer of the run; (number, address)
/// -> () keeps the buffer at the address, if its number is not less, in the next
/// release; (number) -> () frees all buffers from that number on that are not kept.
inline constexpr llvm::StringLiteral bufferMarkName =
    "shard_kernel_buffer_mark";
inline constexpr llvm::StringLiteral keepBufferName =
    "shard_kernel_keep_buffer";
inline constexpr llvm::StringLiteral releaseBuffersName =
    "shard_kernel_release_buffers";

/// The function that tells whether the stack of the thread has room for a call.
inline constexpr llvm::StringLiteral stackCheckName =
    "shard_kernel_stack_has_room";

/// Functions that may call themselves assert on entry that the stack has room.
void guardRecursion(mlir::ModuleOp module);

/// Scalar math ops that no lowering of MLIR knows become others.
void expandMath(mlir::ModuleOp module);

/// exp, log, tanh and erf of scalars of f32 become arithmetic.
void expandElementary(mlir::ModuleOp module);

/// Scalar arith and math ops on f16 and bf16 become ops on f32 between
/// conversions.
void expandNarrowFloats(mlir::ModuleOp module);

/// Everything becomes the LLVM dialect. If `hosted`, functions are renamed first,
/// so that a program's @exp does not stand in for the library's, and buffers come
/// from the host's allocator.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module, bool hosted,
                                llvm::StringRef mpi = {});

/// Takes large constants out of a module in the LLVM dialect. What is returned
/// holds them and has to live as long as the code.
std::vector<HostTensor> externalizeConstants(mlir::ModuleOp module);

/// Functions that every program may call, beside those of libm: what allocates buffers.
std::vector<std::pair<std::string, void *>> programSymbols();

/// What programs that run in this process may call too: runnerUtilities.
std::vector<std::pair<std::string, void *>> runSymbols();

/// The functions of MLIR's runner libraries (RunnerUtils.cpp).
std::vector<std::pair<std::string, void *>> runnerUtilities();

/// The address of the function `name` of this process, of libm say; null if it has none.
void *processSymbol(const std::string &name);

/// The symbol of function `name` after lowerToLLVM for a host.
std::string mangledName(llvm::StringRef name);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_LOWERING_H
