//===- Rendezvous.cpp - Where ranks of a group meet -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check costs one all_gather of 16 bytes per device: a hash of the call, and
// the extent that may differ in a gather. Only where hashes differ do the ranks
// exchange the calls themselves, for the message.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <algorithm>

namespace shard {
namespace runtime {

namespace {

uint64_t hashBytes(const void *data, size_t size,
                   uint64_t hash = 14695981039346656037u) {
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<const uint8_t *>(data)[i]) * 1099511628211u;
  return hash;
}

/// Everything on which devices have to agree, and the free extent if `all`.
std::string encodeCall(const Call &call, uint64_t sequence, bool all) {
  Writer writer;
  writer.number(sequence).number(uint64_t(call.kind)).number(call.type);
  writer.number(call.freeDim).text(call.location ? call.location : "unknown");
  auto writeShape = [&](bool has, const View &view, int64_t freeDim) {
    writer.number(has ? view.rank : -1);
    for (int64_t i = 0; has && i < view.rank; ++i)
      writer.number(i == freeDim && !all ? 0 : view.sizes[i]);
  };
  writeShape(call.hasInput, call.input, call.freeDim);
  writeShape(call.hasResult, call.result, -1);
  writer.number(call.numParameters);
  for (int64_t i = 0; i < call.numParameters; ++i)
    writer.text(call.parameters[i].name).number(call.parameters[i].value);
  return writer.bytes();
}

/// A call of another device.
struct DecodedCall {
  Call call;
  std::string location;
  std::vector<std::string> names;

  explicit DecodedCall(const std::string &bytes) {
    Reader reader(bytes);
    reader.number();
    call.kind = Kind(reader.number());
    call.type = reader.number();
    call.freeDim = reader.number();
    location = reader.text();
    call.location = location.c_str();
    call.hasInput = readShape(reader, call.input);
    call.hasResult = readShape(reader, call.result);
    int64_t count = std::min<int64_t>(reader.number(), kMaxParameters);
    names.resize(count);
    for (std::string &name : names) {
      name = reader.text();
      call.add(name.c_str(), reader.number());
    }
  }
  DecodedCall(const DecodedCall &) = delete;

private:
  static bool readShape(Reader &reader, View &view) {
    int64_t rank = reader.number();
    if (rank < 0)
      return false;
    view.rank = std::min(rank, kMaxRank);
    for (int64_t i = 0; i < view.rank; ++i)
      view.sizes[i] = reader.number();
    return true;
  }
};

/// Ends the run with what is wrong between the calls of the group, if anything
/// is.
void compareInFull(Collective &c, Communicator &group) {
  if (group.devices.size() == 1) {
    std::string problem = compareCalls(group.devices, {&c.call}, group.entered);
    if (!problem.empty())
      endAllRanks(problem);
    return;
  }
  std::string mine = encodeCall(c.call, group.entered, true);
  int size = mine.size(), k = group.devices.size(), total = 0;
  std::vector<int> sizes(k), offsets(k);
  checkMpi(c, MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT,
                            group.comm));
  for (int p = 0; p < k; ++p) {
    offsets[p] = total;
    total += sizes[p];
  }
  std::string all(total, '\0');
  checkMpi(c, MPI_Allgatherv(mine.data(), size, MPI_CHAR, &all[0], sizes.data(),
                             offsets.data(), MPI_CHAR, group.comm));
  std::vector<std::unique_ptr<DecodedCall>> decoded;
  std::vector<const Call *> calls;
  for (int p = 0; p < k; ++p) {
    decoded.push_back(
        std::make_unique<DecodedCall>(all.substr(offsets[p], sizes[p])));
    calls.push_back(&decoded.back()->call);
  }
  std::string problem = compareCalls(group.devices, calls, group.entered);
  if (!problem.empty())
    endAllRanks(problem);
}

/// Compares the calls, or only collects the free extents.
void compare(Collective &c, Communicator &group,
             std::vector<int64_t> &extents) {
  std::string mine = encodeCall(c.call, group.entered, false);
  bool free = c.call.freeDim >= 0;
  uint64_t words[2] = {hashBytes(mine.data(), mine.size()),
                       uint64_t(free ? c.call.input.sizes[c.call.freeDim] : 0)};
  size_t k = group.devices.size();
  std::vector<uint64_t> all(2 * k);
  if (k == 1)
    std::copy(words, words + 2, all.begin());
  else
    checkMpi(c, MPI_Allgather(words, 2, MPI_UINT64_T, all.data(), 2,
                              MPI_UINT64_T, group.comm));
  bool same = true;
  int64_t total = 0;
  for (size_t p = 0; p < k; ++p) {
    same &= all[2 * p] == words[0];
    extents.push_back(all[2 * p + 1]);
    total += extents.back();
  }
  if (!same) {
    compareInFull(c, group);
    endAllRanks("collective mismatch in " + describeCall(c.call));
  }
  if (!free)
    return;
  int64_t extent = c.call.result.sizes[c.call.freeDim];
  int64_t block = ceilDiv(extent, k);
  if (std::count(extents.begin(), extents.end(), block) == int64_t(k)) {
    extents.clear();
    group.blockGathers.insert(c.call.location);
  } else if (total != extent) {
    compareInFull(c, group);
  }
}

void makeComm(Collective &c, Communicator &group) {
  Session &s = session();
  std::vector<int> ranks;
  for (int64_t device : group.devices) {
    ranks.push_back(s.rankOf(device));
    group.crossesHosts |= s.hosts[ranks.back()] != s.hosts[ranks.front()];
  }
  MPI_Group world, members;
  checkMpi(c, MPI_Comm_group(s.world, &world));
  checkMpi(c, MPI_Group_incl(world, ranks.size(), ranks.data(), &members));
  // Only the group's ranks take part; the tag keeps creations apart that overlap.
  checkMpi(c, MPI_Comm_create_group(s.world, members, int(group.id % 16384),
                                    &group.comm));
  checkMpi(c, MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_RETURN));
  MPI_Group_free(&members);
  MPI_Group_free(&world);
}

} // namespace

Communicator &enter(Collective &c, std::vector<int64_t> *extents) {
  Session &s = session();
  Communicator &group = *c.group->communicator;
  // A gather is known to be one of blocks since its calls were compared; before,
  // and where this device's input is none, all have to tell their extents.
  bool ask = s.comparing;
  if (c.call.freeDim >= 0) {
    int64_t block =
        ceilDiv(c.call.result.sizes[c.call.freeDim], group.devices.size());
    ask |= c.call.input.sizes[c.call.freeDim] != block ||
           !group.blockGathers.count(c.call.location);
  }
  bool makes = group.comm == MPI_COMM_NULL && group.devices.size() > 1;
  // Others may wait for the end of what was started before they come.
  if (ask || makes)
    backend::wait(c.device, nullptr);
  s.watch.beginCall(c.call, group);
  if (StartedCall *starting = rankOf(c.device).starting) {
    starting->group = &group;
    starting->sequence = group.entered;
  }
  if (makes)
    makeComm(c, group);
  if (ask) {
    std::vector<int64_t> local;
    compare(c, group, extents ? *extents : local);
  }
  return group;
}

void leave(Collective &) { session().watch.endCall(); }

namespace backend {

void open(Device &, Group &group) {
  std::unique_ptr<Communicator> &shared =
      session().communicators[group.devices];
  if (!shared) {
    shared = std::make_unique<Communicator>();
    shared->devices = group.devices;
    shared->id =
        hashBytes(group.devices.data(), group.devices.size() * sizeof(int64_t));
  }
  group.communicator = shared.get();
}

} // namespace backend
} // namespace runtime
} // namespace shard
