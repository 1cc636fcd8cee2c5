//===- Ops.cpp - What hints may be about, in C ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace shard;
using namespace shard::capi;

/// Whether `op` makes its value of scalars or of nothing.
static bool isFree(Operation *op) {
  return isa<linalg::FillOp, tensor::EmptyOp, tensor::SplatOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

static void printLocation(Location location, llvm::json::OStream &os) {
  os.attributeArray("names", [&] {
    location->walk([&](Location part) {
      if (auto name = dyn_cast<NameLoc>(part))
        os.value(llvm::json::fixUTF8(name.getName().getValue()));
      return WalkResult::advance();
    });
  });
  os.attributeArray("places", [&] {
    location->walk([&](Location part) {
      if (auto file = dyn_cast<FileLineColRange>(part))
        os.array([&] {
          os.value(llvm::json::fixUTF8(file.getFilename().getValue()));
          os.value(file.getStartLine());
          os.value(file.getStartColumn());
        });
      return WalkResult::advance();
    });
  });
}

static void printResult(OpResult result, RankedTensorType type,
                        const llvm::MapVector<Operation *, unsigned> &ops,
                        llvm::json::OStream &os) {
  os.object([&] {
    os.attribute("number", result.getResultNumber());
    std::string text;
    llvm::raw_string_ostream(text) << type;
    os.attribute("type", text);
    os.attribute("rank", type.getRank());
    os.attributeArray("users", [&] {
      for (Operation *user : result.getUsers()) {
        const auto *found = ops.find(user);
        os.value(found == ops.end() ? int64_t(-1)
                                    : int64_t(found - ops.begin()));
      }
    });
  });
}

void shardProgramPrintOps(ShardProgram handle, MlirStringCallback callback,
                          void *userData) {
  auto typeOf = [](OpResult result) {
    return dyn_cast<RankedTensorType>(result.getType());
  };
  /// The ops with tensors as results, and how many ops of their name come before.
  llvm::MapVector<Operation *, unsigned> ops;
  llvm::DenseMap<OperationName, unsigned> counts;
  get(handle)->entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned number = counts[op->getName()]++;
    if (llvm::any_of(op->getResults(), typeOf))
      ops.insert({op, number});
  });
  printTo(callback, userData, [&](llvm::raw_ostream &stream) {
    llvm::json::OStream os(stream);
    os.array([&] {
      for (const auto &entry : ops)
        os.object([&] {
          Operation *op = entry.first;
          os.attribute("op", op->getName().getStringRef());
          os.attribute("number", entry.second);
          printLocation(op->getLoc(), os);
          os.attribute("free", isFree(op));
          os.attributeArray("results", [&] {
            for (OpResult result : op->getResults())
              if (RankedTensorType type = typeOf(result))
                printResult(result, type, ops, os);
          });
        });
    });
  });
}
