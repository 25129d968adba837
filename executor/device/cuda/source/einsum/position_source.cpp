#include "executor/device/cuda/source/einsum/position_source.hpp"

#include <algorithm>

#include "executor/device/cuda/source/einsum/fold_source.hpp"
#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {
namespace {

bool is_by_position(EinsumText const& text, std::optional<graph::Lookup> const& lookup) {
    return lookup && is_integer(text.shape.operand_dtypes[static_cast<std::size_t>(lookup->positions)]) &&
           text.types.join == text.types.compute;
}

/// The same kernel with x for its join.
EinsumText rows_text(EinsumText const& text, graph::Lookup const& lookup) {
    EinsumText rows = text;
    std::string const data = "x" + std::to_string(lookup.data);
    bool const same = text.types.compute == text.types.accumulate;
    rows.join = {"", same ? data : converted(data, text.types.accumulate), {}, {}};
    return rows;
}

/// The loops with x as operand 0 and y as operand 1, outer ones as `operand` (-1: the output) goes through memory.
Loops position_loops(EinsumText const& text, graph::Lookup const& lookup, Nest nest) {
    simplify(nest);
    Loops loops = loops_of(nest, text.shape.kernel->einsum.join);
    if (lookup.data > lookup.positions) loops = reordered(std::move(loops), {1, 0});
    sort_by_steps(loops.outer, -1);
    return loops;
}

/// Lanes along the last outer loop, where x and the output run along it and y does not.
Lanes lanes_of(Loops const& loops, DType output, Extent data_step, Gpu const& gpu) {
    Lanes lanes{1, std::max(0, static_cast<int>(loops.outer.size()) - 1)};
    if (loops.outer.empty() || loops.outer.back().steps[1] != 0) return lanes;
    int const widest = static_cast<int>(16 / std::min(size_of(output), size_of(loops.dtypes[0])));
    for (int count = std::min(tuning::most_lanes, widest); count > 1; count /= 2)
        if (loops.in_runs(-1, lanes.loop, count) && loops.in_runs(0, lanes.loop, count) && data_step % count == 0 &&
            loops.outputs() / count >= std::min<Extent>(gpu.threads(), 32 * gpu.multiprocessors)) {
            lanes.count = count;
            break;
        }
    return lanes;
}

KernelStruct position_struct(EinsumText const& text, Loops const& loops, Lanes lanes) {
    KernelStruct kernel(text, loops, lanes, "PositionArguments");
    kernel.constant("bool", "parted", 0).add("using Position = " + element_name(loops.dtypes[1]) + ";");
    return kernel;
}

Extent groups_of(Loop const& loop, bool is_lane_loop, Lanes lanes) {
    return is_lane_loop ? (loop.length + lanes.count - 1) / lanes.count : loop.length;
}

}  // namespace

std::optional<Program> lookup_program(EinsumText const& text, Nest nest) {
    auto const lookup = graph::as_lookup(text.shape.kernel->einsum);
    if (!is_by_position(text, lookup)) return std::nullopt;
    NestLabel const looked_up = nest.labels.back();
    nest.labels.pop_back();
    Loops const loops = position_loops(text, *lookup, std::move(nest));
    Extent const step =
        looked_up.strides[static_cast<std::size_t>(lookup->data)] / static_cast<Extent>(size_of(loops.dtypes[0]));
    Lanes const lanes = lanes_of(loops, text.shape.output_dtype, step, text.gpu);
    EinsumText rows = rows_text(text, *lookup);
    if (looked_up.length * step >= text.gpu.wide_from) rows.gpu.wide_from = 0;  // v is none of the loops
    KernelStruct kernel = position_struct(rows, loops, lanes);
    unsigned const threads = static_cast<unsigned>(fold_threads);
    Launch launch = kernel.launch(kernel.kernel("lookup", threads, "lookup<K>(a)"), threads);
    launch.constants = kernel.words(1, 1, 1).add(looked_up.length).add(step).add(0).take();
    launch.grid_x = fold_blocks(loops.outputs() / lanes.count, text.gpu);
    return Program{{std::move(launch)}, 0};
}

std::optional<Program> scatter_program(EinsumText const& text, Nest nest) {
    auto const scatter = graph::as_scatter(text.shape.kernel->einsum);
    if (!is_by_position(text, scatter)) return std::nullopt;
    Loops loops = position_loops(text, *scatter, std::move(nest));
    // Batches and v first, then a row's loops, which y lacks and v's own loop is not among.
    std::stable_partition(loops.outer.begin(), loops.outer.end(),
                          [](Loop const& loop) { return loop.steps[1] != 0 || loop.label >= 0; });
    auto const row = std::find_if(loops.outer.begin(), loops.outer.end(),
                                  [](Loop const& loop) { return loop.steps[1] == 0 && loop.label < 0; });
    auto const v =
        std::find_if(loops.outer.begin(), loops.outer.end(), [](Loop const& loop) { return loop.label >= 0; });
    Extent elements = 1;
    for (auto loop = row; loop != loops.outer.end(); ++loop) elements *= loop->length;
    if (elements < tuning::least_scattered_row || v == loops.outer.end()) return std::nullopt;
    Lanes const lanes = lanes_of(loops, text.shape.output_dtype, 0, text.gpu);
    Extent groups = 1;
    for (auto loop = row; loop != loops.outer.end(); ++loop)
        groups *= groups_of(*loop, loop + 1 == loops.outer.end(), lanes);
    EinsumText const rows = rows_text(text, *scatter);
    KernelStruct kernel = position_struct(rows, loops, lanes);
    kernel.constant("i32", "row_loop", v - loops.outer.begin());
    unsigned const threads = static_cast<unsigned>(fold_threads);
    Launch launch = kernel.launch(kernel.kernel("scatter", threads, "scatter<K>(a)"), threads);
    launch.constants = kernel.words(loops.terms(), 1, 1).add(0).add(0).add(groups).take();
    launch.grid_x = fold_blocks(loops.outputs() / elements * fold_threads, text.gpu);
    launch.grid_y = static_cast<unsigned>((groups + fold_threads - 1) / fold_threads);
    return launch.grid_y < 65536 ? std::optional(Program{{std::move(launch)}, 0}) : std::nullopt;
}

}  // namespace ein::executor::cuda
