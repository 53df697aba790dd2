C     The seven kernels of the NAS kernel benchmark (Bailey and Barton
C     1985; Saavedra 1988, section 5.2.1), written anew from their
C     mathematics: MXM, CFFT2D, CHOLSKY, BTRIX, GMTRY, EMIT, VPENTA.
C     Check: each kernel by the equation it solves: direct elements of
C     the product, inverse transform, residuals of the linear systems,
C     circulation of the vortices.
C     Argument: number of rounds.
      PROGRAM NASKER
      INTEGER NROUND, IROUND, ISEED, K
      DOUBLE PRECISION ERR(7)
      CHARACTER*16 ARG
      NROUND = 100
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      ISEED = 27182
      DO 10 K = 1, 7
   10    ERR(K) = 0D0
      DO 20 IROUND = 1, NROUND
         CALL MXM(ISEED, ERR(1))
         CALL CFFT2D(ISEED, ERR(2))
         CALL CHOLSK(ISEED, ERR(3))
         CALL BTRIX(ISEED, ERR(4))
         CALL GMTRY(ISEED, ERR(5))
         CALL EMIT(IROUND, ERR(6))
         CALL VPENTA(ISEED, ERR(7))
   20 CONTINUE
      WRITE (*, 900) ERR
  900 FORMAT (' NAS  ERRORS', 1P, 7E9.1)
      DO 30 K = 1, 7
         IF (.NOT. ERR(K) .LT. 1D-8) STOP 1
   30 CONTINUE
      WRITE (*, *) 'OK'
      END

C     The minimal standard generator (Park and Miller 1988), in (0,1).
      DOUBLE PRECISION FUNCTION RANDOM(ISEED)
      INTEGER ISEED, K
      K = ISEED / 127773
      ISEED = 16807 * (ISEED - K * 127773) - 2836 * K
      IF (ISEED .LT. 0) ISEED = ISEED + 2147483647
      RANDOM = ISEED / 2147483647D0
      END

      SUBROUTINE RFILL(A, N, ISEED)
      INTEGER N, ISEED, I
      DOUBLE PRECISION A(N), RANDOM
      DO 10 I = 1, N
   10    A(I) = RANDOM(ISEED)
      END

C     Outer-product matrix multiply, four columns of A at a time.
      SUBROUTINE MXM(ISEED, ERR)
      INTEGER L, M, N, ISEED, I, J, K
      PARAMETER (L = 128, M = 64, N = 64)
      DOUBLE PRECISION A(L, M), B(M, N), C(L, N), ERR, S
      COMMON /CMXM/ A, B, C
      CALL RFILL(A, L * M, ISEED)
      CALL RFILL(B, M * N, ISEED)
      DO 10 K = 1, N
         DO 10 I = 1, L
   10       C(I, K) = 0D0
      DO 20 J = 1, M, 4
         DO 20 K = 1, N
            DO 20 I = 1, L
   20          C(I, K) = C(I, K) + A(I, J) * B(J, K)
     1            + A(I, J + 1) * B(J + 1, K)
     2            + A(I, J + 2) * B(J + 2, K)
     3            + A(I, J + 3) * B(J + 3, K)
      DO 40 K = 1, N
         I = MOD(37 * K, L) + 1
         S = 0D0
         DO 30 J = 1, M
   30       S = S + A(I, J) * B(J, K)
   40    ERR = MAX(ERR, ABS(S - C(I, K)))
      END

C     Two-dimensional complex transform, forth and back.
      SUBROUTINE CFFT2D(ISEED, ERR)
      INTEGER N, ISEED, I, J
      PARAMETER (N = 64)
      COMPLEX*16 X(N, N), Y(N, N), W(N)
      DOUBLE PRECISION ERR, RANDOM, PI
      PARAMETER (PI = 3.141592653589793D0)
      COMMON /CFFT/ X, Y, W
      DO 10 J = 1, N
         W(J) = DCMPLX(COS(2D0 * PI * (J - 1) / N),
     1                 -SIN(2D0 * PI * (J - 1) / N))
         DO 10 I = 1, N
            X(I, J) = DCMPLX(RANDOM(ISEED), 0D0)
            X(I, J) = X(I, J) + DCMPLX(0D0, RANDOM(ISEED))
   10       Y(I, J) = X(I, J)
      CALL TWODIM(Y, W, N)
      DO 20 J = 1, N
   20    W(J) = DCONJG(W(J))
      CALL TWODIM(Y, W, N)
      DO 30 J = 1, N
         DO 30 I = 1, N
   30       ERR = MAX(ERR, ABS(Y(I, J) / (N * N) - X(I, J)))
      END

      SUBROUTINE TWODIM(X, W, N)
      INTEGER N, I
      COMPLEX*16 X(N, N), W(N)
      DO 10 I = 1, N
   10    CALL FFT(X(1, I), W, N, 1)
      DO 20 I = 1, N
   20    CALL FFT(X(I, 1), W, N, N)
      END

C     Radix-two transform in place of N elements, INC apart.
      SUBROUTINE FFT(X, W, N, INC)
      INTEGER N, INC, I, J, K, HALF, STEP, P, Q
      COMPLEX*16 X(*), W(N), T
      J = 0
      DO 20 I = 0, N - 2
         IF (I .LT. J) THEN
            T = X(I * INC + 1)
            X(I * INC + 1) = X(J * INC + 1)
            X(J * INC + 1) = T
         END IF
         K = N / 2
   10    IF (K .LE. J) THEN
            J = J - K
            K = K / 2
            GOTO 10
         END IF
         J = J + K
   20 CONTINUE
      HALF = 1
   30 IF (HALF .GE. N) RETURN
         STEP = N / (2 * HALF)
         DO 40 K = 0, HALF - 1
            DO 40 I = K, N - 1, 2 * HALF
               P = I * INC + 1
               Q = (I + HALF) * INC + 1
               T = W(K * STEP + 1) * X(Q)
               X(Q) = X(P) - T
   40          X(P) = X(P) + T
         HALF = 2 * HALF
      GOTO 30
      END

C     Banded Cholesky, many matrices at once (the first subscript), and
C     the solution for one right side each.  A(L,J,K) is the element J
C     below the diagonal of column K.
      SUBROUTINE CHOLSK(ISEED, ERR)
      INTEGER NMAT, M, N, ISEED, I, J, K, L
      PARAMETER (NMAT = 64, M = 4, N = 40)
      DOUBLE PRECISION A(NMAT, 0:M, N), C(NMAT, 0:M, N), B(NMAT, N),
     1                 R(NMAT, N), ERR, RANDOM
      COMMON /CCHOL/ A, C, B, R
      DO 10 K = 1, N
         DO 10 J = 0, M
            DO 10 L = 1, NMAT
               A(L, J, K) = RANDOM(ISEED) - 0.5D0
               IF (J .EQ. 0) A(L, J, K) = 5D0 + A(L, J, K)
   10          C(L, J, K) = A(L, J, K)
      CALL RFILL(B, NMAT * N, ISEED)
      DO 15 K = 1, N
         DO 15 L = 1, NMAT
   15       R(L, K) = B(L, K)
C     Factor: scale column K, subtract its products from those right.
      DO 40 K = 1, N
         DO 20 L = 1, NMAT
   20       A(L, 0, K) = 1D0 / SQRT(A(L, 0, K))
         DO 25 J = 1, MIN(M, N - K)
            DO 25 L = 1, NMAT
   25          A(L, J, K) = A(L, J, K) * A(L, 0, K)
         DO 30 J = 1, MIN(M, N - K)
            DO 30 I = J, MIN(M, N - K)
               DO 30 L = 1, NMAT
   30             A(L, I - J, K + J) = A(L, I - J, K + J)
     1               - A(L, I, K) * A(L, J, K)
   40 CONTINUE
C     Forward and back.
      DO 60 K = 1, N
         DO 50 L = 1, NMAT
   50       B(L, K) = B(L, K) * A(L, 0, K)
         DO 60 J = 1, MIN(M, N - K)
            DO 60 L = 1, NMAT
   60          B(L, K + J) = B(L, K + J) - A(L, J, K) * B(L, K)
      DO 80 K = N, 1, -1
         DO 70 J = 1, MIN(M, N - K)
            DO 70 L = 1, NMAT
   70          B(L, K) = B(L, K) - A(L, J, K) * B(L, K + J)
         DO 80 L = 1, NMAT
   80       B(L, K) = B(L, K) * A(L, 0, K)
C     Residual with the symmetric band.
      DO 90 K = 1, N
         DO 90 L = 1, NMAT
            R(L, K) = R(L, K) - C(L, 0, K) * B(L, K)
            DO 90 J = 1, MIN(M, N - K)
               R(L, K) = R(L, K) - C(L, J, K) * B(L, K + J)
   90          R(L, K + J) = R(L, K + J) - C(L, J, K) * B(L, K)
      DO 95 K = 1, N
         DO 95 L = 1, NMAT
   95       ERR = MAX(ERR, ABS(R(L, K)))
      END

C     Block tri-diagonal systems with 5 x 5 blocks along K, many lines
C     at once (L): A x(k-1) + B x(k) + C x(k+1) = F.
      SUBROUTINE BTRIX(ISEED, ERR)
      INTEGER NL, NK, ISEED, I, J, K, L
      PARAMETER (NL = 30, NK = 30)
      DOUBLE PRECISION A(NL, 5, 5, NK), B(NL, 5, 5, NK),
     1                 C(NL, 5, 5, NK), F(NL, 5, NK), D(NL, 5, 5, NK),
     2                 E(NL, 5, 5, NK), G(NL, 5, NK), ERR, R
      COMMON /CBTRI/ A, B, C, F, D, E, G
      CALL RFILL(A, NL * 25 * NK, ISEED)
      CALL RFILL(B, NL * 25 * NK, ISEED)
      CALL RFILL(C, NL * 25 * NK, ISEED)
      CALL RFILL(F, NL * 5 * NK, ISEED)
      DO 20 K = 1, NK
         DO 20 I = 1, 5
            DO 10 L = 1, NL
               B(L, I, I, K) = B(L, I, I, K) + 15D0
   10          G(L, I, K) = F(L, I, K)
            DO 20 J = 1, 5
               DO 20 L = 1, NL
                  D(L, I, J, K) = B(L, I, J, K)
   20             E(L, I, J, K) = C(L, I, J, K)
C     Forward: D = B - A E(k-1); then G = F - A G(k-1); E = C / D.
      DO 40 K = 1, NK
         IF (K .GT. 1) CALL BLKSUB(A(1, 1, 1, K), E(1, 1, 1, K - 1),
     1      G(1, 1, K - 1), D(1, 1, 1, K), G(1, 1, K), NL)
         CALL BLKDIV(D(1, 1, 1, K), E(1, 1, 1, K), G(1, 1, K), NL)
   40 CONTINUE
C     Back: G(k) = G(k) - E(k) G(k+1).
      DO 50 K = NK - 1, 1, -1
         DO 50 J = 1, 5
            DO 50 I = 1, 5
               DO 50 L = 1, NL
   50             G(L, I, K) = G(L, I, K)
     1               - E(L, I, J, K) * G(L, J, K + 1)
      DO 70 K = 1, NK
         DO 70 I = 1, 5
            DO 70 L = 1, NL
               R = F(L, I, K)
               DO 60 J = 1, 5
                  R = R - B(L, I, J, K) * G(L, J, K)
                  IF (K .GT. 1) R = R - A(L, I, J, K) * G(L, J, K - 1)
   60             IF (K .LT. NK) R = R - C(L, I, J, K) * G(L, J, K + 1)
   70          ERR = MAX(ERR, ABS(R))
      END

C     D = D - A E and G = G - A GP, for all lines.
      SUBROUTINE BLKSUB(A, E, GP, D, G, NL)
      INTEGER NL, I, J, M, L
      DOUBLE PRECISION A(NL, 5, 5), E(NL, 5, 5), GP(NL, 5),
     1                 D(NL, 5, 5), G(NL, 5)
      DO 20 M = 1, 5
         DO 20 I = 1, 5
            DO 10 L = 1, NL
   10          G(L, I) = G(L, I) - A(L, I, M) * GP(L, M)
            DO 20 J = 1, 5
               DO 20 L = 1, NL
   20             D(L, I, J) = D(L, I, J) - A(L, I, M) * E(L, M, J)
      END

C     E = E / D and G = G / D by Gauss-Jordan elimination, all lines.
      SUBROUTINE BLKDIV(D, E, G, NL)
      INTEGER NL, I, J, K, L
      DOUBLE PRECISION D(NL, 5, 5), E(NL, 5, 5), G(NL, 5), P
      DO 50 K = 1, 5
         DO 20 L = 1, NL
            P = 1D0 / D(L, K, K)
            G(L, K) = G(L, K) * P
            DO 10 J = 1, 5
               D(L, K, J) = D(L, K, J) * P
   10          E(L, K, J) = E(L, K, J) * P
   20    CONTINUE
         DO 40 I = 1, 5
            IF (I .EQ. K) GOTO 40
            DO 30 L = 1, NL
               P = D(L, I, K)
               G(L, I) = G(L, I) - P * G(L, K)
               DO 30 J = 1, 5
                  D(L, I, J) = D(L, I, J) - P * D(L, K, J)
   30             E(L, I, J) = E(L, I, J) - P * E(L, K, J)
   40    CONTINUE
   50 CONTINUE
      END

C     Vortex method set-up: points on a perturbed circle, influence
C     matrix of logarithms of distances, Gaussian elimination.
      SUBROUTINE GMTRY(ISEED, ERR)
      INTEGER N, ISEED, I, J, K
      PARAMETER (N = 100)
      DOUBLE PRECISION A(N, N), C(N, N), X(N), R(N), ERR, PI, T, RANDOM
      COMPLEX*16 Z(N)
      PARAMETER (PI = 3.141592653589793D0)
      COMMON /CGMTRY/ A, C, X, R, Z
      DO 10 I = 1, N
         T = 3D0 + 0.1D0 * RANDOM(ISEED)
   10    Z(I) = T * DCMPLX(COS(2D0 * PI * I / N), SIN(2D0 * PI * I / N))
      DO 20 J = 1, N
         DO 20 I = 1, N
            T = ABS(Z(I) - Z(J))
            A(I, J) = 0D0
            IF (I .NE. J) A(I, J) = LOG(T) / N
            IF (I .EQ. J) A(I, J) = 3D0
   20       C(I, J) = A(I, J)
      DO 25 I = 1, N
         X(I) = RANDOM(ISEED)
   25    R(I) = X(I)
      DO 40 K = 1, N
         A(K, K) = 1D0 / A(K, K)
         DO 30 I = K + 1, N
   30       A(I, K) = A(I, K) * A(K, K)
         DO 40 J = K + 1, N
            DO 40 I = K + 1, N
   40          A(I, J) = A(I, J) - A(I, K) * A(K, J)
      DO 50 K = 1, N
         DO 50 I = K + 1, N
   50       X(I) = X(I) - A(I, K) * X(K)
      DO 60 K = N, 1, -1
         X(K) = X(K) * A(K, K)
         DO 60 I = 1, K - 1
   60       X(I) = X(I) - A(I, K) * X(K)
      DO 80 I = 1, N
         DO 70 J = 1, N
   70       R(I) = R(I) - C(I, J) * X(J)
   80    ERR = MAX(ERR, ABS(R(I)))
      END

C     Vortices on two walls induce velocity at NP control points; new
C     vortices of the strength that cancels it there are emitted.
C     Check: the velocity field is that of z/(z*z - c*c) pairs, whose
C     sum over a symmetric set vanishes at the centre.
      SUBROUTINE EMIT(IROUND, ERR)
      INTEGER NV, NP, IROUND, I, J
      PARAMETER (NV = 200, NP = 60)
      COMPLEX*16 Z(NV), P(NP), U(NP), S, CENTRE
      DOUBLE PRECISION GAMMA(NV), ERR, PI, PHI, CIRC
      PARAMETER (PI = 3.141592653589793D0)
      COMMON /CEMIT/ Z, P, U, GAMMA
      PHI = 0.01D0 * IROUND
      DO 10 J = 1, NV
         Z(J) = EXP(DCMPLX(0.3D0, 2D0 * PI * J / NV + PHI))
   10    GAMMA(J) = 1D0 / NV
      CIRC = 0D0
      DO 30 I = 1, NP
         P(I) = 2.5D0 * EXP(DCMPLX(0D0, 2D0 * PI * I / NP))
         S = (0D0, 0D0)
         DO 20 J = 1, NV
   20       S = S + GAMMA(J) / (P(I) - Z(J))
         U(I) = S / DCMPLX(0D0, 2D0 * PI)
C        Velocity along the circle times its length element.
   30    CIRC = CIRC + DBLE(U(I) * DCMPLX(0D0, 1D0) * P(I))
     1          * 2D0 * PI / NP
      CENTRE = (0D0, 0D0)
      DO 40 J = 1, NV
   40    CENTRE = CENTRE + GAMMA(J) / Z(J)
      ERR = MAX(ERR, ABS(CIRC - 1D0), ABS(CENTRE))
      END

C     Three pentadiagonal systems per line, all lines at once (J):
C     a x(k-2) + b x(k-1) + c x(k) + d x(k+1) + e x(k+2) = f.
      SUBROUTINE VPENTA(ISEED, ERR)
      INTEGER NJ, NK, ISEED, J, K, M
      PARAMETER (NJ = 128, NK = 64)
      DOUBLE PRECISION A(NJ, NK), B(NJ, NK), C(NJ, NK), D(NJ, NK),
     1                 E(NJ, NK), F(NJ, NK, 3), X(NJ, NK, 3),
     2                 Y(NJ, NK), Z(NJ, NK), ERR, P, Q, R
      COMMON /CPENTA/ A, B, C, D, E, F, X, Y, Z
      CALL RFILL(A, NJ * NK, ISEED)
      CALL RFILL(B, NJ * NK, ISEED)
      CALL RFILL(C, NJ * NK, ISEED)
      CALL RFILL(D, NJ * NK, ISEED)
      CALL RFILL(E, NJ * NK, ISEED)
      CALL RFILL(F, NJ * NK * 3, ISEED)
      DO 10 K = 1, NK
         DO 10 J = 1, NJ
   10       C(J, K) = C(J, K) + 5D0
C     Elimination leaves x(k) + y x(k+1) + z x(k+2) = x'.
      DO 30 K = 1, NK
         DO 30 J = 1, NJ
            P = C(J, K)
            Q = D(J, K)
            R = B(J, K)
            IF (K .GT. 2) THEN
               R = R - A(J, K) * Y(J, K - 2)
               P = P - A(J, K) * Z(J, K - 2)
            END IF
            IF (K .GT. 1) THEN
               P = P - R * Y(J, K - 1)
               Q = Q - R * Z(J, K - 1)
            END IF
            P = 1D0 / P
            Y(J, K) = Q * P
            Z(J, K) = E(J, K) * P
            DO 20 M = 1, 3
               X(J, K, M) = F(J, K, M)
               IF (K .GT. 2) X(J, K, M) = X(J, K, M)
     1            - A(J, K) * X(J, K - 2, M)
               IF (K .GT. 1) X(J, K, M) = X(J, K, M)
     1            - R * X(J, K - 1, M)
   20          X(J, K, M) = X(J, K, M) * P
   30 CONTINUE
      DO 40 M = 1, 3
         DO 35 J = 1, NJ
   35       X(J, NK - 1, M) = X(J, NK - 1, M) - Y(J, NK - 1)
     1         * X(J, NK, M)
         DO 40 K = NK - 2, 1, -1
            DO 40 J = 1, NJ
   40          X(J, K, M) = X(J, K, M) - Y(J, K) * X(J, K + 1, M)
     1            - Z(J, K) * X(J, K + 2, M)
      DO 50 M = 1, 3
         DO 50 K = 1, NK
            DO 50 J = 1, NJ
               R = F(J, K, M) - C(J, K) * X(J, K, M)
               IF (K .GT. 2) R = R - A(J, K) * X(J, K - 2, M)
               IF (K .GT. 1) R = R - B(J, K) * X(J, K - 1, M)
               IF (K .LT. NK) R = R - D(J, K) * X(J, K + 1, M)
               IF (K .LT. NK - 1) R = R - E(J, K) * X(J, K + 2, M)
   50          ERR = MAX(ERR, ABS(R))
      END
