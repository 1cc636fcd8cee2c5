//===- InputRounding.cpp - What rounding the inputs does to results -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputRounding.h"

#include "shard/Runtime/Threads.h"

#include <cmath>
#include <random>

using namespace shard;
using namespace shard::execution;

/// Moves each element of `tensor` by its unit in the last place, up or down at random. Integers
/// and floats of 8 bits stay.
static void roundOtherwise(HostTensor &tensor, std::mt19937_64 &random) {
  if (isComplex(tensor.type())) {
    HostTensor parts = partsOf(tensor);
    roundOtherwise(parts, random);
    tensor = fromParts(parts);
    return;
  }
  double step = 2 * unitRoundoff(tensor.type());
  auto fill = [&](auto *data, auto convert) {
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
      data[i] =
          convert(tensor.asDouble(i) * (random() & 1 ? 1 + step : 1 - step));
  };
  switch (tensor.type()) {
  case ElementType::F16:
    return fill(reinterpret_cast<uint16_t *>(tensor.data()), floatToHalf);
  case ElementType::BF16:
    return fill(reinterpret_cast<uint16_t *>(tensor.data()), floatToBfloat);
  case ElementType::F32:
    return fill(reinterpret_cast<float *>(tensor.data()),
                [](double value) { return static_cast<float>(value); });
  case ElementType::F64:
    return fill(reinterpret_cast<double *>(tensor.data()),
                [](double value) { return value; });
  default:
    return;
  }
}

/// Adds to `sum` the squares of the differences of finite elements, and to `count` their number.
static void addDifferences(const HostTensor &a, const HostTensor &b,
                           double &sum, int64_t &count) {
  if (isComplex(a.type()))
    return addDifferences(partsOf(a), partsOf(b), sum, count);
  for (int64_t i = 0, e = a.numElements(); i < e; ++i) {
    double difference = a.asDouble(i) - b.asDouble(i);
    if (!std::isfinite(difference))
      continue;
    sum += difference * difference;
    ++count;
  }
}

void InputRounding::measure() {
  moved.assign(expected.size(), 0.0);
  std::vector<double> sums(expected.size(), 0.0);
  std::vector<int64_t> counts(expected.size(), 0);
  std::mt19937_64 random;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<HostTensor> rounded;
    std::vector<const HostTensor *> pointers;
    for (const HostTensor &input : inputs) {
      rounded.push_back(input.clone());
      roundOtherwise(rounded.back(), random);
    }
    for (const HostTensor &input : rounded)
      pointers.push_back(&input);
    llvm::Expected<Invocation> invocation = program.prepare(pointers);
    if (!invocation)
      return llvm::consumeError(invocation.takeError());
    // As the reference runs: checks that fail are caught.
    if (!runtime::runOnGrid({}, [&](int64_t) { invocation->execute(); }, {}).ok)
      return;
    std::vector<HostTensor> outputs = invocation->takeResults();
    for (size_t i = 0; i < expected.size(); ++i) {
      if (outputs[i].shape() != expected[i].shape())
        return;
      addDifferences(outputs[i], expected[i], sums[i], counts[i]);
    }
  }
  for (size_t i = 0; i < expected.size(); ++i)
    if (counts[i])
      moved[i] = std::sqrt(sums[i] / static_cast<double>(counts[i]));
}

double InputRounding::movedBy(size_t index) {
  if (moved.empty())
    measure();
  return moved[index];
}
