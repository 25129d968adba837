#include "lib/graph/contract/order/slice.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "lib/base/threads/parallel.hpp"
#include "lib/graph/contract/order/anneal.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

/// What a subtree holds at most while it is computed, and whether its first or second operand comes first.
struct Need {
    double peak = 0, size = 0;
    bool second_first = false;
};

std::vector<Need> needs_of(Network const& network, SsaPath const& path) {
    std::size_t const operands = network.operands.size();
    std::vector<Need> needs(operands + path.size());  // operands take nothing: they are there anyway
    PathWalk walk(network);
    for (std::size_t k = 0; k < path.size(); ++k) {
        Need const a = needs[at(path[k].first)], b = needs[at(path[k].second)];
        walk.contract(path[k].first, path[k].second);
        Need& made = needs[operands + k];
        made.size = walk.size(static_cast<int>(operands + k));
        double const together = a.size + b.size + made.size;
        double const a_first = std::max({a.peak, a.size + b.peak, together});
        double const b_first = std::max({b.peak, b.size + a.peak, together});
        made.second_first = b_first < a_first;
        made.peak = std::min(a_first, b_first);
    }
    return needs;
}

Network without(Network network, std::vector<int> const& labels) {
    for (int label : labels) network.extents[at(label)] = 1;
    return network;
}

/// Labels of results that are too large, or nearly so, which the output lacks.
std::vector<int> candidates(Network const& network, SsaPath const& path, double most_elements) {
    PathWalk walk(network);
    double const least = std::min(most_elements, largest_result(network, path)) / 4;
    std::vector<int> out;
    for (std::size_t k = 0; k < path.size(); ++k) {
        walk.contract(path[k].first, path[k].second);
        int const made = static_cast<int>(network.operands.size() + k);
        if (walk.size(made) < least) continue;
        for (int label : walk.labels(made))
            if (!network.kept[at(label)] && network.extents[at(label)] > 1) out.push_back(label);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// sliced_operations of many choices of labels along one path.
class SlicedCost {
public:
    SlicedCost(Network const& network, SsaPath const& path) : network_(network) {
        std::size_t const operands = network.operands.size();
        PathWalk walk(network);
        std::vector<std::vector<int>> below(network.operands);
        for (std::size_t k = 0; k < path.size(); ++k) {
            auto const [a, b] = path[k];
            Step step;
            std::set_union(walk.labels(a).begin(), walk.labels(a).end(), walk.labels(b).begin(), walk.labels(b).end(),
                           std::back_inserter(step.labels));
            step.operations = walk.contract(a, b);
            step.made = walk.labels(static_cast<int>(operands + k));
            step.size = network.size(step.made);
            step.a = a;
            step.b = b;
            steps_.push_back(std::move(step));
        }
        operands_ = operands;
    }

    /// @param most_elements  results beyond take as many slices more as they are larger
    double of(std::vector<int> const& sliced, double most_elements = 1e300) const {
        double slices = 1;
        for (int label : sliced) slices *= network_.extents[at(label)];
        std::vector<char> reached(operands_ + steps_.size(), 0);
        for (std::size_t k = 0; k < operands_; ++k) reached[k] = meets(network_.operands[k], sliced) ? 1 : 0;
        double operations = 0;
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            Step const& step = steps_[k];
            reached[operands_ + k] = static_cast<char>(reached[at(step.a)] | reached[at(step.b)]);
            if (reached[operands_ + k] == 0) {
                operations += step.operations * std::max(1.0, step.size / most_elements);
                continue;
            }
            double points = step.operations, size = step.size;
            for (int label : sliced) {
                if (std::binary_search(step.labels.begin(), step.labels.end(), label))
                    points /= network_.extents[at(label)];
                if (std::binary_search(step.made.begin(), step.made.end(), label)) size /= network_.extents[at(label)];
            }
            operations += points * slices * std::max(1.0, size / most_elements);
        }
        return operations;
    }

private:
    struct Step {
        std::vector<int> labels, made;
        double operations = 0, size = 1;
        int a = 0, b = 0;
    };
    static bool meets(std::vector<int> const& sorted, std::vector<int> const& labels) {
        return std::any_of(labels.begin(), labels.end(),
                           [&](int label) { return std::binary_search(sorted.begin(), sorted.end(), label); });
    }

    Network const& network_;
    std::size_t operands_ = 0;
    std::vector<Step> steps_;
};

/// What an order costs when results beyond the limit are as dear as the slices that they would make of all.
double limited_cost(Network const& network, LabelSets const& sets, SsaPath const& path, double most_elements) {
    return OrderTree(network, sets, path, most_elements).cost();
}

SsaPath reordered(Network const& network, SsaPath path, double most_elements, double from_beta, double work,
                  std::uint64_t seed) {
    LabelSets const sets(network);
    double best = limited_cost(network, sets, path, most_elements);
    auto const take = [&](SsaPath other) {
        double const cost = limited_cost(network, sets, other, most_elements);
        if (cost < best) best = cost, path = std::move(other);
    };
    double const sweeps = work / annealing_work(network.operands.size(), sets.words(), 1);
    if (sweeps >= 4) {
        OrderTree tree(network, sets, path, most_elements);
        anneal(tree, {from_beta, 12, sweeps, seed});
        take(tree.path());
    }
    take(improve_path(network, path));
    return path;
}

}  // namespace

double peak_elements(Network const& network, SsaPath const& path) {
    return path.empty() ? 0 : needs_of(network, path).back().peak;
}

SsaPath order_for_memory(Network const& network, SsaPath const& path) {
    if (path.empty()) return path;
    std::size_t const operands = network.operands.size();
    std::vector<Need> const needs = needs_of(network, path);
    std::vector<int> order, open{static_cast<int>(operands + path.size() - 1)};
    while (!open.empty()) {  // the root first, of its operands the later one first: reversed below
        int const node = open.back();
        open.pop_back();
        if (at(node) < operands) continue;
        order.push_back(node);
        auto [first, second] = path[at(node) - operands];
        if (needs[at(node)].second_first) std::swap(first, second);
        open.push_back(first);
        open.push_back(second);
    }
    std::reverse(order.begin(), order.end());
    std::vector<int> number(operands + path.size());
    for (std::size_t k = 0; k < operands; ++k) number[k] = static_cast<int>(k);
    SsaPath out;
    for (int node : order) {
        auto const [a, b] = path[at(node) - operands];
        out.emplace_back(number[at(a)], number[at(b)]);
        number[at(node)] = static_cast<int>(operands + out.size() - 1);
    }
    return out;
}

double sliced_operations(Network const& network, SsaPath const& path, std::vector<int> const& sliced) {
    return SlicedCost(network, path).of(sliced);
}

namespace {

/// Where slicing begins: at the order as it is, or at one that was annealed towards results that fit.
constexpr double beginnings[] = {0, 1, 2, 4};

/// @param from_beta  of annealing first; 0: none
Sliced sliced_from(Network const& network, SsaPath const& path, double most_elements, Reorder reorder, double from_beta,
                   double work) {
    Sliced out;
    out.path = path;
    Network here = network;
    if (from_beta > 0) out.path = reordered(here, std::move(out.path), most_elements / 3, from_beta, work / 2, 99);
    double peak = peak_elements(here, out.path);
    while (peak > most_elements) {
        std::vector<int> const choice = candidates(here, out.path, most_elements);
        if (choice.empty()) break;
        SlicedCost const cost(network, out.path);
        int best = -1;
        double best_score = std::numeric_limits<double>::infinity();
        for (int label : choice) {
            std::vector<int> with = out.labels;
            with.push_back(label);
            // The least that all slices are expected to take, those included that are still to be chosen.
            double const score = cost.of(with, most_elements / 3);
            if (score < best_score) best = label, best_score = score;
        }
        out.labels.push_back(best);
        out.slices *= network.extents[at(best)];
        here = without(std::move(here), {best});
        if (reorder == Reorder::yes)
            out.path = reordered(here, std::move(out.path), most_elements / 3, 3, work / 2 / tuning::most_reorderings,
                                 out.labels.size());
        peak = peak_elements(here, out.path);
        if (out.slices > tuning::most_slices) break;
    }
    out.path = order_for_memory(here, out.path);
    out.operations = sliced_operations(network, out.path, out.labels);
    out.peak = peak_elements(here, out.path);
    return out;
}

}  // namespace

Sliced slice(Network const& network, SsaPath const& path, double most_elements, Reorder reorder, double work) {
    if (reorder == Reorder::no) return sliced_from(network, path, most_elements, reorder, 0, 0);
    std::size_t const several = std::size(beginnings);
    std::vector<Sliced> all = for_each_in_parallel(several, [&](std::size_t k) {
        return sliced_from(network, path, most_elements, reorder, beginnings[k], work / static_cast<double>(several));
    });
    auto const better = [&](Sliced const& a, Sliced const& b) {
        bool const a_fits = a.peak <= most_elements, b_fits = b.peak <= most_elements;
        return a_fits != b_fits ? a_fits : a.operations < b.operations;
    };
    return std::move(*std::min_element(all.begin(), all.end(), better));
}

}  // namespace ein::graph
