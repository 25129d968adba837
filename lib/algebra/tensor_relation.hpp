// A tensor relation: arrays of one bound, each under its own key.
// Example: chunked({4, 4}, {2, 2}, element) is a 4 x 4 matrix as the four pairs (⟨0,0⟩, 2 x 2), ..., (⟨1,1⟩, 2 x 2).
// Source: [T] section 2.
#pragma once

#include <functional>
#include <map>

#include "lib/algebra/operators.hpp"

namespace ein::tra {

class TensorRelation {
public:
    /// @throws InputError unless keys are distinct and of one arity, and arrays of one bound
    static TensorRelation make(Tuples tuples, int arity, Shape bound);
    /// A tensor cut into blocks of equal bound, keyed by block coordinate.
    /// @throws InputError unless the blocks divide the shape
    static TensorRelation chunked(Shape const& shape, Shape const& block,
                                  std::function<double(std::vector<Extent> const&)> const& element);

    RelationType const& type() const { return type_; }
    Tuples const& tuples() const { return tuples_; }
    Array const& at(Key const& key) const;  // the key must be there
    friend bool operator==(TensorRelation const&, TensorRelation const&) = default;

private:
    RelationType type_;
    Tuples tuples_;  // by key
};

}  // namespace ein::tra
