#include "executor/device/cpu/gemm/gemm_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "executor/device/cpu/machine.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

Extent blocks(Extent length, Extent grain) { return (length + grain - 1) / grain; }

/// Predicts, in multiply-adds, when the last thread is done.
class Prediction {
public:
    Prediction(GridProblem const& problem, Hands const& hands)
        : problem_(problem),
          threads_(static_cast<double>(hands.threads)),
          calls_(static_cast<double>(problem.plan.calls())),
          m_(static_cast<double>(problem.plan.m())),
          n_(static_cast<double>(problem.plan.n())),
          k_(static_cast<double>(problem.plan.k())) {}

    double of(Grid const& grid) const {
        auto const [whole_rows, whole_columns, whole_terms] = problem_.grains;
        double const rows = longest(problem_.plan.m(), grid.rows, whole_rows);
        double const columns = longest(problem_.plan.n(), grid.columns, whole_columns);
        double const terms = longest(problem_.plan.k(), grid.sums, whole_terms);
        double const across = static_cast<double>(grid.columns), down = static_cast<double>(grid.rows);
        double const sums = static_cast<double>(grid.sums), pieces = calls_ * across * down * sums;
        PieceCosts const& costs = problem_.costs;
        double const piece = rows * columns * terms + costs.a * rows * terms + costs.b * terms * columns;
        double const all = calls_ * (m_ * n_ * k_ + costs.a * m_ * k_ * across + costs.b * k_ * n_ * down);
        double const partial = grid.sums > 1 ? costs.output * sums * calls_ * m_ * n_ : 0.0;
        double const rounds = std::ceil(pieces / threads_);
        double const last = (rounds - 1) * all / pieces + piece;
        return last + (1 - 1 / threads_) * machine::uneven_ends * piece + partial / threads_;
    }

private:
    static double longest(Extent length, std::int64_t parts, Extent grain) {
        return static_cast<double>(grid_part(length, parts, 0, grain).second);
    }

    GridProblem const& problem_;
    double threads_, calls_, m_, n_, k_;
};

struct Weighed {
    Grid grid;
    double time = std::numeric_limits<double>::infinity();
};

Weighed best_with(GridProblem const& problem, Hands const& hands, std::int64_t sums) {
    GemmPlan const& plan = problem.plan;
    Prediction const prediction(problem, hands);
    std::int64_t const most = std::max<std::int64_t>(1, hands.most_pieces / (plan.calls() * sums));
    std::int64_t const most_rows = std::min(most, blocks(plan.m(), problem.grains.rows));
    Weighed best;
    for (std::int64_t rows = 1; rows <= most_rows; ++rows) {
        std::int64_t const most_columns = std::min(most / rows, blocks(plan.n(), problem.grains.columns));
        for (std::int64_t columns = 1; columns <= std::max<std::int64_t>(1, most_columns); ++columns) {
            Grid const grid{rows, columns, sums};
            if (double const time = prediction.of(grid); time < best.time) best = {grid, time};
        }
    }
    return best;
}

/// Whether a side has all iterations one after the other: then tiles read it where it lies, and nothing is packed.
bool all_side_by_side(std::vector<GemmPlan::Loop> const& loops, GemmPlan::Side side) {
    Extent next = 1;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        if (loop->tile >= 0 || loop->steps[side] != next) return false;
        next *= loop->length;
    }
    return true;
}

}  // namespace

Grains grains_in_tiles(GemmPlan const& plan, int tile_columns) {
    auto const grain = [](Extent whole, Extent length, Extent otherwise) {
        return whole > 1 && whole * machine::least_parts <= length ? whole : otherwise;
    };
    return {machine::rows_in_tiles, grain(plan.whole_columns, plan.n(), tile_columns),
            grain(plan.whole_terms, plan.k(), machine::usual_grain)};
}

PieceCosts costs_in_tiles(GemmPlan const& plan) {
    bool const along_columns = plan.columns.empty() || plan.columns.back().steps[GemmPlan::b] == 1;
    return {all_side_by_side(plan.terms, GemmPlan::a) ? 3.0 : 30.0, along_columns ? 15.0 : 25.0, 60.0};
}

double flops_of(GemmPlan const& plan) {
    return 2.0 * static_cast<double>(plan.m()) * static_cast<double>(plan.n()) * static_cast<double>(plan.k()) *
           static_cast<double>(plan.calls()) * static_cast<double>(GemmPlan::iterations(plan.sum_loops));
}

Hands usual_hands(GemmPlan const& plan, bool in_tiles) {
    double const flops = flops_of(plan),
                 least = in_tiles ? machine::least_flops_in_tiles : machine::least_flops_in_blas;
    double const wanted = std::max(std::min(machine::usual_pieces, flops / least),
                                   std::min(static_cast<double>(machine::most_pieces), flops / machine::most_flops));
    auto const threads = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
    return {threads, 2 * threads};
}

Hands hands_of(GemmPlan const& plan, int threads) {
    if (threads == 1) return {};
    double const most = std::min(machine::pieces_a_thread * threads, flops_of(plan) / machine::least_flops_in_tiles);
    return {threads, std::max<std::int64_t>(1, static_cast<std::int64_t>(most))};
}

Grid choose_grid(GridProblem const& problem, Hands const& hands) {
    GemmPlan const& plan = problem.plan;
    double const m = static_cast<double>(plan.m()), n = static_cast<double>(plan.n());
    double const k = static_cast<double>(plan.k()), calls = static_cast<double>(plan.calls());
    double const most_partial = (m * k + k * n) / 8;  // elements: it is memory beside the blocks
    Weighed best = best_with(problem, hands, 1);
    for (std::int64_t sums = 2; sums * plan.calls() <= hands.threads && plan.sum_loops.empty(); ++sums) {
        if (plan.k() / sums < machine::shortest_sum || static_cast<double>(sums) * m * n * calls > most_partial) break;
        Weighed const other = best_with(problem, hands, sums);
        if (other.time < best.time) best = other;
    }
    return best.grid;
}

Grid choose_grid(GridProblem const& problem, Hands const& hands, std::int64_t sums) {
    return best_with(problem, hands, sums).grid;
}

std::pair<Extent, Extent> grid_part(Extent length, std::int64_t parts, std::int64_t index, Extent grain) {
    if (parts == 1) return {0, length};
    Extent const count = blocks(length, grain), begin = std::min(length, part_begin(count, parts, index) * grain);
    return {begin, std::min(length, part_begin(count, parts, index + 1) * grain) - begin};
}

}  // namespace ein::executor
