//===- PartialValues.h - Arithmetic of partial values -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Host library: what placing and assembling tensors computes with the
// elements of partial values.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_HOST_PARTIALVALUES_H
#define SHARD_LIB_HOST_PARTIALVALUES_H

#include "shard/Geometry/Sharding.h"
#include "shard/Host/HostTensor.h"

namespace shard::host {

/// The element that changes nothing under `kind`, everywhere in `tensor`.
void fillNeutral(HostTensor &tensor, ReductionKind kind);

/// The part of a sum of the device at `position`, 0 or 1, of all that hold
/// `tensor`: twice the value and its negative. What takes one device's part for
/// the value goes wrong, and so does whatever is not linear. Large floats stay at
/// the first device, as they have no double; zeros of floats stay as they are.
void takePartOfSum(HostTensor &tensor, int64_t position);

/// total[i] = total[i] combined with next[i].
void combineInto(HostTensor &total, const HostTensor &next, ReductionKind kind);

/// Divides each element by `count`.
void divide(HostTensor &total, int64_t count);

} // namespace shard::host

#endif // SHARD_LIB_HOST_PARTIALVALUES_H
