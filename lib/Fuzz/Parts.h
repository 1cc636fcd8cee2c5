//===- Parts.h - What files of the program generator share ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makers that are named elsewhere than in their registration, and parts of ops and
// programs that several files write.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_PARTS_H
#define SHARD_LIB_FUZZ_PARTS_H

#include "shard/Fuzz/Makers.h"

namespace shard::fuzz {

/// How elements are combined, and what is neutral to it.
struct Combiner {
  std::string op;
  int64_t neutral;
  bool sum;
};

// ScalarOps.cpp.
bool elementwise(ProgramBuilder &program);
bool compareSelect(ProgramBuilder &program);
bool cast(ProgramBuilder &program);
/// A combination of the scalars `operands` in the body of an op.
Val scalarBody(ProgramBuilder &program, std::vector<Val> operands, Elem elem,
               double maxBound);
/// `value` as elements of `elem`; not added to the scope.
Val converted(ProgramBuilder &program, const Val &value, Elem elem);

// TensorOps.cpp.
bool extractElement(ProgramBuilder &program);
bool collapse(ProgramBuilder &program);
bool expand(ProgramBuilder &program);
bool extractSlice(ProgramBuilder &program);
bool insertSlice(ProgramBuilder &program);
bool pad(ProgramBuilder &program);
bool concat(ProgramBuilder &program);

// GenericOps.cpp.
bool genericElementwise(ProgramBuilder &program);
bool genericReduction(ProgramBuilder &program);
Combiner randomCombiner(ProgramBuilder &program, Elem elem, bool maySum);
/// What a reduction starts from: what is neutral to `combiner`, as in most programs, or
/// as good as neutral, what is neutral to another one, or any value.
Val reductionInit(ProgramBuilder &program, Elem elem, const Shape &shape,
                  const Combiner &combiner);

// LinalgOps.cpp.
bool linalgMap(ProgramBuilder &program);
bool linalgNamedElementwise(ProgramBuilder &program);
bool linalgReduce(ProgramBuilder &program);
bool linalgTranspose(ProgramBuilder &program);
bool linalgBroadcast(ProgramBuilder &program);
bool matmul(ProgramBuilder &program);
bool vectorProduct(ProgramBuilder &program);
void contraction(ProgramBuilder &program, const std::string &op, Val a, Val b,
                 int64_t count, const Shape &shape);

// MathOps.cpp.
bool exactMath(ProgramBuilder &program);
bool integerMath(ProgramBuilder &program);
/// A float tensor near `value` without zeros; not added to the scope.
Val offZero(ProgramBuilder &program, const Val &value);
/// Where an inexact tensor is below or above some number.
Val compared(ProgramBuilder &program, const std::string &name, Elem elem,
             const Shape &shape);

// NamedOps.cpp.
bool linalgUnary(ProgramBuilder &program);

// ControlOps.cpp.
bool scfIf(ProgramBuilder &program);
bool call(ProgramBuilder &program);
void addResults(ProgramBuilder &program, const std::string &name,
                std::vector<Val> like);
std::pair<std::vector<Val>, std::vector<Val>>
carriedValues(ProgramBuilder &program);
std::vector<Val> nextValues(ProgramBuilder &program,
                            const std::vector<Val> &carried);

// UnrolledOps.cpp.
/// Asserts that two vectors of integers are equal.
void assertEqual(ProgramBuilder &program, const Val &a, const Val &b);

// SumLoops.cpp.
bool sumLoop(ProgramBuilder &program);

// ForallOps.cpp.
bool scfForall(ProgramBuilder &program);

// FlowOps.cpp.
bool scfExecuteRegion(ProgramBuilder &program);
bool scfIndexSwitch(ProgramBuilder &program);
bool branches(ProgramBuilder &program);

// DynamicShapes.cpp.
bool dynamicSlice(ProgramBuilder &program);
bool dynamicReshape(ProgramBuilder &program);
bool dynamicCast(ProgramBuilder &program);
bool dynamicConcat(ProgramBuilder &program);
bool dynamicPad(ProgramBuilder &program);
bool dynamicConvolution(ProgramBuilder &program);
bool dynamicSoftmax(ProgramBuilder &program);
bool dynamicTosa(ProgramBuilder &program);

// DynamicWindows.cpp.
bool dynamicWindow(ProgramBuilder &program);
bool dynamicInsert(ProgramBuilder &program);

// DynamicOps.cpp.
bool oneDynamicOp(ProgramBuilder &program);

// RealOps.cpp.
void oneRealOp(ProgramBuilder &program);

// Generate.cpp.
void writeOps(ProgramBuilder &program, int64_t count);
void writeFunction(ProgramBuilder &program, const std::string &name,
                   bool isPrivate, int64_t count);
std::string functionHeader(ProgramBuilder &program, const Function &function,
                           bool isPrivate);

// CollectiveChains.cpp.
/// Writes the body of a manual computation that begins with `value`; what it returns.
std::vector<Val> collectiveChain(ProgramBuilder &program, Val value);

// ManualPrograms.cpp.
void collectiveProgram(ProgramBuilder &program);
void movesProgram(ProgramBuilder &program);

// MovePrograms.cpp.
/// No local tensor of these programs has more elements.
inline constexpr int64_t mostLocalElements = 600;
/// What a body returns of its scope: what each device has at the end is a block of a
/// result.
std::vector<Val> lastTensors(ProgramBuilder &program);
/// Ops on `value` and collectives between them; returns what the body returns.
std::vector<Val> movesAmongOps(ProgramBuilder &program, Val value);

// ProductPrograms.cpp.
/// Products, each with a collective in front or behind; returns what the body returns.
std::vector<Val> productsBesideCollectives(ProgramBuilder &program, Val value);

// BatchPrograms.cpp.
void batchProgram(ProgramBuilder &program);

// FamilyPrograms.cpp.
void familyProgram(ProgramBuilder &program);

// NeededPrograms.cpp.
void neededProgram(ProgramBuilder &program);
/// How many places of a dimension of `parts` blocks a device sends at most, if each one
/// needs those `low` in front of and `high` behind its block.
int64_t mostToNeighbours(int64_t parts, int64_t block, int64_t low,
                         int64_t high);

// LayerPrograms.cpp.
void layerProgram(ProgramBuilder &program);

// ChoicePrograms.cpp.
void choiceProgram(ProgramBuilder &program);

// PartialPrograms.cpp.
void partialProgram(ProgramBuilder &program);

// GridPrograms.cpp.
void gridsProgram(ProgramBuilder &program);

// HintPrograms.cpp.
void hintProgram(ProgramBuilder &program);
void callProgram(ProgramBuilder &program);
/// Values of one shape with layouts, sums of them, and groups that tie some.
void layoutProgram(ProgramBuilder &program);

// DeviceOps.cpp.
Val passedAround(ProgramBuilder &program, const Val &value,
                 const std::vector<int64_t> &axes);
std::optional<Val> withHalos(ProgramBuilder &program, const Val &value,
                             const std::vector<int64_t> &axes);

// ManualOps.cpp.
std::string manualSharding(ProgramBuilder &program,
                           const std::vector<std::vector<int64_t>> &dims,
                           const std::vector<int64_t> &replicated,
                           const std::vector<int64_t> &partial);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_PARTS_H
