//===- GridPrograms.cpp - Programs on two grids ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two grids with the same devices in one function. Each has a side: a scope of its own,
// so that no op ties values of both. Values go from one side to the other by
// annotations for users only.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {
struct Side {
  std::string gridName;
  std::vector<int64_t> grid;
  std::vector<Val> scope;
};
} // namespace

/// Other sizes with the same product.
static std::vector<int64_t> otherSizes(ProgramBuilder &program) {
  std::vector<int64_t> primes;
  for (int64_t size : program.grid)
    for (int64_t prime = 2; size > 1; ++prime)
      for (; size % prime == 0; size /= prime)
        primes.push_back(prime);
  if (program.rng.chance(50))
    program.rng.shuffle(primes);
  std::vector<int64_t> sizes = {1};
  for (int64_t prime : primes)
    if (sizes.back() == 1 || program.rng.chance(50))
      sizes.back() *= prime;
    else
      sizes.push_back(prime);
  return sizes;
}

static void enter(ProgramBuilder &program, Side &side) {
  std::swap(program.scope, side.scope);
  std::swap(program.grid, side.grid);
  std::swap(program.gridName, side.gridName);
}

/// Hints for the arguments that were added on the side that the program is on.
static void hintArguments(ProgramBuilder &program, size_t &hinted) {
  for (; hinted < program.arguments.size(); ++hinted) {
    const Val &argument = program.arguments[hinted];
    if (argument.tensor && program.rng.chance(60))
      program.givenHints[argument.name] =
          program.shardingAttr(argument, program.rng.chance(20));
  }
}

/// Takes a value over to the side that the program is on.
static void cross(ProgramBuilder &program, const Side &from,
                  std::vector<Val> &results) {
  std::vector<Val> tensors;
  for (const Val &value : from.scope)
    if (value.tensor && !value.shape.empty())
      tensors.push_back(value);
  if (tensors.empty())
    return;
  // Mostly a late one, which ops have made.
  Val value =
      program.rng.chance(70) ? tensors.back() : program.rng.oneOf(tensors);
  if (program.rng.chance(60)) {
    program.annotate(value, true);
    return;
  }
  Val result = value;
  result.name = program.fresh();
  program.line(result.name + " = shard.constraint " + value.name + " to " +
               program.shardingAttr(value, false) + " : " + value.type());
  // Without a user it would be for the value itself.
  results.push_back(program.define(
      isFloat(value.elem) ? "arith.negf " + result.name + " : " + value.type()
                          : "arith.andi " + result.name + ", " + result.name +
                                " : " + value.type(),
      value.elem, value.shape, value.bound));
  program.add(result);
}

static void giveBack(ProgramBuilder &program, const Side &side,
                     std::vector<Val> &results) {
  for (size_t i = side.scope.size(); i > 0; --i)
    if (side.scope[i - 1].tensor) {
      results.push_back(side.scope[i - 1]);
      return;
    }
}

void shard::fuzz::gridsProgram(ProgramBuilder &program) {
  Side other{"other", otherSizes(program), {}};
  std::string shape;
  for (int64_t size : other.grid)
    shape += (shape.empty() ? "" : "x") + std::to_string(size);
  program.out += "shard.grid @other(shape = " + shape + ")\n\n";
  // The axes of the other grid have no names.
  program.names = false;
  std::string outer;
  std::swap(program.out, outer);
  size_t hinted = 0;
  std::vector<Val> results;
  int64_t steps =
      program.rng.between(2, std::max<int64_t>(2, program.options.maxOps / 3));
  program.budget = program.options.maxOps;
  for (int64_t step = 0; step < steps; ++step) {
    if (step)
      enter(program, other);
    if (program.scope.empty())
      program.argument(program.randomElem(),
                       program.randomShape(program.rng.between(1, 3)), true);
    if (step && program.rng.chance(70))
      cross(program, other, results);
    writeOps(program, program.rng.between(1, 3));
    // Mostly what the other side takes over. No op but this one says on which grid it is.
    if (program.rng.chance(20))
      manualComputation(program);
    hintArguments(program, hinted);
  }
  Function result{"main", program.arguments, std::move(results)};
  Side last{"", {}, program.scope};
  giveBack(program, last, result.results);
  giveBack(program, other, result.results);
  if (program.gridName == "other")
    enter(program, other);
  program.argumentHintPercent = 0;
  program.line("return " + nameList(result.results) + " : " +
               typeList(result.results));
  std::swap(program.out, outer);
  program.out += functionHeader(program, result, false) + outer + "}\n";
}
