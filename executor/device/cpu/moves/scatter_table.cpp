#include "executor/device/cpu/moves/scatter_table.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {

ScatterLoops scatter_loops(scalar::Agg agg, DType data, DType sums) {
    return EIN_OF_BEST_SET(scatter_loops(agg, data, sums));
}

namespace {

constexpr Extent line = static_cast<Extent>(machine::cache_line);

}  // namespace

std::unique_ptr<ScatterTables const> ScatterTables::make(ScatterTask const& task, ScatterPositions const& positions) {
    ScatterLoops const loops = scatter_loops(task.agg, task.data, task.sums);
    if (loops.add_to_table == nullptr) return nullptr;
    if (task.width * static_cast<Extent>(size_of(task.data)) >= machine::shortest_sorted_row) return nullptr;
    auto const size = static_cast<Extent>(size_of(task.sums));
    bool const one = task.width == 1;
    Extent const most_row_bytes = machine::scatter_table / task.rows / line * line;
    Extent const needed = one ? size : std::min(line, table_row_bytes(task.width * size));
    if (needed > machine::scatter_table / task.rows) return nullptr;
    bool const whole = one || table_row_bytes(task.width * size) <= machine::scatter_table / task.rows;
    if (task.accumulate && positions.count() < task.rows) return nullptr;
    if (!whole && task.column_step == 0) return nullptr;
    Extent const columns = whole ? task.width : most_row_bytes / size;
    return std::unique_ptr<ScatterTables const>(new ScatterTables(task, positions, loops, columns));
}

ScatterTables::ScatterTables(ScatterTask const& task, ScatterPositions const& positions, ScatterLoops const& loops,
                             Extent most_columns)
    : task_(task), positions_(positions), loops_(loops), most_columns_(most_columns) {
    bool const narrow = task.width * static_cast<Extent>(size_of(task.data)) < 2 * line;
    if (!narrow || task.in_order || most_columns < task.width) return;
    Extent const count = positions.count();
    parts_ = std::clamp<Extent>(std::min(count / (machine::positions_of_a_table_row * task.rows),
                                         count * task.width / machine::least_scattered_part),
                                1, machine::most_scattered_parts);
}

Extent ScatterTables::row_bytes(Extent columns) const {
    Extent const bytes = columns * static_cast<Extent>(size_of(task_.sums));
    return task_.width == 1 ? bytes : table_row_bytes(bytes);
}

void ScatterTables::launch(ScatterCall const& call, WorkerTeam& team) const {
    Extent const wanted = parts_ > 1 || task_.column_step == 0 ? 1 : team.width();
    auto const size = static_cast<Extent>(size_of(task_.sums));
    Extent const even = ((task_.width + wanted - 1) / wanted * size + line - 1) / line * line / size;
    Extent const columns = std::min({most_columns_, task_.width, std::max<Extent>(1, even)});
    Extent const blocks = (task_.width + columns - 1) / columns, count = positions_.count();
    Extent const bytes = static_cast<Extent>(lines(static_cast<std::size_t>(task_.rows * row_bytes(columns))));
    if (parts_ == 1) {
        team.run(blocks, [&](std::int64_t block) {
            Extent const first = block * columns, here = std::min(columns, task_.width - first);
            Scratch const table(static_cast<std::size_t>(bytes));
            begin(table.data(), here, task_.begin);
            if (call.only_row >= 0) begin_row(table.data(), here, call.only_row);
            add(call, table.data(), first, here, 0, count);
            store(call, table.data(), first, here);
        });
        return;
    }
    Scratch const tables(static_cast<std::size_t>(bytes * parts_));
    team.run(parts_, [&](std::int64_t part) {
        std::byte* const table = tables.data() + part * bytes;
        begin(table, task_.width, part == 0 ? task_.begin : task_.identity);
        if (part == 0 && call.only_row >= 0) begin_row(table, task_.width, call.only_row);
        add(call, table, 0, task_.width, part_begin(count, parts_, part), part_begin(count, parts_, part + 1));
    });
    for (std::int64_t part = 1; part < parts_; ++part)
        loops_.merge(tables.data(), tables.data() + part * bytes, task_.rows * row_bytes(task_.width));
    store(call, tables.data(), 0, task_.width);
}

/// All of a table, what fills its rows up too.
void ScatterTables::begin(std::byte* table, Extent columns, std::byte const* element) const {
    std::size_t const size = size_of(task_.sums);
    repeat_element(table, element, size, static_cast<std::size_t>(task_.rows * row_bytes(columns)) / size);
}

void ScatterTables::begin_row(std::byte* table, Extent columns, Extent row) const {
    std::size_t const size = size_of(task_.sums);
    repeat_element(table + row * row_bytes(columns), task_.identity, size, static_cast<std::size_t>(columns));
}

/// Rows of the positions first to last, columns from `column` on, are combined with a table.
void ScatterTables::add(ScatterCall const& call, std::byte* table, Extent column, Extent columns, Extent first,
                        Extent last) const {
    auto const data_size = static_cast<Extent>(size_of(task_.data)), size = static_cast<Extent>(size_of(task_.sums));
    Extent const width = columns * size, read = row_bytes(columns);
    Extent const at_once = std::clamp<Extent>(machine::scattered_at_once / columns, 1, ScatterPositions::run);
    Scratch const scratch(static_cast<std::size_t>(at_once * width + read));
    std::byte const* const data = call.data + column * data_size;
    bool const converts = task_.data != task_.sums;
    auto const put = [&](std::byte const* from, Extent step, Extent const* rows, Extent count) {
        if (task_.width == 1)
            loops_.add_at(table, task_.rows, rows, from, count);
        else
            loops_.add_to_table({table, task_.rows, read}, {from, step, rows, count});
    };
    auto const bring = [&](std::byte const* from, Extent step, Extent count) {
        if (columns == 1)
            return tile_convert(task_.data, from, step / data_size, task_.sums, scratch.data(),
                                static_cast<std::size_t>(count));
        if (step == columns * data_size)
            return tile_convert(task_.data, from, 1, task_.sums, scratch.data(),
                                static_cast<std::size_t>(count * columns));
        for (Extent k = 0; k < count; ++k)
            tile_convert(task_.data, from + k * step, 1, task_.sums, scratch.data() + k * width,
                         static_cast<std::size_t>(columns));
    };
    positions_.for_each_run(
        call.positions, call.first_row, first, last, [&](std::span<Extent const> rows, Extent offset, Extent step) {
            auto const count = static_cast<Extent>(rows.size());
            std::byte const* const from = data + offset;
            // Rows that may be read as far as the table's go: what follows them is of the same run.
            Extent const beyond = read - width;
            bool const adjacent = task_.width > 1 || step == data_size;
            Extent const direct = converts || step <= 0 || !adjacent ? 0
                                  : task_.width == 1                 ? count
                                                     : std::max<Extent>(0, count - (beyond + step - 1) / step);
            if (direct > 0) put(from, step, rows.data(), direct);
            for (Extent k = direct, n = 0; k < count; k += n) {
                n = std::min(at_once, count - k);
                bring(from + k * step, step, n);
                put(scratch.data(), width, rows.data() + k, n);
            }
        });
}

void ScatterTables::store(ScatterCall const& call, std::byte const* table, Extent column, Extent columns) const {
    auto const size = static_cast<Extent>(size_of(task_.sums));
    Nest nest = task_.store;
    if (columns < task_.width) nest.labels = {{columns, {size}, task_.column_step, false, -1}};
    nest.labels.insert(nest.labels.begin(), {task_.rows, {row_bytes(columns)}, task_.row_step, false, -1});
    simplify(nest);
    SoloWorkerTeam solo;
    void const* const results = table;
    LoopKernel::make(std::move(nest), LoopBody::identity(task_.sums, task_.agg))
        ->launch(std::span(&results, 1), call.output + column * task_.column_step, {}, solo);
}

}  // namespace ein::executor
