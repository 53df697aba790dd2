#define VECTOR_BYTES 16
#define STREAM_NAMESPACE narrow
#include "methods/characterize/memory/stream_kernels.inc"
