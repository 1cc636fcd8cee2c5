//===- Registration.cpp - The makers of all dialects -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Makers.h"

using namespace shard::fuzz;

void shard::fuzz::registerAllMakers(MakerRegistry &makers) {
  registerRealMakers(makers);
  registerArithMakers(makers);
  registerOddMakers(makers);
  registerCreatorMakers(makers);
  registerGenericMakers(makers);
  registerLinalgMakers(makers);
  registerTensorMakers(makers);
  registerMathMakers(makers);
  registerNamedMakers(makers);
  registerMoveMakers(makers);
  registerLookUpMakers(makers);
  registerTosaMakers(makers);
  registerScfMakers(makers);
  registerFlowMakers(makers);
  registerManualMakers(makers);
  registerDeviceMakers(makers);
  registerCallMakers(makers);
  registerDynamicMakers(makers);
  registerWindowMakers(makers);
  registerScanMakers(makers);
  registerSpecialMakers(makers);
  registerTrapMakers(makers);
  registerUnrolledMakers(makers);
  registerSliceMakers(makers);
  registerLargeMakers(makers);
  registerSumLoopMakers(makers);
  registerWideCallMakers(makers);
  registerExtremeMakers(makers);
  registerPlaceMakers(makers);
  registerScaleMakers(makers);
}

const MakerRegistry &shard::fuzz::allMakers() {
  static const MakerRegistry makers = [] {
    MakerRegistry result;
    registerAllMakers(result);
    return result;
  }();
  return makers;
}

bool shard::fuzz::makeOne(ProgramBuilder &program, MakerGroup group,
                          int64_t tries) {
  const std::vector<Maker> &makers = allMakers().of(group);
  while (tries-- > 0)
    if (program.rng.oneOf(makers)(program))
      return true;
  return false;
}
