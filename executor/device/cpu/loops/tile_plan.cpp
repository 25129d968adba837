#include <algorithm>
#include <cmath>
#include <limits>

#include "executor/device/kernel/gemm_plan.hpp"

#include "executor/device/cpu/machine.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;

/// Outermost first: the label with the shortest step in any of the sides goes inside.
void put_short_steps_inside(std::vector<Run>& runs, std::initializer_list<std::size_t> sides) {
    auto const step = [&](Run const& run) {
        Extent least = std::numeric_limits<Extent>::max();
        for (std::size_t side : sides)
            if (run.strides[side] != 0) least = std::min(least, std::abs(run.strides[side]));
        return least;
    };
    std::stable_sort(runs.begin(), runs.end(), [&](Run const& x, Run const& y) { return step(x) > step(y); });
}

Extent length_of(std::vector<Run> const& runs) { return GemmPlan::iterations(GemmPlan::loops_of(runs)); }

bool adjacent(std::vector<Run> const& runs, std::size_t side) { return runs.empty() || runs.back().strides[side] == 1; }

/// The labels of one way, innermost last.
struct Directions {
    std::vector<Run> rows, columns, terms, batch;

    /// A packed side's runs from the innermost out.
    std::vector<Run*> innermost_first(std::size_t side) {
        std::vector<Run*> order;
        auto const add = [&](std::vector<Run>& runs) {
            for (auto run = runs.rbegin(); run != runs.rend(); ++run) order.push_back(&*run);
        };
        add(side == A ? terms : columns);
        add(side == B ? terms : rows);
        add(batch);
        return order;
    }
};

double seconds(Directions const& way, PairProduct const& product, std::size_t element_bytes) {
    auto const tiles = [](double length, int tile) { return std::ceil(length / tile) * tile; };
    double const m = static_cast<double>(length_of(way.rows)), n = static_cast<double>(length_of(way.columns));
    double const k = static_cast<double>(length_of(way.terms)), calls = static_cast<double>(length_of(way.batch));
    double const parts = std::ceil(k / static_cast<double>(pair_block));
    double total = 2 * m * tiles(n, product.columns / 3) * k / product.rate + machine::seconds_of_a_call;
    total += k * n * (adjacent(way.columns, B) ? machine::packed_along : machine::packed_across);
    if (!adjacent(way.terms, A))
        total += m * k * (adjacent(way.rows, A) ? machine::packed_along : machine::packed_across);
    total += m * n * parts * (adjacent(way.columns, C) ? machine::stored_along : machine::stored_across);
    total += (m * k + k * n + 2 * m * n) * static_cast<double>(element_bytes) / machine::bytes_per_second;
    return total * calls;
}

/// Iterations between elements that lie side by side in a matrix; 0: none do.
Extent period_of(std::vector<GemmPlan::Loop> const& loops, std::size_t side) {
    Extent inside = 1;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        if (loop->steps[side] == 1) return inside;
        inside *= loop->length;
    }
    return 0;
}

/// Elements that lie side by side in an operand but not in its slivers are packed in squares (pair_pack.hpp), of
/// `square` such elements.
void keep_squares_whole(GemmPlan& plan) {
    constexpr Extent square = 8;
    Extent const in_b = period_of(plan.terms, B), in_a = period_of(plan.terms, A);
    Extent const terms = square * (in_b > 1 ? in_b : in_a), columns = square * period_of(plan.columns, B);
    if (terms > square && terms <= pair_block) plan.whole_terms = terms;
    if (in_b == 0 && columns > square && columns <= machine::most_columns_in_squares) plan.whole_columns = columns;
}

}  // namespace

namespace {

Directions directions_of(ProductLabels const& labels, std::vector<Run> terms) {
    Sides const& packed = labels.must_pack();
    Directions way{labels.runs_of(Role::left, packed), labels.runs_of(Role::right, packed), std::move(terms),
                   labels.runs_of(Role::batch, packed)};
    put_short_steps_inside(way.rows, {packed[A] ? C : A});
    put_short_steps_inside(way.columns, {packed[C] ? B : C});
    return way;
}

/// Gives what is packed its place, and takes the way's labels.
GemmPlan plan_along(ProductLabels const& labels, Directions& way) {
    Sides const& packed = labels.must_pack();
    GemmPlan plan;
    for (std::size_t side : {A, B, C}) {
        GemmPlan::Matrix& matrix = plan.matrices[side];
        matrix.packed = packed[side];
        if (!packed[side]) continue;
        matrix.elements = labels.lay_out(side, way.innermost_first(side), matrix.packed_strides);
        plan.seconds += 2 * labels.packed_bytes(side) / machine::bytes_per_second + 5e-7;
    }
    plan.rows = GemmPlan::loops_of(way.rows);
    plan.columns = GemmPlan::loops_of(way.columns);
    plan.terms = GemmPlan::loops_of(way.terms);
    plan.free_loops = GemmPlan::loops_of(way.batch);
    for (Run const& run : way.terms)
        plan.term_labels.insert(plan.term_labels.end(), run.labels.begin(), run.labels.end());
    keep_squares_whole(plan);
    return plan;
}

}  // namespace

std::optional<GemmPlan> plan_tiles(GemmProblem const& problem, PairProduct const& product) {
    ProductLabels const labels(problem);
    if (!labels.is_product()) return std::nullopt;
    std::vector<Run> terms = labels.runs_of(Role::contracted, labels.must_pack());
    put_short_steps_inside(terms, {A, B});
    Directions way = directions_of(labels, std::move(terms));
    GemmPlan plan = plan_along(labels, way);
    plan.seconds += seconds(way, product, size_of(problem.type));
    if (plan.seconds > seconds_in_vector_tiles(problem.nest)) return std::nullopt;
    return plan;
}

GemmPlan plan_tiles_as(GemmPlan const& whole, GemmProblem const& problem) {
    ProductLabels const labels(problem);
    Directions way = directions_of(labels, labels.runs_in_order(whole.term_labels, labels.must_pack()));
    GemmPlan plan = plan_along(labels, way);
    plan.whole_terms = whole.whole_terms;
    return plan;
}

}  // namespace ein::executor
