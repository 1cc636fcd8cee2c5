//===- Collectives.h - What one collective sends --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes are those that the runtime counts (Runtime/Report.h), to the byte; the
// prover compares both in every program. The time is that of the planner's cost
// model: latency + bytes / bandwidth.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_COST_COLLECTIVES_H
#define SHARD_COST_COLLECTIVES_H

#include "shard/IR/ShardOps.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shard {

/// The bytes that each device of a group sends: all of them `base`, those at the
/// positions in `more` so many more (or less).
struct SentBytes {
  int64_t base = 0;
  std::map<int64_t, int64_t> more;

  /// Adds `times` times `other`; false if a number does not fit.
  bool add(const SentBytes &other, int64_t times);
  /// What the device sends that sends most, in a group of `groupSize`.
  int64_t most(int64_t groupSize) const;
};

struct CollectiveCost {
  /// The name of the op without dialect, "all_gather".
  std::string kind;
  /// -1 where an extent is not known.
  std::vector<int64_t> gridShape;
  /// As the runtime names the group: of a permute all axes that it names.
  std::vector<int64_t> axes;
  std::string location;
  /// 0 if unknown.
  int64_t groupSize = 0;
  /// The calls of the runtime for one execution of the op; nothing if unknown.
  std::optional<int64_t> calls;
  /// In one execution of the op; nothing where it depends on what is known only when
  /// the program runs.
  std::optional<SentBytes> sent;
  /// Rounds in which a device sends: k - 1 of a ring of k devices.
  int64_t steps = 0;
};

/// The bytes of a value of `type` in the memory of a device; nothing if an extent is
/// dynamic or the type has no such form. Elements take whole bytes.
std::optional<int64_t> bytesOfType(mlir::Type type);

/// What `op` costs; nothing if it is no collective, or moves nothing between devices
/// by its kind (all_slice).
std::optional<CollectiveCost>
costOfCollective(mlir::Operation *op, mlir::SymbolTableCollection &symbols);

/// The same of an op that need not be in a module: its grid is `grid`.
std::optional<CollectiveCost> costOfCollective(mlir::Operation *op,
                                               GridOp grid);

} // namespace shard

#endif // SHARD_COST_COLLECTIVES_H
