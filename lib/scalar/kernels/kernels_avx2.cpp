#define EIN_FILL_KERNELS fill_kernels_avx2
#include "lib/scalar/kernels/kernel_loops.hpp"
