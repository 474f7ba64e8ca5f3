! Nestable locks, whose variable is a pointer to what libgomp has of them.
program nest_locks
  use omp_lib
  use iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: rounds = 10
  integer (kind=omp_nest_lock_kind) :: lock
  integer :: i, depth, total
  total = 0
  call omp_init_nest_lock (lock)
  !$omp parallel num_threads(3) private(i, depth)
  do i = 1, rounds
    call omp_set_nest_lock (lock)
    call omp_set_nest_lock (lock)
    depth = omp_test_nest_lock (lock)
    total = total + depth
    call omp_unset_nest_lock (lock)
    call omp_unset_nest_lock (lock)
    call omp_unset_nest_lock (lock)
  end do
  !$omp end parallel
  if (omp_test_nest_lock (lock) /= 1) stop 1
  call omp_unset_nest_lock (lock)
  call omp_destroy_nest_lock (lock)
  print *, total
  write (error_unit, '(a, i0, a, i0)') 'truth: acquired ', 3 * rounds + 1, ', released ', 3 * rounds + 1
  stop 3, quiet=.true.
end program
