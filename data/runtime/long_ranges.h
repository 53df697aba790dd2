/* Long pieces of memory that are copied or set at once, for memory_profile.c: a few calls of memcpy may be most of what a
   program does, and no burst meets them. They are followed from the first to the last, as intervals of lines, the latest first. A
   line is reused at the distance of all that lies in front of its interval, and the interval itself. What the program's own code
   touches in between is not seen here, so where a burst met the same call, that is believed. */
enum { long_range = 1024, most_ranges = 64 }; /* lines */
struct interval { uint64_t from, to; };
static struct interval latest[most_ranges];
static int ranges_kept, ranges_busy;

static void keep_interval(struct interval *kept, int *many, uint64_t from, uint64_t to) {
  if (from < to && *many < most_ranges) kept[*many].from = from, kept[(*many)++].to = to;
}
static void follow_long_range(struct perfcast_access_data *a, uint64_t from, uint64_t to) {
  if (__atomic_exchange_n(&ranges_busy, 1, __ATOMIC_ACQUIRE)) return; /* another thread's */
  struct interval kept[most_ranges];
  int many = 0;
  uint64_t in_front = 0, fresh = to - from;
  keep_interval(kept, &many, from, to);
  for (int i = 0; i < ranges_kept; i++) {
    const struct interval old = latest[i];
    const uint64_t first = from > old.from ? from : old.from, last = to < old.to ? to : old.to;
    in_front += old.to - old.from;
    if (first >= last) {
      keep_interval(kept, &many, old.from, old.to);
      continue;
    }
    a->long_seen[bin_of((double)in_front, perfcast_line_bins)] += (float)(last - first), fresh -= last - first;
    keep_interval(kept, &many, old.from, first), keep_interval(kept, &many, last, old.to);
  }
  a->long_fresh += (float)fresh;
  if ((double)in_front > a->long_farthest) a->long_farthest = (float)in_front;
  memcpy(latest, kept, sizeof kept), ranges_kept = many;
  __atomic_store_n(&ranges_busy, 0, __ATOMIC_RELEASE);
}
