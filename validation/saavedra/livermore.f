C     The twenty-four Livermore kernels (McMahon 1986; Saavedra 1988,
C     table 5.3), written anew from their mathematics: loops that stand
C     for the computations of Livermore codes.
C     Every round works on new data, made from the number of the round.
C     Check: the last round is always number one; the checksum of every
C     kernel then agrees with the stored one to six digits, and kernels
C     with a closed answer (3, 5, 11, 12, 21, 24) agree with that too.
C     Argument: number of rounds.
      PROGRAM LIVERM
      INTEGER NK, NROUND, IROUND, K
      PARAMETER (NK = 24)
      DOUBLE PRECISION SUM(NK), WANT(NK), WORST, DIFF
      LOGICAL GOOD, LAST
      CHARACTER*16 ARG
      COMMON /RESULT/ SUM, GOOD, LAST
      DATA WANT / 817.725803D0, 355.794975D0, 259.370347D0,
     1            705.773987D0, 231.034031D0, 59.7797546D0,
     2            1029.67114D0, 1037.86623D0, 2007.63528D0,
     3            -1180.24402D0, 342651.671D0, -2.61425574D0,
     4            137115.789D0, 355908.941D0, 684.849011D0,
     5            300.18471D0, 694.40114D0, 1465.28046D0,
     6            1788.86709D0, 918.288944D0, 21172.1262D0,
     7            280.628413D0, 77.6098969D0, 500.0D0 /
      NROUND = 1200
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      GOOD = .TRUE.
      DO 10 IROUND = NROUND, 1, -1
         LAST = IROUND .EQ. 1
         CALL FILL(1000 + IROUND)
         CALL GROUP1
         CALL GROUP2
         CALL GROUP3
         CALL GROUP4
   10 CONTINUE
      WORST = 0D0
      DO 20 K = 1, NK
         DIFF = ABS(SUM(K) - WANT(K)) / ABS(WANT(K))
         WORST = MAX(WORST, DIFF)
         IF (DIFF .LT. 1D-6) GOTO 20
         WRITE (*, 910) K, SUM(K), WANT(K)
         GOOD = .FALSE.
   20 CONTINUE
  910 FORMAT (' KERNEL', I3, 1PE22.14, '  NOT', E22.14)
      WRITE (*, 920) SUM(1), SUM(18), SUM(21), WORST
  920 FORMAT (' LIVERMORE', 3F16.6, '  WORST', 1PE9.1)
      IF (.NOT. GOOD) STOP 1
      WRITE (*, *) 'OK'
      END

C     Vectors U, V, W, X, Y, Z of numbers in (0,1).
      SUBROUTINE FILL(ISTART)
      INTEGER ISTART, ISEED, I
      DOUBLE PRECISION U(1100), V(1100), W(1100), X(1100), Y(1100),
     1                 Z(1100), ALL(6600), RANDOM
      COMMON /VECT/ U, V, W, X, Y, Z
      EQUIVALENCE (ALL(1), U(1))
      ISEED = ISTART
      DO 10 I = 1, 6600
   10    ALL(I) = RANDOM(ISEED)
      END

C     The minimal standard generator (Park and Miller 1988).
      DOUBLE PRECISION FUNCTION RANDOM(ISEED)
      INTEGER ISEED, K
      K = ISEED / 127773
      ISEED = 16807 * (ISEED - K * 127773) - 2836 * K
      IF (ISEED .LT. 0) ISEED = ISEED + 2147483647
      RANDOM = ISEED / 2147483647D0
      END

C     In the last round, sum with varying weights, so order matters.
      DOUBLE PRECISION FUNCTION TOTAL(A, N)
      INTEGER N, I
      DOUBLE PRECISION A(N), SUM(24)
      LOGICAL GOOD, LAST
      COMMON /RESULT/ SUM, GOOD, LAST
      TOTAL = 0D0
      IF (.NOT. LAST) RETURN
      DO 10 I = 1, N
   10    TOTAL = TOTAL + A(I) * (1D0 + MOD(I, 7) / 8D0)
      END

C     Kernels 1 to 6.
      SUBROUTINE GROUP1
      INTEGER N
      PARAMETER (N = 1000)
      DOUBLE PRECISION U(1100), V(1100), W(1100), X(1100), Y(1100),
     1                 Z(1100), SUM(24), P(1100), B(64, 64), G(64)
      DOUBLE PRECISION Q, R, T, TOTAL
      INTEGER I, J, K, L, II, LW
      LOGICAL GOOD, LAST
      COMMON /VECT/ U, V, W, X, Y, Z
      COMMON /RESULT/ SUM, GOOD, LAST
      COMMON /WORK1/ P, B, G
C     1: hydro fragment.
      Q = 0.5D0
      R = 0.25D0
      T = 0.125D0
      DO 10 K = 1, N
   10    P(K) = Q + Y(K) * (R * Z(K + 10) + T * Z(K + 11))
      SUM(1) = TOTAL(P, N)
C     2: incomplete Cholesky, conjugate gradient: halving sweeps that
C        write the reduced half behind the half they read.
      DO 20 K = 1, 1100
   20    P(K) = X(K)
      II = 512
      L = 0
   21 IF (II .LE. 1) GOTO 23
         J = L + II
         I = J
         DO 22 K = L + 2, L + II - 1, 2
            I = I + 1
            P(I) = P(K) - V(K) * P(K - 1) - V(K + 1) * P(K + 1)
   22    CONTINUE
         L = J
         II = II / 2
      GOTO 21
   23 SUM(2) = TOTAL(P, 1024)
C     3: inner product.
      Q = 0D0
      DO 30 K = 1, N
   30    Q = Q + Z(K) * X(K)
      SUM(3) = Q
      R = 0D0
      DO 31 K = N, 1, -1
   31    R = R + Z(K) * X(K)
      IF (ABS(Q - R) .GT. 1D-9) GOOD = .FALSE.
C     4: banded linear equations.
      DO 40 K = 1, N
   40    P(K) = X(K)
      DO 42 K = 7, N, 497
         LW = K - 6
         T = P(K - 1)
         DO 41 J = 5, N, 5
            T = T - P(LW) * Y(J) * 0.01D0
            LW = LW + 1
            IF (LW .GT. N) LW = 1
   41    CONTINUE
   42    P(K - 1) = Y(5) * T
      SUM(4) = TOTAL(P, N)
C     5: tri-diagonal elimination, below the diagonal.
      P(1) = X(1)
      DO 50 I = 2, N
   50    P(I) = Z(I) * (Y(I) - P(I - 1))
      SUM(5) = TOTAL(P, N)
      DO 51 I = 2, N
   51    IF (ABS(P(I) / Z(I) + P(I - 1) - Y(I)) .GT. 1D-9) GOOD=.FALSE.
C     6: general linear recurrence equations.
      DO 60 J = 1, 64
         G(J) = 0.01D0 + U(J)
         DO 60 I = 1, 64
   60       B(I, J) = 0.02D0 * V(I + 16 * J)
      DO 61 I = 2, 64
         DO 61 K = 1, I - 1
   61       G(I) = G(I) + B(I, K) * G(I - K)
      SUM(6) = TOTAL(G, 64)
      END

C     Kernels 7 to 12.
      SUBROUTINE GROUP2
      INTEGER N
      PARAMETER (N = 995)
      DOUBLE PRECISION U(1100), V(1100), W(1100), X(1100), Y(1100),
     1                 Z(1100), SUM(24), P(1100), PX(25, 101),
     2                 U1(5, 101, 2), U2(5, 101, 2), U3(5, 101, 2),
     3                 D1(101), D2(101), D3(101), C(12)
      DOUBLE PRECISION Q, R, T, A, B, TOTAL
      INTEGER I, K, KX, KY, NOLD, NNEW
      LOGICAL GOOD, LAST
      COMMON /VECT/ U, V, W, X, Y, Z
      COMMON /RESULT/ SUM, GOOD, LAST
      COMMON /WORK2/ P, PX, U1, U2, U3, D1, D2, D3, C
C     7: equation of state fragment.
      Q = 0.5D0
      R = 0.25D0
      T = 0.125D0
      DO 70 K = 1, N
   70    P(K) = U(K) + R * (Z(K) + R * Y(K))
     1        + T * (U(K + 3) + R * (U(K + 2) + R * U(K + 1))
     2        + T * (U(K + 6) + Q * (U(K + 5) + Q * U(K + 4))))
      SUM(7) = TOTAL(P, N)
C     8: alternating direction implicit integration.
      DO 80 NNEW = 1, 2
         DO 80 KY = 1, 101
            DO 80 KX = 1, 5
               U1(KX, KY, NNEW) = U(KX + 5 * KY)
               U2(KX, KY, NNEW) = V(KX + 5 * KY)
   80          U3(KX, KY, NNEW) = W(KX + 5 * KY)
      NOLD = 1
      NNEW = 2
      DO 82 KX = 2, 4
         DO 81 KY = 2, 100
            D1(KY) = U1(KX, KY + 1, NOLD) - U1(KX, KY - 1, NOLD)
            D2(KY) = U2(KX, KY + 1, NOLD) - U2(KX, KY - 1, NOLD)
            D3(KY) = U3(KX, KY + 1, NOLD) - U3(KX, KY - 1, NOLD)
            U1(KX, KY, NNEW) = U1(KX, KY, NOLD) + 0.1D0 * D1(KY)
     1         + 0.2D0 * D2(KY) + 0.3D0 * D3(KY)
     2         + 0.05D0 * (U1(KX + 1, KY, NOLD)
     3         - 2D0 * U1(KX, KY, NOLD) + U1(KX - 1, KY, NOLD))
            U2(KX, KY, NNEW) = U2(KX, KY, NOLD) + 0.3D0 * D1(KY)
     1         + 0.1D0 * D2(KY) + 0.2D0 * D3(KY)
     2         + 0.05D0 * (U2(KX + 1, KY, NOLD)
     3         - 2D0 * U2(KX, KY, NOLD) + U2(KX - 1, KY, NOLD))
            U3(KX, KY, NNEW) = U3(KX, KY, NOLD) + 0.2D0 * D1(KY)
     1         + 0.3D0 * D2(KY) + 0.1D0 * D3(KY)
     2         + 0.05D0 * (U3(KX + 1, KY, NOLD)
     3         - 2D0 * U3(KX, KY, NOLD) + U3(KX - 1, KY, NOLD))
   81    CONTINUE
   82 CONTINUE
      SUM(8) = TOTAL(U1(1, 1, 2), 505) + TOTAL(U2(1, 1, 2), 505)
     1       + TOTAL(U3(1, 1, 2), 505)
C     9: integrate predictors; a weighted sum of ten columns.
      DO 90 K = 1, 101
         DO 90 I = 1, 25
   90       PX(I, K) = X(MOD(25 * K + I, 1100) + 1)
      DO 91 I = 1, 12
   91    C(I) = Y(I)
      DO 92 K = 1, 101
   92    PX(1, K) = C(1) * PX(13, K) + C(2) * PX(12, K)
     1      + C(3) * PX(11, K) + C(4) * PX(10, K) + C(5) * PX(9, K)
     2      + C(6) * PX(8, K) + C(7) * PX(7, K)
     3      + C(8) * (PX(5, K) + PX(6, K)) + PX(3, K)
      SUM(9) = TOTAL(PX, 2525)
C     10: difference predictors; a cascade of backward differences.
      DO 101 K = 1, 101
         A = Z(K)
         DO 100 I = 5, 13
            B = A - PX(I, K)
            PX(I, K) = A
  100       A = B
         PX(14, K) = A
  101 CONTINUE
      SUM(10) = TOTAL(PX, 2525)
C     11: first sum; the last is the sum of all.
      P(1) = Y(1)
      T = Y(1)
      DO 110 K = 2, N
         T = T + Y(K)
  110    P(K) = P(K - 1) + Y(K)
      SUM(11) = TOTAL(P, N)
      IF (ABS(P(N) - T) .GT. 1D-9) GOOD = .FALSE.
C     12: first difference; the differences telescope.
      T = 0D0
      DO 120 K = 1, N
  120    P(K) = Y(K + 1) - Y(K)
      DO 121 K = 1, N
  121    T = T + P(K)
      SUM(12) = TOTAL(P, N)
      IF (ABS(T - Y(N + 1) + Y(1)) .GT. 1D-9) GOOD = .FALSE.
      END

C     Kernels 13 to 17: particles, casual FORTRAN, search, conditions.
      SUBROUTINE GROUP3
      INTEGER N
      PARAMETER (N = 1000)
      DOUBLE PRECISION U(1100), V(1100), W(1100), X(1100), Y(1100),
     1                 Z(1100), SUM(24), GRID(64, 64), PART(4, 512),
     2                 RH(1100), EX(1100), VEL(1100), POS(1100),
     3                 VH(101, 7), VS(101, 7), VY(101, 7)
      DOUBLE PRECISION T, S, R, A, B, TOTAL
      INTEGER I, J, K, M, NZONE, NSTEP
      LOGICAL GOOD, LAST
      COMMON /VECT/ U, V, W, X, Y, Z
      COMMON /RESULT/ SUM, GOOD, LAST
      COMMON /WORK3/ GRID, PART, RH, EX, VEL, POS, VH, VS, VY
C     13: two-dimensional particle in cell.
      DO 130 J = 1, 64
         DO 130 I = 1, 64
  130       GRID(I, J) = 0D0
      DO 131 K = 1, 512
         PART(1, K) = 64D0 * U(K)
         PART(2, K) = 64D0 * V(K)
         PART(3, K) = W(K) - 0.5D0
  131    PART(4, K) = X(K) - 0.5D0
      DO 132 K = 1, 512
         I = IAND(INT(PART(1, K)), 63) + 1
         J = IAND(INT(PART(2, K)), 63) + 1
         PART(3, K) = PART(3, K) + Y(I)
         PART(4, K) = PART(4, K) + Z(J)
         PART(1, K) = PART(1, K) + PART(3, K) + 64D0
         PART(2, K) = PART(2, K) + PART(4, K) + 64D0
         I = IAND(INT(PART(1, K)), 63) + 1
         J = IAND(INT(PART(2, K)), 63) + 1
  132    GRID(I, J) = GRID(I, J) + 1D0
      SUM(13) = TOTAL(PART, 2048) + TOTAL(GRID, 4096)
C     14: one-dimensional particle in cell: push, then spread charge.
      DO 140 K = 1, N
         POS(K) = 512D0 * U(K)
         VEL(K) = V(K)
         EX(K) = W(K) - 0.5D0
  140    RH(K) = 0D0
      DO 141 K = 1, N
         I = INT(POS(K))
         VEL(K) = VEL(K) + EX(I + 1) + (POS(K) - I) * EX(I + 2)
         A = POS(K) + VEL(K) + 512D0
         I = INT(A)
         A = A - I
         I = IAND(I, 511) + 1
         POS(K) = I + A
         RH(I) = RH(I) + 1D0 - A
  141    RH(I + 1) = RH(I + 1) + A
      SUM(14) = TOTAL(POS, N) + TOTAL(RH, 514)
C     15: casual FORTRAN: upwind choices with square roots.
      DO 150 J = 1, 7
         DO 150 I = 1, 101
            VH(I, J) = 0.1D0 + U(101 * J + I)
            VS(I, J) = 0.1D0 + V(101 * J + I)
  150       VY(I, J) = 0D0
      DO 153 J = 2, 6
         DO 152 I = 2, 100
            A = 0.053D0
            IF (VH(I, J + 1) .GT. VH(I, J)) A = 0.073D0
            IF (VS(I, J) .LT. VS(I - 1, J)) THEN
               R = MAX(VH(I - 1, J), VH(I - 1, J + 1))
               S = VS(I - 1, J)
            ELSE
               R = MAX(VH(I, J), VH(I, J + 1))
               S = VS(I, J)
            END IF
            VY(I, J) = SQRT(VS(I, J) ** 2 + R * R) * A / S
            B = 0.073D0
            IF (VS(I, J) .GE. VS(I, J - 1)) GOTO 151
            B = 0.053D0
  151       VS(I, J) = VS(I, J) + B * SQRT(VH(I, J) + VY(I, J))
  152    CONTINUE
  153 CONTINUE
      SUM(15) = TOTAL(VY, 707) + TOTAL(VS, 707)
C     16: Monte Carlo search: walk over zones with three-way branches
C         until the walk has made its steps.
      NZONE = 300
      K = 1
      M = 0
      T = 0D0
      DO 165 NSTEP = 1, 2000
         S = U(K) + V(M + 1) - Z(K + M + 1)
         IF (S) 161, 162, 163
  161    K = K + 7
         GOTO 164
  162    K = K + 1
         GOTO 164
  163    K = K + 3
         IF (W(K) .LT. X(M + 1)) T = T + W(K)
  164    IF (K .GT. NZONE) THEN
            K = K - NZONE
            M = MOD(M + 11, 301)
         END IF
         T = T + S * 0.001D0
  165 CONTINUE
      SUM(16) = T + K
C     17: implicit conditional computation, backwards with a carry.
      T = 0.5D0
      S = 1D0
      DO 172 I = N, 2, -1
         R = T * Y(I) + S * 0.5D0
         IF (R .GT. X(I)) GOTO 171
         S = 0.5D0 * (S + R)
         T = Z(I) * S
         POS(I) = T + V(I)
         GOTO 172
  171    T = 0.5D0 * (Z(I) + T)
         S = R * U(I) + 0.25D0
         POS(I) = T * S
  172 CONTINUE
      SUM(17) = TOTAL(POS, N)
      END

C     Kernels 18 to 24.
      SUBROUTINE GROUP4
      INTEGER N, JN, KN
      PARAMETER (N = 1000, JN = 100, KN = 7)
      DOUBLE PRECISION U(1100), V(1100), W(1100), X(1100), Y(1100),
     1                 Z(1100), SUM(24), ZA(101, 7), ZB(101, 7),
     2                 ZP(101, 7), ZQ(101, 7), ZR(101, 7), ZM(101, 7),
     3                 ZU(101, 7), ZV(101, 7), ZZ(101, 7), P(1100),
     4                 PX(25, 101), VY(25, 25), CX(25, 101), S, T, D,
     5                 TOTAL
      INTEGER I, J, K, L
      LOGICAL GOOD, LAST
      COMMON /VECT/ U, V, W, X, Y, Z
      COMMON /RESULT/ SUM, GOOD, LAST
      COMMON /WORK4/ ZA, ZB, ZP, ZQ, ZR, ZM, ZU, ZV, ZZ, P, PX, VY, CX
C     18: two-dimensional explicit hydrodynamics.
      T = 0.0037D0
      S = 0.0041D0
      DO 180 K = 1, KN
         DO 180 J = 1, JN + 1
            I = 101 * K + J
            ZP(J, K) = U(I)
            ZQ(J, K) = V(I)
            ZR(J, K) = 0.5D0 + W(I)
            ZM(J, K) = 1D0 + X(I)
            ZZ(J, K) = Y(I)
            ZU(J, K) = 0D0
            ZV(J, K) = 0D0
            ZA(J, K) = 0D0
  180       ZB(J, K) = 0D0
      DO 181 K = 2, KN - 1
         DO 181 J = 2, JN
            ZA(J, K) = (ZP(J - 1, K + 1) + ZQ(J - 1, K + 1)
     1         - ZP(J - 1, K) - ZQ(J - 1, K))
     2         * (ZR(J, K) + ZR(J - 1, K))
     3         / (ZM(J - 1, K) + ZM(J - 1, K + 1))
  181       ZB(J, K) = (ZP(J - 1, K) + ZQ(J - 1, K)
     1         - ZP(J, K) - ZQ(J, K)) * (ZR(J, K) + ZR(J, K - 1))
     2         / (ZM(J, K) + ZM(J - 1, K))
      DO 182 K = 2, KN - 1
         DO 182 J = 2, JN
            ZU(J, K) = ZU(J, K)
     1         + S * (ZA(J, K) * (ZZ(J, K) - ZZ(J + 1, K))
     2         - ZA(J - 1, K) * (ZZ(J, K) - ZZ(J - 1, K))
     3         - ZB(J, K) * (ZZ(J, K) - ZZ(J, K - 1))
     4         + ZB(J, K + 1) * (ZZ(J, K) - ZZ(J, K + 1)))
  182       ZV(J, K) = ZV(J, K)
     1         + S * (ZA(J, K) * (ZR(J, K) - ZR(J + 1, K))
     2         - ZA(J - 1, K) * (ZR(J, K) - ZR(J - 1, K))
     3         - ZB(J, K) * (ZR(J, K) - ZR(J, K - 1))
     4         + ZB(J, K + 1) * (ZR(J, K) - ZR(J, K + 1)))
      DO 183 K = 2, KN - 1
         DO 183 J = 2, JN
            ZR(J, K) = ZR(J, K) + T * ZU(J, K)
  183       ZZ(J, K) = ZZ(J, K) + T * ZV(J, K)
      SUM(18) = TOTAL(ZR, 707) + TOTAL(ZZ, 707)
C     19: general linear recurrence, forwards and then backwards.
      T = 0.1D0
      DO 190 K = 1, N
         P(K) = U(K) + T * V(K)
  190    T = P(K) - T
      DO 191 K = N, 1, -1
         P(K) = P(K) + U(K) + T * V(K)
  191    T = 0.25D0 * (P(K) - T)
      SUM(19) = TOTAL(P, N)
C     20: discrete ordinates transport.
      T = 0.5D0
      DO 200 K = 1, N
         D = Y(K) - W(K) / (T + 0.5D0)
         S = 0.2D0
         IF (D .NE. 0D0) S = MAX(0.1D0, MIN(Z(K) / D, 0.2D0))
         P(K) = ((W(K) + V(K) * S) * T + U(K)) / (X(K) + V(K) * S
     1          + 0.5D0)
  200    T = (P(K) - T) * S + 0.5D0 * T + 0.1D0
      SUM(20) = TOTAL(P, N)
C     21: matrix product.
      DO 210 J = 1, 101
         DO 210 I = 1, 25
            PX(I, J) = 0D0
  210       CX(I, J) = U(MOD(25 * J + I, 1100) + 1)
      DO 211 J = 1, 25
         DO 211 I = 1, 25
  211       VY(I, J) = V(25 * J + I)
      DO 212 K = 1, 25
         DO 212 I = 1, 25
            DO 212 J = 1, 101
  212          PX(I, J) = PX(I, J) + VY(I, K) * CX(K, J)
      SUM(21) = TOTAL(PX, 2525)
      T = 0D0
      DO 213 K = 1, 25
  213    T = T + VY(17, K) * CX(K, 59)
      IF (ABS(T - PX(17, 59)) .GT. 1D-9) GOOD = .FALSE.
C     22: Planckian distribution.
      DO 220 K = 1, 101
         P(K) = MIN(U(K) / (V(K) + 0.05D0), 20D0)
  220    P(K + 101) = X(K) / (EXP(P(K)) - 0.5D0)
      SUM(22) = TOTAL(P, 202)
C     23: two-dimensional implicit hydrodynamics: Gauss-Seidel sweeps.
      DO 230 J = 2, 6
         DO 230 K = 2, 100
            T = ZA(K, J + 1) * ZR(K, J) + ZA(K, J - 1) * ZB(K, J)
     1        + ZA(K + 1, J) * ZU(K, J) + ZA(K - 1, J) * ZV(K, J)
     2        + ZZ(K, J)
  230       ZA(K, J) = ZA(K, J) + 0.175D0 * (T - ZA(K, J))
      SUM(23) = TOTAL(ZA, 707)
C     24: location of the first minimum.
      X(500) = -1D0
      L = 1
      DO 240 K = 2, N
         IF (X(K) .LT. X(L)) L = K
  240 CONTINUE
      SUM(24) = L
      IF (L .NE. 500) GOOD = .FALSE.
      END
