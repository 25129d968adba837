// Bytes that a rank may hold beside the most that is live when its tasks run in order (Section::room). Whoever waits
// for a message then computes what is ready behind it: without them a result of a few bytes is refused wherever the
// list is at its peak. They are part of the predicted peak, so that it still says what a run may hold. Example: {apply
// loss, receive loss, reduce loss, apply slope} with all inputs live throughout: the slope's 400 bytes are more than
// the peak in order; with them as room it is computed while the loss is under way.
#pragma once

#include <optional>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Bytes of all blocks together, those that are repeated each time.
std::int64_t bytes_of_all_blocks(Section const& section);

/// Room for a rank that waits for messages: a small part of its peak, no more than all its blocks could take, nor than
/// `memory` leaves. None for a rank that receives nothing.
/// @param peak  without room
std::int64_t room_for(Section const& section, std::int64_t peak, std::optional<std::int64_t> memory);

/// Takes away as much of a section's room as does not fit. @param peak  with it  @return with what is left of it
std::int64_t leave_room_within(Section& section, std::int64_t peak, std::int64_t memory);

}  // namespace ein::schedule
