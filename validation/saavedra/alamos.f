C     Vector operations at several vector lengths, after the Los Alamos
C     benchmark BMK8A1 (Saavedra 1988, section 5.2.1).  Ten elementary
C     operations run on contiguous vectors of 10 to 2000 elements, each
C     about the same number of times per length.
C     Check: every operation is redone element by element from its
C     definition with the scalar of the last repetition.
C     Argument: thousands of elements per operation and length.
      PROGRAM ALAMOS
      INTEGER NMAX, NLEN, NOP
      PARAMETER (NMAX = 2000, NLEN = 7, NOP = 10)
      DOUBLE PRECISION A(NMAX), B(NMAX), C(NMAX), D(NMAX), R(NMAX)
      DOUBLE PRECISION S, WORST, CHECK, TOTAL
      INTEGER IX(NMAX), LENGTH(NLEN), K, L, IOP, N, NREP, IREP
      CHARACTER*16 ARG
      COMMON /VECT/ A, B, C, D, R, IX
      DATA LENGTH / 10, 25, 50, 100, 250, 1000, 2000 /
      K = 7000
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) K
      CALL SETUP
      WORST = 0D0
      TOTAL = 0D0
      DO 30 IOP = 1, NOP
         DO 20 L = 1, NLEN
            N = LENGTH(L)
            NREP = K * 1000 / N
            DO 10 IREP = 1, NREP
               S = 1D0 + DBLE(IREP) / DBLE(NREP)
               CALL VECTOR(IOP, N, S)
   10       CONTINUE
            WORST = MAX(WORST, CHECK(IOP, N, S))
            TOTAL = TOTAL + R(N)
   20    CONTINUE
   30 CONTINUE
      WRITE (*, 900) TOTAL, WORST
  900 FORMAT (' ALAMOS  SUM', F14.6, '  LARGEST ERROR', 1PE10.2)
      IF (WORST .GT. 1D-12) STOP 1
      WRITE (*, *) 'OK'
      END

C     Operands in (1,2), and a permutation for gather and scatter.
      SUBROUTINE SETUP
      INTEGER NMAX
      PARAMETER (NMAX = 2000)
      DOUBLE PRECISION A(NMAX), B(NMAX), C(NMAX), D(NMAX), R(NMAX)
      INTEGER IX(NMAX), I
      COMMON /VECT/ A, B, C, D, R, IX
      DO 10 I = 1, NMAX
         A(I) = 1D0 + MOD(I * 37, 101) / 101D0
         B(I) = 1D0 + MOD(I * 53, 103) / 103D0
         C(I) = 1D0 + MOD(I * 71, 107) / 107D0
         D(I) = 1D0 + MOD(I * 89, 109) / 109D0
         R(I) = 0D0
   10 CONTINUE
      END

C     One vector operation of length N.  Gather and scatter reverse the
C     vector, so that the index stays within 1..N at every length.
      SUBROUTINE VECTOR(IOP, N, S)
      INTEGER IOP, N, NMAX, I
      PARAMETER (NMAX = 2000)
      DOUBLE PRECISION S, T
      DOUBLE PRECISION A(NMAX), B(NMAX), C(NMAX), D(NMAX), R(NMAX)
      INTEGER IX(NMAX)
      COMMON /VECT/ A, B, C, D, R, IX
      GOTO (10, 20, 30, 40, 50, 60, 70, 80, 90, 100), IOP
   10 DO 15 I = 1, N
   15    R(I) = A(I) + S
      RETURN
   20 DO 25 I = 1, N
   25    R(I) = A(I) * S
      RETURN
   30 DO 35 I = 1, N
   35    R(I) = A(I) + B(I) * S
      RETURN
   40 DO 45 I = 1, N
   45    R(I) = A(I) * B(I) + S
      RETURN
   50 DO 55 I = 1, N
   55    R(I) = A(I) * B(I) + C(I) * D(I)
      R(N) = R(N) + S
      RETURN
   60 DO 65 I = 1, N
   65    R(I) = (A(I) + S) / B(I)
      RETURN
   70 T = S
      DO 75 I = 1, N
   75    T = T + A(I) * B(I)
      R(N) = T
      RETURN
   80 T = 0D0
      DO 85 I = 1, N
   85    T = T + A(I)
      R(N) = T * S
      RETURN
   90 DO 95 I = 1, N
         IX(I) = N + 1 - I
   95    R(I) = A(IX(I)) + S
      RETURN
  100 DO 105 I = 1, N
         IX(I) = N + 1 - I
  105    R(IX(I)) = A(I) * B(I) - S
      END

C     Largest relative difference of R from the definition of IOP.
      DOUBLE PRECISION FUNCTION CHECK(IOP, N, S)
      INTEGER IOP, N, NMAX, I, FIRST
      PARAMETER (NMAX = 2000)
      DOUBLE PRECISION S, W
      DOUBLE PRECISION A(NMAX), B(NMAX), C(NMAX), D(NMAX), R(NMAX)
      INTEGER IX(NMAX)
      COMMON /VECT/ A, B, C, D, R, IX
      CHECK = 0D0
      FIRST = 1
      IF (IOP .EQ. 7 .OR. IOP .EQ. 8) FIRST = N
      DO 30 I = FIRST, N
         IF (IOP .EQ. 1) W = S + A(I)
         IF (IOP .EQ. 2) W = S * A(I)
         IF (IOP .EQ. 3) W = S * B(I) + A(I)
         IF (IOP .EQ. 4) W = S + B(I) * A(I)
         IF (IOP .EQ. 5) W = C(I) * D(I) + A(I) * B(I)
         IF (IOP .EQ. 5 .AND. I .EQ. N) W = W + S
         IF (IOP .EQ. 6) W = A(I) / B(I) + S / B(I)
         IF (IOP .EQ. 7) CALL TOTAL7(N, S, W)
         IF (IOP .EQ. 8) CALL TOTAL8(N, S, W)
         IF (IOP .EQ. 9) W = A(N + 1 - I) + S
         IF (IOP .EQ. 10) W = A(N + 1 - I) * B(N + 1 - I) - S
         CHECK = MAX(CHECK, ABS(R(I) - W) / (1D0 + ABS(W)))
   30 CONTINUE
      END

C     The two reductions, from the far end.
      SUBROUTINE TOTAL7(N, S, W)
      INTEGER N, NMAX, I
      PARAMETER (NMAX = 2000)
      DOUBLE PRECISION S, W
      DOUBLE PRECISION A(NMAX), B(NMAX), C(NMAX), D(NMAX), R(NMAX)
      INTEGER IX(NMAX)
      COMMON /VECT/ A, B, C, D, R, IX
      W = S
      DO 10 I = N, 1, -1
   10    W = W + A(I) * B(I)
      RETURN
      ENTRY TOTAL8(N, S, W)
      W = 0D0
      DO 20 I = N, 1, -1
   20    W = W + A(I)
      W = W * S
      END
