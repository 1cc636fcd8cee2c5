//===- LayerSums.cpp - Sums that other ops stand between ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over what is split of which few bytes are sent if ops are moved in front of them. As in
// LayerPrograms.cpp a formula says how many bytes a device sends at most.
//
//===----------------------------------------------------------------------===//

#include "LayerPrograms.h"
#include "SharedOps.h"

using namespace shard::fuzz;

/// Sums of which less is sent behind an op: they are narrowed, or a part of them is used. One of them
/// is used alone, and complete there, and added to the others.
void LayerProgram::narrowedSums() {
  Shape shape = {rng.between(1, 4)};
  bool isCast = rng.chance(50);
  Elem elem = isCast ? Elem::I64 : Elem::I32;
  int64_t columns = isCast ? shape[0] : 2 * shape[0];
  Val zero = program.filled(elem, {columns}, 0), first, sum;
  for (int64_t left = rng.between(2, 3); left > 0; --left) {
    Val x = argument({n * rng.between(1, 3), columns}, {all, {}}, 100, elem);
    Val wide = define("linalg.reduce { arith.addi } " + insOuts({x}, zero) +
                          " dimensions = [0]",
                      {columns}, elem);
    Val next = isCast
                   ? define("arith.trunci " + wide.name + " : " + wide.type() +
                                " to " + tensorType(Elem::I32, shape),
                            shape)
                   : slice(wide, {0}, shape);
    sum = first.name.empty() ? next : combined("addi", sum, next);
    if (first.name.empty())
      first = next;
  }
  allReduces(n, 2 * numElements(shape));
  result(pointwise(first), {{}});
  result(sum, {{}});
}

/// Two products whose sums are scattered, and between them a tensor that is split like the result:
/// one reduce_scatter is enough, in front of which each device adds its block at its place.
void LayerProgram::blockBetweenSums() {
  Shape shape = {n * rng.between(1, 2), rng.between(1, 3)};
  auto summands = [&] {
    // To gather factors as small as the sum would send less for one product.
    int64_t inner = n * rng.between(2, 4);
    Val a = argument({shape[0], inner}, {{}, all});
    return product(a, argument({inner, shape[1]}, {all, {}}));
  };
  auto op = [&] { return rng.chance(60) ? "addi" : "subi"; };
  Val sum = combined(op(), summands(), argument(shape, {all, {}}));
  result(combined(op(), sum, summands()), {all, {}});
  scatters(n, numElements(shape));
}
