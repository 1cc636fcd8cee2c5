//===- Memory.cpp - Buffers of compiled programs --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <pthread.h>

using namespace shard;

/// The most that compiled code asks for: no vector is longer.
static constexpr size_t kAlignment = 64;

struct alignas(kAlignment) shard::BufferHeader {
  BufferHeader *previous, *next;
  int64_t bytes;
  /// What `bytes` could be.
  uint64_t room;
  /// Buffers are numbered in the order in which they are made.
  uint64_t number;
  /// Left alone by the next release of buffers that are newer than a mark.
  bool keep;
};

/// Smaller buffers are left to malloc, which is fast and keeps them itself. Where the
/// sanitizer watches for the use of freed memory, nothing is kept.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHARD_KEEPS_BUFFERS 0
#endif
#endif
#ifndef SHARD_KEEPS_BUFFERS
#define SHARD_KEEPS_BUFFERS 1
#endif
static constexpr uint64_t kKeptBytes =
    SHARD_KEEPS_BUFFERS ? 64 << 10 : UINT64_MAX;

/// The run that this thread executes.
static thread_local RunMemory *currentMemory = nullptr;

[[noreturn]] static void endForMemory(uint64_t size) {
  std::fprintf(stderr, "error: out of memory: a buffer of %llu bytes\n",
               static_cast<unsigned long long>(size));
  std::_Exit(1);
}

/// A size rounded up; one line more than that follows each buffer.
static uint64_t roomFor(uint64_t size) {
  return (size + 2 * kAlignment - 1) / kAlignment * kAlignment;
}

/// Whether buffers of that room are kept.
static bool isKept(uint64_t room) { return room >= kKeptBytes; }

static void *takeAligned(uint64_t size) {
  uint64_t total = sizeof(BufferHeader) + roomFor(size);
  // A size near 2^64 would wrap.
  void *memory =
      size > INT64_MAX ? nullptr : std::aligned_alloc(kAlignment, total);
  if (!memory)
    endForMemory(size);
  return memory;
}

RunMemory::RunMemory()
    : ring(static_cast<BufferHeader *>(takeAligned(0))), nextNumber(1) {
  // The ring itself has number 0.
  *ring = {ring, ring, 0, 0, 0, false};
}

RunMemory::~RunMemory() {
  clear();
  for (auto &[room, header] : kept)
    std::free(header);
  std::free(ring);
}

void RunMemory::enter() { currentMemory = this; }

void RunMemory::leave() { currentMemory = nullptr; }

void RunMemory::clear() {
  while (ring->next != ring)
    release(ring->next);
}

void RunMemory::unlink(BufferHeader *header) {
  header->previous->next = header->next;
  header->next->previous = header->previous;
  live -= header->bytes;
  if (isKept(header->room))
    used -= header->room;
}

void RunMemory::release(BufferHeader *header) {
  unlink(header);
  if (isKept(header->room))
    kept.emplace(header->room, header);
  else
    std::free(header);
}

std::shared_ptr<void> RunMemory::take(void *buffer, uint64_t size) {
  BufferHeader *header = ring->next;
  while (header != ring && header + 1 != buffer)
    header = header->next;
  if (header == ring || header->room > roomFor(size))
    return nullptr;
  unlink(header);
  if (isKept(header->room))
    held -= header->room;
  return std::shared_ptr<void>(header, [](void *memory) { std::free(memory); });
}

BufferHeader *RunMemory::reuse(uint64_t room) {
  auto found = kept.lower_bound(room);
  if (found == kept.end() || found->first >= 2 * room)
    return nullptr;
  BufferHeader *header = found->second;
  kept.erase(found);
  return header;
}

void RunMemory::makeRoom(uint64_t room) {
  uint64_t limit = std::max(mostUsed, used + room);
  while (held + room > limit && !kept.empty()) {
    auto largest = std::prev(kept.end());
    held -= largest->first;
    std::free(largest->second);
    kept.erase(largest);
  }
}

void *RunMemory::allocate(uint64_t size) {
  // What is larger would wrap, and is refused below.
  uint64_t room = size <= INT64_MAX ? roomFor(size) : 0;
  bool keeps = isKept(room);
  BufferHeader *header = keeps ? reuse(room) : nullptr;
  if (header) {
    room = header->room;
  } else {
    if (keeps)
      makeRoom(room);
    header = static_cast<BufferHeader *>(takeAligned(size));
    held += keeps ? room : 0;
  }
  *header = {ring, ring->next,   static_cast<int64_t>(size),
             room, nextNumber++, false};
  ring->next->previous = header;
  ring->next = header;
  live += header->bytes;
  peak = std::max(peak, live);
  used += keeps ? room : 0;
  mostUsed = std::max(mostUsed, used);
  return header + 1;
}

void RunMemory::release(void *buffer) {
  if (buffer)
    release(static_cast<BufferHeader *>(buffer) - 1);
}

void RunMemory::keep(uint64_t mark, uint64_t address) {
  BufferHeader *header = ring->next;
  for (; header->number >= mark; header = header->next)
    header->keep |= reinterpret_cast<uint64_t>(header + 1) == address;
}

void RunMemory::releaseNewer(uint64_t mark) {
  for (BufferHeader *header = ring->next; header->number >= mark;) {
    BufferHeader *older = header->next;
    if (!header->keep)
      release(header);
    else
      header->keep = false;
    header = older;
  }
}

extern "C" {

void *shard_kernel_allocate(uint64_t alignment, uint64_t size) {
  (void)alignment; // At most kAlignment.
  return currentMemory->allocate(size);
}

void shard_kernel_free(void *buffer) { currentMemory->release(buffer); }

uint64_t shard_kernel_buffer_mark(void) { return currentMemory->mark(); }

void shard_kernel_keep_buffer(uint64_t mark, uint64_t address) {
  currentMemory->keep(mark, address);
}

void shard_kernel_release_buffers(uint64_t mark) {
  currentMemory->releaseNewer(mark);
}

bool shard_kernel_stack_has_room(void) {
  constexpr uintptr_t reserve = 512 << 10;
  static thread_local uintptr_t lowest = [] {
    pthread_attr_t attributes;
    void *start = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &start, &size);
      pthread_attr_destroy(&attributes);
    }
    return reinterpret_cast<uintptr_t>(start) + reserve;
  }();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > lowest;
}
}

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::vector<std::pair<const char *, void *>> shard::memorySymbols() {
  return {
      {"shard_kernel_allocate", addressOf(&shard_kernel_allocate)},
      {"shard_kernel_free", addressOf(&shard_kernel_free)},
      {"shard_kernel_buffer_mark", addressOf(&shard_kernel_buffer_mark)},
      {"shard_kernel_keep_buffer", addressOf(&shard_kernel_keep_buffer)},
      {"shard_kernel_release_buffers",
       addressOf(&shard_kernel_release_buffers)},
      {"shard_kernel_stack_has_room", addressOf(&shard_kernel_stack_has_room)}};
}
