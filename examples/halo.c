// Heat in a plate of several ranks with threads: MPI and OpenMP.
//
//   mpicc -O2 -g -fopenmp halo.c -o halo -lm          (with clang: OMPI_CC=clang or MPICH_CC=clang)
//   stave record -o run mpirun -n 2 ./halo [STEPS]
//
// Each rank has a strip of the plate and exchanges the lines at its edges with its neighbours in
// every step. The strips are of equal size, but a tenth of the plate burns, all of it in rank 0,
// where a cell costs many times as much. In the timeline: the others wait for rank 0 in
// MPI_Allreduce, the band of which begins wide and ends in one point. With HALO_EVEN=1 each rank has its
// share of the fire.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 512, ROWS = 160, BURNING = 10, ROUNDS_OF_FIRE = 40 };

struct strip {
  double (*now)[COLUMNS], (*next)[COLUMNS]; /* the first and the last line are the neighbours' */
  int rank, ranks, above, below;
  int burning; /* lines, from the top */
};

static double burn(double heat) {
  for (int i = 0; i < ROUNDS_OF_FIRE; i++)
    heat = heat * 0.999 + 0.001 * sqrt(1 + heat * heat);
  return heat;
}

static void exchange(struct strip *strip, MPI_Request requests[4]) {
  MPI_Irecv(strip->now[0], COLUMNS, MPI_DOUBLE, strip->above, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(strip->now[ROWS + 1], COLUMNS, MPI_DOUBLE, strip->below, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(strip->now[1], COLUMNS, MPI_DOUBLE, strip->above, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(strip->now[ROWS], COLUMNS, MPI_DOUBLE, strip->below, 0, MPI_COMM_WORLD, &requests[3]);
}

static double relax(struct strip *strip) {
  double change = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : change)
  for (int i = 1; i <= ROWS; i++)
    for (int j = 1; j < COLUMNS - 1; j++) {
      double heat =
          (strip->now[i - 1][j] + strip->now[i + 1][j] + strip->now[i][j - 1] + strip->now[i][j + 1]) / 4;
      heat = i <= strip->burning ? burn(heat) : heat;
      change += fabs(heat - strip->now[i][j]);
      strip->next[i][j] = heat;
    }
  return change;
}

static double step(struct strip *strip) {
  MPI_Request requests[4];
  double change, total;
  exchange(strip, requests);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  change = relax(strip);
  double(*swap)[COLUMNS] = strip->now;
  strip->now = strip->next;
  strip->next = swap;
  MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

static struct strip make_strip(void) {
  struct strip strip;
  MPI_Comm_rank(MPI_COMM_WORLD, &strip.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &strip.ranks);
  strip.above = strip.rank > 0 ? strip.rank - 1 : MPI_PROC_NULL;
  strip.below = strip.rank < strip.ranks - 1 ? strip.rank + 1 : MPI_PROC_NULL;
  int burning = ROWS * strip.ranks / BURNING;
  burning = burning < ROWS ? burning : ROWS;
  strip.burning = getenv("HALO_EVEN") ? burning / strip.ranks : strip.rank == 0 ? burning : 0;
  strip.now = calloc(ROWS + 2, sizeof *strip.now);
  strip.next = calloc(ROWS + 2, sizeof *strip.next);
  if (!strip.now || !strip.next)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return strip;
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 200, level;
  double change = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  struct strip strip = make_strip();
  double begin = MPI_Wtime();
  for (int i = 0; i < steps; i++)
    change = step(&strip);
  if (strip.rank == 0)
    printf("%d steps in %.3f s, change %g\n", steps, MPI_Wtime() - begin, change);
  free(strip.now);
  free(strip.next);
  return MPI_Finalize();
}
