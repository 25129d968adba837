#include "lib/relation/pairwise/pairwise_plan.hpp"

#include <algorithm>

#include "lib/graph/contract/network.hpp"
#include "lib/relation/work_time.hpp"

namespace ein::relation {
namespace {

using graph::Network;

/// Whether partial results in the accumulating type are as exact as one pass: no integer wraps on the way that would
/// not wrap at the end, and complex numbers have no order.
bool keeps_results(graph::JoinChain const& chain, scalar::Agg agg, graph::EinSumTypes const& types) {
    if (scalar::info(agg).ordered && is_complex(types.compute)) return false;
    if (chain.op == scalar::Op::add && is_exact(types.accumulate)) return false;
    if (scalar::info(agg).asks || types.compute == DType::boolean || types.compute == types.accumulate) return true;
    return kind(types.compute) >= Kind::real && kind(types.accumulate) >= Kind::real;
}

/// Walks the path. @return the labels of the largest tensor
std::vector<int> largest(Network const& network, graph::SsaPath const& path) {
    graph::PathWalk walk(network);
    std::vector<int> labels;
    auto const look = [&](int number) {
        if (walk.size(number) > network.size(labels)) labels = walk.labels(number);
    };
    int const operands = static_cast<int>(network.operands.size());
    for (int k = 0; k < operands; ++k) look(k);
    for (std::size_t k = 0; k < path.size(); ++k) {
        walk.contract(path[k].first, path[k].second);
        look(operands + static_cast<int>(k));
    }
    return labels;
}

/// Slices labels of the largest tensor until all fit, each time the one that costs least. @return how often the network
/// is contracted
double slice(Network& network, PairwisePlan& plan, double most_elements) {
    double slices = 1;
    for (std::vector<int> labels = largest(network, plan.path); network.size(labels) > most_elements;
         labels = largest(network, plan.path)) {
        int best = -1;
        double least = 0;
        for (int label : labels) {
            if (network.extents[at(label)] == 1) continue;
            double const extent = std::exchange(network.extents[at(label)], 1);
            double const cost = extent * graph::path_cost(network, plan.path);
            network.extents[at(label)] = extent;
            if (best < 0 || cost < least) best = label, least = cost;
        }
        slices *= std::exchange(network.extents[at(best)], 1);
        plan.sliced.push_back(best);
    }
    return slices;
}

double elements_read(graph::EinSum const& einsum, Shape const& lengths) {
    double sum = 0;
    for (auto const& labels : einsum.inputs) {
        double elements = 1;
        for (int label : labels) elements *= static_cast<double>(lengths[at(label)]);
        sum += elements;
    }
    return sum;
}

}  // namespace

graph::SsaPath order_of_run(graph::EinSum const& einsum, std::optional<graph::Path> const& given) {
    return given ? graph::to_ssa(*given, einsum.operands()) : graph::good_path(graph::network_of(einsum));
}

std::optional<PairwisePlan> plan_pairwise(graph::EinSum const& einsum, graph::EinSumTypes const& types,
                                          graph::SsaPath const& order_of_run, Shape const& lengths,
                                          double most_elements) {
    bool const is_empty = std::find(lengths.begin(), lengths.end(), 0) != lengths.end();
    if (is_empty || graph::as_lookup(einsum) || graph::as_scatter(einsum)) return std::nullopt;
    auto chain = graph::as_chain(einsum);
    if (!chain || !keeps_results(*chain, einsum.agg, types)) return std::nullopt;
    graph::EinSum wanted = einsum;
    wanted.extents = lengths;
    Network network = graph::network_of(wanted);
    PairwisePlan plan{.chain = std::move(*chain), .operands = network.operands, .path = {}, .sliced = {}};
    if (einsum.operands() == 2) {
        plan.path = {{0, 1}};
        plan.another_order = false;
    } else {
        graph::OtherPath other = graph::other_path(network, order_of_run);
        plan.another_order = other.shared + 2 < einsum.operands();
        plan.path = std::move(other.path);
    }
    double const slices = slice(network, plan, most_elements);
    plan.seconds = slices * graph::path_cost(network, plan.path) * seconds_a_product(types.accumulate, einsum.agg) +
                   elements_read(einsum, lengths) * tuning::seconds_an_element;
    return plan;
}

}  // namespace ein::relation
