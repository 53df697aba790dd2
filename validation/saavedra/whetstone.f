C     The Whetstone statement mix (Curnow and Wichmann, "A synthetic
C     benchmark", Computer Journal 19, 1976; Saavedra 1988, 5.2.1):
C     eight modules, each a loop over one kind of statement, with the
C     published weights.
C     Check: the modules have known results: the averaging ones keep
C     their value within bounds, the integer one is a fixed point, and
C     SQRT(EXP(LOG(X)/T1)) is X raised to a known power.
C     Argument: number of rounds; one round is 100 times the weights.
      PROGRAM WHET
      DOUBLE PRECISION OUT(8)
      INTEGER NROUND, IROUND
      LOGICAL GOOD
      CHARACTER*16 ARG
      NROUND = 250
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      GOOD = .TRUE.
      DO 10 IROUND = 1, NROUND
         CALL ROUND(100, OUT, GOOD)
   10 CONTINUE
      WRITE (*, 900) OUT
  900 FORMAT (' WHETSTONE ', 4F14.10)
      IF (.NOT. GOOD) STOP 1
      WRITE (*, *) 'OK'
      END

C     All modules once; OUT tells their results, GOOD their checks.
      SUBROUTINE ROUND(LOOP, OUT, GOOD)
      INTEGER LOOP
      DOUBLE PRECISION OUT(8)
      LOGICAL GOOD
      DOUBLE PRECISION T, T1, T2, E1(4), X, Y, Z, X1, X2, X3, X4
      INTEGER J, K, L
      COMMON /PARAM/ T, T1, T2, E1, J, K, L
      INTEGER I, N2, N3, N4, N6, N7, N8, N9, N11
      DOUBLE PRECISION WANT
      T = 0.499975D0
      T1 = 0.50025D0
      T2 = 2D0
      N2 = 12 * LOOP
      N3 = 14 * LOOP
      N4 = 345 * LOOP
      N6 = 210 * LOOP
      N7 = 32 * LOOP
      N8 = 899 * LOOP
      N9 = 616 * LOOP
      N11 = 93 * LOOP
C     Module 2: array elements.
      CALL UNIT
      DO 20 I = 1, N2
         E1(1) = (E1(1) + E1(2) + E1(3) - E1(4)) * T
         E1(2) = (E1(1) + E1(2) - E1(3) + E1(4)) * T
         E1(3) = (E1(1) - E1(2) + E1(3) + E1(4)) * T
         E1(4) = (-E1(1) + E1(2) + E1(3) + E1(4)) * T
   20 CONTINUE
      CALL BOUND(E1, OUT(1), GOOD)
C     Module 3: an array as parameter.
      CALL UNIT
      DO 30 I = 1, N3
   30    CALL PA(E1)
      CALL BOUND(E1, OUT(3), GOOD)
C     Module 4: conditional jumps.
      J = 1
      DO 44 I = 1, N4
         IF (J .EQ. 1) GOTO 41
         J = 3
         GOTO 42
   41    J = 2
   42    IF (J .GT. 2) GOTO 43
         J = 1
         GOTO 44
   43    J = 0
         IF (J .LT. 1) J = 1
   44 CONTINUE
      GOOD = GOOD .AND. J .EQ. 1
C     Module 6: integer arithmetic and subscripts.
      J = 1
      K = 2
      L = 3
      DO 60 I = 1, N6
         J = J * (K - J) * (L - K)
         K = L * K - (L - J) * K
         L = (L - K) * (K + J)
         E1(L - 1) = J + K + L
         E1(K - 1) = J * K * L
   60 CONTINUE
      GOOD = GOOD .AND. J .EQ. 1 .AND. K .EQ. 2 .AND. L .EQ. 3
      GOOD = GOOD .AND. E1(2) .EQ. 6D0 .AND. E1(1) .EQ. 6D0
C     Module 7: trigonometric functions.
      X = 0.5D0
      Y = 0.5D0
      DO 70 I = 1, N7
         X = T * ATAN(T2 * SIN(X) * COS(X)
     1       / (COS(X + Y) + COS(X - Y) - 1D0))
         Y = T * ATAN(T2 * SIN(Y) * COS(Y)
     1       / (COS(X + Y) + COS(X - Y) - 1D0))
   70 CONTINUE
      OUT(5) = X
      OUT(6) = Y
      GOOD = GOOD .AND. X .GT. 0D0 .AND. X .LE. 0.5D0
     1       .AND. ABS(X - Y) .LT. 1D-2
C     Module 8: procedure calls.
      X = 1D0
      Y = 1D0
      Z = 1D0
      DO 80 I = 1, N8
   80    CALL P3(X, Y, Z)
      WANT = (T * (X + Y) + T * (T * (X + Y) + Y)) / T2
      GOOD = GOOD .AND. ABS(Z - WANT) .LT. 1D-12
C     Module 9: array references in a procedure without parameters.
      J = 1
      K = 2
      L = 3
      E1(1) = 1D0
      E1(2) = 2D0
      E1(3) = 3D0
      DO 90 I = 1, N9
   90    CALL P0
      WANT = E1(1) + E1(2) + E1(3)
      GOOD = GOOD .AND. (WANT .EQ. 7D0 .OR. WANT .EQ. 8D0)
C     Module 11: standard functions.
      X = 0.75D0
      DO 110 I = 1, N11
  110    X = SQRT(EXP(LOG(X) / T1))
      X1 = LOG(0.75D0)
      X2 = -N11 * LOG(2D0 * T1)
      X3 = EXP(X1 * EXP(X2))
      X4 = X - X3
      OUT(7) = X
      OUT(8) = X3
      GOOD = GOOD .AND. ABS(X4) .LT. 1D-9
      END

      SUBROUTINE UNIT
      DOUBLE PRECISION T, T1, T2, E1(4)
      INTEGER J, K, L
      COMMON /PARAM/ T, T1, T2, E1, J, K, L
      E1(1) = 1D0
      E1(2) = -1D0
      E1(3) = -1D0
      E1(4) = -1D0
      END

C     Modules 2 and 3 converge slowly towards a small vector.
      SUBROUTINE BOUND(E, OUT, GOOD)
      DOUBLE PRECISION E(4), OUT(2)
      LOGICAL GOOD
      INTEGER I
      OUT(1) = E(1)
      OUT(2) = E(4)
      DO 10 I = 1, 4
   10    GOOD = GOOD .AND. ABS(E(I)) .LE. 1.5D0
      END

      SUBROUTINE PA(E)
      DOUBLE PRECISION T, T1, T2, E1(4), E(4)
      INTEGER J, K, L, I
      COMMON /PARAM/ T, T1, T2, E1, J, K, L
      DO 10 I = 1, 6
         E(1) = (E(1) + E(2) + E(3) - E(4)) * T
         E(2) = (E(1) + E(2) - E(3) + E(4)) * T
         E(3) = (E(1) - E(2) + E(3) + E(4)) * T
         E(4) = (-E(1) + E(2) + E(3) + E(4)) / T2
   10 CONTINUE
      END

      SUBROUTINE P0
      DOUBLE PRECISION T, T1, T2, E1(4)
      INTEGER J, K, L
      COMMON /PARAM/ T, T1, T2, E1, J, K, L
      E1(J) = E1(K)
      E1(K) = E1(L)
      E1(L) = E1(J)
      END

      SUBROUTINE P3(X, Y, Z)
      DOUBLE PRECISION T, T1, T2, E1(4), X, Y, Z, X1, Y1
      INTEGER J, K, L
      COMMON /PARAM/ T, T1, T2, E1, J, K, L
      X1 = T * (X + Y)
      Y1 = T * (X1 + Y)
      Z = (X1 + Y1) / T2
      END
