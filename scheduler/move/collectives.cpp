#include "scheduler/move/collectives.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// One digit of the members' cell indices.
struct Digit {
    std::size_t axis = 0;
    std::int64_t width = 1;   // cells of a run before the step
    std::int64_t factor = 1;  // members that exchange, and by what runs grow
};

/// The digits of cells along one axis.
void add_digits(std::vector<Digit>& digits, std::size_t axis, std::int64_t cells) {
    std::int64_t width = 1, factor = 1;
    auto add = [&] {
        if (factor > 1) digits.push_back({axis, width, factor});
        width *= factor;
        factor = 1;
    };
    for (std::int64_t prime : prime_factors(cells)) {
        if (factor * prime > tuning::most_stage_peers) add();
        factor *= prime;
    }
    add();
}

/// From cells to the whole grid, last axis first.
std::vector<Digit> digits_of(Parts const& counts) {
    std::vector<Digit> digits;
    for (std::size_t axis = counts.size(); axis-- > 0;) add_digits(digits, axis, counts[axis]);
    return digits;
}

/// A number of cells along an axis.
struct CellsAlong {
    std::int64_t cells = 1, pieces = 1;  // and of the largest
    double cost = 0;                     // of the steps in which cells go round
};

/// Numbers that may be the best: as many as there are pieces, what makes the largest cell smaller, and what has small
/// factors, so that steps have few messages. Most first.
std::vector<CellsAlong> cells_along(std::int64_t pieces, std::int64_t most) {
    std::set<std::int64_t, std::greater<>> numbers;
    for (std::int64_t largest = 1; largest <= pieces; ++largest) numbers.insert((pieces + largest - 1) / largest);
    for (std::int64_t twos = 1; twos <= pieces; twos *= 2)
        for (std::int64_t number = twos; number <= pieces; number *= 3) numbers.insert(number);
    std::vector<CellsAlong> out;
    for (std::int64_t cells : numbers) {
        if (cells > most) continue;
        std::vector<Digit> digits;
        add_digits(digits, 0, cells);
        CellsAlong along{cells, (pieces + cells - 1) / cells, 0};
        for (Digit const& digit : digits)
            along.cost += static_cast<double>(digit.factor - 1) + tuning::messages_of_a_step;
        out.push_back(along);
    }
    return out;
}

/// Cells along the first axes, or along all.
struct CellsChosen {
    Parts counts;                        // by axis
    std::int64_t cells = 1, pieces = 1;  // in all, and of the largest
    double cost = 0;
};

/// The linear numbers (C order) of the members that exchange with the member of cell `index`, itself among them, by
/// their runs.
std::vector<std::size_t> peers_of(Parts const& counts, std::vector<Extent> index, Digit const& digit) {
    auto const strides = row_major_strides(counts);
    Extent const run = digit.width * digit.factor;
    Extent const first = index[digit.axis] / run * run + index[digit.axis] % digit.width;
    std::vector<std::size_t> out;
    for (Extent k = 0; k < digit.factor; ++k) {
        index[digit.axis] = first + k * digit.width;
        Extent linear = 0;
        for (std::size_t axis = 0; axis < counts.size(); ++axis) linear += index[axis] * strides[axis];
        out.push_back(static_cast<std::size_t>(linear));
    }
    return out;
}

/// @param widths  of the runs of cells that members have afterwards
CollectiveStep step_of(CellGrid const& grid, Parts const& counts, Digit const& digit, Parts const& widths) {
    CollectiveStep out;
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        out.peers.push_back(peers_of(counts, index, digit));
        out.boxes.push_back(grid.run(index, widths));
    });
    return out;
}

}  // namespace

std::vector<CollectiveStep> staged_all_gather(CellGrid const& grid) {
    Parts const counts = grid.counts();
    Parts widths(counts.size(), 1);
    std::vector<CollectiveStep> steps;
    for (Digit const& digit : digits_of(counts)) {
        widths[digit.axis] *= digit.factor;
        steps.push_back(step_of(grid, counts, digit, widths));
    }
    return steps;
}

std::vector<CollectiveStep> staged_reduce_scatter(CellGrid const& grid) {
    Parts const counts = grid.counts();
    Parts widths = counts;
    std::vector<Digit> const digits = digits_of(counts);
    std::vector<CollectiveStep> steps;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        widths[digit->axis] = digit->width;
        steps.push_back(step_of(grid, counts, *digit, widths));
    }
    return steps;
}

Parts cells_to_gather(Parts const& pieces, std::size_t ranks, double bytes) {
    auto const most = static_cast<std::int64_t>(ranks);
    std::vector<CellsChosen> choices{{}};
    for (std::int64_t along : pieces) {
        auto const numbers = cells_along(along, most);
        std::vector<CellsChosen> longer;
        for (CellsChosen const& before : choices)
            for (CellsAlong const& next : numbers) {
                if (before.cells * next.cells > most) continue;
                CellsChosen now{before.counts, before.cells * next.cells, before.pieces * next.pieces,
                                before.cost + next.cost};
                now.counts.push_back(next.cells);
                longer.push_back(std::move(now));
            }
        choices = std::move(longer);
    }
    for (CellsChosen& choice : choices) {
        if (choice.pieces > 1) choice.cost += static_cast<double>(choice.pieces - 1) + tuning::messages_of_a_step;
        if (most % choice.cells > 0)
            choice.cost += 1 + tuning::messages_of_a_step + bytes / tuning::bytes_of_a_message_time;
        if (choice.cells < 2) choice.cost = std::numeric_limits<double>::infinity();
    }
    return std::min_element(choices.begin(), choices.end(),
                            [](CellsChosen const& a, CellsChosen const& b) {
                                return std::pair(a.cost, -a.cells) < std::pair(b.cost, -b.cells);
                            })
        ->counts;
}

std::optional<CellOwners> owners_of_cells(CellGrid const& grid, Box const& region, std::vector<Rank> const& ranks,
                                          HeldOf const& held, double most_again) {
    auto const cells = static_cast<std::size_t>(element_count(grid.counts()));
    std::size_t const rows = ranks.size() / cells;
    CellOwners out{{rows, std::vector<Rank>(cells, Rank{-1})}, {}};
    std::set<Rank> idle(ranks.begin(), ranks.end());
    double again = 0;  // bytes that ranks have, and would get again
    for (Held const& has : held(region))
        if (idle.contains(has.rank)) again += has.bytes;
    std::vector<std::size_t> taken(cells, 0);
    auto take = [&](std::size_t cell, Rank rank) {
        out.rows[taken[cell]++][cell] = rank;
        idle.erase(rank);
    };
    for (std::size_t cell = 0; cell < cells; ++cell)
        for (Held const& has : held(grid.cell(cell))) {
            if (taken[cell] == rows || !idle.contains(has.rank)) continue;
            take(cell, has.rank);
            again -= has.bytes;
        }
    if (again > most_again) return std::nullopt;
    for (std::size_t cell = 0; cell < cells; ++cell)
        while (taken[cell] < rows) take(cell, *idle.begin());
    out.left_over.assign(idle.begin(), idle.end());
    return out;
}

std::vector<Addition> sum_tree(std::size_t members) {
    constexpr std::size_t at_once = tuning::added_at_once;
    std::vector<Addition> out;
    for (std::size_t apart = 1; apart < members; apart *= at_once)
        for (std::size_t into = 0; into < members; into += apart * at_once) {
            Addition addition{into, {}};
            for (std::size_t k = 1; k < at_once && into + k * apart < members; ++k)
                addition.from.push_back(into + k * apart);
            if (!addition.from.empty()) out.push_back(std::move(addition));
        }
    return out;
}

std::size_t keeper_of(std::size_t subblock, std::size_t subblocks, std::size_t members, std::size_t block) {
    return subblocks == 1 ? block % members : subblock * members / subblocks;
}

}  // namespace ein::scheduler
