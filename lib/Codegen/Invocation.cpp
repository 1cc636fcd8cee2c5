//===- Invocation.cpp - Run a compiled program ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "MachineCode.h"

#include "shard/Codegen/Compile.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <pthread.h>

using namespace mlir;
using namespace shard;

//===----------------------------------------------------------------------===//
// Memory of a run
//===----------------------------------------------------------------------===//

namespace {

/// Buffers are aligned to a cache line, the most that compiled code asks for: no vector
/// is longer.
constexpr size_t kAlignment = 64;

/// Stands in front of every buffer of a run. All live buffers of a run form a
/// ring, the newest first, so that what the program does not free is freed at its end.
struct alignas(kAlignment) BufferHeader {
  BufferHeader *previous, *next;
  int64_t bytes;
  /// Buffers are numbered in the order in which they are made.
  uint64_t number;
  /// Left alone by the next release of buffers that are newer than a mark.
  bool keep;
};

} // namespace

struct shard::RunMemory {
  BufferHeader ring{&ring, &ring, 0, 0, false};
  int64_t live = 0, peak = 0;
  /// The ring itself has number 0.
  uint64_t nextNumber = 1;

  RunMemory() = default;
  RunMemory(const RunMemory &) = delete;
  ~RunMemory() {
    while (ring.next != &ring)
      release(ring.next);
  }
  void release(BufferHeader *header) {
    header->previous->next = header->next;
    header->next->previous = header->previous;
    live -= header->bytes;
    std::free(header);
  }
};

/// That of the invocation that this thread executes.
static thread_local RunMemory *currentMemory = nullptr;

extern "C" {
static void *shardExecAllocate(uint64_t alignment, uint64_t size) {
  (void)alignment; // At most kAlignment.
  RunMemory &memory = *currentMemory;
  uint64_t total = sizeof(BufferHeader) +
                   (size + 2 * kAlignment - 1) / kAlignment * kAlignment;
  // A size near 2^64 would wrap.
  auto *header =
      size > INT64_MAX
          ? nullptr
          : static_cast<BufferHeader *>(std::aligned_alloc(kAlignment, total));
  if (!header) {
    std::fprintf(stderr, "error: out of memory: a buffer of %llu bytes\n",
                 static_cast<unsigned long long>(size));
    std::_Exit(1);
  }
  header->bytes = static_cast<int64_t>(size);
  header->number = memory.nextNumber++;
  header->keep = false;
  header->previous = &memory.ring;
  header->next = memory.ring.next;
  memory.ring.next->previous = header;
  memory.ring.next = header;
  memory.live += header->bytes;
  memory.peak = std::max(memory.peak, memory.live);
  return header + 1;
}

static void shardExecFree(void *pointer) {
  if (pointer)
    currentMemory->release(static_cast<BufferHeader *>(pointer) - 1);
}

static uint64_t shardExecBufferMark() { return currentMemory->nextNumber; }

static void shardExecKeepBuffer(uint64_t mark, uint64_t address) {
  BufferHeader *header = currentMemory->ring.next;
  for (; header->number >= mark; header = header->next)
    header->keep |= reinterpret_cast<uint64_t>(header + 1) == address;
}

static void shardExecReleaseBuffers(uint64_t mark) {
  RunMemory &memory = *currentMemory;
  for (BufferHeader *header = memory.ring.next; header->number >= mark;) {
    BufferHeader *older = header->next;
    if (!header->keep)
      memory.release(header);
    else
      header->keep = false;
    header = older;
  }
}

/// Whether the stack of this thread has room for one more call of a recursive
/// function and what that calls.
static bool shardExecStackHasRoom() {
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

std::vector<std::pair<std::string, void *>> codegen::runSymbols() {
  std::vector<std::pair<std::string, void *>> symbols = {
      {"_mlir_memref_to_llvm_aligned_alloc",
       reinterpret_cast<void *>(&shardExecAllocate)},
      {"_mlir_memref_to_llvm_free", reinterpret_cast<void *>(&shardExecFree)},
      {codegen::bufferMarkName.str(),
       reinterpret_cast<void *>(&shardExecBufferMark)},
      {codegen::keepBufferName.str(),
       reinterpret_cast<void *>(&shardExecKeepBuffer)},
      {codegen::releaseBuffersName.str(),
       reinterpret_cast<void *>(&shardExecReleaseBuffers)},
      {codegen::stackCheckName.str(),
       reinterpret_cast<void *>(&shardExecStackHasRoom)}};
  llvm::append_range(symbols, runnerUtilities());
  return symbols;
}

//===----------------------------------------------------------------------===//
// Invocation
//===----------------------------------------------------------------------===//

Invocation::Invocation() = default;
Invocation::Invocation(Invocation &&) = default;
Invocation &Invocation::operator=(Invocation &&) = default;
Invocation::~Invocation() = default;

int64_t Invocation::peakBytes() const { return memory->peak; }

void Invocation::execute() {
  currentMemory = memory.get();
  function(packed.data());
  currentMemory = nullptr;
}

/// The words of a memref descriptor of `rank`: two pointers, an offset, sizes
/// and strides.
static size_t descriptorWords(size_t rank) { return 3 + 2 * rank; }

/// Copies a result out of the memref that `words` describe; results have
/// identity layout.
static HostTensor readResult(const TensorSpec &spec, const int64_t *words) {
  size_t rank = spec.shape.size();
  const auto *base = reinterpret_cast<const uint8_t *>(words[1]);
  base += words[2] * byteWidth(spec.type);
  HostTensor result(spec.type,
                    std::vector<int64_t>(words + 3, words + 3 + rank));
  std::memcpy(result.data(), base, result.numBytes());
  return result;
}

std::vector<HostTensor> Invocation::takeResults() {
  std::vector<HostTensor> outputs;
  const int64_t *next = resultWords.data();
  for (const TensorSpec &spec : outputSpecs) {
    outputs.push_back(readResult(spec, next));
    next += descriptorWords(spec.shape.size());
  }
  int64_t peak = memory->peak;
  memory = std::make_unique<RunMemory>();
  memory->peak = peak;
  return outputs;
}

//===----------------------------------------------------------------------===//
// CompiledProgram
//===----------------------------------------------------------------------===//

CompiledProgram::CompiledProgram() = default;
CompiledProgram::~CompiledProgram() = default;

static llvm::Error checkArgument(const TensorSpec &spec, size_t index,
                                 const HostTensor &argument) {
  bool fits = spec.type == argument.type() &&
              spec.shape.size() == argument.shape().size();
  for (size_t i = 0; fits && i < spec.shape.size(); ++i)
    fits = ShapedType::isDynamic(spec.shape[i]) ||
           spec.shape[i] == argument.shape()[i];
  if (fits)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("argument {0} is {1}, but the program takes {2}", index,
                    toString(argument.type(), argument.shape()),
                    toString(spec.type, spec.shape))
          .str());
}

llvm::Expected<Invocation>
CompiledProgram::prepare(ArrayRef<const HostTensor *> arguments) const {
  if (arguments.size() != inputSpecs.size())
    return llvm::createStringError(
        llvm::formatv("the program takes {0} arguments, not {1}",
                      inputSpecs.size(), arguments.size())
            .str());
  Invocation invocation;
  invocation.function = function;
  invocation.outputSpecs = outputSpecs;
  invocation.memory = std::make_unique<RunMemory>();
  std::vector<int64_t> &words = invocation.words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const HostTensor &argument = *arguments[i];
    if (llvm::Error error = checkArgument(inputSpecs[i], i, argument))
      return std::move(error);
    auto address = reinterpret_cast<int64_t>(argument.data());
    words.insert(words.end(), {address, address, 0});
    words.insert(words.end(), argument.shape().begin(), argument.shape().end());
    std::vector<int64_t> strides = rowMajorStrides(argument.shape());
    words.insert(words.end(), strides.begin(), strides.end());
  }
  size_t resultWords = 0;
  for (const TensorSpec &spec : outputSpecs)
    resultWords += descriptorWords(spec.shape.size());
  invocation.resultWords.assign(resultWords, 0);
  for (int64_t &word : words)
    invocation.packed.push_back(&word);
  invocation.packed.push_back(invocation.resultWords.data());
  return std::move(invocation);
}

llvm::Expected<std::vector<HostTensor>>
CompiledProgram::run(ArrayRef<const HostTensor *> arguments) const {
  llvm::Expected<Invocation> invocation = prepare(arguments);
  if (!invocation)
    return invocation.takeError();
  invocation->execute();
  return invocation->takeResults();
}
