// Work of several threads on one device: CUDA and OpenMP.
//
//   waves [ROUNDS [CELLS]]
//
// Each thread has a stream of its own: it copies its part there, computes, and copies it back. In a
// timeline with the device's streams: the copies of one thread lie beside the kernels of the others.
//
// Built by: nvcc -g -O2 -Xcompiler -fopenmp waves.cu -o waves
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <omp.h>

enum { THREADS = 4, BLOCK = 256 };

__global__ void wave(double *cells, int count, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double height = cells[i];
  for (int k = 0; k < depth; k++)
    height = sin(height) + 1e-3 * k;
  cells[i] = height;
}

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "waves: %s\n", cudaGetErrorString(error));
  exit(1);
}

static double run(int thread, int rounds, int count) {
  cudaStream_t stream;
  double *here, *there, sum = 0;
  size_t bytes = count * sizeof *here;
  check(cudaStreamCreate(&stream));
  check(cudaMallocHost(&here, bytes));
  check(cudaMalloc(&there, bytes));
  for (int i = 0; i < count; i++)
    here[i] = i % 100 + thread;
  for (int i = 0; i < rounds; i++) {
    check(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, stream));
    wave<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(there, count, 50 * (thread + 1));
    check(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
  }
  for (int i = 0; i < count; i++)
    sum += here[i];
  check(cudaFree(there));
  check(cudaFreeHost(here));
  check(cudaStreamDestroy(stream));
  return sum;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20, count = argc > 2 ? atoi(argv[2]) : 1 << 20;
  double sums[THREADS] = {0};
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < THREADS; i++)
    sums[i] = run(i, rounds, count);
  printf("%.6f %.6f\n", sums[0], sums[THREADS - 1]);
  return 0;
}
