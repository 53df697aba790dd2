! Molecular dynamics of a Lennard-Jones fluid with cell lists, velocity Verlet, derived types.
! Check: total energy is kept to 10^-3 and momentum to rounding; the forces agree with the sum over
! all pairs at the start.
! Argument: number of steps of 2048 atoms.
module fluid
  implicit none
  integer, parameter :: dp = kind(1d0), side = 8, atoms = 4 * side**3, cells = 5
  real(dp), parameter :: box = side * 1.7_dp, cutoff2 = 2.5_dp**2
  type :: atom
    real(dp) :: x(3), v(3), f(3)
    integer :: next
  end type atom
  integer :: head(0:cells - 1, 0:cells - 1, 0:cells - 1)
contains
  ! Face-centred lattice with small pseudo-random velocities of mean zero.
  subroutine place(a)
    type(atom), intent(out) :: a(atoms)
    real(dp), parameter :: corner(3, 4) = reshape([0.0_dp, 0.0_dp, 0.0_dp, 0.5_dp, 0.5_dp, 0.0_dp, &
                                                   0.5_dp, 0.0_dp, 0.5_dp, 0.0_dp, 0.5_dp, 0.5_dp], [3, 4])
    real(dp) :: mean(3)
    integer :: i, j, k, c, n, d, seed
    n = 0
    seed = 31415
    mean = 0
    do k = 0, side - 1
      do j = 0, side - 1
        do i = 0, side - 1
          do c = 1, 4
            n = n + 1
            a(n)%x = 1.7_dp * ([i, j, k] + corner(:, c) + 0.25_dp)
            do d = 1, 3
              seed = modulo(seed * 3125, 65536)
              a(n)%v(d) = real(seed, dp) / 32768 - 1
            end do
            mean = mean + a(n)%v / atoms
          end do
        end do
      end do
    end do
    do n = 1, atoms
      a(n)%v = a(n)%v - mean
    end do
  end subroutine place

  subroutine sort_into_cells(a)
    type(atom), intent(inout) :: a(atoms)
    integer :: n, c(3)
    head = 0
    do n = 1, atoms
      c = min(int(a(n)%x * (cells / box)), cells - 1)
      a(n)%next = head(c(1), c(2), c(3))
      head(c(1), c(2), c(3)) = n
    end do
  end subroutine sort_into_cells

  ! Adds the force between two atoms; returns their energy, shifted to zero at the cut-off.
  real(dp) function interact(a, b) result(energy)
    type(atom), intent(inout) :: a, b
    real(dp) :: d(3), r2, s, s0, f
    d = a%x - b%x
    d = d - box * anint(d / box)
    r2 = d(1)**2 + d(2)**2 + d(3)**2
    energy = 0
    if (r2 >= cutoff2) return
    s = 1 / r2**3
    s0 = 1 / cutoff2**3
    f = 24 * s * (2 * s - 1) / r2
    a%f = a%f + f * d
    b%f = b%f - f * d
    energy = 4 * (s * (s - 1) - s0 * (s0 - 1))
  end function interact

  real(dp) function forces(a) result(energy)
    type(atom), intent(inout) :: a(atoms)
    integer :: i, j, k, x, y, z, m, n
    call sort_into_cells(a)
    do n = 1, atoms
      a(n)%f = 0
    end do
    energy = 0
    do k = 0, cells - 1
      do j = 0, cells - 1
        do i = 0, cells - 1
          do z = -1, 1
            do y = -1, 1
              do x = -1, 1
                n = head(i, j, k)
                do while (n > 0)
                  m = head(modulo(i + x, cells), modulo(j + y, cells), modulo(k + z, cells))
                  do while (m > 0)
                    if (m < n) energy = energy + interact(a(n), a(m))
                    m = a(m)%next
                  end do
                  n = a(n)%next
                end do
              end do
            end do
          end do
        end do
      end do
    end do
  end function forces
end module fluid

program molecules
  use fluid
  implicit none
  real(dp), parameter :: dt = 0.002_dp
  type(atom), allocatable :: a(:), b(:)
  real(dp) :: energy, start, momentum(3), check
  integer :: n, m, t, steps
  character(len=16) :: argument
  steps = 35
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) steps
  allocate (a(atoms), b(atoms))
  call place(a)
  energy = forces(a)
  b = a
  check = energy
  do n = 1, atoms
    b(n)%f = 0
  end do
  do n = 2, atoms
    do m = 1, n - 1
      check = check - interact(b(n), b(m))
    end do
  end do
  start = energy + kinetic(a)
  do t = 1, steps
    do n = 1, atoms
      a(n)%v = a(n)%v + 0.5_dp * dt * a(n)%f
      a(n)%x = modulo(a(n)%x + dt * a(n)%v, box)
    end do
    energy = forces(a)
    do n = 1, atoms
      a(n)%v = a(n)%v + 0.5_dp * dt * a(n)%f
    end do
  end do
  momentum = 0
  do n = 1, atoms
    momentum = momentum + a(n)%v
  end do
  energy = energy + kinetic(a)
  print '(a, 2f14.4, es9.1)', ' molecules: energy', start, energy, maxval(abs(momentum))
  if (abs(energy / start - 1) > 1e-3_dp .or. maxval(abs(momentum)) > 1e-8_dp .or. abs(check) > 1e-6_dp) stop 1
  print *, 'OK'
contains
  real(dp) function kinetic(p)
    type(atom), intent(in) :: p(:)
    integer :: i
    kinetic = 0
    do i = 1, size(p)
      kinetic = kinetic + 0.5_dp * sum(p(i)%v**2)
    end do
  end function kinetic
end program molecules
