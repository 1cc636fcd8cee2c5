# Finds the MPI implementations of this machine. Each is optional, and there may
# be several: every one gets a runtime library of its own.
#
# SHARD_MPIS is the list of those found, `openmpi` and `mpich`; for each NAME
#   SHARD_MPI_<NAME>_COMPILER  its compiler wrapper for C
#   SHARD_MPI_<NAME>_LAUNCHER  its mpirun
#   Shard_MPI_<NAME>           a target to link
#
# A wrapper without a suffix belongs to the implementation that its header names.
# Cache variables SHARD_MPI_<NAME>_COMPILER and _LAUNCHER override the search.

option(SHARD_MPI "Build the MPI runtime libraries where an MPI is found" ON)
set(SHARD_MPIS "")

# shard_mpi_target(NAME): makes the target of an implementation from what its
# wrapper says that it would run.
function(shard_mpi_target name)
  execute_process(COMMAND "${SHARD_MPI_${name}_COMPILER}" -show
    OUTPUT_VARIABLE shown ERROR_QUIET RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  add_library(Shard_MPI_${name} INTERFACE IMPORTED GLOBAL)
  set(next "")
  foreach(word IN LISTS words)
    if(next STREQUAL "include")
      target_include_directories(Shard_MPI_${name} SYSTEM INTERFACE "${word}")
      set(next "")
    elseif(word STREQUAL "-I" OR word STREQUAL "-isystem")
      set(next "include")
    elseif(word MATCHES "^-I(.+)")
      target_include_directories(Shard_MPI_${name} SYSTEM INTERFACE "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-(L|l|Wl,|pthread)")
      target_link_libraries(Shard_MPI_${name} INTERFACE "${word}")
    endif()
  endforeach()
endfunction()

# shard_mpi_of(wrapper result): `openmpi` or `mpich` (and what has its ABI).
function(shard_mpi_of wrapper result)
  set(${result} "" PARENT_SCOPE)
  file(WRITE "${PROJECT_BINARY_DIR}/CMakeFiles/shard-mpi.c" "#include <mpi.h>
#ifdef OPEN_MPI
shard_mpi_openmpi
#elif defined(MPICH_VERSION) || defined(MPICH_NAME)
shard_mpi_mpich
#endif
")
  execute_process(COMMAND "${wrapper}" -E "${PROJECT_BINARY_DIR}/CMakeFiles/shard-mpi.c"
    OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "shard_mpi_(openmpi|mpich)")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

if(SHARD_MPI)
  find_program(SHARD_MPI_openmpi_COMPILER NAMES mpicc.openmpi)
  find_program(SHARD_MPI_mpich_COMPILER NAMES mpicc.mpich)
  find_program(SHARD_MPI_openmpi_LAUNCHER NAMES mpirun.openmpi)
  find_program(SHARD_MPI_mpich_LAUNCHER NAMES mpirun.mpich mpiexec.hydra)
  find_program(SHARD_MPI_PLAIN_COMPILER NAMES mpicc)
  find_program(SHARD_MPI_PLAIN_LAUNCHER NAMES mpirun mpiexec)
  mark_as_advanced(SHARD_MPI_PLAIN_COMPILER SHARD_MPI_PLAIN_LAUNCHER)
  if(SHARD_MPI_PLAIN_COMPILER)
    shard_mpi_of("${SHARD_MPI_PLAIN_COMPILER}" shard_mpi_plain)
    if(shard_mpi_plain AND NOT SHARD_MPI_${shard_mpi_plain}_COMPILER)
      set(SHARD_MPI_${shard_mpi_plain}_COMPILER "${SHARD_MPI_PLAIN_COMPILER}")
      if(NOT SHARD_MPI_${shard_mpi_plain}_LAUNCHER)
        set(SHARD_MPI_${shard_mpi_plain}_LAUNCHER "${SHARD_MPI_PLAIN_LAUNCHER}")
      endif()
    endif()
  endif()
  foreach(name openmpi mpich)
    if(SHARD_MPI_${name}_COMPILER)
      shard_mpi_target(${name})
    endif()
    if(TARGET Shard_MPI_${name})
      list(APPEND SHARD_MPIS ${name})
      message(STATUS "MPI runtime library for ${name}: ${SHARD_MPI_${name}_COMPILER}")
    endif()
  endforeach()
endif()
