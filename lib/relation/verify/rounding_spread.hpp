// What rounding may make of elements of a value: the interpreter computes them several times with rounding errors at
// random, as large as a run's, and sums added up in other orders where partial sums may leave the range of their type.
// It knows what no bound of one operation can: what cancels later, what is amplified, which errors are common to many
// elements, and which comparison may turn out either way. Example: x - 1e8 for x = 1e8 + 1/3 computed in f32 has a
// spread of several units, x - 1/3 one of 1e-8; a sum of 3e38, 3e38 and -6e38 in f32 may be 0, inf, -inf or nan.
#pragma once

#include <complex>
#include <vector>

#include "lib/relation/interpret.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {

/// What came out for one element.
struct Outcomes {
    bool finite = false, infinite = false, minus_infinite = false, nan = false;
    double spread = 0;            // of the finite ones about `middle`: root mean square
    std::complex<double> middle;  // the exact element; their mean where that is not finite

    /// Whether a run may have left `found`: not further off than so many times the spread, or not finite in one of the
    /// ways that came out.
    bool allow(scalar::Scalar const& found, double spreads) const;
};

/// @param results   one element, as often as it was computed with rounding errors at random
/// @param expected  as exact as it is known
Outcomes outcomes_of(std::vector<scalar::Scalar> const& results, scalar::Scalar const& expected);

/// @param interpreter     of the graph as the run computes it, contractions lowered
/// @param expected  the elements at `indices`, as exact as they are known  @param chosen  positions in `expected`
/// @param tf32      multiplications in f32 were allowed to round their factors (see scalar::Noise)
std::vector<Outcomes> rounding_spread(Interpreter& interpreter, ValueId value, IndexSets const& indices,
                                      tensor::HostTensor const& expected, std::vector<Extent> const& chosen,
                                      bool tf32 = false, std::uint64_t rounds = tuning::rounding_rounds);

/// The smallest product of index sets that has the elements at some positions of a sample, and where they are in it.
struct Around {
    IndexSets indices;
    std::vector<Extent> positions;

    Around(IndexSets const& all, std::vector<Extent> const& chosen);
};

}  // namespace ein::relation
