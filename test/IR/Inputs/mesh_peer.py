"""Prints a program of the mesh dialect as LLVM 19's mlir-opt does; where that is
not installed (Debian: mlir-19-tools), as it stands."""

import os
import shutil
import subprocess
import sys

peer = shutil.which("mlir-opt-19") or "/usr/lib/llvm-19/bin/mlir-opt"
if os.access(peer, os.X_OK):
    sys.exit(subprocess.run([peer, sys.argv[1]]).returncode)
with open(sys.argv[1]) as program:
    sys.stdout.write(program.read())
