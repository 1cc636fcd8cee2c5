//===- Control.cpp - Connections between the ranks beside MPI -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Control.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace shard {
namespace runtime {

Writer &Writer::number(uint64_t value) {
  data.append(reinterpret_cast<const char *>(&value), sizeof(value));
  return *this;
}

Writer &Writer::text(const std::string &value) {
  number(value.size());
  data += value;
  return *this;
}

uint64_t Reader::number() {
  uint64_t value = 0;
  if (data.size() - at < sizeof(value)) {
    at = data.size();
    return 0;
  }
  memcpy(&value, data.data() + at, sizeof(value));
  at += sizeof(value);
  return value;
}

std::string Reader::text() {
  uint64_t size = number();
  if (size > data.size() - at)
    size = data.size() - at;
  std::string value = data.substr(at, size);
  at += size;
  return value;
}

namespace {

/// Longer ones are not ours.
constexpr uint32_t kMaxMessage = 1 << 20;

bool waitFor(int fd, short events, int milliseconds) {
  pollfd poller = {fd, events, 0};
  return poll(&poller, 1, milliseconds) > 0;
}

void tune(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

} // namespace

void Connection::close() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

bool Connection::send(const std::string &message) {
  if (fd < 0)
    return false;
  uint32_t size = message.size();
  std::string frame(reinterpret_cast<const char *>(&size), sizeof(size));
  frame += message;
  for (size_t sent = 0; sent < frame.size();) {
    ssize_t n =
        ::send(fd, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n > 0)
      sent += n;
    else if (n < 0 && errno == EINTR)
      continue;
    else if (!(n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) ||
             !waitFor(fd, POLLOUT, 1000))
      return false;
  }
  return true;
}

bool Connection::receive(std::vector<std::string> &messages) {
  if (fd < 0)
    return false;
  // Read at a time; longer messages come in several pieces.
  constexpr size_t kReadBytes = 4096;
  char buffer[kReadBytes];
  bool alive = true;
  while (true) {
    ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
    if (n > 0) {
      partial.append(buffer, n);
      continue;
    }
    if (n < 0 && errno == EINTR)
      continue;
    alive = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    break;
  }
  uint32_t size;
  while (partial.size() >= sizeof(size)) {
    memcpy(&size, partial.data(), sizeof(size));
    if (size > kMaxMessage)
      return false;
    if (partial.size() < sizeof(size) + size)
      break;
    messages.push_back(partial.substr(sizeof(size), size));
    partial.erase(0, sizeof(size) + size);
  }
  return alive;
}

int listenOnHost(std::string &addresses) {
  // Connections that may wait until they are accepted, at most what the system allows.
  // Of more the system drops the requests, and those who connect repeat them.
  constexpr int kBacklog = 4096;
  int fd = socket(AF_INET6, SOCK_STREAM, 0);
  bool six = fd >= 0;
  if (!six)
    fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0)
    return -1;
  sockaddr_storage storage = {};
  socklen_t size = six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  storage.ss_family = six ? AF_INET6 : AF_INET;
  int off = 0;
  if (six)
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  auto *address = reinterpret_cast<sockaddr *>(&storage);
  if (bind(fd, address, size) != 0 || listen(fd, kBacklog) != 0 ||
      getsockname(fd, address, &size) != 0) {
    close(fd);
    return -1;
  }
  tune(fd);
  uint16_t port =
      ntohs(six ? reinterpret_cast<sockaddr_in6 *>(address)->sin6_port
                : reinterpret_cast<sockaddr_in *>(address)->sin_port);
  addresses = std::to_string(port);

  ifaddrs *list = nullptr;
  if (getifaddrs(&list) == 0) {
    for (ifaddrs *each = list; each; each = each->ifa_next) {
      if (!each->ifa_addr || (each->ifa_flags & IFF_LOOPBACK) ||
          !(each->ifa_flags & IFF_UP))
        continue;
      int family = each->ifa_addr->sa_family;
      if (family != AF_INET && !(six && family == AF_INET6))
        continue;
      char text[NI_MAXHOST];
      if (getnameinfo(each->ifa_addr,
                      family == AF_INET ? sizeof(sockaddr_in)
                                        : sizeof(sockaddr_in6),
                      text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0)
        addresses += std::string(" ") + text;
    }
    freeifaddrs(list);
  }
  addresses += " 127.0.0.1";
  return fd;
}

Connection connectTo(const std::string &addresses) {
  size_t space = addresses.find(' ');
  std::string port = addresses.substr(0, space);
  while (space != std::string::npos) {
    size_t next = addresses.find(' ', space + 1);
    std::string host = addresses.substr(
        space + 1, next == std::string::npos ? next : next - space - 1);
    space = next;
    addrinfo hints = {}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0)
      continue;
    int fd = socket(found->ai_family, SOCK_STREAM, 0);
    bool connected = false;
    if (fd >= 0) {
      tune(fd);
      connected = connect(fd, found->ai_addr, found->ai_addrlen) == 0;
      if (!connected && errno == EINPROGRESS && waitFor(fd, POLLOUT, 2000)) {
        int error = 1;
        socklen_t size = sizeof(error);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        connected = error == 0;
      }
    }
    freeaddrinfo(found);
    if (connected)
      return Connection(fd);
    if (fd >= 0)
      close(fd);
  }
  return Connection();
}

} // namespace runtime
} // namespace shard
