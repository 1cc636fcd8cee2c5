#!/usr/bin/env bash
# run.sh BUILD [OPTION...]: the runtime's collectives against MPI's own, on 2 and on 4
# ranks, with every MPI that the build found. OPTIONs go to the program (Bench.cpp).
# PREFIX='chrt -r 1' in the environment starts each rank so, where other programs run too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1; shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${CC:-cc}" -O2 -shared -fPIC "$here/Yield.c" -o "$folder/yield.so" -ldl
for mpi in openmpi mpich; do
  program=$build/bin/shard-mpi-bench-$mpi
  [ -x "$program" ] || continue
  launcher=$(sed -n "s/^SHARD_MPI_${mpi}_LAUNCHER:[A-Z]*=//p" "$build/CMakeCache.txt")
  for ranks in 2 4; do
    echo "== $mpi, $ranks ranks"
    environment=()
    # Ranks of MPICH that wait do not yield (Yield.c).
    if [ "$mpi" = mpich ] && [ "$ranks" -gt "$(nproc)" ]; then
      environment=(env "LD_PRELOAD=$folder/yield.so")
    fi
    # shellcheck disable=SC2086
    "${launcher:-mpirun}" -n "$ranks" "${environment[@]}" ${PREFIX:-} "$program" "$@"
  done
done
