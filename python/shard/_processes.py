# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process as one of several that mpirun has started.

The first partition joins the others. If mpi4py has initialised MPI, it is used; what is
sent goes through communicators of its own.
"""

import atexit
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from shard import _shard
from shard._errors import ShardError

Runtime = Literal["auto", "threads", "mpi"]


class Session:
    """What lasts from the first partition to the end of the process."""

    def __init__(self, handle: _shard.Processes) -> None:
        self.handle = handle
        self.common_error: BaseException | None = None
        """The last exception that all processes have raised."""
        atexit.register(self._end)

    def _end(self) -> None:
        """Leaves before mpi4py finalizes MPI.

        A process that ends with an exception which the others do not have ends them.
        """
        error = getattr(sys, "last_value", None)
        if error is None or error is self.common_error:
            self.handle.leave()
        else:
            self.handle.fail(f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def common_errors(session: Session | None) -> Iterator[None]:
    """What is raised inside is raised in all processes alike."""
    try:
        yield
    except ShardError as error:
        if session:
            session.common_error = error
        raise


_session: Session | None = None


def join(runtime: Runtime) -> Session | None:
    """The session, begun if it has not been; None if devices are to be threads.

    Raises:
        ImportError: the runtime library for this MPI cannot be loaded.
        ValueError: `runtime` is unknown, or "mpi" and there is no launcher.
    """
    global _session
    if runtime not in ("auto", "threads", "mpi"):
        raise ValueError(f"a runtime is 'auto', 'threads' or 'mpi', not {runtime!r}")
    launcher = _shard.launcher()
    if runtime == "threads" or (runtime == "auto" and not launcher):
        return None
    if not launcher:
        raise ValueError(
            "no launcher of MPI has started this process: write mpirun -n 4 python ..."
        )
    if _session is None:
        _check_mpi4py(launcher)
        _session = Session(_shard.join(launcher, str(_library_folder(launcher))))
    return _session


def _check_mpi4py(launcher: str) -> None:
    """Two libraries of MPI in one process would take each other's functions."""
    loaded = sys.modules.get("mpi4py.MPI")
    if loaded is None:
        return
    library = str(loaded.Get_library_version()).strip("\0\n ")
    if library.startswith("Open MPI") != (launcher == "openmpi"):
        raise ImportError(
            f"the launcher of this process is that of {launcher}, but mpi4py has loaded "
            f"{library.splitlines()[0]}; MPI4PY_MPIABI tells it which to load"
        )


def _library_folder(launcher: str) -> Path:
    """The folder of the runtime library: of the build, or of the environment."""
    name = f"libshard_rt_{launcher}.so"
    folders = [Path(__file__).parents[2] / "lib", Path(sys.prefix) / "lib"]
    return next((folder for folder in folders if (folder / name).exists()), folders[-1])
