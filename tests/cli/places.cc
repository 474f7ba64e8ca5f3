/* Loops over what the standard library and templates have. A comment after a directive names its constructs,
 * which are to be found in that line or the next one. */
#include <algorithm>
#include <cstdio>
#include <numeric>
#if __cplusplus >= 202002L
#include <ranges>
#endif

#include "places.hpp"

static void several(numbers &v) {
#pragma omp parallel // parallel
  {
#pragma omp for schedule(dynamic, 64) // for
    for (std::size_t i = 0; i < v.size(); i++)
      v[i] *= 2;
#pragma omp for schedule(dynamic, 64) // for
    for (auto at = v.begin(); at < v.end(); ++at)
      *at += 1;
#pragma omp for schedule(guided) // for
    for (auto &x : v)
      x += 2;
#pragma omp for schedule(dynamic) collapse(2) // for
    for (std::size_t i = 0; i < v.size() / 64; i++)
      for (std::size_t j = 0; j < v.size() / 64; j++)
        v[i] += v[j];
  }
}

static double combined(numbers &v, grid<double> &g) {
  double total = 0;
#pragma omp parallel for schedule(dynamic, 64) // parallel for
  for (std::size_t i = 0; i < g.size(); i++)
    v[i] *= 2;
#pragma omp parallel for schedule(dynamic, 64) num_threads(std::min <int>(2, (int)v.size())) // parallel for
  for (std::size_t i = 0; i < v.size(); i++)
    v[i] *= 5;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : total) // parallel for
  for (auto at = v.cbegin(); at != v.cend(); ++at)
    total += std::max(*at, 1.0);
  return total;
}

static void by_lambda(numbers &v) {
  auto body = [&](numbers &w) {
#pragma omp for schedule(dynamic, 64) // for
    for (std::size_t i = 0; i < w.size(); i++)
      w[i] *= 2;
  };
#pragma omp parallel // parallel
  body(v);
}

static void from_header(numbers &v, grid<double> &g) {
#pragma omp parallel // parallel
  {
    shift(v);
    shift(v);
  }
  scale(v);
  scale(v);
  g.sweep();
}

static void expression(numbers &v, const numbers &w) {
  const auto inner = add(v, w);
  const auto outer = add(inner, w);
#pragma omp parallel                         // parallel
#pragma omp for schedule(dynamic, 64) nowait // for
  for (std::size_t i = 0; i < outer.size(); i++)
    v[i] = outer[i];
#pragma omp parallel for schedule(dynamic, 64) // parallel for
  for (std::size_t i = 0; i < outer.size(); i++)
    v[i] -= outer[i];
}

#if __cplusplus >= 202002L
static void by_range(numbers &v) {
  const auto indices = std::views::iota(std::size_t{0}, v.size());
  std::printf("%zu\n", v.size());
#pragma omp parallel for schedule(dynamic, 64) // parallel for
  for (std::size_t i : indices)
    v[i] += 1;
}
#endif

int main() {
  numbers v(2000, 1.0), w(2000, 2.0);
  grid<double> g{v};
  several(v);
  double total = combined(v, g);
  by_lambda(v);
  from_header(v, g);
  expression(v, w);
#if __cplusplus >= 202002L
  by_range(v);
#endif
  std::printf("%d\n", std::accumulate(v.begin(), v.end(), total) > 0);
}
