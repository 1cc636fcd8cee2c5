//===- BatchPrograms.h - Programs that need no communication ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_PROGRAMS_BATCHPROGRAMS_H
#define SHARD_LIB_FUZZ_PROGRAMS_BATCHPROGRAMS_H

#include "Parts.h"

namespace shard::fuzz {

/// A value and its dimension of the batch.
struct Batched {
  Val value;
  int64_t dim;
};

class BatchProgram {
public:
  explicit BatchProgram(ProgramBuilder &program)
      : program(program), rng(program.rng) {}

  void write();

private:
  void chooseAxes();
  std::string hint(const Val &value, int64_t dim);
  Batched argument(const Shape &shape, int64_t dim);
  Val like(const Batched &a);
  void add(const std::string &right, const Shape &shape, int64_t dim,
           double bound);
  int64_t otherDim(const Batched &a);
  void reshape(const std::string &op, const Batched &a, const Shape &shape,
               int64_t dim);

  void elementwise(const Batched &a);
  void transpose(const Batched &a);
  void broadcast(const Batched &a);
  void reduce(const Batched &a);
  void product(const Batched &a);
  void batchProduct(const Batched &a);
  void slice(const Batched &a);
  void pad(const Batched &a);
  void join(const Batched &a);
  void insert(const Batched &a);
  void collapse(const Batched &a);
  void expand(const Batched &a);
  void digits(const Batched &a);
  void pack(const Batched &a);
  void gather(const Batched &a);
  void scatter(const Batched &a);
  void lookUp(const Batched &a);
  void convolve(const Batched &a);
  void loop(const Batched &a);
  void tosa(const Batched &a);
  // BatchImages.cpp.
  Val splitArgument(const Shape &shape, int64_t dim);
  void resized(const Val &image, int64_t dim);
  Shape cutByKernel(Shape &shape);
  void pooled(const Val &image, int64_t dim);
  void filtered(const Val &image, int64_t dim);
  void images(const Batched &a);
  void rows(const Batched &a);
  void placed(const Batched &a);
  void moved(const Batched &a);
  void annotated(const Batched &a);
  void manual(const Batched &a);
  void beside();
  void sumOverBatch();
  int64_t extremeOverBatch();
  Val risen(const Val &value);

  ProgramBuilder &program;
  Random &rng;
  Elem elem = Elem::F32;
  /// What the batch is split by, and in how many parts.
  Shape axes;
  int64_t parts = 1;
  std::vector<Batched> values;
  std::vector<Val> results;
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_PROGRAMS_BATCHPROGRAMS_H
