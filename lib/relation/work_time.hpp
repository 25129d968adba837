// How long the interpreter takes, roughly, as fixed numbers: what is verified must not depend on how busy a machine is.
// From one core of an AMD EPYC that others used too, so within a factor of two or three.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::relation {

inline constexpr double seconds_an_operation = 6e-8;         // of a join, element by element
inline constexpr double seconds_a_plain_operation = 1.5e-9;  // of a sum of products of reals
inline constexpr double seconds_an_element = 3e-8;           // read, moved or looked up

/// Of pairwise contraction, for each operation (a multiply-add is two).
inline double seconds_a_product(DType type, scalar::Agg agg) {
    if (scalar::info(agg).by_exponentials) return 2e-8;
    if (agg != scalar::Agg::sum || is_exact(type)) return 1.5e-9;
    return is_complex(type) ? 2e-9 : 5e-10;
}

/// Of an EinSum term by term.
inline double seconds_as_written(graph::EinSum const& einsum, graph::EinSumTypes const& types, Shape const& lengths) {
    bool const plain = einsum.agg == scalar::Agg::sum && kind(types.compute) == Kind::real &&
                       einsum.join == scalar::product(static_cast<int>(einsum.operands()));
    double elements = 1;
    for (int label : einsum.output) elements *= static_cast<double>(lengths[at(label)]);
    return graph::flops(einsum, lengths) * (plain ? seconds_a_plain_operation : seconds_an_operation) +
           elements * seconds_an_element;
}

}  // namespace ein::relation
