//===- CallSplit.h - A callee for each way of calling it --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A private function that several calls reach would tie the shardings of all its
// callers together. Before propagation each call gets its own copy; afterwards
// copies that came out alike are one function again, so what stays is one copy
// per distinct calling sharding. Copies of copies are bounded: a module grows to
// at most twice its ops, what would go beyond is shared as before.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_CALLSPLIT_H
#define SHARD_LIB_TRANSFORMS_CALLSPLIT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace shard {

class CallSplit {
public:
  void split(mlir::ModuleOp module);
  void merge(mlir::ModuleOp module);

private:
  struct Copy {
    mlir::func::FuncOp function;
    mlir::func::CallOp call;
  };
  /// The original with its first call, then the copies. Callers come before their
  /// callees.
  using Family = llvm::SmallVector<Copy, 2>;
  std::vector<Family> families;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_CALLSPLIT_H
