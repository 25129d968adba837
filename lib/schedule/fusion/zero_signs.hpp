// Whose zeros' signs anybody sees: sums of products do not, as the order of a sum decides the sign of a sum of zeros
// (docs/graph-format/einsum.md), so what they alone read may be filled with zeros of one sign.
// Example: D = P*(x - y), 0 where P is, and read by products alone: the sign of its zeros is nowhere seen; where D is
// an output, or 1/D is made of it, it is.
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// By block: 1 where it may make a difference, to who reads it, which sign a zero in it has.
Table<BlockId, std::uint8_t> zero_signs_seen(Header const& header, Section const& section);

}  // namespace ein::schedule
