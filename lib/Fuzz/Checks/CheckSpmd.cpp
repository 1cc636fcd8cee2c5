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

#include "SpmdProgram.h"

#include "shard/IR/ShardDialect.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shard::fuzz {

std::string SpmdProgram::collective(Axes group, const std::string &where) {
  std::string axes = " %s " + where;
  std::string count = std::to_string(int64_t(4) << llvm::popcount(group));
  if (rng.chance(50))
    return fresh() + " = shard.all_reduce" + axes +
           " : tensor<4xf32> -> tensor<4xf32>";
  return fresh() + " = shard.all_gather" + axes +
         " gather_axis = 0 : tensor<4xf32> -> tensor<" + count + "xf32>";
}

std::string SpmdProgram::inFunction(const std::string &ops) {
  std::string name = symbol("@f");
  symbols += "func.func private " + name + "(%s: tensor<4xf32>) {\n  " + ops +
             "\n  return\n}\n";
  return "func.call " + name + "(%s) : (tensor<4xf32>) -> ()";
}

/// Adds a grid of the shape of @g that numbers the devices otherwise.
void SpmdProgram::numberDevices() {
  std::vector<std::string> ids;
  for (int64_t device = 0; device < int64_t(1) << rank; ++device)
    ids.push_back(std::to_string(device));
  while (llvm::is_sorted(ids))
    rng.shuffle(ids);
  symbols += "shard.grid @p(shape = " + shape() + ") device_ids = [" +
             llvm::join(ids, ", ") + "]\n";
}

/// A collective that is reached, or whose root is, as the last number says.
void SpmdProgram::end() {
  Number last = numbers.back();
  Axes group = someAxes();
  int64_t kind = rng.between(0, 4);
  if (kind == 0)
    group = 1u << rng.between(0, rank - 1);
  // On the other grid alone, whose axis has another number.
  bool onOther = kind != 0 && namesOther && rng.chance(50);
  if (onOther)
    group = allAxes();
  // Nothing is said of how the axes of @p and those of @g are related.
  bool isRenumbered = !onOther && rng.chance(15);
  if (isRenumbered)
    numberDevices();
  parts = (last.along & (isRenumbered ? allAxes() : group)) != 0;
  std::string own = (isRenumbered ? "on @p" : "on @g") +
                    std::string(" grid_axes = ") + list(group);
  if (kind == 0)
    return line(fresh() + " = shard.broadcast %s " + own + " root = [" +
                last.name + "] : (tensor<4xf32>, index) -> tensor<4xf32>");
  std::string inside = collective(group, onOther ? "on @h grid_axes = [0]"
                                         : isRenumbered ? own
                                                        : on(group));
  // A function that only calls another one names no grid.
  for (int64_t chance = onOther ? 80 : 30; rng.chance(chance); chance = 60)
    inside = inFunction(inside);
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
  rng.shuffle(arguments);
  text = "shard.grid @g(shape = " + shape() +
         ") {refines = @h}\nshard.grid @h(shape = " +
         std::to_string(int64_t(1) << rank) + ")\n" +
         (rank == 3 ? std::string("shard.grid @k(shape = ") +
                          (inner == 0b100 ? "4x2)\n" : "2x4)\n")
                    : "") +
         symbols + "func.func @main(" + llvm::join(arguments, ",\n    ") +
         ") {\n" + body + "  return\n}\n";
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
