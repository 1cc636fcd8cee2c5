//===- SpmdWays.cpp - How a number is handed on in a program --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpmdProgram.h"

using namespace shard::fuzz;

std::string SpmdProgram::list(Axes axes) {
  std::string text;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axes >> axis & 1)
      text += (text.empty() ? "" : ", ") + std::to_string(axis);
  return "[" + text + "]";
}

std::string SpmdProgram::on(Axes axes) {
  std::string grid = "@g", named = list(axes);
  Axes outer = allAxes() & ~inner;
  if (namesOther && axes == allAxes() && rng.chance(30)) {
    grid = "@h";
    named = "[0]";
  } else if (namesOther && rank == 3 && rng.chance(50) &&
             (axes == allAxes() || axes == inner || axes == outer)) {
    grid = "@k";
    named = axes == inner ? "[1]" : axes == outer ? "[0]" : "[0, 1]";
  }
  return "on " + grid + " grid_axes = " + named;
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
    return define("shard.process_linear_index on " +
                      std::string(namesOther && rng.chance(30) ? "@h" : "@g") +
                      " : index",
                  allAxes());
  if (namesOther && rank == 3 && rng.chance(30))
    return rng.chance(50)
               ? define("shard.process_multi_index on @k axes = [1] : index",
                        inner)
               : define("shard.process_multi_index on @k axes = [0] : index",
                        allAxes() & ~inner);
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

/// By a function that takes both numbers and returns one of them, or both in one. It names no
/// grid, and may call one that names another one than its caller.
Number SpmdProgram::called() {
  Number a = any(), b = any();
  std::string name = symbol("@f"), ops;
  bool both = rng.chance(50);
  if (both)
    ops += "  %c = arith.addi %a, %b : index\n";
  if (namesOther && rng.chance(60)) {
    std::string other = symbol("@f");
    symbols += "func.func private " + other +
               "() {\n  %a = shard.process_linear_index on @h : index\n"
               "  return\n}\n";
    ops += "  call " + other + "() : () -> ()\n";
  }
  symbols += "func.func private " + name +
             "(%a: index, %b: index) -> index {\n" + ops + "  return " +
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
  std::string tensor = tensorOf(a), head = tensor + " ";
  if (rng.chance(40)) {
    Number sum = define("shard.all_reduce " + head + on(group) +
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
        define("shard.all_gather " + head + on(group) +
                   " gather_axis = 0 : tensor<1xindex> -> " + type,
               0)
            .name;
    return define("tensor.extract " + all + "[%c0] : " + type,
                  a.along & ~group);
  }
  group = 1u << rng.between(0, rank - 1);
  return elementOf(define("shard.broadcast " + head + on(group) +
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
      define("shard.all_slice %whole " + on(axes) +
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
