// Runs of a sequence of steps that do the same again and again: the layers of a network, whatever they are called.
// Copies of a run are isomorphic: step by step of the same form, reading one another alike; what they read from before
// the run may be anything, and what a copy reads of an earlier one lies at the same distance in each. Runs are found in
// order of the steps they hide, and again inside of a copy. O(n^2) for n steps, with periods up to `longest_period`.
// Example: a b c b c b c, each reading the one before: three copies of the period 2, from step 1 on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ein::apps::explain {

struct SequenceStep {
    std::size_t form = 0;                            // equal for steps that do the same
    std::vector<std::optional<std::size_t>> makers;  // earlier steps, by input; nothing for what is no step's
    std::string name = {};  // only to choose where copies begin, where several places are as good
};

struct Repeat {
    std::size_t first = 0, period = 0, copies = 0;
    std::vector<Repeat> inside;  // of the first copy, counted from its beginning; the other copies have the same
    std::size_t end() const { return first + period * copies; }
    /// Steps that are not shown when one copy stands for all, those inside not counted.
    std::size_t hidden() const { return period * (copies - 1); }
    friend bool operator==(Repeat const&, Repeat const&) = default;
};

/// @param least_hidden  runs that would hide fewer steps are left as they are
/// @return in the order of the steps, without overlap
std::vector<Repeat> find_repeats(std::vector<SequenceStep> const& steps, std::size_t least_hidden);

/// Steps left to show when each run is shown by one copy, runs inside included.
std::size_t shown_steps(std::size_t steps, std::vector<Repeat> const& repeats);

}  // namespace ein::apps::explain
