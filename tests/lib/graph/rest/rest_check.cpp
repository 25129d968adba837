#include "tests/lib/graph/rest/rest_check.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/rest/graph_text.hpp"
#include "tests/support/catch.hpp"

namespace ein::test {

using namespace graph;

namespace {

/// The nodes in another order that computes each value before it is read, loops together: neighbours swapped.
std::vector<NodeId> shuffled(EinGraph const& graph, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<NodeId> order;
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) order.emplace_back(static_cast<std::int32_t>(k));
    for (std::size_t swaps = 4 * order.size(); order.size() > 1 && swaps-- > 0;) {
        std::size_t const k = random() % (order.size() - 1);
        Node const& first = graph.node(order[k]);
        Node const& second = graph.node(order[k + 1]);
        auto const& read = second.inputs;
        if (first.loop == second.loop && std::find(read.begin(), read.end(), first.output) == read.end())
            std::swap(order[k], order[k + 1]);
    }
    return order;
}

EinGraph in_order(EinGraph graph, std::vector<NodeId> const& order) {
    std::vector<Node> nodes;
    for (NodeId id : order) nodes.push_back(graph.node(id));
    graph.nodes = std::move(nodes);
    return graph;
}

bool is_in(EinGraph const& graph, std::int32_t loop, std::int32_t around) {
    if (around < 0) return true;
    auto const loops = graph.loops_around(loop);
    return std::find(loops.begin(), loops.end(), around) != loops.end();
}

/// The same where a run has made no copy of what a loop that has ended carried: it is called what it was in the loop.
std::vector<ValueId> as_in_loops(EinGraph const& graph, Progress const& at, std::vector<ValueId> values) {
    auto const producers = graph.producers();
    for (std::size_t l = 0; l < graph.loops.size(); ++l) {
        if (is_in(graph, at.loop, static_cast<std::int32_t>(l))) continue;
        for (Loop::Carry const& carry : graph.loops[l].carries) {
            ValueId const last = graph.node(*producers[ein::at(carry.result)]).inputs[0];
            if (std::erase(values, carry.result) > 0 && std::ranges::count(values, last) == 0) values.push_back(last);
        }
    }
    std::erase_if(values, [&](ValueId value) { return !producers[ein::at(value)]; });
    return values;
}

/// Of those what a run still has: what nodes that are to run read, in this iteration or in another one.
std::vector<ValueId> live_at(EinGraph const& graph, Progress const& at) {
    std::set<ValueId> read(graph.outputs.begin(), graph.outputs.end());
    std::vector<std::int32_t> const scopes = graph.loops_of_values();
    auto const path = graph.loops_around(at.loop);
    for (std::size_t k = 0; k < at.order.size(); ++k) {
        Node const& node = graph.node(at.order[k]);
        for (ValueId input : node.inputs) {
            bool later = k >= at.done;
            for (std::int32_t const loop : path)
                later = later || (is_in(graph, node.loop, loop) && !is_in(graph, scopes[ein::at(input)], loop));
            if (later) read.insert(input);
        }
    }
    for (std::int32_t const loop : path) {
        Loop const& of = graph.loops[static_cast<std::size_t>(loop)];
        for (Loop::Carry const& carry : of.carries) read.insert(carry.result);
        if (of.condition) read.insert(*of.condition);
    }
    std::vector<ValueId> live = known_at(graph, at);
    std::erase_if(live, [&](ValueId value) { return !read.contains(value); });
    return live;
}

}  // namespace

std::vector<ValueId> known_at(EinGraph const& graph, Progress const& at) {
    std::vector<ValueId> known;
    auto const around = [&](std::int32_t loop) { return loop < 0 || is_in(graph, at.loop, loop); };
    for (std::size_t k = 0; k < at.done; ++k) {
        Node const& node = graph.node(at.order[k]);
        bool is_result = false;
        if (node.loop >= 0 && !around(node.loop)) {
            Loop const& loop = graph.loops[static_cast<std::size_t>(node.loop)];
            for (Loop::Carry const& carry : loop.carries)
                is_result = is_result || (carry.result == node.output && around(loop.outer));
        }
        if (is_result || around(node.loop)) known.push_back(node.output);
    }
    return known;
}

RestCheck::RestCheck(EinGraph const& graph, std::uint64_t seed, Files files)
    : graph_(graph), files_(std::move(files)), random_(seed) {
    std::vector<NodeId> const order = shuffled(graph, seed);
    EinGraph const ran = in_order(graph, order);
    OneByOne const whole(ran, files_, [&](Progress const& at, std::vector<Tensor> const& values, std::int64_t run) {
        stopped_.push_back({at, values, run});
        stopped_.back().at.order = order;
    });
    expected_ = whole.outputs();
    nodes_run_ = whole.nodes_run();
}

void RestCheck::run(std::size_t most) {
    if (stopped_.size() > most) std::shuffle(stopped_.begin(), stopped_.end(), random_);
    for (std::size_t k = 0; k < std::min(most, stopped_.size()); ++k) check(stopped_[k]);
}

void RestCheck::check(Stopped const& at) {
    CAPTURE(at.at.done, at.at.loop, at.at.iterations);
    std::vector<ValueId> const known = known_at(graph_, at.at);
    EinGraph const rest = check(at, known);
    check_work(at, rest);
    std::vector<ValueId> const least = live_at(graph_, at.at);
    std::vector<ValueId> fewer;
    EinGraph const same = check(at, least);
    CHECK(same.nodes.size() == rest.nodes.size());
    std::set<ValueId> carried;
    for (Loop const& loop : graph_.loops)
        for (Loop::Carry const& carry : loop.carries) carried.insert(carry.inside);
    std::copy_if(known.begin(), known.end(), std::back_inserter(fewer),
                 [&](ValueId value) { return carried.contains(value) || random_() % 2 == 0; });
    check(at, fewer);
    CHECK(check(at, as_in_loops(graph_, at.at, least)).nodes.size() == rest.nodes.size());
}

/// Nothing is done again but the copies that loops begin with, and, where a condition is only known later, an
/// iteration of each loop.
void RestCheck::check_work(Stopped const& at, EinGraph const& rest) {
    std::set<ValueId> copies;
    for (Loop const& loop : graph_.loops)
        for (Loop::Carry const& carry : loop.carries) copies.insert(carry.inside);
    bool conditions = false;
    for (std::int32_t const number : graph_.loops_around(at.at.loop))
        conditions = conditions || graph_.loops[static_cast<std::size_t>(number)].condition.has_value();
    Files files = files_;
    for (ValueId value : known_at(graph_, at.at)) files[file_of(value)] = at.values[ein::at(value)];
    if (!conditions)
        CHECK(OneByOne(rest, files).nodes_run() <=
              nodes_run_ - at.nodes_run + static_cast<std::int64_t>(copies.size()));
    if (at.at.loop >= 0) return;
    std::set<std::string> made;
    for (Node const& node : rest.nodes) made.insert(rest.value(node.output).name);
    for (std::size_t k = 0; k < at.at.done; ++k) {
        ValueId const done = graph_.node(at.at.order[k]).output;
        CHECK_FALSE((!copies.contains(done) && made.contains(graph_.value(done).name)));
    }
}

EinGraph RestCheck::check(Stopped const& at, std::vector<ValueId> const& values) {
    std::vector<Saved> saved;
    Files files = files_;
    for (ValueId value : values) {
        saved.push_back({value, tensor::NpySource{file_of(value)}});
        files[file_of(value)] = at.values[ein::at(value)];
    }
    try {
        EinGraph rest = rest_of(graph_, at.at, saved);
        for (std::size_t k = 0; k < rest.outputs.size(); ++k)
            CHECK(rest.value(rest.outputs[k]).name == graph_.value(graph_.outputs[k]).name);
        CHECK(difference(graph_, expected_, OneByOne(rest, files).outputs()) == "");
        std::string const text = graph_text(rest);
        INFO(text);
        EinGraph const read = read_graph(text, "rest");
        CHECK(difference(graph_, expected_, OneByOne(read, files).outputs()) == "");
        for (std::size_t k = 0; k < read.outputs.size(); ++k)
            CHECK(read.value(read.outputs[k]).name == graph_.value(graph_.outputs[k]).name);
        return rest;
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
        return graph_;
    }
}

void check_everywhere(EinGraph const& graph, std::size_t most, std::uint64_t seed) {
    RestCheck(graph, seed).run(most);
    RestCheck(lower_contractions(graph), seed).run(most);
}

}  // namespace ein::test
