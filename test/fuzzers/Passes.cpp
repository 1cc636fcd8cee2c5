//===- Passes.cpp - Changed programs through the pipelines -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The first byte of an input is the number of a pipeline, the rest a program.
//
//===----------------------------------------------------------------------===//

#include "Target.h"

using namespace shard::fuzz;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  return mutateTokens(data, size, most, seed, 1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  registerPasses();
  std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  bool parsed;
  demand(runStages(nextContext(), text,
                   {pipelines()[data[0] % pipelines().size()]}, parsed));
  // Only valid programs are worth changing further.
  return parsed ? 0 : -1;
}
