#include "executor/device/cpu/narrow/narrow_kernel.hpp"

#include <algorithm>

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/narrow/narrow_product.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr GemmPlan::Side A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;

std::size_t bytes_of_words(Extent count) { return static_cast<std::size_t>(count) * 4; }

NarrowSizes sizes_of(GemmPlan const& plan) { return {plan.m(), plan.n(), plan.k(), plan.calls()}; }

class NarrowKernel final : public PreparedKernel {
public:
    explicit NarrowKernel(NarrowProblem problem) : problem_(std::move(problem)) {
        NarrowSizes const& sizes = problem_.sizes;
        double const m = static_cast<double>(sizes.rows), n = static_cast<double>(sizes.columns);
        double const k = static_cast<double>(sizes.terms), calls = static_cast<double>(sizes.calls);
        large_ = 2 * m * n * k * calls >= 2 * narrow_tuning::least_operations || (m * k + k * n + m * n) * calls >= 1e6;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        std::array<std::byte const*, 2> from{};
        for (std::size_t side : {A, B})
            from[side] = static_cast<std::byte const*>(call.operands[problem_.choice.operands[side]]);
        NarrowLaunch const launch(problem_, from, static_cast<std::byte*>(call.output));
        NarrowSizes const& sizes = problem_.sizes;
        auto const cut = problem_.streams == Streams::none ? task_blocks : stream_blocks;
        TaskBlocks const blocks = cut(problem_.choice.loops, sizes, problem_.terms, large_ ? team.width() : 1);
        Splits splits(*this);
        Scratch const sums(splits.bytes(sizes.calls));
        splits.sums = reinterpret_cast<std::uint32_t*>(sums.data());
        std::array<SharedPanels, 2> shared;
        Scratch const packed(place_shared(shared, blocks, nullptr));
        place_shared(shared, blocks, packed.data());
        for (Extent first = 0; first < sizes.calls; first += blocks.wave_calls)
            for (Extent row = 0; row < sizes.rows; row += blocks.wave_rows)
                for (Extent column = 0; column < sizes.columns; column += blocks.wave_columns)
                    run_wave(launch, blocks,
                             {first, std::min(blocks.wave_calls, sizes.calls - first), row,
                              std::min(blocks.wave_rows, sizes.rows - row), column,
                              std::min(blocks.wave_columns, sizes.columns - column)},
                             shared, splits, team);
        if (problem_.terms.splits > 1) store_splits(launch, blocks, splits, team);
    }

private:
    struct Wave {
        Extent call, calls, row, rows, column, columns;
    };

    /// Sums of every split of the terms: [call][split][row][column].
    struct Splits {
        explicit Splits(NarrowKernel const& kernel)
            : count(kernel.problem_.terms.splits),
              column_step(rounded_up(kernel.problem_.sizes.columns, kernel.problem_.choice.loops.columns)),
              split_step(column_step * rounded_up(kernel.problem_.sizes.rows, kernel.problem_.choice.loops.rows)) {}
        std::size_t bytes(Extent calls) const { return count > 1 ? bytes_of_words(calls * count * split_step) : 0; }
        /// Where a task's are; null where there is but one split.
        std::uint32_t* of(NarrowTask const& task) const {
            if (count == 1) return nullptr;
            return sums + (task.call * count + task.split) * split_step + task.row * column_step + task.column;
        }
        Extent count, column_step, split_step;
        std::uint32_t* sums = nullptr;
    };

    void run(Extent tasks, WorkerTeam& team, std::function<void(Extent, Extent)> const& some) const {
        if (!large_ || tasks == 1) return some(0, tasks);
        std::int64_t const pieces =
            std::min<std::int64_t>(tasks, std::max<std::int64_t>(machine::most_pieces, 4 * team.width()));
        team.run(pieces, [&](std::int64_t piece) {
            some(part_begin(tasks, pieces, piece), part_begin(tasks, pieces, piece + 1));
        });
    }

    /// Room of what waves share. @return bytes
    std::size_t place_shared(std::array<SharedPanels, 2>& shared, TaskBlocks const& blocks, std::byte* to) const {
        std::size_t bytes = 0;
        for (std::size_t side : {A, B}) {
            if (!(side == A ? blocks.packs_a : blocks.packs_b)) continue;
            SharedPanels& panels = shared[side];
            panels.padded = side == A ? blocks.wave_rows : blocks.wave_columns;
            panels.words = reinterpret_cast<std::uint32_t*>(to + bytes);
            bytes += lines(bytes_of_words(blocks.wave_calls * problem_.terms.count * panels.step(problem_.terms)));
        }
        return bytes;
    }

    void run_wave(NarrowLaunch const& launch, TaskBlocks const& blocks, Wave const& wave,
                  std::array<SharedPanels, 2>& shared, Splits const& splits, WorkerTeam& team) const {
        NarrowLoops const& loops = problem_.choice.loops;
        pack(launch, wave, shared, team);
        Extent const rows = parts_of_length(wave.rows, blocks.rows),
                     columns = parts_of_length(wave.columns, blocks.columns);
        run(wave.calls * splits.count * rows * columns, team, [&](Extent first, Extent last) {
            Scratch const memory(NarrowLaunch::task_bytes(problem_, loops, blocks.rows, blocks.columns));
            for (Extent number = first; number < last; ++number) {
                if (number > first) team.pause();
                NarrowTask task;
                Extent rest = number;
                task.column = wave.column + rest % columns * blocks.columns;
                rest /= columns;
                task.row = wave.row + rest % rows * blocks.rows;
                rest /= rows;
                task.split = rest % splits.count;
                task.call = wave.call + rest / splits.count;
                task.rows = std::min(blocks.rows, wave.row + wave.rows - task.row);
                task.columns = std::min(blocks.columns, wave.column + wave.columns - task.column);
                launch.run(task, shared, memory.data(), splits.of(task), splits.column_step, team);
            }
        });
    }

    /// What the last wave has not packed already.
    void pack(NarrowLaunch const& launch, Wave const& wave, std::array<SharedPanels, 2>& shared,
              WorkerTeam& team) const {
        NarrowLoops const& loops = problem_.choice.loops;
        Extent const blocks = problem_.terms.count;
        std::array<Extent, 2> wide{}, each{}, tasks{};
        for (std::size_t side : {A, B}) {
            SharedPanels& panels = shared[side];
            Extent const first = side == A ? wave.row : wave.column;
            if (panels.words == nullptr || (panels.wide > 0 && panels.call == wave.call && panels.first == first))
                continue;
            panels.call = wave.call;
            panels.calls = wave.calls;
            panels.first = first;
            panels.wide = side == A ? wave.rows : wave.columns;
            panels.subnormal.store(false, std::memory_order_relaxed);
            Extent const width = side == A ? loops.rows : loops.columns;
            each[side] = narrow_tuning::packed_wide / width * width;
            wide[side] = parts_of_length(panels.wide, each[side]);
            tasks[side] = panels.calls * blocks * wide[side];
        }
        if (tasks[A] + tasks[B] == 0) return;
        run(tasks[A] + tasks[B], team, [&](Extent begin, Extent end) {
            Scratch const memory(NarrowLaunch::packing_bytes(problem_));
            for (Extent number = begin; number < end; ++number) {
                if (number > begin) team.pause();
                std::size_t const side = number < tasks[A] ? A : B;
                Extent rest = side == A ? number : number - tasks[A];
                Extent const first = rest % wide[side] * each[side];
                rest /= wide[side];
                launch.pack_shared(shared[side], side, rest / blocks, rest % blocks, first,
                                   std::min(each[side], shared[side].wide - first), memory.data());
            }
        });
    }

    void store_splits(NarrowLaunch const& launch, TaskBlocks const& blocks, Splits const& splits,
                      WorkerTeam& team) const {
        NarrowSizes const& sizes = problem_.sizes;
        Extent const rows = parts_of_length(sizes.rows, blocks.rows);
        run(sizes.calls * rows, team, [&](Extent first, Extent last) {
            Scratch const memory(NarrowLaunch::task_bytes(problem_, problem_.choice.loops, blocks.rows, sizes.columns));
            for (Extent number = first; number < last; ++number) {
                NarrowTask task;
                task.call = number / rows;
                task.row = number % rows * blocks.rows;
                task.rows = std::min(blocks.rows, sizes.rows - task.row);
                task.columns = sizes.columns;
                launch.store_splits(task, splits.of(task), splits.column_step, splits.split_step, memory.data());
            }
        });
    }

    NarrowProblem problem_;
    bool large_ = false;
};

GemmProblem gemm_problem(Nest const& nest, DType compute, NarrowChoice const& choice) {
    bool const sums = choice.format != NarrowFormat::bits;
    return {nest,
            choice.operands[0],
            choice.operands[1],
            compute,
            false,
            sums,
            {nest.operand_dtypes[choice.operands[0]], nest.operand_dtypes[choice.operands[1]], nest.output_dtype}};
}

bool packs(GemmPlan const& plan) {
    return std::any_of(plan.matrices.begin(), plan.matrices.end(), [](auto const& matrix) { return matrix.packed; });
}

PairProduct speed_of(NarrowChoice const& choice) {
    PairProduct speed;
    speed.rows = choice.loops.rows;
    speed.columns = choice.loops.columns;
    speed.rate = choice.loops.rate;
    return speed;
}

/// The cheaper order of the operands.
std::optional<GemmPlan> plan_of(Nest const& nest, DType compute, NarrowChoice& choice) {
    PairProduct const speed = speed_of(choice);
    NarrowChoice exchanged = choice;
    std::swap(exchanged.operands[0], exchanged.operands[1]);
    std::swap(exchanged.types[0], exchanged.types[1]);
    auto plan = plan_tiles(gemm_problem(nest, compute, choice), speed);
    auto other = plan_tiles(gemm_problem(nest, compute, exchanged), speed);
    if (!other || (plan && plan->seconds <= other->seconds)) return plan;
    choice = exchanged;
    return other;
}

/// How b can be read where it lies.
Streams streams_of(GemmPlan const& plan, NarrowChoice const& choice) {
    Extent const n = plan.n(), k = plan.k();
    bool const few = plan.m() <= narrow_tuning::streamed_rows && n * k >= narrow_tuning::streamed_elements;
    if (!few || choice.loops.stream == nullptr || choice.loops.stream(choice.types[B]) == nullptr) return Streams::none;
    auto const along = [&](std::vector<GemmPlan::Loop> const& loops) {
        return !loops.empty() && loops.back().steps[B] == 1 && loops.back().length >= choice.loops.columns / 3;
    };
    if (along(plan.columns)) return Streams::columns;
    return plan.terms.size() == 1 && along(plan.terms) ? Streams::terms : Streams::none;
}

/// A product of few rows, or of few columns that become rows, of floats.
struct Streamed {
    NarrowChoice choice;
    GemmPlan plan;
    Streams streams;
};
std::optional<Streamed> plan_of_streams(Nest const& nest, DType compute, NarrowChoice choice) {
    if (compute != DType::f32) return std::nullopt;
    choice.format = NarrowFormat::floats;
    choice.loops = careful_loops();
    if (choice.loops.rows == 0) return std::nullopt;
    for (int order = 0; order < 2; ++order) {
        if (auto plan = plan_tiles(gemm_problem(nest, compute, choice), speed_of(choice)))
            if (Streams const streams = streams_of(*plan, choice); streams != Streams::none && !packs(*plan))
                return Streamed{choice, std::move(*plan), streams};
        std::swap(choice.operands[0], choice.operands[1]);
        std::swap(choice.types[0], choice.types[1]);
    }
    return std::nullopt;
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_narrow_kernel(KernelShape const& shape, Nest const& nest,
                                                         KernelTypes const& types, scalar::Params const& params) {
    std::optional<NarrowChoice> choice = choose_narrow(shape, types, params);
    if (!choice) return nullptr;
    NarrowChoice const as_written = *choice;
    std::optional<GemmPlan> whole = plan_of(nest.planned(), types.compute, *choice);
    Streams streams = Streams::none;
    if (!whole || std::min(whole->m(), whole->n()) <= narrow_tuning::streamed_rows)
        if (auto streamed = plan_of_streams(nest.planned(), types.compute, as_written)) {
            choice = streamed->choice;
            whole = std::move(streamed->plan);
            streams = streamed->streams;
        }
    // Whole numbers beside floats have no streams: loops read a matrix times a vector without packing it.
    bool const packs_for_one_use =
        whole && streams == Streams::none && types.compute == DType::f32 && std::min(whole->m(), whole->n()) == 1;
    if (!whole || packs_for_one_use || packs(*whole) || (choice->most_terms > 0 && whole->k() > choice->most_terms))
        return nullptr;
    NarrowProblem problem;
    problem.choice = *choice;
    problem.plan = nest.keeps_order()
                       ? plan_tiles_as(*whole, gemm_problem(nest, types.compute, *choice), speed_of(*choice))
                       : *whole;
    problem.sizes = sizes_of(problem.plan);
    problem.wide = {GemmPlan::labels_of(problem.plan.rows, {A, C}), GemmPlan::labels_of(problem.plan.columns, {B, C})};
    problem.term_labels = GemmPlan::labels_of(problem.plan.terms, {A, B});
    problem.terms = term_blocks(choice->loops, sizes_of(*whole));
    problem.streams = streams;
    problem.accumulate = nest.accumulate;
    for (std::size_t side : {A, B})
        problem.element_bytes[side] = static_cast<Extent>(size_of(nest.operand_dtypes[choice->operands[side]]));
    problem.element_bytes[C] = static_cast<Extent>(size_of(nest.output_dtype));
    return std::make_unique<NarrowKernel>(std::move(problem));
}

}  // namespace ein::executor
