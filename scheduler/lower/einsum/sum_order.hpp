// In which order ranks that share a sum make their terms and send what they have, in virtual time and without tasks.
// Each member computes its calls in their order, but for those that wait for operands or for another member's sum: so
// does the engine. A part that is made goes on: to the member `stride` turns later, which computes its own onto it, and
// from the last ones to the keeper. A stride of 1 is a ring, where nothing is added in a pass of its own; one of as
// many as there are members sends each to the keeper. The shorter, the fewer additions; the longer, the longer a
// message may take. Example: two members keep a part each. Each computes the other's, then its own onto what came:
// events compute, compute, message, compute, message, compute.
#pragma once

#include <cstddef>
#include <vector>

namespace ein::scheduler {

/// The turn in which a member makes what another one keeps, of so many: 0, at last, of what it keeps itself.
constexpr std::size_t turn_of(std::size_t member, std::size_t keeper, std::size_t members) {
    return (member + members - keeper) % members;
}

struct SummedPart {
    std::size_t keeper = 0;  // the member
    double message = 0;      // seconds of a message with it, and of adding it to what is there
    double addition = 0;
};

/// A call of a member.
struct SummedCall {
    std::size_t part = 0;
    double seconds = 0;
    double at_hand = 0;  // when its operands are there
};

struct SharedSum {
    std::vector<SummedPart> parts;
    std::vector<std::vector<SummedCall>> calls;  // of each member, in order

    std::size_t members() const { return calls.size(); }
    std::size_t turn(std::size_t member, std::size_t part) const {
        return turn_of(member, parts[part].keeper, members());
    }
    /// To whom a member sends a part that it has made.
    std::size_t destination(std::size_t member, std::size_t part, std::size_t stride) const {
        bool const goes_on = turn(member, part) + stride < members();
        return goes_on ? (member + stride) % members() : parts[part].keeper;
    }
};

/// A call is made, or a part has come.
struct SumEvent {
    bool is_message = false;
    std::size_t member = 0, call = 0;  // that computes; of a message: that sends
    std::size_t to = 0, part = 0;      // of a message
};

struct SumOrder {
    std::vector<SumEvent> events;  // messages right before what they are added to: as late as in a list of tasks
    double seconds = 0;            // until all is made
};

SumOrder sum_order(SharedSum const& sum, std::size_t stride);

/// The stride with which all is made first; of those that are alike the longest.
std::size_t best_stride(SharedSum const& sum);

}  // namespace ein::scheduler
