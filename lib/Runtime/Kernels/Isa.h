//===- Isa.h - The forms of the kernel by instructions ----------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocking of each form, and how a function is compiled for it. A template with the
// parameter `Isa` is inlined into three functions, one a form.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_KERNELS_ISA_H
#define SHARD_LIB_RUNTIME_KERNELS_ISA_H

#include "shard/Runtime/Kernels/Contraction.h"

#if defined(__x86_64__) && defined(__clang__)
#define SHARD_X86_VARIANTS 1
#define SHARD_TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#define SHARD_TARGET_AVX512                                                    \
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c")))
#else
#define SHARD_X86_VARIANTS 0
#endif

namespace shard {

/// Register blocking: a tile of `rows` x `vectors` vectors of `bytes` bytes, or `dots` dot
/// products.
struct Baseline {
  static constexpr int rows = 4, vectors = 2, bytes = 16, dots = 2;
};
struct Avx2 {
  static constexpr int rows = 6, vectors = 2, bytes = 32, dots = 4;
};
struct Avx512 {
  static constexpr int rows = 8, vectors = 2, bytes = 64, dots = 16;
};

/// Cache blocking, in elements of the summed, row and column dimensions. Terms of a block of
/// `kBlockK` are summed before they are added to C, in every form but that of skinny products.
constexpr int64_t kBlockK = 256, kBlockM = 96, kBlockN = 1024;

} // namespace shard

#endif // SHARD_LIB_RUNTIME_KERNELS_ISA_H
