# One target per room; warnings and the include folder come from one interface target.
add_library(perfcast_warnings INTERFACE)
target_compile_options(perfcast_warnings INTERFACE -Wall -Wextra -Wpedantic)
# The same bytes of an answer on every instruction set: multiplications and additions are not fused where the source does
# not say so. The baseline of x86-64 has nothing to fuse with.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(perfcast_warnings INTERFACE -ffp-contract=off)
  # g++ for AArch64 notes for every pair of long doubles in Boost that it passes them as C++14 did.
  target_compile_options(perfcast_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
endif()
# Nor are sums taken apart by the width of the vectors here, and Eigen's own kernels fuse on AArch64 whatever the compiler was told.
# (Boost's quantiles are left to compute in long double: that is another type on each, but rounds to the same double.)
target_compile_definitions(perfcast_warnings INTERFACE EIGEN_DONT_VECTORIZE)
target_include_directories(perfcast_warnings INTERFACE ${CMAKE_SOURCE_DIR}/src)

# What tests need. They are compiled without optimisation, in half the time; what they test is optimised.
add_library(perfcast_testing INTERFACE)
target_link_libraries(perfcast_testing INTERFACE perfcast_warnings GTest::gtest_main)
target_compile_options(perfcast_testing INTERFACE $<$<CONFIG:Release>:-O0>)

# perfcast_room(name SOURCES ... LINKS ... TESTS ...): library perfcast_<name>; its tests join perfcast_<name>_test.
function(perfcast_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;TESTS" ${ARGN})
  add_library(perfcast_${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(perfcast_${name} PUBLIC ${ROOM_LINKS} PRIVATE perfcast_warnings)
  target_include_directories(perfcast_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  if(PERFCAST_TESTS AND ROOM_TESTS)
    add_executable(perfcast_${name}_test ${ROOM_TESTS})
    target_link_libraries(perfcast_${name}_test PRIVATE perfcast_${name} perfcast_testing)
    target_compile_definitions(perfcast_${name}_test PRIVATE PERFCAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND perfcast_${name}_test)
  endif()
endfunction()

# What is linked or loaded into other people's programs, made beforehand from data/runtime, since compiling it takes longer than
# many a program runs. Where it is missing or older than its source it is compiled on use (src/base/preload.h).
#
# perfcast_runtime_library(room name FLAGS...): libperfcast_<name>.so.
function(perfcast_runtime_library room name)
  add_library(perfcast_${name}_runtime MODULE ${CMAKE_SOURCE_DIR}/data/runtime/${name}.c)
  set_target_properties(perfcast_${name}_runtime PROPERTIES
    OUTPUT_NAME perfcast_${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} C_STANDARD 11 C_EXTENSIONS ON)
  target_compile_options(perfcast_${name}_runtime PRIVATE -O2 -Wall -Wextra ${ARGN})
  target_link_libraries(perfcast_${name}_runtime PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(perfcast_${room} perfcast_${name}_runtime)
  install(TARGETS perfcast_${name}_runtime DESTINATION lib/perfcast)
  set_property(GLOBAL APPEND PROPERTY PERFCAST_RUNTIMES perfcast_${name}_runtime)
endfunction()

# perfcast_runtime_object(room name FLAGS...): perfcast_<name>.o, by the compiler that compiles the programs it is linked into.
function(perfcast_runtime_object room name)
  set(source ${CMAKE_SOURCE_DIR}/data/runtime/${name}.c)
  set(object ${CMAKE_BINARY_DIR}/perfcast_${name}.o)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/runtime/*.h)
  add_custom_command(OUTPUT ${object} COMMAND ${LLVM_TOOLS_BINARY_DIR}/clang ${ARGN} -c ${source} -o ${object}
                     DEPENDS ${source} ${headers} COMMENT "Run-time object ${name}" VERBATIM)
  add_custom_target(perfcast_${name}_runtime DEPENDS ${object})
  add_dependencies(perfcast_${room} perfcast_${name}_runtime)
  install(FILES ${object} DESTINATION lib/perfcast)
  set_property(GLOBAL APPEND PROPERTY PERFCAST_RUNTIMES perfcast_${name}_runtime)
endfunction()
