//===- ProgramBuilder.h - Text, values and hints of a program ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A writer of text that knows the values in scope: it writes lines, chooses values
// as operands or makes them, bounds them and writes hints. What ops a program has is
// the business of makers (Makers.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_PROGRAMBUILDER_H
#define SHARD_FUZZ_PROGRAMBUILDER_H

#include "shard/Fuzz/Generate.h"
#include "shard/Fuzz/Random.h"

#include <functional>
#include <map>
#include <optional>

namespace shard::fuzz {

enum class Elem { F32, F64, F16, BF16, I8, I16, I32, I64, I1, Index };
using Shape = std::vector<int64_t>;

inline bool isFloat(Elem elem) {
  return elem == Elem::F32 || elem == Elem::F64 || elem == Elem::F16 ||
         elem == Elem::BF16;
}
/// Integers with arithmetic: not i1.
inline bool isInteger(Elem elem) { return !isFloat(elem) && elem != Elem::I1; }
std::string name(Elem elem);
/// A type of more bits that has all elements of `elem`, or `elem`.
Elem wider(Elem elem);
/// Dimensions that are `dynamic` are `?`.
std::string tensorType(Elem elem, const Shape &shape,
                       const std::vector<bool> &dynamic = {});
int64_t numElements(const Shape &shape);
/// "0, 2, 5" of a list, with `separator`.
std::string join(const std::vector<std::string> &parts,
                 const std::string &separator = ", ");
std::string list(const Shape &numbers);

struct Val {
  std::string name;
  Elem elem = Elem::F32;
  bool tensor = true;
  Shape shape;
  /// No element of a float value is larger in magnitude.
  double bound = inputBound;
  /// Which dimensions are `?` in the type; empty where none is.
  std::vector<bool> dynamic = {};

  std::string type() const {
    return tensor ? tensorType(elem, shape, dynamic) : fuzz::name(elem);
  }
};

/// `value` with its dynamic dimensions in the one form that says so.
Val tidied(Val value);
/// No value with dynamic dimensions has more elements.
constexpr int64_t mostDynamicElements = 4000;

/// "%a, %b" and "tensor<2xf32>, i1" of values.
std::string nameList(const std::vector<Val> &values);
std::string typeList(const std::vector<Val> &values);
/// "[[0, 1], [2]]", groups of consecutive numbers of these sizes.
std::string groupsText(const std::vector<int64_t> &sizes);
/// "ins(...) outs(...)" of a linalg op, and the same with the type of its result.
std::string insOuts(const std::vector<Val> &inputs, const Val &output);
std::string insOutsTo(const std::vector<Val> &inputs, const Val &output);
/// What a rotating shard.shift over `axes` says behind them: it shifts along one or
/// more of them, by `least` positions or more, or mirrors them.
std::string shiftAlong(Random &rng, const Shape &axes, int64_t least);
/// "%v:2", the name of an op with two results.
std::string multiple(const std::string &name, size_t count);

/// A function that has been written; calls choose among them.
struct Function {
  std::string name;
  std::vector<Val> arguments, results;
};

class ProgramBuilder {
public:
  ProgramBuilder(uint64_t seed, const GenerateOptions &options);

  // Values.
  std::string fresh();
  void line(const std::string &text);
  /// Adds a value of this type to the scope.
  Val add(Val value);
  Val define(const std::string &right, Elem elem, const Shape &shape,
             double bound);
  Val defineScalar(const std::string &right, Elem elem, double bound);
  std::optional<Val> pick(const std::function<bool(const Val &)> &filter);
  std::optional<Val> pickTensor(int64_t minRank = 0);
  /// A value of exactly this type: one in scope, an argument or a constant.
  Val need(Elem elem, const Shape &shape);
  Val needScalar(Elem elem);
  Val constant(Elem elem, const Shape &shape);
  Val splat(Elem elem, const Shape &shape, int64_t number);
  Val scalarConstant(Elem elem, int64_t number);
  Val argument(Elem elem, const Shape &shape, bool tensor);
  Val empty(Elem elem, const Shape &shape);
  Val filled(Elem elem, const Shape &shape, int64_t number);
  /// `value`, or it cut to [-limit, limit] where its bound is larger.
  Val clamped(const Val &value, double limit);
  Elem randomElem();
  int64_t randomExtent();
  Shape randomShape(int64_t rank);
  std::string literal(Elem elem, int64_t number);

  // Hints.
  std::string randomLists(int64_t rank, bool open, std::string &partial,
                          Elem elem);
  std::string randomLayout(const Val &value, bool attribute);
  std::string runTimeNumber(int64_t low, int64_t high);
  std::string shardingAttr(const Val &value, bool mayBePartial);
  /// The name of a new shard.sharding op.
  std::string shardingOp(const Val &value, bool mayBePartial);
  Val annotate(const Val &value, bool forUsers);
  void randomHint();

  // Dynamic dimensions.
  /// A value of the type of `like`.
  Val needLike(const Val &like);
  Val argumentLike(const Val &like);
  Val defineLike(const std::string &right, Val like, double bound);
  /// As `pick`, of values with dynamic dimensions too.
  std::optional<Val> pickAny(const std::function<bool(const Val &)> &filter);
  /// Dimension `dim` of `value`, as an index.
  std::string extentOf(const Val &value, int64_t dim);
  /// No element is specified; its extents are those of `like`.
  Val emptyLike(const Val &like);
  Val filledLike(const Val &like, int64_t number);
  int64_t dynamicSize();
  /// What extents of dynamic dimensions are multiples of.
  int64_t dynamicUnit() const;
  Val dynamicArgument();
  std::optional<Val> pickDynamic(int64_t minRank = 1);

  // Programs on real numbers.
  /// Decides what sort of values the program is about.
  void chooseSort();

  // Functions.
  /// Writes the ops of a region; what it defines leaves the scope.
  std::string region(const std::function<void()> &body);
  /// The axis in an attribute, by name or number.
  std::string axisText(int64_t axis);
  int64_t devices(const std::vector<int64_t> &axes);
  std::string label();

  // What has been decided and written; makers read and change it.
  uint64_t seed;
  Random rng;
  GenerateOptions options;
  std::vector<int64_t> grid;
  std::string gridName = "grid";
  bool names = false;
  /// How likely a new value gets a hint, in percent.
  int64_t hintPercent = 0, argumentHintPercent = 0;
  bool subAxes = false, partials = false, contradictions = false;
  /// Whether shardings have halos and offsets.
  bool layouts = false;
  /// Whether the function that is written may get arguments that its ops want.
  bool takesArguments = false;
  /// Whether an iteration of an scf.forall is written. Iterations run on different devices,
  /// so that halos and offsets cannot be numbers that one of them computes.
  bool inIteration = false;
  /// The widths of halos that are known when the program runs, with the largest number
  /// that each may be.
  std::map<std::string, int64_t> widths;
  /// In how many parts the last random sharding cuts each dimension, 0: by no
  /// axis.
  std::vector<int64_t> lastParts;
  /// Whether some dimensions are dynamic; whether `pick` may choose values that
  /// have such now.
  bool dynamic = false, seesDynamic = false;
  /// Whether dynamic dimensions need not divide evenly.
  bool unevenDynamic = false;
  /// Whether floats are real numbers, mostly of type `realElem`.
  bool real = false;
  Elem realElem = Elem::F32;
  /// How many collectives the program needs at most, and how many bytes a device sends by
  /// these, if that is known.
  std::optional<int64_t> mostCollectives;
  int64_t mostBytes = 0;
  /// How many calls a run makes at most, those in each iteration of a loop included.
  std::optional<int64_t> mostCalls;
  /// And how many operations a device computes at most.
  std::optional<int64_t> mostFlops;
  /// Whether the bytes sent are compared with those by other shardings.
  bool choices = false;
  /// Whether float inputs are NaN and infinite, too.
  bool specials = false;
  /// Whether no integer input is 0 or -1, and divisions trap.
  bool traps = false;
  /// Whether the region being written may have several blocks.
  bool manyBlocks = false;
  /// Whether there are public functions beside @main; calls are frequent then.
  bool severalEntries = false;
  /// The manual axes around what is being written, none of which a hint there may
  /// name.
  std::vector<int64_t> manualAxes;
  std::string out;
  int64_t indent = 2, counter = 0, depth = 0, groups = 0, budget = 0;
  std::vector<Val> scope;
  std::vector<Val> arguments;
  std::vector<std::string> annotated;
  /// Hints of arguments, by name, in place of random ones.
  std::map<std::string, std::string> givenHints;
  std::vector<Function> functions;
  /// Functions that ops of a function have been written with.
  std::string otherFunctions;
};

/// Floats stay below this in magnitude, so that sums are exact in f32.
inline constexpr double boundLimit = 1 << 22;

} // namespace shard::fuzz

#endif // SHARD_FUZZ_PROGRAMBUILDER_H
