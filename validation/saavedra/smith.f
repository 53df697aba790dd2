C     A collection of small, unlike pieces in the manner of the Smith
C     benchmark of Saavedra 1988, section 5.2.1: integer, single and
C     double precision arithmetic, logic, branches, calls, subscripts
C     and intrinsic functions, none of them dominant.
C     Check: each piece knows its answer from arithmetic (named beside
C     it).
C     Argument: number of rounds.
      PROGRAM SMITH
      INTEGER NROUND, IR, NBAD, ISEED
      CHARACTER*16 ARG
      NROUND = 1500
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      NBAD = 0
      ISEED = 31415
      DO 10 IR = 1, NROUND
         CALL GCDS(IR, NBAD)
         CALL COLLAT(IR, NBAD)
         CALL DAYS(IR, NBAD)
         CALL LOGIC(ISEED, NBAD)
         CALL HISTO(ISEED, NBAD)
         CALL TRANSP(IR, NBAD)
         CALL HORNER(IR, NBAD)
         CALL SERIES(IR, NBAD)
         CALL TRIG(IR, NBAD)
         CALL BUBBLE(ISEED, NBAD)
         CALL JUMPS(ISEED, NBAD)
         CALL WORDS(IR, NBAD)
         CALL SIMPSN(IR, NBAD)
   10 CONTINUE
      WRITE (*, *) 'SMITH   LAST SEED', ISEED, ' FAILURES', NBAD
      IF (NBAD .NE. 0) STOP 1
      WRITE (*, *) 'OK'
      END

C     The minimal standard generator (Park and Miller 1988).
      INTEGER FUNCTION NEXT(ISEED)
      INTEGER ISEED, K
      K = ISEED / 127773
      ISEED = 16807 * (ISEED - K * 127773) - 2836 * K
      IF (ISEED .LT. 0) ISEED = ISEED + 2147483647
      NEXT = ISEED
      END

C     Euclid: gcd(Fib(k), Fib(k+1)) = 1, gcd(6m, 4m) = 2m.
      SUBROUTINE GCDS(IR, NBAD)
      INTEGER IR, NBAD, I, A, B, C, GCD
      A = 1
      B = 1
      DO 10 I = 1, 40
         IF (GCD(A, B) .NE. 1) NBAD = NBAD + 1
         C = A + B
         A = B
         B = C
   10 CONTINUE
      DO 20 I = IR, IR + 500
         IF (GCD(6 * I, 4 * I) .NE. 2 * I) NBAD = NBAD + 1
         IF (GCD(I * (I + 1), (I + 1) * (I + 2)) .NE.
     1       (I + 1) * (2 - MOD(I, 2))) NBAD = NBAD + 1
   20 CONTINUE
      END

      INTEGER FUNCTION GCD(M, N)
      INTEGER M, N, A, B, R
      A = M
      B = N
   10 R = MOD(A, B)
      A = B
      B = R
      IF (R .NE. 0) GOTO 10
      GCD = A
      END

C     Collatz: a power of two falls in its exponent of steps; all
C     starts below a few thousand reach one.
      SUBROUTINE COLLAT(IR, NBAD)
      INTEGER IR, NBAD, I, N, STEPS
      DO 30 I = IR, IR + 300
         N = I
         STEPS = 0
   10    IF (N .EQ. 1) GOTO 20
            IF (MOD(N, 2) .EQ. 0) THEN
               N = N / 2
            ELSE
               N = 3 * N + 1
            END IF
            STEPS = STEPS + 1
            IF (STEPS .GT. 1000) GOTO 20
         GOTO 10
   20    IF (N .NE. 1) NBAD = NBAD + 1
         IF (I .EQ. 256 .AND. STEPS .NE. 8) NBAD = NBAD + 1
   30 CONTINUE
      END

C     Day of the week of the first of each month: over 400 years, 688
C     months begin with a Sunday.
      SUBROUTINE DAYS(IR, NBAD)
      INTEGER IR, NBAD, LENGTH(12), YEAR, MONTH, DAY, SUNDAY
      DATA LENGTH / 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 /
      DAY = MOD(IR, 7)
      SUNDAY = 0
      DO 20 YEAR = 2000, 2399
         DO 10 MONTH = 1, 12
            IF (DAY .EQ. MOD(IR + 1, 7)) SUNDAY = SUNDAY + 1
            DAY = DAY + LENGTH(MONTH)
            IF (MONTH .EQ. 2) THEN
               IF (MOD(YEAR, 4) .EQ. 0 .AND. (MOD(YEAR, 100) .NE. 0
     1             .OR. MOD(YEAR, 400) .EQ. 0)) DAY = DAY + 1
            END IF
            DAY = MOD(DAY, 7)
   10    CONTINUE
   20 CONTINUE
C     1 January 2000 was a Saturday.
      IF (SUNDAY .NE. 688) NBAD = NBAD + 1
      END

C     De Morgan and distribution over random truth values.
      SUBROUTINE LOGIC(ISEED, NBAD)
      INTEGER ISEED, NBAD, I, NEXT
      LOGICAL P, Q, R
      DO 10 I = 1, 1000
         P = NEXT(ISEED) .GT. 1073741823
         Q = IAND(ISEED, 64) .NE. 0
         R = IAND(ISEED, 1024) .EQ. 0
         IF (.NOT. (P .AND. Q) .NEQV. (.NOT. P .OR. .NOT. Q))
     1      NBAD = NBAD + 1
         IF ((P .AND. (Q .OR. R)) .NEQV. ((P .AND. Q) .OR.
     1       (P .AND. R))) NBAD = NBAD + 1
   10 CONTINUE
      END

C     Histogram: the bins add up to the number of draws.
      SUBROUTINE HISTO(ISEED, NBAD)
      INTEGER ISEED, NBAD, BIN(0:63), I, NEXT, TOTAL
      DO 10 I = 0, 63
   10    BIN(I) = 0
      DO 20 I = 1, 3000
         TOTAL = MOD(NEXT(ISEED), 64)
   20    BIN(TOTAL) = BIN(TOTAL) + 1
      TOTAL = 0
      DO 30 I = 0, 63
   30    TOTAL = TOTAL + BIN(I)
      IF (TOTAL .NE. 3000) NBAD = NBAD + 1
      END

C     Transpose a matrix in place with stride; A(i,j) = 100 i + j.
      SUBROUTINE TRANSP(IR, NBAD)
      INTEGER IR, NBAD, N, I, J, T
      PARAMETER (N = 60)
      INTEGER A(N, N)
      COMMON /MATRIX/ A
      DO 10 J = 1, N
         DO 10 I = 1, N
   10       A(I, J) = 100 * I + J + IR
      DO 20 J = 1, N
         DO 20 I = 1, J - 1
            T = A(I, J)
            A(I, J) = A(J, I)
   20       A(J, I) = T
      DO 30 I = 1, N
         T = N + 1 - I
   30    IF (A(I, T) .NE. 100 * T + I + IR) NBAD = NBAD + 1
      END

C     Single precision polynomial: (x+1)**6 by Horner and by power.
      SUBROUTINE HORNER(IR, NBAD)
      INTEGER IR, NBAD, I, K
      REAL C(0:6), X, P
      DATA C / 1., 6., 15., 20., 15., 6., 1. /
      DO 20 I = 1, 1000
         X = (I + IR) * 0.0005
         P = C(6)
         DO 10 K = 5, 0, -1
   10       P = P * X + C(K)
         IF (ABS(P / (X + 1.) ** 6 - 1.) .GT. 1E-5) NBAD = NBAD + 1
   20 CONTINUE
      END

C     Machin: pi = 16 atan(1/5) - 4 atan(1/239), by the series; and the
C     harmonic sum that tends to ln 2.
      SUBROUTINE SERIES(IR, NBAD)
      INTEGER IR, NBAD, K
      DOUBLE PRECISION A, B, P, Q, S
      A = 0D0
      B = 0D0
      P = 0.2D0
      Q = 1D0 / 239D0
      S = 1D0
      DO 10 K = 1, 39, 2
         A = A + S * P / K
         B = B + S * Q / K
         P = P / 25D0
         Q = Q / 57121D0
   10    S = -S
      IF (ABS(16D0 * A - 4D0 * B - 3.141592653589793D0) .GT. 1D-13)
     1   NBAD = NBAD + 1
      S = 0D0
      DO 20 K = 1, 2000 + IR
   20    S = S + 1D0 / (2000D0 + IR + K)
      IF (ABS(S - LOG(2D0)) .GT. 2D-4) NBAD = NBAD + 1
      END

C     Pythagoras and the addition theorem in single precision.
      SUBROUTINE TRIG(IR, NBAD)
      INTEGER IR, NBAD, I
      REAL X, Y, T
      DO 10 I = 1, 300
         X = 0.01 * I
         Y = 0.002 * IR
         T = SIN(X) ** 2 + COS(X) ** 2
         IF (ABS(T - 1.) .GT. 1E-5) NBAD = NBAD + 1
         T = SIN(X + Y) - SIN(X) * COS(Y) - COS(X) * SIN(Y)
         IF (ABS(T) .GT. 1E-5) NBAD = NBAD + 1
         T = EXP(LOG(X)) - SQRT(X) ** 2
         IF (ABS(T) .GT. 1E-4) NBAD = NBAD + 1
   10 CONTINUE
      END

C     Bubble sort of real numbers.
      SUBROUTINE BUBBLE(ISEED, NBAD)
      INTEGER ISEED, NBAD, N, I, J, NEXT
      PARAMETER (N = 120)
      REAL A(N), T
      DO 10 I = 1, N
   10    A(I) = NEXT(ISEED) / 2147483647.
      DO 20 J = N - 1, 1, -1
         DO 20 I = 1, J
            IF (A(I) .GT. A(I + 1)) THEN
               T = A(I)
               A(I) = A(I + 1)
               A(I + 1) = T
            END IF
   20 CONTINUE
      DO 30 I = 1, N - 1
   30    IF (A(I) .GT. A(I + 1)) NBAD = NBAD + 1
      END

C     Computed GOTO: each of five labels adds its number.
      SUBROUTINE JUMPS(ISEED, NBAD)
      INTEGER ISEED, NBAD, I, K, NEXT, BYJUMP, BYADD
      BYJUMP = 0
      BYADD = 0
      DO 60 I = 1, 2000
         K = MOD(NEXT(ISEED) / 16, 5) + 1
         BYADD = BYADD + K * K
         GOTO (10, 20, 30, 40, 50), K
   10    BYJUMP = BYJUMP + 1
         GOTO 60
   20    BYJUMP = BYJUMP + 4
         GOTO 60
   30    BYJUMP = BYJUMP + 9
         GOTO 60
   40    BYJUMP = BYJUMP + 16
         GOTO 60
   50    BYJUMP = BYJUMP + 25
   60 CONTINUE
      IF (BYJUMP .NE. BYADD) NBAD = NBAD + 1
      END

C     Characters: a Caesar shift and its inverse give the text back.
      SUBROUTINE WORDS(IR, NBAD)
      INTEGER IR, NBAD, I, K, L, SHIFT
      CHARACTER*43 TEXT, CODE, BACK
      TEXT = 'THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG'
      DO 20 L = 1, 10
         SHIFT = MOD(IR + L, 25) + 1
         DO 10 I = 1, 43
            CODE(I:I) = TEXT(I:I)
            BACK(I:I) = TEXT(I:I)
            IF (TEXT(I:I) .NE. ' ') THEN
               K = MOD(ICHAR(TEXT(I:I)) - 65 + SHIFT, 26)
               CODE(I:I) = CHAR(K + 65)
               K = MOD(ICHAR(CODE(I:I)) - 65 + 26 - SHIFT, 26)
               BACK(I:I) = CHAR(K + 65)
            END IF
   10    CONTINUE
         IF (BACK .NE. TEXT .OR. CODE .EQ. TEXT) NBAD = NBAD + 1
   20 CONTINUE
      END

C     Simpson's rule for the quarter circle through a function call.
      SUBROUTINE SIMPSN(IR, NBAD)
      INTEGER IR, NBAD, I, N
      DOUBLE PRECISION F, H, S
      N = 200 + 2 * MOD(IR, 50)
      H = 1D0 / N
      S = F(0D0) + F(1D0)
      DO 10 I = 1, N - 1
   10    S = S + F(I * H) * (2 + 2 * MOD(I, 2))
      IF (ABS(S * H / 3D0 - 3.14159265358979D0) .GT. 1D-9)
     1   NBAD = NBAD + 1
      END

      DOUBLE PRECISION FUNCTION F(X)
      DOUBLE PRECISION X
      F = 4D0 / (1D0 + X * X)
      END
