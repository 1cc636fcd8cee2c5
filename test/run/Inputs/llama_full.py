# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicts the collectives of Llama-2-7B, 32 layers, tensor parallel on 4 devices.

usage: llama_full.py PROGRAM [HINT...]      HINT: in addition, such as arg1=[[],[0]]

A layer has 11 arguments: the weight of its norm, those of queries, keys and values, two
tables, the weights of the output, of the norm of the feed-forward, of its gate, of its
other input and of its output. Weights are stored transposed.
"""

import collections
import json
import subprocess
import sys

LAYERS, ARGUMENTS, FIRST = 32, 11, 2
BY_ROWS, BY_COLUMNS = (1, 2, 3, 8, 9), (6, 10)


def main():
    """Prints how often each collective occurs, and the sum of the bytes."""
    hints = [f"--hint={hint}" for hint in sys.argv[2:]]
    for layer in range(LAYERS):
        first = FIRST + ARGUMENTS * layer
        hints += [f"--hint=arg{first + weight}=[[0],[]]" for weight in BY_ROWS]
        hints += [f"--hint=arg{first + weight}=[[],[0]]" for weight in BY_COLUMNS]
    command = ["shard-opt", sys.argv[1], "--grid", "4", *hints]
    command += ["--shard-spmd", "--shard-report=json", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    calls = json.loads(done.stderr)[0]["collectives"]
    for (kind, sent), count in collections.Counter(
        (call["kind"], call["bytes_sent_per_call"]) for call in calls
    ).items():
        print(f"{count} {kind} of {sent} bytes")
    print(f"{sum(call['bytes_sent_per_device'] for call in calls)} bytes")


main()
