/* Initial values of the Fortran experiments, as the storage of their COMMON blocks: another compilation unit and even
 * another language, so that a Fortran compiler knows no value. The same values as in c_unit.c. */
#define REALS {1.1, 1.3, 1.7, 1.9, 1.37, 1 / 1.37, 1.19, 1 / 1.19, 1e3, 2.5, 3.5}
#define INTEGERS {1111, 1111, 1111, 1111, 3, 5, 7, 2, 1234567, 6, 9}
float irs_[16] = REALS, krs_[16], grs_[11], farguments_[64];
double ird_[16] = REALS, krd_[16], grd_[11], fvector_[512], fplane_[11 * 13], fspace_[5 * 7 * 9], darguments_[64], sarguments_[64];
int iis_[16] = INTEGERS, kis_[16], gis_[11];
long long iil_[16] = INTEGERS, kil_[16], gil_[11];
int ilg_[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1}, klg_[16], glg_[11];
int findex_[16] = {3, 4, 2, 5, 1, 6, 3, 2, 4, 1, 2, 3, 10, 20, 1, 2};

static void spread(void) __attribute__((constructor));
static void spread(void) {
  unsigned seed = 12345;
  for (int i = 0; i < 64; i++) {
    seed = seed * 1103515245u + 12345u;
    double unit = (double)(seed >> 8 & 0xffff) / 65536.0;
    darguments_[i] = 0.1 + 6 * unit, sarguments_[i] = 0.05 + 0.9 * unit;
    farguments_[i] = (float)darguments_[i];
  }
}
