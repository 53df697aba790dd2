/* The calls of MPI that mpi_record.c says nothing about, in C or in Fortran: those of the list of all calls (mpi_calls.h) that it
   does not define itself, which the weak definitions here give way to. What they do is not known, but it is no computation. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_words.h"

enum { SEND, WAIT, COLLECTIVE, OTHER, POLL };
void perfcast_enter_rest(void);
void perfcast_leave_rest(const char *name, void *place, int poll);

static __thread int depth; /* in one of these: what it calls in turn is its own affair */
static void *next_of(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) fprintf(stderr, "perfcast: %s is called and no MPI library defines it\n", name), abort();
  return found;
}

#define REST(symbol, name, kind, n)                                                 \
  __attribute__((weak)) intptr_t symbol(P##n) {                                     \
    static intptr_t (*next)(P##n);                                                  \
    if (!next) next = (intptr_t(*)(P##n))next_of(#symbol);                          \
    if (depth++ == 0) perfcast_enter_rest();                                        \
    intptr_t result_ = next(A##n);                                                  \
    if (--depth == 0) perfcast_leave_rest(name, __builtin_return_address(0), kind == POLL); \
    return result_;                                                                 \
  }
#define WRAP(c_name, f_name, kind, n, n1)             \
  REST(MPI_##c_name, "MPI_" #c_name, kind, n)         \
  REST(mpi_##f_name##_, "MPI_" #c_name, kind, n1)     \
  REST(mpi_##f_name##_f08_, "MPI_" #c_name, kind, n1)
#define WRAP_ONE(symbol, kind, n) REST(symbol, #symbol, kind, n)

#include "mpi_calls.h"
