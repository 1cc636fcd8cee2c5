//===- Makers.h - The makers of ops in random programs ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A maker is a function that writes one kind of op: with operands that it finds in
// scope or makes, and with its results added to the scope. It returns false, having
// written nothing that matters, where the scope has nothing for it.
//
// Each dialect registers its makers with weights, in a function that
// registerAllMakers calls. docs/Fuzzing.md says how to add one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_MAKERS_H
#define SHARD_FUZZ_MAKERS_H

#include "shard/Fuzz/ProgramBuilder.h"

#include <array>

namespace shard::fuzz {

using Maker = bool (*)(ProgramBuilder &program);

/// Which programs choose a maker.
enum class MakerGroup {
  Ops,         ///< exact values: straight-line code
  Control,     ///< exact values: regions, branches and calls
  Real,        ///< real numbers of any float type
  RealWide,    ///< real numbers, f32 only
  RealControl, ///< real numbers: regions, branches and calls
  Dynamic,     ///< exact values with dynamic dimensions
  DynamicReal, ///< real numbers with dynamic dimensions
  // Families of ops, exact values. A program of a family has few ops, on arguments that
  // are split along most axes.
  Windows,    ///< ops that need halos
  Reshapes,   ///< dimensions that are merged and taken apart
  Packs,      ///< tiles
  Places,     ///< elements and slices at places that are known
  Reductions, ///< reductions with any init
  Loops,      ///< regions that run several times
  Elements,   ///< elementwise ops
  Traps,      ///< divisions that must not see padding
  Tosa,       ///< ops of tosa
  Specials,   ///< NaN and infinities
  Large,      ///< products that are larger than a block of the runtime
};
constexpr MakerGroup firstFamily = MakerGroup::Windows;
constexpr size_t numMakerGroups = size_t(MakerGroup::Large) + 1;

class MakerRegistry {
public:
  /// Programs of `group` choose `maker` as often as `weight` says in proportion
  /// to the group's other makers.
  void add(MakerGroup group, Maker maker, int64_t weight = 1) {
    groups[size_t(group)].insert(groups[size_t(group)].end(), weight, maker);
  }
  /// The makers of a group, each as often as its weight says.
  const std::vector<Maker> &of(MakerGroup group) const {
    return groups[size_t(group)];
  }

private:
  std::array<std::vector<Maker>, numMakerGroups> groups;
};

void registerRealMakers(MakerRegistry &makers);
void registerArithMakers(MakerRegistry &makers);
void registerOddMakers(MakerRegistry &makers);
void registerCreatorMakers(MakerRegistry &makers);
void registerGenericMakers(MakerRegistry &makers);
void registerLinalgMakers(MakerRegistry &makers);
void registerTensorMakers(MakerRegistry &makers);
void registerMathMakers(MakerRegistry &makers);
void registerNamedMakers(MakerRegistry &makers);
void registerMoveMakers(MakerRegistry &makers);
void registerLookUpMakers(MakerRegistry &makers);
void registerTosaMakers(MakerRegistry &makers);
void registerScaleMakers(MakerRegistry &makers);
void registerScfMakers(MakerRegistry &makers);
void registerFlowMakers(MakerRegistry &makers);
void registerManualMakers(MakerRegistry &makers);
void registerDeviceMakers(MakerRegistry &makers);
void registerCallMakers(MakerRegistry &makers);
void registerDynamicMakers(MakerRegistry &makers);
void registerWindowMakers(MakerRegistry &makers);
void registerScanMakers(MakerRegistry &makers);
void registerSliceMakers(MakerRegistry &makers);
void registerLargeMakers(MakerRegistry &makers);
void registerSpecialMakers(MakerRegistry &makers);
void registerSumLoopMakers(MakerRegistry &makers);
void registerTrapMakers(MakerRegistry &makers);
void registerUnrolledMakers(MakerRegistry &makers);
void registerWideCallMakers(MakerRegistry &makers);
void registerExtremeMakers(MakerRegistry &makers);
void registerPlaceMakers(MakerRegistry &makers);

/// What a program says that asserts that a loop gives what its iterations give, and a call what
/// its function computes.
inline constexpr char unrolledMessage[] =
    "a loop or call differs from its ops, written out";

/// Which programs follow from a seed depends on the order of registration.
void registerAllMakers(MakerRegistry &makers);

/// The makers of all dialects.
const MakerRegistry &allMakers();

/// Writes an op of the group, in at most `tries` attempts.
bool makeOne(ProgramBuilder &program, MakerGroup group, int64_t tries);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_MAKERS_H
