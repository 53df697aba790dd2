/* Where the first thread of a program spends its time: at random moments, on average every PERFCAST_SAMPLE_NS, a timer
   signal writes down the program counter. Loaded before the program's own libraries (LD_PRELOAD), so that the program is
   the plain one. Timers of the monotonic clock need neither counters nor rights and are finer than those of CPU time.
   The file named by PERFCAST_SAMPLES holds `struct samples`, mapped, so that it survives any ending. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

struct samples {
  uint64_t magic, capacity, taken, base; /* base: where the executable was loaded */
  uint64_t cpu_at_start;                 /* nanoseconds of CPU time before the program's own code ran */
  uint64_t unused[3];
  uint64_t place[];
};

static struct samples *samples;
static timer_t timer;
static long mean_ns = 100000;
static uint64_t random_state = 88172645463325252u;

static void arm(void) {
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  long wait = mean_ns / 2 + (long)(random_state % (uint64_t)mean_ns);
  struct itimerspec next = {{0, 0}, {wait / 1000000000L, wait % 1000000000L}};
  timer_settime(timer, 0, &next, 0);
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  const ucontext_t *at = context;
  uint64_t place;
#if defined(__x86_64__)
  place = (uint64_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  place = (uint64_t)at->uc_mcontext.pc;
#else
  place = 0;
#endif
  if (samples->taken < samples->capacity) samples->place[samples->taken++] = place;
  arm();
}

static int find_base(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uint64_t *)base = info->dlpi_addr;
  return 1; /* the first is the executable */
}

__attribute__((constructor)) static void start(void) {
  const char *name = getenv("PERFCAST_SAMPLES"), *period = getenv("PERFCAST_SAMPLE_NS");
  if (!name) return;
  int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  uint64_t capacity = 1 << 18, bytes = sizeof(struct samples) + capacity * 8;
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0) return;
  void *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  samples = memory;
  samples->magic = 0x31504d4153434650u, samples->capacity = capacity;
  dl_iterate_phdr(find_base, &samples->base);
  if (period && atol(period) > 0) mean_ns = atol(period);
  unsetenv("LD_PRELOAD"), unsetenv("PERFCAST_SAMPLES"); /* programs it starts are not sampled */
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal, action.sa_flags = SA_RESTART | SA_SIGINFO;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID, event.sigev_signo = SIGPROF;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  if (sigaction(SIGPROF, &action, 0) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  samples->cpu_at_start = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  random_state ^= samples->cpu_at_start * 0x9e3779b97f4a7c15u;
  arm();
}

__attribute__((destructor)) static void stop(void) {
  if (samples) timer_delete(timer);
}
