/* How the work of a parallel region falls on its threads, for threads_record.c: what one thread does between two barriers is
   its share of a phase, and a phase is as long as its busiest thread. Of each phase we ask how long it would be with other numbers
   of threads:
   - a loop divided once (static): a thread's iterations lie side by side, and cost what they cost here, each thread's alike;
   - pieces that go to whoever is free (dynamic chunks, tasks): in their order, each to the thread that has least to do;
   - blocks dealt out in turn (static with a size): all alike;
   - neither: what neighbours do is put together; what one does more than the mean (single, masked) is not divided further.
   Short phases are put together until they are long enough for the clock. */
#include <stdlib.h>
#include <string.h>

enum { most_threads = 256, most_pieces = 64, all_phases = 2000, some_phases = 32 };
static const double long_phase = 100e-6; /* seconds of each thread */
static const int team_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,  15,  16,
                                 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 256};
enum { many_team_sizes = sizeof team_sizes / sizeof *team_sizes };

struct phase {
  double all[most_threads], own[most_threads]; /* seconds by thread; own: without pieces */
  double iterations[most_threads];             /* that a static loop gave to it at once */
  double trip, loops;                          /* iterations and loops so far */
  double piece[most_pieces], pieces_in_all;    /* seconds */
  double untimed;                              /* chunks that went to whoever was free, too many to keep: their seconds are in `own` */
  int pieces;
};
struct sharing {
  struct phase now;
  long phases;
  double seconds, busiest;              /* of all threads; of the busiest, phase by phase */
  double with_team[many_team_sizes];    /* how long its phases are with so many threads */
};

static double sum_of(const double *values, int many) {
  double sum = 0;
  for (int i = 0; i < many; i++) sum += values[i];
  return sum;
}
static double most_of(const double *values, int many) {
  double most = 0;
  for (int i = 0; i < many; i++)
    if (values[i] > most) most = values[i];
  return most;
}
/* The first `width` of the line on which each place k is wide[k] and weighs weight[k]. */
static double weight_before(double width, const double *wide, const double *weight, int places) {
  double sum = 0;
  for (int k = 0; k < places && width > 0; k++) {
    if (wide[k] > width) return sum + weight[k] * width / wide[k];
    sum += weight[k], width -= wide[k];
  }
  return sum;
}
static double divided_loop(const struct phase *p, int threads, int team) {
  const double each = p->loops > 0 ? p->trip / p->loops : p->trip; /* iterations of one loop */
  const double whole = (double)(long)(each / team), left = each - whole * team;
  double most = 0, before = 0, end = 0;
  for (int j = 0; j < team; j++) {
    const double more = left - j > 1 ? 1 : left - j > 0 ? left - j : 0;
    end += (whole + more) * p->loops;
    const double weight = weight_before(end, p->iterations, p->all, threads);
    if (weight - before > most) most = weight - before;
    before = weight;
  }
  return most;
}
static double side_by_side(const struct phase *p, int threads, int team) {
  const double mean = sum_of(p->all, threads) / threads;
  if (team >= threads) return mean * threads / team + most_of(p->all, threads) - mean;
  double wide[most_threads], most = 0, before = 0;
  for (int k = 0; k < threads; k++) wide[k] = 1;
  for (int j = 1; j <= team; j++) {
    const double weight = weight_before((double)threads * j / team, wide, p->all, threads);
    if (weight - before > most) most = weight - before;
    before = weight;
  }
  return most;
}
static double whoever_is_free(const struct phase *p, int threads, int team) {
  double load[most_threads] = {0}, left = 0;
  for (int k = 0; k < threads; k++) {
    const double own = p->own[k] > 0 ? p->own[k] : 0;
    if (p->untimed > 0) left += own; /* which thread took them here says nothing of another team */
    else load[k % team] += own;
  }
  for (int i = 0; i < p->pieces; i++) {
    int least = 0;
    for (int k = 1; k < team; k++)
      if (load[k] < load[least]) least = k;
    load[least] += p->piece[i];
  }
  const double most = most_of(load, team), even = (sum_of(p->own, threads) + p->pieces_in_all) / team;
  const double last = p->untimed > 0 ? left / p->untimed * (team - 1) / team : 0; /* others wait for whoever has the last one */
  return most > even + last ? most : even + last;
}
static double dealt_out(const struct phase *p, int threads, int team, double block) {
  const double blocks = p->trip / (p->loops > 0 ? p->loops : 1) / block, rounds = (double)(long)(blocks / team + 0.999999);
  return sum_of(p->all, threads) * (blocks > 0 ? rounds / blocks : 1.0 / team);
}
static double phase_with(const struct phase *p, int threads, int team) {
  if (p->pieces > 0) return whoever_is_free(p, threads, team);
  const double given = sum_of(p->iterations, threads);
  if (given <= 0) return side_by_side(p, threads, team);
  if (given > 0.99 * p->trip) return divided_loop(p, threads, team);
  return dealt_out(p, threads, team, most_of(p->iterations, threads) / (p->loops > 0 ? p->loops : 1));
}
/* All threads have done their shares. */
static void end_phase(struct sharing *s, int threads, int last) {
  struct phase *p = &s->now;
  if (threads > most_threads) threads = most_threads;
  const double all = sum_of(p->all, threads);
  if (threads < 1 || all <= 0 || (!last && all < long_phase * threads)) return;
  const long number = s->phases++;
  if (number < all_phases || number % some_phases == 0) {
    const double weight = number < all_phases ? 1 : some_phases;
    s->seconds += weight * all, s->busiest += weight * most_of(p->all, threads);
    for (int i = 0; i < many_team_sizes; i++) s->with_team[i] += weight * phase_with(p, threads, team_sizes[i]);
  }
  memset(p, 0, sizeof *p);
}
static void add_piece(struct phase *p, int thread, double seconds) {
  if (thread < most_threads) p->own[thread] -= seconds;
  p->pieces_in_all += seconds;
  if (p->pieces < most_pieces) p->piece[p->pieces++] = seconds;
}
