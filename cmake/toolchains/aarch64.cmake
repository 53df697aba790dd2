# Builds for aarch64 on another machine: scripts/cross-check makes the sysroot and calls this.
set(PERFCAST_CROSS aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
