! Adaptive Simpson quadrature (Kuncir 1962): recursive functions, procedures as arguments, a
! polymorphic family of integrands.
! Check: integrals with closed answers.
! Argument: number of rounds with shifted integrands.
module integrands
  implicit none
  integer, parameter :: dp = kind(1d0)
  type, abstract :: integrand
    real(dp) :: shift = 0
  contains
    procedure(evaluate), deferred :: value
    procedure(between), deferred :: integral
  end type integrand
  abstract interface
    real(dp) function evaluate(self, x)
      import :: integrand, dp
      class(integrand), intent(in) :: self
      real(dp), intent(in) :: x
    end function evaluate
    real(dp) function between(self, a, b)
      import :: integrand, dp
      class(integrand), intent(in) :: self
      real(dp), intent(in) :: a, b
    end function between
  end interface

  ! A narrow peak 1 / (x**2 + 1/10000) about the shift.
  type, extends(integrand) :: peak
  contains
    procedure :: value => peak_value
    procedure :: integral => peak_integral
  end type peak
  ! exp(-x) * sin(20 x), shifted.
  type, extends(integrand) :: wave
  contains
    procedure :: value => wave_value
    procedure :: integral => wave_integral
  end type wave
contains
  real(dp) function peak_value(self, x)
    class(peak), intent(in) :: self
    real(dp), intent(in) :: x
    peak_value = 1 / ((x - self%shift)**2 + 1e-4_dp)
  end function peak_value

  real(dp) function peak_integral(self, a, b)
    class(peak), intent(in) :: self
    real(dp), intent(in) :: a, b
    peak_integral = 100 * (atan(100 * (b - self%shift)) - atan(100 * (a - self%shift)))
  end function peak_integral

  real(dp) function wave_value(self, x)
    class(wave), intent(in) :: self
    real(dp), intent(in) :: x
    wave_value = exp(self%shift - x) * sin(20 * (x - self%shift))
  end function wave_value

  real(dp) function wave_integral(self, a, b)
    class(wave), intent(in) :: self
    real(dp), intent(in) :: a, b
    wave_integral = primitive(b - self%shift) - primitive(a - self%shift)
  contains
    real(dp) function primitive(x)
      real(dp), intent(in) :: x
      primitive = -exp(-x) * (sin(20 * x) + 20 * cos(20 * x)) / 401
    end function primitive
  end function wave_integral
end module integrands

module adaptive
  use integrands
  implicit none
contains
  real(dp) function simpson(f, a, b, tolerance)
    class(integrand), intent(in) :: f
    real(dp), intent(in) :: a, b, tolerance
    real(dp) :: fa, fb, fm
    fa = f%value(a)
    fb = f%value(b)
    fm = f%value(0.5_dp * (a + b))
    simpson = refine(f, a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), tolerance, 40)
  end function simpson

  recursive function refine(f, a, b, fa, fm, fb, whole, tolerance, depth) result(total)
    class(integrand), intent(in) :: f
    real(dp), intent(in) :: a, b, fa, fm, fb, whole, tolerance
    integer, intent(in) :: depth
    real(dp) :: total, m, f1, f2, left, right
    m = 0.5_dp * (a + b)
    f1 = f%value(0.5_dp * (a + m))
    f2 = f%value(0.5_dp * (m + b))
    left = (m - a) / 6 * (fa + 4 * f1 + fm)
    right = (b - m) / 6 * (fm + 4 * f2 + fb)
    total = left + right + (left + right - whole) / 15
    if (depth == 0 .or. abs(left + right - whole) < 15 * tolerance) return
    total = refine(f, a, m, fa, f1, fm, left, 0.5_dp * tolerance, depth - 1) &
            + refine(f, m, b, fm, f2, fb, right, 0.5_dp * tolerance, depth - 1)
  end function refine
end module adaptive

program quadrature
  use adaptive
  implicit none
  type(peak) :: p
  type(wave) :: w
  real(dp) :: worst, total, value
  integer :: t, rounds
  character(len=16) :: argument
  rounds = 1000
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) rounds
  worst = 0
  total = 0
  do t = 1, rounds
    p%shift = 0.3_dp + 0.4_dp * t / rounds
    w%shift = 0.1_dp * t / rounds
    value = simpson(p, 0.0_dp, 1.0_dp, 1e-9_dp)
    worst = max(worst, abs(value - p%integral(0.0_dp, 1.0_dp)))
    total = total + value
    value = simpson(w, 0.0_dp, 3.0_dp, 1e-11_dp)
    worst = max(worst, abs(value - w%integral(0.0_dp, 3.0_dp)))
    total = total + value
  end do
  print '(a, f14.6, a, es9.1)', ' quadrature: mean', total / rounds, '  error', worst
  if (.not. worst < 1e-7_dp) stop 1
  print *, 'OK'
end program quadrature
