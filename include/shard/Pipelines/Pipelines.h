//===- Pipelines.h - Named pipelines ----------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PIPELINES_PIPELINES_H
#define SHARD_PIPELINES_PIPELINES_H

#include "shard/Transforms/Transforms.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace shard {

struct SpmdPipelineOptions {
  PropagationOptions propagation;
  PartitionOptions partition;
  /// False: tosa ops are propagated and partitioned by models of their own, and
  /// stay.
  bool lowerTosa = true;
  /// Iterations of a stencil that one exchange of halos serves (shard-widen-halos); 0:
  /// as many as the prediction likes best (shard-choose-halo-steps).
  unsigned haloSteps = 1;
  /// Run shard-decompose-collectives and shard-overlap-collectives at the end.
  bool overlap = false;
  /// Microseconds that the first has to save and the second has to hide.
  double decomposeMinGain = 1;
  double overlapMinGain = 1;
  /// Cut all collectives that can be cut into so many parts, whatever memory that takes
  /// (shard-split-collectives); 0: as the memory of a device asks.
  int64_t splitParts = 0;
};

/// The first half of buildSpmdPipeline, up to propagation: negative padding becomes slices,
/// tosa ops are lowered to linalg and tensor unless `lowerTosa` is off, stencils are unrolled,
/// and each value gets its sharding. For a pass manager on modules.
void buildPropagationPipeline(mlir::OpPassManager &manager,
                              const SpmdPipelineOptions &options = {});

/// From a program with hints to the program of one device: buildPropagationPipeline,
/// partition, then buildOptimizeCollectivesPipeline. For a pass manager on modules.
/// Pipeline `shard-spmd`.
void buildSpmdPipeline(mlir::OpPassManager &manager,
                       const SpmdPipelineOptions &options = {});

/// For partitioned programs: shard-fold-collectives, which drops what is there twice,
/// then the passes that move, join and split collectives, these with the option
/// `splitParts` of SpmdPipelineOptions. Pipeline `shard-optimize-collectives`.
void buildOptimizeCollectivesPipeline(mlir::OpPassManager &manager,
                                      int64_t splitParts = 0);

} // namespace shard

#endif // SHARD_PIPELINES_PIPELINES_H
