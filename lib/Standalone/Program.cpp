//===- Program.cpp - Programs compiled ahead of time ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Standalone/Program.h"

#include "shard/Host/Placement.h"
#include "shard/Runtime/Kernels/Memory.h"
#include "shard/Runtime/Runtime.h"
#include "shard/Standalone/Layout.h"

#include <cstring>

using namespace shard;

static ValueLayout layoutOf(const shard_program_value *value) {
  return decodeLayout(value->layout, value->rank);
}

static std::vector<int64_t> shapeOf(const int64_t *shape, int64_t rank) {
  return std::vector<int64_t>(shape, shape + rank);
}

/// The words of a memref descriptor of `rank`: two pointers, an offset, sizes
/// and strides.
static size_t descriptorWords(int64_t rank) { return 3 + 2 * rank; }

void shard_program_call(const shard_program *program,
                        const void *const *arguments, void *const *results) {
  if (program->version != SHARD_PROGRAM_VERSION)
    shard_rt_fail("the program was compiled by another version of "
                  "shard-compile than libshard_program.so belongs to");
  // A failing collective leaves this function by longjmp: the memory of the run is
  // freed by the next one, or with the thread.
  static thread_local std::vector<int64_t> words, resultWords;
  static thread_local std::vector<void *> packed;
  static thread_local RunMemory memory;
  words.clear();
  packed.clear();
  memory.clear();
  for (int64_t i = 0; i < program->num_arguments; ++i) {
    const shard_program_value &value = program->arguments[i];
    auto address = reinterpret_cast<int64_t>(arguments[i]);
    words.insert(words.end(), {address, address, 0});
    words.insert(words.end(), value.local_shape,
                 value.local_shape + value.rank);
    std::vector<int64_t> strides =
        rowMajorStrides(shapeOf(value.local_shape, value.rank));
    words.insert(words.end(), strides.begin(), strides.end());
  }
  size_t count = 0;
  for (int64_t i = 0; i < program->num_results; ++i)
    count += descriptorWords(program->results[i].rank);
  resultWords.assign(count, 0);
  for (int64_t &word : words)
    packed.push_back(&word);
  packed.push_back(resultWords.data());

  memory.enter();
  program->entry(packed.data());
  memory.leave();

  const int64_t *next = resultWords.data();
  for (int64_t i = 0; i < program->num_results; ++i) {
    const shard_program_value &value = program->results[i];
    const auto *data = reinterpret_cast<const uint8_t *>(next[1]);
    if (value.local_bytes)
      std::memcpy(results[i], data + next[2] * value.element_bytes,
                  value.local_bytes);
    next += descriptorWords(value.rank);
  }
  memory.clear();
}

void shard_program_slice(const shard_program_value *value, int64_t device,
                         const void *whole, void *block) {
  ValueLayout layout = layoutOf(value);
  HostTensor source = HostTensor::borrow(
      layout.type, shapeOf(value->shape, value->rank), whole);
  HostTensor local =
      sliceForDevice(layout.grid, source, layout.sharding, device);
  if (local.numBytes())
    std::memcpy(block, local.data(), local.numBytes());
}

int shard_program_place(const shard_program_value *value, int64_t device,
                        const void *block, void *whole) {
  ValueLayout layout = layoutOf(value);
  if (!layout.sharding.partial.empty())
    return 1;
  HostTensor local = HostTensor::borrow(
      layout.type, shapeOf(value->local_shape, value->rank), block);
  std::vector<int64_t> shape = shapeOf(value->shape, value->rank), offsets;
  HostTensor valid =
      validBlock(layout.grid, shape, local, layout.sharding, device, offsets);
  HostTensor target = HostTensor::borrow(layout.type, shape, whole);
  copyBox(valid, std::vector<int64_t>(offsets.size(), 0), target, offsets,
          valid.shape());
  return 0;
}
