// The loops that touch memory: each runs once over its buffer and returns nothing; the caller times it. They are
// written so that the compiler can neither drop nor reorder the accesses, in the widest vectors the core has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace perfcast::characterize {

constexpr std::size_t line = 64;

// Memory of our own, touched once, on the pages that programs get, or on huge ones.
class Buffer {
 public:
  Buffer(std::size_t bytes, bool huge_pages);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  char* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }
  bool valid() const { return begin_ != nullptr; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0, bytes_ = 0;
  char* begin_ = nullptr;
};

// Links `count` cells, `step` bytes apart, into one ring in random order; `spread` moves each cell within its page so
// that cells of different pages do not meet in one cache set. Returns a cell.
char* make_ring(char* begin, std::size_t count, std::size_t step, bool spread);
// Follows the ring; returns where it ended.
char* chase(char* cell, long steps);
// Follows `chains` rings side by side (at most 24); `cells` is advanced.
void chase_many(char** cells, int chains, long steps);

// Sequential passes over `bytes`, split into `streams` parts walked side by side; lines touched: bytes / 64.
void read_streams(char* begin, std::size_t bytes, int streams);
void write_streams(char* begin, std::size_t bytes, int streams);
void copy_streams(char* begin, std::size_t bytes, int streams);  // first half to second half
void update_lines(char* begin, std::size_t bytes);
void write_partly(char* begin, std::size_t bytes);

// `count` loads or stores `stride` bytes apart from `at` on, wrapping at the end of the buffer one line further on.
// Returns where the next one goes on.
std::size_t read_strided(char* begin, std::size_t bytes, std::size_t stride, long count, std::size_t at);
std::size_t write_strided(char* begin, std::size_t bytes, std::size_t stride, long count, std::size_t at);

// Independent accesses to random lines.
void read_random(char* begin, std::size_t lines, long count);
void update_random(char* begin, std::size_t lines, long count);
// Stores to random lines, one of `stores`; the others go to a few lines that stay in the first cache.
void write_random(char* begin, std::size_t lines, long count, int stores);
// The same with a number of filler instructions between two of them, 0 <= filler < fillers.
constexpr int fillers = 7;
extern const int filler_instructions[fillers];
void read_random_filled(char* begin, std::size_t lines, long count, int filler, bool floating);

// Out of all caches, to memory; false where programs may not.
bool flush_lines(char* begin, std::size_t bytes);

// One load per page, pages in random order given by an index list.
void read_pages(char* begin, const std::uint32_t* pages, long count);

}  // namespace perfcast::characterize
