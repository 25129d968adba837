#include "executor/device/cpu/narrow/narrow_product.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/narrow/narrow_places.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"
#include "executor/device/cpu/scratch.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;

// Which of its two matrices labels have the steps of (NarrowProblem).
constexpr int in_operand = 0, in_result = 1;
int operand_of(std::size_t side) { return side == A ? 0 : 1; }

constexpr Extent apart = 16;  // words between rows of sums, lest they lie a power of two apart

/// What a task has for itself, one after the other.
struct TaskLayout {
    std::size_t wide, terms, panels_a, panels_b, sums, total;
    TaskLayout(NarrowProblem const& problem, NarrowLoops const& loops, Extent rows, Extent columns) {
        TermBlocks const& blocks = problem.terms;
        std::size_t at = 0;
        auto const place = [&at](std::size_t bytes) {
            std::size_t const here = at;
            at += lines(bytes);
            return here;
        };
        Extent const tall = rounded_up(rows, loops.rows), broad = rounded_up(columns, loops.columns);
        auto const words = [](Extent count) { return static_cast<std::size_t>(count) * 4; };
        wide = place(PlaceRoom::bytes(std::max(rows, columns)));
        terms = place(PlaceRoom::bytes(blocks.each));
        panels_a = place(words(tall * words_of(loops, blocks.each)));
        panels_b = place(
            words(problem.streams == Streams::none ? broad * words_of(loops, blocks.each) : loops.rows * blocks.each));
        // Places of outputs are found where panels were, while sums are there.
        at = std::max(at, PlaceRoom::bytes(rows) + PlaceRoom::bytes(columns));
        sums = place(words(tall * (broad + apart)));
        total = at;
    }
};

bool is_subnormal(std::uint16_t bits) { return static_cast<std::uint16_t>((bits & 0x7fff) - 1) < 0x7f; }

}  // namespace

struct NarrowLaunch::Memory {
    std::byte* data;
    TaskLayout layout;
    std::uint32_t* words(std::size_t at) const { return reinterpret_cast<std::uint32_t*>(data + at); }
};

std::size_t NarrowLaunch::task_bytes(NarrowProblem const& problem, NarrowLoops const& loops, Extent rows,
                                     Extent columns) {
    return TaskLayout(problem, loops, rows, columns).total;
}

std::size_t NarrowLaunch::packing_bytes(NarrowProblem const& problem) {
    return PlaceRoom::bytes(problem.terms.each) + PlaceRoom::bytes(narrow_tuning::packed_wide);
}

std::byte const* NarrowLaunch::operand(std::size_t side, Extent call) const {
    std::array<Extent, 3> at{};
    GemmPlan::add_iteration(problem_.plan.free_loops, call, at);
    return from_[side] + at[side] * problem_.element_bytes[side];
}

void NarrowLaunch::pack_shared(SharedPanels& panels, std::size_t side, Extent call, Extent block, Extent first,
                               Extent wide, std::byte* memory) const {
    NarrowLoops const& loops = problem_.choice.loops;
    TermBlocks const& terms = problem_.terms;
    NarrowPacking packing;
    packing.from = operand(side, panels.call + call);
    packing.wide = PlaceRoom(memory, wide).find(problem_.wide[side], in_operand, panels.first + first, wide);
    packing.terms = PlaceRoom(memory + PlaceRoom::bytes(wide), terms.size(block))
                        .find(problem_.term_labels, operand_of(side), terms.first(block), terms.size(block));
    packing.inverted = problem_.choice.inverted;
    packing.words = words_of(loops, terms.size(block));
    packing.to = panels.words + (call * terms.count + block) * panels.step(terms) + first * packing.words;
    auto const pack = (side == A ? loops.pack_a : loops.pack_b)(problem_.choice.types[side]);
    if (pack(packing)) panels.subnormal.store(true, std::memory_order_relaxed);
}

void NarrowLaunch::multiply(NarrowTask const& task, NarrowLoops const& loops,
                            std::array<SharedPanels const*, 2> const& shared, Memory const& memory, std::uint32_t* sums,
                            Extent sums_step, bool& subnormal, WorkerTeam& team) const {
    TermBlocks const& terms = problem_.terms;
    auto const [first_block, last_block] = terms.of_split(task.split);
    for (Extent block = first_block; block < last_block; ++block) {
        Extent const words = words_of(loops, terms.size(block));
        std::array<std::uint32_t const*, 2> panels{};
        for (std::size_t side : {A, B}) {
            Extent const first = side == A ? task.row : task.column, wide = side == A ? task.rows : task.columns;
            if (SharedPanels const* const ready = shared[side]; ready != nullptr && ready->words != nullptr) {
                Extent const place = (task.call - ready->call) * terms.count + block;
                panels[side] = ready->words + place * ready->step(terms) + (first - ready->first) * words;
                continue;
            }
            NarrowPacking packing;
            packing.from = operand(side, task.call);
            packing.wide =
                PlaceRoom(memory.data + memory.layout.wide, wide).find(problem_.wide[side], in_operand, first, wide);
            packing.terms = PlaceRoom(memory.data + memory.layout.terms, terms.size(block))
                                .find(problem_.term_labels, operand_of(side), terms.first(block), terms.size(block));
            packing.inverted = problem_.choice.inverted;
            packing.words = words;
            packing.to = memory.words(side == A ? memory.layout.panels_a : memory.layout.panels_b);
            auto const pack = (side == A ? loops.pack_a : loops.pack_b)(problem_.choice.types[side]);
            if (pack(packing)) subnormal = true;
            panels[side] = packing.to;
        }
        NarrowTiles tiles;
        tiles.b = panels[B];
        tiles.columns = task.columns;
        tiles.words = words;
        tiles.a_step = loops.rows * words;
        tiles.b_step = loops.columns * words;
        tiles.sums_step = sums_step;
        tiles.first = block == first_block;
        tiles.a_signed = problem_.choice.types[A] == NarrowType::i8;
        tiles.b_signed = problem_.choice.types[B] == NarrowType::i8;
        Extent const work = std::max<Extent>(1, task.columns * terms.size(block));
        Extent const most =
            std::max<Extent>(loops.rows, narrow_tuning::terms_between_pauses / work / loops.rows * loops.rows);
        for (Extent row = 0; row < task.rows; row += most) {
            if (row > 0 || block > first_block) team.pause();
            tiles.rows = std::min(most, task.rows - row);
            tiles.a = panels[A] + row * words;
            tiles.sums = sums + row * sums_step;
            loops.multiply(tiles);
        }
    }
}

/// Rows of a are packed, panel by panel; b is read where it lies.
void NarrowLaunch::stream(NarrowTask const& task, Memory const& memory, std::uint32_t* sums, Extent sums_step,
                          WorkerTeam& team) const {
    NarrowLoops const& loops = problem_.choice.loops;
    TermBlocks const& terms = problem_.terms;
    auto const places = [&](std::size_t at, Extent most, std::vector<PairLabel> const& of, int matrix, Extent first) {
        return PlaceRoom(memory.data + at, most).find(of, matrix, first, most);
    };
    auto const [first_block, last_block] = terms.of_split(task.split);
    for (Extent block = first_block; block < last_block; ++block) {
        if (block > first_block) team.pause();
        Extent const count = terms.size(block);
        NarrowPacking packing;
        packing.from = operand(A, task.call);
        packing.wide = places(memory.layout.wide, task.rows, problem_.wide[A], in_operand, task.row);
        packing.terms = places(memory.layout.terms, count, problem_.term_labels, operand_of(A), terms.first(block));
        packing.words = count;
        packing.to = memory.words(memory.layout.panels_a);
        loops.pack_a(problem_.choice.types[A])(packing);
        NarrowStream call;
        call.b = operand(B, task.call);
        call.terms = places(memory.layout.terms, count, problem_.term_labels, operand_of(B), terms.first(block));
        call.columns = places(memory.layout.wide, task.columns, problem_.wide[B], in_operand, task.column);
        call.sums_step = sums_step;
        call.first = block == first_block;
        call.along_terms = problem_.streams == Streams::terms;
        for (Extent row = 0; row < task.rows; row += loops.rows) {
            std::uint32_t const* const panel = packing.to + row * count;
            call.rows = std::min<Extent>(loops.rows, task.rows - row);
            call.sums = sums + row * sums_step;
            call.a = panel;
            if (call.along_terms) {
                std::uint32_t* const by_row = memory.words(memory.layout.panels_b);
                for (Extent r = 0; r < call.rows; ++r)
                    for (Extent term = 0; term < count; ++term) by_row[r * count + term] = panel[term * loops.rows + r];
                call.a = by_row;
            }
            loops.stream(problem_.choice.types[B])(call);
        }
    }
}

void NarrowLaunch::run(NarrowTask const& task, std::array<SharedPanels, 2> const& shared, std::byte* memory,
                       std::uint32_t* sums, Extent sums_step, WorkerTeam& team) const {
    NarrowLoops const& loops = problem_.choice.loops;
    Memory const own{memory, TaskLayout(problem_, loops, task.rows, task.columns)};
    bool const stays = sums != nullptr;
    if (!stays) {
        sums = own.words(own.layout.sums);
        sums_step = rounded_up(task.columns, loops.columns) + apart;
    }
    bool subnormal = false;
    if (problem_.streams == Streams::none)
        multiply(task, loops, {&shared[A], &shared[B]}, own, sums, sums_step, subnormal, team);
    else
        stream(task, own, sums, sums_step, team);
    for (SharedPanels const& panels : shared)
        subnormal = subnormal || (panels.words != nullptr && panels.subnormal.load(std::memory_order_relaxed));
    if (subnormal && loops.flushes) multiply_carefully(task, sums, sums_step, team);
    if (!stays) store(task, sums, sums_step, memory);
}

/// Which rows or columns have an operand that the loops took for 0.
std::vector<bool> NarrowLaunch::subnormal_ones(NarrowTask const& task, std::size_t side) const {
    Extent const first = side == A ? task.row : task.column, wide = side == A ? task.rows : task.columns;
    TermBlocks const& terms = problem_.terms;
    auto const [first_block, last_block] = terms.of_split(task.split);
    Scratch const room(PlaceRoom::bytes(wide) + PlaceRoom::bytes(terms.each));
    NarrowPlaces const at = PlaceRoom(room.data(), wide).find(problem_.wide[side], in_operand, first, wide);
    auto const* const from = reinterpret_cast<std::uint16_t const*>(operand(side, task.call));
    std::vector<bool> found(static_cast<std::size_t>(wide), false);
    for (Extent block = first_block; block < last_block; ++block) {
        NarrowPlaces const of_terms =
            PlaceRoom(room.data() + PlaceRoom::bytes(wide), terms.size(block))
                .find(problem_.term_labels, operand_of(side), terms.first(block), terms.size(block));
        for (Extent i = 0; i < wide; ++i)
            for (Extent term = 0; term < of_terms.count && !found[static_cast<std::size_t>(i)]; ++term)
                if (is_subnormal(from[at.at[i] + of_terms.at[term]])) found[static_cast<std::size_t>(i)] = true;
    }
    return found;
}

/// Outputs of which a row or column has a subnormal operand once more, as floats. Which ones follows from that row and
/// column alone.
void NarrowLaunch::multiply_carefully(NarrowTask const& task, std::uint32_t* sums, Extent sums_step,
                                      WorkerTeam& team) const {
    std::vector<bool> const rows = subnormal_ones(task, A), columns = subnormal_ones(task, B);
    NarrowLoops const loops = careful_loops();
    Scratch const memory(task_bytes(problem_, loops, task.rows, task.columns));
    Memory const own{memory.data(), TaskLayout(problem_, loops, task.rows, task.columns)};
    std::uint32_t* const exact = own.words(own.layout.sums);
    Extent const step = rounded_up(task.columns, loops.columns) + apart;
    bool ignored = false;
    multiply(task, loops, {nullptr, nullptr}, own, exact, step, ignored, team);
    for (Extent row = 0; row < task.rows; ++row)
        for (Extent column = 0; column < task.columns; ++column)
            if (rows[static_cast<std::size_t>(row)] || columns[static_cast<std::size_t>(column)])
                sums[row * sums_step + column] = exact[row * step + column];
}

void NarrowLaunch::store(NarrowTask const& task, std::uint32_t const* sums, Extent sums_step, std::byte* memory) const {
    std::array<Extent, 3> at{};
    GemmPlan::add_iteration(problem_.plan.free_loops, task.call, at);
    NarrowStore call;
    std::byte* const columns = memory + PlaceRoom::bytes(task.rows);
    call.rows = PlaceRoom(memory, task.rows).find(problem_.wide[A], in_result, task.row, task.rows);
    call.columns = PlaceRoom(columns, task.columns).find(problem_.wide[B], in_result, task.column, task.columns);
    call.sums = sums;
    call.sums_step = sums_step;
    call.to = to_ + at[C] * problem_.element_bytes[C];
    call.scale = static_cast<float>(problem_.choice.factor);
    call.accumulate = problem_.accumulate;
    call.inverted = problem_.choice.inverted;
    problem_.choice.loops.store(problem_.choice.output)(call);
}

void NarrowLaunch::store_splits(NarrowTask const& task, std::uint32_t* sums, Extent sums_step, Extent split_step,
                                std::byte* memory) const {
    NarrowFormat const format = problem_.choice.format;
    bool const floats = format == NarrowFormat::floats || format == NarrowFormat::bf16_pairs;
    for (Extent split = 1; split < problem_.terms.splits; ++split)
        for (Extent row = 0; row < task.rows; ++row) {
            std::uint32_t* const to = sums + row * sums_step;
            std::uint32_t const* const more = to + split * split_step;
            for (Extent i = 0; i < task.columns; ++i) {
                float held, value;
                std::memcpy(&held, to + i, 4);
                std::memcpy(&value, more + i, 4);
                float const sum = held + value;
                std::uint32_t bits;
                std::memcpy(&bits, &sum, 4);
                to[i] = floats ? bits : format == NarrowFormat::bits ? to[i] | more[i] : to[i] + more[i];
            }
        }
    store(task, sums, sums_step, memory);
}

}  // namespace ein::executor
