// What the memory profile's run-time library and its reader share: the layout of the file both map. Plain C.
#ifndef PERFCAST_MEMORY_PROFILE_H
#define PERFCAST_MEMORY_PROFILE_H

#include <stdint.h>

enum {
  perfcast_memory_magic = 0x50434d38,  // "PCM8"
  perfcast_line_bins = 96,             // four per octave of reuse distance in lines
  perfcast_page_bins = 80,             // four per octave of reuse distance in pages
  perfcast_strata = 3,                 // by sampling: every page; one in up to 16; one in more
  perfcast_far_lines = 2048,           // lines touched since: far beyond what a prefetcher minds
  perfcast_stores_back = 48,           // a load that reads what one of so many last stores wrote may have to wait for it
};

// Weights of reuses seen (`seen`) and of touches whose previous one lies before the burst (`censored`).
struct perfcast_line_bin { float seen[perfcast_strata], censored[perfcast_strata]; };

struct perfcast_access_data {
  struct perfcast_line_bin lines[perfcast_line_bins], pages[perfcast_page_bins];
  float near_seen[perfcast_line_bins], all_seen[perfcast_line_bins];  // with a neighbour touched shortly before; all
  float near_censored, all_censored;
  float near_exact, all_exact;       // of touches of lines that many others were touched since (perfcast_far_lines), while every page was followed
  uint64_t exact_touches;            // their number
  float settled, unsettled;          // of such touches with a neighbour: in a stream long enough that what fetches ahead keeps up with who
                                     // waits for each line, or not
  struct perfcast_line_bin dirtied[perfcast_line_bins];  // stores: farthest reuse of the line since the last store to it
  uint64_t touches;                  // in bursts, of pages that are followed
  uint64_t last_address;
  int64_t last_step, common_step;    // bytes from one execution to the next; of those that came twice the most frequent
  uint64_t common_votes;             // ... by Boyer and Moore's count
  uint64_t steps, repeated_steps;    // of all; equal to the one before
  uint64_t range_lines, range_calls; // of memory-copying intrinsics, in bursts and between them
  float long_seen[perfcast_line_bins], long_fresh, long_farthest;  // lines of long ranges (long_ranges.h): reuses; the others; lines known then
  float met[perfcast_stores_back];   // loads: weight of those that read what the last store wrote, the one before, ...
  float not_met;                     // ... and of the others, while every page is followed
  float aliased[perfcast_stores_back];  // ... of those where such a store went to the same place of another page, and none since to this one; a load may have several
};

// The number of an access, with whether it is a store and how wide it is.
enum { perfcast_is_store = (int)0x80000000, perfcast_width_shift = 28, perfcast_access_number = 0x0fffffff };
static inline int perfcast_bytes_of(uint32_t id) { return 1 << (id >> perfcast_width_shift & 7); }  // 1, 2, 4 .. 64
static inline uint32_t perfcast_width_of(int bytes) {
  uint32_t width = 0;
  while (width < 6 && 1 << width < bytes) width++;
  return width << perfcast_width_shift;
}

struct perfcast_branch_data { double executed, taken, mispredicted, mispredicted_small, mispredicted_path; };  // weighted as the touches are

struct perfcast_memory_header {
  uint32_t magic, accesses, branches, page_bytes;
  uint64_t short_bursts, long_bursts;
  uint64_t burst_ns, total_ns, deepest_lines;  // time in bursts; of the run; most distinct lines one burst saw
};

// Which pages are followed: those whose hash is low. Of the pages of a block it takes every so many, evenly, and of each block others:
// the streams of a stencil lie at equal distances, and would else be followed together or not at all. `place`: of a page. Code that is
// watched computes the same before it calls (report_access).
enum { perfcast_block_bits = 8, perfcast_block_fold = 23, perfcast_hash_shift = 40 };
static const uint64_t perfcast_page_factor = 0x9E3779B97F4A7C15ull, perfcast_block_factor = 0xD6E8FEB86659FD93ull;
static inline uint64_t perfcast_place_hash(uint64_t place) {
  const uint64_t block = (place >> perfcast_block_bits) * perfcast_block_factor;
  return (place * perfcast_page_factor + (block ^ block << perfcast_block_fold)) >> perfcast_hash_shift;
}

#endif
