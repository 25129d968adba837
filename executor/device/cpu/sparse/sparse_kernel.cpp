#include "executor/device/cpu/sparse/sparse_kernel.hpp"

#include "executor/device/cpu/sparse/row_kernel.hpp"
#include "executor/device/reference/sparse_reference.hpp"

namespace ein::executor {

std::unique_ptr<PreparedKernel const> make_sparse_kernel(KernelShape const& shape, scalar::Params const& params) {
    if (auto rows = make_row_kernel(shape, params)) return rows;
    return make_sparse_reference(shape, params);
}

}  // namespace ein::executor
