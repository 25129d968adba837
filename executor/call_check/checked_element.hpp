// Whether an element that a kernel made is what its operands make of it: within rounding of the sum of its terms'
// absolute values, or else no further off than rounding at random moves it (lib/relation/verify/rounding_spread.hpp).
// Example: 1e8 - 1e8 + 1 summed in f32 may be 0: its terms sum up to 2e8, of which f32 holds seven digits.
#pragma once

#include "executor/call_check/call_again.hpp"

namespace ein::executor {

struct CheckedElement {
    enum class Verdict { right, ill_conditioned, overflow, wrong };
    Verdict verdict = Verdict::right;
    double relative = 0, tolerance = 0;  // of the sum of its terms' absolute values: how far it is off, and may be
};

/// @param again  what `call.element(made, place, held, team)` gave
/// @param found  of the output's type  @param tf32  products in f32 may round their factors to 11 bits
CheckedElement check_element(CallAgain const& call, KernelCall const& made, ElementPlace const& place,
                             std::optional<scalar::Scalar> const& held, CallAgain::Element const& again,
                             scalar::Scalar const& found, bool tf32, WorkerTeam& team);

/// An element that was only moved. @return whether it has the same value, nan the same as nan
bool is_same(scalar::Scalar const& a, scalar::Scalar const& b);

}  // namespace ein::executor
