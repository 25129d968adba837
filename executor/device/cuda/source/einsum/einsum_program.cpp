// Which kernel does an EinSum: the only place that chooses.
#include "executor/device/cuda/source/einsum/contract_source.hpp"
#include "executor/device/cuda/source/einsum/fold_source.hpp"
#include "executor/device/cuda/source/einsum/position_source.hpp"
#include "executor/device/cuda/source/moves/transpose_source.hpp"

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
    if (!no_terms) {
        if (auto lookup = lookup_program(text, nest)) return *lookup;
        if (auto scatter = scatter_program(text, nest)) return *scatter;
    }
    if (no_terms) std::erase_if(nest.labels, [](NestLabel const& label) { return label.aggregated; });
    simplify(nest);
    Loops const loops = loops_of(nest, join);
    bool const aggregates = no_terms || nest.aggregates();
    if (auto tiles = aggregates ? contract_program(text, loops) : transpose_program(text, loops)) return *tiles;
    return fold_program(text, loops, aggregates, no_terms);
}

}  // namespace ein::executor::cuda
