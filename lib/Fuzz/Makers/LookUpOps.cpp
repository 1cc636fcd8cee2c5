//===- LookUpOps.cpp - Elements at places that come from data -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedOps.h"

#include "shard/Fuzz/Makers.h"

#include "shard/Fuzz/ProgramBuilder.h"

#include <algorithm>

using namespace shard::fuzz;

/// An element type of indices. Their values are any: those outside of a table stand for the
/// nearest place in it.
static Elem randomIndexType(ProgramBuilder &program) {
  return program.rng.oneOf(
      std::vector<Elem>{Elem::Index, Elem::I32, Elem::I64, Elem::I8});
}

Shape shard::fuzz::gatheredShape(const Val &table,
                                 const std::vector<int64_t> &dims,
                                 int64_t places, bool reduced) {
  Shape shape{places};
  for (int64_t dim = 0; dim < int64_t(table.shape.size()); ++dim)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end())
      shape.push_back(table.shape[dim]);
    else if (!reduced)
      shape.push_back(1);
  return shape;
}

void shard::fuzz::gather(ProgramBuilder &program, const Val &table,
                         const std::string &indices,
                         const std::string &indicesType,
                         const std::vector<int64_t> &dims, const Shape &shape) {
  program.define("tensor.gather " + table.name + "[" + indices +
                     "] gather_dims([" + list(dims) + "]) : (" + table.type() +
                     ", " + indicesType + ") -> " +
                     tensorType(table.elem, shape),
                 table.elem, shape, table.bound);
}

/// tensor.gather by one or two dimensions, with indices of rank 1 or 2.
static bool gatherByData(ProgramBuilder &program) {
  std::optional<Val> table = program.pickTensor(1);
  if (!table)
    return false;
  auto rank = int64_t(table->shape.size());
  std::vector<int64_t> dims{program.rng.between(0, rank - 1)};
  if (rank > 1 && program.rng.chance(40)) {
    int64_t other = program.rng.between(0, rank - 2);
    dims.push_back(other + (other >= dims[0]));
    std::sort(dims.begin(), dims.end());
  }
  Shape places{program.rng.between(1, 7), int64_t(dims.size())};
  Val indices = program.need(randomIndexType(program), places);
  bool reduced = program.rng.chance(50);
  gather(program, *table, indices.name, indices.type(), dims,
         gatheredShape(*table, dims, places[0], reduced));
  return true;
}

/// The look-up of slices in the body of a linalg.generic, as frontends write it. Each element
/// of a batch may have indices of its own: table[b, ids[b]].
static bool lookUp(ProgramBuilder &program) {
  std::optional<Val> table = program.pickTensor(2);
  if (!table)
    return false;
  size_t rank = table->shape.size();
  auto reached = size_t(program.rng.between(0, int64_t(rank) - 1));
  // Loop 0 runs over the indices, the others over the dimensions that are whole, in any
  // order.
  std::vector<size_t> whole;
  for (size_t dim = 0; dim < rank; ++dim)
    if (dim != reached)
      whole.push_back(dim);
  program.rng.shuffle(whole);
  Shape shape{program.rng.between(1, 7)}, idShape = shape;
  std::vector<std::string> loops{"d0"}, kinds{"\"parallel\""}, at(rank);
  std::vector<std::string> idLoops = loops;
  bool hasBatch = program.rng.chance(40);
  for (size_t dim : whole) {
    shape.push_back(table->shape[dim]);
    loops.push_back("d" + std::to_string(loops.size()));
    kinds.push_back("\"parallel\"");
    if (hasBatch && program.rng.chance(60)) {
      bool isLast = program.rng.chance(50);
      idShape.insert(isLast ? idShape.end() : idShape.begin(), shape.back());
      idLoops.insert(isLast ? idLoops.end() : idLoops.begin(), loops.back());
    }
  }
  Val ids = program.need(randomIndexType(program), idShape);
  std::string element = program.fresh(), old = program.fresh(),
              result = program.fresh(), found = program.fresh();
  Val init = program.empty(table->elem, shape);
  std::string map = "affine_map<(" + join(loops) + ") -> (";
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               join(idLoops) + ")>, " + map + join(loops) +
               ")>], iterator_types = [" + join(kinds) + "]} " +
               insOuts({ids}, init) + " {");
  program.line("^bb0(" + element + ": " + name(ids.elem) + ", " + old + ": " +
               name(table->elem) + "):");
  at[reached] = element;
  if (ids.elem != Elem::Index) {
    at[reached] = program.fresh();
    program.line("  " + at[reached] + " = arith.index_cast " + element + " : " +
                 name(ids.elem) + " to index");
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    at[whole[i]] = program.fresh();
    program.line("  " + at[whole[i]] + " = linalg.index " +
                 std::to_string(i + 1) + " : index");
  }
  program.line("  " + found + " = tensor.extract " + table->name + "[" +
               join(at) + "] : " + table->type());
  program.line("  linalg.yield " + found + " : " + name(table->elem));
  program.line("} -> " + init.type());
  program.add({result, table->elem, true, shape, table->bound});
  return true;
}

/// A slice of one element of some dimensions, at a constant or at a place from data, which
/// may lie outside. Dimensions are dropped by the slice, by a reshape, or kept.
static bool sliceOne(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  std::vector<std::string> offsets;
  Shape sizes, kept, strides(a->shape.size(), 1);
  std::vector<bool> ones;
  for (int64_t extent : a->shape) {
    bool isOne = program.rng.chance(kept.size() == ones.size() ? 75 : 25);
    ones.push_back(isOne);
    sizes.push_back(isOne ? 1 : extent);
    if (!isOne)
      kept.push_back(extent);
    offsets.push_back(!isOne ? "0"
                      : program.rng.chance(50)
                          ? program.needScalar(Elem::Index).name
                          : std::to_string(program.rng.between(0, extent - 1)));
  }
  bool drops = program.rng.chance(50);
  bool collapses = !drops && !kept.empty() && kept.size() < ones.size() &&
                   program.rng.chance(70);
  Val slice = program.define("tensor.extract_slice " + a->name + "[" +
                                 join(offsets) + "] [" + list(sizes) + "] [" +
                                 list(strides) + "] : " + a->type() + " to " +
                                 tensorType(a->elem, drops ? kept : sizes),
                             a->elem, drops ? kept : sizes, a->bound);
  if (!collapses)
    return true;
  // Each dimension that is kept takes the dropped ones in front of it, the last one those
  // behind it, too.
  std::vector<int64_t> groups(kept.size());
  size_t group = 0;
  for (bool isOne : ones) {
    ++groups[std::min(group, kept.size() - 1)];
    group += !isOne;
  }
  program.define("tensor.collapse_shape " + slice.name + " " +
                     groupsText(groups) + " : " + slice.type() + " into " +
                     tensorType(a->elem, kept),
                 a->elem, kept, a->bound);
  return true;
}

void shard::fuzz::registerLookUpMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, gatherByData);
  makers.add(MakerGroup::Ops, lookUp);
  makers.add(MakerGroup::Ops, sliceOne);
  makers.add(MakerGroup::Places, gatherByData, 2);
  makers.add(MakerGroup::Places, lookUp, 2);
  makers.add(MakerGroup::Places, sliceOne, 2);
}
