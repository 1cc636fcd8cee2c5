# `cmake --install build --prefix DIR`: the programs, the libraries, the headers
# and a package for find_package(Shard). Inside LLVM's own build nothing of it
# applies: there one links the targets by name.
#
# Installed targets are named without the prefix: ShardIR is Shard::IR.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(shard_libraries GLOBAL PROPERTY SHARD_LIBS)
get_property(shard_tools GLOBAL PROPERTY SHARD_TOOLS)
foreach(library ${shard_libraries})
  string(REGEX REPLACE "^Shard" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()

install(TARGETS ${shard_libraries} EXPORT ShardTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Without the exported targets: they name an MPI of this machine.
get_property(shard_mpi_libraries GLOBAL PROPERTY SHARD_MPI_LIBS)
if(shard_mpi_libraries)
  install(TARGETS ${shard_mpi_libraries} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(shard_tools)
  # Debian's libMLIR.so is in a folder of its own.
  set_target_properties(${shard_tools} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${shard_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/shard-c" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/shard" "${PROJECT_BINARY_DIR}/include/shard"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
    PATTERN "*.h"
    PATTERN "*.td"
    PATTERN "*.inc"
    PATTERN "CMakeFiles" EXCLUDE)

set(shard_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Shard)
install(EXPORT ShardTargets NAMESPACE Shard:: DESTINATION ${shard_package_dir})
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/ShardConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/ShardConfig.cmake"
  INSTALL_DESTINATION ${shard_package_dir})
install(FILES "${PROJECT_BINARY_DIR}/ShardConfig.cmake" DESTINATION ${shard_package_dir})
