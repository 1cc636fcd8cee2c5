//===- GenericOps.cpp - linalg.generic in a random program ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// "(d0, d1)".
static std::string loopList(int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back("d" + std::to_string(i));
  return "(" + join(names) + ")";
}

static std::string mapText(int64_t numLoops,
                           const std::vector<std::string> &exprs) {
  return "affine_map<" + loopList(numLoops) + " -> (" + join(exprs) + ")>";
}

static std::vector<std::string> loopExprs(const std::vector<int64_t> &loops) {
  std::vector<std::string> exprs;
  for (int64_t loop : loops)
    exprs.push_back("d" + std::to_string(loop));
  return exprs;
}

namespace {
/// An op under construction.
struct GenericText {
  std::vector<std::string> maps, iterators;
  std::vector<Val> inputs, outputs;
};
} // namespace

/// Writes the op; `body` gets the block's arguments and returns what it yields.
/// Names the results but adds none.
static std::vector<Val> writeGeneric(
    ProgramBuilder &program, const GenericText &op,
    const std::function<std::vector<Val>(const std::vector<Val> &)> &body) {
  auto operands = [](const std::vector<Val> &values) {
    std::vector<std::string> names, types;
    for (const Val &value : values) {
      names.push_back(value.name);
      types.push_back(value.type());
    }
    return "(" + join(names) + " : " + join(types) + ")";
  };
  std::vector<std::string> iterators, blockArguments, types;
  for (const std::string &iterator : op.iterators)
    iterators.push_back("\"" + iterator + "\"");
  std::vector<Val> elements;
  for (const std::vector<Val> *values : {&op.inputs, &op.outputs})
    for (const Val &value : *values) {
      Val element{program.fresh(), value.elem, false, {}, value.bound};
      blockArguments.push_back(element.name + ": " + element.type());
      elements.push_back(element);
    }
  for (const Val &value : op.outputs)
    types.push_back(value.type());
  std::string result = program.fresh();
  bool several = op.outputs.size() > 1;
  program.line(result +
               (several ? ":" + std::to_string(op.outputs.size()) : "") +
               " = linalg.generic {indexing_maps = [" + join(op.maps) +
               "], iterator_types = [" + join(iterators) + "]}" +
               (op.inputs.empty() ? "" : " ins" + operands(op.inputs)) +
               " outs" + operands(op.outputs) + " {");
  program.line("^bb0(" + join(blockArguments) + "):");
  program.indent += 2;
  std::vector<Val> yielded = body(elements);
  std::vector<std::string> yieldedNames, yieldedTypes;
  for (const Val &value : yielded) {
    yieldedNames.push_back(value.name);
    yieldedTypes.push_back(value.type());
  }
  program.line("linalg.yield " + join(yieldedNames) + " : " +
               join(yieldedTypes));
  program.indent -= 2;
  program.line("} -> " + (several ? "(" + join(types) + ")" : types.front()));
  std::vector<Val> results;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    Val value = op.outputs[i];
    value.name = several ? result + "#" + std::to_string(i) : result;
    value.bound = yielded[i].bound;
    results.push_back(value);
  }
  return results;
}

/// Adds an input that some of the loops index, with these extents.
static void addRandomInput(ProgramBuilder &program, GenericText &op,
                           const Shape &extents) {
  int64_t numLoops = extents.size();
  if (program.rng.chance(10)) {
    Val scalar =
        program.needScalar(program.rng.chance(60) ? Elem::F32 : Elem::I32);
    op.inputs.push_back(scalar);
    op.maps.push_back(mapText(numLoops, {}));
    return;
  }
  std::vector<int64_t> loops;
  for (int64_t i = 0; i < numLoops; ++i)
    if (program.rng.chance(65))
      loops.push_back(i);
  if (program.rng.chance(40))
    program.rng.shuffle(loops);
  Shape shape;
  for (int64_t loop : loops)
    shape.push_back(extents[loop]);
  op.inputs.push_back(program.need(
      program.rng.chance(70) ? Elem::F32 : program.randomElem(), shape));
  op.maps.push_back(mapText(numLoops, loopExprs(loops)));
}

/// A value that tells positions apart, in the body of an op over `numLoops`.
static Val loopIndex(ProgramBuilder &program, int64_t numLoops) {
  Val value{program.fresh(), Elem::Index, false, {}, 12};
  program.line(value.name + " = linalg.index " +
               std::to_string(program.rng.between(0, numLoops - 1)) +
               " : index");
  return value;
}

/// Of the elements of the inputs all or, for a further result, some, and now and
/// then a loop's index.
static std::vector<Val> bodyOperands(ProgramBuilder &program,
                                     std::vector<Val> inputs, bool further,
                                     int64_t indexPercent, int64_t rank) {
  if (further) {
    program.rng.shuffle(inputs);
    inputs.resize(program.rng.between(1, int64_t(inputs.size())));
  }
  if (program.rng.chance(indexPercent))
    inputs.push_back(loopIndex(program, rank));
  return inputs;
}

bool shard::fuzz::genericElementwise(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  int64_t rank = a->shape.size();
  std::vector<int64_t> loops;
  for (int64_t i = 0; i < rank; ++i)
    loops.push_back(i);
  GenericText op;
  op.iterators.assign(rank, "parallel");
  op.inputs.push_back(*a);
  op.maps.push_back(mapText(rank, loopExprs(loops)));
  for (int64_t i = program.rng.between(0, 2); i > 0; --i)
    addRandomInput(program, op, a->shape);
  int64_t outputs = program.rng.chance(25) ? 2 : 1;
  std::vector<bool> readsOutput;
  for (int64_t i = 0; i < outputs; ++i) {
    if (program.rng.chance(40))
      program.rng.shuffle(loops);
    Shape shape;
    for (int64_t loop : loops)
      shape.push_back(a->shape[loop]);
    op.maps.push_back(mapText(rank, loopExprs(loops)));
    Elem elem = program.rng.chance(60) ? a->elem : program.randomElem();
    readsOutput.push_back(program.rng.chance(25));
    op.outputs.push_back(readsOutput.back() ? program.need(elem, shape)
                                            : program.empty(elem, shape));
  }
  std::vector<Val> results =
      writeGeneric(program, op, [&](const std::vector<Val> &elements) {
        size_t numInputs = op.inputs.size();
        std::vector<Val> yielded;
        for (size_t i = 0; i < op.outputs.size(); ++i) {
          std::vector<Val> operands = bodyOperands(
              program, {elements.begin(), elements.begin() + numInputs}, i > 0,
              25, rank);
          if (readsOutput[i])
            operands.push_back(elements[numInputs + i]);
          yielded.push_back(
              scalarBody(program, operands, op.outputs[i].elem, boundLimit));
        }
        return yielded;
      });
  for (const Val &result : results)
    program.add(result);
  return true;
}

Combiner shard::fuzz::randomCombiner(ProgramBuilder &program, Elem elem,
                                     bool maySum) {
  std::vector<Combiner> choices;
  if (isFloat(elem)) {
    choices = {{"arith.maximumf", -100, false}, {"arith.minimumf", 100, false}};
    if (maySum)
      choices.insert(choices.end(), 3, {"arith.addf", 0, true});
  } else if (elem == Elem::I1) {
    choices = {{"arith.andi", 1, false},
               {"arith.ori", 0, false},
               {"arith.xori", 0, false}};
  } else {
    choices = {{"arith.addi", 0, true},     {"arith.addi", 0, true},
               {"arith.muli", 1, false},    {"arith.maxsi", -100, false},
               {"arith.minsi", 100, false}, {"arith.maxui", 0, false},
               {"arith.minui", -1, false},  {"arith.andi", -1, false},
               {"arith.ori", 0, false},     {"arith.xori", 0, false}};
  }
  return program.rng.oneOf(choices);
}

/// The literal of what changes no element of `elem` under the combiner `op`, where that
/// is no small number.
static std::string exactNeutral(Elem elem, const std::string &op) {
  bool isMax = op == "arith.maximumf" || op == "arith.maxsi";
  if (!isMax && op != "arith.minimumf" && op != "arith.minsi")
    return {};
  switch (elem) {
  case Elem::F32:
    return isMax ? "0xFF800000" : "0x7F800000";
  case Elem::I8:
    return isMax ? "-128" : "127";
  case Elem::I16:
    return isMax ? "-32768" : "32767";
  case Elem::I32:
    return isMax ? "-2147483648" : "2147483647";
  default:
    return {};
  }
}

Val shard::fuzz::reductionInit(ProgramBuilder &program, Elem elem,
                               const Shape &shape, const Combiner &combiner) {
  int64_t choice = program.rng.between(0, 99);
  std::string exact = exactNeutral(elem, combiner.op);
  if (choice < 15 && !exact.empty()) {
    // Not in scope: an infinity would make sums unbounded.
    std::string scalar = program.fresh();
    program.line(scalar + " = arith.constant " + exact + " : " + name(elem));
    Val init = program.empty(elem, shape);
    std::string result = program.fresh();
    program.line(result + " = linalg.fill ins(" + scalar + " : " + name(elem) +
                 ") outs(" + init.name + " : " + init.type() + ") -> " +
                 init.type());
    init.name = result;
    init.bound = 0;
    return init;
  }
  if (choice < 60)
    return program.filled(elem, shape, combiner.neutral);
  static const std::vector<int64_t> others = {0, 1, -1, -100, 100};
  return choice < 75 ? program.filled(elem, shape, program.rng.oneOf(others))
                     : program.need(elem, shape);
}

/// Writes `result`: `element` taken from `accumulator`, or the larger or smaller of the two
/// by a comparison, where `op` is a sum, or a maximum or minimum of integers.
static bool writeOtherwise(ProgramBuilder &program, const std::string &op,
                           const Val &element, const Val &accumulator,
                           const std::string &result) {
  std::string type = " : " + accumulator.type();
  std::string both = accumulator.name + ", " + element.name;
  if (op == "arith.addf" || op == "arith.addi") {
    program.line(result + " = arith.sub" + op.back() + " " + both + type);
    return true;
  }
  std::string predicate = op == "arith.maxsi"   ? "sgt"
                          : op == "arith.minsi" ? "sle"
                          : op == "arith.maxui" ? "uge"
                          : op == "arith.minui" ? "ult"
                                                : "";
  if (predicate.empty())
    return false;
  std::string chosen = program.fresh();
  program.line(chosen + " = arith.cmpi " + predicate + ", " + both + type);
  program.line(result + " = arith.select " + chosen + ", " + both + type);
  return true;
}

/// `element` combined with the running `accumulator` of a reduction of `count`
/// terms; sums in terms that keep it exact.
static Val accumulate(ProgramBuilder &program, const Combiner &combiner,
                      Val element, const Val &accumulator, int64_t count) {
  Val result{program.fresh(), accumulator.elem, false, {}, 0};
  bool swapped = program.rng.chance(30);
  if (!program.rng.chance(15) ||
      !writeOtherwise(program, combiner.op, element, accumulator, result.name))
    program.line(result.name + " = " + combiner.op + " " +
                 (swapped ? accumulator.name + ", " + element.name
                          : element.name + ", " + accumulator.name) +
                 " : " + accumulator.type());
  result.bound = combiner.sum ? accumulator.bound + count * element.bound
                              : std::max(accumulator.bound, element.bound);
  return result;
}

bool shard::fuzz::genericReduction(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  int64_t rank = a->shape.size();
  GenericText op;
  std::vector<int64_t> all, kept;
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i) {
    all.push_back(i);
    bool reduced = program.rng.chance(50) ||
                   (i + 1 == rank && int64_t(kept.size()) == rank - 1);
    op.iterators.push_back(reduced ? "reduction" : "parallel");
    if (reduced)
      count *= a->shape[i];
    else
      kept.push_back(i);
  }
  op.inputs.push_back(*a);
  op.maps.push_back(mapText(rank, loopExprs(all)));
  for (int64_t i = program.rng.chance(50) ? program.rng.between(1, 2) : 0;
       i > 0; --i)
    addRandomInput(program, op, a->shape);
  int64_t outputs = program.rng.chance(25) ? 2 : 1;
  std::vector<Combiner> combiners;
  for (int64_t i = 0; i < outputs; ++i) {
    if (program.rng.chance(40))
      program.rng.shuffle(kept);
    Shape shape;
    for (int64_t loop : kept)
      shape.push_back(a->shape[loop]);
    Elem elem = program.rng.chance(70) ? a->elem : program.randomElem();
    combiners.push_back(randomCombiner(program, elem, true));
    op.maps.push_back(mapText(rank, loopExprs(kept)));
    op.outputs.push_back(reductionInit(program, elem, shape, combiners.back()));
  }
  std::vector<Val> results =
      writeGeneric(program, op, [&](const std::vector<Val> &elements) {
        size_t numInputs = op.inputs.size();
        std::vector<Val> yielded;
        for (size_t i = 0; i < op.outputs.size(); ++i) {
          std::vector<Val> operands = bodyOperands(
              program, {elements.begin(), elements.begin() + numInputs}, i > 0,
              15, rank);
          Val element = scalarBody(program, operands, op.outputs[i].elem,
                                   boundLimit / 4 / double(count));
          yielded.push_back(accumulate(program, combiners[i], element,
                                       elements[numInputs + i], count));
        }
        return yielded;
      });
  for (const Val &result : results)
    program.add(result);
  return true;
}

/// `factor` times loop `loop` of `count` iterations, which may run backwards: then from `offset`.
static std::string windowTerm(ProgramBuilder &program, int64_t factor,
                              const std::string &loop, int64_t count,
                              int64_t &offset) {
  if (program.rng.chance(25)) {
    offset += (count - 1) * factor;
    factor = -factor;
  }
  return factor == 1 ? loop : loop + " * " + std::to_string(factor);
}

/// A window: the input is indexed by a sum of a parallel and a reduction loop. The longer one
/// slides.
static bool genericWindow(ProgramBuilder &program) {
  bool batched = program.rng.chance(60), reducedBatch = program.rng.chance(20);
  bool sumSlides = program.rng.chance(30);
  int64_t out = program.rng.between(1, sumSlides ? 3 : 8),
          window = program.rng.between(1, sumSlides ? 9 : 4);
  int64_t stride = program.rng.chance(25) ? 2 : 1,
          dilation = program.rng.chance(20) ? 2 : 1;
  int64_t extent = (out - 1) * stride + (window - 1) * dilation + 1;
  int64_t batch = batched ? program.randomExtent() : 1;
  Elem elem = program.rng.chance(70) ? Elem::F32 : Elem::I32;
  GenericText op;
  int64_t numLoops = batched ? 3 : 2;
  op.iterators = {"parallel", "reduction"};
  Shape inputShape = {extent}, outShape = {out};
  int64_t offset = 0;
  std::string place = windowTerm(program, stride, "d0", out, offset);
  place += " + " + windowTerm(program, dilation, "d1", window, offset);
  if (offset)
    place += " + " + std::to_string(offset);
  std::vector<std::string> inputExprs = {place};
  std::vector<std::string> outExprs = {"d0"};
  if (batched) {
    op.iterators.push_back(reducedBatch ? "reduction" : "parallel");
    inputShape.push_back(batch);
    inputExprs.push_back("d2");
    if (!reducedBatch) {
      outShape.push_back(batch);
      outExprs.push_back("d2");
    }
  }
  op.inputs.push_back(program.need(elem, inputShape));
  op.maps.push_back(mapText(numLoops, inputExprs));
  op.inputs.push_back(program.need(elem, {window}));
  op.maps.push_back(mapText(numLoops, {"d1"}));
  Combiner combiner = randomCombiner(program, elem, true);
  op.outputs.push_back(reductionInit(program, elem, outShape, combiner));
  op.maps.push_back(mapText(numLoops, outExprs));
  int64_t count = window * batch;
  std::vector<Val> results =
      writeGeneric(program, op, [&](const std::vector<Val> &elements) {
        Val element = scalarBody(program, {elements[0], elements[1]}, elem,
                                 boundLimit / 4 / double(count));
        return std::vector<Val>{
            accumulate(program, combiner, element, elements[2], count)};
      });
  program.add(results.front());
  return true;
}

/// Elements that are repeated: a map divides a loop, another one may take its remainder.
static bool genericRepeat(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a || numElements(a->shape) > 64)
    return false;
  int64_t rank = a->shape.size(), factor = program.rng.between(2, 3),
          repeated = program.rng.between(0, rank - 1);
  Shape shape = a->shape;
  shape[repeated] *= factor;
  std::vector<std::string> all, read;
  for (int64_t i = 0; i < rank; ++i)
    all.push_back("d" + std::to_string(i));
  read = all;
  std::string number = std::to_string(factor);
  read[repeated] += " floordiv " + number;
  GenericText op;
  op.iterators.assign(rank, "parallel");
  op.inputs.push_back(*a);
  op.maps.push_back(mapText(rank, read));
  if (program.rng.chance(40))
    addRandomInput(program, op, shape);
  if (program.rng.chance(30)) {
    op.inputs.push_back(program.need(Elem::F32, {factor}));
    op.maps.push_back(mapText(rank, {all[repeated] + " mod " + number}));
  }
  op.outputs.push_back(program.empty(a->elem, shape));
  op.maps.push_back(mapText(rank, all));
  std::vector<Val> results =
      writeGeneric(program, op, [&](const std::vector<Val> &elements) {
        std::vector<Val> operands = bodyOperands(
            program, {elements.begin(), elements.end() - 1}, false, 10, rank);
        return std::vector<Val>{
            scalarBody(program, operands, a->elem, boundLimit)};
      });
  program.add(results.front());
  return true;
}

void shard::fuzz::registerGenericMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, genericElementwise, 2);
  makers.add(MakerGroup::Ops, genericReduction, 2);
  makers.add(MakerGroup::Ops, genericWindow);
  makers.add(MakerGroup::Ops, genericRepeat);
  makers.add(MakerGroup::Reductions, genericReduction, 3);
  makers.add(MakerGroup::Windows, genericWindow, 2);
  makers.add(MakerGroup::Reshapes, genericElementwise);
  makers.add(MakerGroup::Reshapes, genericRepeat);
  makers.add(MakerGroup::RealWide, genericElementwise, 2);
  makers.add(MakerGroup::RealWide, genericReduction, 2);
  makers.add(MakerGroup::RealWide, genericWindow);
}
