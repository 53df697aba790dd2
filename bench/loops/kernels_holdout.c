/* Loops that no rule of a machine file was looked at with: Livermore- and stream-like ones, integer and byte work,
   searching, division, conversions, short trips, calls through pointers. All data stay in the first cache, values stay
   in range however often a kernel is called, and every call does the same work. n: the trips named in data.h. */
#include "k.h"
typedef double *restrict R;
typedef float *restrict RF;
#define K(name) __attribute__((noinline)) long k_##name(G *g, long n)

/* ---- Livermore-like */
K(adi) {
  R u = g->a, v = g->b, w = g->c, nu = g->d, nv = g->e, nw = g->f;
  double s = g->s, t = g->t, q = g->q;
  for (long i = 1; i < n; i++) {
    double du = u[i + 1] - u[i - 1], dv = v[i + 1] - v[i - 1], dw = w[i + 1] - w[i - 1];
    nu[i] = u[i] + s * du + t * dv + q * dw + s * (u[i + 1] - 2 * u[i] + u[i - 1]);
    nv[i] = v[i] + t * du + q * dv + s * dw + s * (v[i + 1] - 2 * v[i] + v[i - 1]);
    nw[i] = w[i] + q * du + s * dv + t * dw + s * (w[i + 1] - 2 * w[i] + w[i - 1]);
  }
  return n;
}
K(pic) {  /* particles in cells: gather the field, move, scatter the charge */
  double(*p)[4] = (double(*)[4])g->a, *b = g->b, *c = g->c, *h = g->d;
  for (long i = 0; i < n; i++) {
    long ix = (long)p[i][0] & 31, iy = (long)p[i][1] & 31;
    p[i][2] = 0.9 * p[i][2] + b[iy * 32 + ix], p[i][3] = 0.9 * p[i][3] + c[iy * 32 + ix];
    p[i][0] += p[i][2], p[i][1] += p[i][3];
    ix = (long)p[i][0] & 31, iy = (long)p[i][1] & 31;
    h[iy * 32 + ix] += 1e-9;
  }
  return n;
}
K(casual) {
  R vy = g->a, vh = g->b, vf = g->c, vg = g->d, vs = g->e;
  for (long i = 1; i < n; i++) {
    double t = vh[i + 1] > vh[i] ? 0.053 : 0.073, r, s;
    if (vf[i] < vf[i - 1]) r = vh[i - 1] > vh[i] ? vh[i - 1] : vh[i], s = vf[i - 1];
    else r = vh[i + 1] > vh[i] ? vh[i + 1] : vh[i], s = vf[i];
    vy[i] = __builtin_sqrt(vg[i] * vg[i] + r * r) * t / s;
    vs[i] = vy[i] * t;
  }
  return n;
}
K(implicit) {
  double *vsp = g->a, *vstp = g->b, *vlr = g->c, *vxne = g->d, *vlin = g->e, *vxnd = g->f, scale = 5.0 / 3, xnm = 1.0 / 3, e6 = 1.03 / 3.07;
  for (long i = n - 1; i >= 0; i--) {
    double e3 = xnm * vlr[i] + vlin[i], xnei = vxne[i];
    vxnd[i] = e6;
    double xnc = scale * e3;
    if (xnm > xnc || xnei > xnc) {
      e6 = xnm * vsp[i] + vstp[i], vxne[i] = e6 > 1.4 ? 1.4 : e6, xnm = 0.5 * e6, e6 = xnm;
    } else {
      vxne[i] = e3 + e3 - xnm > 1.3 ? 0.7 : 1.3, e6 = e3 + e3 - xnm, xnm = 0.4 * e6;
    }
  }
  g->r = xnm;
  return n;
}
K(hydro2d) {
  double *zu = g->d, *zv = g->e, *za = g->a, *zb = g->b, *zz = g->c, *zr = g->f, s = 1e-7;
  long S = 32, count = 0;
  for (long k = 1; k < 16; k++)
    for (long j = 1; j < 31; j++, count++) {
      long i = k * S + j;
      zu[i] += s * (za[i] * (zz[i] - zz[i + 1]) - za[i - 1] * (zz[i] - zz[i - 1]) - zb[i] * (zz[i] - zz[i - S]) + zb[i + S] * (zz[i] - zz[i + S]));
      zv[i] += s * (za[i] * (zr[i] - zr[i + 1]) - za[i - 1] * (zr[i] - zr[i - 1]) - zb[i] * (zr[i] - zr[i - S]) + zb[i + S] * (zr[i] - zr[i + S]));
    }
  return count;
}
K(thomas) {  /* forward elimination of a tridiagonal system */
  double *a = g->a, *b = g->b, *c = g->c, *d = g->d, *cs = g->e, *ds = g->f;
  cs[0] = c[0] / (b[0] + 4), ds[0] = d[0] / (b[0] + 4);
  for (long i = 1; i < n; i++) {
    double m = 1 / (b[i] + 4 - a[i] * cs[i - 1]);
    cs[i] = c[i] * m, ds[i] = (d[i] - a[i] * ds[i - 1]) * m;
  }
  return n;
}
K(backsub) {
  double *x = g->a, *c = g->b, *d = g->c;
  for (long i = n - 2; i >= 0; i--) x[i] = 0.25 * (d[i] - c[i] * x[i + 1]);
  return n;
}
K(banded) {
  R y = g->grd, l2 = g->a, l1 = g->b, m = g->c, u1 = g->d, u2 = g->e, x = g->f;
  for (long i = 2; i < n; i++) y[i] = l2[i] * x[i - 2] + l1[i] * x[i - 1] + m[i] * x[i] + u1[i] * x[i + 1] + u2[i] * x[i + 2];
  return n;
}

/* ---- streams and reductions */
K(add) { R a = g->a, b = g->b, c = g->c; for (long i = 0; i < n; i++) a[i] = b[i] + c[i]; return n; }
K(saxpy) { RF z = g->z, x = g->x, y = g->y; float s = (float)g->s; for (long i = 0; i < n; i++) z[i] = s * x[i] + y[i]; return n; }
K(asum) { R a = g->a; double s = 0; for (long i = 0; i < n; i++) s += __builtin_fabs(a[i]); g->r = s; return n; }
K(sdot) { RF x = g->x, y = g->y; float s = 0; for (long i = 0; i < n; i++) s += x[i] * y[i]; g->r = s; return n; }
K(dsdot) { RF x = g->x, y = g->y; double s = 0; for (long i = 0; i < n; i++) s += (double)x[i] * y[i]; g->r = s; return n; }
K(argmax) {
  RF x = g->x;
  float most = x[0];
  long at = 0;
  for (long i = 1; i < n; i++) if (x[i] > most) most = x[i], at = i;
  g->r = (double)at;
  return n;
}
K(minmax) {
  R a = g->a;
  double low = a[0], high = a[0];
  for (long i = 1; i < n; i++) low = a[i] < low ? a[i] : low, high = a[i] > high ? a[i] : high;
  g->r = high - low;
  return n;
}
K(scan) { int *a = g->ia, *b = g->ib, s = 0; for (long i = 0; i < n; i++) s += a[i], b[i] = s; return n; }
K(swap) { R a = g->a, b = g->b; for (long i = 0; i < n; i++) { double t = a[i]; a[i] = b[i], b[i] = t; } return n; }
K(reverse) { R a = g->a, b = g->b; for (long i = 0; i < n; i++) a[i] = b[n - 1 - i]; return n; }
K(stride4) { R a = g->a, b = g->b; for (long i = 0; i < n; i++) a[i] = b[4 * i] + b[4 * i + 1]; return n; }

/* ---- integers, bytes, tables */
K(crc) {
  unsigned char *text = g->text;
  unsigned *table = g->table, crc = ~0u;
  for (long i = 0; i < n; i++) crc = table[(crc ^ text[i]) & 255] ^ crc >> 8;
  g->r = crc;
  return n;
}
K(popcount) {
  unsigned long *bits = g->bits, s = 0;
  for (long i = 0; i < n; i++) {
    unsigned long x = bits[i];
    x -= x >> 1 & 0x5555555555555555, x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333), x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    s += x * 0x0101010101010101 >> 56;
  }
  g->r = (double)s;
  return n;
}
K(base64) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char *in = g->text, *out = g->other;
  for (long i = 0; i < n / 3; i++) {
    unsigned x = (unsigned)in[3 * i] << 16 | (unsigned)in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i] = (unsigned char)letters[x >> 18], out[4 * i + 1] = (unsigned char)letters[x >> 12 & 63];
    out[4 * i + 2] = (unsigned char)letters[x >> 6 & 63], out[4 * i + 3] = (unsigned char)letters[x & 63];
  }
  return n / 3;
}
K(rle) {
  unsigned char *in = g->runs, *out = g->other;
  long used = 0;
  for (long i = 0; i < n;) {
    long start = i;
    while (i < n && in[i] == in[start]) i++;
    out[used++] = in[start], out[used++] = (unsigned char)(i - start);
  }
  g->r = (double)used;
  return n;
}
K(find) {  /* blanks, one after the other */
  unsigned char *text = g->text;
  long words = 0;
  for (long i = 0; i < n;) {
    while (i < n && text[i] != ' ') i++;
    while (i < n && text[i] == ' ') i++;
    words++;
  }
  g->r = (double)words;
  return n;
}
K(compare) {  /* strings that differ somewhere in their first sixteen letters */
  unsigned char *a = g->text, *b = g->other;
  long same = 0;
  for (long i = 0; i < n; i++) {
    long k = 0;
    while (k < 16 && a[16 * i + k] == b[16 * i + k]) k++;
    same += k;
  }
  g->r = (double)same;
  return n;
}
K(bitrev) {
  unsigned *out = (unsigned *)g->ib, *in = (unsigned *)g->ia;
  for (long i = 0; i < n; i++) {
    unsigned x = in[i];
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555), x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333), x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    out[i] = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
  }
  return n;
}
K(xorshift) { unsigned long x = 88172645463325252; for (long i = 0; i < n; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17; g->r = (double)x; return n; }
K(lcg) {
  unsigned *out = (unsigned *)g->ib, x = 1;
  for (long i = 0; i < n; i++) x = x * 1664525 + 1013904223, out[i] = x >> 16;
  return n;
}
K(gcd) {
  int *a = g->ia, *b = g->ib;
  unsigned s = 0;
  for (long i = 0; i < n; i++) {
    unsigned x = (unsigned)a[i] + 1, y = (unsigned)b[i] + 1;
    while (y) { unsigned t = x % y; x = y, y = t; }
    s += x;
  }
  g->r = s;
  return n;
}
K(bsearch) {  /* in a table of 128 rising numbers */
  long *table = g->p + 1024;
  int *keys = g->ib;
  long s = 0;
  for (long i = 0; i < n; i++) {
    long low = 0, high = 128, key = 1024 + (keys[i] & 127);
    while (low < high) {
      long middle = (low + high) / 2;
      if (table[middle] < key) low = middle + 1;
      else high = middle;
    }
    s += low;
  }
  g->r = (double)s;
  return n;
}
K(insort) {  /* rows of eight are copied and sorted by insertion */
  int *in = g->ib;
  long s = 0;
  for (long i = 0; i < n; i++) {
    int row[8];
    for (int k = 0; k < 8; k++) {
      int x = in[8 * i + k], j = k;
      while (j > 0 && row[j - 1] > x) row[j] = row[j - 1], j--;
      row[j] = x;
    }
    s += row[0] + row[4];
  }
  g->r = (double)s;
  return n;
}
K(collatz) {
  long steps = 0;
  for (long i = 1; i <= n; i++)
    for (unsigned long x = (unsigned long)i; x != 1; steps++) x = x & 1 ? 3 * x + 1 : x / 2;
  g->r = (double)steps;
  return steps;
}
K(digits) {  /* one pass of a radix sort: count, sum up, place */
  int *in = g->ib, *out = g->ia;
  unsigned at[16] = {0}, sum = 0;
  for (long i = 0; i < n; i++) at[in[i] >> 4 & 15]++;
  for (int k = 0; k < 16; k++) { unsigned t = at[k]; at[k] = sum, sum += t; }
  for (long i = 0; i < n; i++) out[at[in[i] >> 4 & 15]++] = in[i];
  return 2 * n;
}
K(upper) {
  unsigned char *in = g->text, *restrict out = g->other;
  for (long i = 0; i < n; i++) out[i] = in[i] >= 'a' && in[i] <= 'z' ? (unsigned char)(in[i] - 32) : in[i];
  return n;
}
K(number) {  /* the letters read as digits, blanks part numbers */
  unsigned char *text = g->text;
  unsigned long sum = 0, x = 0;
  for (long i = 0; i < n; i++) {
    if (text[i] == ' ') sum += x, x = 0;
    else x = x * 10 + (text[i] & 7);
  }
  g->r = (double)sum;
  return n;
}
K(adler) {
  unsigned char *text = g->text;
  unsigned a = 1, b = 0;
  for (long i = 0; i < n; i++) a += text[i], b += a;
  g->r = (b % 65521) << 16 | (a % 65521);
  return n;
}
K(fir16) {
  short *x = g->samples, *f = g->filter;
  int *restrict out = g->ia;
  for (long i = 0; i < n; i++) {
    int s = 0;
    for (int k = 0; k < 16; k++) s += x[i + k] * f[k];
    out[i] = s >> 8;
  }
  return n;
}
K(blend) {
  unsigned char *restrict out = g->other, *a = g->text, *b = g->runs;
  unsigned w = g->m * 9;
  for (long i = 0; i < n; i++) out[i] = (unsigned char)((a[i] * w + b[i] * (255 - w)) >> 8);
  return n;
}
K(dfa) {
  unsigned char *text = g->text, *next = (unsigned char *)g->table;
  unsigned state = 0, seen = 0;
  for (long i = 0; i < n; i++) state = next[(state & 31) * 32 + (text[i] & 31)], seen += state == 3;
  g->r = seen;
  return n;
}
K(list) {  /* a chain of records, summed up */
  struct Record { long next; double value; } *record = (struct Record *)g->a;
  long *p = g->p, at = 0;
  double s = 0;
  if (record[0].next != p[0])
    for (long i = 0; i < n; i++) record[i].next = p[i], record[i].value = 0.5;
  for (long i = 0; i < n; i++) s += record[at].value, at = record[at].next;
  g->r = s;
  return n;
}
K(probe) {  /* a hash table of 256 places; a third of the keys are there */
  unsigned *table = g->table;
  int *keys = g->ib;
  long found = 0;
  for (long i = 0; i < n; i++) {
    unsigned key = keys[i] % 3 ? (unsigned)keys[i] : table[keys[i] & 255], at = key * 2654435761u >> 24;
    for (int tries = 0; tries < 4; tries++, at = (at + 1) & 255) {
      if (table[at] == key) { found++; break; }
      if (table[at] & 1) break;
    }
  }
  g->r = (double)found;
  return n;
}
K(varint) {  /* seven bits a byte; one in four goes on */
  unsigned char *in = g->runs;
  unsigned long sum = 0, x = 0;
  int shift = 0;
  for (long i = 0; i < n; i++) {
    x |= (unsigned long)(in[i] & 127) << shift, shift += 7;
    if ((in[i] & 3) || shift > 50) sum += x, x = 0, shift = 0;
  }
  g->r = (double)sum;
  return n;
}

/* ---- floating point */
K(newton) { double x = 1, a = g->b[3]; for (long i = 0; i < n; i++) x = 0.5 * (x + a / x); g->r = x; return n; }
K(normalise) {
  double(*v)[3] = (double(*)[3])g->a, (*w)[3] = (double(*)[3])g->b;
  for (long i = 0; i < n; i++) {
    double r = 1 / __builtin_sqrt(v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
    w[i][0] = v[i][0] * r, w[i][1] = v[i][1] * r, w[i][2] = v[i][2] * r;
  }
  return n;
}
K(i2d) { R a = g->a; int *restrict b = g->ia; for (long i = 0; i < n; i++) a[i] = 0.125 * b[i]; return n; }
K(d2i) { R a = g->a; int *restrict b = g->ib; for (long i = 0; i < n; i++) b[i] = (int)(a[i] * 100.0); return n; }
K(cdot) {
  R a = g->a, b = g->b;
  double re = 0, im = 0;
  for (long i = 0; i < n; i++) re += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1], im += a[2 * i] * b[2 * i + 1] - a[2 * i + 1] * b[2 * i];
  g->r = re * im;
  return n;
}
K(matvec4) {
  double(*m)[4] = (double(*)[4])g->a, (*v)[4] = (double(*)[4])g->b, (*w)[4] = (double(*)[4])g->c;
  for (long i = 0; i < n; i++)
    for (int r = 0; r < 4; r++) w[i][r] = m[r][0] * v[i][0] + m[r][1] * v[i][1] + m[r][2] * v[i][2] + m[r][3] * v[i][3];
  return n;
}
K(mm4) {
  RF a = g->x, b = g->y, c = g->z;
  for (long i = 0; i < n; i++)
    for (int r = 0; r < 4; r++)
      for (int s = 0; s < 4; s++) {
        float t = 0;
        for (int k = 0; k < 4; k++) t += a[16 * i + 4 * r + k] * b[16 * i + 4 * k + s];
        c[16 * i + 4 * r + s] = t;
      }
  return n;
}
K(seidel) { double *a = g->a; for (long i = 1; i < n; i++) a[i] = 0.333 * (a[i - 1] + a[i] + a[i + 1]) + 0.001; return n; }
K(stencil7) {
  R a = g->a, b = g->b;
  long S = 12, T = 144, count = 0;
  for (long k = 1; k < n; k++)
    for (long j = 1; j < 11; j++)
      for (long i = 1; i < 11; i++, count++) {
        long at = k * T + j * S + i;
        a[at] = 0.4 * b[at] + 0.1 * (b[at - 1] + b[at + 1] + b[at - S] + b[at + S] + b[at - T] + b[at + T]);
      }
  return count;
}
K(poly10) {
  RF a = g->z, b = g->x;
  for (long i = 0; i < n; i++) {
    float x = b[i], y = 0.1f;
    for (int k = 0; k < 10; k++) y = y * x + 0.01f * (float)(k + 1);
    a[i] = y;
  }
  return n;
}
K(mandel) {
  double *x = g->a, *y = g->b;
  long steps = 0;
  for (long i = 0; i < n; i++) {
    double r = 0, q = 0;
    for (int k = 0; k < 30 && r * r + q * q < 4; k++, steps++) {
      double t = r * r - q * q + x[i] - 1.2;
      q = 2 * r * q + y[i] - 0.9, r = t;
    }
  }
  g->r = (double)steps;
  return steps;
}
K(logistic) { double x = 0.3; for (long i = 0; i < n; i++) x = 3.9 * x * (1 - x); g->r = x; return n; }
K(condsum) {
  double *a = g->a, s = 0;
  int *x = g->ia;
  for (long i = 0; i < n; i++) {
    if (a[i] > 1.2) s += a[i] * 2, x[i & 15]++;
    else if (a[i] < 0.6) s -= a[i];
  }
  g->r = s;
  return n;
}
K(condsel) { R a = g->a; double s = 0; for (long i = 0; i < n; i++) s += a[i] > 1.0 ? a[i] : 0; g->r = s; return n; }
K(nbody) {
  double *x = g->a, *y = g->b, *z = g->c, *fx = g->d, *fy = g->e, *fz = g->f;
  for (long i = 0; i < n; i++) {
    double sx = 0, sy = 0, sz = 0;
    for (long j = 0; j < n; j++) {
      double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], d = dx * dx + dy * dy + dz * dz + 0.01;
      double f = 1 / (d * __builtin_sqrt(d));
      sx += dx * f, sy += dy * f, sz += dz * f;
    }
    fx[i] = sx, fy[i] = sy, fz[i] = sz;
  }
  return n * n;
}
K(trapeze) { double s = 0, h = 1.0 / (double)n; for (long i = 0; i < n; i++) { double x = h * (double)i; s += 4 / (1 + x * x); } g->r = s * h; return n; }
K(kahan) { R a = g->a; double s = 0, c = 0; for (long i = 0; i < n; i++) { double y = a[i] - c, t = s + y; c = (t - s) - y, s = t; } g->r = s; return n; }

/* ---- short trips and calls */
K(fir8) {
  double *x = g->a, *f = g->b, *restrict out = g->c;
  long taps = g->m + 1;
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < taps; k++) s += x[i + k] * f[k];
    out[i] = s;
  }
  return n;
}
K(csr) {  /* rows of two to nine entries */
  double *value = g->a, *x = g->b, *y = g->c;
  int *column = g->ia;
  long at = 0;
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long end = at + 2 + (column[i] & 7); at < end; at++) s += value[at] * x[column[at]];
    y[i] = s;
  }
  return at;
}
K(trisolve) {
  double *l = g->a, *b = g->b, *x = g->c;
  for (long i = 0; i < n; i++) {
    double s = b[i];
    for (long j = 0; j < i; j++) s -= 0.01 * l[32 * i + j] * x[j];
    x[i] = s / (l[33 * i] + 1);
  }
  return n * n / 2;
}
K(edit) {  /* distance of two strings */
  unsigned char *a = g->text, *b = g->other;
  int row[64];
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; i <= n; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int cost = corner + (a[i - 1] != b[j - 1]), above = row[j] + 1, left = row[j - 1] + 1;
      corner = row[j];
      cost = above < cost ? above : cost, row[j] = left < cost ? left : cost;
    }
  }
  g->r = row[n];
  return n * n;
}
__attribute__((noinline)) static long k__twice(long x) { return 2 * x + 1; }
__attribute__((noinline)) static long k__half(long x) { return x / 2; }
__attribute__((noinline)) static long k__less(long x) { return x - 3; }
static long (*const k__all[])(long) = {k__twice, k__half, k__less, k__half};
K(pointers) { int *which = g->ib; long x = 1; for (long i = 0; i < n; i++) x = k__all[which[i >> 3] & 3](x); g->r = (double)x; return n; }
K(move_aos) {
  struct { double x, y, u, v; } *p = (void *)g->a;
  for (long i = 0; i < n; i++) p[i].x += 1e-9 * p[i].u, p[i].y += 1e-9 * p[i].v;
  return n;
}
K(move_soa) { R x = g->a, y = g->b, u = g->c, v = g->d; for (long i = 0; i < n; i++) x[i] += 1e-9 * u[i], y[i] += 1e-9 * v[i]; return n; }
K(triple) {
  double(*a)[3] = (double(*)[3])g->a, *restrict b = g->b;
  for (long i = 0; i < n; i++) {
    double s = 1;
    for (int k = 0; k < 3; k++) s *= a[i][k];
    b[i] = s;
  }
  return n;
}
K(window) {  /* the largest of the next five to twelve */
  int *a = g->ib, *restrict out = g->ia;
  for (long i = 0; i < n; i++) {
    int most = a[i];
    for (long k = 1; k < 5 + (i & 7); k++) most = a[i + k] > most ? a[i + k] : most;
    out[i] = most;
  }
  return n;
}
