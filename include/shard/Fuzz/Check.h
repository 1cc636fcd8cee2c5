//===- Check.h - The verdict about one program -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_CHECK_H
#define SHARD_FUZZ_CHECK_H

#include "shard/Fuzz/Generate.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shard::fuzz {

class Coverage;

enum class Verdict : uint8_t {
  Pass,
  /// A located error for a program that contradicts itself.
  Contradiction,
  /// An error for any other reason.
  Rejected,
  /// The program itself is not valid: a fault of the generator.
  Invalid,
  /// The grid computes something else than one device.
  Wrong,
  /// Compiled, but the run on the grid stopped.
  RunFailed,
  /// A check of the IR failed.
  CheckFailed,
  Crash,
  Hang,
};

/// One lower-case word.
const char *toString(Verdict verdict);
inline bool isFailure(Verdict verdict) {
  return verdict != Verdict::Pass && verdict != Verdict::Contradiction;
}

struct Outcome {
  Verdict verdict = Verdict::Pass;
  /// One line; empty where the program passed.
  std::string message;
  /// What a child tells of a program besides, for the parent to count.
  std::string notes;

  Outcome(Verdict verdict = Verdict::Pass, std::string message = {},
          std::string notes = {})
      : verdict(verdict), message(std::move(message)), notes(std::move(notes)) {
  }
};

/// Whether `a` and `b` are the same failure: one verdict, and messages that
/// differ in numbers and names only.
bool sameFailure(const Outcome &a, const Outcome &b);
/// `message` without what differs from program to program.
std::string normalized(const std::string &message);

/// Into how many parts the collectives of the program of `seed` are cut
/// (SpmdPipelineOptions::splitParts); 0: they are left whole.
int64_t splitParts(uint64_t seed);

/// A context without threads that has all that programs and check() need.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Runs `program` through everything. Inputs follow from `inputSeed`. `stability`:
/// a second propagation must change nothing. What the program contained is added
/// to `coverage`.
Outcome check(mlir::MLIRContext &context, const std::string &program,
              uint64_t inputSeed, bool stability, Coverage *coverage = nullptr);

/// Partitions `program` with the options that check() takes for `inputSeed`, and runs
/// nothing. The notes of the outcome are five numbers for each function that a run may enter,
/// as predicted: collectives, bytes that a device sends, operations of a device, bytes of
/// memory that it needs, nanoseconds. Functions are separated by semicolons.
Outcome predict(mlir::MLIRContext &context, const std::string &program,
                uint64_t inputSeed);

/// Checks `program`, of `seed`, as far as its text and that of the partitioned program show what is
/// wrong: nothing is compiled or run.
Outcome checkUnrun(mlir::MLIRContext &context, const std::string &program,
                   uint64_t seed);

/// Checks `count` more programs so, whose seeds follow from `seed`. They are of the kind in
/// `options`, or of several where it is Full. A message begins with the kind and the seed.
Outcome checkOthers(mlir::MLIRContext &context, uint64_t seed,
                    GenerateOptions options, int64_t count);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_CHECK_H
