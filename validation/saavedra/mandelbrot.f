C     The Mandelbrot set: points C of a grid for which Z = Z*Z + C stays
C     within the circle of radius two for 100 steps (Saavedra 1988,
C     section 5.2.1, a grid of 200 by 100 points there).
C     Check: the set is symmetric about the real axis, so the upper and
C     lower half have equal counts; with at most 100 steps the area of
C     what stays is a little above that of the set, 1.5066.
C     Argument: width of the grid (the height is half of it).
      PROGRAM MANDEL
      INTEGER NX, NY, I, J, STEPS, LIMIT, UPPER, LOWER, INSIDE, TOTAL
      DOUBLE PRECISION X, Y, DX, DY, AREA
      CHARACTER*16 ARG
      PARAMETER (LIMIT = 100)
      NX = 2600
      CALL GET_COMMAND_ARGUMENT(1, ARG)
      IF (ARG .NE. ' ') READ (ARG, *) NX
      NY = 2 * (NX / 4)
      DX = 3D0 / NX
      DY = 2.5D0 / NY
      UPPER = 0
      LOWER = 0
      INSIDE = 0
      DO 20 J = 1, NY
         Y = (J - (NY + 1) / 2D0) * DY
         TOTAL = 0
         DO 10 I = 1, NX
            X = -2.1D0 + (I - 0.5D0) * DX
            CALL ESCAPE(X, Y, LIMIT, STEPS)
            TOTAL = TOTAL + STEPS
            IF (STEPS .EQ. LIMIT) INSIDE = INSIDE + 1
   10    CONTINUE
         IF (2 * J .LE. NY) LOWER = LOWER + TOTAL
         IF (2 * J .GT. NY) UPPER = UPPER + TOTAL
   20 CONTINUE
      AREA = INSIDE * DX * DY
      WRITE (*, 900) LOWER, UPPER, AREA
  900 FORMAT (' MANDELBROT', 2I12, '  AREA', F8.4)
      IF (LOWER .NE. UPPER) STOP 1
      IF (AREA .LT. 1.49D0 .OR. AREA .GT. 1.62D0) STOP 1
      WRITE (*, *) 'OK'
      END

C     Steps until Z leaves the circle, at most LIMIT.
      SUBROUTINE ESCAPE(X, Y, LIMIT, STEPS)
      DOUBLE PRECISION X, Y
      INTEGER LIMIT, STEPS
      COMPLEX*16 C, Z
      C = DCMPLX(X, Y)
      Z = (0D0, 0D0)
      STEPS = 0
   10 IF (STEPS .GE. LIMIT) RETURN
         Z = Z * Z + C
         IF (DBLE(Z) ** 2 + DIMAG(Z) ** 2 .GT. 4D0) RETURN
         STEPS = STEPS + 1
      GOTO 10
      END
