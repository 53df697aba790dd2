C     Sieve of Eratosthenes on 60000 numbers (Saavedra 1988, table 5.2;
C     the name is spelt as there), repeated on a growing number of
C     integers.
C     Check: the count of primes up to 60000 is 6057, and every further
C     round finds as many as trial division of the added numbers says.
C     Argument: number of rounds.
      PROGRAM ERATHO
      INTEGER NMAX, NROUND, IROUND, N, COUNT, WANT, SIEVE
      PARAMETER (NMAX = 90000)
      LOGICAL PRIME
      CHARACTER*16 ARG
      NROUND = 1500
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NROUND
      N = 60000
      WANT = 6057
      DO 10 IROUND = 1, NROUND
         COUNT = SIEVE(N)
         IF (COUNT .NE. WANT) THEN
            WRITE (*, *) 'ROUND', IROUND, ' FOUND', COUNT, ' NOT', WANT
            STOP 1
         END IF
         IF (N .LT. NMAX) THEN
            N = N + 1
            IF (PRIME(N)) WANT = WANT + 1
         END IF
   10 CONTINUE
      WRITE (*, *) 'ERATHOSTENES ', COUNT, ' PRIMES UP TO ', N - 1
      WRITE (*, *) 'OK'
      END

C     Number of primes up to N.
      INTEGER FUNCTION SIEVE(N)
      INTEGER N, NMAX, I, J
      PARAMETER (NMAX = 90000)
      LOGICAL FLAG(NMAX)
      COMMON /FLAGS/ FLAG
      DO 10 I = 2, N
   10    FLAG(I) = .TRUE.
      SIEVE = 0
      DO 30 I = 2, N
         IF (.NOT. FLAG(I)) GOTO 30
         SIEVE = SIEVE + 1
         DO 20 J = I + I, N, I
   20       FLAG(J) = .FALSE.
   30 CONTINUE
      END

      LOGICAL FUNCTION PRIME(N)
      INTEGER N, I
      PRIME = .FALSE.
      I = 2
   10 IF (I * I .GT. N) GOTO 20
         IF (MOD(N, I) .EQ. 0) RETURN
         I = I + 1
      GOTO 10
   20 PRIME = .TRUE.
      END
