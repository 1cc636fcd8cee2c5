//===- shard-c/Dialect.h - The dialect and its passes, in C -------*- C -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For bindings of other compilers: the handle of the dialect for MLIR's C API,
// registration of its models and passes, and access to its attributes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_C_DIALECT_H
#define SHARD_C_DIALECT_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the dialect `shard`: mlirGetDialectHandle__shard__().
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Shard, shard);

/// Adds the dialect, and the sharding models of the ops of linalg, tensor, arith,
/// math, tosa and scf, to `registry`. A context whose programs are partitioned
/// needs both.
MLIR_CAPI_EXPORTED void shardRegisterModels(MlirDialectRegistry registry);

/// Registers the passes and pipelines of the project (docs/generated), for textual
/// pass pipelines. Call it once per process.
MLIR_CAPI_EXPORTED void shardRegisterPasses(void);

/// Whether `attr` is a #shard.sharding.
MLIR_CAPI_EXPORTED bool shardAttributeIsASharding(MlirAttribute attr);
/// The symbol of its grid, without the `@`.
MLIR_CAPI_EXPORTED MlirStringRef shardShardingGetGrid(MlirAttribute sharding);
/// The number of dimensions that it speaks of.
MLIR_CAPI_EXPORTED intptr_t shardShardingGetRank(MlirAttribute sharding);
/// Whether propagation may add axes to dimension `dim`, 0 <= dim < rank.
MLIR_CAPI_EXPORTED bool shardShardingIsOpen(MlirAttribute sharding,
                                            intptr_t dim);
/// The number of axes that split dimension `dim`.
MLIR_CAPI_EXPORTED intptr_t shardShardingGetNumAxes(MlirAttribute sharding,
                                                    intptr_t dim);
/// Axis `index` of dimension `dim`, major first, as an attribute of the dialect.
MLIR_CAPI_EXPORTED MlirAttribute shardShardingGetAxis(MlirAttribute sharding,
                                                      intptr_t dim,
                                                      intptr_t index);

#ifdef __cplusplus
}
#endif

#endif // SHARD_C_DIALECT_H
