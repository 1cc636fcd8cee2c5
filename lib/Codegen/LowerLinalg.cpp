//===- LowerLinalg.cpp - Kernel calls and loops for linalg ops ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopOrder.h"
#include "Lowering.h"

#include "Workarounds/NumberReductions.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

namespace {

/// Emits the code of one op at a time, in place.
class LinalgLowering {
public:
  LinalgLowering(ModuleOp module, bool kernelCalls)
      : module(module), kernelCalls(kernelCalls), builder(module.getContext()) {
  }

  LogicalResult lower(linalg::LinalgOp op) {
    builder.setInsertionPoint(op);
    std::optional<MatchedContraction> contraction;
    if (kernelCalls)
      contraction = matchContraction(op);
    if (contraction)
      emitContraction(op, *contraction);
    else
      emitLoops(op);
    op->erase();
    return success();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value extentOf(Value buffer, unsigned dim) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!type.isDynamicDim(dim))
      return index(type.getDimSize(dim));
    return memref::DimOp::create(builder, loc, buffer, dim);
  }

  /// The extent of each loop of `op`.
  SmallVector<Value> loopExtents(linalg::LinalgOp op) {
    SmallVector<Value> extents(op.getNumLoops());
    SmallVector<int64_t> known = op.getStaticLoopRanges();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!ShapedType::isDynamic(known[loop]))
        extents[loop] = index(known[loop]);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          if (!extents[loop.getPosition()])
            extents[loop.getPosition()] = extentOf(operand.get(), dim);
    }
    if (llvm::all_of(extents, [](Value extent) { return extent != nullptr; }))
      return extents;
    // The extent of a loop that occurs in windows only is computed by linalg.
    SmallVector<Range> ranges = op.createLoopRanges(builder, loc);
    for (auto [extent, range] : llvm::zip(extents, ranges))
      if (!extent)
        extent = getValueOrCreateConstantIndexOp(builder, loc, range.size);
    return extents;
  }

  void emitContraction(linalg::LinalgOp op, const MatchedContraction &match);
  void emitLoops(linalg::LinalgOp op);

  /// Emits `op`'s body at the point `ivs`. The values of the outputs are
  /// `carried` where given, else loaded. Returns the yielded values.
  SmallVector<Value> emitBody(linalg::LinalgOp op, ValueRange ivs,
                              ValueRange carried);
  SmallVector<Value> indicesOf(linalg::LinalgOp op, OpOperand &operand,
                               ValueRange ivs);
  void storeResults(linalg::LinalgOp op, ValueRange ivs, ValueRange values);
  SmallVector<Value> loadOutputs(linalg::LinalgOp op, ValueRange ivs);
  void emitReductionNest(linalg::LinalgOp op, ArrayRef<unsigned> loops,
                         ArrayRef<Value> extents, MutableArrayRef<Value> ivs,
                         SmallVector<Value> &carried);
  Value stackBuffer(Operation *op, MemRefType type);
  void emitTransposed(linalg::LinalgOp op, ArrayRef<unsigned> outer,
                      const TransposedReads &reads, ArrayRef<Value> extents);

  /// The kernel's table of extents and steps, where all are constants.
  std::optional<SmallVector<int64_t>>
  constantTable(linalg::LinalgOp op, const MatchedContraction &match);
  Value globalTable(ArrayRef<int64_t> values);

  /// The buffers that hold blocks of operands, and where the element of the point at hand
  /// is in them.
  DenseMap<OpOperand *, Value> copied;
  SmallVector<Value> copiedAt;

  ModuleOp module;
  bool kernelCalls;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  Value zero, one;
  /// The names of the constant tables by what they hold.
  std::map<std::vector<int64_t>, std::string> tables;
};

Value LinalgLowering::stackBuffer(Operation *op, MemRefType type) {
  // In the function's entry block: an alloca in a loop would grow the stack.
  OpBuilder::InsertionGuard guard(builder);
  auto function = op->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  return memref::AllocaOp::create(builder, loc, type,
                                  builder.getI64IntegerAttr(64));
}

std::optional<SmallVector<int64_t>>
LinalgLowering::constantTable(linalg::LinalgOp op,
                              const MatchedContraction &match) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<int64_t> table(4 * numLoops);
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    table[4 * loop] = extent;
  }
  OpOperand *operands[] = {match.a, match.b, match.c};
  for (auto [number, operand] : llvm::enumerate(operands)) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = cast<MemRefType>(operand->get().getType());
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return std::nullopt;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [stride, expr] : llvm::zip_equal(strides, map.getResults())) {
      SmallVector<int64_t> factors = *linearFactors(expr, numLoops);
      for (unsigned loop = 0; loop < numLoops; ++loop)
        table[4 * loop + number + 1] += stride * factors[loop];
    }
  }
  return table;
}

Value LinalgLowering::globalTable(ArrayRef<int64_t> values) {
  auto type = MemRefType::get({int64_t(values.size())}, builder.getI64Type());
  std::string &name = tables[values.vec()];
  if (name.empty()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    name = "__shard_loops_" + std::to_string(tables.size());
    memref::GlobalOp::create(builder, loc, name,
                             builder.getStringAttr("private"), type,
                             builder.getI64TensorAttr(values),
                             /*constant=*/true, /*alignment=*/{});
  }
  return memref::GetGlobalOp::create(builder, loc, type, name);
}

void LinalgLowering::emitContraction(linalg::LinalgOp op,
                                     const MatchedContraction &match) {
  loc = op.getLoc();
  unsigned numLoops = op.getNumLoops();
  // A table of constants costs LLVM nothing; stores make its passes slow where
  // many contractions follow one another.
  std::optional<SmallVector<int64_t>> known = constantTable(op, match);
  SmallVector<Value> extents = known ? SmallVector<Value>() : loopExtents(op);
  Type i64 = builder.getI64Type();
  Value table =
      known && numLoops > 0
          ? globalTable(*known)
          : stackBuffer(op,
                        MemRefType::get({std::max(1, int(4 * numLoops))}, i64));
  SmallVector<Value> pointers;
  SmallVector<SmallVector<Value>> steps;
  for (OpOperand *operand : {match.a, match.b, match.c}) {
    Value buffer = operand->get();
    auto type = cast<MemRefType>(buffer.getType());
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value base =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    Value width = index(byteWidth(*getElementType(type.getElementType())));
    Value bytes =
        arith::MulIOp::create(builder, loc, metadata.getOffset(), width);
    pointers.push_back(arith::AddIOp::create(builder, loc, base, bytes));
    if (known)
      continue;
    SmallVector<Value> operandSteps(numLoops, index(0));
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      SmallVector<int64_t> factors = *linearFactors(expr, numLoops);
      for (unsigned loop = 0; loop < numLoops; ++loop) {
        if (!factors[loop])
          continue;
        Value step = arith::MulIOp::create(
            builder, loc, metadata.getStrides()[dim], index(factors[loop]));
        operandSteps[loop] =
            arith::AddIOp::create(builder, loc, operandSteps[loop], step);
      }
    }
    steps.push_back(operandSteps);
  }
  for (unsigned loop = 0; !known && loop < numLoops; ++loop) {
    Value entries[4] = {extents[loop], steps[0][loop], steps[1][loop],
                        steps[2][loop]};
    for (unsigned i = 0; i < 4; ++i) {
      Value entry = arith::IndexCastOp::create(builder, loc, i64, entries[i]);
      memref::StoreOp::create(builder, loc, entry, table,
                              ValueRange{index(4 * loop + i)});
    }
  }
  auto code = [](ElementType type, int position) {
    return static_cast<int64_t>(type) << (8 * position);
  };
  int64_t types = code(match.types.a, 0) | code(match.types.b, 1) |
                  code(match.types.c, 2) | code(match.types.accumulator, 3);
  Type indexType = builder.getIndexType();
  StringRef kernel = "shard_kernel_contract";
  if (!module.lookupSymbol(kernel)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto function = func::FuncOp::create(
        builder, loc, kernel,
        builder.getFunctionType(
            {i64, indexType, indexType, indexType, i64, indexType}, {}));
    function.setPrivate();
  }
  Value typesValue = arith::ConstantIntOp::create(builder, loc, types, 64);
  Value count = arith::ConstantIntOp::create(builder, loc, numLoops, 64);
  Value tablePointer =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, table);
  func::CallOp::create(builder, loc, kernel, TypeRange{},
                       ValueRange{typesValue, pointers[0], pointers[1],
                                  pointers[2], count, tablePointer});
}

SmallVector<Value> LinalgLowering::indicesOf(linalg::LinalgOp op,
                                             OpOperand &operand,
                                             ValueRange ivs) {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(affine::expandAffineExpr(builder, loc, expr, ivs, {}));
  return indices;
}

SmallVector<Value> LinalgLowering::loadOutputs(linalg::LinalgOp op,
                                               ValueRange ivs) {
  SmallVector<Value> values;
  for (OpOperand &init : op.getDpsInitsMutable())
    values.push_back(memref::LoadOp::create(builder, loc, init.get(),
                                            indicesOf(op, init, ivs)));
  return values;
}

void LinalgLowering::storeResults(linalg::LinalgOp op, ValueRange ivs,
                                  ValueRange values) {
  for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(builder, loc, value, init.get(),
                            indicesOf(op, init, ivs));
}

SmallVector<Value> LinalgLowering::emitBody(linalg::LinalgOp op, ValueRange ivs,
                                            ValueRange carried) {
  IRMapping mapping;
  mlir::Block *body = op.getBlock();
  unsigned numInputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    if (!arg || arg.use_empty())
      continue;
    unsigned number = operand.getOperandNumber();
    if (number >= numInputs && !carried.empty())
      mapping.map(arg, carried[number - numInputs]);
    else if (auto it = copied.find(&operand); it != copied.end())
      mapping.map(arg,
                  memref::LoadOp::create(builder, loc, it->second, copiedAt));
    else if (isa<MemRefType>(operand.get().getType()))
      mapping.map(arg, memref::LoadOp::create(builder, loc, operand.get(),
                                              indicesOf(op, operand, ivs)));
    else
      mapping.map(arg, operand.get());
  }
  for (Operation &inner : body->without_terminator()) {
    if (auto indexOp = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(indexOp.getResult(), ivs[indexOp.getDim()]);
      continue;
    }
    Operation *clone = builder.clone(inner, mapping);
    clone->walk([&](linalg::IndexOp indexOp) {
      indexOp.replaceAllUsesWith(ivs[indexOp.getDim()]);
      indexOp.erase();
    });
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

/// Lets LLVM reorder the sums and products of reductions, so that it vectorises
/// them. Returns whether there are any.
bool allowReassociation(ValueRange yielded, ValueRange carried) {
  bool any = false;
  for (auto [value, accumulator] : llvm::zip(yielded, carried)) {
    Operation *combiner = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddFOp, arith::MulFOp>(combiner) ||
        !llvm::is_contained(combiner->getOperands(), accumulator))
      continue;
    any = true;
    auto fast = cast<arith::ArithFastMathInterface>(combiner);
    combiner->setAttr(
        fast.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(combiner->getContext(),
                                      fast.getFastMathFlagsAttr().getValue() |
                                          arith::FastMathFlags::reassoc));
  }
  return any;
}

/// How many partial sums a vectorised reduction has.
constexpr int64_t partialSums = 8;

/// Fixes how LLVM vectorises `loop`. Otherwise the number of partial sums, and with
/// it the rounding of the result, would depend on the processor.
void fixPartialSums(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  Builder builder(context);
  auto vectorize = LLVM::LoopVectorizeAttr::get(
      context, /*disable=*/builder.getBoolAttr(false), {}, {},
      /*width=*/builder.getI32IntegerAttr(partialSums), {}, {}, {});
  auto interleave =
      LLVM::LoopInterleaveAttr::get(context, builder.getI32IntegerAttr(1));
  loop->setAttr(loopAnnotationName,
                LLVM::LoopAnnotationAttr::get(context, {}, vectorize,
                                              interleave, {}, {}, {}, {}, {},
                                              {}, {}, {}, {}, {}, {}, {}));
}

void LinalgLowering::emitReductionNest(linalg::LinalgOp op,
                                       ArrayRef<unsigned> loops,
                                       ArrayRef<Value> extents,
                                       MutableArrayRef<Value> ivs,
                                       SmallVector<Value> &carried) {
  if (loops.empty()) {
    ArrayRef<Value> outputs =
        ArrayRef<Value>(carried).take_front(op.getNumDpsInits());
    SmallVector<Value> results =
        emitBody(op, SmallVector<Value>(ivs.begin(), ivs.end()), outputs);
    if (allowReassociation(results, outputs))
      fixPartialSums(cast<scf::ForOp>(builder.getBlock()->getParentOp()));
    NumberReductions(op).step(builder, loc, carried, results);
    carried = results;
    return;
  }
  auto loop = scf::ForOp::create(builder, loc, zero, extents[loops.front()],
                                 one, carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ivs[loops.front()] = loop.getInductionVar();
  SmallVector<Value> inner(loop.getRegionIterArgs().begin(),
                           loop.getRegionIterArgs().end());
  emitReductionNest(op, loops.drop_front(), extents, ivs, inner);
  scf::YieldOp::create(builder, loc, inner);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

void LinalgLowering::emitTransposed(linalg::LinalgOp op,
                                    ArrayRef<unsigned> outer,
                                    const TransposedReads &reads,
                                    ArrayRef<Value> extents) {
  SmallVector<Value> ivs(op.getNumLoops());
  auto enter = [&](Value extent, Value step) -> Value {
    auto loop = scf::ForOp::create(builder, loc, zero, extent, step);
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  for (unsigned loop : outer)
    if (loop != reads.written && loop != reads.read)
      ivs[loop] = enter(extents[loop], one);
  // What is left of the extent at the beginning of a block.
  auto restOf = [&](unsigned loop, Value begin, Value size) -> Value {
    // The number that stands for a dynamic extent is a multiple of any block.
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (!ShapedType::isDynamic(extent) && extent % reads.size == 0)
      return size;
    Value rest = arith::SubIOp::create(builder, loc, extents[loop], begin);
    return arith::MinSIOp::create(builder, loc, size, rest);
  };
  Value size = index(reads.size);
  Value beginWritten = enter(extents[reads.written], size);
  Value beginRead = enter(extents[reads.read], size);
  Value numWritten = restOf(reads.written, beginWritten, size);
  Value numRead = restOf(reads.read, beginRead, size);
  auto moveTo = [&](Value written, Value read) {
    ivs[reads.written] =
        arith::AddIOp::create(builder, loc, beginWritten, written);
    ivs[reads.read] = arith::AddIOp::create(builder, loc, beginRead, read);
    copiedAt = {read, written};
  };
  for (OpOperand *operand : reads.operands) {
    Type element = cast<MemRefType>(operand->get().getType()).getElementType();
    Value buffer =
        stackBuffer(op, MemRefType::get({reads.size, reads.size}, element));
    OpBuilder::InsertionGuard guard(builder);
    Value written = enter(numWritten, one), read = enter(numRead, one);
    moveTo(written, read);
    Value value = memref::LoadOp::create(builder, loc, operand->get(),
                                         indicesOf(op, *operand, ivs));
    memref::StoreOp::create(builder, loc, value, buffer, copiedAt);
    copied[operand] = buffer;
  }
  Value read = enter(numRead, one), written = enter(numWritten, one);
  moveTo(written, read);
  storeResults(op, ivs, emitBody(op, ivs, {}));
  copied.clear();
}

void LinalgLowering::emitLoops(linalg::LinalgOp op) {
  loc = op.getLoc();
  SmallVector<Value> extents = loopExtents(op);
  LoopOrder order = chooseOrder(op);
  zero = index(0);
  one = index(1);
  if (std::optional<TransposedReads> reads = findTransposedReads(op, order))
    return emitTransposed(op, order.outer, *reads, extents);
  SmallVector<Value> ivs(op.getNumLoops());
  for (unsigned loop : order.outer) {
    auto forOp = scf::ForOp::create(builder, loc, zero, extents[loop], one);
    builder.setInsertionPointToStart(forOp.getBody());
    ivs[loop] = forOp.getInductionVar();
  }
  if (order.carried.empty()) {
    storeResults(op, ivs, emitBody(op, ivs, {}));
    return;
  }
  // The loads and stores outside the reduction must not read loops' variables
  // that do not exist there: outputs do not depend on them.
  SmallVector<Value> outside = ivs;
  for (Value &iv : outside)
    if (!iv)
      iv = zero;
  SmallVector<Value> outputs = loadOutputs(op, outside);
  NumberReductions reductions(op);
  SmallVector<Value> carried = reductions.begin(builder, loc, outputs);
  emitReductionNest(op, order.carried, extents, ivs, carried);
  storeResults(op, outside, reductions.end(builder, loc, outputs, carried));
}

} // namespace

LogicalResult codegen::lowerLinalg(ModuleOp module, bool kernelCalls) {
  expandCopies(module);
  if (failed(expandForalls(module)))
    return failure();
  SmallVector<linalg::LinalgOp> ops;
  WalkResult walked = module.walk([&](linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics()) {
      op.emitError("operates on tensors after bufferization");
      return WalkResult::interrupt();
    }
    ops.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  Operation *taken = module.lookupSymbol("shard_kernel_contract");
  if (kernelCalls && taken && !ops.empty())
    return taken->emitError(
        "has the name of the kernel that the lowering calls; "
        "rename it");
  LinalgLowering lowering(module, kernelCalls);
  for (linalg::LinalgOp op : ops)
    if (failed(lowering.lower(op)))
      return failure();
  return success();
}
