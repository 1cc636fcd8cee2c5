//===- ForallOps.cpp - scf.forall in a random program ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over tiles of one or two shared outputs of one shape: each iteration reads
// its tile of an output and of another tensor, computes, and writes its tile. The
// dimensions that no induction variable walks along are taken whole.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

bool shard::fuzz::scfForall(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  std::optional<Val> first = program.pickTensor(1);
  if (!first)
    return false;
  const Shape shape = first->shape;
  Shape tile = shape;
  std::vector<std::string> inductions, bounds, steps, zeros, offsets, ones;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    ones.push_back("1");
    // At least one dimension, two at most.
    bool last = dim + 1 == shape.size() && inductions.empty();
    if (inductions.size() == 2 || !(last || program.rng.chance(50))) {
      offsets.push_back("0");
      continue;
    }
    tile[dim] =
        shape[dim] % 2 == 0 && program.rng.chance(40) ? shape[dim] / 2 : 1;
    inductions.push_back(program.fresh());
    offsets.push_back(inductions.back());
    zeros.push_back("0");
    bounds.push_back(std::to_string(shape[dim]));
    steps.push_back(std::to_string(tile[dim]));
  }
  std::vector<Val> inits{program.clamped(*first, 8)}, shared;
  if (program.rng.chance(40))
    inits.push_back(
        program.clamped(program.need(program.randomElem(), shape), 8));
  Val other = program.clamped(program.need(first->elem, shape), 8);
  std::vector<std::string> assigned;
  for (const Val &init : inits) {
    Val argument = init;
    argument.name = program.fresh();
    argument.bound = 8;
    shared.push_back(argument);
    assigned.push_back(argument.name + " = " + init.name);
  }
  std::string place =
      "[" + join(offsets) + "] [" + list(tile) + "] [" + join(ones) + "] : ";
  program.inIteration = true;
  std::string text = program.region([&] {
    for (const std::string &induction : inductions)
      program.add({induction, Elem::Index, false, {}, 12});
    std::vector<Val> sources = shared;
    sources.push_back(other);
    for (const Val &source : sources)
      program.define("tensor.extract_slice " + source.name + place +
                         source.type() + " to " + tensorType(source.elem, tile),
                     source.elem, tile, 8);
    const std::vector<Maker> makers = {elementwise, elementwise, compareSelect,
                                       genericElementwise, extractElement};
    for (int64_t i = program.rng.between(1, 3); i > 0; --i)
      program.rng.oneOf(makers)(program);
    if (program.rng.chance(20))
      program.randomHint();
    std::vector<Val> parts;
    for (const Val &argument : shared)
      parts.push_back(program.clamped(program.need(argument.elem, tile), 8));
    program.line("scf.forall.in_parallel {");
    for (size_t i = 0; i < shared.size(); ++i)
      program.line("  tensor.parallel_insert_slice " + parts[i].name +
                   " into " + shared[i].name + place + parts[i].type() +
                   " into " + shared[i].type());
    program.line("}");
  });
  program.inIteration = false;
  std::string name = program.fresh();
  program.line(multiple(name, shared.size()) + " = scf.forall (" +
               join(inductions) + ") = (" + join(zeros) + ") to (" +
               join(bounds) + ") step (" + join(steps) + ") shared_outs(" +
               join(assigned) + ") -> (" + typeList(shared) + ") {");
  program.out += text;
  program.line("}");
  addResults(program, name, shared);
  return true;
}
