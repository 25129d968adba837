#include "executor/device/kernel/gemm_plan.hpp"

#include <algorithm>

namespace ein::executor {
namespace {

constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;

class GemmPlanner {
public:
    GemmPlanner(GemmProblem const& problem, GemmCosts const& costs)
        : problem_(problem), costs_(costs), labels_(problem) {}

    std::optional<GemmPlan> plan() {
        if (!labels_.is_product()) return std::nullopt;
        Sides const& must = labels_.must_pack();
        for (unsigned mask = 0; mask < 8; ++mask) {
            Sides const packed{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
            if (packed[A] >= must[A] && packed[B] >= must[B] && packed[C] >= must[C]) try_packing(packed);
        }
        if (!best_ || best_->seconds > seconds_in_vector_tiles(problem_.nest, costs_)) return std::nullopt;
        return best_;
    }

private:
    void try_packing(Sides const& packed) {
        std::vector<Run> const batch = labels_.runs_of(Role::batch, packed), left = labels_.runs_of(Role::left, packed),
                               right = labels_.runs_of(Role::right, packed),
                               contracted = labels_.runs_of(Role::contracted, packed);
        for (std::size_t m = 0; m < std::max<std::size_t>(1, left.size()); ++m)
            for (std::size_t n = 0; n < std::max<std::size_t>(1, right.size()); ++n)
                for (std::size_t k = 0; k < contracted.size(); ++k)
                    consider({packed, batch, left, right, contracted, m, n, k});
    }

    struct Choice {
        Sides packed;
        std::vector<Run> const &batch, &left, &right, &contracted;
        std::size_t m, n, k;
        Run row() const { return left.empty() ? Run{} : left[m]; }
        Run column() const { return right.empty() ? Run{} : right[n]; }
    };

    void consider(Choice const& choice) {
        Run row = choice.row(), column = choice.column(), inner = choice.contracted[choice.k];
        auto const fits = [&](std::size_t side, Run const& down, Run const& across) {
            return choice.packed[side] ||
                   blas_form(down.length, across.length, {down.strides[side], across.strides[side]});
        };
        if (!fits(A, row, inner) || !fits(B, inner, column) || !fits(C, row, column)) return;
        GemmPlan plan;
        for (std::size_t side : {A, B, C}) plan.matrices[side].packed = choice.packed[side];
        std::vector<Run> free = choice.batch, sums;
        for (std::size_t l = 0; l < choice.left.size(); ++l)
            if (l != choice.m) free.push_back(choice.left[l]);
        for (std::size_t r = 0; r < choice.right.size(); ++r)
            if (r != choice.n) free.push_back(choice.right[r]);
        for (std::size_t s = 0; s < choice.contracted.size(); ++s)
            if (s != choice.k) sums.push_back(choice.contracted[s]);
        plan.seconds = seconds(choice.packed, {row.length, column.length, inner.length}, free, sums);
        if (best_ && best_->seconds <= plan.seconds) return;
        lay_out_packed(plan, free, sums, row, column, inner);
        plan.rows = GemmPlan::loops_of({row});
        plan.columns = GemmPlan::loops_of({column});
        plan.terms = GemmPlan::loops_of({inner});
        plan.free_loops = GemmPlan::loops_of(free);
        plan.sum_loops = GemmPlan::loops_of(sums);
        best_ = std::move(plan);
    }

    /// Predicted time: calls limited by arithmetic or by reading their matrices, and packing by memory.
    double seconds(Sides const& packed, std::array<Extent, 3> const& lengths, std::vector<Run> const& free,
                   std::vector<Run> const& sums) const {
        double calls = 1, longest = 1;
        for (Run const& run : free) {
            calls *= static_cast<double>(run.length);
            longest = std::max(longest, static_cast<double>(run.length));
        }
        for (Run const& run : sums) calls *= static_cast<double>(run.length);
        double const m = static_cast<double>(lengths[0]), n = static_cast<double>(lengths[1]);
        double const k = static_cast<double>(lengths[2]);
        double const flops = 2 * m * n * k * (is_complex(problem_.type) ? 4 : 1);
        double const bytes = m * k * size(A) + k * n * size(B) + 2 * m * n * size(C);
        double const vectors = calls > 1 && std::min(m, n) == 1 ? costs_.batched_vectors : 1;
        bool const single = problem_.type == DType::f32 || problem_.type == DType::c64;
        double total = calls * (flops / (single ? costs_.single_flops : costs_.double_flops) +
                                bytes * vectors / costs_.bytes_per_second + costs_.seconds_of_a_call);
        if (costs_.batched)
            total += calls * costs_.seconds_of_a_product - (calls - calls / longest) * costs_.seconds_of_a_call;
        for (std::size_t side : {A, B, C})
            if (packed[side])
                total += 2 * labels_.packed_bytes(side) / costs_.bytes_per_second + costs_.seconds_of_a_packing;
        return total;
    }

    double size(std::size_t side) const { return static_cast<double>(size_of(problem_.stored[side])); }

    /// Gives packed sides their strides: matrices inside, loops outside. A packed operand keeps its adjacent label
    /// inside.
    void lay_out_packed(GemmPlan& plan, std::vector<Run>& free, std::vector<Run>& sums, Run& row, Run& column,
                        Run& inner) const {
        std::array<std::array<Run*, 2>, 3> const matrix{{{&row, &inner}, {&inner, &column}, {&row, &column}}};
        for (std::size_t side : {A, B, C}) {
            GemmPlan::Matrix& packed = plan.matrices[side];
            if (!packed.packed) continue;
            auto [outside, inside] = std::pair(matrix[side][0], matrix[side][1]);
            if (labels_.adjacent_in_memory(*outside, side)) std::swap(outside, inside);
            std::vector<Run*> runs{inside, outside};
            for (std::vector<Run>* loops : {&sums, &free})
                for (Run& run : *loops)
                    if (labels_.has(labels_.role_of(run), side)) runs.push_back(&run);
            packed.elements = labels_.lay_out(side, runs, packed.packed_strides);
        }
    }

    GemmProblem const& problem_;
    GemmCosts const& costs_;
    ProductLabels const labels_;
    std::optional<GemmPlan> best_;
};

}  // namespace

Extent GemmPlan::iterations(std::vector<Loop> const& loops) {
    Extent count = 1;
    for (Loop const& loop : loops) count *= loop.length;
    for (Loop const& loop : loops)
        if (loop.tile >= 0) {
            Extent const tile = loops[static_cast<std::size_t>(loop.tile)].length;
            count = count / (loop.length * tile) * ((loop.length - 1) * tile + loop.last);
        }
    return count;
}

std::vector<GemmPlan::Loop> GemmPlan::loops_of(std::vector<Run> const& runs) {
    std::vector<Loop> loops;
    for (Run const& run : runs) loops.push_back({run.length, run.strides});
    return loops;
}

std::vector<PairLabel> GemmPlan::labels_of(std::vector<Loop> const& loops, std::array<Side, 2> sides) {
    std::vector<PairLabel> labels;
    for (Loop const& loop : loops)
        labels.push_back({loop.length, {loop.steps[sides[0]], loop.steps[sides[1]]}, loop.tile, loop.last});
    return labels;
}

void GemmPlan::add_iteration(std::vector<Loop> const& loops, Extent iteration, std::array<Extent, 3>& at) {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        for (std::size_t side : {A, B, C}) at[side] += iteration % loop->length * loop->steps[side];
        iteration /= loop->length;
    }
}

double seconds_in_vector_tiles(Nest const& nest, GemmCosts const& costs) {
    return costs.seconds_of_loops + static_cast<double>(nest.elements()) / costs.loop_elements_per_second;
}

std::optional<GemmPlan> plan_gemm(GemmProblem const& problem, GemmCosts const& costs) {
    return GemmPlanner(problem, costs).plan();
}

}  // namespace ein::executor
