// How long the interpreter takes, roughly, by the fixed numbers of tuning.hpp. Example: the product of two 10 x 10
// matrices of f64, term by term, is 2000 operations and 100 elements: 6 us.
#pragma once

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {

/// Of pairwise contraction, for each operation (a multiply-add is two).
inline double seconds_a_product(DType type, scalar::Agg agg) {
    if (scalar::info(agg).by_exponentials) return tuning::seconds_an_exponential;
    if (agg != scalar::Agg::sum || is_exact(type)) return tuning::seconds_a_compared_product;
    return is_complex(type) ? tuning::seconds_a_complex_product : tuning::seconds_a_real_product;
}

/// Of an EinSum term by term.
inline double seconds_as_written(graph::EinSum const& einsum, graph::EinSumTypes const& types, Shape const& lengths) {
    bool const plain = einsum.agg == scalar::Agg::sum && kind(types.compute) == Kind::real &&
                       einsum.join == scalar::product(static_cast<int>(einsum.operands()));
    double elements = 1;
    for (int label : einsum.output) elements *= static_cast<double>(lengths[at(label)]);
    return graph::flops(einsum, lengths) * (plain ? tuning::seconds_a_plain_operation : tuning::seconds_an_operation) +
           elements * tuning::seconds_an_element;
}

}  // namespace ein::relation
