// While it lives limits are moved, as by the variable EINLOOM_LIMITS.
// Example: LimitsSet const set("nodes=10");
#pragma once

#include <cstdlib>
#include <string>

namespace ein::test {

class LimitsSet {
public:
    explicit LimitsSet(std::string const& text) { setenv("EINLOOM_LIMITS", text.c_str(), 1); }
    ~LimitsSet() { unsetenv("EINLOOM_LIMITS"); }
    LimitsSet(LimitsSet const&) = delete;
    LimitsSet& operator=(LimitsSet const&) = delete;
};

}  // namespace ein::test
