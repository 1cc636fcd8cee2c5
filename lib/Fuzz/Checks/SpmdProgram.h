//===- SpmdProgram.h - The way of a number through a program ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_SPMDPROGRAM_H
#define SHARD_LIB_FUZZ_CHECKS_SPMDPROGRAM_H

#include "shard/Fuzz/Random.h"

#include "llvm/ADT/bit.h"

#include <string>
#include <vector>

namespace shard::fuzz {

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
  /// `on GRID grid_axes = LIST`: groups along `axes` on one of the grids of the devices.
  std::string on(Axes axes);
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

  /// That of @g.
  std::string shape() const {
    return std::string("2x2x2").substr(0, 2 * rank - 1);
  }
  void numberDevices();
  /// A collective of groups along `group`, which are named by `where`.
  std::string collective(Axes group, const std::string &where);
  /// A call of a function with `ops`.
  std::string inFunction(const std::string &ops);
  void end();

  Random rng;
  int64_t rank;
  /// Whether some ops name other grids of the same devices: @h has all of them on one axis,
  /// @k has two axes of the three.
  bool namesOther = rng.chance(30);
  /// The axes of @g that the second one of @k is.
  Axes inner = rng.chance(50) ? 0b100 : 0b110;
  int next = 0;
  std::vector<std::string> arguments = {"%n: index", "%s: tensor<4xf32>",
                                        "%whole: tensor<24xindex>"};
  std::string body, symbols;
  std::vector<Number> numbers;
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_SPMDPROGRAM_H
