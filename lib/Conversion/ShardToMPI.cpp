//===- ShardToMPI.cpp - Pass convert-shard-to-mpi -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization gives each collective a private function, which calls the runtime and
// has a mark that says what the collective is. Here the body of that function becomes
// loops and messages.
//
//===----------------------------------------------------------------------===//

#include "MpiCollectives.h"

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace shard;
using namespace shard::conversion;

namespace shard {
#define GEN_PASS_DEF_CONVERTSHARDTOMPI
#include "shard/Conversion/Passes.h.inc"
} // namespace shard

namespace {

class Lowering {
public:
  explicit Lowering(ModuleOp module)
      : module(module), rewriter(module.getContext()) {}

  LogicalResult run();

private:
  /// The grid of a mark or an op; an error unless its size is known.
  FailureOr<GridOp> staticGrid(Operation *op, FlatSymbolRefAttr symbol);
  FailureOr<MpiEmitter> emitterFor(Operation *op, const CollectiveMark &mark,
                                   Type element);
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerQuestion(func::CallOp call, const CollectiveMark &mark);
  LogicalResult lowerFunction(func::FuncOp function,
                              const CollectiveMark &mark);
  LogicalResult lowerMessages();
  LogicalResult lowerExchange(func::CallOp send, const CollectiveMark &sent,
                              func::CallOp receive,
                              const CollectiveMark &received);
  LogicalResult lowerMessage(func::CallOp call, const CollectiveMark &mark);
  std::optional<CollectiveMark> markOfCallee(func::CallOp call);
  func::CallOp receiveBehind(func::CallOp send, const CollectiveMark &mark);
  LogicalResult checkMarks();
  void eraseUnused();

  ModuleOp module;
  IRRewriter rewriter;
  SymbolTableCollection symbols;
};

} // namespace

FailureOr<GridOp> Lowering::staticGrid(Operation *op,
                                       FlatSymbolRefAttr symbol) {
  GridOp grid = symbol ? getGrid(op, symbol, symbols) : GridOp();
  if (!grid)
    return op->emitOpError() << "refers to no grid of the module";
  if (ShapedType::isDynamicShape(grid.getShape())) {
    InFlightDiagnostic diagnostic =
        mlir::emitError(op->getLoc())
        << "a collective or process op on " << symbol
        << ", which has axes of unknown size: messages need the number of "
           "devices when they are compiled; give every axis of the grid a size";
    diagnostic.attachNote(grid.getLoc()) << "the grid is here";
    return failure();
  }
  return grid;
}

FailureOr<MpiEmitter>
Lowering::emitterFor(Operation *op, const CollectiveMark &mark, Type element) {
  FailureOr<GridOp> grid = staticGrid(op, mark.grid);
  if (failed(grid))
    return failure();
  return MpiEmitter(rewriter, op, *grid, groupAxes(mark), element, symbols);
}

LogicalResult Lowering::lowerOp(Operation *op) {
  rewriter.setInsertionPoint(op);
  if (isa<GridOp>(op))
    return success();
  if (isa<AllReduceOp, UpdateHaloOp>(op))
    return lowerMemRefForm(rewriter, op, symbols, "convert-shard-to-mpi");
  if (isProcessOp(op)) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    return failed(staticGrid(op, symbol))
               ? failure()
               : lowerProcessOp(rewriter, op, symbols, BackEnd::Mpi);
  }
  // Handles of the compiler that nothing refers to.
  if (isa<ShardingOp, GetShardingOp>(op) && op->use_empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
      !isa<ShardOp>(op) && op->hasAttr("grid"))
    return op->emitOpError("is on tensors: run one-shot-bufferize before "
                           "convert-shard-to-mpi");
  return op->emitOpError("has no lowering");
}

/// The number of devices, or a cut of a dynamic dimension, which divides evenly by
/// contract.
LogicalResult Lowering::lowerQuestion(func::CallOp call,
                                      const CollectiveMark &mark) {
  rewriter.setInsertionPoint(call);
  auto emitter = emitterFor(call, mark, rewriter.getIndexType());
  if (failed(emitter))
    return failure();
  MpiEmitter &e = *emitter;
  if (mark.name == "group_size") {
    rewriter.replaceOp(call, e.groupSize());
    return success();
  }
  Value extent = call.getOperands().back();
  Value divides = e.equal(e.rem(extent, e.groupSize()), e.index(0));
  cf::AssertOp::create(
      e.b, divides,
      "at " + describeLocation(call.getLoc()) +
          ": a dynamic dimension is cut over a group of devices that does not "
          "divide it; state uneven_dynamic on the grid (--uneven-dynamic), or "
          "give a static extent");
  rewriter.replaceOp(call, e.div(extent, e.groupSize()));
  return success();
}

LogicalResult Lowering::lowerFunction(func::FuncOp function,
                                      const CollectiveMark &mark) {
  mlir::Block &block = function.getBody().front();
  while (!block.empty())
    rewriter.eraseOp(&block.back());
  rewriter.setInsertionPointToStart(&block);
  auto type = cast<MemRefType>(function.getArgument(0).getType());
  auto emitter = emitterFor(function, mark, type.getElementType());
  if (failed(emitter))
    return failure();
  // update_halo has one buffer.
  size_t numBuffers = mark.name == "update_halo" ? 1 : 2;
  auto dynamic = ValueRange(function.getArguments()).drop_front(numBuffers);
  SmallVector<MpiEmitter::Values> arguments =
      markedArguments(*emitter, mark, dynamic);
  emitMpiCollective(*emitter, mark, function.getArgument(0),
                    function.getArgument(numBuffers - 1), arguments);
  func::ReturnOp::create(emitter->b);
  return success();
}

//===----------------------------------------------------------------------===//
// send and recv
//===----------------------------------------------------------------------===//

std::optional<CollectiveMark> Lowering::markOfCallee(func::CallOp call) {
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  return function ? readMark(function) : std::nullopt;
}

/// The recv that stands behind a send over the same axes in its block, with no other
/// communication between them; null if there is none.
func::CallOp Lowering::receiveBehind(func::CallOp send,
                                     const CollectiveMark &mark) {
  for (Operation *op = send->getNextNode(); op; op = op->getNextNode()) {
    bool calls = op->walk([](func::CallOp) {
                     return WalkResult::interrupt();
                   }).wasInterrupted();
    if (!calls)
      continue;
    auto call = dyn_cast<func::CallOp>(op);
    std::optional<CollectiveMark> other =
        call ? markOfCallee(call) : std::nullopt;
    if (other && other->name == "all_slice")
      continue;
    bool fits = other && other->name == "recv" && other->grid == mark.grid &&
                other->axes == mark.axes;
    return fits ? call : func::CallOp();
  }
  return {};
}

/// Every device of the group sends one message and receives one.
LogicalResult Lowering::lowerExchange(func::CallOp send,
                                      const CollectiveMark &sent,
                                      func::CallOp receive,
                                      const CollectiveMark &received) {
  Value input = send.getOperand(0), result = receive.getOperand(0);
  Type element = cast<MemRefType>(input.getType()).getElementType();
  // The input may change behind the send.
  rewriter.setInsertionPoint(send);
  auto first = emitterFor(send, sent, element);
  if (failed(first))
    return failure();
  BufferBox in = first->whole(input);
  Value count = first->product(in.sizes);
  Value words = first->words(count);
  first->pack(in, words, in.sizes);
  Value to = first->positionOf(
      markedArguments(*first, sent, send.getOperands().drop_front())[0]);

  rewriter.setInsertionPoint(receive);
  auto second = emitterFor(receive, received, element);
  if (failed(second))
    return failure();
  Value from = second->positionOf(markedArguments(
      *second, received, receive.getOperands().drop_front())[0]);
  BufferBox out = second->whole(result);
  Value arrived = second->words(count);
  second->exchange(words, arrived, from, to, count);
  second->unpack(arrived, out.sizes, out);
  second->release(arrived);
  second->release(words);
  rewriter.eraseOp(send);
  rewriter.eraseOp(receive);
  return success();
}

/// A message of one device: where a branch of the program decides who sends and who
/// receives.
LogicalResult Lowering::lowerMessage(func::CallOp call,
                                     const CollectiveMark &mark) {
  bool sends = mark.name == "send";
  if (isa<func::FuncOp>(call->getParentOp()) && sends)
    return mlir::emitError(call.getLoc())
           << "'shard.send' op is run by all devices, and no shard.recv over "
              "the same axes follows it before other communication: mpi.send "
              "may wait for the receiver forever; put the shard.recv behind "
              "it, or use shard.shift or shard.permute";
  rewriter.setInsertionPoint(call);
  Value buffer = call.getOperand(0);
  auto emitter = emitterFor(
      call, mark, cast<MemRefType>(buffer.getType()).getElementType());
  if (failed(emitter))
    return failure();
  MpiEmitter &e = *emitter;
  BufferBox box = e.whole(buffer);
  Value words = e.words(e.product(box.sizes));
  Value place = e.positionOf(
      markedArguments(e, mark, call.getOperands().drop_front())[0]);
  if (sends) {
    e.pack(box, words, box.sizes);
    e.send(words, place);
  } else {
    e.receive(words, place);
    e.unpack(words, box.sizes, box);
  }
  e.release(words);
  rewriter.eraseOp(call);
  return success();
}

LogicalResult Lowering::lowerMessages() {
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) { calls.push_back(call); });
  llvm::SmallPtrSet<Operation *, 4> done;
  for (func::CallOp call : calls) {
    if (done.contains(call))
      continue;
    std::optional<CollectiveMark> mark = markOfCallee(call);
    if (!mark || (mark->name != "send" && mark->name != "recv"))
      continue;
    if (mark->name == "recv" && mark->arguments[0].empty() &&
        !mark->axes.empty())
      return mlir::emitError(call.getLoc())
             << "'shard.recv' op names no source, and the mpi dialect cannot "
                "receive from any: give it a source";
    func::CallOp receive =
        mark->name == "send" ? receiveBehind(call, *mark) : func::CallOp();
    std::optional<CollectiveMark> other =
        receive ? markOfCallee(receive) : std::nullopt;
    if (other && !(other->arguments[0].empty() && !other->axes.empty())) {
      done.insert(receive);
      if (failed(lowerExchange(call, *mark, receive, *other)))
        return failure();
    } else if (failed(lowerMessage(call, *mark))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The text of a program may hold any mark.
LogicalResult Lowering::checkMarks() {
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    std::optional<CollectiveMark> mark = readMark(op);
    if (!mark)
      return WalkResult::advance();
    FailureOr<GridOp> grid = staticGrid(op, mark->grid);
    if (failed(grid))
      return WalkResult::interrupt();
    int64_t rank = (*grid).getShape().size();
    if (auto function = dyn_cast<func::FuncOp>(op))
      return WalkResult(checkMark(function, *mark, rank));
    auto call = dyn_cast<func::CallOp>(op);
    bool asks = call && llvm::all_of(mark->axes, [&](int64_t axis) {
                  return axis >= 0 && axis < rank;
                });
    bool cuts = mark->name == "divide_extent";
    if (asks && (cuts || mark->name == "group_size") &&
        call.getNumOperands() == (cuts ? 3 : 2) && call.getNumResults() == 1 &&
        call.getResult(0).getType().isIndex() &&
        call.getOperands().back().getType().isIndex())
      return WalkResult::advance();
    op->emitOpError() << "has an attribute \"" << kCollectiveMark
                      << "\" that does not fit it; only bufferization makes "
                         "such calls";
    return WalkResult::interrupt();
  });
  return success(!walked.wasInterrupted());
}

/// What the calls of the runtime needed.
void Lowering::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || !symbol.isPrivate())
      continue;
    StringRef name = symbol.getName();
    bool isOurs = name.starts_with("__shard_") || name.starts_with("shard_rt_");
    if (isOurs && SymbolTable::symbolKnownUseEmpty(&op, module))
      op.erase();
  }
}

LogicalResult Lowering::run() {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa_and_nonnull<ShardDialect>(op->getDialect()))
      ops.push_back(op);
  });
  // Users first, so that handles without a use are seen as such.
  for (Operation *op : llvm::reverse(ops))
    if (failed(lowerOp(op)))
      return failure();
  if (failed(checkMarks()) || failed(lowerMessages()))
    return failure();
  SmallVector<std::pair<Operation *, CollectiveMark>> marked;
  module.walk([&](Operation *op) {
    if (std::optional<CollectiveMark> mark = readMark(op))
      marked.emplace_back(op, *mark);
  });
  for (auto &[op, mark] : marked) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (failed(lowerQuestion(call, mark)))
        return failure();
    } else if (mark.name == "send" || mark.name == "recv") {
      rewriter.eraseOp(op); // their calls are gone
    } else if (failed(lowerFunction(cast<func::FuncOp>(op), mark))) {
      return failure();
    }
  }
  // Messages end before the function of a collective returns.
  module.walk([](func::CallOp call) {
    if (call.getCallee() == "shard_rt_wait")
      call.erase();
  });
  eraseGridsAndAttributes(module);
  eraseUnused();
  return success();
}

LogicalResult shard::convertShardToMPI(ModuleOp module) {
  SymbolTableCollection symbols;
  if (failed(verifyPartitioned(module)) ||
      failed(expandShardShapes(module, symbols)))
    return failure();
  return Lowering(module).run();
}

namespace {
struct ConvertShardToMPIPass
    : public shard::impl::ConvertShardToMPIBase<ConvertShardToMPIPass> {
  void runOnOperation() override {
    if (failed(convertShardToMPI(getOperation())))
      signalPassFailure();
  }
};
} // namespace
