! One step of the Lax-Friedrichs scheme for the shallow water equations with gravity one.
module shallow_step
  use shallow_grid
  implicit none
contains
  subroutine step(old, new, n, r)
    type(state), intent(in) :: old
    type(state), intent(inout) :: new
    integer, intent(in) :: n
    real(dp), intent(in) :: r                 ! dt / dx
    call update(old%h, old%p, old%q, new%h, new%p, new%q, n, r)
    call wrap(new%h, n)
    call wrap(new%p, n)
    call wrap(new%q, n)
  end subroutine step

  subroutine update(h, p, q, hn, pn, qn, n, r)
    integer, intent(in) :: n
    real(dp), intent(in), dimension(0:n + 1, 0:n + 1) :: h, p, q
    real(dp), intent(inout), dimension(0:n + 1, 0:n + 1) :: hn, pn, qn
    real(dp), intent(in) :: r
    integer :: i, j
    do j = 1, n
      do i = 1, n
        hn(i, j) = mean(h, i, j) - 0.5_dp * r * (p(i + 1, j) - p(i - 1, j) + q(i, j + 1) - q(i, j - 1))
        pn(i, j) = mean(p, i, j) - 0.5_dp * r * (push(h(i + 1, j), p(i + 1, j)) - push(h(i - 1, j), p(i - 1, j)) &
                   + p(i, j + 1) * q(i, j + 1) / h(i, j + 1) - p(i, j - 1) * q(i, j - 1) / h(i, j - 1))
        qn(i, j) = mean(q, i, j) - 0.5_dp * r * (push(h(i, j + 1), q(i, j + 1)) - push(h(i, j - 1), q(i, j - 1)) &
                   + p(i + 1, j) * q(i + 1, j) / h(i + 1, j) - p(i - 1, j) * q(i - 1, j) / h(i - 1, j))
      end do
    end do
  contains
    pure real(dp) function mean(a, i, j)
      real(dp), intent(in) :: a(0:n + 1, 0:n + 1)
      integer, intent(in) :: i, j
      mean = 0.25_dp * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
    end function mean

    ! Momentum flux: u**2 h + h**2 / 2.
    pure real(dp) function push(depth, discharge)
      real(dp), intent(in) :: depth, discharge
      push = discharge * discharge / depth + 0.5_dp * depth * depth
    end function push
  end subroutine update
end module shallow_step
