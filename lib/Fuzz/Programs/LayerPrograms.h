//===- LayerPrograms.h - Layers that need a known number of bytes *- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_PROGRAMS_LAYERPROGRAMS_H
#define SHARD_LIB_FUZZ_PROGRAMS_LAYERPROGRAMS_H

#include "Parts.h"

#include "llvm/Support/MathExtras.h"

namespace shard::fuzz {

/// A program of one layer; LayerPrograms.cpp, LayerIdioms.cpp and LayerAgreements.cpp describe
/// them.
class LayerProgram {
public:
  explicit LayerProgram(ProgramBuilder &program)
      : program(program), rng(program.rng) {}
  void write();

private:
  bool writeRareLayer();
  /// The axes of each dimension.
  using Axes = std::vector<Shape>;

  std::string hint(const Axes &axes);
  /// The hint `axes` of what the devices along `summed` have summands of.
  std::string partialHint(const Axes &axes, const Shape &summed);
  /// An argument; `percent` says how likely the hint is written.
  Val argument(const Shape &shape, const Axes &axes, int64_t percent = 100,
               Elem elem = Elem::I32);
  void result(const Val &value, const Axes &axes, int64_t percent = 100);
  Val define(const std::string &text, const Shape &shape,
             Elem elem = Elem::I32);

  // Ops.
  Val product(const Val &a, const Val &b);
  Val transposed(const Val &a);
  /// The numbers 0, 1, ... of `extent` elements.
  Val places(int64_t extent);
  /// The sum, or the largest element, along `dim`.
  Val reduced(const Val &a, int64_t dim, bool isMax = false);
  /// The same by an op that computes places, too, which nothing uses.
  Val reducedWithPlaces(const Val &a, int64_t dim, bool isMax);
  /// `a` with a new dimension `dim` of `extent`.
  Val broadcast(const Val &a, int64_t dim, int64_t extent);
  Val combined(const std::string &op, const Val &a, const Val &b);
  /// `a` through none to two elementwise ops.
  Val pointwise(Val a);
  Val slice(const Val &a, const Shape &offsets, const Shape &sizes);

  using Values = std::vector<Val>;
  /// An scf.for of `trips` iterations that carries `initial`. `body` gets the number of the
  /// iteration and the carried values, and returns those of the next one.
  Values loop(int64_t trips, const Values &initial,
              const std::function<Values(const Val &, const Values &)> &body);
  /// `a` with zeros around it.
  Val paddedBy(const Val &a, const Shape &low, const Shape &high);

  /// A convolution: in each dimension the padding, the extent of the image, and that of the window.
  struct Windows {
    Shape low, high, shape, kernel;
  };
  /// Those of an image whose rows `data` splits, and whose columns `model` splits. Adds the bytes
  /// of the halos of so many images.
  Windows windows(int64_t images);

  // Adds the bytes that a device sends where `count` devices have `elements` elements each.
  void gathers(int64_t count, int64_t elements, int64_t bytes = 4) {
    program.mostBytes += (count - 1) * elements * bytes;
  }
  /// Also of an exchange: to each other device goes one part of `count`.
  void scatters(int64_t count, int64_t elements, int64_t rounds = 1) {
    program.mostBytes +=
        llvm::divideCeil(rounds * (count - 1) * elements * 4, uint64_t(count));
  }
  void allReduces(int64_t count, int64_t elements) {
    scatters(count, elements, 2);
  }

  void computes(const Shape &shape, const Axes &axes, int64_t each);
  Val besideArgument(const Val &a, const Axes &axes);
  std::optional<Val> agreeingOp(const Val &a, Axes &axes);

  // Each writes a layer.
  void twoProducts();
  void chunks();
  void everyOther();
  void resampled();
  void weights();
  void gradient();
  void statistics();
  void softmax();
  void attention();
  void lookUp();
  void writes();
  void exchange();
  void reversal();
  void shifted();
  void convolution();
  void sideBySide();
  void smallerBesideGather();
  void sumsOfSums();
  void summandsThrough();
  void weightsInLoop();
  void ownSlices();
  void carriedIntoCall();
  void sumsThroughLoops();
  void sumsFromZero();
  void narrowedSums();
  void blockBetweenSums();
  void completedOnce();
  void narrowProduct();
  void partsOfBatch();
  void maskOfPlaces();
  void groupedConvolution();
  void agreeing();
  void rowsInForall();
  void splitRows();
  void accumulated();
  void blocksBehindSum();
  void tableOfPlaces();
  void wholeInBranch();
  void pairs();
  void elementsOfTable();
  void appendedRows();
  void addedBehindPad();
  void productsOfOne();
  void chosenExtremes();
  void cancelled();

  ProgramBuilder &program;
  Random &rng;
  /// The axes of the grid, dealt out, and all of them; in how many parts each list splits.
  Shape data, model, all;
  int64_t d = 1, m = 1, n = 1;
  std::vector<Val> results;
  /// Attributes of the grid.
  std::string machine;
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_PROGRAMS_LAYERPROGRAMS_H
