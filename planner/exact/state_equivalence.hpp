// What later variables can see of a decided one: its values fall into groups (equivalence classes), of the same classes
// at all links that are still open. Each time a link closes, groups that differed in it alone become one.
// Example: a matmul whose output is open to two readers: one group for each cut of its output, whatever its aggregated
// label's parts.
#pragma once

#include <vector>

#include "planner/exact/bound.hpp"

namespace ein::planner {

class StateEquivalence {
public:
    /// @param later  links to later variables, in the order in which they close
    StateEquivalence(Model const& model, Bound const& bound, int variable, std::vector<int> const& later);

    bool open() const { return closed_ < links_.size(); }
    int next_link() const { return links_[closed_]; }
    bool next_is_last() const { return closed_ + 1 == links_.size(); }
    std::size_t count() const { return stages_[closed_].count; }
    /// The group of a value when no link is closed.
    int first(int value) const { return first_[static_cast<std::size_t>(value)]; }
    /// The class of a group at the link that closes next.
    int class_at_next(std::size_t group) const { return stages_[closed_].class_at_next[group]; }
    /// What a group becomes when that link is closed.
    int after_next(std::size_t group) const { return stages_[closed_].after_next[group]; }
    void close_next() { ++closed_; }

private:
    struct Stage {
        std::size_t count = 0;
        std::vector<int> class_at_next, after_next;  // of each group
    };

    std::vector<int> links_;
    std::vector<Stage> stages_;  // by the number of closed links
    std::vector<int> first_;     // of each value; -1: excluded
    std::size_t closed_ = 0;
};

}  // namespace ein::planner
