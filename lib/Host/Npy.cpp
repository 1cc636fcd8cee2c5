//===- Npy.cpp - Tensors in NumPy's file format ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace shard;

static const char *descriptorOf(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::U8:
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E4M3:
  case ElementType::F8E3M4:
    return "|u1";
  case ElementType::I16:
    return "<i2";
  case ElementType::U16:
  case ElementType::BF16:
    return "<u2";
  case ElementType::I32:
    return "<i4";
  case ElementType::U32:
    return "<u4";
  case ElementType::I64:
  case ElementType::Index:
    return "<i8";
  case ElementType::U64:
    return "<u8";
  case ElementType::F16:
    return "<f2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  case ElementType::C64:
    return "<c8";
  case ElementType::C128:
    return "<c16";
  }
  return "";
}

namespace {

/// What the header's dictionary says.
struct Header {
  std::string descriptor;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// The text behind `'key':`, or nothing.
std::optional<size_t> findValue(const std::string &text, const char *key) {
  size_t at = text.find("'" + std::string(key) + "'");
  if (at == std::string::npos)
    return std::nullopt;
  at = text.find(':', at);
  if (at == std::string::npos)
    return std::nullopt;
  at = text.find_first_not_of(' ', at + 1);
  return at == std::string::npos ? std::nullopt : std::optional(at);
}

std::optional<Header> parseHeader(const std::string &text) {
  Header header;
  std::optional<size_t> descriptor = findValue(text, "descr");
  std::optional<size_t> order = findValue(text, "fortran_order");
  std::optional<size_t> shape = findValue(text, "shape");
  // The element type of structures is a list. No type of ours is called so.
  if (descriptor && text[*descriptor] == '[') {
    header.descriptor =
        text.substr(*descriptor, text.rfind(']') + 1 - *descriptor);
    return header;
  }
  if (!descriptor || !order || !shape || text[*descriptor] != '\'' ||
      text[*shape] != '(')
    return std::nullopt;
  size_t end = text.find('\'', *descriptor + 1);
  size_t close = text.find(')', *shape);
  if (end == std::string::npos || close == std::string::npos)
    return std::nullopt;
  header.descriptor = text.substr(*descriptor + 1, end - *descriptor - 1);
  header.fortranOrder = text.compare(*order, 4, "True") == 0;
  if (!header.fortranOrder && text.compare(*order, 5, "False") != 0)
    return std::nullopt;
  size_t at = *shape + 1;
  while (at < close) {
    // Python 2 wrote an L behind large numbers.
    if (text[at] == ' ' || text[at] == ',' || text[at] == 'L') {
      ++at;
      continue;
    }
    if (text[at] < '0' || text[at] > '9')
      return std::nullopt;
    int64_t extent = 0;
    for (; at < close && text[at] >= '0' && text[at] <= '9'; ++at) {
      if (extent > INT64_MAX / 16)
        return std::nullopt;
      extent = extent * 10 + (text[at] - '0');
    }
    header.shape.push_back(extent);
  }
  return header;
}

/// The type named by `descriptor`, preferring `expected` where two share a name.
std::optional<ElementType> typeOf(std::string descriptor,
                                  ElementType expected) {
  if (!descriptor.empty() && (descriptor[0] == '=' || descriptor[0] == '|'))
    descriptor[0] = descriptor.back() == '1' ? '|' : '<';
  if (descriptor == "<b1" || descriptor == "<i1" || descriptor == "<u1")
    descriptor[0] = '|';
  if (descriptor == descriptorOf(expected))
    return expected;
  for (auto type :
       {ElementType::I1, ElementType::I8, ElementType::U8, ElementType::I16,
        ElementType::U16, ElementType::I32, ElementType::U32, ElementType::I64,
        ElementType::U64, ElementType::F16, ElementType::F32, ElementType::F64,
        ElementType::C64, ElementType::C128})
    if (descriptor == descriptorOf(type))
      return type;
  return std::nullopt;
}

/// Elements in Fortran order, first dimension fastest, to row-major order.
HostTensor fromFortranOrder(const HostTensor &source) {
  HostTensor result(source.type(), source.shape());
  int64_t width = byteWidth(source.type());
  size_t rank = source.shape().size();
  std::vector<int64_t> strides = rowMajorStrides(source.shape());
  std::vector<int64_t> index(rank, 0);
  for (int64_t i = 0, e = source.numElements(); i < e; ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < rank; ++d)
      position += index[d] * strides[d];
    std::memcpy(result.data() + position * width, source.data() + i * width,
                width);
    for (size_t d = 0; d < rank && ++index[d] == source.shape()[d]; ++d)
      index[d] = 0;
  }
  return result;
}

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

} // namespace

namespace {
/// A file whose header has been read.
struct OpenedFile {
  File file;
  ElementType type = ElementType::F32;
  Header header;
  /// Where the elements begin, and how many bytes they have.
  int64_t begin = 0, size = 0;
};
} // namespace

/// The file at `path`, which is as long as its header says.
static std::optional<OpenedFile>
openNpy(const std::string &path, ElementType expected, std::string &error) {
  auto fail = [&](const std::string &what) {
    error = "'" + path + "' " + what;
    return std::nullopt;
  };
  // To open a FIFO would wait for a writer, and a pipe has no length.
  struct stat status;
  bool found = stat(path.c_str(), &status) == 0;
  if (found && !S_ISREG(status.st_mode))
    return fail("is no regular file");
  OpenedFile result;
  result.file.reset(found ? std::fopen(path.c_str(), "rb") : nullptr);
  std::FILE *file = result.file.get();
  if (!file) {
    error = "cannot read '" + path + "': " + std::strerror(errno);
    return std::nullopt;
  }
  unsigned char prefix[12];
  if (std::fread(prefix, 1, 10, file) != 10 ||
      std::memcmp(prefix, "\x93NUMPY", 6) != 0)
    return fail("is no .npy file");
  if (prefix[6] < 1 || prefix[6] > 3)
    return fail("has version " + std::to_string(int(prefix[6])) +
                " of the format; 1 to 3 can be read");
  size_t length = prefix[8] | (prefix[9] << 8);
  if (prefix[6] >= 2) {
    if (std::fread(prefix + 10, 1, 2, file) != 2)
      return fail("ends within its header");
    length |= (static_cast<size_t>(prefix[10]) << 16) |
              (static_cast<size_t>(prefix[11]) << 24);
  }
  // A longer header is no header: NumPy's have some 100 bytes.
  constexpr size_t kMaxHeaderBytes = size_t(1) << 20;
  if (length > kMaxHeaderBytes)
    return fail("has a malformed header");
  std::string text(length, '\0');
  if (std::fread(text.data(), 1, length, file) != length)
    return fail("ends within its header");
  std::optional<Header> header = parseHeader(text);
  if (!header)
    return fail("has a malformed header");
  result.header = std::move(*header);
  std::optional<ElementType> type = typeOf(result.header.descriptor, expected);
  if (!type)
    return fail("has element type '" + result.header.descriptor +
                "'; little-endian integers, floats, complex numbers and bool "
                "can be read");
  result.type = *type;
  // The size, before memory is asked for.
  result.begin = std::ftell(file);
  std::fseek(file, 0, SEEK_END);
  int64_t available = std::ftell(file) - result.begin;
  std::fseek(file, result.begin, SEEK_SET);
  std::optional<int64_t> size = numBytesOf(*type, result.header.shape);
  if (!size || available < *size)
    return fail("is shorter than its header says");
  result.size = *size;
  return result;
}

static std::optional<HostTensor> readOpened(const OpenedFile &opened,
                                            const std::string &path,
                                            std::string &error) {
  std::optional<HostTensor> made =
      HostTensor::make(opened.type, opened.header.shape, error);
  if (!made)
    return std::nullopt;
  HostTensor &tensor = *made;
  if (std::fread(tensor.data(), 1, tensor.numBytes(), opened.file.get()) !=
      static_cast<size_t>(tensor.numBytes())) {
    error = "'" + path + "' cannot be read to its end";
    return std::nullopt;
  }
  if (tensor.type() == ElementType::I1)
    for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
      tensor.data()[i] = tensor.data()[i] != 0;
  if (opened.header.fortranOrder && opened.header.shape.size() > 1)
    return fromFortranOrder(tensor);
  return made;
}

std::optional<HostTensor> shard::readNpy(const std::string &path,
                                         ElementType expected,
                                         std::string &error) {
  std::optional<OpenedFile> opened = openNpy(path, expected, error);
  if (!opened)
    return std::nullopt;
  return readOpened(*opened, path, error);
}

std::optional<HostTensor> shard::mapNpy(const std::string &path,
                                        ElementType expected,
                                        std::string &error) {
  std::optional<OpenedFile> opened = openNpy(path, expected, error);
  if (!opened)
    return std::nullopt;
  // What has to change before a program may read it, and what cannot be mapped.
  bool isTransposed =
      opened->header.fortranOrder && opened->header.shape.size() > 1;
  int64_t part = isComplex(opened->type) ? byteWidth(partType(opened->type))
                                         : byteWidth(opened->type);
  if (opened->type == ElementType::I1 || isTransposed || opened->size == 0 ||
      opened->begin % part != 0)
    return readOpened(*opened, path, error);
  size_t length = opened->begin + opened->size;
  void *memory = mmap(nullptr, length, PROT_READ, MAP_PRIVATE,
                      fileno(opened->file.get()), 0);
  if (memory == MAP_FAILED)
    return readOpened(*opened, path, error);
  std::shared_ptr<const void> owner(memory, [length](const void *mapped) {
    munmap(const_cast<void *>(mapped), length);
  });
  return HostTensor::borrow(opened->type, opened->header.shape,
                            static_cast<uint8_t *>(memory) + opened->begin,
                            std::move(owner));
}

std::string shard::npyHeader(ElementType type,
                             const std::vector<int64_t> &shape) {
  std::string text = "{'descr': '" + std::string(descriptorOf(type)) +
                     "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    text += std::to_string(extent) + ", ";
  text += "), }";
  // The data starts at a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(text.size() & 0xff);
  prefix += static_cast<char>(text.size() >> 8);
  return prefix + text;
}

bool shard::writeNpy(const std::string &path, const HostTensor &tensor,
                     std::string &error) {
  std::string header = npyHeader(tensor.type(), tensor.shape());
  File file(std::fopen(path.c_str(), "wb"));
  bool written = file &&
                 std::fwrite(header.data(), 1, header.size(), file.get()) ==
                     header.size() &&
                 std::fwrite(tensor.data(), 1, tensor.numBytes(), file.get()) ==
                     static_cast<size_t>(tensor.numBytes()) &&
                 std::fflush(file.get()) == 0;
  if (!written)
    error = "cannot write '" + path + "': " + std::strerror(errno);
  return written;
}
