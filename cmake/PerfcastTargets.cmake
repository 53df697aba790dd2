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
