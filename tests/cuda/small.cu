// 100,000 kernels that do next to nothing: what recording costs where kernels are small. For scripts/gpu.
#include <cstdio>

enum { KERNELS = 100000 };

__global__ void add(int *sum) {
  *sum += 1;
}

int main() {
  int *there, here = 0;
  if (cudaMalloc(&there, sizeof *there) != cudaSuccess || cudaMemset(there, 0, sizeof *there) != cudaSuccess)
    return 1;
  for (int i = 0; i < KERNELS; i++)
    add<<<1, 1>>>(there);
  if (cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost) != cudaSuccess || here != KERNELS)
    return 1;
  printf("%d kernels\n", here);
  return 0;
}
