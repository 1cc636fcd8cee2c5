//===- ScanOps.cpp - Running sums, maxima and minima ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans as frontends write them: a window as long as its dimension, of a tensor that is
// padded in front or behind, or a reduction of a tensor that is masked behind each place. Some
// are padded with an element that is not neutral, begin with an init, have a window that is a
// little shorter or longer, or a mask that leaves out the place itself: those are no scans of
// blocks.
//
//===----------------------------------------------------------------------===//

#include "SharedOps.h"

#include "shard/Fuzz/Makers.h"

#include <algorithm>
#include <cstdlib>

using namespace shard::fuzz;

std::string shard::fuzz::paddedAlong(ProgramBuilder &program, const Val &a,
                                     size_t dim, int64_t low, int64_t high,
                                     const std::string &value,
                                     std::string &type) {
  Shape lows(a.shape.size()), highs(a.shape.size()), shape = a.shape;
  lows[dim] = low;
  highs[dim] = high;
  shape[dim] += low + high;
  std::vector<std::string> indices;
  for (size_t i = 0; i < shape.size(); ++i)
    indices.push_back(program.fresh() + ": index");
  std::string constant = program.fresh(), result = program.fresh();
  type = tensorType(a.elem, shape);
  program.line(constant + " = arith.constant " + value + " : " + name(a.elem));
  program.line(result + " = tensor.pad " + a.name + " low[" + list(lows) +
               "] high[" + list(highs) + "] {");
  program.line("^bb0(" + join(indices) + "):");
  program.line("  tensor.yield " + constant + " : " + name(a.elem));
  program.line("} : " + a.type() + " to " + type);
  return result;
}

std::string shard::fuzz::maskedScan(ProgramBuilder &program, const Val &value,
                                    const Val &init, const MaskedScan &scan) {
  Shape shape = value.shape;
  shape.insert(shape.begin(), value.shape[scan.dim]);
  std::vector<std::string> loops{"k"}, places, kinds{"\"reduction\""};
  for (size_t i = 0; i < value.shape.size(); ++i) {
    places.push_back("i" + std::to_string(i));
    loops.push_back(places.back());
    kinds.emplace_back("\"parallel\"");
  }
  std::vector<std::string> reads = places, order = loops,
                           parallel(kinds.size(), kinds.back());
  reads[scan.dim] = "k";
  if (scan.isTurned) {
    std::rotate(shape.begin(), shape.begin() + 1, shape.end());
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  std::string map = "affine_map<(" + join(loops) + ") -> (",
              elem = name(value.elem), masked = program.fresh(),
              element = program.fresh(), unused = program.fresh(),
              step = program.fresh(), place = program.fresh(),
              isBefore = program.fresh(), chosen = program.fresh(),
              otherwise = program.fresh();
  Val whole = program.empty(value.elem, shape);
  program.line(otherwise + " = arith.constant " + scan.elsewhere + " : " +
               elem);
  program.line(masked + " = linalg.generic {indexing_maps = [" + map +
               join(reads) + ")>, " + map + join(order) +
               ")>], iterator_types = [" + join(parallel) + "]} ins(" +
               value.name + " : " + value.type() + ") outs(" + whole.name +
               " : " + whole.type() + ") {");
  program.line("^bb0(" + element + ": " + elem + ", " + unused + ": " + elem +
               "):");
  program.line("  " + step + " = linalg.index 0 : index");
  program.line("  " + place + " = linalg.index " +
               std::to_string(scan.dim + 1) + " : index");
  program.line("  " + isBefore + " = arith.cmpi " + scan.compares + ", " +
               step + ", " + place + " : index");
  program.line("  " + chosen + " = arith.select " + isBefore + ", " + element +
               ", " + otherwise + " : " + elem);
  program.line("  linalg.yield " + chosen + " : " + elem);
  program.line("} -> " + whole.type());
  std::string result = program.fresh(), next = program.fresh(),
              carried = program.fresh(), sum = program.fresh();
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               join(order) + ")>, " + map + join(places) +
               ")>], iterator_types = [" + join(kinds) + "]} ins(" + masked +
               " : " + whole.type() + ") outs(" + init.name + " : " +
               init.type() + ") {");
  program.line("^bb0(" + next + ": " + elem + ", " + carried + ": " + elem +
               "):");
  program.line("  " + sum + " = " + scan.op + " " + carried + ", " + next +
               " : " + elem);
  program.line("  linalg.yield " + sum + " : " + elem);
  program.line("} -> " + init.type());
  return result;
}

namespace {

/// How a scan combines elements, and the neutral element as text.
struct Combination {
  const char *op, *neutral;
  /// What is combined is no larger than its largest part, but for sums.
  bool sum;
  /// An init that is neutral for the values of programs.
  int64_t init;
};

Combination combinationFor(Random &rng, Elem elem) {
  if (rng.chance(15))
    return isFloat(elem) ? Combination{"arith.subf", "0.0", true, 0}
                         : Combination{"arith.subi", "0", true, 0};
  if (isFloat(elem))
    return rng.chance(60) ? Combination{"arith.addf", "0.0", true, 0}
           : rng.chance(50)
               ? Combination{"arith.maximumf", "0xFF800000", false, -4097}
               : Combination{"arith.minimumf", "0x7F800000", false, 4097};
  return rng.chance(50) ? Combination{"arith.addi", "0", true, 0}
         : rng.chance(50)
             ? Combination{"arith.maxsi", "-2147483648", false, -4097}
             : Combination{"arith.minsi", "2147483647", false, 4097};
}

/// An element to pad with that changes what scans combine: not neutral, and mostly beyond
/// the values of programs where the scan keeps the largest or smallest.
int64_t fillThatCounts(Random &rng, const Combination &kind) {
  int64_t small = rng.between(1, 3) * (rng.chance(50) ? 1 : -1);
  return kind.sum || rng.chance(20) ? small : -kind.init;
}

Val scanned(ProgramBuilder &program, const Val &input) {
  Random &rng = program.rng;
  Val a = program.clamped(input, 4096);
  size_t rank = a.shape.size(), dim = rng.between(0, int64_t(rank) - 1);
  int64_t extent = a.shape[dim];
  int64_t window = rng.chance(85)
                       ? extent
                       : std::max<int64_t>(1, extent + rng.between(-1, 1));
  bool reversed = rng.chance(40);
  Combination kind = combinationFor(rng, a.elem);
  std::string value = kind.neutral, type;
  int64_t fill = 0;
  if (rng.chance(30)) {
    fill = fillThatCounts(rng, kind);
    value = std::to_string(fill) + (isFloat(a.elem) ? ".0" : "");
  }
  std::string around = paddedAlong(program, a, dim, reversed ? 0 : window - 1,
                                   reversed ? window - 1 : 0, value, type);
  Val init = program.filled(a.elem, a.shape,
                            rng.chance(50) ? rng.between(-3, 3) : kind.init);
  Val shape = program.empty(a.elem, {window});
  std::vector<std::string> loops, places, reads, kinds;
  for (size_t i = 0; i < rank; ++i) {
    loops.push_back("i" + std::to_string(i));
    kinds.emplace_back("\"parallel\"");
  }
  places = reads = loops;
  reads[dim] = "i" + std::to_string(dim) + " + k";
  size_t at = rng.chance(70) ? rank : rng.between(0, int64_t(rank));
  loops.insert(loops.begin() + at, "k");
  kinds.insert(kinds.begin() + at, "\"reduction\"");
  std::string map = "affine_map<(" + join(loops) + ") -> (",
              result = program.fresh(), element = program.fresh(),
              unused = program.fresh(), carried = program.fresh(),
              sum = program.fresh(), elem = name(a.elem);
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               join(reads) + ")>, " + map + "k)>, " + map + join(places) +
               ")>], iterator_types = [" + join(kinds) + "]} ins(" + around +
               ", " + shape.name + " : " + type + ", " + shape.type() +
               ") outs(" + init.name + " : " + init.type() + ") {");
  program.line("^bb0(" + element + ": " + elem + ", " + unused + ": " + elem +
               ", " + carried + ": " + elem + "):");
  bool swapped = rng.chance(50);
  program.line("  " + sum + " = " + kind.op + " " +
               (swapped ? element + ", " + carried : carried + ", " + element) +
               " : " + elem);
  program.line("  linalg.yield " + sum + " : " + elem);
  program.line("} -> " + init.type());
  double most = std::max(a.bound, init.bound);
  return program.add({result, a.elem, true, a.shape,
                      kind.sum
                          ? (most + double(std::abs(fill))) * double(window + 1)
                          : std::max(most, double(std::abs(fill)))});
}

bool scan(ProgramBuilder &program) {
  auto isSmall = [](const Val &value) {
    return value.tensor && !value.shape.empty() && value.shape.size() <= 3 &&
           numElements(value.shape) > 0 && numElements(value.shape) <= 1000 &&
           (value.elem == Elem::F32 || value.elem == Elem::I32);
  };
  std::optional<Val> value;
  if (program.rng.chance(50))
    value = program.pick(isSmall);
  if (!value) {
    Shape shape;
    int64_t rank = program.rng.between(1, 3);
    for (int64_t dim = 0; dim < rank; ++dim)
      shape.push_back(program.rng.between(1, rank == 1 ? 40 : 12));
    value = program.need(program.rng.chance(70) ? Elem::F32 : Elem::I32, shape);
  }
  scanned(program, *value);
  return true;
}

bool maskedScans(ProgramBuilder &program) {
  Random &rng = program.rng;
  Shape shape(rng.between(1, 2));
  for (int64_t &extent : shape)
    extent = rng.between(1, 10);
  Val a = program.clamped(
      program.need(rng.chance(60) ? Elem::F32 : Elem::I32, shape), 4096);
  Combination kind = combinationFor(rng, a.elem);
  MaskedScan scan{size_t(rng.between(0, int64_t(shape.size()) - 1)),
                  rng.chance(50) ? "sle" : "sge", kind.neutral, kind.op,
                  rng.chance(25)};
  int64_t fill = 0;
  if (rng.chance(15)) {
    fill = fillThatCounts(rng, kind);
    scan.elsewhere = std::to_string(fill) + (isFloat(a.elem) ? ".0" : "");
  }
  if (rng.chance(20))
    scan.compares = rng.oneOf(std::vector<std::string>{"slt", "sgt", "ne"});
  Val init = program.filled(a.elem, shape,
                            rng.chance(40) ? rng.between(-3, 3) : kind.init);
  std::string result = maskedScan(program, a, init, scan);
  double most = std::max({a.bound, init.bound, double(std::abs(fill))});
  program.add({result, a.elem, true, shape,
               kind.sum ? most * double(shape[scan.dim] + 1) : most});
  return true;
}

} // namespace

void shard::fuzz::registerScanMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, scan, 2);
  makers.add(MakerGroup::Ops, maskedScans);
  makers.add(MakerGroup::Loops, scan);
}
