// Merge sort by recursive tasks.
//
//   sort [NUMBERS [CUTOFF]]
//
// In its timeline: one thread creates the first tasks in a single, the others execute them in the
// barrier after it; every task creates one half as a task, sorts the other itself and is suspended
// in a taskwait before it merges. Halves shorter than CUTOFF are sorted without tasks: make it
// small and see what tasks cost.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cutoff = 4000;

static int compare(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

static void merge(int *numbers, int *scratch, int half, int count) {
  int left = 0, right = half;
  for (int i = 0; i < count; i++) {
    int take_left = right == count || (left < half && numbers[left] <= numbers[right]);
    scratch[i] = numbers[take_left ? left++ : right++];
  }
  memcpy(numbers, scratch, count * sizeof *numbers);
}

static void sort(int *numbers, int *scratch, int count) {
  if (count <= cutoff) {
    qsort(numbers, count, sizeof *numbers, compare);
    return;
  }
  int half = count / 2;
#pragma omp task
  sort(numbers, scratch, half);
  sort(numbers + half, scratch + half, count - half);
#pragma omp taskwait
  merge(numbers, scratch, half, count);
}

static int *new_numbers(int count) {
  int *numbers = calloc(count, sizeof *numbers);
  if (!numbers) {
    perror("sort");
    exit(1);
  }
  return numbers;
}

static void fill(int *numbers, int count) {
  unsigned state = 12345;
  for (int i = 0; i < count; i++) {
    state = state * 1103515245u + 12345u;
    numbers[i] = state >> 8;
  }
}

static long long sum_of(const int *numbers, int count) {
  long long sum = 0;
  for (int i = 0; i < count; i++)
    sum += numbers[i];
  return sum;
}

static int is_sorted(const int *numbers, int count) {
  for (int i = 1; i < count; i++)
    if (numbers[i - 1] > numbers[i])
      return 0;
  return 1;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 500000;
  cutoff = argc > 2 ? atoi(argv[2]) : cutoff;
  if (count < 1 || cutoff < 1) {
    fprintf(stderr, "usage: sort [NUMBERS [CUTOFF]]\n");
    return 2;
  }
  int *numbers = new_numbers(count), *scratch = new_numbers(count);
  fill(numbers, count);
  long long sum = sum_of(numbers, count);
#pragma omp parallel
#pragma omp single
  sort(numbers, scratch, count);
  int is_right = is_sorted(numbers, count) && sum == sum_of(numbers, count);
  printf("sort %d numbers, cutoff %d: median %d, %s\n", count, cutoff, numbers[count / 2],
         is_right ? "right" : "WRONG");
  free(numbers);
  free(scratch);
  return !is_right;
}
