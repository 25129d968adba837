// What one rank has found of the calls that it looked at, by node, and how ranks put that together.
// Example: tallies.add("Z", found) from several threads; then gather_checked_calls(transport, tallies.rank_calls()).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "executor/call_check/checked_element.hpp"
#include "executor/transport/transport.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/relation/verify/checked_calls.hpp"

namespace ein::executor {

/// Of some calls of a node.
struct CallTally {
    std::int64_t made = 0, calls = 0;  // calls that ran; of which elements were looked at
    std::int64_t elements = 0, differ = 0, ill_conditioned = 0, overflow = 0;
    double max_rel = 0, tolerance = 0;

    void add(CheckedElement const& element);
    void add(CallTally const& other);
};

/// Of one rank.
struct RankCalls {
    std::map<std::string, CallTally> nodes;  // by name: that have calls here
    std::vector<std::string> mismatches;     // a message each, of the first

    void add(RankCalls const& other);
    relation::CheckedCalls summed() const;
};

class CallTallies {
public:
    /// @param mismatch  a message about one of its elements, or ""
    void add(std::string const& node, CallTally const& call, std::string mismatch);
    /// No more is to be looked at: enough is known to be wrong.
    bool is_enough() const;
    RankCalls so_far() const;

private:
    mutable Mutex mutex_;
    RankCalls found_ EIN_GUARDED_BY(mutex_);
};

/// Collective. Of all ranks together.
relation::CheckedCalls gather_checked_calls(Transport& transport, RankCalls const& mine);

}  // namespace ein::executor
