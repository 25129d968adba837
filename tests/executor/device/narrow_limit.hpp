// Holds the instruction set of narrow products down while it lives, so that tests try each.
#pragma once

#include "executor/device/cpu/narrow/narrow_choice.hpp"

namespace ein::executor {

/// Takes one set at most while it lives.
class NarrowLimit {
public:
    explicit NarrowLimit(NarrowSet set) : there_(limit_narrow_set(set)) {}
    ~NarrowLimit() { limit_narrow_set(NarrowSet::amx); }
    NarrowLimit(NarrowLimit const&) = delete;
    /// Whether the processor has it.
    bool there() const { return there_; }

private:
    bool there_;
};

}  // namespace ein::executor
