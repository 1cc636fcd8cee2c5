//===- LocalSharding.cpp - The sharding of a local value ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardingUtils.h"

using namespace mlir;

namespace shard {

FailureOr<LocalSharding> resolveLocal(FunctionOpInterface function,
                                      LocalAttr local,
                                      SymbolTableCollection &symbols) {
  LocalSharding result;
  result.grid = getGrid(function, local.getSharding().getGrid(), symbols);
  if (!result.grid)
    return function.emitError() << "names a grid that is not there";
  FailureOr<Grid> sizes = staticGrid(result.grid);
  if (failed(sizes))
    return result.grid.emitError() << "has an axis of unknown size";
  FailureOr<ResolvedSharding> resolved =
      resolve(local.getSharding(), result.grid, local.getType(),
              [&] { return function.emitError(); });
  if (failed(resolved))
    return failure();
  FailureOr<Sharding> sharding = toSharding(*resolved);
  if (failed(sharding))
    return function.emitError()
           << "states a sharding with sub-axes after partition";
  result.sizes = std::move(*sizes);
  result.sharding = std::move(*sharding);
  return result;
}

} // namespace shard
