//===- CheckAlone.cpp - Parts of the compiler by themselves ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckAlone.h"

#include "CheckBlocks.h"
#include "CheckCollectives.h"
#include "CheckCommuting.h"
#include "CheckGeometry.h"
#include "CheckGrids.h"
#include "CheckKernels.h"
#include "CheckMemory.h"
#include "CheckMismatch.h"
#include "CheckOptions.h"
#include "CheckPlanRuns.h"
#include "CheckPlans.h"
#include "CheckRefusals.h"
#include "CheckRounding.h"
#include "CheckShardings.h"
#include "CheckSpmd.h"

#include <algorithm>

namespace shard::fuzz {

/// So many times as programs run, parts are checked that need no program: that takes a fifth
/// of the time of a program.
static constexpr uint64_t kRounds = 4;

/// Parts that know no IR.
static std::string checkPlain(uint64_t seed) {
  std::string wrong = checkGeometry(seed);
  if (wrong.empty())
    wrong = checkGrids(seed);
  if (wrong.empty())
    wrong = checkPlans(seed);
  if (wrong.empty())
    wrong = checkPlanRuns(seed);
  if (wrong.empty())
    wrong = checkKernels(seed);
  if (wrong.empty())
    wrong = checkRounding(seed);
  if (wrong.empty())
    wrong = checkCollectives(seed);
  return wrong;
}

std::string checkAlone(mlir::ModuleOp module, uint64_t seed) {
  mlir::MLIRContext &context = *module.getContext();
  std::string wrong;
  for (uint64_t i = 0; i < kRounds && wrong.empty(); ++i)
    wrong = checkPlain(kRounds * seed + i);
  // It waits for devices that do not come.
  if (wrong.empty())
    wrong = checkMismatch(seed);
  if (wrong.empty())
    wrong = checkMemory(seed);
  if (wrong.empty())
    wrong = checkShardings(context, seed);
  for (uint64_t i = 0; i < kRounds && wrong.empty(); ++i)
    wrong = checkSpmd(context, kRounds * seed + i);
  if (wrong.empty())
    wrong = checkRefusals(context, seed);
  if (wrong.empty())
    wrong = checkBlocks(context, seed);
  for (uint64_t i = 0; i < kRounds && wrong.empty(); ++i)
    wrong = checkCommuting(context, kRounds * seed + i);
  if (wrong.empty())
    wrong = checkOptions(module, seed);
  std::replace(wrong.begin(), wrong.end(), '\n', ' ');
  return wrong;
}

} // namespace shard::fuzz
