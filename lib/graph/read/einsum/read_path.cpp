#include "lib/graph/read/einsum/read_path.hpp"

#include <algorithm>

#include "lib/graph/contract/ssa_path.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

/// The positions of one step, or nothing and a fault.
std::optional<std::vector<std::int64_t>> read_step(Cursor const& at, std::size_t live) {
    auto step = read_integers(at);
    if (!step) return std::nullopt;
    for (std::size_t k = 0; k < step->size(); ++k) {
        bool const inside = (*step)[k] >= 0 && static_cast<std::size_t>((*step)[k]) < live;
        bool const repeated = std::count(step->begin(), step->end(), (*step)[k]) > 1;
        if (inside && !repeated) continue;
        entry_at(at, k).fail("a position from 0 to " + std::to_string(live - 1) + ", each once in a step",
                             std::to_string((*step)[k]),
                             "positions count the operands that are left, results at the end");
        return std::nullopt;
    }
    if (!step->empty()) return step;
    at.fail("two positions", "none", "write a pair such as [0, 1]");
    return std::nullopt;
}

/// Whether it is a list of steps: opt_einsum's names of ways to find one, and NumPy's list that begins with its own
/// name, are none.
bool check_path(Cursor const& path) {
    Json const& found = path.value();
    bool const is_numpys = found.is_array() && !found.empty() && found[0] == "einsum_path";
    bool const is_name = found.is_string() || found.is_boolean() ||
                         (found.is_array() && !found.empty() && std::ranges::all_of(found, &Json::is_string));
    if (is_numpys && found.size() > 1) {
        Json steps = found;
        steps.erase(0);
        path.fail("steps, a pair of positions each", brief(found),
                  "leave out the word: " + brief(steps) + "; or all of \"path\": einplan searches a good order itself");
    } else if (is_numpys || is_name) {
        path.fail("steps, as [[0, 1], [0, 1]]", brief(found),
                  "leave \"path\" out: einplan searches a good order itself");
    } else {
        return path.expect_list();
    }
    return false;
}

}  // namespace

std::vector<std::string> read_slices(Cursor const& slices) {
    std::vector<std::string> out;
    if (!slices.expect_list()) return out;
    for (std::size_t k = 0; k < slices.size(); ++k) {
        auto const label = slices.at(k).string();
        if (!label) continue;
        if (std::find(out.begin(), out.end(), *label) != out.end())
            slices.at(k).fail("each label once", "'" + *label + "' again", "remove one of them");
        else
            out.push_back(*label);
    }
    return out;
}

std::optional<Path> read_path(Cursor const& path, std::size_t operands) {
    if (!check_path(path)) return std::nullopt;
    LiveOperands live(operands);
    SsaPath ssa;
    for (std::size_t k = 0; k < path.size(); ++k) {
        auto step = read_step(path.at(k), live.size());
        if (!step) return std::nullopt;
        std::sort(step->begin(), step->end());
        std::vector<int> group;
        for (std::size_t m = step->size(); m > 0; --m)
            group.push_back(live.take(static_cast<std::size_t>((*step)[m - 1])));
        std::reverse(group.begin(), group.end());
        int result = group.front();
        for (std::size_t m = 1; m < group.size(); ++m) {
            ssa.emplace_back(result, group[m]);
            result = static_cast<int>(operands + ssa.size() - 1);
        }
        live.append(result);
    }
    if (live.size() == 1) return to_linear(ssa, operands);
    path.fail("steps until one operand is left",
              std::to_string(live.size()) + " left after " + std::to_string(path.size()) +
                  (path.size() == 1 ? " step" : " steps"),
              "add steps, or remove \"path\" to have a good one found");
    return std::nullopt;
}

}  // namespace ein::graph
