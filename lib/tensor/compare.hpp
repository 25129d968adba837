// How far two tensors are apart, and how far they may be: for eintool diff and einrun --verify.
// An element differs when |a - b| > tolerance * max(|a|, |b|, rms), where rms is the root mean square of the
// reference's finite elements: a value that cancelled down to almost nothing is compared by the size of what its tensor
// holds, not by its own. nan equals nan, an infinity equals the same infinity; either against anything else differs.
// Integers are compared exactly.
// Example: compare({1, 2.1}, {1, 2}, 1e-3) has count 1, worst 1, max_abs 0.1, max_rel 0.1 / 2.1.
#pragma once

#include <span>
#include <vector>

#include "lib/tensor/host_tensor.hpp"

namespace ein::tensor {

struct Difference {
    bool same_shape = true;  // when false nothing else was compared
    Extent count = 0;        // elements that differ
    double max_abs = 0;      // greatest |a - b| of all elements; inf for nan or inf against anything else
    double max_rel = 0;      // greatest |a - b| / max(|a|, |b|, rms) of all
    Extent worst = -1;  // C-order position of the first that is furthest off, of those that differ if any do; -1 when
                        // all are equal
    double worst_rel = 0, worst_tolerance = 0;  // of that element
    double largest_tolerance = 0;               // of any element
    std::vector<Extent> differing;              // positions
};

/// Compares two tensors, dtypes may differ (integers with integers are compared exactly, all else in complex<double>).
/// @param absolute  by position, how far apart elements may be beside what `tolerance` allows; empty: no further;
/// infinite: anything goes, and is left out of all that is counted
Difference compare(HostTensor const& value, HostTensor const& reference, double tolerance,
                   std::span<double const> absolute = {});

/// How far elements may be apart: `tolerance` times max(|a|, |b|, rms).
struct Allowed {
    double tolerance = 0;
    double rms = 0;
};
/// The same with a root mean square of one's own, for tensors that are some elements of others.
Difference compare(HostTensor const& value, HostTensor const& reference, Allowed const& allowed,
                   std::span<double const> absolute = {});
/// Of the finite elements.
double root_mean_square(HostTensor const& tensor);

/// |a - b|: 0 for nan and nan, inf for nan or inf against anything else.
double distance(scalar::Scalar const& a, scalar::Scalar const& b);

/// The relative error to allow in results of `dtype` that sum `reduction_length` products: 8 (eps + sqrt(length) eps'),
/// eps that of the dtype and eps' that of the type it accumulates in (f32 for f16 and bf16, else the dtype); rounding
/// errors of a sum add up like a random walk. 0 for integers and bool.
double tolerance(DType dtype, double reduction_length);

}  // namespace ein::tensor
