/* Preloaded into perfcast: the n-th call that changes files fails, writes half, or kills the process.
     FAULT_AT=n     which call, from 1; 0: none, only counted
     FAULT_KIND     "ENOSPC", "EIO", "half" (a short write, then ENOSPC) or "kill" (SIGKILL before the call)
     FAULT_COUNT    a file that gets the number of calls at the end
     FAULT_THREADS  set: the system has no thread to give
     FAULT_CLOCK    set: somebody sets the wall clock between any two readings, an hour forth or two back
     FAULT_PACE=x   every other two milliseconds of the monotonic clock are x times as long: a core that changes its frequency
   Counted are open for writing, write (not to standard output and error), fsync, ftruncate, linkat and rename. Programs that
   perfcast starts are not touched. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long at, calls;
static char kind[16], count_file[4096];
static int half_done, no_threads, set_clock;
static double pace = 1;
static pid_t owner;
static int (*system_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
  system_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *text = getenv("FAULT_AT");
  at = text ? atol(text) : 0;
  if ((text = getenv("FAULT_KIND"))) snprintf(kind, sizeof kind, "%s", text);
  if ((text = getenv("FAULT_COUNT"))) snprintf(count_file, sizeof count_file, "%s", text);
  no_threads = getenv("FAULT_THREADS") != NULL;
  set_clock = getenv("FAULT_CLOCK") != NULL;
  if ((text = getenv("FAULT_PACE"))) pace = atof(text);
  unsetenv("LD_PRELOAD");
  owner = getpid();
}

__attribute__((destructor)) static void end(void) {
  if (!count_file[0] || getpid() != owner) return;
  FILE *file = fopen(count_file, "w");
  if (!file) return;
  fprintf(file, "%ld\n", calls);
  fclose(file);
}

/* 0: go on; else errno is set and the call fails. 2: a write of half. */
static int fault(int is_write) {
  if (getpid() != owner) return 0;
  long now = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (half_done && is_write) return errno = ENOSPC, 1;
  if (now != at) return 0;
  if (!strcmp(kind, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(kind, "half") && is_write) return half_done = 1, 2;
  errno = !strcmp(kind, "EIO") ? EIO : ENOSPC;
  return 1;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

static int opens_for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

#define OPEN(name)                                                        \
  int name(const char *path, int flags, ...) {                            \
    va_list list;                                                         \
    va_start(list, flags);                                                \
    mode_t mode = va_arg(list, mode_t);                                   \
    va_end(list);                                                         \
    if (opens_for_writing(flags) && strncmp(path, "/dev/", 5) && fault(0)) return -1; \
    return REAL(int, name, const char *, int, mode_t)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int descriptor, const void *bytes, size_t size) {
  ssize_t (*real)(int, const void *, size_t) = REAL(ssize_t, write, int, const void *, size_t);
  struct stat info;
  if (descriptor <= 2 || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return real(descriptor, bytes, size);
  int what = fault(1);
  return what == 1 ? -1 : real(descriptor, bytes, what == 2 && size > 1 ? size / 2 : size);
}
int fsync(int descriptor) { return fault(0) ? -1 : REAL(int, fsync, int)(descriptor); }
int ftruncate(int descriptor, off_t size) { return fault(0) ? -1 : REAL(int, ftruncate, int, off_t)(descriptor, size); }
int rename(const char *from, const char *to) { return fault(0) ? -1 : REAL(int, rename, const char *, const char *)(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  /* EEXIST is no fault of the disk: perfcast asks first whether the name is free. */
  return fault(0) ? -1 : REAL(int, linkat, int, const char *, int, const char *, int)(a, from, b, to, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
  if (no_threads) return EAGAIN;
  return REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)(thread, attributes, work, argument);
}

/* What is added to the wall clock, in seconds. */
static long jump(void) {
  static long readings;
  if (!set_clock || getpid() != owner) return 0;
  long now = __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED);
  return now % 2 ? 3600 : -7200;
}
/* Nanoseconds of a clock that runs at its own pace for two milliseconds, and `pace` times as fast for the next two. */
static long long paced(long long real) {
  static const long long window = 2000000;
  static long long start;
  if (!start) start = real;
  long long passed = real - start, windows = passed / window, rest = passed % window;
  long long slow = windows / 2, fast = windows - slow;
  double shown = (double)(fast * window) + pace * (double)(slow * window) + (windows % 2 ? pace : 1) * (double)rest;
  return start + (long long)shown;
}
/* A sanitizer's allocator reads the clock before libraries are set up, when dlsym would allocate. */
static int real_clock(clockid_t clock, struct timespec *now) {
  return system_clock ? system_clock(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = real_clock(clock, now);
  if (clock == CLOCK_MONOTONIC && pace != 1) {
    long long shown = paced(1000000000LL * now->tv_sec + now->tv_nsec);
    now->tv_sec = shown / 1000000000, now->tv_nsec = shown % 1000000000;
  }
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += jump();
  return result;
}
int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec real;
  int result = real_clock(CLOCK_REALTIME, &real);
  now->tv_sec = real.tv_sec + jump(), now->tv_usec = real.tv_nsec / 1000;
  return result;
}
time_t time(time_t *place) {
  struct timespec real;
  real_clock(CLOCK_REALTIME, &real);
  time_t now = real.tv_sec + jump();
  if (place) *place = now;
  return now;
}
