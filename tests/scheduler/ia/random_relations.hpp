// Random tensor relations of small whole numbers, so that sums in any order are equal to the bit; and the programs'
// inputs.
#pragma once

#include <map>
#include <random>

#include "scheduler/ia/expression.hpp"
#include "scheduler/ia/interpret.hpp"

namespace ein::test {

using Random = std::mt19937;

inline int drawn(Random& random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

inline tra::TensorRelation random_relation(Random& random, Shape const& frontier, Shape const& bound) {
    Shape shape;
    for (std::size_t axis = 0; axis < bound.size(); ++axis) shape.push_back(frontier[axis] * bound[axis]);
    return tra::TensorRelation::chunked(shape, bound, [&](auto const&) { return double(drawn(random, -3, 3)); });
}

inline ia::Sites random_sites(Random& random, int arity) {
    int const kind = drawn(random, 0, 4);
    if (kind == 0) return ia::Sites::all();
    if (kind == 1) return ia::Sites::scattered();
    if (kind == 2 && arity > 1) return ia::Sites::part({0, 1});
    return ia::Sites::part({drawn(random, 0, arity - 1)});
}

/// What an expression's sites hold together.
inline tra::TensorRelation result_of(ia::Expr const& expr, std::map<std::string, tra::TensorRelation> const& inputs) {
    return ia::together(expr.type(), ia::run({expr}, inputs).results.front());
}

}  // namespace ein::test
