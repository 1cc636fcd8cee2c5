//===- RunnerUtils.cpp - What programs for MLIR's runners may call --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of MLIR's libraries mlir_runner_utils and mlir_c_runner_utils, but for
// those of sparse tensors and those that allocate: printing, comparison, clocks, random
// numbers, sorting. Names and calling conventions are MLIR's; what they print goes to
// standard error, because standard output belongs to the report, and each call prints
// with one write, because devices are threads.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <random>

using namespace shard;

namespace {

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

/// Elements of half precision, which C++17 has no types for.
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};

double number(const llvm::fltSemantics &format, uint16_t bits) {
  llvm::APFloat value(format, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <typename T>
double asDouble(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return number(llvm::APFloat::IEEEhalf(), value.bits);
  else if constexpr (std::is_same_v<T, Brain>)
    return number(llvm::APFloat::BFloat(), value.bits);
  else
    return value;
}

template <typename T>
void printElement(llvm::raw_ostream &os, T value) {
  if constexpr (IsComplex<T>::value)
    os << llvm::format("(%g,%g)", double(value.real()), double(value.imag()));
  else if constexpr (std::is_integral_v<T>)
    os << int64_t(value);
  else
    os << llvm::format("%g", asDouble(value));
}

/// A memref of any rank: its descriptor is two pointers, an offset, sizes and
/// strides.
template <typename T>
struct Memref {
  int64_t rank;
  const T *base;
  T *data;
  int64_t offset;
  const int64_t *sizes, *strides;

  Memref(int64_t rank, void *descriptor) : rank(rank) {
    auto *words = static_cast<int64_t *>(descriptor);
    base = reinterpret_cast<const T *>(words[0]);
    data = reinterpret_cast<T *>(words[1]);
    offset = words[2];
    sizes = words + 3;
    strides = sizes + rank;
  }

  void printList(llvm::raw_ostream &os, const int64_t *list) const {
    os << '[';
    for (int64_t i = 0; i < rank; ++i)
      os << (i ? ", " : "") << list[i];
    os << ']';
  }

  void printShape(llvm::raw_ostream &os) const {
    os << "base@ = " << llvm::format("%p", static_cast<const void *>(base))
       << " rank = " << rank << " offset = " << offset << " sizes = ";
    printList(os, sizes);
    os << " strides = ";
    printList(os, strides);
  }

  void printElements(llvm::raw_ostream &os, int64_t dim, int64_t at) const {
    if (dim == rank)
      return printElement(os, data[at]);
    os << '[';
    for (int64_t i = 0; i < sizes[dim]; ++i) {
      if (i && dim + 1 == rank)
        os << ",  ";
      else if (i)
        (os << ", \n ").indent(dim);
      printElements(os, dim + 1, at + i * strides[dim]);
    }
    os << ']';
  }

  void print(llvm::raw_ostream &os, const char *kind) const {
    os << kind << " ";
    printShape(os);
    os << " data = \n";
    printElements(os, 0, offset);
    os << '\n';
  }

  /// Calls `visit` with the position of each element.
  template <typename VisitFn>
  void forEach(VisitFn &&visit) const {
    llvm::SmallVector<int64_t> index(rank, 0);
    int64_t count = 1;
    for (int64_t i = 0; i < rank; ++i)
      count *= sizes[i];
    for (int64_t n = 0; n < count; ++n) {
      visit(llvm::ArrayRef<int64_t>(index));
      for (int64_t dim = rank; dim-- > 0 && ++index[dim] == sizes[dim];)
        index[dim] = 0;
    }
  }
  T &at(llvm::ArrayRef<int64_t> index) const {
    int64_t position = offset;
    for (int64_t i = 0; i < rank; ++i)
      position += index[i] * strides[i];
    return data[position];
  }
};

/// A memref whose rank is known at run time only, as C interfaces pass it.
struct Unranked {
  int64_t rank;
  void *descriptor;
};

void write(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

template <typename T>
void printMemref(int64_t rank, void *descriptor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Memref<T>(rank, descriptor).print(os, "Unranked Memref");
  write(text);
}
template <typename T>
void printUnranked(Unranked *memref) {
  printMemref<T>(memref->rank, memref->descriptor);
}
template <typename T>
void printUnrankedShape(Unranked *memref) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "Unranked Memref ";
  Memref<T>(memref->rank, memref->descriptor).printShape(os);
  os << '\n';
  write(text);
}
template <typename T, int64_t rank>
void printRanked(void *descriptor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Memref<T>(rank, descriptor).print(os, "Memref");
  write(text);
}

/// Whether `a` is `b`, up to 1e-5 of it for floats.
template <typename T>
bool isSame(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else if constexpr (IsComplex<T>::value) {
    return isSame(a.real(), b.real()) && isSame(a.imag(), b.imag());
  } else {
    double x = asDouble(a), y = asDouble(b);
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) && std::isnan(y);
    return x == y || std::fabs(x - y) <= 1e-5 * std::fabs(y);
  }
}

/// The number of elements that differ; -1 for other shapes. Prints each of the first.
template <typename T>
int64_t verifyMemref(int64_t actualRank, void *actualDescriptor,
                     int64_t expectedRank, void *expectedDescriptor) {
  Memref<T> actual(actualRank, actualDescriptor);
  Memref<T> expected(expectedRank, expectedDescriptor);
  if (actual.rank != expected.rank ||
      !std::equal(actual.sizes, actual.sizes + actual.rank, expected.sizes)) {
    write("verifyMemRef: the memrefs have different shapes\n");
    return -1;
  }
  constexpr int64_t mostPrinted = 10;
  int64_t errors = 0;
  std::string text;
  llvm::raw_string_ostream os(text);
  actual.forEach([&](llvm::ArrayRef<int64_t> index) {
    if (isSame(actual.at(index), expected.at(index)))
      return;
    if (++errors > mostPrinted)
      return;
    os << "verifyMemRef: element [";
    llvm::interleaveComma(index, os);
    os << "] is ";
    printElement(os, actual.at(index));
    os << ", not ";
    printElement(os, expected.at(index));
    os << '\n';
  });
  write(text);
  return errors;
}
template <typename T>
int64_t verifyUnranked(Unranked *actual, Unranked *expected) {
  return verifyMemref<T>(actual->rank, actual->descriptor, expected->rank,
                         expected->descriptor);
}

/// Copies elements of `bytes` bytes; the shapes are equal.
void copyMemref(int64_t bytes, Unranked *source, Unranked *target) {
  Memref<char> from(source->rank, source->descriptor);
  Memref<char> to(target->rank, target->descriptor);
  auto place = [&](const Memref<char> &memref, llvm::ArrayRef<int64_t> index) {
    int64_t position = memref.offset;
    for (auto [dim, i] : llvm::enumerate(index))
      position += i * memref.strides[dim];
    return memref.data + position * bytes;
  };
  from.forEach([&](llvm::ArrayRef<int64_t> index) {
    std::memcpy(place(to, index), place(from, index), bytes);
  });
}

//===----------------------------------------------------------------------===//
// Single values, clocks, random numbers, sorting
//===----------------------------------------------------------------------===//

void printF32(float value) { std::fprintf(stderr, "%g", value); }
void printF64(double value) { std::fprintf(stderr, "%g", value); }
void printF16(uint16_t bits) { printF64(asDouble(Half{bits})); }
void printBF16(uint16_t bits) { printF64(asDouble(Brain{bits})); }
void printI64(int64_t value) { std::fprintf(stderr, "%lld", (long long)value); }
void printU64(uint64_t value) {
  std::fprintf(stderr, "%llu", (unsigned long long)value);
}
void printString(const char *text) { std::fputs(text, stderr); }
void printOpen() { std::fputs("( ", stderr); }
void printClose() { std::fputs(" )", stderr); }
void printComma() { std::fputs(", ", stderr); }
void printNewline() { std::fputc('\n', stderr); }
void printFlops(double flops) {
  std::fprintf(stderr, "%g GFLOPS\n", flops / 1e9);
}

int64_t nanoTime() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
double clockSeconds() { return nanoTime() * 1e-9; }

using Generator = std::mt19937_64;
void *makeGenerator(uint64_t seed) { return new Generator(seed); }
void dropGenerator(void *generator) {
  delete static_cast<Generator *>(generator);
}
uint64_t randomBelow(void *generator, uint64_t limit) {
  std::uniform_int_distribution<uint64_t> numbers(0, limit ? limit - 1 : 0);
  return numbers(*static_cast<Generator *>(generator));
}
void shuffle(void *descriptor, void *generator) {
  Memref<int64_t> memref(1, descriptor);
  for (int64_t i = 0; i < memref.sizes[0]; ++i)
    memref.at({i}) = i;
  for (int64_t i = memref.sizes[0] - 1; i > 0; --i)
    std::swap(memref.at({i}),
              memref.at({int64_t(randomBelow(generator, i + 1))}));
}

template <typename T>
void sortMemref(uint64_t count, void *descriptor) {
  Memref<T> memref(1, descriptor);
  std::sort(memref.data + memref.offset, memref.data + memref.offset + count);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

class Symbols {
public:
  template <typename FunctionTy>
  void add(const std::string &name, FunctionTy *function) {
    list.emplace_back(name, reinterpret_cast<void *>(function));
  }
  /// Functions of memrefs of T, whose names end with `type`.
  template <typename T>
  void addType(const std::string &type) {
    add("printMemref" + type, &printMemref<T>);
    add("_mlir_ciface_printMemref" + type, &printUnranked<T>);
    add("_mlir_ciface_printMemrefShape" + type, &printUnrankedShape<T>);
    add("_mlir_ciface_printMemref0d" + type, &printRanked<T, 0>);
    add("_mlir_ciface_printMemref1d" + type, &printRanked<T, 1>);
    add("_mlir_ciface_printMemref2d" + type, &printRanked<T, 2>);
    add("_mlir_ciface_printMemref3d" + type, &printRanked<T, 3>);
    add("_mlir_ciface_printMemref4d" + type, &printRanked<T, 4>);
    add("verifyMemRef" + type, &verifyMemref<T>);
    add("_mlir_ciface_verifyMemRef" + type, &verifyUnranked<T>);
  }

  std::vector<std::pair<std::string, void *>> list;
};

} // namespace

std::vector<std::pair<std::string, void *>> codegen::runnerUtilities() {
  Symbols symbols;
  symbols.addType<int8_t>("I8");
  symbols.addType<int16_t>("I16");
  symbols.addType<int32_t>("I32");
  symbols.addType<int64_t>("I64");
  symbols.addType<int64_t>("Ind");
  symbols.addType<Half>("F16");
  symbols.addType<Brain>("BF16");
  symbols.addType<float>("F32");
  symbols.addType<double>("F64");
  symbols.addType<std::complex<float>>("C32");
  symbols.addType<std::complex<double>>("C64");
  symbols.add("memrefCopy", &copyMemref);
  symbols.add("printF16", &printF16);
  symbols.add("printBF16", &printBF16);
  symbols.add("printF32", &printF32);
  symbols.add("printF64", &printF64);
  symbols.add("printI64", &printI64);
  symbols.add("printU64", &printU64);
  symbols.add("printString", &printString);
  symbols.add("printOpen", &printOpen);
  symbols.add("printClose", &printClose);
  symbols.add("printComma", &printComma);
  symbols.add("printNewline", &printNewline);
  symbols.add("printFlops", &printFlops);
  symbols.add("rtclock", &clockSeconds);
  symbols.add("_mlir_ciface_nanoTime", &nanoTime);
  symbols.add("nanoTime", &nanoTime);
  symbols.add("rtsrand", &makeGenerator);
  symbols.add("rtdrand", &dropGenerator);
  symbols.add("rtrand", &randomBelow);
  symbols.add("_mlir_ciface_shuffle", &shuffle);
  symbols.add("_mlir_ciface_stdSortI64", &sortMemref<int64_t>);
  symbols.add("_mlir_ciface_stdSortF64", &sortMemref<double>);
  symbols.add("_mlir_ciface_stdSortF32", &sortMemref<float>);
  return symbols.list;
}
