/* Addresses a region of a program loads and stores, in order, a file per thread: NAME.0, NAME.1, ... where PERFCAST_TRACE
   is NAME. A file is a head of 32 bytes (the letters PFTRACE1, then 32-bit version, record size, thread, unused, and the
   64-bit limit of records) and records of 16 bytes: 64-bit address, 32-bit source line, 16-bit size in bytes, 8-bit 1 for
   a store, 8 bits unused. Numbers are in the machine's byte order. After PERFCAST_TRACE_LIMIT records a thread's trace ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
  uint64_t address;
  uint32_t line;
  uint16_t bytes;
  uint8_t store, unused;
};
enum { kept = 4096 };
struct trace {
  int file;
  uint64_t left; /* records */
  unsigned used;
  struct trace *next;
  struct record records[kept];
};

static struct trace *traces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned threads;
static __thread struct trace *own;
static __thread int off;

static void flush(struct trace *t) {
  const char *at = (const char *)t->records;
  size_t left = t->used * sizeof(struct record);
  while (left > 0) {
    ssize_t n = write(t->file, at, left);
    if (n <= 0) break;
    at += n, left -= (size_t)n;
  }
  t->used = 0;
}

static struct trace *begin(void) {
  const char *name = getenv("PERFCAST_TRACE"), *limit = getenv("PERFCAST_TRACE_LIMIT");
  char path[4100];
  struct trace *t = name && strlen(name) < 4000 ? calloc(1, sizeof *t) : 0;
  if (!t) return off = 1, (struct trace *)0;
  pthread_mutex_lock(&lock);
  unsigned number = threads++;
  snprintf(path, sizeof path, "%s.%u", name, number);
  t->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  t->left = limit ? strtoull(limit, 0, 10) : 10000000u;
  t->next = traces, traces = t;
  pthread_mutex_unlock(&lock);
  struct { char letters[8]; uint32_t version, record_bytes, thread, unused; uint64_t limit; } head = {"PFTRACE", 1, sizeof(struct record), number, 0, t->left};
  head.letters[7] = '1';
  if (t->file < 0 || write(t->file, &head, sizeof head) != sizeof head) off = 1;
  return own = t;
}

void __perfcast_trace(void *address, uint64_t what) {
  if (off || !address) return; /* null: a lane that is masked off */
  struct trace *t = own ? own : begin();
  if (!t || off) return;
  if (t->left-- == 0) {
    off = 1;
    return;
  }
  struct record r = {(uint64_t)address, (uint32_t)(what >> 32), (uint16_t)(what >> 8), (uint8_t)(what & 1), 0};
  t->records[t->used++] = r;
  if (t->used == kept) flush(t);
}

__attribute__((destructor)) static void end(void) {
  for (struct trace *t = traces; t; t = t->next) flush(t);
}
