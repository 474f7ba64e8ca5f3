#include "cuda/cuda.h"

struct cuda cuda;
