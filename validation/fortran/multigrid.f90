! Poisson's equation on the unit square by multigrid V-cycles (Brandt 1977): red-black Gauss-Seidel,
! full weighting, bilinear interpolation; recursion over levels kept in an array of derived types.
! Check: the residual falls at least fivefold per cycle, and the answer is within the order h**2 of
! the exact solution.
! Argument: number of levels; the finest grid has 2**levels cells a side.
module grids
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: grid
    integer :: n
    real(dp) :: h
    real(dp), allocatable :: u(:, :), f(:, :), r(:, :)
  end type grid
contains
  subroutine smooth(u, f, n, h, sweeps)
    integer, intent(in) :: n, sweeps
    real(dp), intent(in) :: f(0:n, 0:n), h
    real(dp), intent(inout) :: u(0:n, 0:n)
    integer :: i, j, colour, t
    do t = 1, sweeps
      do colour = 0, 1
        do j = 1, n - 1
          do i = 1 + modulo(j + colour, 2), n - 1, 2
            u(i, j) = 0.25_dp * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + h * h * f(i, j))
          end do
        end do
      end do
    end do
  end subroutine smooth

  subroutine residual(u, f, r, n, h)
    integer, intent(in) :: n
    real(dp), intent(in) :: u(0:n, 0:n), f(0:n, 0:n), h
    real(dp), intent(inout) :: r(0:n, 0:n)
    integer :: i, j
    do j = 1, n - 1
      do i = 1, n - 1
        r(i, j) = f(i, j) - (4 * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) - u(i, j + 1)) / (h * h)
      end do
    end do
  end subroutine residual

  subroutine restrict(r, f, m)
    integer, intent(in) :: m
    real(dp), intent(in) :: r(0:2 * m, 0:2 * m)
    real(dp), intent(inout) :: f(0:m, 0:m)
    integer :: i, j, p, q
    do j = 1, m - 1
      q = 2 * j
      do i = 1, m - 1
        p = 2 * i
        f(i, j) = (4 * r(p, q) + 2 * (r(p - 1, q) + r(p + 1, q) + r(p, q - 1) + r(p, q + 1)) &
                   + r(p - 1, q - 1) + r(p + 1, q - 1) + r(p - 1, q + 1) + r(p + 1, q + 1)) / 16
      end do
    end do
  end subroutine restrict

  subroutine correct(u, c, m)
    integer, intent(in) :: m
    real(dp), intent(inout) :: u(0:2 * m, 0:2 * m)
    real(dp), intent(in) :: c(0:m, 0:m)
    integer :: i, j
    do j = 0, m - 1
      do i = 0, m - 1
        u(2 * i, 2 * j) = u(2 * i, 2 * j) + c(i, j)
        u(2 * i + 1, 2 * j) = u(2 * i + 1, 2 * j) + 0.5_dp * (c(i, j) + c(i + 1, j))
        u(2 * i, 2 * j + 1) = u(2 * i, 2 * j + 1) + 0.5_dp * (c(i, j) + c(i, j + 1))
        u(2 * i + 1, 2 * j + 1) = u(2 * i + 1, 2 * j + 1) &
                                  + 0.25_dp * (c(i, j) + c(i + 1, j) + c(i, j + 1) + c(i + 1, j + 1))
      end do
    end do
  end subroutine correct

  recursive subroutine cycle_from(level, g)
    integer, intent(in) :: level
    type(grid), intent(inout) :: g(:)
    associate (a => g(level))
      if (level == 1) then
        call smooth(a%u, a%f, a%n, a%h, 4)
        return
      end if
      call smooth(a%u, a%f, a%n, a%h, 2)
      call residual(a%u, a%f, a%r, a%n, a%h)
      call restrict(a%r, g(level - 1)%f, a%n / 2)
    end associate
    g(level - 1)%u = 0
    call cycle_from(level - 1, g)
    call correct(g(level)%u, g(level - 1)%u, g(level - 1)%n)
    call smooth(g(level)%u, g(level)%f, g(level)%n, g(level)%h, 2)
  end subroutine cycle_from
end module grids

program multigrid
  use grids
  implicit none
  real(dp), parameter :: pi = 3.141592653589793_dp
  type(grid), allocatable :: g(:)
  real(dp) :: before, after, worst, slowest
  integer :: levels, l, n, i, j, t
  character(len=16) :: argument
  levels = 10
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) levels
  allocate (g(levels))
  do l = 1, levels
    n = 2**l
    g(l)%n = n
    g(l)%h = 1.0_dp / n
    allocate (g(l)%u(0:n, 0:n), g(l)%f(0:n, 0:n), g(l)%r(0:n, 0:n))
    g(l)%u = 0
    g(l)%f = 0
    g(l)%r = 0
  end do
  n = g(levels)%n
  do j = 0, n
    do i = 0, n
      g(levels)%f(i, j) = 5 * pi**2 * sin(pi * i / n) * sin(2 * pi * j / n)
    end do
  end do
  before = sqrt(sum(g(levels)%f**2))
  slowest = 0
  do t = 1, 8
    call cycle_from(levels, g)
    call residual(g(levels)%u, g(levels)%f, g(levels)%r, n, g(levels)%h)
    after = sqrt(sum(g(levels)%r**2))
    slowest = max(slowest, after / before)
    before = after
  end do
  worst = 0
  do j = 0, n
    do i = 0, n
      worst = max(worst, abs(g(levels)%u(i, j) - sin(pi * i / n) * sin(2 * pi * j / n)))
    end do
  end do
  print '(a, f8.4, a, es10.2)', ' multigrid: slowest cycle', slowest, '  error', worst
  if (slowest > 0.2_dp .or. worst > 10.0_dp / n**2) stop 1
  print *, 'OK'
end program multigrid
