//===- LoopExchanges.cpp - What split loops exchange ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/ShardingOption.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shard {

SmallVector<LoopExchange, 1> exchangesOf(const LoopTable &table,
                                         const ShardingOption &option,
                                         Type element) {
  SmallVector<LoopExchange, 1> exchanges;
  for (auto [number, split] : llvm::enumerate(table.loops)) {
    if (split.exchanges == 0 || option.loops[number].empty())
      continue;
    SmallVector<int64_t> shape;
    Sharding complete;
    for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops)) {
      if (&loop == &split)
        continue;
      shape.push_back(loop.extent);
      complete.dims.push_back(axes);
    }
    Sharding partial = complete;
    partial.partial = option.loops[number];
    exchanges.push_back({unsigned(number), split.exchanges,
                         RankedTensorType::get(shape, element), partial,
                         complete});
  }
  return exchanges;
}

} // namespace shard
