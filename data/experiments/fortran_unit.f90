! Callees of the Fortran experiments, compiled with the flags being characterized.
subroutine call_0()
end subroutine
subroutine call_rs(a, b, c)
  real(4) :: a, b, c
end subroutine
subroutine call_rd(a, b, c)
  real(8) :: a, b, c
end subroutine
subroutine call_is(a, b, c)
  integer(4) :: a, b, c
end subroutine
