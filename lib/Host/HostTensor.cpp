//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/HostTensor.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace shard;

std::optional<int64_t> shard::numBytesOf(ElementType type,
                                         const std::vector<int64_t> &shape) {
  int64_t size = byteWidth(type);
  // An extent of 0 anywhere makes the size 0, whatever the others are.
  for (int64_t extent : shape)
    if (extent <= 0)
      size = 0;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size))
      return std::nullopt;
  return size;
}

/// The memory of this machine, in bytes. More than that must not be asked for:
/// systems grant it, and end the process when it is written.
static int64_t physicalMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

static std::string outOfMemory(ElementType type,
                               const std::vector<int64_t> &shape) {
  std::optional<int64_t> size = numBytesOf(type, shape);
  return "a tensor of type " + toString(type, shape) + " takes " +
         (size ? std::to_string(*size) + " bytes" : "more than 2^63 bytes") +
         ", which do not fit memory";
}

bool HostTensor::allocate() {
  std::optional<int64_t> size = numBytesOf(elementType, extents);
  if (!size || *size > physicalMemory())
    return false;
  count = *size / byteWidth(elementType);
  size_t padded = (static_cast<size_t>(*size) + 64) / 64 * 64;
  bytes.reset(static_cast<uint8_t *>(std::aligned_alloc(64, padded)));
  if (!bytes)
    return false;
  std::memset(bytes.get(), 0, padded);
  return true;
}

HostTensor HostTensor::borrow(ElementType type, std::vector<int64_t> shape,
                              const void *data,
                              std::shared_ptr<const void> owner) {
  HostTensor tensor;
  tensor.owner = std::move(owner);
  tensor.elementType = type;
  tensor.extents = std::move(shape);
  tensor.count = *numBytesOf(type, tensor.extents) / byteWidth(type);
  tensor.bytes = {static_cast<uint8_t *>(const_cast<void *>(data)), Free(true)};
  return tensor;
}

HostTensor HostTensor::adopt(ElementType type, std::vector<int64_t> shape,
                             void *data, std::shared_ptr<const void> owner) {
  return borrow(type, std::move(shape), data, std::move(owner));
}

HostTensor HostTensor::share() const {
  return owner ? borrow(elementType, extents, data(), owner) : clone();
}

HostTensor::HostTensor(ElementType type, std::vector<int64_t> shape)
    : elementType(type), extents(std::move(shape)) {
  if (allocate())
    return;
  std::fprintf(stderr, "error: %s\n",
               outOfMemory(elementType, extents).c_str());
  std::_Exit(1);
}

std::optional<HostTensor> HostTensor::make(ElementType type,
                                           std::vector<int64_t> shape,
                                           std::string &error) {
  HostTensor tensor;
  tensor.elementType = type;
  tensor.extents = std::move(shape);
  if (tensor.allocate())
    return tensor;
  error = outOfMemory(type, tensor.extents);
  return std::nullopt;
}

HostTensor HostTensor::clone() const {
  HostTensor result(elementType, extents);
  if (bytes)
    std::memcpy(result.data(), data(), numBytes());
  return result;
}

HostTensor shard::partsOf(const HostTensor &tensor) {
  std::vector<int64_t> shape = tensor.shape();
  shape.push_back(2);
  HostTensor parts(partType(tensor.type()), std::move(shape));
  std::memcpy(parts.data(), tensor.data(), tensor.numBytes());
  return parts;
}

HostTensor shard::fromParts(const HostTensor &parts) {
  std::vector<int64_t> shape = parts.shape();
  shape.pop_back();
  HostTensor tensor(parts.type() == ElementType::F32 ? ElementType::C64
                                                     : ElementType::C128,
                    std::move(shape));
  std::memcpy(tensor.data(), parts.data(), tensor.numBytes());
  return tensor;
}

template <typename T>
static T load(const uint8_t *bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

double HostTensor::asDouble(int64_t i) const {
  switch (elementType) {
  case ElementType::I1:
    return load<uint8_t>(data(), i) != 0;
  case ElementType::I8:
    return load<int8_t>(data(), i);
  case ElementType::U8:
    return load<uint8_t>(data(), i);
  case ElementType::I16:
    return load<int16_t>(data(), i);
  case ElementType::U16:
    return load<uint16_t>(data(), i);
  case ElementType::I32:
    return load<int32_t>(data(), i);
  case ElementType::U32:
    return load<uint32_t>(data(), i);
  case ElementType::I64:
  case ElementType::Index:
    return static_cast<double>(load<int64_t>(data(), i));
  case ElementType::U64:
    return static_cast<double>(load<uint64_t>(data(), i));
  case ElementType::F16:
    return halfToFloat(load<uint16_t>(data(), i));
  case ElementType::BF16:
    return bfloatToFloat(load<uint16_t>(data(), i));
  case ElementType::F32:
    return load<float>(data(), i);
  case ElementType::F64:
    return load<double>(data(), i);
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E4M3:
  case ElementType::F8E3M4:
    return smallFloatToDouble(elementType, load<uint8_t>(data(), i));
  case ElementType::C64:
    return load<float>(data(), 2 * i);
  case ElementType::C128:
    return load<double>(data(), 2 * i);
  }
  return 0.0;
}

std::string shard::toString(ElementType type,
                            const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (extent < 0 ? std::string("?") : std::to_string(extent)) + "x";
  text += stringifyElementType(type);
  return text;
}

std::vector<int64_t> shard::rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  // Strides of a tensor without elements may exceed int64_t; nobody uses them.
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = static_cast<int64_t>(static_cast<uint64_t>(strides[i]) *
                                          static_cast<uint64_t>(shape[i]));
  return strides;
}

/// A mixing function (SplitMix64): position -> independent 64 bits.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

template <typename T, typename MakeFn>
static void fill(HostTensor &tensor, MakeFn make) {
  auto *elements = reinterpret_cast<T *>(tensor.data());
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
    elements[i] = static_cast<T>(make(i));
}

void shard::fillRandom(HostTensor &tensor, uint64_t seed, uint64_t stream) {
  uint64_t base = mix(mix(seed) ^ mix(stream * 2 + 1));
  auto bits = [base](int64_t i) {
    return mix(base + static_cast<uint64_t>(i));
  };
  // 24 random bits: exact in a float, uniform in [-1, 1).
  auto unit = [&](int64_t i) {
    return static_cast<float>(static_cast<int32_t>(bits(i) >> 40) - (1 << 23)) *
           0x1p-23f;
  };
  auto small = [&](int64_t i) {
    return static_cast<int64_t>(bits(i) >> 60) - 8;
  };
  auto smallUnsigned = [&](int64_t i) { return bits(i) >> 60; };
  switch (tensor.type()) {
  case ElementType::I1:
    return fill<uint8_t>(tensor, [&](int64_t i) { return bits(i) >> 63; });
  case ElementType::I8:
    return fill<int8_t>(tensor, small);
  case ElementType::I16:
    return fill<int16_t>(tensor, small);
  case ElementType::I32:
    return fill<int32_t>(tensor, small);
  case ElementType::I64:
  case ElementType::Index:
    return fill<int64_t>(tensor, small);
  case ElementType::U8:
    return fill<uint8_t>(tensor, smallUnsigned);
  case ElementType::U16:
    return fill<uint16_t>(tensor, smallUnsigned);
  case ElementType::U32:
    return fill<uint32_t>(tensor, smallUnsigned);
  case ElementType::U64:
    return fill<uint64_t>(tensor, smallUnsigned);
  case ElementType::F16:
    return fill<uint16_t>(tensor,
                          [&](int64_t i) { return floatToHalf(unit(i)); });
  case ElementType::BF16:
    return fill<uint16_t>(tensor,
                          [&](int64_t i) { return floatToBfloat(unit(i)); });
  case ElementType::F32:
    return fill<float>(tensor, unit);
  case ElementType::F64:
    return fill<double>(tensor, [&](int64_t i) {
      return static_cast<double>(static_cast<int64_t>(bits(i)) >> 11) * 0x1p-52;
    });
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E4M3:
  case ElementType::F8E3M4:
    return fill<uint8_t>(tensor, [&](int64_t i) {
      return doubleToSmallFloat(tensor.type(), unit(i));
    });
  case ElementType::C64:
  case ElementType::C128: {
    HostTensor parts = partsOf(tensor);
    fillRandom(parts, seed, stream);
    std::memcpy(tensor.data(), parts.data(), tensor.numBytes());
    return;
  }
  }
}

template <typename T>
static void fillPoisonInteger(HostTensor &tensor) {
  const T least = static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 1));
  const T values[4] = {static_cast<T>(-1), 0, least,
                       static_cast<T>(0x7f7f7f7f7f7f7f7fll)};
  fill<T>(tensor, [&](int64_t i) { return values[i % 4]; });
}

void shard::fillPoison(HostTensor &tensor) {
  switch (tensor.type()) {
  case ElementType::I1:
    return fill<uint8_t>(tensor, [](int64_t i) { return (i + 1) % 2; });
  case ElementType::I8:
  case ElementType::U8:
    return fillPoisonInteger<uint8_t>(tensor);
  case ElementType::I16:
  case ElementType::U16:
    return fillPoisonInteger<uint16_t>(tensor);
  case ElementType::I32:
  case ElementType::U32:
    return fillPoisonInteger<uint32_t>(tensor);
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::Index:
    return fillPoisonInteger<uint64_t>(tensor);
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F32:
  case ElementType::F64:
  case ElementType::C64:
  case ElementType::C128:
    std::memset(tensor.data(), 0xff, tensor.numBytes());
    return;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E4M3:
  case ElementType::F8E3M4:
    std::memset(tensor.data(), smallFloatNaN(tensor.type()), tensor.numBytes());
    return;
  }
}

void shard::copyBox(const HostTensor &source,
                    const std::vector<int64_t> &sourceOffset,
                    HostTensor &target,
                    const std::vector<int64_t> &targetOffset,
                    const std::vector<int64_t> &extents) {
  int64_t width = byteWidth(source.type());
  size_t rank = extents.size();
  for (int64_t extent : extents)
    if (extent <= 0)
      return;
  std::vector<int64_t> sourceStrides = rowMajorStrides(source.shape());
  std::vector<int64_t> targetStrides = rowMajorStrides(target.shape());
  int64_t from = 0, to = 0;
  for (size_t i = 0; i < rank; ++i) {
    from += sourceOffset[i] * sourceStrides[i];
    to += targetOffset[i] * targetStrides[i];
  }
  int64_t run = rank ? extents[rank - 1] : 1;
  std::vector<int64_t> index(rank, 0);
  while (true) {
    std::memcpy(target.data() + to * width, source.data() + from * width,
                run * width);
    size_t dim = rank ? rank - 1 : 0;
    while (dim > 0) {
      --dim;
      from += sourceStrides[dim];
      to += targetStrides[dim];
      if (++index[dim] < extents[dim])
        break;
      from -= sourceStrides[dim] * extents[dim];
      to -= targetStrides[dim] * extents[dim];
      index[dim] = 0;
      if (dim == 0)
        return;
    }
    if (rank <= 1)
      return;
  }
}
