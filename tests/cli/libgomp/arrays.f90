! Allocatable arrays and strings in tasks and taskloops.
program arrays
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: i, n
  integer, allocatable :: a(:)
  character(len=11) :: s
  integer(8) :: total, tasks
  total = 0
  tasks = 0
  allocate(a(100))
  a = 5
  s = "hello tasks"
  do n = 1, 8, 3
    !$omp parallel num_threads(n)
    !$omp single
    do i = 1, 300
      !$omp task firstprivate(i, a, s) shared(total)
      a(1) = i
      !$omp atomic
      total = total + a(1) + a(100) + len(s)
      !$omp end task
      !$omp task firstprivate(a, i) shared(total) if(.false.)
      !$omp atomic
      total = total + a(2) + i
      !$omp end task
    end do
    !$omp taskwait
    !$omp taskloop firstprivate(a) num_tasks(11)
    do i = 1, 1000
      !$omp atomic
      total = total + a(3) * i
    end do
    !$omp end taskloop
    tasks = tasks + 600 + 11
    !$omp end single
    !$omp end parallel
  end do
  print *, total
  write (error_unit, '(a, i0, a, i0)') "truth: created ", tasks, ", complete ", tasks
end program
