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
#include "shard/Runtime/Kernels/Memory.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace shard;

std::vector<std::pair<std::string, void *>> codegen::runSymbols() {
  std::vector<std::pair<std::string, void *>> symbols = programSymbols();
  llvm::append_range(symbols, runnerUtilities());
  return symbols;
}

std::vector<std::pair<std::string, void *>> codegen::programSymbols() {
  std::vector<std::pair<std::string, void *>> symbols;
  for (auto [name, address] : memorySymbols())
    symbols.emplace_back(name, address);
  return symbols;
}

//===----------------------------------------------------------------------===//
// Invocation
//===----------------------------------------------------------------------===//

Invocation::Invocation() = default;
Invocation::Invocation(Invocation &&) = default;
Invocation &Invocation::operator=(Invocation &&) = default;
Invocation::~Invocation() = default;

int64_t Invocation::peakBytes() const { return memory->peakBytes(); }

void Invocation::execute() {
  memory->enter();
  function(packed.data());
  memory->leave();
}

/// The words of a memref descriptor of `rank`: two pointers, an offset, sizes
/// and strides.
static size_t descriptorWords(size_t rank) { return 3 + 2 * rank; }

/// The result in the memref that `words` describe; results have identity layout. It
/// takes its buffer out of `memory`. What lies elsewhere is copied: in an argument, a
/// constant, the buffer of another result or a part of one.
static HostTensor takeResult(const TensorSpec &spec, const int64_t *words,
                             RunMemory &memory) {
  size_t rank = spec.shape.size();
  auto *base = reinterpret_cast<uint8_t *>(words[1]);
  base += words[2] * byteWidth(spec.type);
  std::vector<int64_t> shape(words + 3, words + 3 + rank);
  if (std::optional<int64_t> size = numBytesOf(spec.type, shape))
    if (std::shared_ptr<void> owner = memory.take(base, *size))
      return HostTensor::adopt(spec.type, std::move(shape), base,
                               std::move(owner));
  HostTensor result(spec.type, std::move(shape));
  std::memcpy(result.data(), base, result.numBytes());
  return result;
}

std::vector<HostTensor> Invocation::takeResults() {
  std::vector<HostTensor> outputs;
  const int64_t *next = resultWords.data();
  for (const TensorSpec &spec : outputSpecs) {
    outputs.push_back(takeResult(spec, next, *memory));
    next += descriptorWords(spec.shape.size());
  }
  memory->clear();
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
