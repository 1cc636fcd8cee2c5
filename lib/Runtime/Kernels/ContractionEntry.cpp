//===- ContractionEntry.cpp - How compiled code reaches the kernel -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Contraction.h"

#include <cstring>
#include <vector>

using namespace shard;

bool shard::isContractionIsaSupported(ContractionIsa isa) {
#if defined(__x86_64__) && defined(__clang__)
  __builtin_cpu_init();
  if (isa == ContractionIsa::Avx512)
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq");
  if (isa == ContractionIsa::Avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c");
#endif
  return isa == ContractionIsa::Baseline;
}

ContractionIsa shard::bestContractionIsa() {
  static const ContractionIsa best = [] {
    for (ContractionIsa isa : {ContractionIsa::Avx512, ContractionIsa::Avx2})
      if (isContractionIsaSupported(isa))
        return isa;
    return ContractionIsa::Baseline;
  }();
  return best;
}

template <ContractionIsa isa>
static void contractTable(int64_t types, const void *a, const void *b, void *c,
                          int64_t numLoops, const int64_t *table) {
  auto typeAt = [types](int position) {
    return static_cast<ElementType>((types >> (8 * position)) & 0xff);
  };
  ContractionTypes operands{typeAt(0), typeAt(1), typeAt(2), typeAt(3)};
  std::vector<ContractionLoop> loops(numLoops);
  std::memcpy(loops.data(), table, numLoops * sizeof(ContractionLoop));
  contract(operands, a, b, c, loops.data(), numLoops, isa);
}

ContractionEntry *shard::contractionEntry(ContractionIsa isa) {
  if (isa == ContractionIsa::Avx512)
    return contractTable<ContractionIsa::Avx512>;
  return isa == ContractionIsa::Avx2 ? contractTable<ContractionIsa::Avx2>
                                     : contractTable<ContractionIsa::Baseline>;
}

extern "C" void shard::shard_kernel_contract(int64_t types, const void *a,
                                             const void *b, void *c,
                                             int64_t numLoops,
                                             const int64_t *table) {
  contractionEntry(bestContractionIsa())(types, a, b, c, numLoops, table);
}
