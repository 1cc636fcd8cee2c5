//===- BatchPrograms.cpp - Programs that need no communication ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op of such a program maps every element along one dimension of a batch by itself,
// whatever else it does. Split along the batch, the program runs without a collective; a
// sum over the batch at its end needs one. The program says so (`most_collectives`), and a
// sharding that is chosen badly, or an op whose loops are not known, shows.
//
//===----------------------------------------------------------------------===//

#include "BatchPrograms.h"

#include <algorithm>

using namespace shard::fuzz;

void BatchProgram::chooseAxes() {
  // All of them: by others it may pay to split work and gather what it gives.
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  rng.shuffle(axes);
  for (int64_t axis : axes)
    parts *= program.grid[axis];
}

std::string BatchProgram::hint(const Val &value, int64_t dim) {
  std::vector<std::string> lists(value.shape.size(), "[]"), names;
  for (int64_t axis : axes)
    names.push_back(program.axisText(axis));
  lists[dim] = "[" + shard::fuzz::join(names) + "]";
  return "<@grid, [" + shard::fuzz::join(lists) + "]>";
}

/// Of a value that every device has.
static std::string wholeHint(const Shape &shape) {
  std::vector<std::string> lists(shape.size(), "[]");
  return "<@grid, [" + shard::fuzz::join(lists) + "]>";
}

Batched BatchProgram::argument(const Shape &shape, int64_t dim) {
  Val value = program.argument(elem, shape, true);
  if (values.empty() || rng.chance(40))
    program.givenHints[value.name] = hint(value, dim);
  return {value, dim};
}

/// A value that an op may take beside `a`: another one of its shape and batch.
Val BatchProgram::like(const Batched &a) {
  std::vector<Val> fits;
  for (const Batched &b : values)
    if (b.value.shape == a.value.shape && b.dim == a.dim &&
        b.value.name != a.value.name)
      fits.push_back(b.value);
  if (!fits.empty() && rng.chance(60))
    return rng.oneOf(fits);
  Batched made = argument(a.value.shape, a.dim);
  values.push_back(made);
  return made.value;
}

void BatchProgram::add(const std::string &right, const Shape &shape,
                       int64_t dim, double bound) {
  Val value = program.define(right, elem, shape, bound);
  values.push_back({program.clamped(value, 64), dim});
}

/// A dimension that is not the batch; -1 if there is none.
int64_t BatchProgram::otherDim(const Batched &a) {
  int64_t rank = a.value.shape.size();
  if (rank < 2)
    return -1;
  int64_t dim = rng.between(0, rank - 2);
  return dim + (dim >= a.dim);
}

/// The sum of sums over the batch of one value, or of several of one shape, and perhaps of a
/// value that every device has.
void BatchProgram::sumOverBatch() {
  const Batched a = values.back();
  std::vector<Val> terms = {a.value};
  for (size_t i = 0; i + 1 < values.size() && terms.size() < 3; ++i)
    if (values[i].value.shape == a.value.shape && values[i].dim == a.dim)
      terms.push_back(values[i].value);
  Shape shape = a.value.shape;
  shape.erase(shape.begin() + a.dim);
  std::optional<Val> total;
  if (rng.chance(30)) {
    total = program.argument(elem, shape, true);
    program.givenHints[total->name] = wholeHint(shape);
    // Distinct sums: an all_reduce of which a program has two uses stays where it is.
    terms.resize(1);
    terms.push_back(argument(a.value.shape, a.dim).value);
  }
  for (const Val &term : terms) {
    Val init = program.filled(elem, shape, 0);
    Val sum = program.define(
        std::string("linalg.reduce { arith.add") + (isFloat(elem) ? "f" : "i") +
            " } " + insOuts({term}, init) + " dimensions = [" +
            std::to_string(a.dim) + "]",
        elem, shape, term.bound * double(a.value.shape[a.dim]));
    total =
        total ? program.define(std::string("arith.add") +
                                   (isFloat(elem) ? "f " : "i ") + total->name +
                                   ", " + sum.name + " : " + sum.type(),
                               elem, shape, total->bound + sum.bound)
              : sum;
  }
  results.push_back(*total);
}

/// An annotation of the value that changes nothing: it says what follows, or leaves the
/// dimensions open.
void BatchProgram::annotated(const Batched &a) {
  Val result = a.value;
  result.name = program.fresh();
  std::string type = " : " + a.value.type();
  if (rng.chance(40)) {
    std::vector<std::string> lists(a.value.shape.size(), "[]");
    lists[a.dim] = "[" + list(axes) + "]";
    std::string sharding = program.fresh();
    program.line(sharding + " = shard.sharding @grid split_axes = [" +
                 shard::fuzz::join(lists) + "] : !shard.sharding");
    program.line(result.name + " = shard.shard " + a.value.name + " to " +
                 sharding + (rng.chance(60) ? " annotate_for_users" : "") +
                 type);
  } else {
    std::vector<std::string> open(a.value.shape.size(), "[?]");
    std::string text = rng.chance(30)
                           ? hint(a.value, a.dim)
                           : "<@grid, [" + shard::fuzz::join(open) + "]>";
    program.line(result.name + " = shard.constraint " + a.value.name + " to " +
                 text + type);
  }
  values.push_back({program.add(result), a.dim});
}

/// A manual computation over some of the axes of the batch: the others split the local batch
/// inside as they split the batch around it.
void BatchProgram::manual(const Batched &a) {
  auto count = size_t(rng.between(1, std::max<int64_t>(1, axes.size() - 1)));
  int64_t devices = 1;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(count, axes.size()); ++i) {
    devices *= program.grid[axes[i]];
    names.push_back(program.axisText(axes[i]));
  }
  // No other axis follows a manual one of one device (docs/Mutants.md).
  bool hasUnit = std::any_of(axes.begin(), axes.end(), [&](int64_t axis) {
    return program.grid[axis] == 1;
  });
  if (hasUnit || a.value.shape[a.dim] % parts != 0)
    return;
  std::vector<std::string> lists(a.value.shape.size(), "[?]");
  lists[a.dim] = "[" + shard::fuzz::join(names) + ", ?]";
  std::string sharding = "[<@grid, [" + shard::fuzz::join(lists) + "]>]";
  Val local = a.value, sum = a.value;
  local.shape[a.dim] /= devices;
  local.name = program.fresh();
  std::string result = program.fresh(), inner = program.fresh();
  program.line(result + " = shard.manual_computation(" + a.value.name +
               ") on @grid in = " + sharding + " out = " + sharding +
               " axes = [" + shard::fuzz::join(names) + "] (" + local.name +
               ": " + local.type() + ") {");
  program.line("  " + inner +
               (isFloat(elem) ? " = arith.addf " : " = arith.addi ") +
               local.name + ", " + local.name + " : " + local.type());
  program.line("  shard.return " + inner + " : " + local.type());
  program.line("} : (" + a.value.type() + ") -> " + a.value.type());
  sum.name = result;
  sum.bound *= 2;
  values.push_back({program.add(sum), a.dim});
}

/// An op on another grid of the same devices, which is all its own.
void BatchProgram::beside() {
  Val a = program.argument(elem, {parts * rng.between(1, 3), rng.between(1, 2)},
                           true);
  const std::string hint = "<@other, [[0], []]>";
  program.givenHints[a.name] = hint;
  Val b =
      program.define(std::string("arith.add") + (isFloat(elem) ? "f " : "i ") +
                         a.name + ", " + a.name + " : " + a.type(),
                     elem, a.shape, 2 * a.bound);
  if (rng.chance(60))
    program.givenHints[b.name] = hint;
  results.push_back(b);
}

/// What comes out of an op that never falls as `value` rises.
Val BatchProgram::risen(const Val &value) {
  std::string type = " : " + value.type();
  auto with = [&](const std::string &op, const Val &other, double bound) {
    return program.define(op + " " + value.name + ", " + other.name + type,
                          elem, value.shape, bound);
  };
  auto number = [&](int64_t most) {
    return program.splat(elem, value.shape, rng.between(1, most));
  };
  int64_t choice = rng.between(0, isFloat(elem) ? 6 : 2);
  if (choice == 0) {
    Val mask = program.constant(Elem::I1, value.shape), other = number(9);
    return program.define("arith.select " + mask.name + ", " + value.name +
                              ", " + other.name + " : " + mask.type() + ", " +
                              value.type(),
                          elem, value.shape, std::max(value.bound, 9.0));
  }
  if (choice <= 2) {
    std::string op = choice == 1 ? "arith.min" : "arith.max";
    Val other = program.argument(elem, value.shape, true);
    program.givenHints[other.name] = wholeHint(value.shape);
    return with(op + (isFloat(elem) ? "imumf" : "si"), other,
                std::max(value.bound, other.bound));
  }
  if (choice == 3)
    return program.define("math.floor " + value.name + type, elem, value.shape,
                          value.bound + 1);
  if (choice == 4)
    return with("arith.mulf", number(4), value.bound * 4);
  return with(choice == 5 ? "arith.addf" : "arith.subf", number(9),
              value.bound + 9);
}

/// The maximum or the minimum over the batch of two values, behind ops that commute with it.
/// Returns how many all_reduces that takes.
int64_t BatchProgram::extremeOverBatch() {
  const Batched a = values.back();
  std::string op = rng.chance(50) ? "max" : "min";
  op = "arith." + op + (isFloat(elem) ? "imumf" : "si");
  Shape shape = a.value.shape;
  shape.erase(shape.begin() + a.dim);
  std::optional<Val> total;
  int64_t numSent = 1;
  for (const Val &term : {a.value, argument(a.value.shape, a.dim).value}) {
    Val init = program.filled(elem, shape, rng.between(-9, 9));
    Val found =
        program.define("linalg.reduce { " + op + " } " + insOuts({term}, init) +
                           " dimensions = [" + std::to_string(a.dim) + "]",
                       elem, shape, std::max(term.bound, 9.0));
    for (int64_t left = rng.between(0, 2); left > 0; --left)
      found = risen(found);
    // A difference falls as what it takes away rises: there are two all_reduces.
    if (isFloat(elem) && total && rng.chance(45)) {
      Val from = program.splat(elem, shape, rng.between(-9, 9));
      found = program.define("arith.subf " + from.name + ", " + found.name +
                                 " : " + found.type(),
                             elem, shape, found.bound + 9);
      numSent = 2;
    }
    total =
        total ? program.define(op + " " + total->name + ", " + found.name +
                                   " : " + found.type(),
                               elem, shape, std::max(total->bound, found.bound))
              : found;
  }
  // Half as many bytes.
  if (elem == Elem::F32 && numSent == 1 && rng.chance(40)) {
    Val cut = program.clamped(*total, 256);
    total = program.define("arith.truncf " + cut.name + " : " + cut.type() +
                               " to " + tensorType(Elem::BF16, shape),
                           Elem::BF16, shape, cut.bound);
  }
  results.push_back(*total);
  return numSent;
}

void BatchProgram::write() {
  using Op = void (BatchProgram::*)(const Batched &);
  static const std::vector<Op> ops = {
      &BatchProgram::elementwise, &BatchProgram::transpose,
      &BatchProgram::broadcast,   &BatchProgram::reduce,
      &BatchProgram::product,     &BatchProgram::batchProduct,
      &BatchProgram::slice,       &BatchProgram::pad,
      &BatchProgram::join,        &BatchProgram::insert,
      &BatchProgram::collapse,    &BatchProgram::expand,
      &BatchProgram::pack,        &BatchProgram::digits,
      &BatchProgram::gather,      &BatchProgram::scatter,
      &BatchProgram::convolve,    &BatchProgram::loop,
      &BatchProgram::tosa,        &BatchProgram::lookUp,
      &BatchProgram::images,      &BatchProgram::images,
      &BatchProgram::rows,        &BatchProgram::moved,
      &BatchProgram::placed,      &BatchProgram::annotated,
      &BatchProgram::annotated,   &BatchProgram::manual};
  program.argumentHintPercent = program.hintPercent = 0;
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::I32,
                                          Elem::I8};
  elem = rng.oneOf(elems);
  chooseAxes();
  Shape shape(rng.between(1, 3));
  for (int64_t &extent : shape)
    extent = rng.between(1, 5);
  int64_t dim = rng.between(0, int64_t(shape.size()) - 1);
  shape[dim] = parts * rng.oneOf<int64_t>({1, 2, 3, 4});
  bool isBeside = parts > 1 && rng.chance(25);
  if (isBeside)
    program.out +=
        "shard.grid @other(shape = " + std::to_string(parts) + ")\n\n";
  std::string outer;
  std::swap(program.out, outer);
  values.push_back(argument(shape, dim));
  if (isBeside)
    beside();
  for (int64_t left = rng.between(1, 4); left > 0; --left) {
    size_t before = values.size();
    for (int64_t tries = 0; tries < 10 && values.size() == before; ++tries) {
      // Mostly the last value, so that programs get deep. A copy: ops add values.
      const Batched a = rng.chance(80) ? values.back() : rng.oneOf(values);
      (this->*rng.oneOf(ops))(a);
    }
  }
  int64_t most = 0, sent = 1;
  if (rng.chance(35)) {
    if (rng.chance(60)) {
      sumOverBatch();
    } else {
      sent = extremeOverBatch();
      if (rng.chance(50))
        program.givenHints[results.back().name] =
            wholeHint(results.back().shape);
    }
    // Several collectives may send less than one all_reduce: their bytes are what counts.
    most = parts > 1 ? 1000 : 0;
    // What an all_reduce sends in two rounds, to each other device a part.
    Elem type = results.back().elem;
    int64_t bytes =
        numElements(results.back().shape) * (type == Elem::I8     ? 1
                                             : type == Elem::BF16 ? 2
                                                                  : 4);
    program.mostBytes =
        llvm::divideCeil(2 * sent * (parts - 1) * bytes, uint64_t(parts));
  }
  if (most == 0 || rng.chance(30)) {
    const Batched last = values.back();
    if (rng.chance(40))
      program.givenHints.insert({last.value.name, hint(last.value, last.dim)});
    results.push_back(last.value);
  }
  program.mostCollectives = most;
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}

void shard::fuzz::batchProgram(ProgramBuilder &program) {
  BatchProgram(program).write();
}
