#include "executor/device/gemm_grid.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr double least_flops = 1e9;  // of a piece: smaller ones repeat too much of what BLAS packs
constexpr double least_flops_in_tiles = 1e7;
constexpr double most_flops = 2e10;  // a thread in BLAS cannot be stopped: some tenths of a second
constexpr double usual = 16, most_pieces = 64, pieces_a_thread = 4;
constexpr Extent usual_grain = 64;     // of whole tiles
constexpr Extent least_parts = 4;      // that a wider grain leaves room for
constexpr Extent shortest_sum = 4096;  // contracted elements of a piece, where sums are cut

Extent blocks(Extent length, Extent grain) { return (length + grain - 1) / grain; }

std::int64_t pieces(double flops, double least, double wished) {
    double const wanted = std::max(std::min(wished, flops / least), std::min(most_pieces, flops / most_flops));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
}

/// A grid with so many parts of each sum, and its cost.
struct Weighed {
    Grid grid;
    double cost = std::numeric_limits<double>::infinity();
};

Weighed best_with(GemmPlan const& plan, std::int64_t needed, RereadCosts costs, std::int64_t sums) {
    double const m = static_cast<double>(plan.m()), n = static_cast<double>(plan.n());
    double const k = static_cast<double>(plan.k());
    double const partial = sums > 1 ? 3.0 * static_cast<double>(sums) * m * n : 0.0;  // written, read, added
    Grains const grains = grains_of(plan);
    Weighed best;
    for (std::int64_t rows = 1; rows <= std::min<std::int64_t>(needed, blocks(plan.m(), grains.rows)); ++rows) {
        std::int64_t const columns =
            std::clamp<std::int64_t>((needed + rows * sums - 1) / (rows * sums), 1, blocks(plan.n(), grains.columns));
        double const read =
            costs.a * static_cast<double>(columns) * m * k + costs.b * static_cast<double>(rows) * k * n;
        double const short_of = static_cast<double>(needed) / static_cast<double>(rows * columns * sums);
        double const cost = (read + partial) * std::max(1.0, short_of);
        if (cost < best.cost) best = {{rows, columns, sums}, cost};
    }
    return best;
}

std::int64_t needed_of(GemmPlan const& plan, std::int64_t wanted) { return (wanted + plan.calls() - 1) / plan.calls(); }

}  // namespace

RereadCosts costs_in_tiles(GemmPlan const& plan) {
    bool const in_place = plan.terms.empty() || plan.terms.back().steps[GemmPlan::a] == 1;
    return {in_place ? 0.5 : 3.0, 4.0};
}

double flops_of(GemmPlan const& plan) {
    return 2.0 * static_cast<double>(plan.m()) * static_cast<double>(plan.n()) * static_cast<double>(plan.k()) *
           static_cast<double>(plan.calls()) * static_cast<double>(GemmPlan::turns(plan.sum_loops));
}

std::int64_t usual_pieces(GemmPlan const& plan, bool in_tiles) {
    return pieces(flops_of(plan), in_tiles ? least_flops_in_tiles : least_flops, usual);
}

std::int64_t pieces_for(GemmPlan const& plan, int threads) {
    return pieces(flops_of(plan), least_flops_in_tiles, threads == 1 ? 1.0 : pieces_a_thread * threads);
}

Grid choose_grid(GemmPlan const& plan, std::int64_t wanted, RereadCosts costs) {
    double const m = static_cast<double>(plan.m()), n = static_cast<double>(plan.n());
    double const k = static_cast<double>(plan.k()), calls = static_cast<double>(plan.calls());
    double const most_partial = (m * k + k * n) / 8;  // elements: it is memory beside the blocks
    std::int64_t const needed = needed_of(plan, wanted);
    Weighed best = best_with(plan, needed, costs, 1);
    for (std::int64_t sums = 2; sums <= needed && plan.sum_loops.empty(); ++sums) {
        if (plan.k() / sums < shortest_sum || static_cast<double>(sums) * m * n * calls > most_partial) break;
        Weighed const other = best_with(plan, needed, costs, sums);
        if (other.cost < best.cost) best = other;
    }
    return best.grid;
}

Grid choose_grid(GemmPlan const& plan, std::int64_t wanted, RereadCosts costs, std::int64_t sums) {
    return best_with(plan, needed_of(plan, wanted), costs, sums).grid;
}

Grains grains_of(GemmPlan const& plan) {
    auto const grain = [](Extent whole, Extent length) {
        return whole > 1 && whole * least_parts <= length ? whole : usual_grain;
    };
    return {usual_grain, grain(plan.whole_columns, plan.n()), grain(plan.whole_terms, plan.k())};
}

std::pair<Extent, Extent> grid_part(Extent length, std::int64_t parts, std::int64_t index, Extent grain) {
    if (parts == 1) return {0, length};
    Extent const count = blocks(length, grain), begin = std::min(length, part_begin(count, parts, index) * grain);
    return {begin, std::min(length, part_begin(count, parts, index + 1) * grain) - begin};
}

}  // namespace ein::executor
