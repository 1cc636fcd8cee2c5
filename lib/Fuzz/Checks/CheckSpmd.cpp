//===- CheckSpmd.cpp - Is what differs between devices found? -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitioned programs are right, so that they show when shard-verify-spmd finds too much,
// and not when it finds too little. Here a number goes a random way through a program: it
// comes from the place of the device, from a block or from outside, and is handed on by
// arithmetic, branches, loops, calls, memory, globals, extents of tensors and collectives.
// Along which axes it differs follows from the way. At the end a collective depends on it.
//
//===----------------------------------------------------------------------===//

#include "CheckSpmd.h"

#include "shard/Fuzz/Random.h"
#include "shard/IR/ShardDialect.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shard::fuzz {

namespace {

/// By bits.
using Axes = unsigned;

/// A value of type index, and the axes along which it differs.
struct Number {
  std::string name;
  Axes along;
};

class SpmdProgram {
public:
  explicit SpmdProgram(uint64_t seed)
      : rng(seed ^ 0x73706d6421ull), rank(rng.between(1, 3)) {}

  void write();
  /// Whether devices of a group part ways.
  bool parts = false;
  std::string text;

private:
  std::string fresh() { return "%v" + std::to_string(next++); }
  std::string symbol(const char *name) { return name + std::to_string(next++); }
  void line(const std::string &words) { body += "  " + words + "\n"; }
  /// `%v = WORDS`, a number.
  Number define(const std::string &words, Axes along) {
    Number number{fresh(), along};
    line(number.name + " = " + words);
    return number;
  }
  /// One of the numbers so far; mostly the last one.
  Number any() { return rng.chance(50) ? numbers.back() : rng.oneOf(numbers); }
  Axes someAxes() { return Axes(rng.between(1, (int64_t(1) << rank) - 1)); }
  Axes allAxes() const { return (1u << rank) - 1; }
  std::string list(Axes axes);
  /// The grid that a group along `axes` is named on: @h has all devices on one axis.
  std::string gridOf(Axes axes) {
    return axes == allAxes() && namesOther && rng.chance(30) ? "@h" : "@g";
  }
  /// Whether `number` is 0, an i1.
  std::string isZero(const Number &number);
  std::string tensorOf(const Number &number);
  Number elementOf(const std::string &tensor, Axes along);

  // Each gives another number.
  Number place();
  Number block();
  Number sum();
  Number choice();
  Number branch();
  Number switched();
  Number loop();
  Number whileLoop();
  Number called();
  Number ofTensor();
  Number global();
  Number memory();
  Number extent();
  Number extentOfSlice();
  Number agreed();
  Number ofBlocks();

  /// A collective of groups along `group`.
  std::string collective(Axes group);
  void end();

  Random rng;
  int64_t rank;
  /// Whether some ops name another grid of the same devices.
  bool namesOther = rng.chance(30);
  int next = 0;
  std::vector<std::string> arguments = {"%n: index", "%s: tensor<4xf32>",
                                        "%whole: tensor<24xindex>"};
  std::string body, symbols;
  std::vector<Number> numbers;
};

} // namespace

std::string SpmdProgram::list(Axes axes) {
  std::string text;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axes >> axis & 1)
      text += (text.empty() ? "" : ", ") + std::to_string(axis);
  return "[" + text + "]";
}

std::string SpmdProgram::isZero(const Number &number) {
  return define("arith.cmpi eq, " + number.name + ", %c0 : index", 0).name;
}

std::string SpmdProgram::tensorOf(const Number &number) {
  return define("tensor.from_elements " + number.name + " : tensor<1xindex>", 0)
      .name;
}

Number SpmdProgram::elementOf(const std::string &tensor, Axes along) {
  return define("tensor.extract " + tensor + "[%c0] : tensor<1xindex>", along);
}

Number SpmdProgram::place() {
  if (rng.chance(30))
    return define("shard.process_linear_index on " + gridOf(allAxes()) +
                      " : index",
                  allAxes());
  int64_t axis = rng.between(0, rank - 1);
  return define("shard.process_multi_index on @g axes = [" +
                    std::to_string(axis) + "] : index",
                1u << axis);
}

/// An element of an argument that is split, or partial.
Number SpmdProgram::block() {
  Axes axes = someAxes();
  std::string name = fresh(), whole = "1", sharding;
  if (rng.chance(30)) {
    sharding = "[[]], partial = sum " + list(axes);
  } else {
    whole = std::to_string(int64_t(1) << llvm::popcount(axes));
    sharding = "[" + list(axes) + "]";
  }
  arguments.push_back(name +
                      ": tensor<1xindex> {shard.local = #shard.local<tensor<" +
                      whole + "xindex>, <@g, " + sharding + ">>}");
  return elementOf(name, axes);
}

Number SpmdProgram::sum() {
  static const std::vector<std::string> ops = {"addi", "muli", "maxsi", "ori"};
  Number a = any(), b = any();
  return define("arith." + rng.oneOf(ops) + " " + a.name + ", " + b.name +
                    " : index",
                a.along | b.along);
}

Number SpmdProgram::choice() {
  Number a = any(), b = any(), c = any();
  std::string condition = isZero(c);
  return define("arith.select " + condition + ", " + a.name + ", " + b.name +
                    " : index",
                a.along | b.along | c.along);
}

/// By a region or by blocks.
Number SpmdProgram::branch() {
  Number a = any(), b = any(), c = any();
  Axes along = a.along | b.along | c.along;
  std::string condition = isZero(c);
  if (rng.chance(60))
    return define("scf.if " + condition + " -> index { scf.yield " + a.name +
                      " : index } else { scf.yield " + b.name + " : index }",
                  along);
  std::string other = "^" + symbol("bb"), after = "^" + symbol("bb");
  line("cf.cond_br " + condition + ", " + after + "(" + a.name + " : index), " +
       other);
  body += other + ":\n";
  line("cf.br " + after + "(" + b.name + " : index)");
  Number result{fresh(), along};
  body += after + "(" + result.name + ": index):\n";
  return result;
}

Number SpmdProgram::switched() {
  Number a = any(), b = any(), c = any();
  return define("scf.index_switch " + c.name + " -> index case 0 { scf.yield " +
                    a.name + " : index } default { scf.yield " + b.name +
                    " : index }",
                a.along | b.along | c.along);
}

Number SpmdProgram::loop() {
  Number from = any(), bound = any(), step = any();
  std::string inside = fresh(), sum = fresh(), counter = fresh();
  return define("scf.for " + counter + " = %c0 to " + bound.name +
                    " step %c1 iter_args(" + inside + " = " + from.name +
                    ") -> (index) { " + sum + " = arith.addi " + inside + ", " +
                    step.name + " : index scf.yield " + sum + " : index }",
                from.along | bound.along | step.along);
}

Number SpmdProgram::whileLoop() {
  Number from = any(), bound = any();
  std::string before = fresh(), after = fresh(), sum = fresh(), less = fresh();
  return define("scf.while (" + before + " = " + from.name +
                    ") : (index) -> index { " + less + " = arith.cmpi ult, " +
                    before + ", " + bound.name + " : index scf.condition(" +
                    less + ") " + before + " : index } do { ^bb0(" + after +
                    ": index): " + sum + " = arith.addi " + after +
                    ", %c1 : index scf.yield " + sum + " : index }",
                from.along | bound.along);
}

/// By a function that takes both numbers and returns one of them, or both in one.
Number SpmdProgram::called() {
  Number a = any(), b = any();
  std::string name = symbol("@f");
  bool both = rng.chance(50);
  symbols += "func.func private " + name +
             "(%a: index, %b: index) -> index {\n" +
             (both ? "  %c = arith.addi %a, %b : index\n" : "") + "  return " +
             (both ? "%c" : "%b") + " : index\n}\n";
  return define("call " + name + "(" + a.name + ", " + b.name +
                    ") : (index, index) -> index",
                both ? a.along | b.along : b.along);
}

/// An element, at a known place or at one that is computed.
Number SpmdProgram::ofTensor() {
  Number a = any(), b = any(), at = any();
  std::string tensor = define("tensor.from_elements " + a.name + ", " + b.name +
                                  " : tensor<2xindex>",
                              0)
                           .name;
  bool known = rng.chance(50);
  return define("tensor.extract " + tensor + "[" + (known ? "%c1" : at.name) +
                    "] : tensor<2xindex>",
                a.along | b.along | (known ? 0 : at.along));
}

/// What is written to a global, here or in a function that nothing calls.
Number SpmdProgram::global() {
  Number a = any();
  std::string name = symbol("@stored");
  symbols += "ml_program.global private mutable " + name +
             "(dense<0> : tensor<1xindex>) : tensor<1xindex>\n";
  auto stores = [&](const std::string &tensor) {
    return "ml_program.global_store " + name + " = " + tensor +
           " : tensor<1xindex>";
  };
  Axes along = a.along;
  if (rng.chance(30)) {
    along = 1u << rng.between(0, rank - 1);
    symbols +=
        "func.func " + symbol("@stores") +
        "() {\n  %a = shard.process_multi_index on @g axes = " + list(along) +
        " : index\n  %b = tensor.from_elements %a : tensor<1xindex>\n  " +
        stores("%b") + "\n  return\n}\n";
  } else {
    line(stores(tensorOf(a)));
  }
  std::string loaded =
      define("ml_program.global_load " + name + " : tensor<1xindex>", 0).name;
  return elementOf(loaded, along);
}

/// What is written to a buffer, through a view or not.
Number SpmdProgram::memory() {
  Number a = any();
  std::string buffer = define("memref.alloc() : memref<2xindex>", 0).name;
  std::string target = buffer, at = "%c1", type = "memref<2xindex>";
  if (rng.chance(50)) {
    type = "memref<1xindex, strided<[1], offset: 1>>";
    target = define("memref.subview " + buffer +
                        "[1] [1] [1] : memref<2xindex>"
                        " to " +
                        type,
                    0)
                 .name;
    at = "%c0";
  }
  line("memref.store " + a.name + ", " + target + "[" + at + "] : " + type);
  return define("memref.load " + buffer + "[%c1] : memref<2xindex>", a.along);
}

/// An extent of a tensor that is made with two numbers, and of what is made of it.
Number SpmdProgram::extent() {
  Number sizes[] = {any(), any()};
  std::string tensor;
  auto extents = [&] { return sizes[0].name + ", " + sizes[1].name; };
  if (rng.chance(40))
    tensor =
        define("tensor.empty(" + extents() + ") : tensor<?x?xi32>", 0).name;
  else if (rng.chance(50))
    tensor =
        define("tensor.splat %e[" + extents() + "] : tensor<?x?xi32>", 0).name;
  else
    tensor = define("tensor.generate " + extents() +
                        " { ^bb0(%i: index, %j: index): tensor.yield %e : "
                        "i32 } : tensor<?x?xi32>",
                    0)
                 .name;
  if (rng.chance(50))
    tensor =
        define("arith.addi " + tensor + ", " + tensor + " : tensor<?x?xi32>", 0)
            .name;
  if (rng.chance(40)) {
    std::swap(sizes[0], sizes[1]);
    std::string init =
        define("tensor.empty(" + extents() + ") : tensor<?x?xi32>", 0).name;
    tensor =
        define("linalg.transpose ins(" + tensor + " : tensor<?x?xi32>) outs(" +
                   init + " : tensor<?x?xi32>) permutation = [1, 0]",
               0)
            .name;
  }
  int64_t dim = rng.between(0, 1);
  return define("tensor.dim " + tensor + (dim ? ", %c1" : ", %c0") +
                    " : tensor<?x?xi32>",
                sizes[dim].along);
}

Number SpmdProgram::extentOfSlice() {
  Number a = any();
  std::string slice = define("tensor.extract_slice %s[0] [" + a.name +
                                 "] [1] : tensor<4xf32> to tensor<?xf32>",
                             0)
                          .name;
  if (rng.chance(50))
    slice = define("math.absf " + slice + " : tensor<?xf32>", 0).name;
  return define("tensor.dim " + slice + ", %c0 : tensor<?xf32>", a.along);
}

/// Behind a collective, all devices of a group have one number.
Number SpmdProgram::agreed() {
  Number a = any();
  Axes group = someAxes();
  std::string tensor = tensorOf(a), head = tensor + " on @g grid_axes = ";
  if (rng.chance(40)) {
    Number sum = define("shard.all_reduce " + head + list(group) +
                            " : tensor<1xindex> -> tensor<1xindex>",
                        0);
    if (rng.chance(40))
      sum = define("shard.wait " + sum.name + " of " + tensor +
                       " : tensor<1xindex>, tensor<1xindex>",
                   0);
    return elementOf(sum.name, a.along & ~group);
  }
  if (rng.chance(50)) {
    std::string type = "tensor<" +
                       std::to_string(int64_t(1) << llvm::popcount(group)) +
                       "xindex>";
    std::string all =
        define("shard.all_gather " + head + list(group) +
                   " gather_axis = 0 : tensor<1xindex> -> " + type,
               0)
            .name;
    return define("tensor.extract " + all + "[%c0] : " + type,
                  a.along & ~group);
  }
  group = 1u << rng.between(0, rank - 1);
  return elementOf(define("shard.broadcast " + head + list(group) +
                              " root = [0] : (tensor<1xindex>) -> "
                              "tensor<1xindex>",
                          0)
                       .name,
                   a.along & ~group);
}

/// An element of a block that is cut from what all devices have.
Number SpmdProgram::ofBlocks() {
  Axes axes = someAxes();
  std::string block =
      define("shard.all_slice %whole on @g grid_axes = " + list(axes) +
                 " slice_axis = 0 : tensor<24xindex> -> tensor<" +
                 std::to_string(int64_t(24) >> llvm::popcount(axes)) +
                 "xindex>",
             0)
          .name;
  return define("tensor.extract " + block + "[%c0] : tensor<" +
                    std::to_string(int64_t(24) >> llvm::popcount(axes)) +
                    "xindex>",
                axes);
}

std::string SpmdProgram::collective(Axes group) {
  std::string grid = gridOf(group);
  std::string axes =
      " %s on " + grid + " grid_axes = " + (grid == "@h" ? "[0]" : list(group));
  std::string count = std::to_string(int64_t(4) << llvm::popcount(group));
  if (rng.chance(50))
    return fresh() + " = shard.all_reduce" + axes +
           " : tensor<4xf32> -> tensor<4xf32>";
  return fresh() + " = shard.all_gather" + axes +
         " gather_axis = 0 : tensor<4xf32> -> tensor<" + count + "xf32>";
}

/// A collective that is reached, or whose root is, as the last number says.
void SpmdProgram::end() {
  Number last = numbers.back();
  Axes group = someAxes();
  int64_t kind = rng.between(0, 4);
  if (kind == 0)
    group = 1u << rng.between(0, rank - 1);
  parts = (last.along & group) != 0;
  if (kind == 0)
    return line(fresh() + " = shard.broadcast %s on @g grid_axes = " +
                list(group) + " root = [" + last.name +
                "] : (tensor<4xf32>, index) -> tensor<4xf32>");
  std::string inside = collective(group);
  if (rng.chance(30)) {
    std::string name = symbol("@f");
    symbols += "func.func private " + name + "(%s: tensor<4xf32>) {\n  " +
               inside + "\n  return\n}\n";
    inside = "func.call " + name + "(%s) : (tensor<4xf32>) -> ()";
  }
  if (kind == 1)
    return line("scf.for " + fresh() + " = %c0 to " + last.name +
                " step %c1 { " + inside + " }");
  if (kind == 2)
    return line("scf.index_switch " + last.name + " case 3 { " + inside +
                " scf.yield } default { }");
  std::string condition = isZero(last);
  if (kind == 3)
    return line("scf.if " + condition + " { " + inside + " }");
  std::string then = "^" + symbol("bb"), after = "^" + symbol("bb");
  line("cf.cond_br " + condition + ", " + then + ", " + after);
  body += then + ":\n";
  line(inside);
  line("cf.br " + after);
  body += after + ":\n";
}

void SpmdProgram::write() {
  using Way = Number (SpmdProgram::*)();
  static const std::vector<Way> sources = {
      &SpmdProgram::place, &SpmdProgram::block, &SpmdProgram::ofBlocks};
  static const std::vector<Way> ways = {
      &SpmdProgram::sum,    &SpmdProgram::choice,
      &SpmdProgram::branch, &SpmdProgram::switched,
      &SpmdProgram::loop,   &SpmdProgram::whileLoop,
      &SpmdProgram::called, &SpmdProgram::ofTensor,
      &SpmdProgram::global, &SpmdProgram::memory,
      &SpmdProgram::extent, &SpmdProgram::extentOfSlice,
      &SpmdProgram::agreed, &SpmdProgram::agreed};
  line("%c0 = arith.constant 0 : index");
  line("%c1 = arith.constant 1 : index");
  line("%e = arith.constant 1 : i32");
  numbers.push_back({"%n", 0});
  for (int64_t left = rng.between(1, 2); left > 0; --left)
    numbers.push_back((this->*rng.oneOf(sources))());
  for (int64_t left = rng.between(1, 4); left > 0; --left)
    numbers.push_back((this->*rng.oneOf(ways))());
  end();
  std::string shape = std::string("2x2x2").substr(0, 2 * rank - 1);
  rng.shuffle(arguments);
  if (namesOther) // Globals are told of on the grid of main.
    define("shard.process_multi_index on @g axes = [0] : index", 0);
  text = "shard.grid @g(shape = " + shape +
         ") {refines = @h}\nshard.grid @h(shape = " +
         std::to_string(int64_t(1) << rank) + ")\n" + symbols +
         "func.func @main(" + llvm::join(arguments, ",\n    ") + ") {\n" +
         body + "  return\n}\n";
}

std::string checkSpmd(MLIRContext &context, uint64_t seed) {
  SpmdProgram program(seed);
  program.write();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (said.empty())
      said = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program.text, &context);
  if (!module)
    return "a program for shard-verify-spmd is not valid: " + said + ": " +
           program.text;
  bool fails = failed(verifySpmd(*module));
  if (fails == program.parts)
    return {};
  return (fails ? "shard-verify-spmd finds what is none: " + said
                : std::string("shard-verify-spmd does not find that devices "
                              "part ways")) +
         ": " + program.text;
}

} // namespace shard::fuzz
