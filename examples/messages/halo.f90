! The halo exchange of halo.c in Fortran.
!
!   mpifort -O2 halo.f90 -o halo && mpirun -n 2 ./halo 512 400
program halo
  use mpi
  implicit none
  integer :: error, rank, ranks, n, steps, s, columns, left, right, j
  double precision :: changed, most
  double precision, allocatable :: a(:, :), b(:, :)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  n = argument(1, 512)
  steps = argument(2, 400)
  columns = n / ranks
  if (rank < mod(n, ranks)) columns = columns + 1
  left = MPI_PROC_NULL
  right = MPI_PROC_NULL
  if (rank > 0) left = rank - 1
  if (rank + 1 < ranks) right = rank + 1
  allocate (a(0:n + 1, 0:columns + 1), b(0:n + 1, 0:columns + 1))
  a = 0
  b = 0
  changed = 0
  if (rank == 0) a(:, 0) = 1
  if (rank == 0) b(:, 0) = 1
  do s = 1, steps
    call MPI_Sendrecv(a(:, 1), n + 2, MPI_DOUBLE_PRECISION, left, 0, a(:, columns + 1), n + 2, MPI_DOUBLE_PRECISION, right, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(a(:, columns), n + 2, MPI_DOUBLE_PRECISION, right, 1, a(:, 0), n + 2, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    if (rank == 0) a(:, 0) = 1
    do j = 1, columns
      b(1:n, j) = 0.25d0 * (a(0:n - 1, j) + a(2:n + 1, j) + a(1:n, j - 1) + a(1:n, j + 1))
    end do
    most = maxval(abs(b(1:n, 1:columns) - a(1:n, 1:columns)))
    if (mod(s, 10) == 0) call MPI_Allreduce(most, changed, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    a(1:n, 1:columns) = b(1:n, 1:columns)
  end do
  if (rank == 0) print '(a, i0, a, i0, a, i0, a, es12.5)', 'halo ', n, ' on ', ranks, ', ', steps, ' steps, last change ', changed
  call MPI_Finalize(error)

contains

  integer function argument(place, usual)
    integer, intent(in) :: place, usual
    character(len=32) :: text
    argument = usual
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    read (text, *) argument
  end function

end program
