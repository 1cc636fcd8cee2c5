/*===- delayed-link.c - A link with a rate and a delay between two namespaces -----===*\
|*
|* Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------------===*|
|*
|*   delayed-link NAMESPACE NAMESPACE DEVICE BITS-PER-SECOND MICROSECONDS MTU
|*
|* For kernels without netem (hosts.py): makes the tun device DEVICE in both namespaces and
|* carries packets between them. A direction sends one packet at a time at the rate, and
|* each arrives so much later. Prints a line when the devices are there. Ends by a signal.
|*
\*===----------------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* More than a TCP connection has on its way: no packet is lost. */
enum { kPackets = 1 << 13, kMostBytes = 9216 };

struct Packet {
  int64_t arrival;
  int size;
  char bytes[kMostBytes];
};

/* One direction: packets on their way, the oldest first. */
struct Direction {
  int from, to;
  uint64_t first, end;
  /* When what was sent before has left. */
  int64_t free;
  struct Packet *packets;
};

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int openDevice(const char *space, const char *device, int mtu) {
  char path[256];
  snprintf(path, sizeof(path), "/run/netns/%s", space);
  int namespace = open(path, O_RDONLY);
  if (namespace < 0 || setns(namespace, CLONE_NEWNET) != 0)
    die(path);
  close(namespace);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  struct ifreq request = {0};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  if (fd < 0 || ioctl(fd, TUNSETIFF, &request) != 0)
    die("/dev/net/tun");
  int queue = kPackets;
  struct ifreq settings = {0};
  strncpy(settings.ifr_name, device, IFNAMSIZ - 1);
  int control = socket(AF_INET, SOCK_DGRAM, 0);
  settings.ifr_mtu = mtu;
  if (ioctl(control, SIOCSIFMTU, &settings) != 0)
    die("mtu");
  settings.ifr_qlen = queue;
  if (ioctl(control, SIOCSIFTXQLEN, &settings) != 0)
    die("queue");
  close(control);
  return fd;
}

/* Takes what the one end has sent. */
static void receive(struct Direction *way, double bitsPerSecond,
                    int64_t delay) {
  while (way->end - way->first < kPackets) {
    struct Packet *packet = &way->packets[way->end % kPackets];
    ssize_t size = read(way->from, packet->bytes, kMostBytes);
    if (size <= 0)
      return;
    int64_t now = nanoseconds();
    if (way->free < now)
      way->free = now;
    way->free += (int64_t)(8e9 * (double)size / bitsPerSecond);
    packet->arrival = way->free + delay;
    packet->size = (int)size;
    ++way->end;
  }
}

/* Hands over what has arrived; when the next packet does. */
static int64_t deliver(struct Direction *way) {
  for (; way->first < way->end; ++way->first) {
    struct Packet *packet = &way->packets[way->first % kPackets];
    if (packet->arrival > nanoseconds())
      return packet->arrival;
    ssize_t written = write(way->to, packet->bytes, (size_t)packet->size);
    (void)written;
  }
  return INT64_MAX;
}

int main(int argc, char **argv) {
  if (argc != 7)
    return 2;
  double bitsPerSecond = atof(argv[4]);
  int64_t delay = (int64_t)(1000 * atof(argv[5]));
  int fds[2];
  for (int i = 0; i < 2; ++i)
    fds[i] = openDevice(argv[1 + i], argv[3], atoi(argv[6]));
  struct Direction ways[2] = {{fds[0], fds[1], 0, 0, 0, 0},
                              {fds[1], fds[0], 0, 0, 0, 0}};
  for (int i = 0; i < 2; ++i)
    if (!(ways[i].packets = calloc(kPackets, sizeof(struct Packet))))
      die("memory");
  puts("ready");
  fflush(stdout);
  while (1) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < 2; ++i) {
      receive(&ways[i], bitsPerSecond, delay);
      int64_t arrival = deliver(&ways[i]);
      next = arrival < next ? arrival : next;
    }
    struct pollfd files[2];
    for (int i = 0; i < 2; ++i) {
      files[i].fd = ways[i].from;
      files[i].events =
          (short)(ways[i].end - ways[i].first < kPackets ? POLLIN : 0);
    }
    int64_t wait = next == INT64_MAX ? 100000000 : next - nanoseconds();
    if (wait <= 0)
      continue;
    struct timespec timeout = {wait / 1000000000, wait % 1000000000};
    ppoll(files, 2, &timeout, NULL);
  }
}
