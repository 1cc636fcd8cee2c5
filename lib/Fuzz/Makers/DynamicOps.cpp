//===- DynamicOps.cpp - Dynamic dimensions in a random program ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generator knows the extent of every dimension; that of a dynamic one is a
// multiple of the number of devices, as the contract wants, or on grids with
// uneven_dynamic any number. Only what is written
// here, and what passes values on as they are, sees values that have such.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace shard::fuzz;

Val shard::fuzz::tidied(Val value) {
  value.dynamic.resize(value.shape.size());
  if (std::find(value.dynamic.begin(), value.dynamic.end(), true) ==
      value.dynamic.end())
    value.dynamic.clear();
  return value;
}

static bool isDynamic(const Val &value, size_t dim) {
  return dim < value.dynamic.size() && value.dynamic[dim];
}

std::optional<Val>
ProgramBuilder::pickAny(const std::function<bool(const Val &)> &filter) {
  llvm::SaveAndRestore sees(seesDynamic, dynamic);
  return pick(filter);
}

std::optional<Val> ProgramBuilder::pickDynamic(int64_t minRank) {
  return pickAny([&](const Val &v) {
    return !v.dynamic.empty() && int64_t(v.shape.size()) >= minRank;
  });
}

int64_t ProgramBuilder::dynamicUnit() const {
  int64_t devices = 1;
  for (int64_t size : grid)
    devices *= size;
  return unevenDynamic ? 1 : devices;
}

int64_t ProgramBuilder::dynamicSize() {
  int64_t devices = 1;
  for (int64_t size : grid)
    devices *= size;
  int64_t most = devices > 8 ? 2 : devices > 4 ? 3 : 4;
  if (unevenDynamic)
    return rng.between(1, std::min<int64_t>(devices * most, 13));
  return devices * rng.between(1, most);
}

Val ProgramBuilder::dynamicArgument() {
  Elem elem = randomElem();
  Shape shape = randomShape(rng.between(1, 3));
  std::vector<bool> dims(shape.size());
  dims[rng.between(0, int64_t(shape.size()) - 1)] = true;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (rng.chance(25))
      dims[dim] = true;
    if (dims[dim])
      shape[dim] = dynamicSize();
  }
  if (numElements(shape) > mostDynamicElements) {
    shape.resize(1);
    dims = {true};
    shape[0] = dynamicSize();
  }
  return argumentLike(tidied({"", elem, true, shape, inputBound, dims}));
}

Val ProgramBuilder::argumentLike(const Val &like) {
  argument(like.elem, like.shape, true);
  arguments.back().dynamic = scope.front().dynamic = like.dynamic;
  return arguments.back();
}

std::string ProgramBuilder::extentOf(const Val &value, int64_t dim) {
  if (value.name.empty() || rng.chance(25))
    return scalarConstant(Elem::Index, value.shape[dim]).name;
  Val number = scalarConstant(Elem::Index, dim);
  std::string extent = fresh();
  line(extent + " = tensor.dim " + value.name + ", " + number.name + " : " +
       value.type());
  return extent;
}

Val ProgramBuilder::emptyLike(const Val &like) {
  Val value = tidied(like);
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < value.dynamic.size(); ++dim)
    if (value.dynamic[dim])
      sizes.push_back(extentOf(like, dim));
  value.name = fresh();
  line(value.name + " = tensor.empty(" + join(sizes) + ") : " + value.type());
  return value;
}

Val ProgramBuilder::filledLike(const Val &like, int64_t number) {
  Val scalar =
      scalarConstant(like.elem, like.elem == Elem::I1 ? number & 1 : number);
  Val target = emptyLike(like);
  Val result = target;
  result.name = fresh();
  result.bound = std::abs(number);
  line(result.name + " = linalg.fill ins(" + scalar.name + " : " +
       scalar.type() + ") outs(" + target.name + " : " + target.type() +
       ") -> " + target.type());
  return add(result);
}

Val ProgramBuilder::needLike(const Val &like) {
  if (like.dynamic.empty())
    return need(like.elem, like.shape);
  if (rng.chance(75))
    if (std::optional<Val> found = pickAny([&](const Val &v) {
          return v.type() == like.type() && v.shape == like.shape &&
                 v.bound <= boundLimit / 64;
        }))
      return *found;
  if (arguments.size() < 6 && manualAxes.empty() && rng.chance(60))
    return argumentLike(like);
  // `like` may not be visible here.
  Val nameless = like;
  nameless.name.clear();
  return filledLike(nameless, rng.between(-2, 2));
}

/// Adds `like` under a new name that `right` computes.
Val ProgramBuilder::defineLike(const std::string &right, Val like,
                               double bound) {
  like = tidied(like);
  like.name = fresh();
  like.bound = bound;
  line(like.name + " = " + right);
  return add(like);
}

static bool dynamicElementwise(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Val b = program.needLike(*a);
  double sum = a->bound + b.bound, larger = std::max(a->bound, b.bound);
  std::string operands = " " + a->name + ", " + b.name + " : " + a->type();
  if (isFloat(a->elem)) {
    if (a->bound * b.bound <= 4096 && program.rng.chance(30))
      program.defineLike("arith.mulf" + operands, *a, a->bound * b.bound);
    else if (sum <= boundLimit && program.rng.chance(60))
      program.defineLike(
          (program.rng.chance(50) ? "arith.addf" : "arith.subf") + operands, *a,
          sum);
    else if (program.rng.chance(30))
      program.defineLike("arith.negf " + a->name + " : " + a->type(), *a,
                         a->bound);
    else
      program.defineLike("arith.maximumf" + operands, *a, larger);
  } else if (a->elem == Elem::I1) {
    static const std::vector<std::string> ops = {"arith.andi", "arith.ori",
                                                 "arith.xori"};
    program.defineLike(program.rng.oneOf(ops) + operands, *a, 1);
  } else {
    static const std::vector<std::string> ops = {
        "arith.addi",  "arith.subi",  "arith.muli",
        "arith.maxsi", "arith.minui", "arith.divsi",
        "arith.remui", "arith.andi",  "arith.xori"};
    program.defineLike(program.rng.oneOf(ops) + operands, *a, 0);
  }
  return true;
}

/// A comparison, or another op of two operands, which are often one value: MLIR folds some of
/// these to a constant.
static bool dynamicCompare(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Val b = program.rng.chance(40) ? *a : program.needLike(*a);
  std::string operands = a->name + ", " + b.name + " : " + a->type();
  Val like = *a;
  if (!isFloat(a->elem) && program.rng.chance(30)) {
    static const std::vector<std::string> ops = {"arith.xori ", "arith.subi ",
                                                 "arith.ori ", "arith.minsi "};
    program.defineLike(program.rng.oneOf(ops) + operands, like,
                       a->elem == Elem::I1 ? 1 : 0);
    return true;
  }
  static const std::vector<std::string> predicates = {
      "eq", "ne", "slt", "sge", "ult", "ugt", "sle"};
  static const std::vector<std::string> ordered = {"oeq", "one", "olt", "oge",
                                                   "ult", "ord", "uno"};
  std::string predicate = program.rng.oneOf(predicates),
              ofFloats = program.rng.oneOf(ordered);
  like.elem = Elem::I1;
  program.defineLike((isFloat(a->elem) ? "arith.cmpf " + ofFloats
                                       : "arith.cmpi " + predicate) +
                         ", " + operands,
                     like, 1);
  return true;
}

/// A function of one value with a small slope everywhere.
static bool dynamicSmooth(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a || !isFloat(a->elem))
    return false;
  static const std::vector<std::string> ops = {"tanh", "sin", "cos", "atan",
                                               "erf"};
  program.defineLike("math." + program.rng.oneOf(ops) + " " + a->name + " : " +
                         a->type(),
                     *a, 2);
  return true;
}

static bool dynamicSelect(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Val b = program.needLike(*a), flag = *a;
  flag.elem = Elem::I1;
  if (!isFloat(a->elem) || program.rng.chance(40))
    flag = program.needLike(flag);
  else
    flag = program.defineLike("arith.cmpf olt, " + a->name + ", " + b.name +
                                  " : " + a->type(),
                              flag, 1);
  program.defineLike("arith.select " + flag.name + ", " + a->name + ", " +
                         b.name + " : " + flag.type() + ", " + a->type(),
                     *a, std::max(a->bound, b.bound));
  return true;
}

static bool dynamicMatmul(ProgramBuilder &program) {
  std::optional<Val> a = program.pickAny([](const Val &v) {
    return !v.dynamic.empty() && v.shape.size() >= 1 && v.shape.size() <= 3 &&
           v.elem != Elem::I1 && v.elem != Elem::Index;
  });
  if (!a)
    return false;
  size_t rank = a->shape.size();
  Val b = *a, c = *a;
  bool dynamicColumns = program.rng.chance(40);
  int64_t n = dynamicColumns ? program.dynamicSize() : program.randomExtent();
  std::string op;
  std::vector<bool> dims = a->dynamic;
  if (rank == 1) {
    op = "vecmat";
    b.shape = {a->shape[0], n};
    b.dynamic = {dims[0], dynamicColumns};
    c.shape = {n};
    c.dynamic = {dynamicColumns};
  } else if (program.rng.chance(25)) {
    op = rank == 2 ? "matvec" : "batch_matvec";
    b.shape.erase(b.shape.end() - 2);
    b.dynamic.erase(b.dynamic.end() - 2);
    c.shape.pop_back();
    c.dynamic.pop_back();
  } else {
    op = rank == 2 ? "matmul" : "batch_matmul";
    b.shape[rank - 2] = a->shape[rank - 1];
    b.dynamic[rank - 2] = dims[rank - 1];
    b.shape[rank - 1] = c.shape[rank - 1] = n;
    b.dynamic[rank - 1] = c.dynamic[rank - 1] = dynamicColumns;
  }
  if (numElements(b.shape) > mostDynamicElements ||
      numElements(c.shape) > mostDynamicElements)
    return false;
  int64_t count = a->shape[rank - 1];
  Val left = program.clamped(*a, 64);
  Val right = program.clamped(program.needLike(tidied(b)), 64);
  c = tidied(c);
  // Its extents follow from those of the operands, not from `c`.
  c.name.clear();
  Val init =
      program.rng.chance(60) ? program.filledLike(c, 0) : program.needLike(c);
  program.defineLike("linalg." + op + " " + insOutsTo({left, right}, init),
                     init,
                     left.bound * right.bound * double(count) + init.bound);
  return true;
}

static bool dynamicReduce(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Shape dims;
  int64_t count = 1;
  Val result = *a;
  result.shape.clear();
  result.dynamic.clear();
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    if (program.rng.chance(50)) {
      dims.push_back(dim);
      count *= a->shape[dim];
    } else {
      result.shape.push_back(a->shape[dim]);
      result.dynamic.push_back(isDynamic(*a, dim));
    }
  }
  if (dims.empty())
    return false;
  auto [op, neutral, sum] = randomCombiner(
      program, a->elem, a->bound * double(count) <= boundLimit / 2);
  result = tidied(result);
  result.name.clear();
  Val init = program.rng.chance(60) ? program.filledLike(result, neutral)
                                    : program.needLike(result);
  program.defineLike("linalg.reduce { " + op + " } " + insOuts({*a}, init) +
                         " dimensions = [" + list(dims) + "]",
                     result,
                     sum ? a->bound * double(count) + init.bound
                         : std::max(a->bound, init.bound));
  return true;
}

/// Transposes or broadcasts.
static bool dynamicMove(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Val like = *a;
  like.name.clear();
  if (program.rng.chance(50)) {
    if (a->shape.size() > 2)
      return false;
    size_t dim = program.rng.between(0, int64_t(a->shape.size()));
    bool wide = program.rng.chance(50);
    like.shape.insert(like.shape.begin() + dim,
                      wide ? program.dynamicSize() : program.randomExtent());
    like.dynamic.insert(like.dynamic.begin() + dim, wide);
    if (numElements(like.shape) > mostDynamicElements)
      return false;
    Val target = program.emptyLike(like);
    program.defineLike("linalg.broadcast " + insOuts({*a}, target) +
                           " dimensions = [" + std::to_string(dim) + "]",
                       like, a->bound);
    return true;
  }
  std::vector<int64_t> permutation;
  for (size_t dim = 0; dim < a->shape.size(); ++dim)
    permutation.push_back(dim);
  program.rng.shuffle(permutation);
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    like.shape[dim] = a->shape[permutation[dim]];
    like.dynamic[dim] = a->dynamic[permutation[dim]];
  }
  Val target = program.emptyLike(like);
  program.defineLike("linalg.transpose " + insOuts({*a}, target) +
                         " permutation = [" + list(permutation) + "]",
                     like, a->bound);
  return true;
}

static bool dynamicGenerate(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Val like = *a;
  like.elem = Elem::I32;
  std::vector<std::string> sizes, indices, arguments;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    if (a->dynamic[dim])
      sizes.push_back(program.extentOf(*a, dim));
    indices.push_back(program.fresh());
    arguments.push_back(indices.back() + ": index");
  }
  std::string name = program.fresh(), number = program.fresh();
  program.line(name + " = tensor.generate " + join(sizes) + " {");
  program.line("^bb0(" + join(arguments) + "):");
  std::string sum = indices.front();
  for (size_t i = 1; i < indices.size(); ++i) {
    std::string next = program.fresh(), doubled = program.fresh();
    program.line("  " + doubled + " = arith.addi " + sum + ", " + sum +
                 " : index");
    program.line("  " + next + " = arith.addi " + doubled + ", " + indices[i] +
                 " : index");
    sum = next;
  }
  program.line("  " + number + " = arith.index_cast " + sum +
               " : index to i32");
  program.line("  tensor.yield " + number + " : i32");
  program.line("} : " + like.type());
  like.name = name;
  like.bound = 0;
  program.add(like);
  return true;
}

/// Positions counted in, with the output permuted.
static bool dynamicGeneric(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a || a->elem == Elem::I1)
    return false;
  size_t rank = a->shape.size();
  std::vector<int64_t> loops;
  std::vector<std::string> all, permuted, iterators;
  for (size_t i = 0; i < rank; ++i) {
    loops.push_back(i);
    all.push_back("d" + std::to_string(i));
    iterators.push_back("\"parallel\"");
  }
  program.rng.shuffle(loops);
  Val like = *a;
  like.elem = Elem::I32;
  like.name.clear();
  for (size_t i = 0; i < rank; ++i) {
    permuted.push_back(all[loops[i]]);
    like.shape[i] = a->shape[loops[i]];
    like.dynamic[i] = a->dynamic[loops[i]];
  }
  Val target =
      program.rng.chance(40) ? program.needLike(like) : program.emptyLike(like);
  std::string map = "affine_map<(" + join(all) + ") -> (";
  std::string name = program.fresh(), x = program.fresh(), o = program.fresh(),
              i = program.fresh();
  program.line(name + " = linalg.generic {indexing_maps = [" + map + join(all) +
               ")>, " + map + join(permuted) + ")>], iterator_types = [" +
               join(iterators) + "]} " + insOuts({*a}, target) + " {");
  program.line("^bb0(" + x + ": " + shard::fuzz::name(a->elem) + ", " + o +
               ": i32):");
  program.indent += 2;
  Val element{x, a->elem, false, {}, a->bound};
  Val number = converted(program, element, Elem::I32);
  program.line(i + " = linalg.index " +
               std::to_string(program.rng.between(0, int64_t(rank) - 1)) +
               " : index");
  Val position = converted(program, {i, Elem::Index, false, {}, 48}, Elem::I32);
  std::string sum = program.fresh();
  program.line(sum + " = arith.addi " + number.name + ", " + position.name +
               " : i32");
  program.line("linalg.yield " + sum + " : i32");
  program.indent -= 2;
  program.line("} -> " + target.type());
  like.name = name;
  like.bound = 0;
  program.add(tidied(like));
  return true;
}

bool shard::fuzz::oneDynamicOp(ProgramBuilder &program) {
  return makeOne(program,
                 program.real ? MakerGroup::DynamicReal : MakerGroup::Dynamic,
                 /*tries=*/5);
}

void shard::fuzz::registerDynamicMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Dynamic, dynamicElementwise, 2);
  makers.add(MakerGroup::Dynamic, dynamicCompare);
  makers.add(MakerGroup::Dynamic, dynamicSelect);
  makers.add(MakerGroup::Dynamic, dynamicMatmul, 2);
  makers.add(MakerGroup::Dynamic, dynamicReduce, 2);
  makers.add(MakerGroup::Dynamic, dynamicMove);
  makers.add(MakerGroup::Dynamic, dynamicSlice);
  makers.add(MakerGroup::Dynamic, dynamicReshape, 3);
  makers.add(MakerGroup::Dynamic, dynamicCast);
  makers.add(MakerGroup::Dynamic, dynamicGenerate);
  makers.add(MakerGroup::Dynamic, dynamicConcat);
  makers.add(MakerGroup::Dynamic, dynamicGeneric);
  makers.add(MakerGroup::Dynamic, dynamicPad);
  makers.add(MakerGroup::Dynamic, dynamicConvolution);
  makers.add(MakerGroup::Dynamic, dynamicWindow, 6);
  makers.add(MakerGroup::Dynamic, dynamicInsert, 2);
  makers.add(MakerGroup::Dynamic, dynamicTosa, 2);
  makers.add(MakerGroup::DynamicReal, dynamicElementwise);
  makers.add(MakerGroup::DynamicReal, dynamicSmooth, 2);
  makers.add(MakerGroup::DynamicReal, dynamicMatmul, 2);
  makers.add(MakerGroup::DynamicReal, dynamicReduce);
  makers.add(MakerGroup::DynamicReal, dynamicMove);
  makers.add(MakerGroup::DynamicReal, dynamicSlice);
  makers.add(MakerGroup::DynamicReal, dynamicReshape);
  makers.add(MakerGroup::DynamicReal, dynamicCast);
  makers.add(MakerGroup::DynamicReal, dynamicConcat);
  makers.add(MakerGroup::DynamicReal, dynamicPad);
  makers.add(MakerGroup::DynamicReal, dynamicConvolution);
  makers.add(MakerGroup::DynamicReal, dynamicWindow, 3);
  makers.add(MakerGroup::DynamicReal, dynamicSoftmax, 2);
}
