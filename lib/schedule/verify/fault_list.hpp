// The faults that a check has found, a line each: at most 20, since a damaged file may have millions.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ein::schedule {

class FaultList {
public:
    void add(std::string text) {
        if (list_.size() < most) list_.push_back(std::move(text));
    }
    /// @param text  makes the fault's text: millions of tasks have none
    template <class Text>
    bool check(bool holds, Text const& text) {
        if (!holds) add(text());
        return holds;
    }
    bool full() const { return list_.size() >= most; }
    bool empty() const { return list_.empty(); }
    std::vector<std::string> take() { return std::move(list_); }

private:
    static constexpr std::size_t most = 20;
    std::vector<std::string> list_;
};

}  // namespace ein::schedule
