//===- Parser.cpp - Any text through parser and verifier -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

using namespace shard::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *, size_t, size_t);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, most);
  return mutateTokens(data, size, most, seed, 0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  bool parsed;
  demand(runStages(nextContext(), text, {}, parsed));
  return 0;
}
