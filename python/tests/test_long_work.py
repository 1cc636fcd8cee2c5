# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C, progress, and several threads of Python."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import shard
from shard import Grid, P

# So many turns that no machine makes them all before somebody interrupts.
LOOP = """
func.func @main(%x: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8x8xf32> {{
    {body}
    scf.yield %m : tensor<8x8xf32>
  }}
  return %r : tensor<8x8xf32>
}}
"""
MEETS = LOOP.format(
    body="""%p = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>)
                       outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    %m = math.tanh %p : tensor<8x8xf32>"""
)
ALONE = LOOP.format(body="%m = math.sin %a : tensor<8x8xf32>")

# A process that a shell starts in the background ignores Ctrl-C from the start, and so do
# its children.
SCRIPT = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import shard
program = shard.load(sys.argv[1])
part = program.partition(shard.Grid(2), {0: shard.P(0)})
x = np.eye(8, dtype=np.float32)
part(x, 1)
print("ready", bool(len(part.collectives)), flush=True)
try:
    part(x, 1 << 40)
except KeyboardInterrupt:
    print("interrupted", flush=True)
if len(part.collectives):
    print("again", part(x, 1).shape, flush=True)
"""


@pytest.mark.parametrize(("program", "meets"), [(MEETS, True), (ALONE, False)])
def test_ctrl_c_stops_a_run(program, meets):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout.readline() == f"ready {meets}\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    try:
        rest, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    if meets:
        assert rest == "interrupted\nagain (8, 8)\n"
        assert process.returncode == 0
    else:
        # The devices never meet; the run ends with the process.
        assert rest == "interrupted\n"
        assert process.returncode == 130


def test_progress_tells_the_steps(mlp, tensors):
    seen = []

    def note(work, step):
        seen.append((work, step))

    part = mlp.partition(Grid(2), {1: P(None, 0)}, progress=note)
    assert ("partition", "sharding-propagation") in seen
    assert {work for work, _ in seen} == {"partition"}
    part(*tensors, progress=note)
    works = [work for work, _ in seen]
    assert works == sorted(works, key=["partition", "compile", "run"].index)
    assert ("compile", "machine code") in seen
    count = len(seen)
    part(*tensors, progress=note)
    assert seen[count:] == [("run", "")]


def test_a_run_without_collectives_is_a_step(mlp, tensors):
    seen = []
    part = mlp.partition(Grid(2), {0: P(0)})
    assert len(part.collectives) == 0
    for _ in range(2):
        part(*tensors, progress=lambda work, step: seen.append((work, step)))
    assert seen.index(("run", "")) > seen.index(("compile", "machine code"))
    assert seen[-2:] == [("run", "")] * 2


def test_exceptions_of_the_callback_stop_the_work(mlp, tensors):
    class EnoughError(Exception):
        pass

    def stop(at):
        def note(work, step):
            if (work, step) == at:
                raise EnoughError

        return note

    with pytest.raises(EnoughError):
        mlp.partition(Grid(2), {1: P(None, 0)}, progress=stop(("partition", "shard-partition")))
    part = mlp.partition(Grid(2), {1: P(None, 0)})
    with pytest.raises(EnoughError):
        part(*tensors, progress=stop(("compile", "machine code")))
    # What was stopped can be done again.
    x, up, down = tensors
    np.testing.assert_allclose(part(x, up, down), np.tanh(x @ up) @ down, rtol=0, atol=2e-5)
    with pytest.raises(TypeError, match="progress is True, False, None or a function"):
        mlp.partition(Grid(2), progress="yes")


def test_progress_is_shown(mlp, capfd):
    mlp.partition(Grid(2), {0: P(0)}, progress=True)
    assert "partition" in capfd.readouterr().err


def test_threads_share_a_program(mlp, tensors):
    parts = [mlp.partition(Grid(2), {0: P(0)}), mlp.partition(Grid(model=2), {1: P(None, "model")})]
    x, up, down = tensors
    errors = []

    def use(part):
        try:
            for _ in range(5):
                np.testing.assert_allclose(
                    part(x, up, down), np.tanh(x @ up) @ down, rtol=0, atol=2e-5
                )
                assert "func.func" in part.text
                assert part.explain()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=use, args=(part,)) for part in parts * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert shard._shard.running() == 0
