# What is installed beside the program, and the Debian package. The program finds its data relative to itself
# (src/base/paths.cc), so that a tree can be installed anywhere or moved.
set(pages ${CMAKE_BINARY_DIR}/pages)
# A build with the address sanitizer knows which leaks are not ours.
set(run ${CMAKE_COMMAND} -E env LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/leaks.supp:print_suppressions=0 LLVM_PROFILE_FILE=/dev/null $<TARGET_FILE:perfcast>)
add_custom_command(OUTPUT ${pages}/perfcast.1 ${pages}/perfcast.bash ${pages}/_perfcast
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
  COMMAND ${run} help --man > ${pages}/perfcast.1
  COMMAND ${run} completion bash > ${pages}/perfcast.bash
  COMMAND ${run} completion zsh > ${pages}/_perfcast
  DEPENDS perfcast COMMENT "Man page and shell completion" VERBATIM)
add_custom_target(perfcast_pages ALL DEPENDS ${pages}/perfcast.1)

install(DIRECTORY data/ DESTINATION share/perfcast)
install(DIRECTORY docs DESTINATION share/perfcast)
install(DIRECTORY examples DESTINATION share/doc/perfcast)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/perfcast)
install(FILES LICENSE DESTINATION share/doc/perfcast RENAME copyright)
install(FILES ${pages}/perfcast.1 DESTINATION share/man/man1)
install(FILES ${pages}/perfcast.bash DESTINATION share/bash-completion/completions RENAME perfcast)
install(FILES ${pages}/_perfcast DESTINATION share/zsh/vendor-completions)

# What is installed; tests and benchmarks need not be built for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
get_property(runtimes GLOBAL PROPERTY PERFCAST_RUNTIMES)
add_custom_target(perfcast_installed DEPENDS perfcast perfcast_pages ${runtimes})
if(TARGET perfcast-simgrid)
  add_dependencies(perfcast_installed perfcast-simgrid)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perfcast)
set(CPACK_PACKAGE_VENDOR "perfcast developers")
set(CPACK_PACKAGE_CONTACT "perfcast developers <perfcast@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(PERFCAST_LLVM)
  # Programs are compiled by the compilers perfcast was built with; others are used where they are there.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-19, llvm-19, lld-19, libclang-rt-19-dev, libc6-dev")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "flang-19, g++, gfortran, qemu-user, openmpi-bin")
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc, libc6-dev")
endif()
include(CPack)
