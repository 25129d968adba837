// What is known of blocks before there are any: outside a band of two of their axes all elements are one number, if
// what they are made of has neither nan nor infinity. Found from joins alone, so it is what to prepare for: whoever
// runs tasks looks whether it is so (executor/fusion/known_blocks.hpp). Example: S = where([k] <= [i], x*y, -inf) is
// -inf outside the band -far <= k - i <= 0; m, the maximum over k, says nothing; exp(S - m) is 0 outside the same band,
// and a sum over k of that times V has nothing to add there.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lib/scalar/regions/band.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Elements outside the band are `outside`; a zero has either sign.
struct Known {
    scalar::Band band;  // of axes, or of labels
    double outside = 0;

    scalar::Range range() const { return outside == 0 ? scalar::Range::either_zero() : scalar::Range::of(outside); }
    friend bool operator==(Known const&, Known const&) = default;
};

/// Of a kernel's operands, in its labels; nothing where nothing is known.
using KnownOperands = std::vector<std::optional<Known>>;

/// The same in the labels that axes have; nothing where two axes have one.
std::optional<Known> in_labels(std::optional<Known> const& known, std::vector<int> const& axes);

/// What is known of a kernel's result, of axes. @param region  of its labels
std::optional<Known> known_result(graph::EinSum const& einsum, KnownOperands const& operands, BoxView const& region);

/// Whether what is known of operands leaves something of the kernel out: terms that add nothing to what it aggregates,
/// or elements that are one number. The band's label that is cut in pieces then, and the one that is clipped.
struct LeftOut {
    int cut = 0, clipped = 0;
};
std::optional<LeftOut> left_out(graph::EinSum const& einsum, KnownOperands const& operands, BoxView const& region);

/// The join where(c, f, 0) of a sum without its mask, where an operand is known to be 0 wherever c says no.
struct Unmasked {
    scalar::Expr kept;  // f
    scalar::Band band;  // where c says yes
};
std::optional<Unmasked> unmasked(graph::EinSum const& einsum, KnownOperands const& operands);

/// Of blocks that one kernel writes whole, alone or the last of a fused task; not of those that loops carry.
std::map<BlockId, Known> known_blocks(Header const& header, Section const& section);

}  // namespace ein::schedule
