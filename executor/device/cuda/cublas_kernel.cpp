#include "executor/device/cuda/cublas_kernel.hpp"

#include <algorithm>
#include <utility>

#include "executor/device/cuda/cublas_call.hpp"
#include "executor/device/cuda/generated_kernel.hpp"
#include "executor/device/cuda/product_costs.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "executor/device/kernel/gemm_plan.hpp"

namespace ein::executor::cuda {
namespace {

constexpr std::size_t A = GemmPlan::a, B = GemmPlan::b, C = GemmPlan::c;
constexpr std::int64_t alignment = 256;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A product and the way to do it.
struct Way {
    ProductTypes types;
    GemmPlan plan;

    std::int64_t bytes(std::size_t side) const {
        if (!plan.matrices[side].packed) return 0;
        return aligned(plan.matrices[side].elements * static_cast<Extent>(size_of(types.stored[side])));
    }
    std::int64_t scratch() const { return bytes(A) + bytes(B) + bytes(C); }
};

class CublasKernel final : public PreparedKernel {
public:
    CublasKernel(Launcher& launcher, BlasHandle& handle, Nest const& nest, ScaledProduct const& product, Way way)
        : launcher_(launcher), handle_(handle), operands_{product.left, product.right}, way_(std::move(way)) {
        set_call(product.factor, nest.accumulate);
        for (std::size_t side : {A, B, C}) {
            if (!packed(side)) continue;
            packing_[side] = prepare_packing(nest, side);
            packing_scratch_ = std::max(packing_scratch_, packing_[side].program.scratch_bytes);
        }
        launcher_.expect_scratch(way_.scratch() + packing_scratch_);
    }

    void launch(KernelCall const& call, WorkerTeam&) const override {
        launcher_.context().enter();
        std::byte* place = launcher_.scratch(way_.scratch() + packing_scratch_);
        std::byte* const beyond = place + way_.scratch();
        std::array<std::byte*, 3> at{};
        for (std::size_t side : {A, B, C}) {
            void const* const block = side == C ? call.output : call.operands[operands_[side]];
            at[side] = packed(side) ? std::exchange(place, place + way_.bytes(side))
                                    : static_cast<std::byte*>(const_cast<void*>(block));
            if (packed(side) && side != C) launcher_.run(packing_[side], {std::span(&block, 1), at[side], beyond});
        }
        for (Extent iteration = 0; iteration < GemmPlan::iterations(loops_); ++iteration) add_up(iteration, at);
        void const* const results = at[C];
        if (packed(C)) launcher_.run(packing_[C], {std::span(&results, 1), call.output, beyond});
        launcher_.stream().asked();
    }

private:
    bool packed(std::size_t side) const { return way_.plan.matrices[side].packed; }

    static MatrixStrides strides(std::vector<GemmPlan::Loop> const& down, std::vector<GemmPlan::Loop> const& across,
                                 std::size_t side) {
        return {down.front().steps[side], across.front().steps[side]};
    }

    /// The longest free loop becomes the batch.
    void set_call(double factor, bool accumulate) {
        GemmPlan const& plan = way_.plan;
        call_.types = way_.types;
        call_.m = plan.m();
        call_.n = plan.n();
        call_.k = plan.k();
        call_.alpha = factor;
        call_.beta = accumulate && !packed(C) ? 1 : 0;
        call_.forms = {*blas_form(call_.m, call_.k, strides(plan.rows, plan.terms, A)),
                       *blas_form(call_.k, call_.n, strides(plan.terms, plan.columns, B)),
                       *blas_form(call_.m, call_.n, strides(plan.rows, plan.columns, C))};
        loops_ = plan.free_loops;
        auto const longest = std::max_element(
            loops_.begin(), loops_.end(), [](auto const& one, auto const& other) { return one.length < other.length; });
        if (longest == loops_.end()) return;
        call_.batch = longest->length;
        call_.batch_steps = longest->steps;
        loops_.erase(longest);
    }

    /// One output, or batch of outputs: every iteration of the sum's loops adds to it.
    void add_up(Extent iteration, std::array<std::byte*, 3> const& at) const {
        BatchedProduct call = call_;
        std::vector<GemmPlan::Loop> const& sums = way_.plan.sum_loops;
        for (Extent sum = 0; sum < GemmPlan::iterations(sums); ++sum, call.beta = 1) {
            std::array<Extent, 3> steps{};
            GemmPlan::add_iteration(loops_, iteration, steps);
            GemmPlan::add_iteration(sums, sum, steps);
            auto const place = [&](std::size_t side) {
                return at[side] + steps[side] * static_cast<Extent>(size_of(way_.types.stored[side]));
            };
            multiply(handle_, call, place(A), place(B), place(C));
            launcher_.count_launches(1);
        }
    }

    /// Brings an operand to the calls' type and layout, summing over labels that it alone has; or an output from there.
    PreparedProgram prepare_packing(Nest const& nest, std::size_t side) const {
        GemmPlan::Matrix const& matrix = way_.plan.matrices[side];
        DType const stored = way_.types.stored[side];
        DType const of_block = side == C ? nest.output_dtype : nest.operand_dtypes[operands_[side]];
        StridedCopy copy{{}, {}, {}, of_block, stored, way_.types.compute, false};
        for (std::size_t l = 0; l < nest.labels.size(); ++l) {
            NestLabel const& label = nest.labels[l];
            Extent const bytes = side == C ? label.output_stride : label.strides[operands_[side]];
            if (bytes == 0) continue;
            copy.lengths.push_back(label.length);
            copy.from.push_back(bytes / static_cast<Extent>(size_of(of_block)));
            copy.to.push_back(matrix.packed_strides[l]);
        }
        if (side == C) {
            std::swap(copy.from, copy.to);
            std::swap(copy.from_dtype, copy.to_dtype);
            copy.accumulate = nest.accumulate;
        }
        return strided_copy(launcher_, copy);
    }

    Launcher& launcher_;
    BlasHandle& handle_;
    std::array<std::size_t, 2> operands_;
    Way way_;
    BatchedProduct call_;
    std::vector<GemmPlan::Loop> loops_;  // around the calls
    std::array<PreparedProgram, 3> packing_;
    std::int64_t packing_scratch_ = 0;  // beyond what is packed
};

/// Halves stay halves where cuBLAS takes both operands and the sum as they are; integers and mixed types become the
/// type of the arithmetic.
ProductTypes types_of_calls(Nest const& nest, ScaledProduct const& product, DType compute) {
    DType const a = nest.operand_dtypes[product.left], b = nest.operand_dtypes[product.right];
    ProductTypes types{{a, b, nest.output_dtype}, compute};
    if (in_cublas(types)) return types;
    types.stored[C] = compute;
    if (!in_cublas(types)) types.stored = {compute, compute, compute};
    return types;
}

/// Whether packing this operand sums over labels that it alone has.
bool sums_alone(Nest const& nest, std::size_t operand, GemmPlan::Matrix const& matrix) {
    for (std::size_t l = 0; matrix.packed && l < nest.labels.size(); ++l)
        if (nest.labels[l].strides[operand] != 0 && matrix.packed_strides[l] == 0) return true;
    return false;
}

/// Halves only where nothing that is added up is rounded to them in between.
std::optional<Way> way_of(Nest const& nest, ScaledProduct const& product, DType compute, CudaOptions const& options) {
    ProductTypes types = types_of_calls(nest, product, compute);
    if (!in_cublas(types)) return std::nullopt;
    double const from_text = seconds_from_text(nest, product.left, product.right, compute);
    while (true) {
        GemmProblem const problem{nest, product.left, product.right, compute, false, true, types.stored};
        std::optional<GemmPlan> plan = plan_gemm(problem, product_costs(types.stored[A], from_text, options.products));
        if (!plan) return std::nullopt;
        std::array<DType, 3> stored = types.stored;
        if (sums_alone(nest, product.left, plan->matrices[A]) || sums_alone(nest, product.right, plan->matrices[B]))
            stored = {compute, compute, compute};
        if (plan->matrices[C].packed || !plan->sum_loops.empty()) stored[C] = compute;
        if (std::exchange(types.stored, stored) == stored) return Way{types, std::move(*plan)};
    }
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_cublas_kernel(Launcher& launcher, BlasHandle& handle,
                                                         KernelShape const& shape, scalar::Params const& params,
                                                         CudaOptions const& options) {
    KernelTypes const types = types_of(shape);
    if (types.join != types.compute || types.accumulate != types.compute) return nullptr;
    if (shape.kernel->einsum.agg != scalar::Agg::sum || is_integer(types.compute)) return nullptr;
    if (options.products == Products::by_generated_kernels) return nullptr;
    Nest nest = make_nest(shape);
    if (writes_nothing(nest) || reads_nothing(nest)) return nullptr;
    simplify(nest);
    std::optional<ScaledProduct> const product = scaled_product(shape.kernel->einsum.join, types, params);
    if (!product) return nullptr;
    std::optional<Way> way = way_of(nest, *product, types.compute, options);
    if (!way || way->scratch() > launcher.most_scratch()) return nullptr;
    way->types.tf32 = options.tf32 && types.compute == DType::f32;
    handle.make();
    return std::make_unique<CublasKernel>(launcher, handle, nest, *product, std::move(*way));
}

}  // namespace ein::executor::cuda
