//===- CheckKernels.cpp - Products of the runtime by definition -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which way a kernel takes depends on extents, strides and element types. Programs have small
// products, most of them of whole contiguous tensors.
//
//===----------------------------------------------------------------------===//

#include "CheckKernels.h"

#include "shard/Fuzz/Random.h"

#include "shard/Runtime/Kernels/Contraction.h"

#include <cstring>
#include <vector>

namespace shard::fuzz {

namespace {

/// Small whole numbers in memory, as elements of any type.
struct Numbers {
  Numbers(ElementType type, int64_t count)
      : type(type), bytes(count * byteWidth(type)) {}
  int64_t get(int64_t at) const;
  void set(int64_t at, int64_t value);

  ElementType type;
  std::vector<uint8_t> bytes;
};

/// A product with random loops.
class ProductCase {
public:
  explicit ProductCase(Random &rng);
  std::string compare() const;

private:
  enum class Role { Batch, Row, Column, Sum };
  void addLoop(Role role, int64_t extent);
  void setStrides();
  std::string compare(ContractionIsa isa, const Numbers &expected) const;
  void sum(size_t depth, int64_t atA, int64_t atB, int64_t atC,
           std::vector<int64_t> &c) const;

  Random &rng;
  ContractionTypes types;
  std::vector<Role> roles;
  std::vector<ContractionLoop> loops;
  int64_t sizeA = 1, sizeB = 1, sizeC = 1;
  std::vector<int64_t> a, b, c;
};

} // namespace

/// Of f32, which bf16 and f16 cut short: they hold whole numbers up to 256 exactly.
static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

int64_t Numbers::get(int64_t at) const {
  const uint8_t *from = bytes.data() + at * byteWidth(type);
  auto read = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return number;
  };
  switch (type) {
  case ElementType::F32:
    return int64_t(read(float()));
  case ElementType::F64:
    return int64_t(read(double()));
  case ElementType::BF16:
  case ElementType::F16: {
    uint32_t bits = read(uint16_t()), magnitude = bits & 0x7fff;
    // f16 has three bits of the exponent less, which begins elsewhere.
    uint32_t wide = type == ElementType::BF16 ? magnitude << 16
                    : magnitude == 0 ? 0
                                     : (magnitude << 13) + ((127 - 15) << 23);
    float number;
    std::memcpy(&number, &wide, 4);
    return int64_t(bits >> 15 ? -number : number);
  }
  case ElementType::I8:
    return read(int8_t());
  case ElementType::I16:
    return read(int16_t());
  case ElementType::I32:
    return read(int32_t());
  default:
    return read(int64_t());
  }
}

void Numbers::set(int64_t at, int64_t value) {
  uint8_t *to = bytes.data() + at * byteWidth(type);
  auto write = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (type) {
  case ElementType::F32:
    return write(float(value));
  case ElementType::F64:
    return write(double(value));
  case ElementType::BF16:
    return write(uint16_t(bitsOf(float(value)) >> 16));
  case ElementType::F16: {
    uint32_t bits = bitsOf(float(value)), magnitude = bits & 0x7fffffff;
    uint32_t narrow =
        magnitude == 0 ? 0 : (magnitude - ((127 - 15) << 23)) >> 13;
    return write(uint16_t(narrow | (bits >> 31 << 15)));
  }
  case ElementType::I8:
    return write(int8_t(value));
  case ElementType::I16:
    return write(int16_t(value));
  case ElementType::I32:
    return write(int32_t(value));
  default:
    return write(value);
  }
}

void ProductCase::addLoop(Role role, int64_t extent) {
  // Some loops are two, one in the other.
  int64_t inner = rng.chance(20) ? rng.between(1, 3) : 1;
  for (int64_t part : {inner, (extent + inner - 1) / inner})
    if (part > 1 || rng.chance(10)) {
      roles.push_back(role);
      loops.push_back({part, 0, 0, 0});
    }
}

/// Lays out each operand in a random order of its loops, mostly the last one contiguous.
void ProductCase::setStrides() {
  auto layOut = [&](Role left, int64_t ContractionLoop::*stride,
                    int64_t &size) {
    std::vector<size_t> order;
    for (size_t i = 0; i < loops.size(); ++i)
      if (roles[i] != left)
        order.push_back(i);
    rng.shuffle(order);
    size = rng.chance(25) ? rng.between(2, 3) : 1;
    for (size_t i : order) {
      loops[i].*stride = size;
      size *= loops[i].extent;
      size += rng.chance(10) ? rng.between(1, 3) : 0;
    }
  };
  layOut(Role::Column, &ContractionLoop::strideA, sizeA);
  layOut(Role::Row, &ContractionLoop::strideB, sizeB);
  layOut(Role::Sum, &ContractionLoop::strideC, sizeC);
}

ProductCase::ProductCase(Random &rng) : rng(rng) {
  using E = ElementType;
  static const std::vector<ContractionTypes> known = {
      {E::F32, E::F32, E::F32, E::F32},   {E::F32, E::F32, E::F32, E::F32},
      {E::F64, E::F64, E::F64, E::F64},   {E::BF16, E::F16, E::BF16, E::F32},
      {E::F32, E::BF16, E::F32, E::F32},  {E::F16, E::F32, E::F16, E::F32},
      {E::BF16, E::BF16, E::F32, E::F32}, {E::I8, E::I8, E::I32, E::I32},
      {E::I32, E::I32, E::I32, E::I32},   {E::I8, E::I64, E::I64, E::I64}};
  types = rng.oneOf(known);
  static const std::vector<int64_t> rows = {1,  2,  3,  5,  7,  8,  9,
                                            15, 16, 17, 33, 40, 65, 100};
  // Large ones are rare: a million products take a millisecond.
  int64_t m = rng.oneOf(rows), n = rng.oneOf(rows), k = rng.oneOf(rows);
  while (m * n * k > 60000)
    (m > n ? m : n) = rng.between(1, 9);
  if (rng.chance(15))
    k = 60000 / (m * n) > 300 ? 300 : k;
  if (rng.chance(3))
    (rng.chance(50) ? k : n) = 0;
  addLoop(Role::Row, m);
  addLoop(Role::Column, n);
  addLoop(Role::Sum, k);
  if (m == 0 || n == 0 || k == 0)
    loops.push_back({0, 1, 1, 0}), roles.push_back(Role::Sum);
  if (rng.chance(20))
    addLoop(Role::Batch, rng.between(1, 3));
  // The order of loops says nothing.
  for (size_t i = loops.size(); i > 1; --i) {
    size_t j = rng.between(0, int64_t(i) - 1);
    std::swap(loops[i - 1], loops[j]);
    std::swap(roles[i - 1], roles[j]);
  }
  setStrides();
  // Sums stay below what the narrowest type holds.
  for (auto [values, size] : {std::pair{&a, sizeA}, {&b, sizeB}, {&c, sizeC}})
    for (int64_t i = 0; i <= size; ++i)
      values->push_back(
          rng.chance(values == &a ? 50 : 30) ? 0 : rng.between(-1, 1));
}

void ProductCase::sum(size_t depth, int64_t atA, int64_t atB, int64_t atC,
                      std::vector<int64_t> &c) const {
  if (depth == loops.size()) {
    c[atC] += a[atA] * b[atB];
    return;
  }
  const ContractionLoop &loop = loops[depth];
  for (int64_t i = 0; i < loop.extent; ++i)
    sum(depth + 1, atA + i * loop.strideA, atB + i * loop.strideB,
        atC + i * loop.strideC, c);
}

std::string ProductCase::compare(ContractionIsa isa,
                                 const Numbers &expected) const {
  auto fill = [](ElementType type, const std::vector<int64_t> &values) {
    Numbers numbers(type, int64_t(values.size()));
    for (size_t i = 0; i < values.size(); ++i)
      numbers.set(int64_t(i), values[i]);
    return numbers;
  };
  Numbers left = fill(types.a, a), right = fill(types.b, b),
          result = fill(types.c, c);
  contract(types, left.bytes.data(), right.bytes.data(), result.bytes.data(),
           loops.data(), int64_t(loops.size()), isa);
  for (size_t i = 0; i < c.size(); ++i)
    if (result.get(int64_t(i)) != expected.get(int64_t(i))) {
      std::string text =
          "element " + std::to_string(i) + " of a product is " +
          std::to_string(result.get(int64_t(i))) + " instead of " +
          std::to_string(expected.get(int64_t(i))) + ": types " +
          std::to_string(int(types.a)) + " " + std::to_string(int(types.b)) +
          " " + std::to_string(int(types.c)) + ", form " +
          std::to_string(int(isa)) + ", loops";
      for (const ContractionLoop &loop : loops)
        text += " (" + std::to_string(loop.extent) + ": " +
                std::to_string(loop.strideA) + " " +
                std::to_string(loop.strideB) + " " +
                std::to_string(loop.strideC) + ")";
      return text;
    }
  return {};
}

std::string ProductCase::compare() const {
  std::vector<int64_t> sums = c;
  sum(0, 0, 0, 0, sums);
  Numbers expected(types.c, int64_t(sums.size()));
  for (size_t i = 0; i < sums.size(); ++i)
    expected.set(int64_t(i), sums[i]);
  for (ContractionIsa isa :
       {ContractionIsa::Baseline, ContractionIsa::Avx2, ContractionIsa::Avx512})
    if (isContractionIsaSupported(isa))
      if (std::string wrong = compare(isa, expected); !wrong.empty())
        return wrong;
  return {};
}

std::string checkKernels(uint64_t seed) {
  Random rng(seed ^ 0x6b65726e656c73ull);
  return ProductCase(rng).compare();
}

} // namespace shard::fuzz
