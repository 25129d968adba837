// The last rung of the memory ladder (see planning.hpp): when no way to plan fits, the one whose blocks go to disk and back at the least price.
// Price: seconds that its messages take between nodes and its spills and fetches on disks, one after another, by the rates of the cluster.
// Example: three ways need 5, 4 and 6 GiB of 2 GiB; considered one after another, take() gives the second with 3 GiB written and read.
#pragma once

#include <optional>
#include <string>

#include "apps/einplan/planning.hpp"

namespace ein::apps {

class CheapestSpill {
public:
    explicit CheapestSpill(PlanningOptions const& options) : options_(options) {}

    /// @param what  says which way it is, for the note; may be empty
    void consider(Planned const& way, std::string const& what);
    /// The cheapest so far, with a note of what it costs; nothing when none fits.
    std::optional<Planned> take();
    /// The least budget that any of those considered can spill for; 0 before the first.
    std::int64_t smallest() const { return smallest_; }

private:
    PlanningOptions const& options_;  // with a budget
    std::optional<Planned> best_;
    std::string what_;
    double seconds_ = 0;
    std::int64_t smallest_ = 0;
};

}  // namespace ein::apps
