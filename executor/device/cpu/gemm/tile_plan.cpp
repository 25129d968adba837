#include <algorithm>
#include <limits>
#include <numeric>

#include "executor/device/kernel/gemm_plan.hpp"

#include "executor/device/cpu/gemm/tile_costs.hpp"
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

// ---- boxes: what is packed together ----

constexpr Extent square = 8;  // elements of a side of what is turned in registers at once

/// Loops of a direction, and from which on they are one box.
struct Boxed {
    std::vector<GemmPlan::Loop> loops;
    int group = 0;
    Extent whole = 1;  // iterations of a box
};

/// Runs that a side has, those with the shortest steps there first.
std::vector<std::size_t> innermost_first(std::vector<Run> const& runs, std::size_t side) {
    std::vector<std::size_t> order;
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (runs[r].strides[side] != 0) order.push_back(r);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return runs[x].strides[side] < runs[y].strides[side]; });
    return order;
}

/// How many iterations of each run lie side by side in a side's lines: `wanted` together, innermost first.
/// @param adjacent  elements that lie side by side for each iteration
std::vector<Extent> side_by_side(std::vector<Run> const& runs, std::size_t side, Extent wanted, Extent line,
                                 Extent adjacent = 1) {
    std::vector<Extent> taken(runs.size(), 1);
    for (std::size_t r : innermost_first(runs, side)) {
        Extent const step = runs[r].strides[side];
        if (wanted <= 1 || (step >= line && step != adjacent)) break;
        taken[r] = std::min(runs[r].length, wanted);
        wanted = (wanted + taken[r] - 1) / taken[r];
        adjacent = step * runs[r].length;
    }
    return taken;
}

/// A part of a length: about `wanted`, even, of whole squares if there are some.
Extent even_tile(Extent length, Extent wanted, Extent spare, Extent side) {
    if (length <= wanted + spare) return length;
    Extent const parts = (length + wanted - 1) / wanted, even = (length + parts - 1) / parts,
                 of = wanted >= side ? side : 1;
    return std::min(length, (even + of - 1) / of * of);
}

/// What a direction is packed for: the side in whose order its iterations go, the other one, and how many elements of
/// each should lie side by side in what is packed at once.
struct Wanted {
    std::size_t along, other;
    Extent of_along, of_other, line;
    Extent spare = 0;      // more of `along`, where that saves a part
    Extent side = square;  // of squares that are turned in registers
    Extent most = 0;       // elements of a box that has more of `along` than that, to end where lines do; 0: none has
    Extent adjacent = 1;   // elements of `along` of each iteration
};

/// More of what lies side by side in `along`, where it would end within a line: until it is whole lines, or so many
/// that few of them are written in parts; if a box with a line of `other` is no larger than it may be.
void take_whole_lines(std::vector<Run> const& runs, Wanted const& wanted, std::vector<Extent>& ours) {
    Extent const many = machine::lines_together * wanted.line;
    Extent box = 1, adjacent = 1;
    for (std::size_t r = 0; r < runs.size(); ++r)
        box *= runs[r].strides[wanted.other] == 1 ? std::max(ours[r], std::min(wanted.line, runs[r].length)) : ours[r];
    for (std::size_t r : innermost_first(runs, wanted.along)) {
        Run const& run = runs[r];
        if (run.strides[wanted.along] != adjacent || adjacent % wanted.line == 0 || adjacent >= many) return;
        if (adjacent == 1 && run.length % wanted.line == 0) return;
        Extent const whole = adjacent == 1 ? many : wanted.line / std::gcd(adjacent, wanted.line),
                     enough = std::min(whole, (many + adjacent - 1) / adjacent);
        Extent const taken = run.length <= (adjacent == 1 ? 2 * enough : enough) ? run.length : enough;
        if (taken > ours[r]) {
            box = box / ours[r] * taken;
            if (box > wanted.most) return;
            ours[r] = taken;
        }
        if (taken < run.length) return;
        adjacent *= run.length;
    }
}

/// Less of what lies side by side in `other`, from its outermost label on, until a box is no larger than it may be.
void fit_box(std::vector<Run> const& runs, Wanted const& wanted, std::vector<Extent> const& ours,
             std::vector<Extent>& tiles) {
    Extent box = 1;
    for (Extent const tile : tiles) box *= tile;
    std::vector<std::size_t> const order = innermost_first(runs, wanted.other);
    for (auto of = order.rbegin(); of != order.rend() && box > wanted.most; ++of) {
        std::size_t const r = *of;
        Extent const others = box / tiles[r],
                     least = std::max(ours[r], runs[r].strides[wanted.other] == 1 ? wanted.line : Extent{1});
        Extent const fitting = std::max(least, wanted.most / others);
        if (fitting < tiles[r]) tiles[r] = even_tile(runs[r].length, fitting, 0, fitting + 1);
        box = others * tiles[r];
    }
}

/// Of each run how long its part of a box is; 1: it has none. Nothing where no box is needed.
std::vector<Extent> tiles_of(std::vector<Run> const& runs, Wanted const& wanted) {
    std::vector<Extent> tiles = side_by_side(runs, wanted.other, wanted.of_other, wanted.line);
    std::size_t first = 0;
    while (first < runs.size() && tiles[first] == 1) ++first;
    Extent inside = 1;
    for (std::size_t r = first; r < runs.size(); ++r) inside *= r == first ? tiles[r] : runs[r].length;
    if (inside <= wanted.of_along * wanted.of_other) return {};
    std::vector<Extent> ours = side_by_side(runs, wanted.along, wanted.of_along, wanted.line, wanted.adjacent);
    std::vector<Extent> const before = ours;
    if (wanted.most > 0) take_whole_lines(runs, wanted, ours);
    for (std::size_t r = 0; r < runs.size(); ++r)
        tiles[r] =
            even_tile(runs[r].length, std::max(ours[r], tiles[r]), ours[r] > tiles[r] ? wanted.spare : 0, wanted.side);
    if (ours != before) fit_box(runs, wanted, ours, tiles);
    return tiles;
}

/// Runs, outermost first, but tiles of them inside of all: a box of them is packed reading whole lines of either side.
Boxed boxes_of(std::vector<Run> const& runs, std::vector<Extent> const& tiles) {
    Boxed boxed;
    std::vector<GemmPlan::Loop> inner;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        GemmPlan::Loop loop{runs[r].length, runs[r].strides};
        Extent const tile = tiles.empty() ? 1 : tiles[r];
        if (tile > 1) inner.push_back(loop), inner.back().length = tile;
        if (tile > 1 && tile < loop.length) {
            loop.length = (runs[r].length + tile - 1) / tile;
            loop.last = runs[r].length - (loop.length - 1) * tile;
            loop.tile = static_cast<int>(inner.size() - 1);  // for now, among those inside
            for (Extent& step : loop.steps) step *= tile;
        }
        if (tile == 1 || loop.tile >= 0) boxed.loops.push_back(loop);
    }
    int const outside = static_cast<int>(boxed.loops.size());
    for (GemmPlan::Loop& loop : boxed.loops)
        if (loop.tile >= 0) loop.tile += outside;
    if (!inner.empty()) {
        boxed.group = outside;
        boxed.whole = GemmPlan::iterations(inner);
    }
    boxed.loops.insert(boxed.loops.end(), inner.begin(), inner.end());
    return boxed;
}

/// Where elements lie side by side in the other side, but not next to one another in ours: of which so many together
/// are squares to be packed (pair_pack.hpp), or all that are inside of that run and it. 1: they need not be kept
/// together.
Boxed whole_squares(std::vector<Run> const& runs, std::size_t side, Extent most) {
    Boxed boxed;
    for (std::size_t r = runs.size(); r-- > 0 && boxed.whole < most;) {
        if (runs[r].strides[side] == 1 && r + 1 < runs.size()) {
            bool const all = boxed.whole * runs[r].length <= most;
            boxed.group = all ? static_cast<int>(r) : 0;
            boxed.whole *= square;
            if (boxed.whole > most) boxed.whole = 1;
            return boxed;
        }
        if (runs[r].strides[side] == 1) break;
        boxed.whole *= runs[r].length;
    }
    return {};
}

}  // namespace

namespace {

Directions directions_of(ProductLabels const& labels, std::vector<Run> terms) {
    Sides const& packed = labels.must_pack();
    Directions way{labels.runs_of(Role::left, packed), labels.runs_of(Role::right, packed), std::move(terms),
                   labels.runs_of(Role::batch, packed)};
    put_short_steps_inside(way.rows, {packed[A] ? C : A});
    put_short_steps_inside(way.columns, {packed[C] ? B : C});
    put_short_steps_inside(way.batch, {A, B, C});
    return way;
}

/// Gives what is packed its place, and takes the way's labels.
/// How terms are cut is the caller's to say: bits follow from it.
GemmPlan plan_along(ProductLabels const& labels, Directions& way, std::vector<Extent> const& term_tiles,
                    Wanted const& columns_wanted) {
    Sides const& packed = labels.must_pack();
    GemmPlan plan;
    std::vector<Extent> row_tiles;
    for (std::size_t side : {A, B, C}) {
        GemmPlan::Matrix& matrix = plan.matrices[side];
        matrix.packed = packed[side];
        if (!packed[side]) continue;
        matrix.elements = labels.lay_out(side, way.innermost_first(side), matrix.packed_strides);
        plan.seconds += 2 * labels.packed_bytes(side) / machine::bytes_per_second + 5e-7;
    }
    Extent const in_c = run_length(way.columns, C), line = columns_wanted.line;
    bool const share = in_c < line || (in_c % line != 0 && in_c < machine::lines_together * line);
    bool const many_columns = length_of(way.columns) >= machine::columns_a_term * length_of(way.terms);
    if (in_c < line || (share && many_columns)) {  // rows share cache lines of c
        put_short_steps_inside(way.rows, {C});
        row_tiles = tiles_of(way.rows, {C, A, square, line, line, 0, square, 0, in_c < line ? 1 : in_c});
    }
    Boxed rows = boxes_of(way.rows, row_tiles);
    plan.rows = std::move(rows.loops);
    plan.row_group = rows.group;
    Boxed columns = boxes_of(way.columns, tiles_of(way.columns, columns_wanted));
    plan.columns = std::move(columns.loops);
    plan.column_group = columns.group;
    plan.whole_columns = columns.whole;
    Boxed terms = boxes_of(way.terms, term_tiles);
    plan.terms = std::move(terms.loops);
    plan.term_group = terms.group;
    plan.whole_terms = terms.whole;
    plan.term_tiles = term_tiles;
    auto const keep_squares = [](int& group, Extent& whole, Boxed const& boxed) {
        if (whole > 1) return;
        group = boxed.group;
        whole = boxed.whole;
    };
    keep_squares(plan.term_group, plan.whole_terms, whole_squares(way.terms, B, pair_block));
    keep_squares(plan.term_group, plan.whole_terms, whole_squares(way.terms, A, pair_block));
    bool const by_terms =
        std::any_of(way.terms.begin(), way.terms.end(), [](Run const& run) { return run.strides[B] == 1; });
    if (!by_terms)
        keep_squares(plan.column_group, plan.whole_columns,
                     whole_squares(way.columns, B, machine::most_columns_in_squares));
    plan.free_loops = GemmPlan::loops_of(way.batch);
    for (Run const& run : way.terms)
        plan.term_labels.insert(plan.term_labels.end(), run.labels.begin(), run.labels.end());
    return plan;
}

bool fits(std::vector<GemmPlan::Loop> const& loops) {
    return loops.size() <= static_cast<std::size_t>(most_pair_labels);
}

/// Whole lines of c, and several lines of b one after the other: memory gives single ones slowly.
Wanted columns_wanted(std::size_t element_bytes, Extent terms, PairProduct const& product) {
    Extent const line = static_cast<Extent>(machine::cache_line / element_bytes);
    Extent const elements = machine::bytes_of_a_box / static_cast<Extent>(element_bytes);
    Extent const most =
        std::min<Extent>(machine::tiles_of_a_box * product.columns, elements / std::min<Extent>(terms, pair_block));
    return {C, B, line, machine::lines_together * line, line, line / 2, line, most};
}

}  // namespace

std::optional<GemmPlan> plan_tiles(GemmProblem const& problem, PairProduct const& product) {
    ProductLabels const labels(problem);
    if (!labels.is_product()) return std::nullopt;
    std::vector<Run> terms = labels.runs_of(Role::contracted, labels.must_pack());
    put_short_steps_inside(terms, {A, B});
    Directions way = directions_of(labels, std::move(terms));
    Wanted const columns = columns_wanted(size_of(problem.type), length_of(way.terms), product);
    bool const one_by_one =
        std::all_of(way.terms.begin(), way.terms.end(), [](Run const& run) { return run.labels.size() == 1; });
    std::vector<Extent> term_tiles;
    if (one_by_one) term_tiles = tiles_of(way.terms, {A, B, machine::terms_along, machine::terms_across, columns.line});
    GemmPlan plan = plan_along(labels, way, term_tiles, columns);
    BatchChoice const batch = choose_batch(way, product, problem.type);
    plan.batch = batch.batch;
    plan.seconds += batch.seconds;
    bool const known = fits(plan.rows) && fits(plan.columns) && fits(plan.terms) && fits(plan.free_loops);
    if (!known || (plan.batch == GemmPlan::Batch::calls && plan.seconds > seconds_in_loops(problem.nest)))
        return std::nullopt;
    return plan;
}

GemmPlan plan_tiles_as(GemmPlan const& whole, GemmProblem const& problem, PairProduct const& product) {
    ProductLabels const labels(problem);
    Directions way = directions_of(labels, labels.runs_in_order(whole.term_labels, labels.must_pack()));
    GemmPlan plan =
        plan_along(labels, way, whole.term_tiles, columns_wanted(size_of(problem.type), length_of(way.terms), product));
    // Columns of a part may lie apart: with so few terms each way has the same bits.
    bool const one_by_one = whole.batch == GemmPlan::Batch::one_by_one;
    if (!one_by_one || are_small(way, product, problem.type)) plan.batch = whole.batch;
    plan.term_group = whole.term_group;
    plan.whole_terms = whole.whole_terms;
    return plan;
}

}  // namespace ein::executor
