/* What the message-passing examples share: computation on the data of a message, and parameters by name or number.
 *
 * The three parameter sets after Lyon & Snelick 1990: XA is mostly computation, XB mostly communication, and XB2 waits
 * as much as XB does, but for a rank that has more to do than the others: logical delay, which no network can shorten. */
#ifndef PERFCAST_EXAMPLES_WORK_H
#define PERFCAST_EXAMPLES_WORK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parameters {
  int length;      /* doubles per message */
  int messages;    /* per rank */
  int work;        /* computation per datum */
  int imbalance;   /* rank 0 computes so many times as much */
};

static struct parameters parameters_of(int argc, char** argv) {
  static const struct { const char* name; struct parameters set; } sets[] = {
      {"XA", {1000, 300, 200, 1}},
      {"XB", {20000, 3000, 2, 1}},
      {"XB2", {1000, 300, 60, 9}},
  };
  struct parameters p = sets[0].set;
  for (size_t i = 0; argc > 1 && i < sizeof sets / sizeof *sets; i++)
    if (strcmp(argv[1], sets[i].name) == 0) p = sets[i].set;
  int at = argc > 1 && argv[1][0] == 'X' ? 2 : 1;
  int* const fields[] = {&p.length, &p.messages, &p.work, &p.imbalance};
  for (int k = 0; k < 4 && at < argc; k++, at++) {
    *fields[k] = atoi(argv[at]);
    if (*fields[k] < 1) {
      fprintf(stderr, "usage: %s [XA|XB|XB2] [LENGTH [MESSAGES [WORK [IMBALANCE]]]]\n", argv[0]);
      exit(2);
    }
  }
  return p;
}

/* One pass over the data for every unit of work; the result depends on all of it. */
static double compute(double* data, int length, int work) {
  double sum = 0;
  for (int w = 0; w < work; w++)
    for (int i = 0; i < length; i++) data[i] = 0.999 * data[i] + 0.001 * i;
  for (int i = 0; i < length; i += 64) sum += data[i];
  return sum;
}

#endif
