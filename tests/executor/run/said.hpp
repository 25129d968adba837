// What ranks say during a run, kept for a test.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "executor/run/messages.hpp"

namespace ein::test {

/// Of all ranks together, in no order.
class Said {
public:
    executor::Messages messages() {
        return {[this](std::string const& text) { keep(text); },
                [this](std::string const& text) { keep("warning: " + text); }};
    }
    std::vector<std::string> sorted() const {
        std::vector<std::string> out = texts_;
        std::sort(out.begin(), out.end());
        return out;
    }

private:
    void keep(std::string const& text) {
        std::lock_guard const lock(mutex_);
        texts_.push_back(text);
    }

    std::mutex mutex_;
    std::vector<std::string> texts_;
};

}  // namespace ein::test
