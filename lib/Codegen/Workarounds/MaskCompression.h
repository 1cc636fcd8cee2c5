//===- MaskCompression.h - Masks that are never written ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fault: the pass x86-compress-evex of LLVM 22.1.8 replaces `vpmovd2m` and the `kmovd` of
// its mask by `vmovmskps` if nothing else reads the mask. An instruction that reads the
// mask and writes its result to the same register (`kshiftrb $2, %k0, %k0`) does not count
// as a reader, and reads a mask that was never written. So elements of i1 are wrong on
// processors with AVX-512DQ, depending on how registers are assigned
// (test/Codegen/Workarounds/mask-compression.test).
//
// Workaround: behind each `vpmovd2m` stands a reader of its mask that emits no code. That
// pass then leaves the instruction as it is.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_WORKAROUNDS_MASKCOMPRESSION_H
#define SHARD_LIB_CODEGEN_WORKAROUNDS_MASKCOMPRESSION_H

#include "llvm/Target/TargetMachine.h"

namespace shard::codegen {

/// While an object lives, code that this thread generates for `machine` keeps its masks.
class KeepMasks {
public:
  explicit KeepMasks(const llvm::TargetMachine &machine);
  ~KeepMasks();
};

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_WORKAROUNDS_MASKCOMPRESSION_H
