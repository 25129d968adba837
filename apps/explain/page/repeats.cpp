#include "apps/explain/page/repeats.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

namespace ein::apps::explain {
namespace {

constexpr std::size_t most_pairs = 100'000'000;  // of steps that are compared: bounds the period of long sequences

/// Steps first .. first + length - 1, each as the one `period` later, as far as that is in the run.
struct Run {
    std::size_t first = 0, length = 0, period = 0;
    std::size_t copies() const { return length / period; }
    std::size_t hidden() const { return period * (copies() - 1); }
    /// The one that hides most, of the shortest period, comes first.
    friend bool operator<(Run const& a, Run const& b) {
        return std::tuple(a.hidden(), b.period, b.first) < std::tuple(b.hidden(), a.period, a.first);
    }
};

/// The earliest beginning, from `first` on, of a run in which steps i and i + period are alike; i + 1 if there is none.
std::size_t beginning(std::vector<SequenceStep> const& steps, std::size_t i, std::size_t period, std::size_t first) {
    SequenceStep const &one = steps[i], &other = steps[i + period];
    if (one.form != other.form || one.makers.size() != other.makers.size()) return i + 1;
    for (std::size_t k = 0; k < one.makers.size(); ++k) {
        auto const &a = one.makers[k], &b = other.makers[k];
        if (a && b && *b == *a + period) continue;  // inside of the copy, or as far back
        if (a) first = std::max(first, *a + 1);     // else both come from before the run ...
        if (!b) continue;
        std::size_t const in_first_copy = std::max(*b, i) + 1 - std::min(period, std::max(*b, i) + 1);
        first = std::max(first, std::min(*b + 1, in_first_copy));  // ... or the second copy reads the first one
    }
    return std::min(first, i + 1);
}

void add_runs(std::vector<SequenceStep> const& steps, std::size_t period, std::size_t least_hidden,
              std::vector<Run>& out) {
    std::size_t first = 0;
    auto const close = [&](std::size_t end) {
        Run const run{first, end + period - first, period};
        if (end >= first + period && run.hidden() >= least_hidden) out.push_back(run);
    };
    for (std::size_t i = 0; i + period < steps.size(); ++i) {
        std::size_t const next = beginning(steps, i, period, first);
        if (next == first) continue;
        close(i);
        first = next;
    }
    close(steps.size() - period);
}

/// Values that steps [at, at + period) read of the `period` steps before them.
std::size_t crossing(std::vector<SequenceStep> const& steps, std::size_t at, std::size_t period) {
    std::set<std::size_t> values;
    for (std::size_t i = at; i < at + period; ++i)
        for (auto const& maker : steps[i].makers)
            if (maker && *maker < at && *maker + period >= at) values.insert(*maker);
    return values.size();
}

/// How many characters the names of these steps have in common at their beginning.
std::size_t common_name(std::vector<SequenceStep> const& steps, std::size_t first, std::size_t count) {
    std::size_t common = steps[first].name.size();
    for (std::size_t i = first + 1; i < first + count; ++i) {
        std::string const &a = steps[first].name, &b = steps[i].name;
        std::size_t same = 0;
        while (same < std::min(common, b.size()) && a[same] == b[same]) ++same;
        common = same;
    }
    return common;
}

/// A layer begins where the fewest values go from one copy to the next; where several places are as good, where the
/// names of a copy have most in common, and then where most copies have room.
Repeat placed(std::vector<SequenceStep> const& steps, Run const& run, std::size_t least_hidden) {
    using Merit = std::tuple<std::size_t, std::size_t, std::size_t>;  // the least is best
    std::optional<std::pair<Merit, Repeat>> best;
    for (std::size_t phase = 0; phase < run.period && phase + 2 * run.period <= run.length; ++phase) {
        Repeat repeat{run.first + phase, run.period, (run.length - phase) / run.period, {}};
        if (best && repeat.hidden() < least_hidden) continue;
        std::size_t const second = repeat.first + run.period;
        Merit const merit{crossing(steps, second, run.period),
                          std::string::npos - common_name(steps, second, run.period), steps.size() - repeat.copies};
        if (!best || merit < best->first) best = {merit, repeat};
    }
    return best->second;
}

std::vector<SequenceStep> steps_of_copy(std::vector<SequenceStep> const& steps, Repeat const& repeat) {
    auto const begin = steps.begin() + static_cast<std::ptrdiff_t>(repeat.first);
    std::vector<SequenceStep> out(begin, begin + static_cast<std::ptrdiff_t>(repeat.period));
    for (SequenceStep& step : out)
        for (auto& maker : step.makers)
            maker = maker && *maker >= repeat.first ? std::optional(*maker - repeat.first) : std::nullopt;
    return out;
}

/// The parts of a run that are not taken yet.
std::vector<Run> free_parts(Run const& run, std::vector<bool> const& taken) {
    std::vector<Run> out;
    for (std::size_t i = run.first; i < run.first + run.length; ++i) {
        if (taken[i]) continue;
        if (out.empty() || out.back().first + out.back().length != i) out.push_back({i, 0, run.period});
        ++out.back().length;
    }
    return out;
}

}  // namespace

std::vector<Repeat> find_repeats(std::vector<SequenceStep> const& steps, std::size_t least_hidden) {
    std::size_t const n = steps.size();
    std::vector<Run> runs;
    std::size_t const longest_period = std::min(n / 2, most_pairs / std::max<std::size_t>(n, 1));
    for (std::size_t period = 1; period <= longest_period; ++period) add_runs(steps, period, least_hidden, runs);
    std::priority_queue<Run> queue(std::less<Run>(), std::move(runs));
    std::vector<bool> taken(n, false);
    std::vector<Repeat> out;
    while (!queue.empty()) {
        Run const run = queue.top();
        queue.pop();
        auto const parts = free_parts(run, taken);
        if (parts.size() != 1 || parts[0].length != run.length) {
            for (Run const& part : parts)
                if (part.copies() > 1 && part.hidden() >= least_hidden) queue.push(part);
            continue;
        }
        Repeat repeat = placed(steps, run, least_hidden);
        std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(repeat.first), repeat.end() - repeat.first, true);
        repeat.inside = find_repeats(steps_of_copy(steps, repeat), least_hidden);
        out.push_back(std::move(repeat));
    }
    std::sort(out.begin(), out.end(), [](Repeat const& a, Repeat const& b) { return a.first < b.first; });
    return out;
}

std::size_t shown_steps(std::size_t steps, std::vector<Repeat> const& repeats) {
    for (Repeat const& repeat : repeats)
        steps -= repeat.period * repeat.copies - shown_steps(repeat.period, repeat.inside);
    return steps;
}

}  // namespace ein::apps::explain
