#!/usr/bin/env bash
# run.sh BUILD [--quick]: the runtime's collectives against MPI's own, on 2 and on 4
# ranks, with every MPI that the build found.
set -eu
build=$1; shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
for mpi in openmpi mpich; do
  program=$build/bin/shard-mpi-bench-$mpi
  [ -x "$program" ] || continue
  launcher=$(sed -n "s/^SHARD_MPI_${mpi}_LAUNCHER:[A-Z]*=//p" "$build/CMakeCache.txt")
  for ranks in 2 4; do
    echo "== $mpi, $ranks ranks"
    "${launcher:-mpirun}" -n "$ranks" "$program" "$@"
  done
done
