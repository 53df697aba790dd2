! Whole-array Fortran: sections, masks, where, cshift, matmul, transpose, reductions along a
! dimension, merge, pack, spread, elemental functions.
! Check: identities between the array functions, evaluated both ways.
! Argument: number of rounds on matrices of order 200.
module array_laws
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  ! A new matrix from the old one; values stay in [0, 1).
  subroutine stir(a)
    real(dp), intent(inout) :: a(:, :)
    a = 3.7_dp * a * (1 - a)
    a = 0.5_dp * (a + cshift(a, 1, dim=1)) + 0.01_dp * cshift(a, -3, dim=2)
    where (a >= 1) a = a - 0.5_dp
  end subroutine stir

  elemental real(dp) function smooth(x)
    real(dp), intent(in) :: x
    smooth = x * x * (3 - 2 * x)
  end function smooth

  real(dp) function defect(a, b) result(d)
    real(dp), intent(in) :: a(:, :), b(:, :)
    real(dp) :: c(size(a, 1), size(a, 2))
    real(dp), allocatable :: large(:)
    integer :: n
    n = size(a, 1)
    c = matmul(a, b)
    d = maxval(abs(transpose(c) - matmul(transpose(b), transpose(a)))) / n
    d = max(d, abs(sum(c) - dot_product(sum(a, dim=1), sum(b, dim=2))) / n**2)
    large = pack(a, a > 0.5_dp)
    d = max(d, abs(sum(large) - sum(merge(a, 0.0_dp, a > 0.5_dp))) / n)
    d = max(d, abs(real(size(large) - count(a > 0.5_dp), dp)))
    d = max(d, maxval(abs(smooth(a) + smooth(1 - a) - 1)))
    d = max(d, maxval(abs(spread(a(:, 1), 2, n) * b - b * spread(a(:, 1), dim=2, ncopies=n))))
    d = max(d, abs(maxval(a(n:1:-1, ::2)) - maxval(a(:, ::2))))
    d = max(d, abs(sum(cshift(a, 17, dim=2) * b) - sum(a * cshift(b, -17, dim=2))) / n)
  end function defect
end module array_laws

program arrays
  use array_laws
  implicit none
  integer, parameter :: n = 200
  real(dp), allocatable :: a(:, :), b(:, :)
  real(dp) :: worst
  integer :: i, j, t, rounds
  character(len=16) :: argument
  rounds = 30
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) rounds
  allocate (a(n, n), b(n, n))
  a = reshape([((modulo(0.137_dp * i + 0.731_dp * j, 1.0_dp), i=1, n), j=1, n)], [n, n])
  b = transpose(a)
  b = b(:, n:1:-1)
  worst = 0
  do t = 1, rounds
    call stir(a)
    call stir(b)
    worst = max(worst, defect(a, b))
  end do
  print '(a, f10.6, a, es9.1)', ' arrays: mean', sum(a) / n**2, '  defect', worst
  if (.not. worst < 1e-10_dp) stop 1
  print *, 'OK'
end program arrays
