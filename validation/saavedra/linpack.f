C     Dense linear equations by Gaussian elimination with partial
C     pivoting, column by column through vector subroutines, as the
C     Linpack benchmark does (Saavedra 1988, section 5.2.1).
C     Each round factors and solves a new random system of order N whose
C     solution is the vector of ones.
C     Check: the residual, scaled by order, norm and precision, is of
C     order one, and the solution is near one.
C     Argument: number of rounds with order 100.
      PROGRAM LINPCK
      INTEGER LDA, N
      PARAMETER (LDA = 101, N = 100)
      DOUBLE PRECISION A(LDA, N), B(N), X(N), R, WORST, OFF, RESID
      INTEGER IPVT(N), NROUND, IROUND, ISEED, I
      CHARACTER*16 ARG
      COMMON /SYSTEM/ A, B, X, IPVT
      NROUND = 1500
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      ISEED = 1325
      WORST = 0D0
      OFF = 0D0
      DO 20 IROUND = 1, NROUND
         CALL MATGEN(A, LDA, N, B, ISEED)
         CALL FACTOR(A, LDA, N, IPVT)
         CALL SOLVE(A, LDA, N, IPVT, B)
         DO 10 I = 1, N
            X(I) = B(I)
   10       OFF = MAX(OFF, ABS(X(I) - 1D0))
   20 CONTINUE
C     Residual of one more system, made and solved in two copies.
      I = ISEED
      CALL MATGEN(A, LDA, N, B, ISEED)
      CALL FACTOR(A, LDA, N, IPVT)
      CALL SOLVE(A, LDA, N, IPVT, B)
      DO 30 IROUND = 1, N
   30    X(IROUND) = B(IROUND)
      CALL MATGEN(A, LDA, N, B, I)
      R = RESID(A, LDA, N, B, X)
      WORST = MAX(WORST, R)
      WRITE (*, 900) WORST, OFF
  900 FORMAT (' LINPACK  SCALED RESIDUAL', F8.3, '  ERROR', 1PE10.2)
      IF (.NOT. (WORST .LT. 100D0 .AND. OFF .LT. 1D-5)) STOP 1
      WRITE (*, *) 'OK'
      END

C     Random matrix in (-1/2,1/2) and its row sums as right side.
      SUBROUTINE MATGEN(A, LDA, N, B, ISEED)
      INTEGER LDA, N, ISEED, I, J
      DOUBLE PRECISION A(LDA, N), B(N)
      DO 10 I = 1, N
   10    B(I) = 0D0
      DO 20 J = 1, N
         DO 20 I = 1, N
            ISEED = MOD(3125 * ISEED, 65536)
            A(I, J) = (ISEED - 32768D0) / 65536D0
            B(I) = B(I) + A(I, J)
   20 CONTINUE
C     A new residue class of the generator for the next matrix.
      ISEED = MOD(ISEED + 2 * MOD(ISEED / 8, 97) + 2, 65536)
      END

C     A = P L U in place; L has a unit diagonal and is stored negated.
      SUBROUTINE FACTOR(A, LDA, N, IPVT)
      INTEGER LDA, N, IPVT(N), J, K, L, IAMAX
      DOUBLE PRECISION A(LDA, N), T
      DO 30 K = 1, N - 1
         L = IAMAX(N - K + 1, A(K, K)) + K - 1
         IPVT(K) = L
         IF (A(L, K) .EQ. 0D0) STOP 1
         T = A(L, K)
         A(L, K) = A(K, K)
         A(K, K) = T
         CALL SCALE(N - K, -1D0 / T, A(K + 1, K))
         DO 20 J = K + 1, N
            T = A(L, J)
            A(L, J) = A(K, J)
            A(K, J) = T
            CALL AXPY(N - K, T, A(K + 1, K), A(K + 1, J))
   20    CONTINUE
   30 CONTINUE
      IPVT(N) = N
      END

      SUBROUTINE SOLVE(A, LDA, N, IPVT, B)
      INTEGER LDA, N, IPVT(N), K, L
      DOUBLE PRECISION A(LDA, N), B(N), T
      DO 10 K = 1, N - 1
         L = IPVT(K)
         T = B(L)
         B(L) = B(K)
         B(K) = T
         CALL AXPY(N - K, T, A(K + 1, K), B(K + 1))
   10 CONTINUE
      DO 20 K = N, 1, -1
         B(K) = B(K) / A(K, K)
         CALL AXPY(K - 1, -B(K), A(1, K), B)
   20 CONTINUE
      END

C     Y = Y + T * X
      SUBROUTINE AXPY(N, T, X, Y)
      INTEGER N, I
      DOUBLE PRECISION T, X(*), Y(*)
      IF (T .EQ. 0D0) RETURN
      DO 10 I = 1, N
   10    Y(I) = Y(I) + T * X(I)
      END

      SUBROUTINE SCALE(N, T, X)
      INTEGER N, I
      DOUBLE PRECISION T, X(*)
      DO 10 I = 1, N
   10    X(I) = T * X(I)
      END

C     Index of the element of largest magnitude.
      INTEGER FUNCTION IAMAX(N, X)
      INTEGER N, I
      DOUBLE PRECISION X(*), BIG
      IAMAX = 1
      BIG = ABS(X(1))
      DO 10 I = 2, N
         IF (ABS(X(I)) .GT. BIG) THEN
            IAMAX = I
            BIG = ABS(X(I))
         END IF
   10 CONTINUE
      END

C     max|b - A x| / (n max|A| max|x| eps)
      DOUBLE PRECISION FUNCTION RESID(A, LDA, N, B, X)
      INTEGER LDA, N, I, J
      DOUBLE PRECISION A(LDA, N), B(N), X(N), T, XMAX, AMAX
      RESID = 0D0
      XMAX = 0D0
      AMAX = 0D0
      DO 20 I = 1, N
         T = B(I)
         DO 10 J = 1, N
            AMAX = MAX(AMAX, ABS(A(I, J)))
   10       T = T - A(I, J) * X(J)
         RESID = MAX(RESID, ABS(T))
         XMAX = MAX(XMAX, ABS(X(I)))
   20 CONTINUE
      RESID = RESID / (N * AMAX * XMAX * 2.22D-16)
      END
