! PageRank (Brin and Page 1998) by power iteration: products of a large random sparse matrix in CSR
! form with a vector, bound by memory.
! Check: the vector stays a probability and is a fixed point at the end; a chosen page that more
! others point to ranks above the mean.
! Argument: thousands of pages, eight links into each.
module sparse
  implicit none
  integer, parameter :: dp = kind(1d0), i8 = selected_int_kind(18)
  type :: csr
    integer :: n
    integer, allocatable :: start(:), column(:)
    real(dp), allocatable :: value(:)
  end type csr
contains
  ! Uniform in 0 .. n-1, by a linear congruence modulo 2**31 (Knuth).
  integer function draw(state, n)
    integer(i8), intent(inout) :: state
    integer, intent(in) :: n
    state = iand(state * 1103515245_i8 + 12345_i8, 2147483647_i8)
    draw = int(state * int(n, i8) / 2147483648_i8)
  end function draw

  ! Each page links to eight others; the matrix holds what flows in.
  function random_web(n, links) result(a)
    integer, intent(in) :: n, links
    type(csr) :: a
    integer, allocatable :: to(:), fill(:)
    integer(i8) :: state
    integer :: i, k
    allocate (to(n * links), fill(n), a%start(n + 1), a%column(n * links), a%value(n * links))
    state = 12345
    a%n = n
    a%start = 0
    do k = 1, n * links
      to(k) = draw(state, n) + 1
      if (mod(k, 1000) == 0) to(k) = 1      ! page one is popular
      a%start(to(k) + 1) = a%start(to(k) + 1) + 1
    end do
    a%start(1) = 1
    do i = 1, n
      a%start(i + 1) = a%start(i + 1) + a%start(i)
    end do
    fill = a%start(1:n)
    do k = 1, n * links
      i = to(k)
      a%column(fill(i)) = (k - 1) / links + 1
      a%value(fill(i)) = 1.0_dp / links
      fill(i) = fill(i) + 1
    end do
  end function random_web

  subroutine multiply(a, x, y)
    type(csr), intent(in) :: a
    real(dp), intent(in) :: x(:)
    real(dp), intent(out) :: y(:)
    real(dp) :: total
    integer :: i, k
    do i = 1, a%n
      total = 0
      do k = a%start(i), a%start(i + 1) - 1
        total = total + a%value(k) * x(a%column(k))
      end do
      y(i) = total
    end do
  end subroutine multiply
end module sparse

program spmv
  use sparse
  implicit none
  integer, parameter :: links = 8, rounds = 30
  real(dp), parameter :: damping = 0.5_dp
  type(csr) :: web
  real(dp), allocatable :: x(:), y(:)
  real(dp) :: change
  integer :: n, t
  character(len=16) :: argument
  n = 200
  call get_command_argument(1, argument)
  if (argument /= ' ') read (argument, *) n
  n = 1000 * n
  web = random_web(n, links)
  allocate (x(n), y(n))
  x = 1.0_dp / n
  change = 1
  do t = 1, rounds
    call multiply(web, x, y)
    y = damping * y + (1 - damping) / n
    change = sum(abs(y - x))
    x = y
  end do
  print '(a, es10.3, a, f12.9, a, f9.3)', ' spmv: change', change, '  sum', sum(x), '  rank of one', x(1) * n
  if (abs(sum(x) - 1) > 1e-9_dp .or. change > 2 * damping**rounds .or. x(1) * n < 2) stop 1
  print *, 'OK'
end program spmv
