#include "scheduler/move/traffic.hpp"

#include <algorithm>

#include "lib/base/saturating.hpp"

namespace ein::scheduler {

TrafficCounter::TrafficCounter(graph::EinGraph const& graph, int ranks)
    : graph_(graph),
      traffic_(graph.nodes.size()),
      changes_(graph.iterations_of_values()),
      received_(static_cast<std::size_t>(ranks)) {}

void TrafficCounter::begin(NodeId node) {
    node_ = static_cast<std::size_t>(node.value());
    operand_ = 0;
    merges_parts_ = false;
    received_.assign(received_.size(), 0);
    traffic_[node_].inputs.assign(graph_.node(node).inputs.size(), 0);
}

Purpose TrafficCounter::purpose_of(Cut const& cut, Box const& region) const {
    auto const parts = cut.parts_meeting(region);
    if (parts.size() != 1 && !merges_parts_) return Purpose::repart;
    bool const whole = std::all_of(parts.begin(), parts.end(), [&](std::size_t part) {
        Box const box = cut.part_box(part);
        return intersection(box, region) == box;
    });
    return whole ? Purpose::join : Purpose::repart;
}

void TrafficCounter::count(Rank to, Purpose purpose, ValueId value, std::int64_t bytes) {
    Traffic& traffic = traffic_[node_];
    std::int64_t const in_all = saturating_product(bytes, changes_[static_cast<std::size_t>(value.value())]);
    auto add = [&](std::int64_t& sum) { sum = saturating_sum(sum, in_all); };
    add(purpose == Purpose::join ? traffic.join : purpose == Purpose::agg ? traffic.agg : traffic.repart);
    if (purpose != Purpose::agg) add(traffic.inputs[operand_]);
    std::int64_t& received = received_[static_cast<std::size_t>(to.value())];
    add(received);
    traffic.busiest = std::max(traffic.busiest, received);
}

}  // namespace ein::scheduler
