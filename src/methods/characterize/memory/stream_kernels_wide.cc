// Compiled with the flag for 32-byte vectors where the instruction set has one (see CMakeLists.txt).
#define VECTOR_BYTES 32
#define STREAM_NAMESPACE wide
#include "methods/characterize/memory/stream_kernels.inc"
