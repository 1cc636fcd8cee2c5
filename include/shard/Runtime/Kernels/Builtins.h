//===- Builtins.h - Functions that code generation may call ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that LLVM generates may call functions that the program does not name: where
// the processor has no instruction for a conversion, a division of 128-bit integers
// or a rounding, LLVM calls a function of compiler-rt (libgcc) or libm. Which ones
// depends on the processor. The conversions of f16 and bf16 are not in every
// version of these libraries, so this file defines them; all others are taken from
// the toolchain's libraries when the runtime is linked, which fails if they lack one.
//
// The conversions round once, to nearest, ties to even, to subnormal numbers too;
// what is too large becomes infinity; a NaN stays a quiet NaN with the same sign
// and the leading bits of its payload. That is the definition of IEEE 754-2019,
// sections 4.3.1 and 6.2.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_KERNELS_BUILTINS_H
#define SHARD_RUNTIME_KERNELS_BUILTINS_H

#include <utility>
#include <vector>

namespace shard {

/// Name and address of each function that generated code may call without the
/// program naming it.
std::vector<std::pair<const char *, void *>> builtinSymbols();

} // namespace shard

// The conversions, by the names of compiler-rt. A 16-bit float is passed and
// returned in the low bits of the register that a float is passed in, as the System V
// ABI of x86-64 and that of AArch64 want; `float` stands for it here, because not
// every compiler has such types. The definitions are weak: those of the toolchain's
// library win where both are linked.
extern "C" {
float __truncsfhf2(float value);
float __truncdfhf2(double value);
float __truncxfhf2(long double value);
float __truncsfbf2(float value);
float __truncdfbf2(double value);
float __truncxfbf2(long double value);
float __extendhfsf2(float bits);
double __extendhfdf2(float bits);
long double __extendhfxf2(float bits);
float __extendbfsf2(float bits);
double __extendbfdf2(float bits);
long double __extendbfxf2(float bits);
/// Older names of __extendhfsf2 and __truncsfhf2, with the bits as an integer.
float __gnu_h2f_ieee(unsigned short bits);
unsigned short __gnu_f2h_ieee(float value);
#if defined(__SIZEOF_FLOAT128__)
float __trunctfhf2(__float128 value);
float __trunctfbf2(__float128 value);
__float128 __extendhftf2(float bits);
__float128 __extendbftf2(float bits);
#endif
}

#endif // SHARD_RUNTIME_KERNELS_BUILTINS_H
