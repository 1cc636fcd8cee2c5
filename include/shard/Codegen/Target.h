//===- Target.h - The processor that code is generated for -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instructions compiled programs may use is a choice, so that code for any
// processor can be tested on one machine that has them all.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_TARGET_H
#define SHARD_CODEGEN_TARGET_H

#include "shard/Runtime/Kernels/Contraction.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace shard {

/// The environment variable that CpuTarget::cpu is taken from where it is empty.
inline constexpr const char *cpuVariable = "SHARD_CPU";

struct CpuTarget {
  /// `native` (the processor of this machine with all it can do), a level of the
  /// x86-64 psABI (`x86-64`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4`), or any other
  /// processor that LLVM knows for the triple. Empty: the value of $SHARD_CPU; if that
  /// is not set, `native` for this machine's triple and `generic` for others.
  std::string cpu;
  /// The LLVM target triple, such as `aarch64-linux-gnu`. Empty: this machine's.
  /// Code for another triple can be generated and not run.
  std::string triple;
};

/// The target machine of `target`, with position-independent code and the small
/// code model, at LLVM's code generation level `level` (0 to 3). `toRun`: the
/// code will run in this process. Fails for an unknown triple or processor,
/// and if `toRun` is set for one whose instructions this machine lacks.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CpuTarget &target, unsigned level, bool toRun);

/// The best form of the contraction kernel that code for `machine` may call.
ContractionIsa contractionIsaOf(const llvm::TargetMachine &machine);

} // namespace shard

#endif // SHARD_CODEGEN_TARGET_H
