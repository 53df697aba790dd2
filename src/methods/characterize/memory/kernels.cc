#include "methods/characterize/memory/kernels.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace perfcast::characterize {

#define STREAM_KERNELS                                   \
  void read_streams(char*, std::size_t, int);            \
  void write_streams(char*, std::size_t, int);           \
  void copy_streams(char*, std::size_t, int);            \
  void update_lines(char*, std::size_t);
namespace narrow { STREAM_KERNELS }
namespace wide { STREAM_KERNELS }
#undef STREAM_KERNELS

namespace {

bool has_wide_vectors() {
#if defined(__x86_64__)
  static const bool yes = __builtin_cpu_supports("avx2");
  return yes;
#else
  return false;
#endif
}

constexpr std::size_t huge_page = std::size_t{2} << 20;

// Four independent linear congruential generators, so that making addresses is never the limit. They go on where the
// last call ended: a slice must not find the lines that the one before it has brought.
struct Addresses {
  std::uint64_t state[4] = {1, 12345, 987654321, 5555555555};
  std::uint64_t next(int i, std::uint64_t lines) {
    state[i] = state[i] * 6364136223846793005ull + 1442695040888963407ull;
    return ((state[i] >> 32) * lines) >> 32;
  }
} addresses;

}  // namespace

Buffer::Buffer(std::size_t bytes, bool huge_pages) {
  bytes_ = bytes;
  mapped_bytes_ = (bytes + 2 * huge_page - 1) / huge_page * huge_page + huge_page;
  mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped_ == MAP_FAILED) {
    mapped_ = nullptr;
    return;
  }
  const auto beyond = reinterpret_cast<std::uintptr_t>(mapped_) % huge_page;
  begin_ = static_cast<char*>(mapped_) + (beyond ? huge_page - beyond : 0);
  if (huge_pages) ::madvise(begin_, bytes, MADV_HUGEPAGE);
  std::memset(begin_, 1, bytes);
}

Buffer::~Buffer() {
  if (mapped_) ::munmap(mapped_, mapped_bytes_);
}

char* make_ring(char* begin, std::size_t count, std::size_t step, bool spread) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(20240607);
  std::shuffle(order.begin(), order.end(), random);
  auto cell = [&](std::size_t i) { return begin + order[i] * step + (spread ? (order[i] * 37 * line) & 4032 : 0); };
  for (std::size_t i = 0; i < count; i++) *reinterpret_cast<char**>(cell(i)) = cell(i + 1 < count ? i + 1 : 0);
  return cell(0);
}

char* chase(char* cell, long steps) {
  for (long i = 0; i < steps; i++) {
    cell = *reinterpret_cast<char* volatile*>(cell);
    asm volatile("" : "+r"(cell));
  }
  return cell;
}

template <int chains>
static void chase_side_by_side(char** cells, long steps) {
  char* at[chains];
  for (int c = 0; c < chains; c++) at[c] = cells[c];
  for (long i = 0; i < steps; i++)
#pragma GCC unroll 24
    for (int c = 0; c < chains; c++) at[c] = *reinterpret_cast<char* volatile*>(at[c]);
  for (int c = 0; c < chains; c++) cells[c] = at[c];
}

void chase_many(char** cells, int chains, long steps) {
  switch (chains) {
    case 2: return chase_side_by_side<2>(cells, steps);
    case 4: return chase_side_by_side<4>(cells, steps);
    case 8: return chase_side_by_side<8>(cells, steps);
    case 12: return chase_side_by_side<12>(cells, steps);
    case 16: return chase_side_by_side<16>(cells, steps);
    case 24: return chase_side_by_side<24>(cells, steps);
    default: return chase_side_by_side<1>(cells, steps);
  }
}

bool flush_lines([[maybe_unused]] char* begin, [[maybe_unused]] std::size_t bytes) {
  [[maybe_unused]] constexpr std::size_t line = 64;
#if defined(__x86_64__)
  for (std::size_t at = 0; at < bytes; at += line) asm volatile("clflush %0" : "+m"(begin[at]));
  asm volatile("mfence" : : : "memory");
  return true;
#elif defined(__aarch64__)
  for (std::size_t at = 0; at < bytes; at += line) asm volatile("dc civac, %0" : : "r"(begin + at) : "memory");
  asm volatile("dsb ish" : : : "memory");
  return true;
#else
  return false;
#endif
}

void read_streams(char* begin, std::size_t bytes, int streams) {
  has_wide_vectors() ? wide::read_streams(begin, bytes, streams) : narrow::read_streams(begin, bytes, streams);
}
void write_streams(char* begin, std::size_t bytes, int streams) {
  has_wide_vectors() ? wide::write_streams(begin, bytes, streams) : narrow::write_streams(begin, bytes, streams);
}
void copy_streams(char* begin, std::size_t bytes, int streams) {
  has_wide_vectors() ? wide::copy_streams(begin, bytes, streams) : narrow::copy_streams(begin, bytes, streams);
}
void update_lines(char* begin, std::size_t bytes) {
  has_wide_vectors() ? wide::update_lines(begin, bytes) : narrow::update_lines(begin, bytes);
}

void write_partly(char* begin, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line) *reinterpret_cast<volatile long*>(begin + at) = 7;
}

// One walk with a stride touches every stride/64-th line; the next starts one line further on, so that all lines of
// the buffer are used before one is touched again.
template <class Touch>
static std::size_t walk_strided(char* begin, std::size_t bytes, std::size_t stride, long count, std::size_t at, Touch touch) {
  for (long done = 0; done < count;) {
    if (at >= bytes) at = (at % stride + line) % stride;
    for (; at < bytes && done < count; at += stride, done++) touch(begin + at);
  }
  return at;
}
std::size_t read_strided(char* begin, std::size_t bytes, std::size_t stride, long count, std::size_t at) {
  return walk_strided(begin, bytes, stride, count, at, [](char* p) {
    long value = *reinterpret_cast<volatile long*>(p);
    asm volatile("" : "+r"(value));
  });
}
std::size_t write_strided(char* begin, std::size_t bytes, std::size_t stride, long count, std::size_t at) {
  return walk_strided(begin, bytes, stride, count, at, [](char* p) { *reinterpret_cast<volatile long*>(p) = 7; });
}

void read_random(char* begin, std::size_t lines, long count) {
  Addresses here = addresses;
  for (long i = 0; i < count; i += 4)
    for (int k = 0; k < 4; k++) {
      long value = *reinterpret_cast<volatile long*>(begin + here.next(k, lines) * line);
      asm volatile("" : "+r"(value));
    }
  addresses = here;
}
void update_random(char* begin, std::size_t lines, long count) {
  Addresses here = addresses;
  for (long i = 0; i < count; i += 4)
    for (int k = 0; k < 4; k++) {
      auto* at = reinterpret_cast<volatile long*>(begin + here.next(k, lines) * line);
      *at = *at + 1;
    }
  addresses = here;
}

template <int others>
static void write_between(char* begin, std::size_t lines, long count) {
  alignas(line) volatile long near[4 * line / sizeof(long)];
  Addresses here = addresses;
  for (long i = 0; i < count; i++) {
    *reinterpret_cast<volatile long*>(begin + here.next(static_cast<int>(i & 3), lines) * line) = i;
#pragma GCC unroll 16
    for (int k = 0; k < others; k++) near[k * 9 % 32] = i;
  }
  addresses = here;
}
void write_random(char* begin, std::size_t lines, long count, int stores) {
  switch (stores) {
    case 1: return write_between<0>(begin, lines, count);
    case 2: return write_between<1>(begin, lines, count);
    case 4: return write_between<3>(begin, lines, count);
    case 8: return write_between<7>(begin, lines, count);
    default: return write_between<15>(begin, lines, count);
  }
}

// Filler between two misses: instructions that each write a register of their kind, in repeats of four.
#if defined(__x86_64__)
#define FILL_INTEGER(n) asm volatile(".rept " #n "\n lea (%%rsi,%%rdi),%%r8\n lea (%%rsi,%%rdi),%%r9\n lea (%%rsi,%%rdi),%%r10\n lea (%%rsi,%%rdi),%%r11\n .endr" ::: "r8", "r9", "r10", "r11")
#define FILL_FLOATING(n) asm volatile(".rept " #n "\n unpcklpd %%xmm9,%%xmm8\n unpcklpd %%xmm9,%%xmm10\n unpcklpd %%xmm9,%%xmm11\n unpcklpd %%xmm9,%%xmm12\n .endr" ::: "xmm8", "xmm10", "xmm11", "xmm12")
#elif defined(__aarch64__)
#define FILL_INTEGER(n) asm volatile(".rept " #n "\n add x9,x0,x1\n add x10,x0,x1\n add x11,x0,x1\n add x12,x0,x1\n .endr" ::: "x9", "x10", "x11", "x12")
#define FILL_FLOATING(n) asm volatile(".rept " #n "\n fadd v16.2d,v20.2d,v21.2d\n fadd v17.2d,v20.2d,v21.2d\n fadd v18.2d,v20.2d,v21.2d\n fadd v19.2d,v20.2d,v21.2d\n .endr" ::: "v16", "v17", "v18", "v19")
#else
#define FILL_INTEGER(n) asm volatile("")
#define FILL_FLOATING(n) asm volatile("")
#endif

const int filler_instructions[fillers] = {0, 16, 32, 64, 128, 256, 512};

template <class Fill>
static void read_between(char* begin, std::size_t lines, long count, Fill fill) {
  Addresses here = addresses;
  for (long i = 0; i < count; i++) {
    long value = *reinterpret_cast<volatile long*>(begin + here.next(0, lines) * line);
    asm volatile("" : "+r"(value));
    fill();
  }
  addresses = here;
}

void read_random_filled(char* begin, std::size_t lines, long count, int filler, bool floating) {
#define FILLED(n)                                                                                     \
  return floating ? read_between(begin, lines, count, [] { FILL_FLOATING(n); }) \
                  : read_between(begin, lines, count, [] { FILL_INTEGER(n); })
  switch (filler) {
    case 0: return read_between(begin, lines, count, [] {});
    case 1: FILLED(4);
    case 2: FILLED(8);
    case 3: FILLED(16);
    case 4: FILLED(32);
    case 5: FILLED(64);
    default: FILLED(128);
  }
#undef FILLED
}

void read_pages(char* begin, const std::uint32_t* pages, long count) {
  for (long i = 0; i < count; i++) {
    long value = *reinterpret_cast<volatile long*>(begin + pages[i] * std::size_t{4096} + ((pages[i] * 37u * line) & 4032));
    asm volatile("" : "+r"(value));
  }
}

}  // namespace perfcast::characterize
