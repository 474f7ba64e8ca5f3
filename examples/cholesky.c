// Tiled Cholesky factorisation, its order given by task dependences alone.
//
//   cholesky [TILES [TILE_SIZE]]
//
// In its timeline: one thread creates all tasks, of four kinds: factorise a tile of the diagonal,
// solve those below it, update the rest (on and off the diagonal). There is no barrier between the
// steps: later ones begin while earlier ones are unfinished, as soon as the tiles they read are
// ready. Towards the end too few tiles are left to keep every thread busy.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int tiles = 8, tile_size = 48;

typedef double *tile_t; // tile_size rows of tile_size

static tile_t *at(tile_t *matrix, int row, int column) {
  return &matrix[row * tiles + column];
}

static void factorise(tile_t a) {
  int n = tile_size;
  for (int k = 0; k < n; k++) {
    a[k * n + k] = sqrt(a[k * n + k]);
    for (int i = k + 1; i < n; i++)
      a[i * n + k] /= a[k * n + k];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j <= i; j++)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
  }
}

static void solve(const tile_t diagonal, tile_t a) {
  int n = tile_size;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++)
        sum -= a[i * n + k] * diagonal[j * n + k];
      a[i * n + j] = sum / diagonal[j * n + j];
    }
}

static void update(const tile_t left, const tile_t right, tile_t a) {
  int n = tile_size;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += left[i * n + k] * right[j * n + k];
      a[i * n + j] -= sum;
    }
}

// The tasks that follow from column k. Their dependences are by the tiles' addresses.
static void eliminate(tile_t *matrix, int k) {
  tile_t *diagonal = at(matrix, k, k);
#pragma omp task depend(inout : *diagonal)
  factorise(*diagonal);
  for (int i = k + 1; i < tiles; i++) {
    tile_t *below = at(matrix, i, k);
#pragma omp task depend(in : *diagonal) depend(inout : *below)
    solve(*diagonal, *below);
  }
  for (int i = k + 1; i < tiles; i++)
    for (int j = k + 1; j <= i; j++) {
      tile_t *left = at(matrix, i, k), *right = at(matrix, j, k), *target = at(matrix, i, j);
#pragma omp task depend(in : *left, *right) depend(inout : *target)
      update(*left, *right, *target);
    }
}

// Symmetric, and positive definite since the diagonal outweighs the rest.
static double element(int row, int column) {
  int distance = abs(row - column);
  return row == column ? 2.0 * tiles * tile_size : 1.0 / (1 + distance);
}

static tile_t *new_matrix(void) {
  tile_t *matrix = calloc((size_t)tiles * tiles, sizeof *matrix);
  for (int t = 0; matrix && t < tiles * tiles; t++) {
    matrix[t] = calloc((size_t)tile_size * tile_size, sizeof **matrix);
    for (int e = 0; matrix[t] && e < tile_size * tile_size; e++)
      matrix[t][e] = element(t / tiles * tile_size + e / tile_size, t % tiles * tile_size + e % tile_size);
  }
  return matrix;
}

static double factor(tile_t *matrix, int row, int column) {
  tile_t tile = *at(matrix, row / tile_size, column / tile_size);
  return tile[row % tile_size * tile_size + column % tile_size];
}

// The largest difference between the factor times its transpose and the matrix, on a sample of rows.
static double residual(tile_t *matrix) {
  int n = tiles * tile_size;
  double worst = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : worst)
  for (int row = 0; row < n; row += 7)
    for (int column = 0; column <= row; column++) {
      double sum = 0;
      for (int k = 0; k <= column; k++)
        sum += factor(matrix, row, k) * factor(matrix, column, k);
      worst = fmax(worst, fabs(sum - element(row, column)));
    }
  return worst;
}

static void free_matrix(tile_t *matrix) {
  for (int t = 0; t < tiles * tiles; t++)
    free(matrix[t]);
  free(matrix);
}

int main(int argc, char **argv) {
  tiles = argc > 1 ? atoi(argv[1]) : tiles;
  tile_size = argc > 2 ? atoi(argv[2]) : tile_size;
  if (tiles < 1 || tiles > 500 || tile_size < 1 || tile_size > 2000) {
    fprintf(stderr, "usage: cholesky [TILES (1..500) [TILE_SIZE (1..2000)]]\n");
    return 2;
  }
  tile_t *matrix = new_matrix();
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < tiles; k++)
    eliminate(matrix, k);
  double worst = residual(matrix);
  int is_right = worst < 1e-8;
  printf("cholesky %dx%d tiles of %d: residual %s, %s\n", tiles, tiles, tile_size,
         is_right ? "below 1e-8" : "too large", is_right ? "right" : "WRONG");
  free_matrix(matrix);
  return !is_right;
}
