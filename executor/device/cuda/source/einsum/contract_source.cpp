#include "executor/device/cuda/source/einsum/contract_source.hpp"

#include <algorithm>

#include "executor/device/cuda/source/einsum/fold_source.hpp"
#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {
namespace {

constexpr Extent threads_a_side = 16, tile_threads = 256, group = 4;  // as in kernels/contract.cuh

/// The outer loops by which operands move along them: operand 0 alone has rows, operand 1 alone columns.
struct Roles {
    std::vector<Loop> batches, rows, columns;
};

Extent product(std::vector<Loop> const& loops) {
    Extent count = 1;
    for (Loop const& loop : loops) count *= loop.length;
    return count;
}

Roles roles_of(std::vector<Loop> const& outer) {
    Roles roles;
    for (Loop const& loop : outer) {
        bool const left = loop.steps[0] != 0, right = loop.steps[1] != 0;
        (left == right ? roles.batches : left ? roles.rows : roles.columns).push_back(loop);
    }
    sort_by_steps(roles.rows, 0);
    sort_by_steps(roles.columns, -1);
    return roles;
}

bool runs(std::vector<Loop> const& side, int operand) {
    return std::any_of(side.begin(), side.end(), [&](Loop const& loop) { return step_of(loop, operand) == 1; });
}

struct Tiling {
    Roles roles;
    Extent rows, columns, edge, row_tiles, column_tiles, terms;
    FoldPlan plan;
    Extent part;

    Extent tiles() const { return product(roles.batches) * row_tiles * column_tiles; }
    /// @param outputs  of a thread, along each side
    void set_edge(Extent outputs) {
        edge = outputs;
        row_tiles = ceil_div(rows, threads_a_side * edge);
        column_tiles = ceil_div(columns, threads_a_side * edge);
    }
};

/// A thread has as many outputs as its registers hold, unless that leaves tiles much emptier or a part of the GPU idle.
void choose_edge(Tiling& tiling, EinsumText const& text) {
    tiling.set_edge(4);
    if (register_bytes(text.types.compute) > 4 || state_bytes(text.shape.kernel->einsum.agg, text.types.accumulate) > 4)
        return;
    Extent const small_tiles = tiling.tiles();
    tiling.set_edge(8);
    bool const emptier = 16 * tiling.tiles() > 5 * small_tiles;  // a quarter more outputs in tiles of 4 times the area
    if (emptier || tiling.tiles() < text.gpu.multiprocessors) tiling.set_edge(4);
}

Tiling tiling_of(Loops const& loops, EinsumText const& text) {
    Gpu const& gpu = text.gpu;
    Tiling tiling{roles_of(loops.outer), 0, 0, 0, 0, 0, loops.terms(), {}, 0};
    tiling.rows = product(tiling.roles.rows);
    tiling.columns = product(tiling.roles.columns);
    choose_edge(tiling, text);
    Extent const tiles = std::max<Extent>(1, tiling.tiles());
    Extent const wanted = tiles < gpu.multiprocessors ? ceil_div(2 * gpu.multiprocessors, tiles) : 1;
    Extent const parts = std::clamp<Extent>(tiling.terms / tuning::product_terms_of_a_part, 1, wanted);
    Extent const depth = 64 / tiling.edge;
    tiling.part = ceil_div(ceil_div(tiling.terms, parts), depth) * depth;
    tiling.plan.parts = std::max<Extent>(1, ceil_div(tiling.terms, tiling.part));
    tiling.plan.merging = loops.outputs() < gpu.threads() / 8 && tiling.plan.parts >= 8 ? 8 : 1;
    return tiling;
}

/// Whether groups of columns are neighbours in the output, all from multiples of a group on.
bool columns_in_runs(Roles const& roles) {
    if (roles.columns.empty()) return false;
    Loop const& last = roles.columns.back();
    if (last.output_step != 1 || last.length % group != 0) return false;
    for (auto const* side : {&roles.batches, &roles.rows, &roles.columns})
        for (Loop const& loop : *side)
            if (&loop != &last && loop.output_step % group != 0) return false;
    return true;
}

void add_operands(KernelStruct& kernel, EinsumText const& text, Loops const& loops) {
    kernel.add("using Compute = " + register_name(text.types.compute) + ";");
    for (std::size_t k = 0; k < 2; ++k)
        kernel.add("EIN_FN static Compute " + std::string(k == 0 ? "left" : "right") +
                   "(void const* from, Index at) { return " +
                   kernel.loaded("((" + element_name(loops.dtypes[k]) + " const*)from)[at]") + "; }");
    kernel.add("EIN_FN static Values pair(Compute left, Compute right) {\n        Values v;\n        v.x" +
               std::to_string(loops.operands[0]) + ".at[0] = left;\n        v.x" + std::to_string(loops.operands[1]) +
               ".at[0] = right;\n        return v;\n    }");
}

Launch tiles_launch(EinsumText const& text, Loops const& loops, Tiling const& tiling) {
    KernelStruct kernel(text, loops, {}, "ContractArguments");
    kernel.constant("bool", "parted", tiling.plan.parts > 1);
    kernel.constant("i32", "batches", static_cast<Extent>(tiling.roles.batches.size()));
    kernel.constant("i32", "rows_of_loops", static_cast<Extent>(tiling.roles.rows.size()));
    kernel.constant("i32", "edge", tiling.edge);
    kernel.constant("bool", "columns_in_runs", columns_in_runs(tiling.roles));
    kernel.constant("bool", "left_by_terms", step_of(loops.inner.back(), 0) == 1);
    kernel.constant("bool", "right_by_terms", step_of(loops.inner.back(), 1) == 1);
    add_operands(kernel, text, loops);
    unsigned const threads = static_cast<unsigned>(tile_threads);
    std::string const name = tiling.edge == 8 ? "contract_wide" : "contract";
    Launch launch = kernel.launch(kernel.kernel(name, threads, "contract<K>(a)"), threads);
    launch.constants = kernel.words(tiling.terms, tiling.part, tiling.plan.parts)
                           .add(tiling.rows)
                           .add(tiling.columns)
                           .add(tiling.row_tiles)
                           .add(tiling.column_tiles)
                           .take();
    launch.grid_x = static_cast<unsigned>(tiling.tiles());
    launch.grid_y = static_cast<unsigned>(tiling.plan.parts);
    return launch;
}

}  // namespace

std::optional<Program> contract_program(EinsumText const& text, Loops loops) {
    scalar::Expr const& join = text.shape.kernel->einsum.join;
    if (loops.operands.size() != 2 || loops.inner.empty() || may_fault(join) || !scalar::labels_of(join).empty())
        return std::nullopt;
    Roles const first = roles_of(loops.outer);
    if (std::min(product(first.rows), product(first.columns)) < tuning::least_product_edge ||
        loops.terms() < tuning::least_product_terms)
        return std::nullopt;
    if (runs(first.rows, -1)) loops = reordered(std::move(loops), {1, 0});  // columns are what the output runs along
    sort_by_steps(loops.inner, loops.main_operand());
    Tiling const tiling = tiling_of(loops, text);
    if (tiling.tiles() >= Extent{1} << 31) return std::nullopt;
    loops.outer = tiling.roles.batches;
    for (auto const* side : {&tiling.roles.rows, &tiling.roles.columns})
        loops.outer.insert(loops.outer.end(), side->begin(), side->end());
    Program program;
    program.launches.push_back(tiles_launch(text, loops, tiling));
    if (tiling.plan.parts > 1) {
        program.launches.push_back(merge_launch(text, loops, tiling.plan));
        program.scratch_bytes =
            tiling.plan.parts * loops.outputs() * state_bytes(text.shape.kernel->einsum.agg, text.types.accumulate);
    }
    return program;
}

}  // namespace ein::executor::cuda
