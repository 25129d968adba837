#include "lib/graph/contract/order/search_path.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/base/threads/parallel.hpp"
#include "lib/graph/contract/order/anneal.hpp"
#include "lib/graph/contract/order/bisect.hpp"
#include "lib/graph/contract/order/eliminate.hpp"
#include "lib/graph/contract/order/simplify.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

struct Found {
    SsaPath path;
    double cost = 0;
};

/// Where searching begins: a share of the work goes into many quick orders.
class Search {
public:
    Search(Network const& network, double work) : network_(network), sets_(network), left_(work) {}

    SsaPath run() {
        draw(left_ * tuning::drawing_share);
        std::stable_sort(found_.begin(), found_.end(), [](auto const& a, auto const& b) { return a.cost < b.cost; });
        for (int round = 0; round < tuning::annealing_rounds && network_.operands.size() > 2; ++round)
            anneal_best(round);
        return std::move(found_.front().path);
    }

private:
    std::size_t operands() const { return network_.operands.size(); }

    void draw(double work) {
        double const a_draw = tuning::work_a_draw * static_cast<double>(operands());
        auto const draws = static_cast<std::size_t>(std::clamp(work / a_draw, 6.0, 300.0));
        std::vector<Found> drawn = for_each_in_parallel(draws, [&](std::size_t k) { return drawn_path(k); });
        left_ -= static_cast<double>(draws) * a_draw;
        for (Found& found : drawn) found_.push_back(std::move(found));
    }

    Found drawn_path(std::size_t k) const {
        SsaPath path = draw_one(k);
        double const cost = path_cost(network_, path);
        return {std::move(path), cost};
    }

    SsaPath draw_one(std::size_t k) const {
        std::size_t const round = k / 3;
        Draws draws(k + 1);
        switch (k % 3) {
            case 0:
                if (round == 0) return greedy_draw(network_, {});
                return greedy_draw(network_, {true, 0.2 + 0.9 * draws.uniform(), 0.02 + 0.8 * draws.uniform(), k});
            case 1:
                if (round == 0) return eliminating_path(network_, {});
                return eliminating_path(network_, {0.6 * draws.uniform(), 0.8 * draws.uniform(), k});
        }
        return bisected_path(network_, {0.02 + 0.6 * draws.uniform(), 8, k});
    }

    /// The best orders so far, each annealed on its own; what they become replaces them.
    void anneal_best(int round) {
        std::size_t const several = std::min<std::size_t>(found_.size(), round == 0 ? 6 : 2);
        found_.resize(several);
        double const share =
            left_ / static_cast<double>(tuning::annealing_rounds - round) / static_cast<double>(several);
        double const sweeps = share / annealing_work(operands(), sets_.words(), 1);
        if (sweeps < 1) return;
        left_ -= share * static_cast<double>(several);
        std::vector<Found> better = for_each_in_parallel(several, [&](std::size_t k) {
            OrderTree tree(network_, sets_, found_[k].path);
            double const from = round == 0 && k % 2 == 1 ? 0.3 : 1.5;
            anneal(tree, {from, 12, sweeps, static_cast<std::uint64_t>(round) * 64 + k + 1});
            SsaPath path = improve_path(network_, tree.path());
            double const cost = path_cost(network_, path);
            return Found{std::move(path), cost};
        });
        for (Found& found : better) found_.push_back(std::move(found));
        std::stable_sort(found_.begin(), found_.end(), [](auto const& a, auto const& b) { return a.cost < b.cost; });
    }

    Network const& network_;
    LabelSets sets_;
    double left_;
    std::vector<Found> found_;
};

/// Comparing all orders takes three to the power of the operands.
std::optional<SsaPath> exact(Network const& network, double work) {
    std::size_t const operands = network.operands.size();
    if (operands > tuning::most_exact_operands) return std::nullopt;
    double const splits = std::pow(3.0, static_cast<double>(operands)) / 2;
    return splits * tuning::work_a_split <= work ? optimal_path(network, operands) : std::nullopt;
}

SsaPath cheaper(Network const& network, SsaPath a, SsaPath b) {
    return path_cost(network, b) < path_cost(network, a) ? std::move(b) : std::move(a);
}

}  // namespace

SsaPath search_path(Network const& network, double work) {
    std::size_t const operands = network.operands.size();
    if (operands <= tuning::most_optimal_operands) return good_path(network);
    if (auto best = exact(network, work)) return std::move(*best);
    Simplified const simplified = simplify(network);
    auto best = exact(simplified.rest, work);
    if (!best)
        best = simplified.rest.operands.size() <= tuning::most_optimal_operands ? good_path(simplified.rest)
                                                                                : Search(simplified.rest, work).run();
    SsaPath path = improve_path(network, whole_path(simplified, operands, *best));
    if (operands <= tuning::most_plain_operands) path = cheaper(network, std::move(path), greedy_path(network));
    return path;
}

}  // namespace ein::graph
