// Whether a rank does the same in two rounds, one after the other (period.hpp): task by task, with the next blocks, the
// same peers and the same boxes. Then it does so in any number of rounds, if those between them were; the names of what
// it uses are left to names.hpp.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lib/schedule/model/section.hpp"
#include "lib/schedule/model/succession.hpp"

namespace ein::scheduler {

/// Three moments, as many nodes apart: a round lies between the first two, the one compared with it behind that.
struct RoundMoments {
    schedule::MomentId before, first, end;
};

/// Entries of the header's tables by their numbers: what is in the round before and, in its place, in the next one.
class Partners {
public:
    static constexpr std::int32_t none = -1;
    /// @return false where the one has another partner
    template <class IdType>
    bool add(IdType before, IdType next) {
        return add(schedule::detail::place_in<IdType>(schedule::NamedTables()), before.value(), next.value());
    }
    /// @return false where the two do not agree
    bool add(Partners const& other);
    /// By the number of the next one; none: nothing is known of it.
    template <class IdType>
    IdType before(IdType next) const {
        auto const& list = before_[schedule::detail::place_in<IdType>(schedule::NamedTables())];
        return at(next) < list.size() ? IdType{list[at(next)]} : IdType{none};
    }

private:
    bool add(std::size_t table, std::int32_t before, std::int32_t next);

    std::array<std::vector<std::int32_t>, schedule::Succession::tables> before_, next_;
};

/// What one rank repeats. `times` is left to the caller.
struct RankRounds {
    schedule::Repeat repeat;
    Partners partners;
};

/// @return nothing where the two rounds differ, or what comes after them reads more than the last one's blocks
std::optional<RankRounds> compare_rounds(schedule::Section const& section, RoundMoments const& moments);

}  // namespace ein::scheduler
