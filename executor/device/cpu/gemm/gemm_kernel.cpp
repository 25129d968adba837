#include "executor/device/cpu/gemm/gemm_kernel.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "executor/device/cpu/gemm/gemm_grid.hpp"
#include "executor/device/cpu/gemm/gemm_operation.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "executor/device/kernel/gemm_plan.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr GemmPlan::Side A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;
/// How a product is computed. Of a nest that keeps order, everything that the order of terms follows from is chosen for
/// its whole.
struct Choice {
    Operation operation;
    GemmPlan plan;
    Grid grid;
    bool packs_output = false;      // beyond what the plan must
    std::optional<GemmPlan> whole;  // where the nest keeps order
};

class GemmKernel final : public PreparedKernel {
public:
    GemmKernel(Choice choice, Nest const& nest, DType type)
        : GemmKernel(std::move(choice.plan), choice.whole, choice.grid, nest, choice.operation, type) {}
    GemmKernel(GemmPlan plan, std::optional<GemmPlan> const& whole, Grid grid, Nest const& nest,
               Operation const& operation, DType type)
        : plan_(std::move(plan)),
          operands_(operation.operands),
          conjugated_(operation.conjugated),
          pair_(operation.pair),
          lanes_(product_of(plan_.batch, type)),
          agg_(operation.agg),
          size_(static_cast<Extent>(size_of(type))),
          accumulate_(nest.accumulate),
          grains_(pair_.run == nullptr ? Grains{} : grains_in_tiles(plan_, pair_.columns)),
          grid_(grid) {
        call_.type = type;
        call_.alpha = operation.factor;
        if (pair_.run == nullptr) set_forms();
        set_labels();
        for (std::size_t side : {A, B}) make_packing(nest, whole, side, type);
        make_unpacking(nest, whole, type);
        double const m = static_cast<double>(plan_.m()), n = static_cast<double>(plan_.n());
        double const k = static_cast<double>(plan_.k());
        double const bytes = (m * k + k * n + m * n) * static_cast<double>(size_ * plan_.calls());
        Extent const past = plan_.k() <= machine::few_terms ? machine::product_past_cache : machine::output_past_cache;
        past_cache_ =
            !unpacking_ && !accumulate_ && std::max(nest.output_bytes, nest.output_elements() * size_) >= past;
        large_ = flops_of(plan_) >= 2e7 || bytes > 4e6;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        std::array<std::byte const*, 2> from{};
        Scratch const packed(packed_bytes());
        std::byte* place = packed.data();
        for (std::size_t side : {A, B}) {
            from[side] = static_cast<std::byte const*>(call.operands[operands_[side]]);
            if (!packing_[side]) continue;
            void const* const source = from[side];
            packing_[side]->launch(std::span(&source, 1), place, {}, team);
            from[side] = place;
            place += lines(bytes_of(side));
        }
        auto* const to = unpacking_ ? place : static_cast<std::byte*>(call.output);
        if (lanes_.run != nullptr)
            run_lanes(from, to, team);
        else
            run_grid(from, to, team);
        void const* const results = to;
        if (unpacking_) unpacking_->launch(std::span(&results, 1), call.output, {}, team);
    }

private:
    void run_grid(std::array<std::byte const*, 2> const& from, std::byte* to, WorkerTeam& team) const {
        Grid const grid = grid_for(large_ ? team.width() : 1);
        std::int64_t const tasks = plan_.calls() * grid.rows * grid.columns * grid.sums;
        if (large_ && tasks > 1) {
            std::int64_t const pieces =
                std::min<std::int64_t>(tasks, std::max<std::int64_t>(machine::most_pieces, 4 * team.width()));
            team.run(pieces, [&](std::int64_t piece) {
                run_tasks(grid, part_begin(tasks, pieces, piece), part_begin(tasks, pieces, piece + 1), from, to, team);
            });
        } else {
            run_tasks(grid, 0, tasks, from, to, team);
        }
    }

    /// How rows and columns were cut the last time: threads of a run are mostly as many.
    struct Chosen {
        std::int32_t threads = 0;
        std::uint16_t rows = 1, columns = 1;
    };
    static_assert(std::atomic<Chosen>::is_always_lock_free);

    Grid grid_for(int threads) const {
        if (pair_.run == nullptr) return grid_;
        Chosen chosen = chosen_.load(std::memory_order_relaxed);
        if (chosen.threads != threads) {
            Grid const grid =
                choose_grid({plan_, grains_, costs_in_tiles(plan_)}, hands_of(plan_, threads), grid_.sums);
            chosen = {threads, static_cast<std::uint16_t>(grid.rows), static_cast<std::uint16_t>(grid.columns)};
            chosen_.store(chosen, std::memory_order_relaxed);
        }
        return {chosen.rows, chosen.columns, grid_.sums};
    }

    std::size_t bytes_of(std::size_t side) const {
        Extent const copies = side == C ? grid_.sums : 1;
        return static_cast<std::size_t>(plan_.matrices[side].elements * copies * size_);
    }
    std::size_t packed_bytes() const {
        std::size_t total = 0;
        for (std::size_t side : {A, B, C})
            if (plan_.matrices[side].packed) total += lines(bytes_of(side));
        return total;
    }

    /// BLAS's: at most one label a direction.
    static MatrixStrides strides(std::vector<GemmPlan::Loop> const& down, std::vector<GemmPlan::Loop> const& across,
                                 std::size_t side) {
        return {down.empty() ? 0 : down.front().steps[side], across.empty() ? 0 : across.front().steps[side]};
    }
    void set_forms() {
        call_.a_form = *blas_form(plan_.m(), plan_.k(), strides(plan_.rows, plan_.terms, A));
        call_.b_form = *blas_form(plan_.k(), plan_.n(), strides(plan_.terms, plan_.columns, B));
        call_.c_form = *blas_form(plan_.m(), plan_.n(), strides(plan_.rows, plan_.columns, C));
    }

    void set_labels() {
        rows_ = GemmPlan::labels_of(plan_.rows, {A, C});
        columns_ = GemmPlan::labels_of(plan_.columns, {B, C});
        terms_ = GemmPlan::labels_of(plan_.terms, {A, B});
        batch_ = GemmPlan::labels_of(plan_.free_loops, {A, B});
        batch_in_c_ = GemmPlan::labels_of(plan_.free_loops, {C, C});
    }

    /// Brings an operand to the calls' type and layout; labels that it alone has are summed on the way.
    void make_packing(Nest const& nest, std::optional<GemmPlan> const& whole, std::size_t side, DType type) {
        if (!plan_.matrices[side].packed) return;
        Nest pack{{}, {nest.operand_dtypes[operands_[side]]}, type, false, 0};
        auto const labels = [&](std::vector<NestLabel> const& all, GemmPlan::Matrix const& matrix) {
            std::vector<NestLabel> out;
            for (std::size_t l = 0; l < all.size(); ++l) {
                Extent const from = all[l].strides[operands_[side]], to = matrix.packed_strides[l] * size_;
                if (from != 0) out.push_back({all[l].length, {from}, to, to == 0, -1});
            }
            return out;
        };
        pack.labels = labels(nest.labels, plan_.matrices[side]);
        if (whole && pack.aggregates()) pack.whole = labels(nest.whole, whole->matrices[side]);
        simplify(pack);
        packing_[side] = LoopKernel::make(std::move(pack), LoopBody::identity(type));
    }

    void make_unpacking(Nest const& nest, std::optional<GemmPlan> const& whole, DType type) {
        if (!plan_.matrices[C].packed) return;
        Nest unpack{{}, {type}, nest.output_dtype, nest.accumulate, nest.output_bytes};
        auto const labels = [&](std::vector<NestLabel> const& all, GemmPlan::Matrix const& matrix) {
            std::vector<NestLabel> out;
            for (std::size_t l = 0; l < all.size(); ++l)
                if (!all[l].aggregated)
                    out.push_back({all[l].length, {matrix.packed_strides[l] * size_}, all[l].output_stride, false, -1});
            out.push_back({grid_.sums, {matrix.elements * size_}, 0, true, -1});
            return out;
        };
        unpack.labels = labels(nest.labels, plan_.matrices[C]);
        if (whole) unpack.whole = labels(nest.whole, whole->matrices[C]);
        simplify(unpack);
        unpacking_ = LoopKernel::make(std::move(unpack), LoopBody::identity(type, agg_));
    }

    /// The part of each direction that a task takes.
    struct Part {
        std::pair<Extent, Extent> rows, columns, terms;  // first, count
    };

    void run_tasks(Grid const& grid, std::int64_t first, std::int64_t last, std::array<std::byte const*, 2> const& from,
                   std::byte* to, WorkerTeam& team) const {
        Part const longest = part_of(grid, 0, 0, 0);
        Scratch const scratch(pair_.run == nullptr ? 0 : pair_.scratch_bytes(pair_call(longest, nullptr)));
        for (std::int64_t task = first; task < last; ++task) {
            std::int64_t rest = task;
            std::int64_t const column = rest % grid.columns;
            rest /= grid.columns;
            std::int64_t const row = rest % grid.rows;
            rest /= grid.rows;
            std::int64_t const sum = rest % grid.sums;
            rest /= grid.sums;
            std::array<Extent, 3> at{0, 0, sum * plan_.matrices[C].elements * (grid.sums > 1 ? 1 : 0)};
            GemmPlan::add_iteration(plan_.free_loops, rest, at);
            Part const all = part_of(grid, row, column, sum);
            std::byte const *const a = from[A] + at[A] * size_, *const b = from[B] + at[B] * size_;
            std::byte* const c = to + at[C] * size_;
            if (pair_.run == nullptr)
                call_blas(all, a, b, c);
            else
                call_pair(all, a, b, c, scratch.data(), team);
        }
    }

    /// Pieces of the batch, whole vectors of it, and of rows where there are few: neither changes a bit.
    void run_lanes(std::array<std::byte const*, 2> const& from, std::byte* to, WorkerTeam& team) const {
        Extent const lanes = lanes_.lanes, vectors = (plan_.calls() + lanes - 1) / lanes;
        std::int64_t const wanted = large_ && team.width() > 1 ? 8 * team.width() : 1;
        std::int64_t const parts = std::min<std::int64_t>(wanted, vectors);
        std::int64_t const of_rows = std::clamp<std::int64_t>(wanted / parts, 1, (plan_.m() + lanes - 1) / lanes);
        auto const piece = [&](std::int64_t number) {
            Scratch const scratch(lanes_.scratch_bytes);
            Extent const first = part_begin(vectors, parts, number / of_rows) * lanes;
            Extent const end = std::min(plan_.calls(), part_begin(vectors, parts, number / of_rows + 1) * lanes);
            Extent const row = part_begin(plan_.m(), of_rows, number % of_rows),
                         rows = part_begin(plan_.m(), of_rows, number % of_rows + 1) - row;
            LanesCall call;
            call.product = pair_call({{row, rows}, {0, plan_.n()}, {0, plan_.k()}}, scratch.data());
            call.product.a = from[A];
            call.product.b = from[B];
            call.product.c = to;
            call.product.pause = [](void* of) { static_cast<WorkerTeam*>(of)->pause(); };
            call.product.pause_of = &team;
            call.batch = {batch_.data(), static_cast<int>(batch_.size()), first, end - first};
            call.batch_in_c = {batch_in_c_.data(), static_cast<int>(batch_in_c_.size()), first, end - first};
            lanes_.run(call);
        };
        if (parts * of_rows < 2) return piece(0);
        team.run(parts * of_rows, piece);
    }

    Part part_of(Grid const& grid, std::int64_t row, std::int64_t column, std::int64_t sum) const {
        return {grid_part(plan_.m(), grid.rows, row, grains_.rows),
                grid_part(plan_.n(), grid.columns, column, grains_.columns),
                grid_part(plan_.k(), grid.sums, sum, grains_.sums)};
    }

    PairCall pair_call(Part const& part, std::byte* scratch) const {
        auto const labels = [](std::vector<PairLabel> const& all, std::pair<Extent, Extent> const& range,
                               int group = 0) {
            return PairLabels{all.data(), static_cast<int>(all.size()), range.first, range.second, group};
        };
        PairCall call;
        call.rows = labels(rows_, part.rows, plan_.row_group);
        call.columns = labels(columns_, part.columns, plan_.column_group);
        call.terms = labels(terms_, part.terms, plan_.term_group);
        call.whole_columns = plan_.whole_columns;
        call.whole_terms = plan_.whole_terms;
        call.scale = call_.alpha;
        call.conjugate_a = conjugated_[A], call.conjugate_b = conjugated_[B];
        call.accumulate = accumulate_ && !unpacking_;
        call.past_cache = past_cache_;
        call.scratch = scratch;
        return call;
    }

    void call_pair(Part const& part, void const* a, void const* b, void* c, std::byte* scratch,
                   WorkerTeam& team) const {
        PairCall call = pair_call(part, scratch);
        call.pause = [](void* of) { static_cast<WorkerTeam*>(of)->pause(); };
        call.pause_of = &team;
        call.a = a;
        call.b = b;
        call.c = c;
        pair_.run(call);
    }

    void call_blas(Part const& part, std::byte const* a, std::byte const* b, std::byte* c) const {
        auto const place = [&](std::vector<GemmPlan::Loop> const& loops, std::size_t side, Extent first) {
            return loops.empty() ? 0 : first * loops.front().steps[side] * size_;
        };
        GemmCall call = call_;
        call.m = part.rows.second;
        call.n = part.columns.second;
        call.k = part.terms.second;
        call.beta = accumulate_ && !unpacking_ ? 1 : 0;
        a += place(plan_.rows, A, part.rows.first) + place(plan_.terms, A, part.terms.first);
        b += place(plan_.terms, B, part.terms.first) + place(plan_.columns, B, part.columns.first);
        c += place(plan_.rows, C, part.rows.first) + place(plan_.columns, C, part.columns.first);
        Extent const iterations = GemmPlan::iterations(plan_.sum_loops);
        for (Extent iteration = 0; iteration < iterations; ++iteration, call.beta = 1) {
            std::array<Extent, 3> step{};
            GemmPlan::add_iteration(plan_.sum_loops, iteration, step);
            gemm(call, a + step[A] * size_, b + step[B] * size_, c);
        }
    }

    GemmPlan plan_;
    std::array<std::size_t, 2> operands_;
    std::array<bool, 2> conjugated_;
    PairProduct pair_;    // in place of BLAS
    LanesProduct lanes_;  // in place of both
    scalar::Agg agg_;
    Extent size_;
    bool accumulate_;
    Grains grains_;
    Grid grid_;  // of BLAS's calls; of pair_product's only how sums are cut
    mutable std::atomic<Chosen> chosen_{};
    GemmCall call_;
    std::vector<PairLabel> rows_, columns_, terms_, batch_, batch_in_c_;
    std::array<std::unique_ptr<LoopKernel const>, 2> packing_;
    std::unique_ptr<LoopKernel const> unpacking_;
    bool large_ = false, past_cache_ = false;
};

GemmProblem problem_of(Nest const& nest, DType type, bool pack_output, Operation const& operation) {
    bool const sums_products = !operation.join || operation.join == PairJoin::multiply;
    return {nest, operation.operands[0], operation.operands[1],
            type, pack_output,           sums_products && operation.agg == scalar::Agg::sum};
}

/// The cheapest plan. With tiles the operands may change places.
std::optional<GemmPlan> plan_of(Nest const& nest, DType type, bool pack_output, Operation& operation) {
    auto const problem = [&](Operation const& of) { return problem_of(nest, type, pack_output, of); };
    if (!operation.join) return plan_gemm(problem(operation));
    std::optional<GemmPlan> plan = plan_tiles(problem(operation), operation.pair);
    Operation const exchanged = operation.with_operands_exchanged(type);
    std::optional<GemmPlan> other = plan_tiles(problem(exchanged), exchanged.pair);
    if (!other || (plan && plan->seconds <= other->seconds)) return plan;
    operation = exchanged;
    return other;
}

/// For a nest alone, whatever it is part of.
std::optional<Choice> choose(Nest const& nest, DType type, Operation operation) {
    std::optional<GemmPlan> plan = plan_of(nest, type, false, operation);
    if (!plan) return std::nullopt;
    bool const in_tiles = operation.join.has_value();
    auto const grid_of = [&] {
        Grains const grains = in_tiles ? grains_in_tiles(*plan, operation.pair.columns) : Grains{};
        return choose_grid({*plan, grains, in_tiles ? costs_in_tiles(*plan) : PieceCosts{}},
                           usual_hands(*plan, in_tiles));
    };
    Grid grid = grid_of();
    if (plan->batch != GemmPlan::Batch::calls) grid = {};
    bool const packs_output = grid.sums > 1;
    if (packs_output) {  // pieces of a sum need outputs of their own, even where the output could be written in place
        plan = plan_of(nest, type, true, operation);
        if (!plan) return std::nullopt;
        grid = grid_of();
    }
    return Choice{operation, std::move(*plan), grid, packs_output, {}};
}

/// Whether an operand of another type would be copied for a single use of each element, as a matrix times a vector is:
/// loops read it in its own type.
bool copies_for_one_use(Choice const& choice, Nest const& nest, DType type) {
    if (is_complex(type)) return false;  // loops of complex numbers take longer than copies
    auto const is_copied = [&](std::size_t side, Extent uses) {
        return uses == 1 && choice.plan.matrices[side].packed &&
               nest.operand_dtypes[choice.operation.operands[side]] != type;
    };
    return is_copied(A, choice.plan.n()) || is_copied(B, choice.plan.m());
}

/// Whether a matrix meets a vector in another way than a product: most of a tile in registers would be empty, and loops
/// read the matrix as fast as memory brings it.
bool is_by_vector(Choice const& choice) {
    bool const multiplies = !choice.operation.join || *choice.operation.join == PairJoin::multiply;
    return !multiplies && (choice.plan.m() == 1 || choice.plan.n() == 1);
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_gemm_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types, scalar::Params const& params) {
    std::optional<Operation> operation = operation_of(shape.kernel->einsum, types, params);
    if (!operation || (nest.keeps_order() && !operation->join)) return nullptr;  // BLAS cuts sums as it likes
    std::optional<Choice> choice = choose(nest.planned(), types.compute, *operation);
    if (!choice || copies_for_one_use(*choice, nest, types.compute) || is_by_vector(*choice)) return nullptr;
    if (nest.keeps_order()) {
        GemmPlan part =
            plan_tiles_as(choice->plan, problem_of(nest, types.compute, choice->packs_output, choice->operation),
                          choice->operation.pair);
        choice->whole = std::exchange(choice->plan, std::move(part));
        choice->grid = {1, 1, choice->grid.sums};  // rows and columns are cut for the threads that there are
    }
    return std::make_unique<GemmKernel>(std::move(*choice), nest, types.compute);
}

std::unique_ptr<PreparedKernel const> make_lanes_kernel(KernelShape const& shape, Nest const& nest,
                                                        KernelTypes const& types, scalar::Params const& params) {
    std::optional<Operation> operation = operation_of(shape.kernel->einsum, types, params);
    if (!operation) return nullptr;
    std::optional<Choice> choice = choose(nest, types.compute, *operation);
    if (!choice || choice->plan.batch == GemmPlan::Batch::calls) return nullptr;
    return std::make_unique<GemmKernel>(std::move(*choice), nest, types.compute);
}

void use_one_blas_thread() { openblas_set_num_threads(1); }

}  // namespace ein::executor
