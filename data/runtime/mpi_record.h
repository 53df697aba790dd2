/* Layout of the files that mpi_record.c writes and perfcast reads: rank-R.trace (a head, sites, events; mapped shared, so
   that it survives a crash), rank-R.names (one line per site and per communicator). */
#ifndef PERFCAST_MPI_RECORD_H
#define PERFCAST_MPI_RECORD_H
#include <stdint.h>

#define RECORD_MAGIC 0x324450494d465250ull
enum { record_sites = 4096, record_events = 1 << 20, record_requests = 12 };

/* The order of Act in src/record/skeleton.h. */
enum record_act {
  act_compute, act_send, act_ssend, act_isend, act_receive, act_ireceive, act_exchange, act_wait, act_probe, act_barrier,
  act_broadcast, act_reduce, act_allreduce, act_gather, act_scatter, act_allgather, act_alltoall, act_reduce_scatter,
  act_scan, act_one_sided, act_other, act_more_requests
};

enum { record_nobody = -2, record_anybody = -1 };  /* peers; MPI_PROC_NULL, MPI_ANY_SOURCE */
enum { record_nonblocking = 1, record_other_thread = 2 };

struct record_head {
  uint64_t magic;
  int32_t rank, ranks;
  uint64_t events, dropped;      /* written; beyond the table, counted in the sites only */
  double begin, end;             /* wall clock of MPI_Init's end and MPI_Finalize's begin */
  double compute, inside;        /* seconds in all */
  double clock_seconds;          /* what one reading of the clock costs, already taken off */
  int32_t ended, sites, groups, aborted;
  double faults;                 /* page faults from MPI_Init to MPI_Finalize */
  double preemptions;            /* involuntary context switches in that time */
  uint64_t polls;                /* MPI_Test and the like that found nothing */
};
struct record_site {
  double calls, bytes, seconds;
};
struct record_event {
  int32_t act, flags, site, to, from, tag, group, requests;
  int32_t from_tag, unused;         /* MPI_Sendrecv: the tag it receives under */
  double bytes, seconds, inside;
  int32_t request[record_requests]; /* waits: how many requests ago */
};
struct record_file {
  struct record_head head;
  struct record_site site[record_sites];
  struct record_event event[record_events];
};
#endif
