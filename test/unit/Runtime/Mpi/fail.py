#!/usr/bin/env python3
"""Starts ranks that go wrong; checks what is said and that nothing is left.

usage: fail.py PROGRAM LIBRARY MPIRUN-AND-ITS-OPTIONS... [-- SCENARIO...]

Every scenario of Fail.cpp has to end within 30 seconds with the exit code and the
message of the table, and leave no process behind. Then a launcher that does not end
after its ranks has to be ended.
"""

import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid

# Scenario: ranks, exit code (None: any but 0), what stderr has, environment. MPICH kills
# the other ranks as soon as one has ended, and may report that instead of their code:
# there, 1 is any but 0 too.
SCENARIOS = {
    "none": (2, 0, None, {}),
    "kind": (3, 1, r"collective mismatch in call 3 of the group of devices 0, 1, 2: device 0 is in "
                   r"all_reduce \(4xf32 -> 4xf32, reduction = sum\) at a\.mlir:1:1, device 1 is in "
                   r"all_gather \(2xf32 -> 6xf32, dimension = 0\) at b\.mlir:2:2", {}),
    "place": (2, 1, r"at a\.mlir:1:1, device 1 is in all_reduce .* at b\.mlir:2:2", {}),
    "check first": (2, 0, None, {"SHARD_RT_CHECK": "always"}),
    "check always": (2, 1, r"at a\.mlir:1:1, device 1 is in all_reduce .* at b\.mlir:2:2", {}),
    "check never": (2, 0, None, {}),
    "check, first": (2, 0, None, {}),
    "check, always": (2, 1, r"at a\.mlir:1:1, device 1 is in all_reduce .* at b\.mlir:2:2",
                      {"SHARD_RT_CHECK": "always"}),
    "check, never": (2, 0, None, {"SHARD_RT_CHECK": "never"}),
    "size": (2, 1, r"4xf32 -> 4xf32.* is in all_reduce .5xf32 -> 5xf32", {}),
    "reduction": (2, 1, r"reduction = sum.* reduction = max", {}),
    "extents": (2, 1, r"extents 2 3 of dimension 0 do not make up the result's 4", {}),
    "groups": (2, 1, r"no device can go on: device 0 \(rank 0 on .*\) waits in recv .* at a\.mlir:1:1 "
                     r"for device 1; device 1 \(rank 1 on .*\) waits in all_reduce .* at "
                     r"b\.mlir:2:2 for the group of devices 0, 1", {}),
    "receive": (2, 1, r"no device can go on: .* for device 1; .* for device 0", {}),
    "ended": (2, 1, r"device 0 \(rank 0 on .*\) waits in all_reduce .* at a\.mlir:1:1 for device 1 "
                    r"\(rank 1 on .*\), which has reached the end of the program", {}),
    "message": (2, 1, r"what send \(4xf32\) at a\.mlir:1:1 has sent does not fit recv "
                      r"\(-> 5xf32.*\) at b\.mlir:2:2", {}),
    "lost": (2, 1, r"what device 0 has sent at a\.mlir:1:1 to device 1 was never received", {}),
    "fail": (2, 1, r"error: device 1 \(rank 1 on .*\): cannot read x\.npy", {}),
    "exit": (2, None, r"rank 1 on .* has ended with exit code 3", {}),
    "absent": (2, None, r"rank 1 on .* has ended with exit code 4", {}),
    "die": (3, None, r"device 1 \(rank 1 on .*\) has died; it was last seen in all_reduce .*"
                     r"work\.mlir:1:1", {}),
    "die0": (3, None, r"device 0 \(rank 0 on .*\) has died", {}),
    "stop": (3, None, r"device 1 \(rank 1 on .*\) has not answered for 2 seconds: it was stopped.* in "
                   r"all_reduce .*work\.mlir:1:1", {"SHARD_RT_SILENCE": "2"}),
    "stop0": (3, None, r"rank 0 on .*\) has not answered for 2 seconds: it was stopped", {"SHARD_RT_SILENCE": "2"}),
    "connect": (3, None, r"rank 1 on .* has waited for more than 4 seconds for the other ranks to start", {"SHARD_RT_TIMEOUT": "4"}),
    "supervisor": (3, None, r"the supervisor beside rank 0 on .* does not answer", {"SHARD_RT_SILENCE": "2"}),
    "supervisorAtEnd": (3, 0, None, {"SHARD_RT_SILENCE": "2"}),
    "finalize": (3, None, r"rank 0 on .* has waited for more than 6 seconds for the other ranks to end in "
                       r"MPI_Finalize", {"SHARD_RT_SILENCE": "2"}),
    "finalize0": (3, None, r"rank 1 on .* has waited for more than 6 seconds for the other ranks to end "
                       r"in MPI_Finalize", {"SHARD_RT_SILENCE": "2"}),
    "last": (3, None, None, {"SHARD_RT_SILENCE": "2"}),
    "late": (2, 1, r"device 0 \(rank 0 on .*\) has waited for more than 2 seconds in all_reduce .* at "
                   r"a\.mlir:1:1; device 1 \(rank 1 on .*\) computes", {"SHARD_RT_TIMEOUT": "2"}),
    "grid": (2, 1, r"the grid 2x2 has 4 devices, but there are 2 ranks: start 4 \(mpirun -n 4\)", {}),
    "program": (2, 1, r"rank 1 on .* runs with another program than rank 0", {}),
    "grids": (2, 1, r"rank 1 on .* runs with another grid than rank 0", {}),
    "placement": (2, 1, r"device ids have to name every rank once, but rank 0 is named 2 times", {}),
}
# What goes wrong goes wrong behind the work of the ranks.
WORK_DONE = {"none", "supervisorAtEnd", "last", "check first", "check never", "check, first",
             "check, never"}
LIMIT = 30
AT_ONCE = 3


def processes_with(token):
    """The processes, zombies apart, whose environment has the token."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if token.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def run(program, library, launcher, name):
    ranks, code, pattern, environment = SCENARIOS[name]
    if code == 1 and "mpich" in library:
        code = None
    token = "SHARD_TEST_TOKEN=" + uuid.uuid4().hex
    env = dict(os.environ, **environment)
    env[token.split("=")[0]] = token.split("=")[1]
    begin = time.time()
    process = subprocess.Popen([*launcher, "-n", str(ranks), program, library, name],
                               env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    problems = []
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            output, _ = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        problems.append(f"did not end within {LIMIT} seconds")
    seconds = time.time() - begin
    if (process.returncode != code) if code is not None else process.returncode == 0:
        problems.append(f"exit code {process.returncode}, expected {code}")
    if pattern and not re.search(pattern, output):
        problems.append(f"the output has no {pattern}")
    if name in WORK_DONE and "done" not in output.splitlines():
        problems.append("the work was not done")
    # On a loaded machine mpirun may take longer to end than its guard allows; the scenario
    # "hanging launcher" checks that message.
    errors = re.findall(r"^error: (?!(?:mpirun\.\w+|hydra_pmi_proxy) \(process \d+\) has not ended for )", output, re.MULTILINE)
    if len(errors) != (1 if pattern else 0):
        problems.append("not one line with an error")
    # The launcher's own helpers may take a moment.
    for _ in range(50):
        left = processes_with(token)
        if not left:
            break
        time.sleep(0.1)
    else:
        problems.append(f"processes {left} are left")
        for pid in left:
            os.kill(pid, 9)
    lines = [f"{'FAIL' if problems else 'ok'} {name} ({seconds:.1f} s)"]
    lines += ["  " + problem for problem in problems]
    if problems:
        lines.append("  " + output.replace("\n", "\n  "))
    print("\n".join(lines) + "\n", end="", flush=True)
    return not problems


# Stands for Open MPI's mpirun, which hangs at times: starts a rank, and does not end until it
# is told to. The name of the process is that of the file, since no env(1) starts another one.
HANGING_LAUNCHER = f"""#!{sys.executable}
import os, signal, subprocess, sys, time
def end(*_):
    print("the launcher ends", flush=True)
    os._exit(1)
signal.signal(signal.SIGTERM, end)
subprocess.run(sys.argv[1:], env=dict(os.environ, SLURM_PROCID="0"))
time.sleep(100)
"""


def can_share_files():
    """Whether a process may use an open file of another one. Where it may not, the launcher can
    write over the message in a file that both write to."""
    own = os.pidfd_open(os.getpid())
    shared = ctypes.CDLL(None).syscall(438, own, 0, 0)  # pidfd_getfd
    os.close(own)
    if shared >= 0:
        os.close(shared)
    return shared >= 0 and os.geteuid() == 0


def hanging_launcher(program, library):
    with tempfile.TemporaryDirectory() as folder:
        problems = []
        # Of another name it is no launcher, and left alone.
        for name, seconds in ("mpirun.hangs", 20), ("script.hangs", 6):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(HANGING_LAUNCHER)
            os.chmod(path, 0o755)
            with open(os.path.join(folder, "output"), "w+", encoding="utf-8") as file:
                process = subprocess.Popen([path, program, library, "none"],
                                           env=dict(os.environ, SHARD_RT_SILENCE="2"),
                                           stdin=subprocess.DEVNULL, stdout=file,
                                           stderr=subprocess.STDOUT)
                try:
                    process.wait(seconds)
                    ended = True
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    ended = False
                file.seek(0)
                output = file.read()
            said = re.search(r"error: mpirun.hangs \(process \d+\) has not ended for 2 seconds after "
                             r"its ranks ended or stopped: it is ended", output)
            hangs = name.startswith("mpirun")
            if ended != hangs or (bool(said) != hangs and (said or can_share_files())):
                problems.append(f"{name}: ended: {ended}; {output}")
    print(f"{'FAIL' if problems else 'ok'} hanging launcher")
    print("".join(f"  {problem}\n" for problem in problems), end="")
    return not problems


def main():
    program, library, *launcher = sys.argv[1:]
    names = list(SCENARIOS)
    if "--" in launcher:
        at = launcher.index("--")
        launcher, names = launcher[:at], launcher[at + 1:]
    # Ranks that go wrong mostly wait.
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        wrong = sum(not ok for ok in pool.map(lambda name: run(program, library, launcher, name), names))
    if names == list(SCENARIOS):
        wrong += not hanging_launcher(program, library)
    print(f"{len(names)} scenarios, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
