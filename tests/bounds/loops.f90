! Fortran: array syntax, sums, columns and rows.
module loops
contains
  subroutine total(x, s)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: s
    integer :: i
    s = 0
    do i = 1, size(x)
      s = s + x(i)
    end do
  end subroutine
  subroutine some(n, x, s)
    integer, intent(in) :: n
    real, intent(in) :: x(n)
    real, intent(out) :: s
    integer :: i
    s = 0
    do i = 1, n
      if (x(i) > 0.5) s = s + x(i)
    end do
  end subroutine
  subroutine triad(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n), c(n)
    integer :: i
    do i = 1, n
      a(i) = b(i) + 3.0d0 * c(i)
    end do
  end subroutine
  subroutine by_rows(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n, n)
    integer :: i, j
    do i = 1, n
      do j = 1, n
        x(i, j) = 2 * x(i, j) + 1
      end do
    end do
  end subroutine
end module
program main
  use loops
  real(8) :: x(1000), y(1000), z(1000), s
  real(8), allocatable :: m(:, :)
  real :: p(1000), q
  integer :: r, rounds
  character(16) :: word
  rounds = 12
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) rounds
  end if
  x = 0.5d0; y = 1; z = 2; p = 0.75
  allocate(m(1400, 1400))
  m = 1
  do r = 1, 400 * rounds / 12
    call total(x, s)
    call some(1000, p, q)
    call triad(1000, x, y, z)
  end do
  do r = 1, rounds
    call by_rows(1400, m)
  end do
  print *, s, q, x(5), m(3, 3)
end program
