#include "scheduler/lower/alike_nodes.hpp"

#include "scheduler/lower/lower_node.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

constexpr std::size_t layers = 6;

enum class Weights { one_each, shared };

/// X W0 W1 ..., whose sums are over a label that is cut: every layer sends partial results. Or X W W ..., which is
/// brought once and read until the last layer.
graph::EinGraph chain(Weights weights) {
    test::GraphBuilder g;
    g.leaf("X0", {8, 8});
    auto const weight = [&](std::size_t k) { return "W" + std::to_string(weights == Weights::shared ? 0 : k); };
    for (std::size_t k = 0; k < layers; ++k) {
        if (k == 0 || weights == Weights::one_each) g.leaf(weight(k), {8, 8});
        g.einsum("X" + std::to_string(k + 1), "ij,jk->ik", {"X" + std::to_string(k), weight(k)});
    }
    return g.finish({"X" + std::to_string(layers)});
}

struct Made {
    schedule::Header header;
    std::vector<schedule::Section> sections;
    std::vector<scheduler::Traffic> traffic;
    std::size_t lowered = 0;  // nodes, one by one
};

enum class Alike { again, anew };

Made made(Alike how, Weights weights) {
    test::LoweringBench bench(chain(weights), 4, std::vector<Parts>(layers, Parts{2, 2, 1}));
    auto const readers = bench.graph.consumers();
    Made out;
    scheduler::AlikeNodes alike(bench.context);
    for (std::size_t k = 0; k < layers; ++k) {
        NodeId const id{static_cast<std::int32_t>(k)};
        bench.context.traffic.begin(id);
        for (scheduler::SectionBuilder& section : bench.context.sections) section.begin_node();
        auto const lower = [&] {
            ++out.lowered;
            scheduler::lower_einsum(bench.context, id, std::get<graph::EinSum>(bench.graph.nodes[k].op));
        };
        std::vector<ValueId> last_read = bench.graph.nodes[k].inputs;
        std::erase_if(last_read, [&](ValueId value) { return readers[at(value)].back() != id; });
        how == Alike::again ? alike.lower(id, last_read, lower) : lower();
        for (ValueId value : last_read) bench.context.directory.forget(value);
    }
    for (scheduler::SectionBuilder& section : bench.context.sections)
        out.sections.push_back(std::move(section).finish());
    out.traffic = bench.context.traffic.all();
    out.header = bench.header;
    return out;
}

/// A section in words, boxes and all.
std::string words_of(schedule::Section const& section) {
    std::string out;
    auto const add = [&](std::int64_t number) { out += std::to_string(number) + " "; };
    for (schedule::Block const& block : section.blocks) {
        add(block.tensor.value()), add(block.readers), add(block.writers);
        out += to_string(section.box_of(block)) + "\n";
    }
    for (schedule::Task const& task : section.tasks) {
        schedule::Task::Record const& record = task.record();
        out += std::string(task.traits().name) + " ";
        add(record.entry), add(record.result ? (*record.result).value() : -1), add(record.peer), add(record.tag);
        add(record.after ? (*record.after).value() : -1), add(record.accumulates ? 1 : 0);
        for (BlockId block : section.reads(task)) add(block.value());
        out += to_string(section.region_of(task).box()) + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("nodes that are made again are as if they had been lowered", "[scheduler][alike_nodes]") {
    auto const weights = GENERATE(Weights::one_each, Weights::shared);
    Made const again = made(Alike::again, weights), anew = made(Alike::anew, weights);
    CHECK(anew.lowered == layers);
    CHECK(again.lowered < layers);
    for (std::size_t rank = 0; rank < again.sections.size(); ++rank)
        CHECK(words_of(again.sections[rank]) == words_of(anew.sections[rank]));
    REQUIRE(again.header.kernels.size() == anew.header.kernels.size());
    for (schedule::KernelId kernel : again.header.kernels.ids())
        CHECK(again.header.kernels[kernel].node == anew.header.kernels[kernel].node);
    for (std::size_t k = 0; k < layers; ++k) CHECK(again.traffic[k].total() == anew.traffic[k].total());
}

TEST_CASE("messages to and from many peers are numbered one by one", "[scheduler][alike_nodes]") {
    scheduler::PeerTags tags;
    for (int round = 0; round < 3; ++round)
        for (int peer = 0; peer < 100; ++peer) {
            CHECK(tags.sent(Rank{37 * peer})++ == round);
            if (peer % 2 == 0) CHECK(tags.received(Rank{37 * peer})++ == round);
        }
}

TEST_CASE("calls that could not be placed for certain stay where those of the last such node are",
          "[scheduler][placement]") {
    constexpr std::size_t ranks = 100;
    relation::Plan plan;
    plan.ranks = plan.calls = ranks;
    plan.nodes.assign(3, {.parts = {ranks}});
    std::vector<std::uint64_t> const outlines{1, 1, 2};
    int turn = 0;
    auto const turning = [&](scheduler::PlaceQuery const& query) {
        std::vector<Rank> out;
        for (std::size_t call = 0; call < query.held.size(); ++call)
            out.emplace_back(static_cast<int>(call + static_cast<std::size_t>(turn)) % query.ranks);
        ++turn;
        return out;
    };
    scheduler::CallPlacement placement(plan, outlines, turning, {});
    for (std::int32_t node = 0; node < 3; ++node) {
        auto calls = scheduler::calls_of_blocks({ranks}, {ranks});
        placement.place(NodeId{node}, calls, std::vector<std::vector<scheduler::Held>>(ranks));
    }
    CHECK(placement.ranks()[1] == placement.ranks()[0]);
    CHECK(placement.ranks()[2] != placement.ranks()[0]);
}
