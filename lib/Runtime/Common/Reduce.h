//===- Reduce.h - Element-wise combination of arrays ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reductions of Runtime.h as kernels over contiguous runs of elements.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_REDUCE_H
#define SHARD_LIB_RUNTIME_COMMON_REDUCE_H

#include <cstdint>

namespace shard {
namespace runtime {

/// target[i] = sources[0][i] + sources[1][i] + ... + sources[k-1][i], combined
/// in this order, for i < n, where + is the kernel's reduction.
using ReduceKernel = void (*)(void *target, const char *const *sources,
                              int64_t k, int64_t n);

/// The kernel of a shard_rt_reduction on a shard_rt_type; null if the reduction
/// has no meaning on the type.
ReduceKernel reduceKernel(int64_t reduction, int64_t type);

/// "sum"; "?" for a number that is none.
const char *reductionName(int64_t reduction);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_REDUCE_H
