! Heat conduction in a cube: seven-point stencil in three dimensions, explicit steps, in a module
! with allocatable arrays.
! Check: the product of sines is an eigenfunction, so after n steps it is itself times lambda**n.
! Argument: number of steps of a grid with 96 cells a side.
module heat_solver
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: pi = 3.141592653589793_dp
contains
  subroutine step(u, v, n, r)
    integer, intent(in) :: n
    real(dp), intent(in) :: u(0:n, 0:n, 0:n), r
    real(dp), intent(inout) :: v(0:n, 0:n, 0:n)
    integer :: i, j, k
    do k = 1, n - 1
      do j = 1, n - 1
        do i = 1, n - 1
          v(i, j, k) = u(i, j, k) + r * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) &
                       + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1) - 6 * u(i, j, k))
        end do
      end do
    end do
  end subroutine step

  pure real(dp) function mode(i, j, k, n)
    integer, intent(in) :: i, j, k, n
    mode = sin(pi * i / n) * sin(2 * pi * j / n) * sin(3 * pi * k / n)
  end function mode
end module heat_solver

program heat
  use heat_solver
  implicit none
  integer, parameter :: n = 96
  real(dp), parameter :: r = 0.1_dp
  real(dp), allocatable :: u(:, :, :), v(:, :, :)
  real(dp) :: lambda, worst, s
  integer :: i, j, k, steps, t
  character(len=16) :: argument
  steps = 400
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) steps
  allocate (u(0:n, 0:n, 0:n), v(0:n, 0:n, 0:n))
  u = 0
  v = 0
  do k = 1, n - 1
    do j = 1, n - 1
      do i = 1, n - 1
        u(i, j, k) = mode(i, j, k, n)
      end do
    end do
  end do
  do t = 1, steps / 2
    call step(u, v, n, r)
    call step(v, u, n, r)
  end do
  s = sin(pi / (2 * n))**2 + sin(pi / n)**2 + sin(3 * pi / (2 * n))**2
  lambda = (1 - 4 * r * s)**(2 * (steps / 2))
  worst = 0
  do k = 1, n - 1
    do j = 1, n - 1
      do i = 1, n - 1
        worst = max(worst, abs(u(i, j, k) - lambda * mode(i, j, k, n)))
      end do
    end do
  end do
  print '(a, f10.6, a, es9.1)', ' heat: amplitude', lambda, '  error', worst
  if (.not. worst < 1e-10_dp) stop 1
  print *, 'OK'
end program heat
