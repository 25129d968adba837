#include "scheduler/simulate/task_costs.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/ops.hpp"

namespace ein::scheduler {

using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

bool is_matrix_product(graph::EinSum const& einsum) {
    if (einsum.operands() != 2 || einsum.agg != scalar::Agg::sum || einsum.join.op() != scalar::Op::mul) return false;
    for (scalar::Expr const& argument : einsum.join.args())
        if (argument.op() != scalar::Op::operand) return false;
    bool contracted = false, crossed = false;
    for (int label = 0; label < static_cast<int>(einsum.labels.size()); ++label) {
        auto const has = [&](std::vector<int> const& list) { return graph::has_label(list, label); };
        bool const left = has(einsum.inputs[0]), right = has(einsum.inputs[1]), kept = has(einsum.output);
        contracted = contracted || (left && right && !kept);
        crossed = crossed || (left != right && kept);
    }
    return contracted && crossed;
}

namespace {

constexpr double function = 10;  // simple operations that exp and its like take

/// Operations of a join, each shared subexpression once; exp, log, tanh and their like count as ten simple ones.
double weighted_operations(scalar::Expr const& join) {
    double count = 0;
    std::unordered_set<scalar::Node const*> seen;
    std::vector<scalar::Expr const*> open{&join};
    while (!open.empty()) {  // a list: joins of thousands of operands are deep
        scalar::Expr const& next = *open.back();
        open.pop_back();
        if (!seen.insert(&next.node()).second || next.args().empty()) continue;
        count += scalar::info(next.op()).costly ? function : 1;
        for (scalar::Expr const& argument : next.args()) open.push_back(&argument);
    }
    return count;
}

double of_aggregation(graph::EinSum const& einsum) {
    if (einsum.aggregated().empty()) return 0;
    return scalar::info(einsum.agg).by_exponentials ? function : 1;
}

}  // namespace

TaskCosts::TaskCosts(schedule::Header const& header, Cluster const& cluster) : cluster_(cluster) {
    for (schedule::Kernel const& kernel : header.kernels) {
        graph::EinSum const& einsum = kernel.einsum;
        bool const lookup = graph::as_lookup(einsum).has_value();
        auto const scatter = graph::as_scatter(einsum);
        double const a_point = weighted_operations(einsum.join) + of_aggregation(einsum);
        kernels_.push_back({&einsum, lookup || scatter ? 1 : a_point,
                            is_matrix_product(einsum) ? cluster.flops(kernel.compute) : cluster.operations, lookup,
                            scatter ? scatter->label : -1});
    }
}

double TaskCosts::of_kernel(Section const& section, Task const& task) const {
    Kernel const& kernel = kernels_[static_cast<std::size_t>(task.spec)];
    Extent const* const lengths = section.coords.data() + task.coords + task.order;
    auto const elements = [&](std::vector<int> const& labels) {
        double count = 1;
        for (int label : labels) count *= static_cast<double>(lengths[label]);
        return count;
    };
    auto const size = [&](std::int32_t block) {
        return static_cast<double>(size_of(section.blocks[static_cast<std::size_t>(block)].dtype));
    };
    double points = 1;
    for (std::int32_t label = 0; label < task.order; ++label) points *= static_cast<double>(lengths[label]);
    double const written = elements(kernel.einsum->output);
    double bytes = written * size(task.output) * (task.accumulate ? 2 : 1);
    auto const inputs = section.inputs_of(task);
    for (std::size_t operand = 0; operand < inputs.size(); ++operand)
        bytes += (kernel.lookup ? written : elements(kernel.einsum->inputs[operand])) * size(inputs[operand]);
    if (kernel.scattered >= 0) points /= static_cast<double>(std::max<Extent>(1, lengths[kernel.scattered]));
    double const operations = (kernel.lookup ? written : points) * kernel.operations + (task.accumulate ? written : 0);
    return std::max(operations / kernel.rate, bytes / cluster_.bytes);
}

double TaskCosts::seconds(Section const& section, Task const& task) const {
    auto const bytes_of = [&](std::int32_t block) {
        return static_cast<double>(section.bytes_of(section.blocks[static_cast<std::size_t>(block)]));
    };
    switch (task.kind) {
        case TaskKind::apply:
        case TaskKind::reduce: return of_kernel(section, task);
        case TaskKind::fill:
        case TaskKind::pack: return bytes_of(task.output) / cluster_.copied;
        case TaskKind::unpack: return bytes_of(section.inputs_of(task)[0]) / cluster_.copied;
        case TaskKind::reshape:
            return std::min(bytes_of(section.inputs_of(task)[0]), bytes_of(task.output)) / cluster_.copied;
        case TaskKind::copy: {
            schedule::Block const& output = section.blocks[static_cast<std::size_t>(task.output)];
            double bytes = static_cast<double>(size_of(output.dtype));
            for (std::int32_t axis = 0; axis < task.order; ++axis)
                bytes *= static_cast<double>(section.coords[static_cast<std::size_t>(task.coords + task.order + axis)]);
            return bytes / cluster_.copied;
        }
        default: return 0;
    }
}

double TaskCosts::disk_seconds(Section const& section, Task const& task) const {
    if (task.kind != TaskKind::spill && task.kind != TaskKind::fetch) return 0;
    std::int32_t const block = task.kind == TaskKind::spill ? section.inputs_of(task)[0] : task.output;
    return static_cast<double>(section.bytes_of(section.blocks[static_cast<std::size_t>(block)])) / cluster_.disk;
}

}  // namespace ein::scheduler
