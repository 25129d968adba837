#include "executor/device/gemm_kernel.hpp"

#include <cblas.h>

namespace ein::executor {
std::unique_ptr<PreparedKernel const> make_gemm_kernel(KernelShape const&, Nest const&, KernelTypes const&, scalar::Params const&) { return nullptr; }
void use_one_blas_thread() { openblas_set_num_threads(1); }
}  // namespace ein::executor
