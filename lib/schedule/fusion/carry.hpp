// Fused groups that run over pieces of a label which some of their members reduce: what is so reduced is carried from
// piece to piece. Plain reductions are carried by their aggregation. A sum whose terms have the factor exp(-m), m the
// maximum so far of what stands in the exponent, is multiplied by exp(m before - m after) when that changes; factors
// that are the same in all terms, as 1/s, are left out and multiplied at the end. Whatever else depends on a reduction
// that is not finished cannot be carried. Leaves cutting to scheduler/fusion and running to executor/fusion.
// Example: attention over keys k: m = max T, s = sum exp(T - m), P = exp(T - m)/s, Z = sum P*V: m is carried as it is,
// s and Z with the shift m, P becomes exp(T - m), and Z is divided by s at the end.
// Source: Milakov, Gimelshein: Online normalizer calculation for softmax, 2018; Dao et al.: FlashAttention, 2022.
#pragma once

#include <optional>
#include <vector>

#include "lib/schedule/model/header.hpp"

namespace ein::schedule {

/// Elements of what another member reduces, as a member meets them.
struct CarriedFactor {
    std::size_t member = 0;   // that makes it
    std::vector<int> labels;  // of the member that has the factor, for each of its axes
    friend bool operator==(CarriedFactor const&, CarriedFactor const&) = default;
};

struct CarriedMember {
    enum class Role : std::uint8_t {
        before,   // has nothing to do with the label
        piece,    // its output has the label
        carried,  // reduces it
        after     // reads what is carried when that is finished
    };
    struct Power {
        CarriedFactor factor;
        int power = 0;  // negative: divided by
    };
    Role role = Role::before;
    scalar::Expr join;                   // of terms, without the factors that are left out
    std::optional<CarriedFactor> shift;  // a maximum or minimum in the exponent
    std::vector<Power> scales;           // left out
};

/// The label of each member that is the same axis as a member's, through what is inside; -1: it has none. Nothing where
/// a member has two of them.
std::optional<std::vector<std::int32_t>> labels_along(Header const& header, FusionSpec const& spec, std::size_t member,
                                                      int label);

/// What each member is when the label is cut in pieces; nothing where some member cannot be.
std::optional<std::vector<CarriedMember>> carried_members(Header const& header, FusionSpec const& spec,
                                                          std::vector<std::int32_t> const& labels);

}  // namespace ein::schedule
