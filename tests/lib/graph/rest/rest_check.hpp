// What is left of a graph at the places between two nodes, in every iteration: computed from what was saved there it
// must give the outputs of the whole graph, bit for bit, and do nothing again that was done.
#pragma once

#include <random>
#include <vector>

#include "tests/lib/graph/rest/one_by_one.hpp"

namespace ein::test {

/// All that is known at a place: what nodes before it have made, outside of loops that it is not in.
std::vector<ValueId> known_at(graph::EinGraph const& graph, graph::Progress const& at);

class RestCheck {
public:
    /// @param seed  of the order in which nodes run, and of what is drawn
    explicit RestCheck(graph::EinGraph const& graph, std::uint64_t seed = 0, Files files = {});

    /// At all places, or at `most` of them that are drawn: with all that is known saved, with what a run still has,
    /// and with half of it.
    void run(std::size_t most);

private:
    struct Stopped {
        graph::Progress at;
        std::vector<Tensor> values;
        std::int64_t nodes_run = 0;
    };

    void check(Stopped const& at);
    graph::EinGraph check(Stopped const& at, std::vector<ValueId> const& values);
    void check_work(Stopped const& at, graph::EinGraph const& rest);
    std::string file_of(ValueId value) const { return "saved " + graph_.value(value).name; }

    graph::EinGraph const& graph_;
    Files files_;
    std::mt19937_64 random_;
    std::vector<Stopped> stopped_;
    std::vector<Tensor> expected_;
    std::int64_t nodes_run_ = 0;
};

/// The graph as it is read, and with its contractions lowered.
void check_everywhere(graph::EinGraph const& graph, std::size_t most, std::uint64_t seed = 1);

}  // namespace ein::test
