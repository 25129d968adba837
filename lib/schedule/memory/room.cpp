#include "lib/schedule/memory/room.hpp"

#include <algorithm>

#include "lib/schedule/tuning.hpp"

namespace ein::schedule {

std::int64_t bytes_of_all_blocks(Section const& section) {
    std::int64_t out = 0;
    for (Block const& block : section.blocks) out += section.bytes_of(block);
    if (section.repeat)
        for (BlockId block = section.repeat->first_block; block < section.repeat->end_block; block = following(block))
            out += section.repeat->times * section.bytes_of(block);
    return out;
}

std::int64_t room_for(Section const& section, std::int64_t peak, std::optional<std::int64_t> memory) {
    if (std::none_of(section.tasks.begin(), section.tasks.end(), [](Task const& task) { return task.is<Receive>(); }))
        return 0;
    std::int64_t const all = bytes_of_all_blocks(section), most = std::min(all, memory.value_or(all));
    return std::clamp(most - peak, std::int64_t{0}, peak / tuning::room_part);
}

std::int64_t leave_room_within(Section& section, std::int64_t peak, std::int64_t memory) {
    std::int64_t const too_much = std::clamp(peak - memory, std::int64_t{0}, section.room);
    section.room -= too_much;
    return peak - too_much;
}

}  // namespace ein::schedule
