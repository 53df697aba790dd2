# Builds for x86_64 on another machine: scripts/cross-check makes the sysroot and calls this.
set(PERFCAST_CROSS x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
