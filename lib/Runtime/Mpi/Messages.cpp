//===- Messages.cpp - Messages between two devices, and halos -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Transfer.h"

#include <algorithm>
#include <cstring>

namespace shard {
namespace runtime {

namespace {

/// Boxes of halos go with tags from this one on.
constexpr int kHaloTag = 2;

/// What goes ahead of a message: {type, rank, sizes..., location}.
constexpr int64_t kLocationBytes = 256;
constexpr int64_t kHeaderBytes = (2 + kMaxRank) * 8 + kLocationBytes;

std::vector<char> encodeHeader(const Call &call) {
  std::vector<char> header(kHeaderBytes);
  int64_t words[2 + kMaxRank] = {call.type, call.input.rank};
  std::copy(call.input.sizes, call.input.sizes + call.input.rank, words + 2);
  memcpy(header.data(), words, sizeof(words));
  strncpy(header.data() + sizeof(words),
          call.location ? call.location : "unknown", kLocationBytes - 1);
  return header;
}

/// Ends the run if the message does not fit the call's result.
void checkHeader(Collective &c, const std::vector<char> &header) {
  int64_t words[2 + kMaxRank];
  memcpy(words, header.data(), sizeof(words));
  Call sent;
  sent.kind = Kind::Send;
  sent.location = header.data() + sizeof(words);
  sent.type = words[0];
  sent.hasInput = true;
  sent.input.rank = words[1];
  std::copy(words + 2, words + 2 + words[1], sent.input.sizes);
  const View &result = c.call.result;
  if (sent.type == c.call.type && sent.input.rank == result.rank &&
      std::equal(result.sizes, result.sizes + result.rank, sent.input.sizes))
    return;
  endAllRanks("what " + describeCall(sent) + " has sent does not fit " +
              describeCall(c.call));
}

/// Frees what has been received.
void collectSent(Collective &c) {
  auto &pending = rankOf(c.device).pending;
  while (!pending.empty()) {
    int done = 0;
    checkMpi(c, MPI_Testall(2, pending.front()->requests, &done,
                            MPI_STATUSES_IGNORE));
    if (!done)
      return;
    pending.pop_front();
  }
}

/// The tag of the headers in a group; that of the data is the next one. Not all
/// of a group need to send or receive, so messages have no communicator of the
/// group's, whose making would wait for all.
int headerTag(const Communicator &group) { return int(group.id % 16000) * 2; }

/// Where the elements of a box that is given are: in the input or, if it is scattered,
/// at `packed`, to which this copies them.
const char *packBox(Collective &c, const BoxMove &box, char *packed) {
  if (!box.scattered)
    return c.call.input.data + box.offset;
  View source = box.scattered->source(c.call.input);
  copy(contiguousLike(source, packed), source);
  return packed;
}

void copyOwn(Collective &c, const BoxMoves &moves) {
  for (const HaloBox *box : moves.own)
    copy(box->target(c.call.result), box->source(c.call.input));
}

/// Moves the one box that is taken and the one that is given. MPI needs no requests for
/// that, which take it longer than a small message.
void exchangeBoxes(Collective &c, Communicator &comm, const BoxMoves &moves,
                   char *packed, char *received) {
  const BoxMove &taken = moves.taken.front(), &given = moves.given.front();
  Elements in(c, taken.elements, moves.elementBytes);
  Elements out(c, given.elements, moves.elementBytes);
  const char *source = packBox(c, given, packed);
  checkMpi(c, MPI_Sendrecv(source, out.count, out.type, int(given.position),
                           kHaloTag + int(given.number),
                           taken.scattered ? received
                                           : c.call.result.data + taken.offset,
                           in.count, in.type, int(taken.position),
                           kHaloTag + int(taken.number), comm.comm,
                           MPI_STATUS_IGNORE));
  copyOwn(c, moves);
}

void exchangeManyBoxes(Collective &c, Communicator &comm, const BoxMoves &moves,
                       char *packed, char *received) {
  std::vector<MPI_Request> &requests = rankOf(c.device).requests;
  requests.resize(moves.taken.size() + moves.given.size());
  MPI_Request *request = requests.data();
  for (const BoxMove &each : moves.taken) {
    Elements box(c, each.elements, moves.elementBytes);
    checkMpi(c, MPI_Irecv(each.scattered ? received
                                         : c.call.result.data + each.offset,
                          box.count, box.type, int(each.position),
                          kHaloTag + int(each.number), comm.comm, request++));
    received += each.elements * moves.elementBytes;
  }
  for (const BoxMove &each : moves.given) {
    Elements box(c, each.elements, moves.elementBytes);
    checkMpi(c, MPI_Isend(packBox(c, each, packed), box.count, box.type,
                          int(each.position), kHaloTag + int(each.number),
                          comm.comm, request++));
    packed += each.elements * moves.elementBytes;
  }
  copyOwn(c, moves);
  checkMpi(c,
           MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE));
}

} // namespace

namespace backend {

void send(Collective &c, int64_t to) {
  Communicator &group = *c.group->communicator;
  RankDevice &device = rankOf(c.device);
  collectSent(c);
  Session &s = session();
  int64_t target = group.devices[to];
  int rank = int(s.rankOf(target)), tag = headerTag(group);
  auto message = std::make_unique<PendingSend>();
  message->header = encodeHeader(c.call);
  const View &in = c.call.input;
  message->data.resize(in.bytes());
  copy(contiguousLike(in, message->data.data()), in);
  Elements data(c, in.numElements(), in.elementBytes);
  checkMpi(c, MPI_Isend(message->header.data(), kHeaderBytes, MPI_BYTE, rank,
                        tag, s.messages, &message->requests[0]));
  checkMpi(c, MPI_Isend(message->data.data(), data.count, data.type, rank,
                        tag + 1, s.messages, &message->requests[1]));
  device.pending.push_back(std::move(message));
  ++device.sent[target];
  device.sentAt[target] = c.call.location;
}

void receive(Collective &c, int64_t from) {
  Communicator &group = *c.group->communicator;
  Session &s = session();
  s.watch.beginCall(c.call, group, from < 0 ? kWaitsForAny : from);
  int64_t first = from < 0 ? 0 : from,
          last = from < 0 ? c.group->size - 1 : from;
  int64_t position = first;
  int found = 0, rank = 0, tag = headerTag(group);
  while (!found)
    for (int64_t p = first; p <= last && !found; ++p) {
      position = p;
      rank = int(s.rankOf(group.devices[p]));
      checkMpi(c, MPI_Iprobe(rank, tag, s.messages, &found, MPI_STATUS_IGNORE));
    }
  std::vector<char> header(kHeaderBytes);
  checkMpi(c, MPI_Recv(header.data(), kHeaderBytes, MPI_BYTE, rank, tag,
                       s.messages, MPI_STATUS_IGNORE));
  checkHeader(c, header);
  const View &out = c.call.result;
  bool straight = out.isContiguous();
  View target = contiguousLike(
      out,
      straight ? out.data : static_cast<char *>(receiveBuffer(c, out.bytes())));
  Elements data(c, out.numElements(), out.elementBytes);
  checkMpi(c, MPI_Recv(target.data, data.count, data.type, rank, tag + 1,
                       s.messages, MPI_STATUS_IGNORE));
  if (!straight)
    copy(out, target);
  ++rankOf(c.device).receivedFrom[group.devices[position]];
  leave(c);
}

void moveBoxes(Collective &c, const HaloPlan &plan) {
  Communicator &comm = enter(c);
  const View &in = c.call.input, &out = c.call.result;
  const BoxMoves &moves = plan.moves(in, out);
  // Boxes that are not contiguous are packed, one behind the other: what is sent, then
  // what is received.
  int64_t sendBytes = plan.sentElements * in.elementBytes;
  auto *packed = static_cast<char *>(
      receiveBuffer(c, sendBytes + plan.receivedElements * in.elementBytes));
  if (moves.taken.size() == 1 && moves.given.size() == 1)
    exchangeBoxes(c, comm, moves, packed, packed + sendBytes);
  else
    exchangeManyBoxes(c, comm, moves, packed, packed + sendBytes);
  char *next = packed + sendBytes;
  for (const BoxMove &each : moves.taken) {
    if (each.scattered) {
      View target = each.scattered->target(out);
      copy(target, contiguousLike(target, next));
    }
    next += each.elements * in.elementBytes;
  }
  leave(c);
}

} // namespace backend
} // namespace runtime
} // namespace shard
