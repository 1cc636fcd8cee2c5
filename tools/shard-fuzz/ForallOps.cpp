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

#include "Generator.h"

using namespace shard::fuzz;

bool Generator::scfForall() {
  if (depth >= 2)
    return false;
  std::optional<Val> first = pickTensor(1);
  if (!first)
    return false;
  const Shape shape = first->shape;
  Shape tile = shape;
  std::vector<std::string> inductions, bounds, steps, zeros, offsets, ones;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    ones.push_back("1");
    // At least one dimension, two at most.
    bool last = dim + 1 == shape.size() && inductions.empty();
    if (inductions.size() == 2 || !(last || rng.chance(50))) {
      offsets.push_back("0");
      continue;
    }
    tile[dim] = shape[dim] % 2 == 0 && rng.chance(40) ? shape[dim] / 2 : 1;
    inductions.push_back(fresh());
    offsets.push_back(inductions.back());
    zeros.push_back("0");
    bounds.push_back(std::to_string(shape[dim]));
    steps.push_back(std::to_string(tile[dim]));
  }
  std::vector<Val> inits{clamped(*first, 8)}, shared;
  if (rng.chance(40))
    inits.push_back(clamped(need(randomElem(), shape), 8));
  Val other = clamped(need(first->elem, shape), 8);
  std::vector<std::string> assigned;
  for (const Val &init : inits) {
    Val argument = init;
    argument.name = fresh();
    argument.bound = 8;
    shared.push_back(argument);
    assigned.push_back(argument.name + " = " + init.name);
  }
  std::string place =
      "[" + join(offsets) + "] [" + list(tile) + "] [" + join(ones) + "] : ";
  std::string text = region([&] {
    for (const std::string &induction : inductions)
      add({induction, Elem::Index, false, {}, 12});
    std::vector<Val> sources = shared;
    sources.push_back(other);
    for (const Val &source : sources)
      define("tensor.extract_slice " + source.name + place + source.type() +
                 " to " + tensorType(source.elem, tile),
             source.elem, tile, 8);
    const std::vector<Maker> makers = {
        &Generator::elementwise, &Generator::elementwise,
        &Generator::compareSelect, &Generator::genericElementwise,
        &Generator::extractElement};
    for (int64_t i = rng.between(1, 3); i > 0; --i)
      (this->*rng.oneOf(makers))();
    if (rng.chance(20))
      randomHint();
    std::vector<Val> parts;
    for (const Val &argument : shared)
      parts.push_back(clamped(need(argument.elem, tile), 8));
    line("scf.forall.in_parallel {");
    for (size_t i = 0; i < shared.size(); ++i)
      line("  tensor.parallel_insert_slice " + parts[i].name + " into " +
           shared[i].name + place + parts[i].type() + " into " +
           shared[i].type());
    line("}");
  });
  std::string name = fresh();
  line(multiple(name, shared.size()) + " = scf.forall (" + join(inductions) +
       ") = (" + join(zeros) + ") to (" + join(bounds) + ") step (" +
       join(steps) + ") shared_outs(" + join(assigned) + ") -> (" +
       typeList(shared) + ") {");
  out += text;
  line("}");
  addResults(name, shared);
  return true;
}
