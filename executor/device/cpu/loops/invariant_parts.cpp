#include "executor/device/cpu/loops/invariant_parts.hpp"

#include "executor/device/cpu/choices/kernel_step.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/graph/invariant_parts.hpp"
#include "lib/graph/join_step.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;

class KernelOfParts final : public PreparedKernel {
public:
    KernelOfParts(KernelShape const& shape, std::vector<Expr> const& parts, PrepareKernel const& plain) {
        schedule::Kernel const& whole = *shape.kernel;
        schedule::Kernel last{whole.node, whole.einsum, whole.compute};
        KernelShape of_last = shape;
        of_last.kernel = &last;
        for (Expr const& part : parts) {
            std::vector<int> const labels = graph::labels_that_decide(whole.einsum, part),
                                   axes = graph::axes_of_part(whole.einsum, part, labels);
            Part& made = parts_.emplace_back();
            made.step = KernelStep::of(whole, part, axes, scalar::Agg::sum);
            made.at = bytes_;
            KernelShape const of_part = made.step.shape(shape, shape.lengths, whole.compute);
            made.kernel = plain(of_part);
            bytes_ += lines(static_cast<std::size_t>(element_count(lengths_of(axes, shape.lengths))) *
                            size_of(whole.compute));
            last.einsum.inputs.push_back(axes);
            of_last.operand_strides.push_back(of_part.output_strides);
            of_last.operand_dtypes.push_back(whole.compute);
        }
        last.einsum.join = graph::reading_parts(whole.einsum.join, parts, static_cast<int>(whole.einsum.operands()));
        last_ = plain(of_last);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Scratch const scratch(bytes_);
        std::vector<void const*> operands(call.operands.begin(), call.operands.end());
        for (Part const& part : parts_) {
            std::byte* const made = scratch.data() + part.at;
            part.step.launch(*part.kernel, call.operands, call.begin, made, team);
            operands.push_back(made);
        }
        KernelCall last = call;
        last.operands = operands;
        last_->launch(last, team);
    }

private:
    struct Part {
        KernelStep step;
        std::unique_ptr<PreparedKernel const> kernel;
        std::size_t at = 0;  // in working memory
    };

    std::vector<Part> parts_;
    std::unique_ptr<PreparedKernel const> last_;
    std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_kernel_of_parts(KernelShape const& shape, KernelTypes const& types,
                                                           PrepareKernel const& plain) {
    std::vector<Expr> const parts =
        graph::invariant_parts(shape.kernel->einsum, shape.lengths, types.compute, shape.output_dtype);
    return parts.empty() ? nullptr : std::make_unique<KernelOfParts>(shape, parts, plain);
}

}  // namespace ein::executor
