//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes into and comes out of a run: an element type, a shape and bytes in
// row-major order, without gaps. Plain C++17, no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_HOST_HOSTTENSOR_H
#define SHARD_HOST_HOSTTENSOR_H

#include "shard/Host/ElementType.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shard {

/// A tensor in host memory, aligned to 64 bytes unless it is borrowed. Moves, does not
/// copy silently.
class HostTensor {
public:
  HostTensor() = default;
  /// Elements that are 0. Ends the process with a message if memory is short;
  /// where the shape comes from a user, use `make`.
  HostTensor(ElementType type, std::vector<int64_t> shape);
  /// Elements that are 0; if they do not fit memory, nothing, and the reason in
  /// `error`.
  static std::optional<HostTensor>
  make(ElementType type, std::vector<int64_t> shape, std::string &error);

  /// The elements at `data`, row-major and without gaps, which have to outlive the
  /// tensor. Nobody may write to it. `owner` lives as long as the tensor.
  static HostTensor borrow(ElementType type, std::vector<int64_t> shape,
                           const void *data,
                           std::shared_ptr<const void> owner = nullptr);
  bool isBorrowed() const { return bytes.get_deleter().borrowed; }
  /// The elements at `data`, in memory that `owner` keeps and nobody else uses.
  static HostTensor adopt(ElementType type, std::vector<int64_t> shape,
                          void *data, std::shared_ptr<const void> owner);
  /// The same elements in the same memory, if that has an owner of its own; else a copy.
  /// While both live, nobody may write to either.
  HostTensor share() const;

  ElementType type() const { return elementType; }
  const std::vector<int64_t> &shape() const { return extents; }
  int64_t numElements() const { return count; }
  int64_t numBytes() const { return count * byteWidth(elementType); }
  uint8_t *data() { return bytes.get(); }
  const uint8_t *data() const { return bytes.get(); }

  HostTensor clone() const;

  /// Element `i` in row-major order, as a double (64-bit integers round; of complex
  /// elements the real part).
  double asDouble(int64_t i) const;

private:
  struct Free {
    Free() : borrowed(false) {}
    explicit Free(bool borrowed) : borrowed(borrowed) {}
    bool borrowed;
    void operator()(uint8_t *pointer) const {
      if (!borrowed)
        std::free(pointer);
    }
  };
  /// Takes memory for the shape; false if there is too little.
  bool allocate();

  ElementType elementType = ElementType::F32;
  std::vector<int64_t> extents;
  int64_t count = 0;
  std::shared_ptr<const void> owner;
  std::unique_ptr<uint8_t[], Free> bytes;
};

/// The real and imaginary parts of complex elements along a last dimension, and back.
HostTensor partsOf(const HostTensor &tensor);
HostTensor fromParts(const HostTensor &parts);

/// The bytes of a tensor without gaps; nothing if an extent is negative or the
/// number of bytes exceeds what int64_t holds.
std::optional<int64_t> numBytesOf(ElementType type,
                                  const std::vector<int64_t> &shape);

/// "2x3xf32", as in a tensor type.
std::string toString(ElementType type, const std::vector<int64_t> &shape);

/// Row-major element strides of `shape`.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

/// Fills `tensor` with values that depend only on `seed`, `stream` (the index
/// of the argument) and the element's position: floats uniform in [-1, 1),
/// integers uniform in [-8, 8), unsigned ones in [0, 16), i1 0 or 1. The same
/// bits on every machine.
void fillRandom(HostTensor &tensor, uint64_t seed, uint64_t stream);

/// Fills `tensor` with values that show up when anybody trusts them: NaN in
/// floats; -1, 0, the least and a large value by turns in integers.
void fillPoison(HostTensor &tensor);

/// Copies a box of `extents` elements from `source`, starting at the element
/// `sourceOffset`, to `target` at `targetOffset` (one entry per dimension; equal
/// element types; the box lies inside both).
void copyBox(const HostTensor &source, const std::vector<int64_t> &sourceOffset,
             HostTensor &target, const std::vector<int64_t> &targetOffset,
             const std::vector<int64_t> &extents);

} // namespace shard

#endif // SHARD_HOST_HOSTTENSOR_H
