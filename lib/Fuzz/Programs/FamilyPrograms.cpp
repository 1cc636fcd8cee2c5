//===- FamilyPrograms.cpp - Programs of one family of ops -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of few ops, all of one family such as windows, reshapes or packs, on
// arguments that are split along most axes of the grid. Programs of all kinds of ops
// come to such an op too, but rarely with an operand that is split where it matters.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// An extent of an argument: several elements for a device of most grids, and for
/// reshapes a number of many divisors.
static int64_t familyExtent(Random &rng, MakerGroup family, int64_t rank) {
  static const std::vector<int64_t> composite = {4, 6, 8, 12, 12, 16, 18, 24};
  if ((family == MakerGroup::Reshapes || family == MakerGroup::Packs) &&
      rng.chance(80))
    return rng.oneOf(composite);
  return rank == 1 ? rng.between(3, 30) : rng.between(2, 12);
}

static Shape familyShape(ProgramBuilder &program, MakerGroup family) {
  Shape shape(program.rng.oneOf<int64_t>({1, 1, 2, 2, 2, 3}));
  for (int64_t &extent : shape)
    extent = familyExtent(program.rng, family, shape.size());
  while (numElements(shape) > 1000)
    *std::max_element(shape.begin(), shape.end()) = program.rng.between(2, 5);
  return shape;
}

/// An argument with dynamic dimensions, whose extents are multiples of the number of
/// devices where they have to divide evenly.
static void dynamicArgument(ProgramBuilder &program, Elem elem) {
  Shape shape = familyShape(program, MakerGroup::Dynamic);
  std::vector<bool> dims(shape.size());
  dims[program.rng.between(0, int64_t(shape.size()) - 1)] = true;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (program.rng.chance(30))
      dims[dim] = true;
    if (dims[dim])
      shape[dim] = program.dynamicSize();
  }
  if (numElements(shape) > mostDynamicElements) {
    shape = {program.dynamicSize()};
    dims = {true};
  }
  program.argumentLike(tidied({"", elem, true, shape, inputBound, dims}));
}

/// A hint that splits `value` along most axes, in any order. Along those of two halves
/// it splits by one half or by each of them apart.
static std::string splitHint(ProgramBuilder &program, const Val &value) {
  Shape axes;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  program.rng.shuffle(axes);
  std::vector<std::vector<std::string>> dims(value.shape.size());
  auto place = [&](const std::string &axis) {
    dims[program.rng.between(0, int64_t(dims.size()) - 1)].push_back(axis);
  };
  for (int64_t axis : axes) {
    if (!program.rng.chance(85))
      continue;
    std::string text = program.axisText(axis);
    // A half of an axis refines the grid.
    if (program.grid[axis] == 4 && program.rng.chance(20))
      place(text + (program.rng.chance(50) ? ":(1)2" : ":(2)2"));
    else
      place(text);
  }
  bool isOpen = program.rng.chance(20);
  std::vector<std::string> lists;
  for (std::vector<std::string> &dim : dims) {
    if (isOpen)
      dim.push_back("?");
    lists.push_back("[" + join(dim) + "]");
  }
  return "<@grid, [" + join(lists) + "]>";
}

void shard::fuzz::familyProgram(ProgramBuilder &program) {
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::F32,
                                          Elem::I32, Elem::I32, Elem::I8,
                                          Elem::I16, Elem::I1};
  static const std::vector<MakerGroup> families = {
      MakerGroup::Windows, MakerGroup::Windows,    MakerGroup::Windows,
      MakerGroup::Windows, MakerGroup::Reshapes,   MakerGroup::Reshapes,
      MakerGroup::Packs,   MakerGroup::Places,     MakerGroup::Places,
      MakerGroup::Places,  MakerGroup::Reductions, MakerGroup::Reductions,
      MakerGroup::Loops,   MakerGroup::Elements,   MakerGroup::Traps,
      MakerGroup::Traps,   MakerGroup::Tosa,       MakerGroup::Specials,
      MakerGroup::Dynamic, MakerGroup::Dynamic,    MakerGroup::Dynamic,
      MakerGroup::Dynamic, MakerGroup::Large,      MakerGroup::Large};
  MakerGroup family = program.rng.oneOf(families);
  program.argumentHintPercent = 0;
  program.hintPercent = program.rng.chance(80) ? 0 : 20;
  std::string outer;
  std::swap(program.out, outer);
  program.specials = family == MakerGroup::Specials;
  program.traps = family == MakerGroup::Traps;
  Elem elem = program.rng.oneOf(elems);
  if (program.specials)
    elem = Elem::F32;
  else if (program.traps)
    elem = program.rng.oneOf<Elem>({Elem::I8, Elem::I16, Elem::I32});
  program.dynamic = family == MakerGroup::Dynamic;
  program.unevenDynamic = program.dynamic && program.rng.chance(65);
  bool isLarge = family == MakerGroup::Large;
  // Large products have arguments of their own.
  for (int64_t left = isLarge ? 0 : program.rng.between(1, 2); left > 0; --left)
    if (program.dynamic)
      dynamicArgument(program, elem);
    else
      program.argument(elem, familyShape(program, family), true);
  program.takesArguments = true;
  program.budget = 4;
  for (int64_t left = isLarge ? 1 : program.rng.between(1, 3); left > 0;
       --left) {
    makeOne(program, family, 10);
    if (program.rng.chance(program.hintPercent))
      program.randomHint();
  }
  std::vector<Val> results;
  for (size_t i = program.scope.size(); i > 0 && results.size() < 2; --i)
    if (program.scope[i - 1].tensor &&
        (results.empty() || program.rng.chance(30)))
      results.push_back(program.scope[i - 1]);
  program.line("return " + nameList(results) + " : " + typeList(results));
  for (const Val &value : program.arguments)
    if (value.tensor && !value.shape.empty() && program.rng.chance(80))
      program.givenHints[value.name] = splitHint(program, value);
  for (const Val &value : results)
    if (!value.shape.empty() && program.rng.chance(60))
      program.givenHints.insert({value.name, splitHint(program, value)});
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}
