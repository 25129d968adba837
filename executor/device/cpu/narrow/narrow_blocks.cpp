#include "executor/device/cpu/narrow/narrow_blocks.hpp"

#include <algorithm>

#include "executor/device/cpu/narrow/tuning.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

namespace tuning = narrow_tuning;

/// As even as may be, a multiple of `of`, and at most `most` where that is one.
Extent even_part(Extent length, Extent most, Extent of) {
    Extent const count = parts_of_length(length, std::max(of, most / of * of));
    return std::min(rounded_up(parts_of_length(length, count), of), rounded_up(length, of));
}

/// Tasks that there is work for.
double tasks_wanted(NarrowSizes const& sizes, int threads) {
    double const operations = 2.0 * static_cast<double>(sizes.rows) * static_cast<double>(sizes.columns) *
                              static_cast<double>(sizes.terms) * static_cast<double>(sizes.calls);
    return threads == 1
               ? 1
               : std::min(static_cast<double>(tuning::tasks_a_thread * threads), operations / tuning::least_operations);
}

/// One dimension's tasks are halved as long as they are at least two panels.
bool halve(Extent& part, Extent panel) {
    if (part <= panel) return false;
    part = rounded_up(parts_of_length(part, 2), panel);
    return true;
}

}  // namespace

std::pair<Extent, Extent> TermBlocks::of_split(Extent split) const {
    return {part_begin(count, splits, split), part_begin(count, splits, split + 1)};
}

Extent words_of(NarrowLoops const& loops, Extent terms) { return parts_of_length(terms, loops.terms) * loops.words; }

TermBlocks term_blocks(NarrowLoops const& loops, NarrowSizes const& whole) {
    TermBlocks out;
    Extent const most_words = loops.words > 3 ? tuning::block_words_by_row : tuning::block_words;
    Extent const most = std::min(tuning::block_terms, most_words / loops.words * loops.terms);
    out.terms = whole.terms;
    out.each = even_part(whole.terms, most, loops.terms);
    out.count = parts_of_length(whole.terms, out.each);
    out.words = words_of(loops, out.each);
    Extent const outputs = whole.rows * whole.columns * whole.calls;
    if (outputs <= tuning::outputs_of_a_split)
        out.splits =
            std::clamp<Extent>(whole.terms / tuning::terms_of_a_split, 1, std::min(tuning::most_splits, out.count));
    return out;
}

TaskBlocks stream_blocks(NarrowLoops const& loops, NarrowSizes const& sizes, TermBlocks const& terms, int threads) {
    TaskBlocks out;
    out.rows = out.wave_rows = sizes.rows;
    out.wave_columns = sizes.columns;
    out.wave_calls = sizes.calls;
    out.columns = even_part(sizes.columns, tuning::streamed_sums / sizes.rows, loops.columns);
    double const wanted = tasks_wanted(sizes, threads);
    while (static_cast<double>(sizes.calls * terms.splits * parts_of_length(sizes.columns, out.columns)) < wanted &&
           halve(out.columns, loops.columns)) {
    }
    return out;
}

TaskBlocks task_blocks(NarrowLoops const& loops, NarrowSizes const& sizes, TermBlocks const& terms, int threads) {
    TaskBlocks out;
    Extent const row = loops.rows, column = loops.columns;
    out.rows = even_part(sizes.rows, tuning::block_rows, row);
    out.columns =
        even_part(sizes.columns, std::min(tuning::block_columns, tuning::block_bytes / 4 / terms.words), column);
    double const wanted = tasks_wanted(sizes, threads);
    auto const row_blocks = [&] { return parts_of_length(sizes.rows, out.rows); };
    auto const column_blocks = [&] { return parts_of_length(sizes.columns, out.columns); };
    while (static_cast<double>(sizes.calls * terms.splits * row_blocks() * column_blocks()) < wanted) {
        bool const by_rows = out.rows >= out.columns;
        if (!(by_rows ? halve(out.rows, row) : halve(out.columns, column)) &&
            !(by_rows ? halve(out.columns, column) : halve(out.rows, row)))
            break;
    }
    Extent const row_bytes = 4 * terms.words * terms.count, half = tuning::packed_bytes / 2;
    out.packs_a = column_blocks() > 1 && out.rows * row_bytes <= half;
    out.packs_b = row_blocks() > 1 && out.columns * row_bytes <= half;
    auto const fitting = [&](bool packs, Extent length, Extent part) {
        return packs ? std::min(rounded_up(length, part), half / row_bytes / part * part) : rounded_up(length, part);
    };
    out.wave_rows = fitting(out.packs_a, sizes.rows, out.rows);
    out.wave_columns = fitting(out.packs_b, sizes.columns, out.columns);
    bool const whole = out.wave_rows >= sizes.rows && out.wave_columns >= sizes.columns;
    Extent const bytes = row_bytes * ((out.packs_a ? out.wave_rows : 0) + (out.packs_b ? out.wave_columns : 0));
    out.wave_calls = !whole       ? 1
                     : bytes == 0 ? sizes.calls
                                  : std::clamp<Extent>(tuning::packed_bytes / bytes, 1, sizes.calls);
    return out;
}

}  // namespace ein::executor
