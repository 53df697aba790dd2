! The state of the shallow water model: height and the two discharges on a periodic square.
module shallow_grid
  implicit none
  integer, parameter :: dp = kind(1d0)
  type :: state
    real(dp), allocatable :: h(:, :), p(:, :), q(:, :)   ! depth, depth times velocity
  end type state
contains
  ! A hump of water at rest, symmetric about the diagonal.
  subroutine initialize(s, n)
    type(state), intent(out) :: s
    integer, intent(in) :: n
    integer :: i, j
    real(dp) :: x, y
    allocate (s%h(0:n + 1, 0:n + 1), s%p(0:n + 1, 0:n + 1), s%q(0:n + 1, 0:n + 1))
    do j = 1, n
      do i = 1, n
        x = (i - 0.5_dp) / n - 0.4_dp
        y = (j - 0.5_dp) / n - 0.4_dp
        s%h(i, j) = 1 + 0.3_dp * exp(-60 * (x * x + y * y))
      end do
    end do
    s%p = 0
    s%q = 0
    call wrap(s%h, n)
  end subroutine initialize

  ! Fill the rim from the opposite side.
  subroutine wrap(a, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(0:n + 1, 0:n + 1)
    a(0, :) = a(n, :)
    a(n + 1, :) = a(1, :)
    a(:, 0) = a(:, n)
    a(:, n + 1) = a(:, 1)
  end subroutine wrap
end module shallow_grid
