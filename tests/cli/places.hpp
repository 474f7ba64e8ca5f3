/* Kernels that other files call, and an expression whose size is computed of others'. See places.cc. */
#include <cstddef>
#include <vector>

using numbers = std::vector<double>;

inline void scale(numbers &v) {
#pragma omp parallel for schedule(dynamic, 64) // parallel for
  for (std::size_t i = 0; i < v.size(); i++)
    v[i] *= 3;
}

inline void shift(numbers &v) {
#pragma omp for schedule(dynamic, 64) // for
  for (std::size_t i = 0; i < v.size(); i++)
    v[i] += 1;
}

template <class Left, class Right> struct sum {
  const Left &left;
  const Right &right;
  std::size_t size() const {
    return left.size() < right.size() ? left.size() : right.size();
  }
  double operator[](std::size_t i) const {
    return left[i] + right[i];
  }
};

template <class Left, class Right> sum<Left, Right> add(const Left &left, const Right &right) {
  return {left, right};
}

template <class T> struct grid {
  std::vector<T> cells;
  std::size_t size() const {
    return cells.size();
  }
  void sweep() {
#pragma omp parallel for schedule(guided) // parallel for
    for (std::size_t i = 0; i < cells.size(); i++)
      cells[i] /= 2;
  }
};
