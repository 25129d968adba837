#define EIN_FILL_KERNELS fill_kernels_avx512
#include "lib/scalar/kernels/kernel_loops.hpp"
