#include "executor/device/cpu/sparse/sparse_kernel.hpp"

#include "executor/device/cpu/sparse/lookup_rows.hpp"
#include "executor/device/cpu/sparse/merge_kernel.hpp"
#include "executor/device/cpu/sparse/row_kernel.hpp"
#include "executor/device/cpu/sparse_products/best_rows.hpp"
#include "executor/device/cpu/sparse_products/pair_rows.hpp"
#include "executor/device/cpu/sparse_products/product_kernel.hpp"
#include "executor/device/reference/sparse_reference.hpp"

namespace ein::executor {

std::unique_ptr<PreparedKernel const> make_sparse_kernel(KernelShape const& shape, scalar::Params const& params) {
    if (auto lookup = make_lookup_rows_kernel(shape)) return lookup;
    std::unique_ptr<PreparedKernel const> any = make_row_kernel(shape, params);
    if (any == nullptr) any = make_sparse_reference(shape, params);
    if (auto product = make_product_kernel(shape, params, any)) return product;
    if (auto best = make_best_rows_kernel(shape, params, any)) return best;
    if (auto pair = make_pair_rows_kernel(shape, params, any)) return pair;
    if (auto merge = make_merge_kernel(shape, params, any)) return merge;
    return any;
}

}  // namespace ein::executor
