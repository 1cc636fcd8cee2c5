//===- Generate.cpp - Random programs ------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Generate.h"

#include "LoopHints.h"
#include "Parts.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <numeric>

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
  if (number < 35)
    return Kind::Hints;
  if (number < 38)
    return Kind::Grids;
  if (number < 42)
    return Kind::Moves;
  if (number < 60)
    return Kind::Families;
  if (number < 68)
    return Kind::Batches;
  return number < 73 ? Kind::Needed : Kind::Full;
}

const char *shard::fuzz::toString(Kind kind) {
  switch (kind) {
  case Kind::Reshard:
    return "reshard";
  case Kind::Collectives:
    return "collectives";
  case Kind::Partial:
    return "partial";
  case Kind::Hints:
    return "hints";
  case Kind::Grids:
    return "grids";
  case Kind::Moves:
    return "moves";
  case Kind::Families:
    return "families";
  case Kind::Batches:
    return "batches";
  case Kind::Needed:
    return "needed";
  case Kind::Choices:
    return "choices";
  case Kind::Ops:
    return "ops";
  case Kind::Control:
    return "control";
  case Kind::Full:
    return "full";
  }
  return "";
}

ProgramBuilder::ProgramBuilder(uint64_t seed, const GenerateOptions &options)
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
  layouts = rng.chance(20);
  // Links over some axes, and over others, need several.
  Kind kind = options.kind == Kind::Full ? focus(seed) : options.kind;
  if (options.grid.empty() && kind == Kind::Collectives && rng.chance(80)) {
    static const std::vector<Shape> grids = {{2, 2},    {2, 3},    {4, 2},
                                             {3, 2},    {2, 2, 2}, {2, 2, 2},
                                             {1, 2, 2}, {2, 2, 3}, {2, 3, 2}};
    grid = rng.oneOf(grids);
  }
  // Every sharding of every value is tried.
  if (options.grid.empty() && kind == Kind::Choices)
    grid = rng.chance(60) ? Shape{2} : rng.chance(70) ? Shape{2, 2} : Shape{4};
  // Neighbours of neighbours need several devices along one axis.
  if (options.grid.empty() && kind == Kind::Families && rng.chance(80)) {
    static const std::vector<Shape> grids = {{2},    {3},    {4},      {5},
                                             {6},    {2, 2}, {2, 3},   {3, 2},
                                             {4, 2}, {2, 4}, {2, 2, 2}};
    grid = rng.oneOf(grids);
  }
}

static void oneOp(ProgramBuilder &program) {
  if (program.real)
    return oneRealOp(program);
  int64_t controlPercent = program.options.kind == Kind::Control ? 40
                           : program.options.kind == Kind::Full  ? 10
                                                                 : 0;
  if (program.severalEntries && program.rng.chance(20) && call(program))
    return;
  if (program.dynamic && program.rng.chance(60) && oneDynamicOp(program))
    return;
  for (int64_t tries = 0; tries < 20; ++tries)
    if (makeOne(program,
                program.rng.chance(controlPercent) ? MakerGroup::Control
                                                   : MakerGroup::Ops,
                1))
      return;
}

void shard::fuzz::writeOps(ProgramBuilder &program, int64_t count) {
  program.takesArguments = true;
  for (int64_t i = 0; i < count && program.budget > 0; ++i) {
    --program.budget;
    oneOp(program);
    if (program.rng.chance(program.hintPercent))
      program.randomHint();
  }
}

std::string shard::fuzz::functionHeader(ProgramBuilder &program,
                                        const Function &function,
                                        bool isPrivate) {
  auto hint = [&](const Val &value, bool mayBePartial) {
    auto given = program.givenHints.find(value.name);
    if (given != program.givenHints.end())
      return " {shard.sharding = #shard.sharding" + given->second + "}";
    if (!value.tensor || !program.rng.chance(program.argumentHintPercent))
      return std::string();
    return " {shard.sharding = #shard.sharding" +
           program.shardingAttr(value, mayBePartial) + "}";
  };
  std::vector<std::string> inputs, results, attributes;
  for (const Val &value : function.arguments)
    inputs.push_back(value.name + ": " + value.type() +
                     hint(value, program.rng.chance(20)));
  for (const Val &value : function.results)
    results.push_back(value.type() + hint(value, program.rng.chance(20)));
  if (!isPrivate && program.real)
    attributes.push_back("real");
  if (!isPrivate && program.specials)
    attributes.push_back("specials");
  if (!isPrivate && program.traps)
    attributes.push_back("traps");
  if (!isPrivate && program.choices)
    attributes.push_back("choices");
  if (!isPrivate && program.mostCollectives)
    attributes.push_back(
        "most_collectives = " + std::to_string(*program.mostCollectives) +
        ", most_bytes = " + std::to_string(program.mostBytes));
  if (!isPrivate && program.mostFlops)
    attributes.push_back("most_flops = " + std::to_string(*program.mostFlops));
  if (!isPrivate && program.mostCalls)
    attributes.push_back("most_calls = " + std::to_string(*program.mostCalls));
  if (!isPrivate && program.dynamic) {
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

void shard::fuzz::writeFunction(ProgramBuilder &program,
                                const std::string &name, bool isPrivate,
                                int64_t count) {
  std::string outer;
  std::swap(program.out, outer);
  program.scope.clear();
  program.arguments.clear();
  program.annotated.clear();
  program.givenHints.clear();
  program.manyBlocks = program.rng.chance(40);
  program.budget = count * 2;
  // Something to begin with.
  for (int64_t i = program.rng.between(1, 2); i > 0; --i)
    program.argument(
        program.randomElem(),
        program.randomShape(program.rng.between(isPrivate ? 1 : 0, 3)), true);
  if (program.dynamic)
    program.dynamicArgument();
  writeOps(program, count);
  Function result{name, {}, {}};
  for (int64_t i = program.rng.between(1, 3); i > 0; --i) {
    bool scalar = program.rng.chance(10);
    std::optional<Val> value =
        program.pickAny([&](const Val &v) { return v.tensor || scalar; });
    if (value)
      result.results.push_back(*value);
  }
  // The last value is what the most ops lead to.
  for (size_t i = program.scope.size(); i > 0; --i)
    if (program.scope[i - 1].tensor) {
      result.results.push_back(program.scope[i - 1]);
      break;
    }
  std::vector<std::string> names, types;
  for (const Val &value : result.results) {
    names.push_back(value.name);
    types.push_back(value.type());
  }
  program.line("return " + join(names) + " : " + join(types));
  result.arguments = program.arguments;
  std::swap(program.out, outer);
  llvm::SaveAndRestore percent(program.argumentHintPercent);
  if (isPrivate && program.argumentHintPercent > 0)
    program.argumentHintPercent = program.rng.chance(50) ? 0 : 25;
  program.out += functionHeader(program, result, isPrivate) + outer + "}\n\n";
  program.functions.push_back(result);
}

static int64_t otherEntries(ProgramBuilder &program) {
  program.severalEntries = program.rng.chance(12);
  return program.severalEntries ? program.rng.between(1, 2) : 0;
}

/// One value through a chain of shardings.
static void reshardProgram(ProgramBuilder &program) {
  program.partials = program.rng.chance(40);
  program.argumentHintPercent = 80;
  Elem elem = program.rng.chance(60) ? Elem::F32 : Elem::I32;
  Val input = program.argument(
      elem, program.randomShape(program.rng.between(1, 3)), true);
  Val value = input;
  std::string outer;
  std::swap(program.out, outer);
  for (int64_t i = program.rng.between(
           1, std::max<int64_t>(1, program.options.maxOps / 2));
       i > 0; --i)
    value = program.annotate(value, true);
  program.line("return " + value.name + " : " + value.type());
  std::swap(program.out, outer);
  program.out += functionHeader(program, {"main", {input}, {value}}, false) +
                 outer + "}\n";
}

static bool focusedProgram(ProgramBuilder &program) {
  Kind kind = program.options.kind == Kind::Full ? focus(program.seed)
                                                 : program.options.kind;
  program.layouts =
      program.layouts || (kind == Kind::Reshard && program.rng.chance(35));
  if (kind == Kind::Reshard)
    reshardProgram(program);
  else if (kind == Kind::Collectives)
    collectiveProgram(program);
  else if (kind == Kind::Partial)
    partialProgram(program);
  else if (kind == Kind::Hints)
    program.rng.chance(30)   ? layoutProgram(program)
    : program.rng.chance(70) ? hintProgram(program)
                             : callProgram(program);
  else if (kind == Kind::Grids)
    gridsProgram(program);
  else if (kind == Kind::Moves)
    movesProgram(program);
  else if (kind == Kind::Families)
    familyProgram(program);
  else if (kind == Kind::Batches)
    batchProgram(program);
  else if (kind == Kind::Needed)
    program.rng.chance(50) ? layerProgram(program) : neededProgram(program);
  else if (kind == Kind::Choices)
    choiceProgram(program);
  else
    return false;
  return true;
}

/// Gives all grids of a part of the programs the same random device ids. With numbers of
/// its own: the other programs do not depend on it.
static std::string withDeviceIds(const ProgramBuilder &program,
                                 std::string text) {
  Random rng(program.seed ^ 0x6465766963657321ull);
  if (!rng.chance(25))
    return text;
  int64_t devices = 1;
  for (int64_t size : program.grid)
    devices *= size;
  std::vector<int64_t> ids(devices);
  std::iota(ids.begin(), ids.end(), 0);
  rng.shuffle(ids);
  std::string list = " device_ids = [" + shard::fuzz::list(ids) + "]";
  for (size_t at = 0;
       (at = text.find("shard.grid @", at)) != std::string::npos;) {
    at = text.find_first_of("{\n", text.find(')', at));
    // A refinement has the ids of what it refines.
    if (text.compare(at, 8, "{refines") != 0)
      text.insert(at, list);
  }
  return text;
}

/// Lets dynamic dimensions of `text` be of any extent, on each of its grids.
static std::string withUnevenDynamic(const ProgramBuilder &program,
                                     std::string text) {
  if (!program.dynamic || !program.unevenDynamic)
    return text;
  for (size_t at = 0;
       (at = text.find("shard.grid @", at)) != std::string::npos;) {
    at = text.find_first_of("{\n", at);
    text.insert(text[at] == '{' ? at + 1 : at,
                text[at] == '{' ? "uneven_dynamic, " : " {uneven_dynamic}");
  }
  return text;
}

static std::string writeProgram(ProgramBuilder &program);

std::string shard::fuzz::generate(uint64_t seed,
                                  const GenerateOptions &options) {
  ProgramBuilder program(seed, options);
  std::string text = writeProgram(program) + program.otherFunctions;
  return withUnevenDynamic(program, withDeviceIds(program, std::move(text)));
}

/// A machine of long latencies, to which small tensors are alike, or of short ones if
/// `hasShort`, perhaps with memory so slow that computing takes longer than sending. What is sent is
/// copied to and from buffers, so that no link is faster than a quarter of memory. With numbers of
/// its own: the other programs do not depend on it.
static std::string machineText(uint64_t seed, bool hasShort) {
  static const std::vector<std::string> latencies = {
      "", ", link_latency = 0.0", ", link_latency = 1.0e-11",
      ", link_latency = 1.0e-10", ", link_latency = 1.0e-9"};
  Random rng(seed ^ 0x6c6174656e6379ull);
  std::string text = " {shard.machine = {name = \"a100\"";
  if (!rng.chance(40) && hasShort)
    text += rng.oneOf(latencies);
  if (rng.chance(25) && hasShort)
    text += ", memory_bandwidth = 1.0e9, link_bandwidth = 2.5e8";
  return text + "}}";
}

/// States `machine` on each grid of `text` that has no other attribute: all grids of a program are
/// of the same devices.
static void stateMachine(std::string &text, const std::string &machine) {
  for (size_t at = 0;
       (at = text.find("shard.grid @", at)) != std::string::npos;) {
    at = text.find_first_of("{\n", at);
    if (text[at] == '\n')
      text.insert(at, machine);
  }
}

static std::string writeProgram(ProgramBuilder &program) {
  uint64_t seed = program.seed;
  const GenerateOptions &options = program.options;
  Random &rng = program.rng;
  std::vector<std::string> axisNames;
  std::string shape;
  for (size_t axis = 0; axis < program.grid.size(); ++axis) {
    shape += (axis ? "x" : "") + std::to_string(program.grid[axis]);
    axisNames.push_back("\"x" + std::to_string(axis) + "\"");
  }
  program.out = "shard.grid @grid(shape = " + shape + ")" +
                (program.names ? " axes [" + join(axisNames) + "]" : "") +
                "\n\n";
  if (focusedProgram(program)) {
    // Plans, and what is packed, by time instead of bytes.
    Kind kind = options.kind == Kind::Full ? focus(seed) : options.kind;
    // Without latencies a program may send more bytes than its formula says, so that its ops
    // work on parts: that takes less time.
    if (seed % 4 == 2 && kind != Kind::Needed && kind != Kind::Choices)
      stateMachine(program.out, machineText(seed, program.mostBytes <= 0 &&
                                                      kind != Kind::Batches));
    return program.out;
  }
  program.chooseSort();
  Kind kind = options.kind;
  int64_t helpers = kind == Kind::Control ? rng.between(0, 2)
                    : kind == Kind::Full  ? rng.between(0, 1)
                                          : 0;
  int64_t others = kind == Kind::Ops ? 0 : otherEntries(program);
  if (others > 0)
    helpers = std::max<int64_t>(helpers, 1);
  for (int64_t i = 0; i < helpers; ++i)
    writeFunction(program, "helper" + std::to_string(i), true,
                  rng.between(1, 4));
  for (int64_t i = 0; i < others; ++i)
    writeFunction(program, "entry" + std::to_string(i), false,
                  rng.between(1, 4));
  writeFunction(program, "main", false, rng.between(1, options.maxOps));
  if (rng.chance(15))
    return addLoopHints(program.out, rng, rng.oneOf<int64_t>({10, 30, 60}),
                        program.contradictions);
  return program.out;
}
