# How the project's libraries are declared.

# One precompiled header of the headers that nearly every file above Resharding includes,
# owned by a dummy library; what is compiled against MLIR reuses it.
set(SHARD_PCH_OWNER ShardPrecompiledHeader)
file(WRITE "${PROJECT_BINARY_DIR}/pch/pch.cpp.in" "// Owns the precompiled header.\n")
configure_file("${PROJECT_BINARY_DIR}/pch/pch.cpp.in" "${PROJECT_BINARY_DIR}/pch/pch.cpp" COPYONLY)
add_library(${SHARD_PCH_OWNER} STATIC "${PROJECT_BINARY_DIR}/pch/pch.cpp")
target_precompile_headers(${SHARD_PCH_OWNER} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch.h")
if(TARGET mlir-headers)
  add_dependencies(${SHARD_PCH_OWNER} mlir-headers)
endif()
# The dialect's own ops are in it too; their target is declared later.
add_dependencies(${SHARD_PCH_OWNER} ShardIRIncGen)
set_target_properties(${SHARD_PCH_OWNER} PROPERTIES POSITION_INDEPENDENT_CODE ON)
llvm_update_compile_flags(${SHARD_PCH_OWNER})

# shard_begin_threads(), shard_end_threads(): the folders added in between are what runs
# programs on threads. SHARD_THREAD_SANITIZER instruments them, and nothing else: Debian's
# libMLIR.so is not instrumented, so that of the compiler only half would be seen.
macro(shard_begin_threads)
  set(SHARD_FLAGS_OUTSIDE "${CMAKE_CXX_FLAGS}")
  if(SHARD_THREAD_SANITIZER)
    string(APPEND CMAKE_CXX_FLAGS " -fsanitize=thread -fno-omit-frame-pointer")
  endif()
endmacro()
macro(shard_end_threads)
  set(CMAKE_CXX_FLAGS "${SHARD_FLAGS_OUTSIDE}")
endmacro()

# shard_reuse_pch(target): compile `target` with the shared precompiled header, or with one
# of its own where the shared one was compiled with other flags.
function(shard_reuse_pch target)
  if(SHARD_THREAD_SANITIZER AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch.h")
    add_dependencies(${target} ShardIRIncGen)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${SHARD_PCH_OWNER})
endfunction()

# shard_add_plain_library(Name sources... LINK_LIBS libs...)
# A library without MLIR or LLVM: standard C++17 only (Geometry, Runtime,
# Resharding).
function(shard_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  shard_seed_faults(ARG_UNPARSED_ARGUMENTS)
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  set_property(GLOBAL APPEND PROPERTY SHARD_LIBS ${name})
endfunction()

# shard_add_object_library(Name sources... LINK_LIBS libs...)
# Objects without MLIR or LLVM that several libraries contain.
function(shard_add_object_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  shard_seed_faults(ARG_UNPARSED_ARGUMENTS)
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
endfunction()

# shard_add_mlir_library(Name sources... DEPENDS targets... LINK_LIBS our libs
#                        MLIR_LIBS libraries of MLIR)
# MLIR's libraries are libMLIR.so or the archives, as MLIR_LINK_MLIR_DYLIB says.
function(shard_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  shard_seed_faults(ARG_UNPARSED_ARGUMENTS)
  # A file may be on disk before its library lists it.
  add_mlir_library(${name} STATIC PARTIAL_SOURCES_INTENDED
    ${ARG_UNPARSED_ARGUMENTS}
    PARTIAL_SOURCES_INTENDED
    DEPENDS ${ARG_DEPENDS}
    DISABLE_INSTALL EXCLUDE_FROM_LIBMLIR)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:include>)
  shard_reuse_pch(${name})
  set_property(GLOBAL APPEND PROPERTY SHARD_LIBS ${name})
endfunction()

# shard_add_tool(name sources... LINK_LIBS our libs... MLIR_LIBS libraries of MLIR)
# A program in build/bin, installed with the project.
function(shard_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS} PARTIAL_SOURCES_INTENDED)
  llvm_update_compile_flags(${name})
  target_compile_definitions(${name} PRIVATE SHARD_VERSION="${shard_VERSION}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  shard_reuse_pch(${name})
  set_property(GLOBAL APPEND PROPERTY SHARD_TOOLS ${name})
endfunction()
