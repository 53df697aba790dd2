/* Looks at the running program every millisecond (or as often as the kernel allows) of its processor time and writes
   where it was: one line per look, the address within the executable in hexadecimal, or "-" when in a library.
   Preloaded; the file is named by PERFCAST_SAMPLES. The samples lie in a fixed table, so that the handler does nothing
   but store. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { most = 1 << 20 };
static uintptr_t *seen;
static unsigned count;
static uintptr_t base, first, last; /* of the executable's code */
static char *file;
static timer_t timer;

static uintptr_t place_of(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#else
#error "an instruction set whose program counter is not known here"
#endif
}

static void look(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  unsigned i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  if (i < most) seen[i] = place_of(context);
}

/* The first object told is the executable. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
    uintptr_t low = base + p->p_vaddr, high = low + p->p_memsz;
    if (!first || low < first) first = low;
    if (high > last) last = high;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("PERFCAST_SAMPLES");
  if (!name) return;
  file = strdup(name);
  unsetenv("PERFCAST_SAMPLES"); /* children are not looked at */
  unsetenv("LD_PRELOAD");
  seen = calloc(most, sizeof *seen);
  if (!seen) return;
  dl_iterate_phdr(find_program, 0);
  struct sigaction action = {0};
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, 0);
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_SIGNAL, event.sigev_signo = SIGPROF;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return;
  struct itimerspec period = {{0, 997000}, {0, 997000}};
  timer_settime(timer, 0, &period, 0);
}

__attribute__((destructor)) static void end(void) {
  if (!seen || !file) return;
  struct itimerspec never = {{0, 0}, {0, 0}};
  timer_settime(timer, 0, &never, 0);
  FILE *out = fopen(file, "w");
  if (!out) return;
  for (unsigned i = 0; i < count && i < most; i++)
    if (seen[i] >= first && seen[i] < last) fprintf(out, "0x%lx\n", (unsigned long)(seen[i] - base));
    else fputs("-\n", out);
  fclose(out);
}
