#include "executor/device/cpu/choices/choice_kernel.hpp"

#include "executor/device/cpu/choices/count_kernel.hpp"
#include "executor/device/cpu/choices/finite_guard.hpp"
#include "executor/device/cpu/choices/masked_kernel.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/moves/lookup_kernel.hpp"
#include "executor/device/cpu/moves/scatter_kernel.hpp"
#include "lib/graph/indicator.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::executor {
namespace {

double points(KernelShape const& shape) {
    double count = 1;
    for (Extent length : shape.keeps_order ? shape.kernel->einsum.extents : shape.lengths)
        count *= static_cast<double>(length);
    return count;
}

std::unique_ptr<PreparedKernel const> masked_product(KernelShape const& shape, KernelTypes const& types,
                                                     scalar::Params const& params, PrepareKernel const& product,
                                                     PrepareKernel const& plain) {
    if (types.join != types.compute || types.accumulate != types.compute) return nullptr;
    auto const masked = graph::as_masked_product(shape.kernel->einsum, types.compute);
    if (!masked) return nullptr;
    auto const quick = [=](KernelShape const& of) { return make_masked_kernel(of, *masked, params, product, plain); };
    return guard_finite(shape, types, static_cast<std::size_t>(masked->other), quick, plain);
}

/// A lookup or scatter, with the kernel's description that it reads.
class ChosenKernel final : public PreparedKernel {
public:
    ChosenKernel(KernelShape shape, graph::EinSum chosen) : kernel_(*shape.kernel) {
        kernel_.einsum = std::move(chosen);
        shape.kernel = &kernel_;
        prepared_ = make_lookup_kernel(shape);
        if (!prepared_) prepared_ = make_scatter_kernel(shape);
    }
    bool is_prepared() const { return prepared_ != nullptr; }
    void launch(KernelCall const& call, WorkerTeam& team) const override { prepared_->launch(call, team); }

private:
    schedule::Kernel kernel_;
    std::unique_ptr<PreparedKernel const> prepared_;
};

std::unique_ptr<PreparedKernel const> indicator_product(KernelShape const& shape, KernelTypes const& types,
                                                        PrepareKernel const& plain) {
    auto const indicator = graph::as_indicator_product(shape.kernel->einsum);
    if (!indicator || types.join != types.compute) return nullptr;
    scalar::TypeResult const type = scalar::type_of(indicator->chosen.join, types.compute, types.weak);
    if (!type.problem.empty() || type.type != types.join) return nullptr;
    auto const quick = [chosen = indicator->chosen](KernelShape const& of) {
        graph::EinSum einsum = chosen;  // a repair reads another layout of the same operands
        einsum.inputs = of.kernel->einsum.inputs;
        auto kernel = std::make_unique<ChosenKernel>(of, std::move(einsum));
        return kernel->is_prepared() ? std::unique_ptr<PreparedKernel const>(std::move(kernel)) : nullptr;
    };
    return guard_finite(shape, types, static_cast<std::size_t>(indicator->data), quick, plain);
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_choice_kernel(KernelShape const& shape, KernelTypes const& types,
                                                         scalar::Params const& params, PrepareKernel const& product,
                                                         PrepareKernel const& plain) {
    if (points(shape) < machine::least_masked_points) return nullptr;
    if (auto count = make_count_kernel(shape, types)) return count;
    if (auto indicator = indicator_product(shape, types, plain)) return indicator;
    return masked_product(shape, types, params, product, plain);
}

}  // namespace ein::executor
