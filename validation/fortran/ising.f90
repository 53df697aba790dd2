! The two-dimensional Ising model by Metropolis sampling: integers, random branches, table of
! exponentials.
! Check: at high temperature (K = 0.2) the energy per spin agrees with Onsager's exact solution,
! which is integrated by the arithmetic-geometric mean.
! Argument: number of sweeps over 256 x 256 spins.
module lattice
  implicit none
  integer, parameter :: dp = kind(1d0), i8 = selected_int_kind(18), side = 256
  integer(i8), save :: state = 271828_i8
contains
  ! Minimal standard generator (Park and Miller 1988), in (0, 1).
  real(dp) function uniform()
    state = modulo(state * 48271_i8, 2147483647_i8)
    uniform = real(state, dp) / 2147483647.0_dp
  end function uniform

  subroutine sweep(spin, accept)
    integer, intent(inout) :: spin(side, side)
    real(dp), intent(in) :: accept(-4:4)
    integer :: i, j, field
    do j = 1, side
      do i = 1, side
        field = spin(modulo(i, side) + 1, j) + spin(modulo(i - 2, side) + 1, j) &
                + spin(i, modulo(j, side) + 1) + spin(i, modulo(j - 2, side) + 1)
        if (uniform() < accept(field * spin(i, j))) spin(i, j) = -spin(i, j)
      end do
    end do
  end subroutine sweep

  ! Energy per spin in units of the coupling.
  real(dp) function energy(spin)
    integer, intent(in) :: spin(side, side)
    energy = -real(sum(spin * (cshift(spin, 1, 1) + cshift(spin, 1, 2))), dp) / side**2
  end function energy

  ! -coth(2K) (1 + 2/pi (2 tanh(2K)**2 - 1) F(k)), k = 2 sinh(2K) / cosh(2K)**2; F(k) complete elliptic.
  real(dp) function onsager(k)
    real(dp), intent(in) :: k
    real(dp) :: a, b, c
    integer :: n
    a = 1
    b = sqrt(1 - (2 * sinh(2 * k) / cosh(2 * k)**2)**2)
    do n = 1, 30
      c = 0.5_dp * (a + b)
      b = sqrt(a * b)
      a = c
    end do
    onsager = -(1 + (2 * tanh(2 * k)**2 - 1) / a) / tanh(2 * k)
  end function onsager
end module lattice

program ising
  use lattice
  implicit none
  integer, allocatable :: spin(:, :)
  real(dp), parameter :: coupling = 0.2_dp
  real(dp) :: accept(-4:4), mean, want
  integer :: i, t, sweeps, measured
  character(len=16) :: argument
  sweeps = 400
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) sweeps
  allocate (spin(side, side))
  do t = 1, side
    do i = 1, side
      spin(i, t) = merge(1, -1, uniform() < 0.5_dp)
    end do
  end do
  do i = -4, 4
    accept(i) = exp(-2 * coupling * i)
  end do
  mean = 0
  measured = 0
  do t = 1, sweeps
    call sweep(spin, accept)
    if (t > sweeps / 4 .and. modulo(t, 4) == 0) then
      mean = mean + energy(spin)
      measured = measured + 1
    end if
  end do
  mean = mean / measured
  want = onsager(coupling)
  print '(a, f9.5, a, f9.5)', ' ising: energy', mean, '  exact', want
  ! The second term allows for the first sweeps of a short run.
  if (abs(mean - want) > 0.005_dp + 1.0_dp / sweeps) stop 1
  print *, 'OK'
end program ising
