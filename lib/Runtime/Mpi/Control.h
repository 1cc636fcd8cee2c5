//===- Control.h - Connections between the ranks beside MPI --- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TCP connections that carry short messages. MPI cannot tell that a rank has
// died or was stopped; a connection of the kernel's can.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_CONTROL_H
#define SHARD_LIB_RUNTIME_MPI_CONTROL_H

#include <cstdint>
#include <string>
#include <vector>

namespace shard {
namespace runtime {

/// Appends numbers and strings to a message.
class Writer {
public:
  Writer &number(uint64_t value);
  Writer &text(const std::string &value);
  const std::string &bytes() const { return data; }

private:
  std::string data;
};

/// Reads what a Writer wrote; reads zeros and empty texts behind the end.
class Reader {
public:
  explicit Reader(const std::string &data) : data(data) {}
  uint64_t number();
  std::string text();

private:
  const std::string &data;
  size_t at = 0;
};

/// One end of a connection. Sends block for a second at most; a receiver asks
/// when poll says that there is something.
class Connection {
public:
  Connection() = default;
  explicit Connection(int fd) : fd(fd) {}
  Connection(const Connection &) = delete;
  Connection(Connection &&other) { swap(other); }
  Connection &operator=(Connection &&other) {
    swap(other);
    return *this;
  }
  ~Connection() { close(); }

  bool isOpen() const { return fd >= 0; }
  int descriptor() const { return fd; }
  void close();
  /// False if the other end is gone.
  bool send(const std::string &message);
  /// Reads what has arrived and appends the whole messages; false if the other
  /// end is gone.
  bool receive(std::vector<std::string> &messages);

private:
  void swap(Connection &other) {
    std::swap(fd, other.fd);
    std::swap(partial, other.partial);
  }

  int fd = -1;
  std::string partial;
};

/// A socket that listens on all addresses of this host. `addresses` is what
/// others need to connect: port and the numeric addresses, loopback last. -1 if
/// there is no network.
int listenOnHost(std::string &addresses);

/// Connects to one of the addresses, within about two seconds each.
Connection connectTo(const std::string &addresses);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_CONTROL_H
