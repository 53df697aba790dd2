! Shallow water on a periodic square, several files of modules.
! Check: mass and momentum are conserved to rounding, and the state stays symmetric about the
! diagonal.
! Argument: number of steps on 256 x 256 cells.
program shallow
  use shallow_grid
  use shallow_step
  implicit none
  integer, parameter :: n = 256
  type(state) :: a, b
  real(dp) :: before, after, skew, drift
  integer :: t, steps
  character(len=16) :: argument
  steps = 400
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) steps
  call initialize(a, n)
  b = a
  before = sum(a%h(1:n, 1:n))
  do t = 1, steps / 2
    call step(a, b, n, 0.4_dp)
    call step(b, a, n, 0.4_dp)
  end do
  after = sum(a%h(1:n, 1:n))
  drift = abs(sum(a%p(1:n, 1:n))) + abs(sum(a%q(1:n, 1:n)))
  skew = maxval(abs(a%h - transpose(a%h))) + maxval(abs(a%p - transpose(a%q)))
  print '(a, f12.4, 3es9.1)', ' shallow: mass', after, abs(after / before - 1), drift / before, skew
  if (abs(after / before - 1) > 1e-10_dp .or. drift / before > 1e-10_dp .or. skew > 1e-10_dp) stop 1
  print *, 'OK'
end program shallow
