//===- Target.h - What the libFuzzer targets share -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_FUZZERS_TARGET_H
#define SHARD_TEST_FUZZERS_TARGET_H

#include "../../tools/shard-mutate/Stages.h"
#include "../../tools/shard-mutate/TextMutation.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace shard::fuzz {

/// A context for the next input; a new one now and then, so that uniqued storage
/// does not pile up.
inline mlir::MLIRContext &nextContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % 500 == 0)
    context = makeWideContext();
  return *context;
}

/// Ends the process if `outcome` is a failure: what libFuzzer calls a crash.
inline void demand(const Outcome &outcome) {
  if (!isFailure(outcome.verdict))
    return;
  llvm::errs() << "failure: " << outcome.message << "\n";
  std::abort();
}

/// Changes tokens instead of bytes, behind the first `skip` bytes.
inline size_t mutateTokens(uint8_t *data, size_t size, size_t most,
                           unsigned seed, size_t skip) {
  static const Vocabulary vocabulary;
  if (size < skip)
    return size;
  Random random(seed);
  if (skip > 0 && random.chance(20))
    data[0] = uint8_t(random.next());
  std::string text(reinterpret_cast<char *>(data) + skip, size - skip);
  text = mutateText(text, random, vocabulary);
  size_t length = std::min(text.size(), most - skip);
  std::memcpy(data + skip, text.data(), length);
  return skip + length;
}

} // namespace shard::fuzz

#endif // SHARD_TEST_FUZZERS_TARGET_H
