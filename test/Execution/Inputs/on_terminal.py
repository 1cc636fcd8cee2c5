# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""on_terminal.py COMMAND...: runs it with a pseudo terminal as its output, and hands on
what it writes and its exit code."""

import os
import pty
import sys


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux says EIO when the other end is closed.
            part = b""
        if not part:
            break
        # A terminal ends lines by carriage return and line feed.
        sys.stdout.buffer.write(part.replace(b"\r", b""))
    sys.stdout.flush()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


sys.exit(main())
