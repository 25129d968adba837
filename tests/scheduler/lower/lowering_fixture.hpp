// A graph on its way to tasks: a plan by hand, all that lowering works with, and what came of it in numbers.
// Example: Lowered l(graph, parts, 2); l.kinds(0)["send"] is how many messages rank 0 sends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/schedule/verify/verify.hpp"
#include "scheduler/lower/lowering.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/graphs.hpp"

namespace ein::test {

/// How often each kind of task occurs in a section, by its name.
inline std::map<std::string, int> kinds_of(schedule::Section const& section) {
    std::map<std::string, int> out;
    for (schedule::Task const& task : section.tasks) ++out[std::string(task.traits().name)];
    return out;
}

/// A plan whose nodes have these parts, a kernel call for each rank.
inline relation::Plan plan_by_hand(int ranks, std::vector<Parts> const& parts) {
    relation::Plan plan;
    plan.ranks = ranks;
    plan.calls = ranks;
    for (Parts const& of_node : parts) plan.nodes.push_back({.parts = of_node});
    return plan;
}

/// Kernel call k on rank k, of as many ranks as there are.
inline scheduler::LoweringOptions in_order() {
    scheduler::LoweringOptions options;
    options.place = scheduler::placer("pattern");
    options.subblock_bytes = 0;
    return options;
}

/// What lowering works with, before any node is lowered.
struct LoweringBench {
    graph::EinGraph graph;
    relation::Plan plan;
    scheduler::LoweringOptions options;
    schedule::Header header;
    scheduler::LoweringContext context;

    LoweringBench(graph::EinGraph of, int ranks, std::vector<Parts> const& parts,
                  scheduler::LoweringOptions how = in_order())
        : graph(std::move(of)),
          plan(plan_by_hand(ranks, parts)),
          options(std::move(how)),
          context(graph, plan, options, header) {
        for (graph::Value const& v : graph.values) header.tensors.add({v.name, v.shape, v.dtype});
        for (graph::Leaf const& leaf : graph.leaves)
            header.inputs.add({schedule::TensorId{leaf.value.value()}, leaf.source});
    }

    /// The value with this name.
    ValueId operator[](std::string const& name) const {
        for (std::size_t v = 0; v < graph.values.size(); ++v)
            if (graph.values[v].name == name) return ValueId{static_cast<std::int32_t>(v)};
        return ValueId{-1};
    }
    /// The tasks of a rank so far, by kind. Takes them away.
    std::map<std::string, int> take_kinds(int rank) {
        return kinds_of(std::move(context.sections[static_cast<std::size_t>(rank)]).finish());
    }
};

/// A whole graph lowered; its schedule is sound, or a test says why not.
inline std::vector<std::map<std::string, int>> lowered_kinds(graph::EinGraph const& graph, int ranks,
                                                             std::vector<Parts> const& parts,
                                                             scheduler::SchedulerOptions options = {}) {
    options.place = "pattern";
    options.subblock_bytes = 0;
    schedule::Schedule const made = scheduler::make_schedule(graph, plan_by_hand(ranks, parts), options);
    std::vector<std::map<std::string, int>> out;
    for (schedule::Section const& section : made.sections) out.push_back(kinds_of(section));
    return out;
}

}  // namespace ein::test
