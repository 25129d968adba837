#include "executor/startup/core_sets.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ein::executor {

std::vector<int> cores_from_list(std::string_view text) {
    std::vector<int> cores;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    while (!text.empty()) {
        std::string_view const part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        char const *const begin = part.data(), *const end = begin + part.size();
        int first = 0, last = 0;
        auto at = std::from_chars(begin, end, first);
        last = first;
        if (at.ec == std::errc() && at.ptr != end && *at.ptr == '-') at = std::from_chars(at.ptr + 1, end, last);
        if (at.ec != std::errc() || at.ptr != end || first < 0 || last < first || last >= CPU_SETSIZE) return {};
        for (int core = first; core <= last; ++core) cores.push_back(core);
    }
    std::sort(cores.begin(), cores.end());
    return cores;
}

std::string list_of_cores(std::vector<int> const& cores) {
    std::string out;
    for (std::size_t i = 0; i < cores.size();) {
        std::size_t last = i;
        while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
        out +=
            (out.empty() ? "" : ",") + std::to_string(cores[i]) + (last > i ? "-" + std::to_string(cores[last]) : "");
        i = last + 1;
    }
    return out;
}

std::vector<int> settle_near(std::vector<int> const& near, std::vector<int> const& allowed, int online) {
    std::vector<int> both;
    std::set_intersection(near.begin(), near.end(), allowed.begin(), allowed.end(), std::back_inserter(both));
    if (both.empty() || both.size() == allowed.size() || static_cast<int>(allowed.size()) < online) return allowed;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int core : both) CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? both : allowed;
}

}  // namespace ein::executor
