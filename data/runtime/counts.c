/* Counters of a counted program. Every module's array of 64-bit counters is mapped shared onto a file of the folder
   named by PERFCAST_COUNTS, so that the counts survive _exit, abort, crashes and kill. Files are named
   CHECKSUM.PROCESS.NUMBER; all files of a checksum add up. A forked child starts files of its own. In programs with
   threads every thread has its own array; those of ended threads are taken over by new ones.
   Linked into the counted program, compiled by its own compiler. Without the folder the program just runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct module {
  uint64_t checksum, counters, bytes;
  uint64_t *array;   /* without threads; else null */
  uint64_t *unused;  /* arrays of ended threads, linked by their word 7 */
  struct module *next;
};

static char folder[4000];
static struct module *modules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned number;
__thread uint64_t __perfcast_calls[2]; /* calls of recursive functions: how deep now, and how deep at most since the last */
static uint64_t start_faults; /* page faults before any of the program's own code ran */

/* A new zeroed array in a file; at `place`, if given. Without a file the memory is private and the counts are lost. */
static uint64_t *map_counts(const struct module *m, uint64_t *place) {
  int descriptor = -1, fixed = place ? MAP_FIXED : 0;
  char name[4100];
  while (folder[0]) {
    snprintf(name, sizeof name, "%s/%016llx.%d.%u", folder, (unsigned long long)m->checksum, (int)getpid(),
             __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED));
    descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  void *memory = MAP_FAILED;
  if (descriptor >= 0) {
    if (ftruncate(descriptor, (off_t)m->bytes) == 0)
      memory = mmap(place, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, descriptor, 0);
    close(descriptor);
  }
  if (memory == MAP_FAILED)
    memory = mmap(place, m->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  if (memory == MAP_FAILED) abort();
  uint64_t *words = memory;
  words[1] = m->checksum, words[2] = m->counters, words[3] = (uint64_t)getpid(), words[4] = start_faults;
  __atomic_store_n(&words[0], 0x31544e554f434650u, __ATOMIC_RELEASE); /* last: killed before, the file holds nothing */
  return words;
}

/* ---- Fortran: elements of an array by its descriptor (ISO_Fortran_binding's layout) ---- */

struct descriptor {
  void *base;
  uint64_t element_bytes;
  int32_t version;
  int8_t rank, type, attribute, extra;
  int64_t dimension[][3]; /* lower bound, extent, stride */
};

static uint64_t elements_of(const struct descriptor *d) {
  uint64_t product = 1;
  for (int i = 0; i < d->rank; i++) product *= d->dimension[i][1] > 0 ? (uint64_t)d->dimension[i][1] : 0;
  return product;
}

/* how: 0 those of the first; 1 an assignment first = second; 2 multiplications in a product of matrices. */
uint64_t __perfcast_elements(const struct descriptor *first, const struct descriptor *second, uint64_t how) {
  if (how == 1) return elements_of(second->rank > 0 ? second : first);
  uint64_t size = elements_of(first);
  if (how == 0 || size == 0 || first->rank == 0) return size;
  return size * elements_of(second) / (uint64_t)first->dimension[first->rank - 1][1];
}

/* ---- threads: which arrays this thread holds ---- */

struct held {
  struct module *module;
  uint64_t **slot;
  struct held *next;
};
static pthread_key_t key;
static int have_key;
static __thread struct held *held;

/* Whether this thread computed with numbers too small to be normal: flags of the processor that stay once raised. AArch64 has none
   for operands, but one for results that became so small. */
static uint64_t met_subnormals(void) {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() >> 1 & 1;
#elif defined(__aarch64__)
  uint64_t flags;
  __asm__ volatile("mrs %0, fpsr" : "=r"(flags));
  return flags >> 3 & 1;
#else
  return 0;
#endif
}

static void end_thread(void *unused) {
  (void)unused;
  uint64_t met = met_subnormals();
  pthread_mutex_lock(&lock);
  for (struct held *h = held, *next; h; h = next) {
    next = h->next;
    (*h->slot)[6] |= met;
    (*h->slot)[7] = (uint64_t)h->module->unused;
    h->module->unused = *h->slot;
    *h->slot = 0; /* destructors that run after this ask again */
    free(h);
  }
  held = 0;
  pthread_mutex_unlock(&lock);
}

uint64_t *__perfcast_thread_counts(struct module *m, uint64_t **slot) {
  pthread_mutex_lock(&lock);
  if (!have_key) have_key = pthread_key_create(&key, end_thread) == 0;
  uint64_t *array = m->unused;
  if (array) m->unused = (uint64_t *)array[7];
  pthread_mutex_unlock(&lock);
  if (!array) array = map_counts(m, 0), array[5] = (uint64_t)syscall(SYS_gettid);
  struct held *h = malloc(sizeof *h);
  if (h) {
    h->module = m, h->slot = slot, h->next = held, held = h;
    if (have_key) pthread_setspecific(key, h);
  }
  return *slot = array;
}

/* The thread that ends the program. */
__attribute__((destructor)) static void end_program(void) {
  uint64_t met = met_subnormals();
  for (struct module *m = modules; m; m = m->next)
    if (m->array) m->array[6] |= met;
  for (struct held *h = held; h; h = h->next) (*h->slot)[6] |= met;
}

/* ---- start and fork ---- */

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void parent_after_fork(void) { pthread_mutex_unlock(&lock); }

/* The child must not add to its parent's counts: new files, counted from zero. */
static void child_after_fork(void) {
  pthread_mutex_unlock(&lock);
  for (struct module *m = modules; m; m = m->next) {
    m->unused = 0;
    if (m->array) map_counts(m, m->array);
  }
  for (struct held *h = held, *next; h; h = next) {
    next = h->next;
    *h->slot = 0;
    free(h);
  }
  held = 0;
}

void __perfcast_register(struct module *m) {
  if (!modules) {
    const char *name = getenv("PERFCAST_COUNTS");
    if (name && strlen(name) < sizeof folder) strcpy(folder, name);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) start_faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt);
    pthread_atfork(before_fork, parent_after_fork, child_after_fork);
  }
  m->next = modules, modules = m;
  if (!m->array) return;
  if ((uintptr_t)m->array % (uintptr_t)sysconf(_SC_PAGESIZE) == 0) map_counts(m, m->array);
}
