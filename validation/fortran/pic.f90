! Particle in cell: electrons in a periodic box with a neutral background; charge to the grid,
! field from Poisson's equation in one dimension, push (Birdsall and Langdon 1985, chapter 2).
! Check: charge is exact, total momentum stays near its start, and a cold plasma displaced by a small
! sine oscillates at the plasma frequency: after a whole period the field energy is back.
! Argument: thousands of particles.
module pic_model
  implicit none
  integer, parameter :: dp = kind(1d0), cells = 1024
  real(dp), parameter :: pi = 3.141592653589793_dp, length = 2 * pi, dx = length / cells
  type :: particles
    real(dp), allocatable :: x(:), v(:)
  end type particles
contains
  ! Linear weighting; the mean density is one.
  subroutine deposit(p, density)
    type(particles), intent(in) :: p
    real(dp), intent(out) :: density(0:cells - 1)
    real(dp) :: weight, s
    integer :: k, i
    weight = real(cells, dp) / size(p%x)
    density = 0
    do k = 1, size(p%x)
      s = p%x(k) / dx
      i = int(s)
      s = s - i
      i = modulo(i, cells)
      density(i) = density(i) + weight * (1 - s)
      i = modulo(i + 1, cells)
      density(i) = density(i) + weight * s
    end do
  end subroutine deposit

  ! dE/dx = 1 - density, with mean zero.
  subroutine solve(density, field)
    real(dp), intent(in) :: density(0:cells - 1)
    real(dp), intent(out) :: field(0:cells - 1)
    integer :: i
    field(0) = 0
    do i = 1, cells - 1
      field(i) = field(i - 1) + dx * (1 - 0.5_dp * (density(i) + density(i - 1)))
    end do
    field = field - sum(field) / cells
  end subroutine solve

  ! Leapfrog with charge over mass of minus one.
  subroutine push(p, field, dt)
    type(particles), intent(inout) :: p
    real(dp), intent(in) :: field(0:cells - 1), dt
    real(dp) :: s
    integer :: k, i, j
    do k = 1, size(p%x)
      s = p%x(k) / dx
      i = int(s)
      s = s - i
      i = modulo(i, cells)
      j = modulo(i + 1, cells)
      p%v(k) = p%v(k) - dt * ((1 - s) * field(i) + s * field(j))
      p%x(k) = p%x(k) + dt * p%v(k)
      if (p%x(k) < 0) p%x(k) = p%x(k) + length
      if (p%x(k) >= length) p%x(k) = p%x(k) - length
    end do
  end subroutine push
end module pic_model

program pic
  use pic_model
  implicit none
  integer, parameter :: per_period = 100
  type(particles) :: p
  real(dp) :: density(0:cells - 1), field(0:cells - 1), first, lowest, energy, dt, charge
  integer :: n, k, t
  character(len=16) :: argument
  n = 300
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) n
  n = 1000 * n
  allocate (p%x(n), p%v(n))
  do k = 1, n
    p%x(k) = length * (k - 0.5_dp) / n
    p%x(k) = p%x(k) + 0.01_dp * sin(p%x(k))
    p%v(k) = 0
  end do
  dt = 2 * pi / per_period
  call deposit(p, density)
  call solve(density, field)
  charge = sum(density) / cells
  first = sum(field**2)
  lowest = first
  energy = 0
  call push(p, field, 0.5_dp * dt)     ! half a step: v leads x
  p%x = p%x - 0.5_dp * dt * p%v
  where (p%x < 0) p%x = p%x + length
  where (p%x >= length) p%x = p%x - length
  do t = 1, per_period
    if (t > 1) then
      call deposit(p, density)
      call solve(density, field)
    end if
    energy = sum(field**2)
    lowest = min(lowest, energy)
    call push(p, field, dt)
  end do
  print '(a, 2f10.6, a, es9.1)', ' pic: energy back', energy / first, lowest / first, '  momentum', sum(p%v) / n
  if (abs(charge - 1) > 1e-9_dp .or. abs(energy / first - 1) > 0.05_dp) stop 1
  if (lowest / first > 0.02_dp .or. abs(sum(p%v) / n) > 1e-6_dp) stop 1
  print *, 'OK'
end program pic
