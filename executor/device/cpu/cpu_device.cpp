#include "executor/device/cpu/cpu_device.hpp"

#include <algorithm>

#include "executor/device/cpu/choices/choice_kernel.hpp"
#include "executor/device/cpu/gemm/gate_kernel.hpp"
#include "executor/device/cpu/gemm/gemm_kernel.hpp"
#include "executor/device/cpu/gemm/vector_product.hpp"
#include "executor/device/cpu/loops/invariant_parts.hpp"
#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/loops/reordered_kernel.hpp"
#include "executor/device/cpu/loops/scan_kernel.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/gather_kernel.hpp"
#include "executor/device/cpu/moves/lookup_kernel.hpp"
#include "executor/device/cpu/moves/mark_kernel.hpp"
#include "executor/device/cpu/moves/scatter_kernel.hpp"
#include "executor/device/cpu/moves/transpose_kernel.hpp"
#include "executor/device/cpu/moves/update_kernel.hpp"
#include "executor/device/cpu/narrow/boxed_kernel.hpp"
#include "executor/device/cpu/narrow/narrow_kernel.hpp"
#include "executor/device/cpu/narrow/narrow_small_kernel.hpp"
#include "executor/device/cpu/sparse/sparse_kernel.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/element.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/graph/best_search.hpp"

namespace ein::executor {
namespace {

class NothingKernel final : public PreparedKernel {
public:
    void launch(KernelCall const&, WorkerTeam&) const override {}
};

/// The aggregate of no elements, for every output.
class IdentityKernel final : public PreparedKernel {
public:
    IdentityKernel(Nest nest, KernelTypes const& types, scalar::Agg agg) {
        nest.whole.clear();
        std::erase_if(nest.labels, [](NestLabel const& label) { return label.aggregated; });
        for (NestLabel& label : nest.labels) {
            label.strides = {0};
            label.index = -1;
        }
        nest.operand_dtypes = {types.accumulate};
        simplify(nest);
        store_element(scalar::identity(agg, types.accumulate), identity_, types.accumulate);
        loops_ = LoopKernel::make(std::move(nest), LoopBody::identity(types.accumulate));
    }
    void launch(KernelCall const& call, WorkerTeam& team) const override {
        void const* const operand = identity_;
        loops_->launch(std::span(&operand, 1), call.output, {}, team);
    }

private:
    alignas(16) std::byte identity_[16] = {};
    std::unique_ptr<LoopKernel const> loops_;
};

class LoopsOnly final : public PreparedKernel {
public:
    explicit LoopsOnly(std::unique_ptr<LoopKernel const> loops) : loops_(std::move(loops)) {}
    void launch(KernelCall const& call, WorkerTeam& team) const override {
        loops_->launch(call.operands, call.output, call.begin, team, call.next);
    }

private:
    std::unique_ptr<LoopKernel const> loops_;
};

/// Products of two operands that have a kernel of their own; nothing for other kernels.
std::unique_ptr<PreparedKernel const> prepare_product(KernelShape const& shape, Nest const& nest,
                                                      KernelTypes const& types, scalar::Params const& params) {
    auto const of_words = [&](Nest const& box) -> std::unique_ptr<PreparedKernel const> {
        KernelTypes words = types;
        if (types.compute != DType::f32) words.compute = words.join = words.accumulate = DType::i32;
        if (auto vector = make_vector_kernel(shape, box, words, params)) return vector;
        if (auto gate = make_gate_kernel(shape, box, words, params)) return gate;
        return make_gemm_kernel(shape, box, words, params);
    };
    if (auto vector = make_vector_kernel(shape, nest, types, params)) return vector;
    if (auto gate = make_gate_kernel(shape, nest, types, params)) return gate;
    if (auto small = make_narrow_small(shape, nest, types, params)) return small;
    if (auto boxed = make_boxed_kernel(shape, nest, types, params, of_words)) return boxed;
    if (auto narrow = make_narrow_kernel(shape, nest, types, params)) return narrow;
    return make_gemm_kernel(shape, nest, types, params);
}

std::unique_ptr<PreparedKernel const> prepare_product(KernelShape const& shape, scalar::Params const& params) {
    Nest nest = make_nest(shape);
    simplify(nest);
    return prepare_product(shape, nest, types_of(shape), params);
}

}  // namespace

CpuDevice::CpuDevice() { use_one_blas_thread(); }

std::unique_ptr<PreparedKernel const> CpuDevice::prepare(KernelShape const& shape, scalar::Params const& params) {
    check(shape);
    if (shape.sparse) return make_sparse_kernel(shape, params);
    auto update =
        make_update_kernel(shape, params, [&](KernelShape const& part) { return prepare_dense(part, params); });
    return update ? std::move(update) : prepare_dense(shape, params);
}

std::unique_ptr<PreparedKernel const> CpuDevice::prepare_best_search(KernelShape const& shape, scalar::Agg agg,
                                                                     scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::optional<graph::BestSearch> const search = graph::as_best_search(einsum);
    if (!search || shape.sparse || shape.accumulate || shape.over >= 0) return nullptr;
    std::optional<LoopBody> body =
        LoopBody::finding_best(einsum, *search, agg, types_of(shape), shape.operand_dtypes, params);
    if (!body) return nullptr;
    schedule::Kernel kernel = *shape.kernel;
    kernel.einsum.join = scalar::Expr::call(  // mentions what is read: the best value moves nowhere
        scalar::Op::where, {search->value, scalar::Expr::index(search->label), scalar::Expr::index(search->label)});
    KernelShape of_values = shape;
    of_values.kernel = &kernel;
    Nest nest = make_nest(of_values);
    if (writes_nothing(nest) || reads_nothing(nest)) return nullptr;
    simplify(nest);
    if (!nest.aggregates()) return nullptr;
    auto loops = LoopKernel::make(std::move(nest), std::move(*body));
    return loops == nullptr ? nullptr : std::make_unique<LoopsOnly>(std::move(loops));
}

std::unique_ptr<PreparedKernel const> CpuDevice::prepare_dense(KernelShape const& shape, scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    KernelTypes const types = types_of(shape);
    Nest nest = make_nest(shape);
    if (writes_nothing(nest)) return std::make_unique<NothingKernel>();
    if (reads_nothing(nest)) {
        if (shape.accumulate) return std::make_unique<NothingKernel>();
        return std::make_unique<IdentityKernel>(std::move(nest), types, einsum.agg);
    }
    if (auto gather = make_gather_kernel(shape)) return gather;
    if (auto lookup = make_lookup_kernel(shape)) return lookup;
    if (auto scatter = make_scatter_kernel(shape)) return scatter;
    if (auto marks = make_mark_kernel(shape, types)) return marks;
    simplify(nest);
    if (shape.over < 0) {  // loops alone read each element before they write it
        if (auto product = prepare_product(shape, nest, types, params)) return product;
        auto const later = [params](KernelShape const& part) { return prepare_dense(part, params); };
        auto const product = [params](KernelShape const& part) { return prepare_product(part, params); };
        if (auto choice = make_choice_kernel(shape, types, params, product, later)) return choice;
        if (auto scan = make_scan_kernel(shape, nest, types)) return scan;
    }
    auto const plain = [&](KernelShape const& part) { return prepare_dense(part, params); };
    if (auto parts = make_kernel_of_parts(shape, types, plain)) return parts;
    std::optional<LoopBody> special;  // over one index there is nothing to look for or to count
    if (nest.aggregates()) special = LoopBody::finding(einsum, types, params);
    if (nest.aggregates() && !special) special = LoopBody::narrow(einsum, types, shape.operand_dtypes, params);
    bool const keyed = shape.output_dtype != DType::f32 ||  // between whose values may lie what accumulates
                       (!shape.accumulate && nest.elements() / nest.output_elements() >= machine::least_keyed_row);
    if (nest.aggregates() && !special && keyed)
        special = LoopBody::by_key(einsum, shape.operand_dtypes, shape.output_dtype);
    LoopBody body = special            ? std::move(*special)
                    : shape.accumulate ? LoopBody::of(einsum, types, params)
                                       : LoopBody::stored(einsum, types, params, shape.output_dtype);
    bool const asks = body.accumulate == DType::boolean && body.join != DType::boolean;  // any of one element is 1 or 0
    if (auto reordered = make_reordered_kernel(nest, body)) return reordered;
    if (body.program == nullptr && !asks)
        if (auto transpose = make_transpose_kernel(nest)) return transpose;
    if (auto loops = LoopKernel::make(nest, std::move(body))) return std::make_unique<LoopsOnly>(std::move(loops));
    return ReferenceDevice().prepare(shape, params);
}

}  // namespace ein::executor
