/* Enough of math.h for kernels.c where the target has no headers here. */
double sqrt(double);
