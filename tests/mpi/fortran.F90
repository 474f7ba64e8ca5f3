! The same calls by each of the three interfaces: INTERFACE is 1 mpif.h, 2 the module mpi, 3 the module mpi_f08.
program ring
#if INTERFACE == 3
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: half
  type(MPI_Win) :: window
  type(MPI_File) :: file
#elif INTERFACE == 2
  use mpi
  implicit none
  integer :: requests(2), status(MPI_STATUS_SIZE), half, window, file
#else
  implicit none
  include 'mpif.h'
  integer :: requests(2), status(MPI_STATUS_SIZE), half, window, file
#endif
  integer :: rank, ranks, left, right, got, total, error, memory(4)
  integer(kind=MPI_ADDRESS_KIND) :: bytes = 16, place = 1
  integer(kind=MPI_OFFSET_KIND) :: offset
  character(len=1024) :: name
  call get_command_argument(1, name)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call MPI_Irecv(got, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  if (got /= left) stop 1
  if (rank == 0) call MPI_Send(rank, 1, MPI_INTEGER, ranks - 1, 6, MPI_COMM_WORLD, error)
  if (rank == ranks - 1) call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, status, error)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (total /= ranks * (ranks - 1) / 2) stop 2
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, error)
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Put(rank, 1, MPI_INTEGER, right, place, 1, MPI_INTEGER, window, error)
  call MPI_Win_fence(0, window, error)
  if (memory(2) /= left) stop 3
  call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window, error)
  call MPI_Get(got, 1, MPI_INTEGER, right, place, 1, MPI_INTEGER, window, error)
  call MPI_Win_unlock(right, window, error)
  if (got /= rank) stop 4
  call MPI_Win_free(window, error)
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  offset = 4 * rank
  call MPI_File_write_at(file, offset, rank, 1, MPI_INTEGER, status, error)
  call MPI_File_iread_at(file, offset, got, 1, MPI_INTEGER, requests(1), error)
  call MPI_Wait(requests(1), status, error)
  if (got /= rank) stop 5
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
end program ring
