/* Calls every kernel three times without any library, so that one binary runs anywhere its instruction set does. The
   third call is the one looked at: predictors are trained, data is in place. */
#include "data.h"

double sqrt(double x) {
  double r;
#ifdef __x86_64__
  __asm__("sqrtsd %1,%0" : "=x"(r) : "x"(x));
#else
  __asm__("fsqrt %d0,%d1" : "=w"(r) : "w"(x));
#endif
  return r;
}
void *memcpy(void *to, const void *from, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memmove(void *to, const void *from, unsigned long n) { return memcpy(to, from, n); }
void *memset(void *to, int c, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) ((char *)to)[i] = (char)c;
  return to;
}

static void leave(void) {
#ifdef __x86_64__
  __asm__ volatile("syscall" ::"a"(60), "D"(0));
#else
  register long x8 __asm__("x8") = 93, x0 __asm__("x0") = 0;
  __asm__ volatile("svc #0" ::"r"(x8), "r"(x0));
#endif
}
static G g;
__attribute__((noinline, used)) static void run(void) {
#ifdef PREPARE_EACH
#define CALL(name, n) prepare(&g); for (int i = 0; i < 3; i++) k_##name(&g, n);
#else
  prepare(&g);  /* once: later kernels see what earlier ones left. How the measured runs of data/measured prepared
                   their data is not recorded; kernels whose time depends on data (hist, imod, ll20, vsqrt) may differ */
#define CALL(name, n) for (int i = 0; i < 3; i++) k_##name(&g, n);
#endif
  KERNELS(CALL)
  leave();
}
#ifdef __x86_64__
__asm__(".globl _start\n_start: xor %ebp,%ebp\n and $-64,%rsp\n call run\n");
#else
__asm__(".globl _start\n_start: bl run\n");
#endif
