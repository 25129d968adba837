// What a checkpoint at each moment of a schedule would write.
// Example: A x B, then (A x B) x C, where A, B and C are read from files: at the moment between them the bytes of A x
// B.
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// By TensorId, whether it is an input: files and generators give it again.
std::vector<bool> given_tensors(Header const& header);

/// Bytes of values live at each moment that neither files nor generators give, boxes that are alike once; sparse ones
/// with all that their blocks have room for. An upper bound where ranks hold parts of one another's boxes.
Table<MomentId, std::int64_t> live_bytes(Schedule const& schedule);

}  // namespace ein::schedule
