// How far rounding may move elements of a value: the interpreter computes them several times with rounding errors at
// random, as large as a run's, and the root mean square of the changes is an element's spread. It knows what no bound
// of one operation can: what cancels later, what is amplified, which errors are common to many elements, and which
// comparison may turn out either way. Example: x - 1e8 for x = 1e8 + 1/3 computed in f32 has a spread of several units,
// x - 1/3 one of 1e-8.
#pragma once

#include <vector>

#include "lib/relation/interpret.hpp"

namespace ein::relation {

/// @param judge     of the graph as the run computes it, contractions lowered
/// @param expected  the elements at `indices`, as exact as they are known  @param chosen  positions in `expected`
/// @param tf32      multiplications in f32 were allowed to round their factors (see scalar::Noise)
/// @return for each chosen one its spread; infinite where it is finite in one computation and not in another
std::vector<double> rounding_spread(Interpreter& judge, ValueId value, IndexSets const& indices,
                                    tensor::HostTensor const& expected, std::vector<Extent> const& chosen,
                                    bool tf32 = false);

}  // namespace ein::relation
