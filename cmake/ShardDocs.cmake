# Pages written from TableGen descriptions. They are kept in the repository,
# docs/generated, so that they can be read there; the target `shard-doc` writes
# them anew and test/Docs checks that they are current.

# shard_add_doc(page definitions generator [arguments of mlir-tblgen...])
# `definitions` is a .td below include/shard. The page is made in the build, at
# docs/generated/<page>.md.
function(shard_add_doc page definitions generator)
  set(LLVM_TARGET_DEFINITIONS "${PROJECT_SOURCE_DIR}/include/shard/${definitions}")
  tablegen(MLIR generated/${page}.md ${generator} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY SHARD_DOC_PAGES
    "${CMAKE_CURRENT_BINARY_DIR}/generated/${page}.md")
endfunction()

# shard_finish_docs(): declares the targets, behind the last shard_add_doc.
function(shard_finish_docs)
  get_property(pages GLOBAL PROPERTY SHARD_DOC_PAGES)
  add_custom_target(shard-doc-pages ALL DEPENDS ${pages})
  add_custom_target(shard-doc
    COMMAND "${CMAKE_COMMAND}" -E copy ${pages} "${PROJECT_SOURCE_DIR}/docs/generated"
    COMMENT "Writing docs/generated"
    DEPENDS ${pages})
endfunction()
