// Compiled with the flag for 32-byte vectors where the instruction set has one (see CMakeLists.txt); elsewhere never
// called, and as narrow as a register is.
#if defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define STREAM_NAMESPACE wide
#include "methods/characterize/memory/stream_kernels.inc"
