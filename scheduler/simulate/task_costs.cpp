#include "scheduler/simulate/task_costs.hpp"

#include <algorithm>

#include "lib/graph/indicator.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/masked_product.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/schedule/fusion/members.hpp"
#include "lib/schedule/memory/take_over.hpp"
#include "scheduler/simulate/sparse_cost.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

using schedule::Section;
using schedule::Task;

namespace {

/// Which kinds of labels an EinSum of two operands has.
struct Sides {
    bool contracted = false, rows = false, columns = false;

    explicit Sides(graph::EinSum const& einsum) {
        for (int label = 0; label < static_cast<int>(einsum.labels.size()); ++label) {
            auto const has = [&](std::vector<int> const& list) { return graph::has_label(list, label); };
            bool const left = has(einsum.inputs[0]), right = has(einsum.inputs[1]), kept = has(einsum.output);
            contracted = contracted || (left && right && !kept);
            rows = rows || (left && !right && kept);
            columns = columns || (right && !left && kept);
        }
    }
};

bool joins_two_elements(graph::EinSum const& einsum) {
    return einsum.operands() == 2 && einsum.join.args().size() == 2 &&
           std::ranges::all_of(einsum.join.args(),
                               [](scalar::Expr const& argument) { return argument.op() == scalar::Op::operand; });
}

/// Whether kernels pack both operands, for tiles of the result that stay in registers.
bool is_tiled(graph::EinSum const& einsum) {
    if (!joins_two_elements(einsum) || scalar::info(einsum.join.op()).costly) return false;
    using scalar::Agg;
    if (einsum.agg != Agg::sum && einsum.agg != Agg::min && einsum.agg != Agg::max) return false;
    Sides const sides(einsum);
    return sides.contracted && sides.rows && sides.columns;
}

/// Operations of a join, each shared subexpression once; exp, log, tanh and their like count as ten simple ones.
double weighted_operations(scalar::Expr const& join) {
    double count = 0;
    for (scalar::Expr const* part : scalar::arguments_first(join))
        if (!part->args().empty()) count += scalar::info(part->op()).costly ? tuning::operations_of_a_function : 1;
    return count;
}

double of_aggregation(graph::EinSum const& einsum) {
    if (!einsum.aggregates_any()) return 0;
    return scalar::info(einsum.agg).by_exponentials ? tuning::operations_of_a_function : 1;
}

/// Elements of an operand or result in a call of these lengths.
double elements_at(std::vector<int> const& labels, std::span<Extent const> lengths) {
    double count = 1;
    for (int label : labels) count *= static_cast<double>(lengths[static_cast<std::size_t>(label)]);
    return count;
}

/// Operations a second. Tiles of other operations than times and plus have no instruction that does both.
double rate_of(graph::EinSum const& einsum, DType compute, Cluster const& cluster) {
    if (is_matrix_product(einsum)) return cluster.flops(compute);
    return is_tiled(einsum) ? std::max(cluster.operations, cluster.flops(compute) / 2) : cluster.operations;
}

}  // namespace

bool is_matrix_product(graph::EinSum const& einsum) {
    if (!joins_two_elements(einsum) || einsum.agg != scalar::Agg::sum || einsum.join.op() != scalar::Op::mul)
        return false;
    Sides const sides(einsum);
    return sides.contracted && (sides.rows || sides.columns);
}

KernelCost kernel_cost(graph::EinSum const& einsum, DType compute, Cluster const& cluster) {
    if (auto const masked = graph::as_masked_product(einsum, compute)) {
        graph::EinSum product = einsum;
        product.inputs = {masked->axes, einsum.inputs[static_cast<std::size_t>(masked->other)]};
        product.join = scalar::product(2);
        return kernel_cost(product, compute, cluster);
    }
    bool const lookup = graph::looks_up(einsum).has_value();
    std::int32_t added = -1;
    if (auto const scatter = graph::scatters(einsum)) added = scatter->label;
    if (auto const count = graph::as_count(einsum)) added = count->label;
    double const a_point = weighted_operations(einsum.join) + of_aggregation(einsum);
    return {lookup || added >= 0 ? 1 : a_point, rate_of(einsum, compute, cluster), lookup, is_tiled(einsum), added};
}

TaskCosts::TaskCosts(schedule::Header const& header, Cluster const& cluster) : header_(header), cluster_(cluster) {
    for (schedule::Kernel const& kernel : header.kernels)
        kernels_.add({kernel_cost(kernel.einsum, kernel.compute, cluster), &kernel.einsum,
                      static_cast<double>(size_of(kernel.compute))});
}

double TaskCosts::of_kernel(Section const& section, Task const& task, schedule::Apply const& call) const {
    Kernel const& kernel = kernels_[call.kernel];
    bool const moves = kernel.lookup || kernel.scattered >= 0;
    if (!moves && is_on_listed(section, call))
        return sparse_seconds(section, call, header_.kernels[call.kernel], kernel.operations, cluster_);
    std::span<Extent const> const lengths = call.region.length;
    auto const elements = [&](std::vector<int> const& labels) { return elements_at(labels, lengths); };
    auto const size = [&](BlockId block) { return static_cast<double>(size_of(section.blocks[block].dtype)); };
    auto const of_listed = [&](std::size_t operand) {  // of a sparse block what lies in the call's region
        schedule::Block const& block = section.blocks[call.operands[operand]];
        double const looked_at = section.listed_in(kernel.einsum->inputs[operand], call, operand);
        return static_cast<double>(section.bytes_of(block)) * looked_at /
               std::max(1.0, static_cast<double>(section.elements_of(block)));
    };
    double const share = schedule::written_share(header_, section, task);  // of what an update takes over
    double points = section.listed_share(header_.kernels[call.kernel], call) * share;
    for (Extent length : lengths) points *= static_cast<double>(length);
    schedule::Block const& result = section.blocks[call.result];  // of a sparse one what it may list
    double const written =
        (result.is_listed() ? static_cast<double>(section.elements_of(result)) : elements(kernel.einsum->output)) *
        share;
    double const to_result = written * size(call.result) * (call.accumulates ? 2 : 1);
    double read = 0;
    for (std::size_t operand = 0; operand < call.operands.size(); ++operand)
        read += section.blocks[call.operands[operand]].is_listed() ? of_listed(operand)
                : kernel.lookup || task.over() == operand
                    ? written * size(call.operands[operand])
                    : elements(kernel.einsum->inputs[operand]) * size(call.operands[operand]);
    if (kernel.scattered >= 0)
        points /= static_cast<double>(std::max<Extent>(1, lengths[static_cast<std::size_t>(kernel.scattered)]));
    double const operations = (kernel.lookup ? written : points) * kernel.operations + (call.accumulates ? written : 0);
    return std::max(operations / kernel.rate, (read + to_result) / cluster_.bytes);
}

/// What is inside is in the cache: of memory only operands and the result count.
double TaskCosts::of_fused(Section const& section, schedule::Fused const& task) const {
    auto const size = [&](BlockId block) { return static_cast<double>(section.bytes_of(block)); };
    double bytes = size(task.result), computing = 0;
    for (BlockId operand : task.operands) bytes += size(operand);
    schedule::for_each_member(header_, task, [&](schedule::FusionSpec::Member const& member, BoxView region) {
        Kernel const& kernel = kernels_[member.kernel];
        double const written = elements_at(kernel.einsum->output, region.length);
        double points = 1, read = 0;
        for (Extent length : region.length) points *= static_cast<double>(length);
        if (kernel.lookup) points = written;
        if (kernel.scattered >= 0)
            points /= static_cast<double>(std::max<Extent>(1, region.length[at(kernel.scattered)]));
        for (auto const& labels : kernel.einsum->inputs)
            read += kernel.lookup ? written : elements_at(labels, region.length);
        double const in_caches = (read + written) * kernel.element / cluster_.cached;
        double const once = points * kernel.operations / kernel.rate;
        // Tiles of products wait for what is packed and for results, other kernels compute while they read and write.
        computing += kernel.tiled ? once + in_caches : std::max(once, in_caches);
    });
    return std::max(computing, bytes / cluster_.bytes);
}

/// Seconds of each kind of task on a worker; transfers and disks take their own time.
struct TaskCosts::OfKind {
    TaskCosts const& costs;
    Section const& section;
    Task const& task;

    double operator()(schedule::Apply const& call) const { return costs.of_kernel(section, task, call); }
    double operator()(schedule::Reduce const& call) const { return costs.of_kernel(section, task, call_of(call)); }
    double operator()(schedule::Fused const& fused) const { return costs.of_fused(section, fused); }
    double operator()(schedule::Fill const& fill) const { return copied(bytes(fill.result)); }
    double operator()(schedule::Pack const& pack) const { return copied(bytes(pack.result)); }
    double operator()(schedule::Unpack const& unpack) const { return copied(bytes(unpack.from)); }
    double operator()(schedule::Reshape const& reshape) const {
        return copied(std::min(bytes(reshape.from), bytes(reshape.result)));
    }
    double operator()(schedule::Copy const& copy) const {
        if (task.over()) return 0;
        double moved = static_cast<double>(size_of(section.blocks[copy.result].dtype));
        for (Extent length : copy.region.length) moved *= static_cast<double>(length);
        return copied(moved);
    }
    double operator()(schedule::Load const&) const { return 0; }
    double operator()(schedule::Store const&) const { return 0; }
    double operator()(schedule::Send const&) const { return 0; }
    double operator()(schedule::Receive const&) const { return 0; }
    double operator()(schedule::Spill const&) const { return 0; }
    double operator()(schedule::Fetch const&) const { return 0; }
    double operator()(schedule::Iterate const&) const { return 0; }
    double operator()(schedule::Assemble const& made) const { return copied(bytes(made.result)) + turned(made); }
    double operator()(schedule::Relocate const& made) const { return copied(bytes(made.result)); }
    double operator()(schedule::Refold const& made) const { return copied(bytes(made.result)); }

    double bytes(BlockId block) const { return static_cast<double>(section.bytes_of(block)); }
    double copied(double bytes) const { return bytes / costs.cluster_.copied; }
    /// Of parts whose elements lie in another order, by one thread.
    double turned(schedule::Assemble const& made) const {
        auto const order = [&](BlockId block) { return section.sparse(section.blocks[block]).layout().axes; };
        double elements = 0;
        for (BlockId part : made.parts)
            if (order(part) != order(made.result))
                elements += static_cast<double>(section.elements_of(section.blocks[part]));
        return elements * tuning::elements_of_a_turn * costs.cluster_.threads / costs.cluster_.listed;
    }
};

double TaskCosts::seconds(Section const& section, Task const& task) const {
    return section.visit(task, OfKind{*this, section, task});
}

double TaskCosts::disk_seconds(Section const& section, Task const& task) const {
    if (task.traits().runs_on != schedule::Site::disk) return 0;
    BlockId const block = task.result() ? *task.result() : section.reads(task)[0];
    return static_cast<double>(section.bytes_of(block)) / cluster_.disk;
}

}  // namespace ein::scheduler
