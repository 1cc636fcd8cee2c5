//===- Generate.cpp - Random programs ------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generate.h"

#include "Generator.h"
#include "LoopHints.h"

#include <algorithm>

using namespace shard::fuzz;

/// What program of all kinds this is. With numbers of its own: the other programs
/// do not depend on it.
static Kind focus(uint64_t seed) {
  int64_t number = Random(~seed).between(0, 99);
  if (number < 7)
    return Kind::Reshard;
  if (number < 19)
    return Kind::Collectives;
  if (number < 30)
    return Kind::Partial;
  return number < 35 ? Kind::Hints : Kind::Full;
}

Generator::Generator(uint64_t seed, const GenerateOptions &options)
    : seed(seed), rng(seed), options(options), grid(options.grid) {
  if (grid.empty()) {
    int64_t axes = rng.between(1, 3), devices = 1;
    for (int64_t i = 0; i < axes; ++i) {
      static const std::vector<int64_t> sizes = {1, 2, 2, 2, 3, 4, 4};
      int64_t size = rng.oneOf(sizes);
      while (devices * size > 16)
        --size;
      devices *= size;
      grid.push_back(size);
    }
  }
  names = rng.chance(50);
  static const std::vector<int64_t> percents = {0, 0, 10, 20, 40};
  hintPercent = rng.oneOf(percents);
  static const std::vector<int64_t> argumentPercents = {20, 50, 70, 90};
  argumentHintPercent = rng.oneOf(argumentPercents);
  subAxes = rng.chance(15);
  partials = rng.chance(25);
  contradictions = rng.chance(3);
  layouts = rng.chance(12);
  // Links over some axes, and over others, need several.
  Kind kind = options.kind == Kind::Full ? focus(seed) : options.kind;
  if (options.grid.empty() && kind == Kind::Collectives && rng.chance(80)) {
    static const std::vector<Shape> grids = {{2, 2},    {2, 3},    {4, 2},
                                             {3, 2},    {2, 2, 2}, {2, 2, 2},
                                             {1, 2, 2}, {2, 2, 3}, {2, 3, 2}};
    grid = rng.oneOf(grids);
  }
}

void Generator::oneOp() {
  if (real)
    return oneRealOp();
  static const std::vector<Maker> plain = {&Generator::elementwise,
                                           &Generator::elementwise,
                                           &Generator::elementwise,
                                           &Generator::compareSelect,
                                           &Generator::cast,
                                           &Generator::makeConstant,
                                           &Generator::makeFilled,
                                           &Generator::generateOp,
                                           &Generator::extractElement,
                                           &Generator::genericElementwise,
                                           &Generator::genericElementwise,
                                           &Generator::genericReduction,
                                           &Generator::genericReduction,
                                           &Generator::genericWindow,
                                           &Generator::linalgMap,
                                           &Generator::linalgNamedElementwise,
                                           &Generator::linalgReduce,
                                           &Generator::linalgTranspose,
                                           &Generator::linalgTranspose,
                                           &Generator::linalgBroadcast,
                                           &Generator::matmul,
                                           &Generator::matmul,
                                           &Generator::matmul,
                                           &Generator::tiledMatmul,
                                           &Generator::vectorProduct,
                                           &Generator::convolution,
                                           &Generator::pooling,
                                           &Generator::collapse,
                                           &Generator::collapse,
                                           &Generator::expand,
                                           &Generator::expand,
                                           &Generator::extractSlice,
                                           &Generator::insertSlice,
                                           &Generator::pad,
                                           &Generator::concat,
                                           &Generator::inexactMath,
                                           &Generator::inexactMath,
                                           &Generator::exactMath,
                                           &Generator::integerMath,
                                           &Generator::linalgUnary,
                                           &Generator::linalgSelect,
                                           &Generator::rareProduct,
                                           &Generator::rareWindow,
                                           &Generator::rareWindow,
                                           &Generator::dynamicExtent,
                                           &Generator::tensorReshape,
                                           &Generator::gatherScatter,
                                           &Generator::bufferOps,
                                           &Generator::packSoftmax,
                                           &Generator::tosaElementwise,
                                           &Generator::tosaElementwise,
                                           &Generator::tosaMove,
                                           &Generator::tosaStructured};
  static const std::vector<Maker> control = {&Generator::scfIf,
                                             &Generator::scfIf,
                                             &Generator::scfFor,
                                             &Generator::scfFor,
                                             &Generator::scfForall,
                                             &Generator::scfWhile,
                                             &Generator::scfExecuteRegion,
                                             &Generator::scfIndexSwitch,
                                             &Generator::branches,
                                             &Generator::branchLoop,
                                             &Generator::manualComputation,
                                             &Generator::call,
                                             &Generator::call,
                                             &Generator::call};
  int64_t controlPercent = options.kind == Kind::Control ? 40
                           : options.kind == Kind::Full  ? 10
                                                         : 0;
  if (severalEntries && rng.chance(20) && call())
    return;
  if (dynamic && rng.chance(60) && oneDynamicOp())
    return;
  for (int64_t tries = 0; tries < 20; ++tries)
    if ((this->*rng.oneOf(rng.chance(controlPercent) ? control : plain))())
      return;
}

void Generator::ops(int64_t count) {
  for (int64_t i = 0; i < count && budget > 0; ++i) {
    --budget;
    oneOp();
    if (rng.chance(hintPercent))
      randomHint();
  }
}

std::string Generator::header(const Function &function, bool isPrivate) {
  auto hint = [&](const Val &value, bool mayBePartial) {
    auto given = givenHints.find(value.name);
    if (given != givenHints.end())
      return " {shard.sharding = #shard.sharding" + given->second + "}";
    if (!value.tensor || !rng.chance(argumentHintPercent))
      return std::string();
    return " {shard.sharding = #shard.sharding" +
           shardingAttr(value, mayBePartial) + "}";
  };
  std::vector<std::string> inputs, results, attributes;
  for (const Val &value : function.arguments)
    inputs.push_back(value.name + ": " + value.type() +
                     hint(value, rng.chance(20)));
  for (const Val &value : function.results)
    results.push_back(value.type() + hint(value, rng.chance(20)));
  if (!isPrivate && real)
    attributes.push_back("real");
  if (!isPrivate && dynamic) {
    std::vector<std::string> extents;
    for (const Val &value : function.arguments)
      extents.push_back(value.dynamic.empty()
                            ? "array<i64>"
                            : "array<i64: " + list(value.shape) + ">");
    attributes.push_back("extents = [" + join(extents) + "]");
  }
  return std::string("func.func ") + (isPrivate ? "private " : "") + "@" +
         function.name + "(" + join(inputs, ",\n    ") + ")" +
         (results.empty() ? ""
                          : "\n    -> (" + join(results, ",\n        ") + ")") +
         (attributes.empty() ? "" : " attributes {" + join(attributes) + "}") +
         " {\n";
}

void Generator::function(const std::string &name, bool isPrivate,
                         int64_t count) {
  std::string outer;
  std::swap(out, outer);
  scope.clear();
  arguments.clear();
  annotated.clear();
  manyBlocks = rng.chance(40);
  budget = count * 2;
  // Something to begin with.
  for (int64_t i = rng.between(1, 2); i > 0; --i)
    argument(randomElem(), randomShape(rng.between(isPrivate ? 1 : 0, 3)),
             true);
  if (dynamic)
    dynamicArgument();
  ops(count);
  Function result{name, {}, {}};
  for (int64_t i = rng.between(1, 3); i > 0; --i) {
    bool scalar = rng.chance(10);
    std::optional<Val> value =
        pickAny([&](const Val &v) { return v.tensor || scalar; });
    if (value)
      result.results.push_back(*value);
  }
  // The last value is what the most ops lead to.
  for (size_t i = scope.size(); i > 0; --i)
    if (scope[i - 1].tensor) {
      result.results.push_back(scope[i - 1]);
      break;
    }
  std::vector<std::string> names, types;
  for (const Val &value : result.results) {
    names.push_back(value.name);
    types.push_back(value.type());
  }
  line("return " + join(names) + " : " + join(types));
  result.arguments = arguments;
  std::swap(out, outer);
  bool hints = argumentHintPercent > 0;
  int64_t saved = argumentHintPercent;
  if (isPrivate && hints)
    argumentHintPercent = rng.chance(50) ? 0 : 25;
  out += header(result, isPrivate) + outer + "}\n\n";
  argumentHintPercent = saved;
  functions.push_back(result);
}

int64_t Generator::otherEntries() {
  severalEntries = rng.chance(12);
  return severalEntries ? rng.between(1, 2) : 0;
}

bool Generator::focusedProgram() {
  Kind kind = options.kind == Kind::Full ? focus(seed) : options.kind;
  layouts = layouts || (kind == Kind::Reshard && rng.chance(35));
  if (kind == Kind::Reshard)
    reshardProgram();
  else if (kind == Kind::Collectives)
    collectiveProgram();
  else if (kind == Kind::Partial)
    partialProgram();
  else if (kind == Kind::Hints)
    rng.chance(70) ? hintProgram() : callProgram();
  else
    return false;
  return true;
}

/// One value through a chain of shardings.
void Generator::reshardProgram() {
  partials = rng.chance(40);
  argumentHintPercent = 80;
  Elem elem = rng.chance(60) ? Elem::F32 : Elem::I32;
  Val input = argument(elem, randomShape(rng.between(1, 3)), true);
  Val value = input;
  std::string outer;
  std::swap(out, outer);
  for (int64_t i = rng.between(1, std::max<int64_t>(1, options.maxOps / 2));
       i > 0; --i)
    value = annotate(value, true);
  line("return " + value.name + " : " + value.type());
  std::swap(out, outer);
  out += header({"main", {input}, {value}}, false) + outer + "}\n";
}

std::string Generator::run() {
  std::vector<std::string> axisNames;
  std::string shape;
  for (size_t axis = 0; axis < grid.size(); ++axis) {
    shape += (axis ? "x" : "") + std::to_string(grid[axis]);
    axisNames.push_back("\"x" + std::to_string(axis) + "\"");
  }
  out = "shard.grid @grid(shape = " + shape + ")" +
        (names ? " axes [" + join(axisNames) + "]" : "") + "\n\n";
  if (focusedProgram())
    return out;
  chooseSort();
  int64_t helpers = options.kind == Kind::Control ? rng.between(0, 2)
                    : options.kind == Kind::Full  ? rng.between(0, 1)
                                                  : 0;
  int64_t others = options.kind == Kind::Ops ? 0 : otherEntries();
  if (others > 0)
    helpers = std::max<int64_t>(helpers, 1);
  for (int64_t i = 0; i < helpers; ++i)
    function("helper" + std::to_string(i), true, rng.between(1, 4));
  for (int64_t i = 0; i < others; ++i)
    function("entry" + std::to_string(i), false, rng.between(1, 4));
  function("main", false, rng.between(1, options.maxOps));
  if (rng.chance(15))
    return addLoopHints(out, rng, rng.oneOf<int64_t>({10, 30, 60}),
                        contradictions);
  return out;
}

std::string shard::fuzz::generate(uint64_t seed,
                                  const GenerateOptions &options) {
  return Generator(seed, options).run();
}
