// Two stages of a compressor and their inverses. All return the number of bytes written.
#ifndef PERFCAST_VALIDATION_COMPRESS_H
#define PERFCAST_VALIDATION_COMPRESS_H

#include <stddef.h>

// Lempel-Ziv 1977: (0, literal) or (length - 2, distance low, distance high). `out` must hold 2 n.
size_t lz_pack(const unsigned char* in, size_t n, unsigned char* out);
size_t lz_unpack(const unsigned char* in, size_t n, unsigned char* out);

// Huffman 1952: 256 code lengths, then the bits. `count` is the number of bytes to decode.
size_t huffman_pack(const unsigned char* in, size_t n, unsigned char* out);
size_t huffman_unpack(const unsigned char* in, unsigned char* out, size_t count);

#endif
