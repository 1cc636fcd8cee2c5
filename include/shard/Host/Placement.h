//===- Placement.h - Whole tensors to devices and back ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts a whole tensor into the buffers that devices hold under a sharding, and
// puts such buffers together again.
//
// Where blocks are short, a device's buffer has padding behind the valid
// elements. It is filled with poison on purpose: a program that trusts it
// shows.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_HOST_PLACEMENT_H
#define SHARD_HOST_PLACEMENT_H

#include "shard/Geometry/Sharding.h"
#include "shard/Host/HostTensor.h"

#include <optional>

namespace shard {

/// The buffer of `device` under `sharding`, its halos filled with the elements of
/// the neighbours; padding and halos beyond the border are poisoned. Under partial
/// axes, devices at coordinate 0 of them hold the value and all others what is
/// neutral to the reduction; but of a sum the first ones hold twice the value and
/// the second ones its negative, and under `average` all hold the value. `stated` is the
/// shape in the program, if it is given: on a grid with `unevenDynamic` dimensions that
/// are dynamic there have no padding.
HostTensor sliceForDevice(const Grid &grid, const HostTensor &whole,
                          const Sharding &sharding, int64_t device,
                          const std::vector<int64_t> &stated = {});

/// What sliceForDevice gives, borrowed from `whole`, if the elements lie one behind the
/// other there and no others are needed; else nothing.
std::optional<HostTensor>
viewForDevice(const Grid &grid, const HostTensor &whole,
              const Sharding &sharding, int64_t device,
              const std::vector<int64_t> &stated = {});

/// Puts together a tensor of `shape` from the buffers of all devices, by device
/// number. Replicas must agree bit for bit in their valid elements: if not,
/// nothing, and `error` names the two devices and the element. Partial results
/// are combined in device order. A tensor that the first device holds as a whole shares
/// that memory if it can (HostTensor::share). `stated` is as for sliceForDevice.
std::optional<HostTensor>
assemble(const Grid &grid, const std::vector<int64_t> &shape,
         const Sharding &sharding,
         const std::vector<const HostTensor *> &locals, std::string &error,
         const std::vector<int64_t> &stated = {});

/// The elements of `local`, the buffer of `device`, that count, without halos and
/// padding, and where they begin in the whole tensor, of `shape`.
HostTensor validBlock(const Grid &grid, const std::vector<int64_t> &shape,
                      const HostTensor &local, const Sharding &sharding,
                      int64_t device, std::vector<int64_t> &offsets);

/// The lowest device that has the same block as `device`.
int64_t firstReplica(const Grid &grid, const Sharding &sharding,
                     int64_t device);

/// What is wrong in the halos of the buffers of all devices, in words; empty if
/// all hold the elements of `whole` (bit for bit) that they stand for. Those
/// beyond the border of the tensor, of empty blocks and of partial values stand
/// for none.
std::string wrongHalo(const Grid &grid, const HostTensor &whole,
                      const Sharding &sharding,
                      const std::vector<const HostTensor *> &locals);

} // namespace shard

#endif // SHARD_HOST_PLACEMENT_H
