# Builds with SHARD_SEEDED_FAULTS=ON compile copies of some sources: those that
# test/faults/seed.py writes with the faults of test/faults (docs/SeededFaults.md).

if(SHARD_SEEDED_FAULTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(SHARD_FAULTS_DIR "${PROJECT_SOURCE_DIR}/test/faults")
  set(SHARD_FAULTS_SCRIPT "${SHARD_FAULTS_DIR}/seed.py")
  file(GLOB SHARD_FAULTS CONFIGURE_DEPENDS "${SHARD_FAULTS_DIR}/*.fault")
  # Which sources have faults is known when the build is configured.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${SHARD_FAULTS_SCRIPT}" ${SHARD_FAULTS})
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${SHARD_FAULTS_SCRIPT}" files
    OUTPUT_VARIABLE SHARD_FAULTY_SOURCES
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" SHARD_FAULTY_SOURCES "${SHARD_FAULTY_SOURCES}")
endif()

# shard_seed_faults(variable): replaces the sources in the list `variable` that
# have faults by their copies with faults.
function(shard_seed_faults variable)
  set(result)
  foreach(source ${${variable}})
    get_filename_component(path "${source}" ABSOLUTE)
    if(SHARD_SEEDED_FAULTS AND path IN_LIST SHARD_FAULTY_SOURCES)
      set(copy "${CMAKE_CURRENT_BINARY_DIR}/faults/${source}")
      add_custom_command(OUTPUT "${copy}"
        COMMAND "${Python3_EXECUTABLE}" "${SHARD_FAULTS_SCRIPT}" overlay "${path}" "${copy}"
        DEPENDS "${path}" "${SHARD_FAULTS_SCRIPT}" ${SHARD_FAULTS}
        COMMENT "Seeding faults into ${source}")
      # What the source includes from its own folder.
      get_filename_component(folder "${path}" DIRECTORY)
      set_source_files_properties("${copy}" PROPERTIES INCLUDE_DIRECTORIES
        "${folder};${SHARD_FAULTS_DIR}")
      set_property(GLOBAL APPEND PROPERTY SHARD_SEEDED_SOURCES "${path}")
      set(source "${copy}")
    endif()
    list(APPEND result "${source}")
  endforeach()
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()

# shard_check_faults(): an error if a source with faults is in no library. To be
# called behind the last library.
function(shard_check_faults)
  get_property(seeded GLOBAL PROPERTY SHARD_SEEDED_SOURCES)
  foreach(source ${SHARD_FAULTY_SOURCES})
    if(NOT source IN_LIST seeded)
      message(FATAL_ERROR "${source} has faults, but no function of "
        "cmake/ShardLibraries.cmake compiles it")
    endif()
  endforeach()
endfunction()

# shard_list_faults(target): the faults of this build for the target's sources, as
# SeededFaults.inc.
function(shard_list_faults target)
  if(SHARD_SEEDED_FAULTS)
    set(list "${CMAKE_CURRENT_BINARY_DIR}/SeededFaults.inc")
    add_custom_command(OUTPUT "${list}"
      COMMAND "${Python3_EXECUTABLE}" "${SHARD_FAULTS_SCRIPT}" table "${list}"
      DEPENDS "${SHARD_FAULTS_SCRIPT}" ${SHARD_FAULTS})
    target_sources(${target} PRIVATE "${list}")
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
    target_compile_definitions(${target} PRIVATE SHARD_SEEDED_FAULTS)
  endif()
endfunction()
