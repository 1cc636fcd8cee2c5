# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same script, alone and under mpirun. Skipped where MPI or its library is missing."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import MLP

import shard
from shard._processes import _library_folder

LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n"],
    "mpich": ["mpirun.mpich", "-n"],
}
SCRIPT = """\
import sys
if "mpi4py" in sys.argv:
    from mpi4py import MPI
import numpy as np
import shard
from shard import P

program = shard.load(open(sys.argv[1]).read(), name="mlp.mlir")
part = program.partition(
    shard.Grid(data=2, model=2), {"arg0": P("data", ...), "up.weight": P(None, "model")}
)
rng = np.random.default_rng(7)
x, up, down = (rng.uniform(-1, 1, v.shape).astype(np.float32) for v in program.arguments)
y = part(x, up, down)
np.testing.assert_array_equal(y, part(x, up, down))
np.save(f"{sys.argv[2]}/{part.process}.npy", y)
"""


def run(tmp_path, mpi, body="", arguments=(), ranks=4, timeout=60):
    launcher = shutil.which(LAUNCHERS[mpi][0])
    if not launcher or not (_library_folder(mpi) / f"libshard_rt_{mpi}.so").exists():
        pytest.skip(f"there is no {mpi} here")
    if "mpi4py" in arguments and not importlib.util.find_spec("mpi4py"):
        pytest.skip("mpi4py is missing: pip install mpi4py")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + textwrap.dedent(body))
    (tmp_path / "mlp.mlir").write_text(MLP)
    # A test that was itself started by mpirun starts others.
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "PRTE_"))}
    return subprocess.run(
        [
            *LAUNCHERS[mpi],
            str(ranks),
            sys.executable,
            script,
            tmp_path / "mlp.mlir",
            tmp_path,
            *arguments,
        ],
        env=keep,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.mark.parametrize("arguments", [(), ("mpi4py",)], ids=["alone", "mpi4py"])
@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_each_process_runs_its_device(tmp_path, megatron, tensors, mpi, arguments):
    if mpi == "mpich" and arguments:
        pytest.skip("mpi4py's wheels load libmpi.so.12, which Debian's MPICH calls otherwise")
    body = """
    report = part.verify(x, up, down)
    assert report.passed and report.raw["verified"]
    (row,) = part.last_run.collectives
    assert (row.kind, row.calls, row.bytes) == ("all_reduce", 1, 256)
    assert part.memory.temporaries > 0
    # Another program, and one with threads, in the same processes.
    other = program.partition(shard.Grid(4), {0: P(0)})
    np.testing.assert_allclose(other(x, up, down), y, atol=1e-5)
    threads = program.partition(shard.Grid(2), {0: P(0)}, runtime="threads")
    assert threads.process is None
    np.testing.assert_allclose(threads(x, up, down), y, atol=1e-5)
    """
    process = run(tmp_path, mpi, body, arguments)
    assert process.returncode == 0, process.stderr
    # The bits are those of threads, in each process.
    expected = megatron(*tensors)
    for rank in range(4):
        np.testing.assert_array_equal(np.load(tmp_path / f"{rank}.npy"), expected)


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ("part(x[:2] if part.process == 2 else x, up, down)", ["process 2 on .*argument 0 takes"]),
        ("part(x[:2], up, down)", ["RunError: mlp.mlir:1:.*argument 0 takes 8x16xf32"]),
        (
            "if part.process == 1: raise ValueError('odd')\npart(x, up, down)",
            ["error: rank 1 on .*: ValueError: odd"],
        ),
        (
            "if part.process == 1: sys.exit(0)\npart(x, up, down)",
            ["device 1 .*which has reached the end of the program"],
        ),
        (
            "axis = 'data' if part.process else 'model'\n"
            "program.partition(shard.Grid(data=2, model=2), {0: P(axis)})(x, up, down)",
            ["RunError: rank 1 on .* runs with another program than rank 0"],
        ),
    ],
    ids=["one-shape", "shapes", "exception", "exit", "programs"],
)
def test_what_goes_wrong_ends_all_processes(tmp_path, body, messages):
    process = run(tmp_path, "openmpi", body)
    assert process.returncode != 0
    for message in messages:
        assert re.search(message, process.stderr), process.stderr


def test_errors_that_all_have_can_be_caught(tmp_path):
    body = """
    odd = [
        (x[:2], up, down),
        (x.astype(np.float64), up, down),
        (x, up),
        (x, up, down, down),
        (x, up, None),
        (x, up, np.ma.masked_array(down)),
    ]
    for i, wrong in enumerate(odd):
        for number in (0, 3):
            given = wrong if part.process == number else (x, up, down)
            try:
                part(*given)
            except shard.RunError as error:
                text = str(error)
            else:
                raise AssertionError("no error")
            words = ["takes", "takes elements of float32", "takes 3 arguments, but 2",
                     "takes 3 arguments, but 4", "is None", "masked array"][i]
            assert words in text and "is no type" not in text, text
            assert part.process == number or f"process {number}" in text, text
    for wrong in (x[:2], None):
        try:
            part(wrong, up, down)
        except shard.RunError:
            pass
        else:
            raise AssertionError("no error")
    np.testing.assert_array_equal(y, part(x, up, down))
    """
    process = run(tmp_path, "openmpi", body)
    assert process.returncode == 0, process.stderr


def test_the_number_of_processes_is_that_of_devices(tmp_path):
    process = run(tmp_path, "openmpi", ranks=2)
    assert process.returncode != 0
    assert "the grid has 4 devices, but there are 2 processes" in process.stderr


def test_no_launcher(mlp):
    with pytest.raises(ValueError, match="no launcher of MPI"):
        mlp.partition(shard.Grid(2), runtime="mpi")
    with pytest.raises(ValueError, match="'auto', 'threads' or 'mpi', not 'gpu'"):
        mlp.partition(shard.Grid(2), runtime="gpu")
