#include "executor/device/cpu/gemm/tile_costs.hpp"

#include <cmath>

#include "executor/device/cpu/gemm/pair_lanes.hpp"
#include "executor/device/cpu/machine.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;

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
    total += (m * k + k * n + 2 * m * n) * static_cast<double>(element_bytes) / machine::bytes_in_tiles;
    return total * calls;
}

/// The same with the batch in the lanes of vectors (pair_lanes.hpp).
double seconds_in_lanes(Directions const& way, PairProduct const& product, std::size_t element_bytes) {
    double const m = static_cast<double>(length_of(way.rows)), n = static_cast<double>(length_of(way.columns));
    double const k = static_cast<double>(length_of(way.terms)), of = static_cast<double>(product.lanes);
    double const vectors = std::ceil(static_cast<double>(length_of(way.batch)) / of);
    auto const moved = [&](std::size_t side, double elements) {
        double const a_byte = adjacent(way.batch, side) ? machine::lanes_along : machine::lanes_across;
        return elements * static_cast<double>(element_bytes) * a_byte;
    };
    double const a_product =
        2 * m * n * k / (product.rate * machine::rate_in_lanes) + moved(A, m * k) + moved(B, k * n) + moved(C, m * n);
    return vectors * (of * a_product + machine::seconds_of_lanes);
}

/// The same one by one (pair_small.hpp).
double seconds_one_by_one(Directions const& way, PairProduct const& product, DType type) {
    double const turned = is_complex(type) ? machine::complex_turned : machine::turned_one_by_one;
    double const m = static_cast<double>(length_of(way.rows)), n = static_cast<double>(length_of(way.columns));
    double const k = static_cast<double>(length_of(way.terms)), of = static_cast<double>(product.columns_of_a_vector);
    double const filled = std::ceil(n / of) * of;
    bool const turns = run_length(way.columns, B) != length_of(way.columns);
    double const a_product = 2 * m * filled * k / (product.rate * machine::rate_one_by_one) +
                             (m * k + k * n + m * n) * static_cast<double>(size_of(type)) * machine::byte_one_by_one +
                             (turns ? machine::seconds_turned + k * filled * turned : machine::seconds_one_by_one);
    return static_cast<double>(length_of(way.batch)) * a_product;
}

/// What a product takes more where the batch lies side by side: every element of it is in a line of its own.
double seconds_of_scattered_batch(Directions const& way) {
    double const m = static_cast<double>(length_of(way.rows)), n = static_cast<double>(length_of(way.columns));
    double const k = static_cast<double>(length_of(way.terms)), calls = static_cast<double>(length_of(way.batch));
    double elements = 0;
    if (!way.batch.empty())
        for (auto const& [side, count] : {std::pair(A, m * k), std::pair(B, k * n), std::pair(C, m * n)})
            if (adjacent(way.batch, side)) elements += count;
    return calls * elements * machine::scattered;
}

}  // namespace

Extent run_length(std::vector<Run> const& runs, std::size_t side) {
    Extent length = 1;
    for (auto run = runs.rbegin(); run != runs.rend() && run->strides[side] == length; ++run) length *= run->length;
    return length;
}

bool are_small(Directions const& way, PairProduct const& product, DType type) {
    Extent const n = length_of(way.columns), k = length_of(way.terms), of = product.columns_of_a_vector;
    Extent const bytes = k * ((n + of - 1) / of * of) * static_cast<Extent>(size_of(type));
    bool const few = length_of(way.rows) <= most_small_side && k <= most_small_side && n <= most_small_columns &&
                     bytes <= bytes_of_small;
    return few && length_of(way.batch) > 1 && product.lanes > 1 && run_length(way.columns, C) == n &&
           (run_length(way.columns, B) == n || run_length(way.terms, B) == k);
}

BatchChoice choose_batch(Directions const& way, PairProduct const& product, DType type) {
    std::size_t const bytes = size_of(type);
    BatchChoice best{GemmPlan::Batch::calls, seconds(way, product, bytes) + seconds_of_scattered_batch(way)};
    auto const offer = [&](GemmPlan::Batch batch, double taken) {
        if (taken < best.seconds) best = {batch, taken};
    };
    if (product.lanes > 1 && length_of(way.batch) >= product.lanes)
        offer(GemmPlan::Batch::in_lanes, seconds_in_lanes(way, product, bytes));
    if (are_small(way, product, type)) offer(GemmPlan::Batch::one_by_one, seconds_one_by_one(way, product, type));
    return best;
}

/// Vector tiles run along the result's innermost label; where that is short, they begin too often.
double seconds_in_loops(Nest const& nest) {
    NestLabel const* inner = nullptr;
    for (NestLabel const& label : nest.labels)
        if (label.output_stride != 0 && label.length > 1 &&
            (inner == nullptr || label.output_stride < inner->output_stride))
            inner = &label;
    GemmCosts costs;
    if (inner != nullptr && inner->length <= machine::longest_short_row)
        costs.loop_elements_per_second = machine::loops_of_short_rows;
    return seconds_in_vector_tiles(nest, costs);
}

}  // namespace ein::executor
