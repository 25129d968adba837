// Elementwise kernels computed again by each of their readers instead of being written and read: on a device, where
// every kernel is a pass over memory, a mask or an exponential costs nothing inside the maximum, sum or quotient that
// reads it. Elements are rounded as if they had been stored; only a sum over them may run in another order. The CPU has
// fused groups (fused_groups.hpp) for this. What is left is an ordinary section, whose blocks may live a little longer.
// Example: p = exp(s - m), t = sum of p, w = p / t: two kernels are left, t = sum of exp(s - m) and w = exp(s - m) / t;
// p is never there.
#pragma once

#include <optional>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Bytes of blocks.
struct ProducerFusionLimits {
    std::optional<std::int64_t> peak =
        {};  // where it would pass this, or a quarter more than it is, all stays as it is
    std::optional<std::int64_t> one_kernel =
        {};  // on the device at once; where it is more already, or nobody says: no more than now
};

/// @param header, section  of one rank; kernels may be added to the header, none is changed
void fuse_producers(Header& header, Section& section, ProducerFusionLimits const& limits = {});

}  // namespace ein::schedule
