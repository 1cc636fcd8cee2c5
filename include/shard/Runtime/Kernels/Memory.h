//===- Memory.h - Buffers of compiled programs ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code takes memory by the functions below, which find the run that the
// calling thread executes. What the code does not free is freed with the run.
//
// Large buffers that are freed are kept for the next ones: the system gives memory that is
// new page by page, each with an exception and filled with zeros, which took an eighth of the
// time of a layer of 1024x1024x4096 elements. Kept and used ones together never have more
// bytes than large buffers in use had at their peak.
//
//   RunMemory memory;
//   memory.enter();
//   ... call the compiled function ...
//   memory.leave();
//   ... read its results, which lie in buffers of the run ...
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_KERNELS_MEMORY_H
#define SHARD_RUNTIME_KERNELS_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace shard {

/// Stands in front of every buffer of a run. All live buffers of a run form a ring,
/// the newest first.
struct BufferHeader;

class RunMemory {
public:
  RunMemory();
  RunMemory(const RunMemory &) = delete;
  RunMemory &operator=(const RunMemory &) = delete;
  ~RunMemory();

  /// From now on, until leave(), the calling thread allocates here. One run at a time
  /// for each thread. A run that fails does not leave: the next one enters before it
  /// allocates.
  void enter();
  void leave();

  /// Frees all buffers. Large ones are kept for the next call.
  void clear();
  /// Takes the buffer that begins at `buffer` out of the run: it lives as long as what
  /// is returned. Null if no buffer of the run begins there, or one that is larger than
  /// `size` bytes need.
  std::shared_ptr<void> take(void *buffer, uint64_t size);
  /// The bytes of live buffers.
  int64_t liveBytes() const { return live; }
  /// The most bytes that live buffers had at once.
  int64_t peakBytes() const { return peak; }
  /// The bytes of kept buffers.
  int64_t keptBytes() const { return int64_t(held - used); }

  void *allocate(uint64_t size);
  void release(void *buffer);
  uint64_t mark() const { return nextNumber; }
  void keep(uint64_t mark, uint64_t address);
  void releaseNewer(uint64_t mark);

private:
  /// Takes `header` out of the ring.
  void unlink(BufferHeader *header);
  void release(BufferHeader *header);
  /// A kept buffer of at least `room` and less than twice as much; null if there is none.
  BufferHeader *reuse(uint64_t room);
  /// Gives kept buffers back to the system until `room` more is no more than the peak.
  void makeRoom(uint64_t room);

  BufferHeader *ring;
  /// Bytes that were asked for, now and at most.
  int64_t live = 0, peak = 0;
  uint64_t nextNumber;
  /// By their room.
  std::multimap<uint64_t, BufferHeader *> kept;
  /// Of large buffers: the room of used and kept ones, of used ones, and of those at most.
  uint64_t held = 0, used = 0, mostUsed = 0;
};

/// Name and address of each of the functions below.
std::vector<std::pair<const char *, void *>> memorySymbols();

} // namespace shard

// What compiled code calls.
extern "C" {
/// A buffer of the run. Buffers are aligned to a cache line; no code asks for more.
void *shard_kernel_allocate(uint64_t alignment, uint64_t size);
void shard_kernel_free(void *buffer);
/// A mark that divides the buffers of the run into older and newer ones.
uint64_t shard_kernel_buffer_mark(void);
/// The buffer at `address`, if newer than `mark`, survives the next release.
void shard_kernel_keep_buffer(uint64_t mark, uint64_t address);
/// Frees the buffers that are newer than `mark`.
void shard_kernel_release_buffers(uint64_t mark);
/// Whether the stack of the calling thread has room for one more call of a recursive
/// function and what that calls.
bool shard_kernel_stack_has_room(void);
}

#endif // SHARD_RUNTIME_KERNELS_MEMORY_H
