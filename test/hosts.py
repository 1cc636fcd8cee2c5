#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on two hosts that are network namespaces of this machine.

usage: hosts.py --check
       hosts.py [--delay] MPI LAUNCHER RANKS-PER-HOST PROGRAM [ARGUMENT...]

MPI is openmpi or mpich. A veth pair connects the hosts, 10.213.77.1 and .2, whose names
are shard-a and shard-b; ranks talk TCP only. Each direction has 1 Gbit/s and, where the
kernel has netem, a delay of 1 ms; else tbf limits the rate and the delay is that of the
machine. With --delay and without netem, delayed-link.c carries the packets, in user space and
with real-time priority, for which there has to be a C compiler. A note on stderr says which. Needs root; without it, or where the kernel has no
namespaces or veth pairs, prints the reason and ends with exit code 77, as --check does.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESS = "10.213.77.%d"
HOSTS = ["shard-a", "shard-b"]

# What a launcher calls instead of ssh: AGENT [OPTION...] HOST COMMAND...
AGENT = """#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    -*) shift ;;
    *) break ;;
  esac
done
host=$1; shift
case "$host" in
  {first}|{names[0]}) name={names[0]} space={spaces[0]} ;;
  *) name={names[1]} space={spaces[1]} ;;
esac
exec ip netns exec "$space" unshare --uts sh -c 'hostname "$0"; eval "$1"' "$name" "$*"
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


class Hosts:
    """The namespaces, while the block lasts."""

    def __init__(self, folder, delay):
        self.spaces = [f"{name}-{os.getpid()}" for name in HOSTS]
        self.folder, self.delay = folder, delay
        self.shaping = ""
        self.relay = None

    def __enter__(self):
        try:
            self.make()
        except OSError:
            self.__exit__()
            raise
        return self

    def make(self):
        ends = [f"shard{os.getpid()}{letter}" for letter in "ab"]
        for space in self.spaces:
            run("ip", "netns", "add", space)
        run("ip", "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for space, end in zip(self.spaces, ends):
            run("ip", "link", "set", end, "netns", space)
            self.shape(space, end)
        if not self.shaping.startswith("netem") and self.delay:
            ends = [self.start_relay()] * 2
        for i, (space, end) in enumerate(zip(self.spaces, ends)):
            inside = ["ip", "-n", space]
            run(*inside, "address", "add", f"{ADDRESS % (i + 1)}/24", "dev", end)
            run(*inside, "link", "set", "lo", "up")
            run(*inside, "link", "set", end, "up")

    def shape(self, space, end):
        control = ["tc", "-n", space, "qdisc", "add", "dev", end, "root"]
        try:
            run(*control, "netem", "rate", "1gbit", "delay", "1ms", "limit", "100000")
            self.shaping = "netem: 1 Gbit/s, 1 ms"
        except OSError:
            run(*control, "tbf", "rate", "1gbit", "burst", "3000", "latency", "100ms")
            self.shaping = "tbf: 1 Gbit/s; this kernel has no netem, so that there is no delay"

    def start_relay(self):
        """The name of the device of both hosts."""
        program, device = f"{self.folder}/delayed-link", f"shard{os.getpid()}"
        run(os.environ.get("CC", "cc"), "-O2", f"{HERE}/delayed-link.c", "-o", program)
        command = ["chrt", "-r", "2", program, *self.spaces, device, "1e9", "1000", "9000"]
        self.relay = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if self.relay.stdout.readline() != "ready\n":
            raise OSError("delayed-link does not start")
        for space in self.spaces:
            # As on a network that is in use all the time: windows stay open between messages.
            run("ip", "netns", "exec", space, "sysctl", "-qw",
                "net.ipv4.tcp_slow_start_after_idle=0")
        self.shaping = "delayed-link: 1 Gbit/s, 1 ms, packets of 9000 bytes"
        return device

    def __exit__(self, *_):
        if self.relay:
            self.relay.kill()
            self.relay.wait()
        # Nothing that was started here outlives it. The veth pair goes with its namespaces.
        for space in self.spaces:
            pids = subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True)
            for pid in pids.stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)


def command_of(mpi, launcher, ranks, agent):
    first, second = ADDRESS % 1, ADDRESS % 2
    if mpi == "openmpi":
        network = "10.213.77.0/24"
        # Each host counts the same cores as its own: bound, all ranks would share the first.
        return [launcher, "--allow-run-as-root", "--host", f"{first}:{ranks},{second}:{ranks}",
                "-n", str(2 * ranks), "--bind-to", "none", "--mca", "plm_rsh_agent", agent,
                "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "btl_tcp_if_include", network,
                "--mca", "oob_tcp_if_include", network]
    return [launcher, "-genv", "MPIR_CVAR_NOLOCAL", "1", "-genv", "UCX_TLS", "tcp,self", "-launcher",
            "ssh", "-launcher-exec", agent, "-hosts", f"{first}:{ranks},{second}:{ranks}", "-n",
            str(2 * ranks)]


def main():
    checks, arguments = sys.argv[1:] == ["--check"], sys.argv[1:]
    delay = arguments[:1] == ["--delay"]
    arguments = arguments[delay:]
    if not checks and (len(arguments) < 4 or arguments[0] not in ("openmpi", "mpich")):
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory() as folder, Hosts(folder, delay) as hosts:
            print(f"two hosts, {hosts.shaping}", file=sys.stderr)
            if checks:
                return 0
            agent = f"{folder}/agent"
            with open(agent, "w") as file:
                file.write(AGENT.format(first=ADDRESS % 1, names=HOSTS, spaces=hosts.spaces))
            os.chmod(agent, 0o755)
            mpi, launcher, ranks, *program = arguments
            command = command_of(mpi, launcher, int(ranks), agent) + program
            return subprocess.run(["ip", "netns", "exec", hosts.spaces[0], "unshare", "--uts", "sh",
                                   "-c", 'hostname "$0"; exec "$@"', HOSTS[0], *command]).returncode
    except OSError as error:
        print(f"skipped: no network namespaces as hosts here: {error}", file=sys.stderr)
        return 77


sys.exit(main())
