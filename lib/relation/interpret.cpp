#include "lib/relation/interpret.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <map>
#include <set>

#include "lib/base/error.hpp"
#include "lib/graph/contract.hpp"
#include "lib/relation/demand.hpp"
#include "lib/relation/einsum_loops.hpp"
#include "lib/relation/move_values.hpp"
#include "lib/relation/pairwise/pairwise_run.hpp"
#include "lib/relation/tuning.hpp"
#include "lib/relation/work_time.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::relation {
namespace {

Sets sets_of(Shape const& shape, IndexSets const& indices) {
    promise(indices.size() == shape.size(), "a sample has another number of index sets than its value has axes");
    Sets sets;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) sets.push_back(IndexSet::of(shape[axis], indices[axis]));
    return sets;
}

bool is_true(tensor::HostTensor const& scalar) {
    std::complex<double> value;
    tensor::convert(scalar.dtype(), scalar.bytes().data(), 1, DType::c128, &value, 1);
    return value != 0.0;
}

/// The elements of a whole tensor at the product of index sets.
tensor::HostTensor picked(tensor::HostTensor const& whole, Sets const& sets) {
    tensor::HostTensor out(whole.dtype(), sizes_of(sets));
    std::size_t const size = size_of(whole.dtype());
    auto const strides = row_major_strides(whole.shape());
    std::size_t to = 0;
    for_each_index(out.shape(), [&](std::vector<Extent> const& index) {
        Extent from = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) from += sets[axis][index[axis]] * strides[axis];
        std::memcpy(out.bytes().data() + to, whole.bytes().data() + static_cast<std::size_t>(from) * size, size);
        to += size;
    });
    return out;
}

/// The values at hand while nodes run in order, each kept until its last reader has run; of a graph with loops, to the
/// end.
class Values {
public:
    Values(graph::EinGraph const& graph, Demand const& demand, ValueId target)
        : values_(graph.values.size()), readers_(graph.values.size(), 0), keeps_(!graph.loops.empty()) {
        readers_[at(target)] = 1;
        for (graph::Node const& node : graph.nodes)
            if (demand[at(node.output)])
                for (ValueId input : node.inputs) ++readers_[at(input)];
    }

    void put(ValueId id, Sampled value) { values_[at(id)] = std::make_unique<Sampled>(std::move(value)); }
    Sampled const* get(ValueId id) const { return values_[at(id)].get(); }
    tensor::HostTensor take(ValueId id) { return std::move(values_[at(id)]->data); }
    /// What an iteration has made is what the next one begins with.
    void carry(ValueId result, ValueId inside) { values_[at(inside)] = std::move(values_[at(result)]); }
    void read(ValueId id) {
        if (keeps_) return;
        if (--readers_[at(id)] == 0) values_[at(id)].reset();
    }

private:
    std::vector<std::unique_ptr<Sampled>> values_;
    std::vector<int> readers_;
    bool keeps_;
};

}  // namespace

struct Interpreter::State {
    graph::EinGraph const& graph;
    ReadLeaf read;
    scalar::Params params;
    std::vector<std::optional<NodeId>> producers;
    std::vector<int> leaf_of;  // by value; -1 for a node's output
    Sums sums;
    std::map<std::pair<ValueId, Shape>, std::optional<PairwisePlan>> plans = {};  // by a node's output and lengths
    std::map<ValueId, graph::SsaPath> orders_of_run = {};
    std::set<std::string> ended_at_once = {};

    /// How an EinSum is contracted pairwise; null where it is computed as written.
    PairwisePlan const* plan_for(graph::Node const& node, Sets const& output) {
        auto const& einsum = std::get<graph::EinSum>(node.op);
        if (sums == Sums::as_written || einsum.operands() < 2) return nullptr;
        Shape const lengths = loop_lengths(einsum, output);
        auto const [place, fresh] = plans.try_emplace({node.output, lengths});
        if (fresh) {
            graph::EinSumTypes const types = graph::types_of(graph, node);
            auto const [order, unknown] = orders_of_run.try_emplace(node.output);
            if (unknown && graph::contracts_pairwise(einsum)) order->second = order_of_run(einsum, node.path);
            auto plan = plan_pairwise(einsum, types, order->second, lengths);
            if (plan && plan->seconds < seconds_as_written(einsum, types, lengths)) place->second = std::move(plan);
        }
        return place->second ? &*place->second : nullptr;
    }

    double seconds(graph::Node const& node, Sets const& output) {
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        if (!einsum) return tuning::seconds_an_element * static_cast<double>(element_count(sizes_of(output)));
        if (PairwisePlan const* plan = plan_for(node, output)) return plan->seconds;
        return seconds_as_written(*einsum, graph::types_of(graph, node), loop_lengths(*einsum, output));
    }

    double iterations(graph::Node const& node) const {
        double iterations = 1;
        for (std::int32_t loop : graph.loops_around(node.loop))
            iterations *= static_cast<double>(graph.loops[static_cast<std::size_t>(loop)].iterations);
        return iterations;
    }

    Demand demand(ValueId value, IndexSets const& indices) const {
        return demand_for(graph, producers, value, sets_of(graph.value(value).shape, indices));
    }

    tensor::HostTensor compute(ValueId target, Sets const& sets, scalar::Noise* noise) {
        Demand const demand = demand_for(graph, producers, target, sets);
        Values values(graph, demand, target);
        if (leaf_of[at(target)] >= 0) load(target, demand, values);
        run(0, graph.nodes.size(), -1, demand, values, noise);
        tensor::HostTensor out = values.take(target);
        return out.shape() == sizes_of(sets) ? std::move(out)
                                             : picked(out, sets);  // more of what a loop makes is computed
    }

    /// Nodes [first, end), which are in `loop`.
    void run(std::size_t first, std::size_t end, std::int32_t loop, Demand const& demand, Values& values,
             scalar::Noise* noise) {
        while (first < end) {
            graph::Node const& node = graph.nodes[first];
            if (node.loop != loop) {
                first = run_iterations(first, loop, demand, values, noise);
                continue;
            }
            ++first;
            if (!demand[at(node.output)]) continue;
            for (ValueId input : node.inputs)
                if (leaf_of[at(input)] >= 0) load(input, demand, values);
            values.put(node.output, run(node, *demand[at(node.output)], values, noise));
            for (ValueId input : node.inputs) values.read(input);
        }
    }

    /// The loop that node `first` is in, directly within `outer`. @return the first node after it
    std::size_t run_iterations(std::size_t first, std::int32_t outer, Demand const& demand, Values& values,
                               scalar::Noise* noise) {
        std::int32_t const number = graph.loop_within(outer, graph.nodes[first].loop);
        graph::Loop const& loop = graph.loops[static_cast<std::size_t>(number)];
        std::size_t end = first;
        while (end < graph.nodes.size() && graph.loop_within(outer, graph.nodes[end].loop) == number) ++end;
        if (!demand[at(graph.nodes[first].output)]) return end;  // all of a loop is needed, or none
        for (std::int64_t iteration = 0; iteration < loop.iterations; ++iteration) {
            if (iteration > 0)
                for (graph::Loop::Carry const& carry : loop.carries) values.carry(carry.result, carry.inside);
            run(first, end, number, demand, values, noise);
            if (!loop.condition || is_true(values.get(*loop.condition)->data)) continue;
            if (iteration == 0 && loop.iterations > 1 && loop.outer < 0) ended_at_once.insert(loop.name);
            break;
        }
        return end;
    }

    void load(ValueId id, Demand const& demand, Values& values) const {
        if (!demand[at(id)] || values.get(id)) return;
        graph::Leaf const& leaf = graph.leaves[static_cast<std::size_t>(leaf_of[at(id)])];
        values.put(id, read_sampled(leaf, graph.value(id), *demand[at(id)], read));
    }

    Sampled run(graph::Node const& node, Sets sets, Values const& values, scalar::Noise* noise) {
        std::vector<Sampled const*> inputs;
        for (ValueId input : node.inputs) inputs.push_back(values.get(input));
        DType const dtype = graph.value(node.output).dtype;
        if (std::holds_alternative<graph::EinSum>(node.op)) {
            if (PairwisePlan const* plan = plan_for(node, sets))
                return einsum_pairwise(graph, node, *plan, inputs, std::move(sets), params, noise);
            return einsum_sampled(graph, node, inputs, std::move(sets), params, noise);
        }
        if (auto const* move = std::get_if<graph::Move>(&node.op))
            return move_sampled(*move, inputs, dtype, std::move(sets));
        return reshape_sampled(graph.value(node.inputs[0]).shape, graph.value(node.output).shape, inputs[0], dtype,
                               std::move(sets));
    }
};

Interpreter::Interpreter(graph::EinGraph const& graph, ReadLeaf read, scalar::Params const& params, Sums sums)
    : state_(new State{graph, std::move(read), params, graph.producers(), std::vector<int>(graph.values.size(), -1),
                       sums}) {
    state_->params.insert(graph.params.begin(), graph.params.end());
    for (std::size_t k = 0; k < graph.leaves.size(); ++k)
        state_->leaf_of[at(graph.leaves[k].value)] = static_cast<int>(k);
}

Interpreter::~Interpreter() = default;

tensor::HostTensor Interpreter::whole(ValueId value) {
    return state_->compute(value, all_of(state_->graph.value(value).shape), nullptr);
}

tensor::HostTensor Interpreter::sample(ValueId value, IndexSets const& indices, scalar::Noise* noise) {
    return state_->compute(value, sets_of(state_->graph.value(value).shape, indices), noise);
}

double Interpreter::work(ValueId value, IndexSets const& indices) const {
    Demand const demand = state_->demand(value, indices);
    double sum = 0;
    for (graph::Node const& node : state_->graph.nodes) {
        if (!demand[at(node.output)]) continue;
        double const iterations = state_->iterations(node);
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        sum += iterations * (einsum ? graph::flops(*einsum, loop_lengths(*einsum, *demand[at(node.output)]))
                                    : static_cast<double>(element_count(sizes_of(*demand[at(node.output)]))));
    }
    return sum;
}

double Interpreter::seconds(ValueId value, IndexSets const& indices) const {
    Demand const demand = state_->demand(value, indices);
    double sum = 0;
    for (graph::Node const& node : state_->graph.nodes)
        if (demand[at(node.output)]) sum += state_->iterations(node) * state_->seconds(node, *demand[at(node.output)]);
    return sum;
}

double Interpreter::bytes(ValueId value, IndexSets const& indices) const {
    Demand const demand = state_->demand(value, indices);
    double sum = 0;
    for (std::size_t k = 0; k < demand.size(); ++k)
        if (demand[k]) {
            double bytes = static_cast<double>(size_of(state_->graph.values[k].dtype));
            for (IndexSet const& set : *demand[k]) bytes *= static_cast<double>(set.size());
            sum += bytes;
        }
    return sum;
}

Orders Interpreter::orders(ValueId value, IndexSets const& indices) const {
    Demand const demand = state_->demand(value, indices);
    Orders out = Orders::none;
    for (graph::Node const& node : state_->graph.nodes) {
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        if (!demand[at(node.output)] || !einsum) continue;
        PairwisePlan const* plan = state_->plan_for(node, *demand[at(node.output)]);
        if (plan == nullptr) continue;
        bool const network = einsum->operands() > 2;
        out = std::max(out, !network ? Orders::products : plan->another_order ? Orders::another : Orders::of_run);
    }
    return out;
}

std::vector<std::string> Interpreter::ended_at_once() const {
    return {state_->ended_at_once.begin(), state_->ended_at_once.end()};
}

double Interpreter::reduction_length(ValueId value) const {
    graph::EinGraph const& graph = state_->graph;
    std::vector<double> lengths(graph.values.size(), 0);
    for (graph::Node const& node : graph.nodes) {
        double longest = 0, own = 0;
        for (ValueId input : node.inputs) longest = std::max(longest, lengths[at(input)]);
        if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
            own = 1;
            if (!graph::as_lookup(*einsum))
                for (int label : einsum->aggregated())
                    own *= static_cast<double>(std::max<Extent>(1, einsum->extents[static_cast<std::size_t>(label)]));
        }
        own *= state_->iterations(node);
        lengths[at(node.output)] = longest + own;
    }
    return lengths[at(value)];
}

}  // namespace ein::relation
