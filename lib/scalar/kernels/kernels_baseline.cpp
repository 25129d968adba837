#define EIN_FILL_KERNELS fill_kernels_baseline
#include "lib/scalar/kernels/kernel_loops.hpp"
