C     The Conway-Baskett puzzle (Saavedra 1988, section 5.2.1): pack 13
C     blocks 4x2x1, three 3x1x1, one 2x2x1 and one 2x2x2 into a cube of
C     side five, by depth-first backtracking.  FORTRAN 77 has no
C     recursion, so the search keeps its own stack.  It goes on after a
C     solution until it has tried N placements.
C     The cube lies in an 8x8x8 array with a filled border; a cell is
C     I + 8J + 64K and a piece is a set of offsets in the same array.
C     Check: every solution fills the cube with 18 pieces; taking all
C     pieces away at the end leaves the cube empty.
C     Argument: thousands of placements to try.
      PROGRAM BASKET
      INTEGER NPIECE, NCELL
      PARAMETER (NPIECE = 13, NCELL = 511)
      LOGICAL CUBE(0:NCELL), SHAPE(NPIECE, 0:NCELL)
      INTEGER LAST(NPIECE), CLASS(NPIECE), LEFT(4)
      INTEGER WHERE(18), WHICH(18), N, NTRY, NSOL, DEPTH, P, I
      LOGICAL FITS, GOOD
      CHARACTER*16 ARG
      COMMON /PUZZLE/ CUBE, SHAPE, LAST, CLASS, LEFT
      N = 900
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) N
      N = N * 1000
      CALL BUILD
      NTRY = 0
      NSOL = 0
      GOOD = .TRUE.
      DEPTH = 1
      WHERE(1) = 73
      WHICH(1) = 0
C     Next piece at this depth; when none is left, one level up.
   10 P = WHICH(DEPTH) + 1
   20 IF (P .GT. NPIECE) GOTO 40
         IF (LEFT(CLASS(P)) .GT. 0) THEN
            IF (FITS(P, WHERE(DEPTH))) GOTO 30
         END IF
         P = P + 1
      GOTO 20
   30 CALL PUT(P, WHERE(DEPTH), .TRUE.)
      WHICH(DEPTH) = P
      NTRY = NTRY + 1
      IF (DEPTH .EQ. 18) THEN
         NSOL = NSOL + 1
         DO 35 I = 0, NCELL
   35       GOOD = GOOD .AND. CUBE(I)
         CALL PUT(P, WHERE(DEPTH), .FALSE.)
         GOTO 10
      END IF
      IF (NTRY .GE. N) GOTO 60
      DEPTH = DEPTH + 1
      WHICH(DEPTH) = 0
      DO 38 I = WHERE(DEPTH - 1), NCELL
         IF (.NOT. CUBE(I)) GOTO 39
   38 CONTINUE
   39 WHERE(DEPTH) = I
      GOTO 10
   40 DEPTH = DEPTH - 1
      IF (DEPTH .EQ. 0) GOTO 70
      CALL PUT(WHICH(DEPTH), WHERE(DEPTH), .FALSE.)
      GOTO 10
C     Out of trials: take the pieces away again.
   60 DO 65 I = DEPTH, 1, -1
   65    CALL PUT(WHICH(I), WHERE(I), .FALSE.)
   70 P = 0
      DO 75 I = 0, NCELL
         IF (.NOT. CUBE(I)) P = P + 1
   75 CONTINUE
      WRITE (*, 900) NTRY, NSOL
  900 FORMAT (' BASKETT', I10, ' TRIALS', I8, ' SOLUTIONS')
      IF (.NOT. GOOD .OR. P .NE. 125 .OR. NSOL .EQ. 0) STOP 1
      DO 80 I = 1, 4
   80    P = P - LEFT(I)
      IF (P .NE. 125 - 18) STOP 1
      WRITE (*, *) 'OK'
      END

C     The empty cube and the 13 orientations of the four classes.
      SUBROUTINE BUILD
      INTEGER NPIECE, NCELL
      PARAMETER (NPIECE = 13, NCELL = 511)
      LOGICAL CUBE(0:NCELL), SHAPE(NPIECE, 0:NCELL)
      INTEGER LAST(NPIECE), CLASS(NPIECE), LEFT(4)
      INTEGER SIZE(3, NPIECE), KIND(NPIECE), NUMBER(4), I, J, K, P
      COMMON /PUZZLE/ CUBE, SHAPE, LAST, CLASS, LEFT
      DATA SIZE / 4,2,1, 2,1,4, 1,4,2, 2,4,1, 4,1,2, 1,2,4,
     1            3,1,1, 1,3,1, 1,1,3, 2,2,1, 2,1,2, 1,2,2, 2,2,2 /
      DATA KIND / 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4 /
      DATA NUMBER / 13, 3, 1, 1 /
      DO 10 I = 0, NCELL
         CUBE(I) = .TRUE.
         DO 10 P = 1, NPIECE
   10       SHAPE(P, I) = .FALSE.
      DO 20 K = 1, 5
         DO 20 J = 1, 5
            DO 20 I = 1, 5
   20          CUBE(I + 8 * J + 64 * K) = .FALSE.
      DO 40 P = 1, NPIECE
         CLASS(P) = KIND(P)
         DO 30 K = 0, SIZE(3, P) - 1
            DO 30 J = 0, SIZE(2, P) - 1
               DO 30 I = 0, SIZE(1, P) - 1
                  LAST(P) = I + 8 * J + 64 * K
   30             SHAPE(P, LAST(P)) = .TRUE.
   40 CONTINUE
      DO 50 I = 1, 4
   50    LEFT(I) = NUMBER(I)
      END

C     True when piece P finds its cells free with its corner at J.
      LOGICAL FUNCTION FITS(P, J)
      INTEGER P, J, K, NPIECE, NCELL
      PARAMETER (NPIECE = 13, NCELL = 511)
      LOGICAL CUBE(0:NCELL), SHAPE(NPIECE, 0:NCELL)
      INTEGER LAST(NPIECE), CLASS(NPIECE), LEFT(4)
      COMMON /PUZZLE/ CUBE, SHAPE, LAST, CLASS, LEFT
      FITS = .FALSE.
      IF (J + LAST(P) .GT. NCELL) RETURN
      DO 10 K = 0, LAST(P)
         IF (SHAPE(P, K)) THEN
            IF (CUBE(J + K)) RETURN
         END IF
   10 CONTINUE
      FITS = .TRUE.
      END

C     Put piece P at J (ON) or take it away.
      SUBROUTINE PUT(P, J, ON)
      INTEGER P, J, K, NPIECE, NCELL
      PARAMETER (NPIECE = 13, NCELL = 511)
      LOGICAL ON, CUBE(0:NCELL), SHAPE(NPIECE, 0:NCELL)
      INTEGER LAST(NPIECE), CLASS(NPIECE), LEFT(4)
      COMMON /PUZZLE/ CUBE, SHAPE, LAST, CLASS, LEFT
      DO 10 K = 0, LAST(P)
         IF (SHAPE(P, K)) CUBE(J + K) = ON
   10 CONTINUE
      IF (ON) THEN
         LEFT(CLASS(P)) = LEFT(CLASS(P)) - 1
      ELSE
         LEFT(CLASS(P)) = LEFT(CLASS(P)) + 1
      END IF
      END
