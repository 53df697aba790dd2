C     Shell sort (D. L. Shell 1959; Knuth, volume 3, section 5.2.1) of
C     10000 random numbers, several rounds of new numbers
C     (Saavedra 1988, section 5.2.1).
C     Check: the result rises and has the sum of the input.
C     Argument: number of rounds.
      PROGRAM SHELL
      INTEGER N, NROUND, IROUND, ISEED, I
      PARAMETER (N = 10000)
      INTEGER KEY(N)
      DOUBLE PRECISION BEFORE, AFTER
      CHARACTER*16 ARG
      COMMON /KEYS/ KEY
      NROUND = 250
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      ISEED = 4711
      DO 40 IROUND = 1, NROUND
         BEFORE = 0D0
         DO 10 I = 1, N
            CALL RANDOM(ISEED)
            KEY(I) = ISEED
   10       BEFORE = BEFORE + ISEED
         CALL SORT(KEY, N)
         AFTER = KEY(1)
         DO 20 I = 2, N
            IF (KEY(I - 1) .GT. KEY(I)) STOP 1
   20       AFTER = AFTER + KEY(I)
         IF (AFTER .NE. BEFORE) STOP 1
   40 CONTINUE
      WRITE (*, *) 'SHELL   SMALLEST', KEY(1), ' LARGEST', KEY(N)
      WRITE (*, *) 'OK'
      END

C     Increments 1, 4, 13, 40, ... (3h + 1), largest first.
      SUBROUTINE SORT(KEY, N)
      INTEGER N, KEY(N), H, I, J, K
      H = 1
   10 IF (H .GT. N / 9) GOTO 20
         H = 3 * H + 1
      GOTO 10
   20 DO 50 I = H + 1, N
         K = KEY(I)
         J = I
   30    IF (J .LE. H) GOTO 40
         IF (KEY(J - H) .LE. K) GOTO 40
            KEY(J) = KEY(J - H)
            J = J - H
         GOTO 30
   40    KEY(J) = K
   50 CONTINUE
      H = H / 3
      IF (H .GT. 0) GOTO 20
      END

C     Next of the minimal standard generator (Park and Miller 1988).
      SUBROUTINE RANDOM(ISEED)
      INTEGER ISEED, K
      K = ISEED / 127773
      ISEED = 16807 * (ISEED - K * 127773) - 2836 * K
      IF (ISEED .LT. 0) ISEED = ISEED + 2147483647
      END
