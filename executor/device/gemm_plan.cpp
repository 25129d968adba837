#include "executor/device/gemm_plan.hpp"

#include <algorithm>
#include <cmath>

namespace ein::executor {
namespace {

using Sides = std::array<bool, 3>;
constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;

/// Labels of the nest that run as one, outermost first; strides in elements, of sides in place.
struct Run {
    std::vector<std::size_t> labels;
    Extent length = 1;
    std::array<Extent, 3> strides{};
};

enum class Role { batch, left, right, contracted, alone, broadcast };

/// Sides that have a role's labels.
constexpr Sides sides_of(Role role) {
    switch (role) {
        case Role::batch: return {true, true, true};
        case Role::left: return {true, false, true};
        case Role::right: return {false, true, true};
        case Role::contracted: return {true, true, false};
        default: return {false, false, false};
    }
}

// Rough speeds of one thread: they only rank the ways to do the same work.
double flops_per_second(DType type) { return type == DType::f32 || type == DType::c64 ? 1.2e11 : 6e10; }
constexpr double bytes_per_second = 8e9;
constexpr double seconds_of_a_call = 1.5e-7;
constexpr double loop_elements_per_second = 1.5e9;

double whole_tiles(double length, double tile) { return std::ceil(length / tile) * tile; }

class GemmPlanner {
public:
    explicit GemmPlanner(GemmProblem const& problem)
        : problem_(problem), size_(static_cast<Extent>(size_of(problem.type))) {}

    std::optional<GemmPlan> plan() {
        if (!classify()) return std::nullopt;
        for (unsigned mask = 0; mask < 8; ++mask) {
            Sides const packed{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
            bool const allowed = packed[A] >= must_pack_[A] && packed[B] >= must_pack_[B] && packed[C] >= must_pack_[C];
            if (allowed) try_packing(packed);
        }
        if (!best_ || best_->seconds > static_cast<double>(problem_.nest.elements()) / loop_elements_per_second)
            return std::nullopt;
        return best_;
    }

private:
    std::vector<NestLabel> const& labels() const { return problem_.nest.labels; }

    Extent stride(std::size_t label, std::size_t side) const {
        NestLabel const& at = labels()[label];
        return side == C ? at.output_stride : at.strides[side == A ? problem_.left : problem_.right];
    }

    bool classify() {
        Nest const& nest = problem_.nest;
        must_pack_ = {nest.operand_dtypes[problem_.left] != problem_.type,
                      nest.operand_dtypes[problem_.right] != problem_.type,
                      nest.output_dtype != problem_.type || problem_.pack_output};
        bool contracted = false, crossed = false;
        for (std::size_t l = 0; l < labels().size(); ++l) {
            bool const in_a = stride(l, A) != 0, in_b = stride(l, B) != 0, in_c = !labels()[l].aggregated;
            if (!in_a && !in_b && !in_c) return false;  // repeats the whole sum
            bool const only_one = in_a != in_b && !in_c;
            if (only_one && problem_.pair_rate > 0) return false;
            Role const role = in_a && in_b ? (in_c ? Role::batch : Role::contracted)
                              : in_c       ? (in_a   ? Role::left
                                              : in_b ? Role::right
                                                     : Role::broadcast)
                                           : Role::alone;
            roles_.push_back(role);
            contracted = contracted || role == Role::contracted;
            crossed = crossed || role == Role::left || role == Role::right;
            if (role == Role::alone) must_pack_[in_a ? A : B] = true;
            if (role == Role::broadcast) must_pack_[C] = true;
        }
        return contracted && crossed;  // else a product of elements: loops stream it
    }

    /// The labels of a role in the fewest runs that the sides in place allow.
    std::vector<Run> runs_of(Role role, Sides const& packed) const {
        std::vector<Run> runs;
        Sides const sides = sides_of(role);
        for (std::size_t l = 0; l < labels().size(); ++l) {
            if (roles_[l] != role) continue;
            Run run{{l}, labels()[l].length, {}};
            for (std::size_t side : {A, B, C})
                if (sides[side] && !packed[side]) run.strides[side] = stride(l, side) / size_;
            runs.push_back(run);
        }
        while (join_one_pair(runs)) {
        }
        return runs;
    }

    static bool join_one_pair(std::vector<Run>& runs) {
        for (std::size_t outer = 0; outer < runs.size(); ++outer)
            for (std::size_t inner = 0; inner < runs.size(); ++inner) {
                bool adjacent = outer != inner;
                for (std::size_t side : {A, B, C})
                    adjacent = adjacent && runs[outer].strides[side] == runs[inner].strides[side] * runs[inner].length;
                if (!adjacent) continue;
                runs[inner].labels.insert(runs[inner].labels.begin(), runs[outer].labels.begin(),
                                          runs[outer].labels.end());
                runs[inner].length *= runs[outer].length;
                runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(outer));
                return true;
            }
        return false;
    }

    void try_packing(Sides const& packed) {
        std::vector<Run> const batch = runs_of(Role::batch, packed), left = runs_of(Role::left, packed),
                               right = runs_of(Role::right, packed), contracted = runs_of(Role::contracted, packed);
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
        Run const row = choice.row(), column = choice.column(), inner = choice.contracted[choice.k];
        GemmPlan plan;
        plan.m = row.length;
        plan.n = column.length;
        plan.k = inner.length;
        plan.matrices[A].strides = {row.strides[A], inner.strides[A]};
        plan.matrices[B].strides = {inner.strides[B], column.strides[B]};
        plan.matrices[C].strides = {row.strides[C], column.strides[C]};
        std::array<Extent, 3> const rows{plan.m, plan.k, plan.m}, columns{plan.k, plan.n, plan.n};
        for (std::size_t side : {A, B, C}) {
            plan.matrices[side].packed = choice.packed[side];
            bool const fits = choice.packed[side] || blas_form(rows[side], columns[side], plan.matrices[side].strides);
            if (!fits) return;
        }
        std::vector<Run> free = choice.batch, sums;
        for (std::size_t l = 0; l < choice.left.size(); ++l)
            if (l != choice.m) free.push_back(choice.left[l]);
        for (std::size_t r = 0; r < choice.right.size(); ++r)
            if (r != choice.n) free.push_back(choice.right[r]);
        for (std::size_t s = 0; s < choice.contracted.size(); ++s)
            if (s != choice.k) sums.push_back(choice.contracted[s]);
        plan.seconds = seconds(plan, free, sums);
        if (best_ && best_->seconds <= plan.seconds) return;
        lay_out_packed(plan, free, sums, row, column, inner);
        for (Run const& run : free) plan.free_loops.push_back({run.length, run.strides});
        for (Run const& run : sums) plan.sum_loops.push_back({run.length, run.strides});
        best_ = std::move(plan);
    }

    /// Predicted time: calls limited by arithmetic or by reading their matrices, and packing by memory.
    double seconds(GemmPlan const& plan, std::vector<Run> const& free, std::vector<Run> const& sums) const {
        double calls = 1;
        for (Run const& run : free) calls *= static_cast<double>(run.length);
        for (Run const& run : sums) calls *= static_cast<double>(run.length);
        double const m = static_cast<double>(plan.m), n = static_cast<double>(plan.n), k = static_cast<double>(plan.k);
        double const flops = 2 * m * n * k * (is_complex(problem_.type) ? 4 : 1);
        double const bytes = (m * k + k * n + 2 * m * n) * static_cast<double>(size_);
        double const arithmetic =
            problem_.pair_rate > 0
                ? 2 * whole_tiles(m, 8) * whole_tiles(n, 256.0 / static_cast<double>(size_)) * k / problem_.pair_rate
                : flops / flops_per_second(problem_.type);
        double total = calls * (arithmetic + bytes / bytes_per_second + seconds_of_a_call);
        for (std::size_t side : {A, B, C})
            if (plan.matrices[side].packed) total += 2 * packed_bytes(side) / bytes_per_second + 5e-7;
        return total;
    }

    double packed_bytes(std::size_t side) const {
        double bytes = static_cast<double>(size_);
        for (std::size_t l = 0; l < labels().size(); ++l)
            if (side == C ? !labels()[l].aggregated : stride(l, side) != 0)
                bytes *= static_cast<double>(labels()[l].length);
        return bytes;
    }

    /// Gives packed sides their strides: matrices inside, loops outside. A packed operand keeps its adjacent label
    /// inside.
    void lay_out_packed(GemmPlan& plan, std::vector<Run>& free, std::vector<Run>& sums, Run row, Run column,
                        Run inner) const {
        std::array<std::array<Run*, 2>, 3> const matrix{{{&row, &inner}, {&inner, &column}, {&row, &column}}};
        for (std::size_t side : {A, B, C}) {
            GemmPlan::Matrix& packed = plan.matrices[side];
            if (!packed.packed) continue;
            packed.packed_strides.assign(labels().size(), 0);
            auto const place = [&](Run& run) {
                run.strides[side] = packed.elements;
                for (std::size_t l = run.labels.size(); l-- > 0;) {
                    packed.packed_strides[run.labels[l]] = packed.elements;
                    packed.elements *= labels()[run.labels[l]].length;
                }
            };
            auto [outside, inside] = std::pair(matrix[side][0], matrix[side][1]);
            if (adjacent_in_memory(*outside, side)) std::swap(outside, inside);
            place(*inside);
            place(*outside);
            for (std::vector<Run>* loops : {&sums, &free})
                for (Run& run : *loops)
                    if (sides_of(roles_[run.labels.front()])[side]) place(run);
            packed.strides = {matrix[side][0]->strides[side], matrix[side][1]->strides[side]};
        }
    }

    bool adjacent_in_memory(Run const& run, std::size_t side) const {
        Nest const& nest = problem_.nest;
        DType const type =
            side == C ? nest.output_dtype : nest.operand_dtypes[side == A ? problem_.left : problem_.right];
        return std::any_of(run.labels.begin(), run.labels.end(), [&](std::size_t label) {
            return stride(label, side) == static_cast<Extent>(size_of(type));
        });
    }

    GemmProblem const& problem_;
    Extent size_;
    std::vector<Role> roles_;
    Sides must_pack_{};
    std::optional<GemmPlan> best_;
};

}  // namespace

Extent GemmPlan::calls() const {
    Extent count = 1;
    for (Loop const& loop : free_loops) count *= loop.length;
    return count;
}

std::optional<GemmPlan> plan_gemm(GemmProblem const& problem) { return GemmPlanner(problem).plan(); }

}  // namespace ein::executor
