// Which kernel does an EinSum: the only place that chooses.
#include "executor/device/cuda/fold_source.hpp"

namespace ein::executor::cuda {

Program einsum_program(KernelShape const& shape, scalar::Params const& params, Gpu const& gpu) {
    check(shape);
    scalar::Expr const& join = shape.kernel->einsum.join;
    KernelTypes const types = types_of(shape);
    EinsumText const text{shape, types, join_source(join, types, params), gpu};
    Nest nest = make_nest(shape);
    if (writes_nothing(nest)) return {};
    bool const no_terms = reads_nothing(nest);
    if (no_terms && shape.accumulate) return {};
    if (no_terms) std::erase_if(nest.labels, [](NestLabel const& label) { return label.aggregated; });
    simplify(nest);
    return fold_program(text, loops_of(nest, join), no_terms || nest.aggregates(), no_terms);
}

}  // namespace ein::executor::cuda
