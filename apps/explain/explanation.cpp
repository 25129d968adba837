#include "apps/explain/explanation.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "apps/explain/einsum_text.hpp"
#include "apps/explain/flows.hpp"
#include "apps/explain/sharding_text.hpp"
#include "lib/base/saturating.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/sparse/stored_size.hpp"
#include "lib/schedule/device/device_traffic.hpp"
#include "lib/schedule/device/producer_fusion.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "planner/costs/lower_bound.hpp"
#include "scheduler/loaded_again.hpp"

namespace ein::apps::explain {
namespace {

std::vector<CutLabel> labels_of(graph::EinGraph const& graph, graph::Node const& node, Parts const& parts) {
    Shape const& extents = relation::cut_extents(graph, node);
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    std::vector<CutLabel> out;
    for (std::size_t k = 0; k < parts.size(); ++k)
        out.push_back({relation::cut_name(node, k), extents[k], parts[k],
                       einsum && einsum->aggregates(static_cast<int>(k)), uneven_text(extents[k], parts[k])});
    return out;
}

std::vector<Rejected> rejected_of(graph::EinGraph const& graph, graph::Node const& node,
                                  planner::RejectedPlans const& found) {
    std::vector<Rejected> out;
    for (planner::Option const& option : found.rejected) {
        double const elements = option.elements.total(), bytes = option.bytes.total();
        out.push_back({labels_of(graph, node, option.parts), elements, bytes, elements - found.planned.elements.total(),
                       bytes - found.planned.bytes.total()});
        std::erase_if(out.back().cut, [](CutLabel const& label) { return label.parts == 1; });
    }
    return out;
}

void add_bound(NodeReport& report, graph::EinGraph const& graph, graph::Node const& node, int ranks,
               double iterations) {
    report.lower_bound_words = planner::lower_bound_words(graph, node, ranks);
    if (report.lower_bound_words) *report.lower_bound_words *= iterations;
    if (report.lower_bound_words && *report.lower_bound_words > 0)
        report.ratio = report.busiest_words / *report.lower_bound_words;
}

NodeReport report_of(graph::EinGraph const& graph, relation::Plan const& plan, scheduler::Scheduled const& made,
                     std::size_t n, planner::RejectedPlans const& found) {
    graph::Node const& node = graph.nodes[n];
    graph::Value const& output = graph.value(node.output);
    relation::NodePlan const& planned = plan.nodes[n];
    scheduler::Traffic const& traffic = made.traffic[n];
    NodeReport out;
    out.name = output.name;
    out.operation = operation_text(graph, node);
    out.dtype = name(output.dtype);
    out.cut = labels_of(graph, node, planned.parts);
    out.cells = element_count(planned.parts);
    out.calls = made.calls[n];
    out.candidates = found.candidates;
    out.elements = planned.elements;
    out.bytes = planned.bytes;
    out.with_edges_elements = found.planned.elements.total();
    out.with_edges_bytes = found.planned.bytes.total();
    out.rejected = rejected_of(graph, node, found);
    out.join = traffic.join;
    out.agg = traffic.agg;
    out.repart = traffic.repart;
    out.busiest = traffic.busiest;
    out.busiest_words = static_cast<double>(traffic.busiest) / static_cast<double>(size_of(output.dtype));
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
        auto const iterations = static_cast<double>(graph.iterations(node.loop));
        out.flops = iterations * graph::listed_share(graph, node) * graph::flops(*einsum, einsum->extents);
        add_bound(out, graph, node, plan.ranks, iterations);
    }
    return out;
}

/// The dtype that most elements of the graph have; among equals the wider.
DType main_dtype(graph::EinGraph const& graph) {
    std::array<double, dtype_count> elements{};
    for (graph::Value const& value : graph.values)
        elements[static_cast<std::size_t>(value.dtype)] += graph::stored_elements(value);
    auto best = DType::f32;
    for (int k = 0; k < dtype_count; ++k) {
        auto const type = static_cast<DType>(k);
        double const more = elements[static_cast<std::size_t>(k)] - elements[static_cast<std::size_t>(best)];
        if (more > 0 || (more == 0 && size_of(type) > size_of(best) && elements[static_cast<std::size_t>(k)] > 0))
            best = type;
    }
    return best;
}

void add_mesh(Explanation& out, Mesh const& mesh) {
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
        out.mesh_axes.emplace_back(mesh.name(static_cast<int>(axis)), mesh.sizes[axis]);
        out.mesh += (axis == 0 ? "" : " ") + mesh.name(static_cast<int>(axis)) + ":" + std::to_string(mesh.sizes[axis]);
    }
}

void add_schedule(Explanation& out, schedule::Schedule const& schedule) {
    schedule::Prediction const& p = schedule.header.prediction;
    for (Rank rank : schedule.sections.ids()) {
        schedule::Section const& section = schedule.sections[rank];
        out.tasks += static_cast<std::int64_t>(section.tasks.size());
        if (section.idle()) out.idle_ranks.push_back(rank.value());
    }
    out.flops = p.flops;
    out.bytes = std::accumulate(p.bytes_received.begin(), p.bytes_received.end(), std::int64_t{0});
    out.bytes_rank_max = *std::max_element(p.bytes_received.begin(), p.bytes_received.end());
    out.peak_bytes = p.peak_bytes;
    for (std::int64_t bytes : scheduler::loaded_again(schedule)) out.loaded_again += bytes;
    out.spill = schedule::disk_use(schedule);
}

}  // namespace

DeviceReport device_report(schedule::Schedule const& schedule, std::int64_t capacity) {
    DeviceReport out{capacity, {}};
    for (schedule::Section section : schedule.sections) {
        schedule::Header header = schedule.header;
        section = schedule::with_members_apart(header, section);  // as einrun does
        schedule::fuse_producers(header, section, {.one_kernel = capacity});
        schedule::DeviceTraffic const one = schedule::device_traffic(header, section, capacity);
        out.traffic.copied_in = saturating_sum(out.traffic.copied_in, one.copied_in);
        out.traffic.evicted = saturating_sum(out.traffic.evicted, one.evicted);
        out.traffic.sent_home = saturating_sum(out.traffic.sent_home, one.sent_home);
        out.traffic.peak = std::max(out.traffic.peak, one.peak);
    }
    return out;
}

std::string device_text(DeviceReport const& report) {
    auto const bytes = [](std::int64_t count) { return format_bytes(static_cast<double>(count)); };
    return bytes(report.traffic.copied_in) + " copied in, " + bytes(report.traffic.evicted) + " (" +
           std::to_string(report.traffic.evicted) + " bytes) evicted, " + bytes(report.traffic.sent_home) +
           " copied out for the host; peak " + bytes(report.traffic.peak) + " of " + bytes(report.capacity) + " a rank";
}

Explanation explain(graph::EinGraph const& graph, relation::Plan const& plan, scheduler::Scheduled const& made) {
    Explanation out;
    out.graph = graph.name.empty() ? "graph" : graph.name;
    out.ranks = plan.ranks;
    out.strategy = plan.strategy;
    out.gap = plan.gap;
    out.place = made.schedule.header.place;
    out.reproducible = made.schedule.header.reproducible;
    out.calls = plan.calls;
    out.cost = plan.elements();
    out.cost_bytes = plan.bytes().total();
    add_schedule(out, made.schedule);
    DType const word = main_dtype(graph);
    out.word = name(word);
    out.words_rank_max = static_cast<double>(out.bytes_rank_max) / static_cast<double>(size_of(word));
    auto const found = planner::rejected_plans(graph, plan);
    Flows flows = flows_of(graph, plan, made);
    add_mesh(out, flows.mesh);
    auto const work = listed_work(graph, made.schedule);
    auto const copies = dense_copies(graph);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        out.nodes.push_back(report_of(graph, plan, made, n, found[n]));
        out.nodes.back().inputs = std::move(flows.nodes[n].inputs);
        out.nodes.back().output = std::move(flows.nodes[n].output);
        out.nodes.back().listed = listed_tensors(graph, graph.nodes[n]);
        out.nodes.back().listed_work = work[n];
        out.nodes.back().drivers = drivers(graph, graph.nodes[n]);
        out.nodes.back().looked_up = looked_up(graph, graph.nodes[n]);
        out.nodes.back().dense_copy = copies[n];
    }
    return out;
}

}  // namespace ein::apps::explain
