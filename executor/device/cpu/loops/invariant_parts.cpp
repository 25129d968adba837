#include "executor/device/cpu/loops/invariant_parts.hpp"

#include <algorithm>
#include <set>

#include "executor/device/cpu/choices/kernel_step.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/graph/join_step.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/scalar/program/work.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;

constexpr std::size_t most_searched_nodes = 100;  // of a join that is searched
constexpr std::size_t most_invariant_parts = 4;

bool is_searched(KernelShape const& shape, KernelTypes const& types) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    bool const real = types.compute == DType::f32 || types.compute == DType::f64;
    return real && einsum.aggregated().empty() && scalar::arguments_first(einsum.join).size() <= most_searched_nodes;
}

/// A part that ends in a sum or a product may be fused with what follows, and round otherwise.
bool rounds_by_itself(Expr const& part) {
    return !part.args().empty() && (scalar::info(part.op()).costly || scalar::info(part.op()).work > 1);
}

bool is_worth_it(KernelShape const& shape, KernelTypes const& types, Expr const& part) {
    if (!rounds_by_itself(part) || scalar::operands_of(part).empty() || !scalar::labels_of(part).empty()) return false;
    if (scalar::work_of(part, DType::f32) < machine::least_work_of_a_part) return false;
    scalar::TypeResult const type = scalar::type_of(part, types.compute, types.weak);
    if (!type.problem.empty() || type.type != types.compute) return false;
    Extent const all = element_count(shape.lengths),
                 once = element_count(lengths_of(graph::labels_that_decide(shape.kernel->einsum, part), shape.lengths));
    Extent const bytes = once * static_cast<Extent>(size_of(type.type)),
                 of_output = all * static_cast<Extent>(size_of(shape.output_dtype));
    return once * machine::least_repeats_of_a_part <= all && all - once >= machine::points_worth_a_part &&
           bytes <= std::max(machine::bytes_of_a_part, of_output / 16);
}

/// The largest ones, each once.
std::vector<Expr> parts_of(KernelShape const& shape, KernelTypes const& types) {
    std::vector<Expr> parts;
    std::set<scalar::Node const*> reached{&shape.kernel->einsum.join.node()};
    std::vector<Expr const*> const nodes = scalar::arguments_first(shape.kernel->einsum.join);
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
        Expr const& node = **at;
        if (!reached.contains(&node.node())) continue;
        if (!is_worth_it(shape, types, node)) {
            for (Expr const& argument : node.args()) reached.insert(&argument.node());
        } else if (std::ranges::find(parts, node) == parts.end()) {
            parts.push_back(node);
        }
    }
    if (parts.size() > most_invariant_parts) parts.resize(most_invariant_parts);
    return parts;
}

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
            read_instead(last.einsum, part, axes);
            of_last.operand_strides.push_back(of_part.output_strides);
            of_last.operand_dtypes.push_back(whole.compute);
        }
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

    static void read_instead(graph::EinSum& einsum, Expr const& part, std::vector<int> const& axes) {
        Expr const operand = Expr::operand(static_cast<int>(einsum.inputs.size()));
        einsum.inputs.push_back(axes);
        for (bool found = true; found;) {
            std::vector<Expr const*> const nodes = scalar::arguments_first(einsum.join);
            auto const same = std::ranges::find_if(nodes, [&](Expr const* node) { return *node == part; });
            found = same != nodes.end();
            if (found) einsum.join = scalar::replaced(einsum.join, **same, operand);
        }
    }

    std::vector<Part> parts_;
    std::unique_ptr<PreparedKernel const> last_;
    std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_kernel_of_parts(KernelShape const& shape, KernelTypes const& types,
                                                           PrepareKernel const& plain) {
    if (!is_searched(shape, types)) return nullptr;
    std::vector<Expr> const parts = parts_of(shape, types);
    return parts.empty() ? nullptr : std::make_unique<KernelOfParts>(shape, parts, plain);
}

}  // namespace ein::executor
