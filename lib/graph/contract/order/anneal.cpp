#include "lib/graph/contract/order/anneal.hpp"

#include <cmath>

#include "lib/graph/contract/order/draws.hpp"

namespace ein::graph {

void anneal(OrderTree& tree, Annealing const& how) {
    std::size_t const inner = tree.inner();
    if (inner < 2) return;
    Draws draws(how.seed);
    auto const steps = static_cast<std::uint64_t>(how.sweeps * static_cast<double>(inner));
    double beta = how.from_beta;
    double const growth = (how.to_beta - how.from_beta) / static_cast<double>(std::max<std::uint64_t>(1, steps / 256));
    for (std::uint64_t step = 0; step < steps; ++step) {
        if (step % 256 == 255) beta += growth;
        std::uint64_t const drawn = draws.next();
        auto const node = static_cast<int>(tree.leaves() + static_cast<std::size_t>((drawn >> 32) * inner >> 32));
        OrderTree::Turn turn;
        if (!tree.turn_at(node, static_cast<unsigned>(drawn & 3), turn)) continue;
        double const now = tree.cost_now(turn), after = tree.cost_after(turn);
        if (after > now && draws.uniform() >= std::exp2(-beta * std::log2(after / now))) continue;
        tree.take(turn);
    }
}

double annealing_work(std::size_t operands, std::size_t words, double sweeps) {
    return sweeps * static_cast<double>(operands) * (150 + 10 * static_cast<double>(words));
}

}  // namespace ein::graph
