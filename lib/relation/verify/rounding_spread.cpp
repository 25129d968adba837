#include "lib/relation/verify/rounding_spread.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/relation/verify/samples.hpp"

namespace ein::relation {
namespace {

using Complex = std::complex<double>;

Complex number(scalar::Scalar const& value) {
    return value.is_integer ? Complex(static_cast<double>(value.integer)) : value.number;
}

bool is_finite(Complex value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

/// Of complex numbers every one that is not finite counts as nan: which parts overflow depends on too much.
bool& kind_of(Complex value, Outcomes& outcomes) {
    if (is_finite(value)) return outcomes.finite;
    if (value.imag() != 0 || std::isnan(value.real())) return outcomes.nan;
    return value.real() > 0 ? outcomes.infinite : outcomes.minus_infinite;
}

}  // namespace

Outcomes outcomes_of(std::vector<scalar::Scalar> const& results, scalar::Scalar const& expected) {
    Outcomes out;
    std::vector<Complex> finite;
    for (scalar::Scalar const& result : results) {
        kind_of(number(result), out) = true;
        if (is_finite(number(result))) finite.push_back(number(result));
    }
    if (is_finite(number(expected))) {
        out.middle = number(expected);
    } else if (!finite.empty()) {
        for (Complex const& result : finite) out.middle += result / static_cast<double>(finite.size());
    }
    double squares = 0, largest = 0;  // scaled, so that squares do not overflow
    for (Complex const& result : finite) largest = std::max(largest, std::abs(result - out.middle));
    if (largest == 0) return out;
    for (Complex const& result : finite) squares += std::norm((result - out.middle) / largest);
    out.spread = largest * std::sqrt(squares / static_cast<double>(finite.size()));
    return out;
}

bool Outcomes::allow(scalar::Scalar const& found, double spreads) const {
    Outcomes of_found;
    bool const& kind = kind_of(number(found), of_found);
    kind_of(number(found), of_found) = true;
    if (&kind == &of_found.finite) return finite && std::abs(number(found) - middle) <= spreads * spread;
    return (of_found.infinite && infinite) || (of_found.minus_infinite && minus_infinite) || (of_found.nan && nan);
}

Around::Around(IndexSets const& all, std::vector<Extent> const& chosen) {
    std::vector<std::set<Extent>> sets(all.size());
    std::vector<std::vector<Extent>> places;
    for (Extent position : chosen) {
        places.push_back(index_of(all, position));
        for (std::size_t axis = 0; axis < all.size(); ++axis) sets[axis].insert(places.back()[axis]);
    }
    for (auto const& set : sets) indices.emplace_back(set.begin(), set.end());
    for (std::vector<Extent> const& place : places) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < all.size(); ++axis) {
            auto const& set = indices[axis];
            linear = linear * static_cast<Extent>(set.size()) +
                     (std::lower_bound(set.begin(), set.end(), place[axis]) - set.begin());
        }
        positions.push_back(linear);
    }
}

std::vector<Outcomes> rounding_spread(Interpreter& interpreter, ValueId value, IndexSets const& indices,
                                      tensor::HostTensor const& expected, std::vector<Extent> const& chosen, bool tf32,
                                      std::uint64_t rounds) {
    Around const around(indices, chosen);
    std::vector<std::vector<scalar::Scalar>> results(chosen.size());
    for (std::uint64_t round = 0; round < rounds; ++round) {
        scalar::Noise noise(round, tf32);
        tensor::HostTensor const moved = interpreter.sample(value, around.indices, &noise);
        for (std::size_t i = 0; i < chosen.size(); ++i) results[i].push_back(moved.at(around.positions[i]));
    }
    std::vector<Outcomes> out;
    for (std::size_t i = 0; i < chosen.size(); ++i) out.push_back(outcomes_of(results[i], expected.at(chosen[i])));
    return out;
}

}  // namespace ein::relation
