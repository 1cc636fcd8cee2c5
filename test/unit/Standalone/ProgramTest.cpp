//===- ProgramTest.cpp - Calls of programs compiled ahead of time ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Standalone/Program.h"

#include "shard/Runtime/Kernels/Memory.h"

#include "gtest/gtest.h"

#include <cstring>
#include <vector>

namespace {

constexpr int64_t kLarge = 1 << 20;

/// Where the program below allocated in each call.
std::vector<void *> allocated;

/// Whether freed memory is used again: not under the address sanitizer.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepsBuffers = false;
#elif defined(__has_feature)
constexpr bool kKeepsBuffers = !__has_feature(address_sanitizer);
#else
constexpr bool kKeepsBuffers = true;
#endif

/// Takes a matrix of 2x3 and a scalar, returns the matrix plus the scalar, as a part of a
/// larger buffer, and the scalar. The words are those of MLIR's memrefs.
void addScalar(void **packed) {
  auto word = [&](int number) {
    return static_cast<int64_t *>(packed[number]);
  };
  const auto *matrix = reinterpret_cast<float *>(*word(1));
  EXPECT_EQ(*word(0), *word(1));
  const int64_t expected[] = {0, 2, 3, 3, 1};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(*word(2 + i), expected[i]) << i;
  const auto *scalar = reinterpret_cast<float *>(*word(8));
  EXPECT_EQ(*word(9), 0);
  auto *memory = static_cast<float *>(shard_kernel_allocate(64, kLarge));
  allocated.push_back(memory);
  for (int i = 0; i < 6; ++i)
    memory[2 + i] = matrix[i] + *scalar;
  int64_t *results = word(10);
  const int64_t first[] = {reinterpret_cast<int64_t>(memory),
                           reinterpret_cast<int64_t>(memory),
                           2,
                           2,
                           3,
                           3,
                           1};
  std::memcpy(results, first, sizeof(first));
  results[7] = results[8] = reinterpret_cast<int64_t>(scalar);
  results[9] = 0;
}

} // namespace

// Arguments and results come in order, and the memory of one call serves the next one.
TEST(ProgramTest, CallsPassMemoryOn) {
  const int64_t shape[] = {2, 3};
  shard_program_value matrix{}, scalar{};
  matrix.element_bytes = scalar.element_bytes = 4;
  matrix.rank = 2;
  matrix.shape = matrix.local_shape = shape;
  matrix.bytes = matrix.local_bytes = 24;
  scalar.bytes = scalar.local_bytes = 4;
  const shard_program_value values[] = {matrix, scalar};
  shard_program program{};
  program.version = SHARD_PROGRAM_VERSION;
  program.num_arguments = program.num_results = 2;
  program.arguments = program.results = values;
  program.entry = addScalar;
  for (int call = 0; call < 4; ++call) {
    float input[6] = {1, 2, 3, 4, 5, 6}, number = 10.0f * float(call);
    float output[6] = {}, copy = -1;
    const void *arguments[] = {input, &number};
    void *results[] = {output, &copy};
    shard_program_call(&program, arguments, results);
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(output[i], input[i] + number);
    EXPECT_EQ(copy, number);
    if (kKeepsBuffers)
      EXPECT_EQ(allocated.back(), allocated.front());
  }
  EXPECT_EQ(allocated.size(), 4u);
}
