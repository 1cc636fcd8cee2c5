//===- SeededFaults.cpp - The faults of this build ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeededFaults.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

namespace shard::fuzz {

llvm::ArrayRef<SeededFault> seededFaults() {
#ifdef SHARD_SEEDED_FAULTS
  static const SeededFault faults[] = {
#include "SeededFaults.inc"
  };
  return faults;
#else
  return {};
#endif
}

bool seedFault(llvm::StringRef name) {
  return llvm::is_contained(
             llvm::map_range(seededFaults(),
                             [](const SeededFault &f) { return f.name; }),
             name) &&
         setenv("SHARD_SEEDED_FAULT", name.str().c_str(), /*overwrite=*/1) == 0;
}

} // namespace shard::fuzz
