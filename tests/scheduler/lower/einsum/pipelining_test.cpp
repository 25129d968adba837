#include "scheduler/lower/einsum/pipelining.hpp"

#include <utility>

#include "lib/schedule/memory/replay.hpp"
#include "scheduler/emit/section_builder.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using schedule::Apply;
using schedule::Load;
using schedule::Section;
using schedule::Store;
using schedule::TensorId;
using scheduler::SplitRule;

namespace {

constexpr SplitRule any_size{
    .product_points = 1, .other_points = 1, .product_length = 1, .block_bytes = 1 << 20, .weighs_time = false};
constexpr int heads = 2;

/// Attention of two heads on two ranks from Q, K and V on: nodes P = exp(Q K), N = sums of P, W = P / N, O = W V, Y = O
/// U.
struct Attention {
    graph::EinGraph graph;
    relation::Plan plan{.ranks = heads, .calls = heads, .strategy = "by hand", .nodes = {}, .gap = {}};

    explicit Attention(std::vector<std::string> const& outputs = {"Y"}) : Attention(build(), outputs) {}
    Attention(test::GraphBuilder g, std::vector<std::string> const& outputs) : graph(g.finish(outputs)) {
        for (graph::Node const& node : graph.nodes) {
            Parts parts;
            for (std::string const& label : std::get<graph::EinSum>(node.op).labels)
                parts.push_back(label == "h" ? heads : 1);
            plan.nodes.push_back({.parts = std::move(parts)});
        }
    }
    static test::GraphBuilder build() {
        test::GraphBuilder g;
        for (auto const& name : {"Q", "K", "V"}) g.leaf(name, {24, heads, 4});
        g.leaf("U", {heads, 4, 6});
        g.einsum("P", "shd,thd->hst", {"Q", "K"}, {.join = "exp(x*y)"});
        g.einsum("N", "hst->hs", {"P"});
        g.einsum("W", "hst,hs->hst", {"P", "N"}, {.join = "x/y"});
        g.einsum("O", "hst,thd->shd", {"W", "V"});
        g.einsum("Y", "shd,hda->sa", {"O", "U"});
        return g;
    }
    std::map<std::string, Parts> subblocks(SplitRule const& rule = any_size) const {
        auto const subblocks =
            scheduler::pipelined_values(graph, plan, scheduler::value_parts(graph, plan), {0, {}, rule});
        std::map<std::string, Parts> out;
        for (std::size_t v = 0; v < subblocks.size(); ++v)
            if (!subblocks[v].empty()) out[graph.values[v].name] = subblocks[v];
        return out;
    }
    schedule::Schedule schedule(SplitRule const& rule = any_size) const {
        return scheduler::make_schedule(graph, plan, {.place = "pattern", .subblock_bytes = 0, .split = rule});
    }
};

/// Names of the nodes whose kernels run, in order.
std::string applied(schedule::Schedule const& schedule, Rank rank) {
    std::string out;
    Section const& section = schedule.sections[rank];
    for (schedule::Task const& task : section.tasks)
        if (task.is<Apply>()) out += schedule.header.kernels[section.as<Apply>(task).kernel].node;
    return out;
}

}  // namespace

TEST_CASE("what becomes partial results is made in their subblocks, up to where it comes from others",
          "[scheduler][pipelining]") {
    using Subblocks = std::map<std::string, Parts>;
    CHECK(Attention().subblocks() == Subblocks{{"P", {1, 2, 1}}, {"N", {1, 2}}, {"W", {1, 2, 1}}, {"O", {2, 1, 1}}});
    CHECK(Attention({"Y", "O"}).subblocks().empty());
    CHECK(Attention({"Y", "W"}).subblocks() == Subblocks{{"O", {2, 1, 1}}});
    CHECK(Attention().subblocks({}).empty());  // much too small

    auto g = Attention::build();
    g.einsum("Q2", "hst->hst", {"P"}, {.join = "2*x"});  // reads all of P at once
    CHECK(Attention(std::move(g), {"Y", "Q2"}).subblocks() ==
          Subblocks{{"N", {1, 2}}, {"W", {1, 2, 1}}, {"O", {2, 1, 1}}});

    Attention apart;
    apart.plan.nodes[2].parts = {1, 2, 1};  // W, by rows
    CHECK(apart.subblocks().empty());       // O's subblocks would come from other ranks
}

TEST_CASE("pipelined kernels come subblock by subblock, those first that others wait for", "[scheduler][pipelining]") {
    Attention const attention;
    auto const whole = attention.schedule({}), pipelined = attention.schedule();
    for (Rank rank : pipelined.sections.ids()) {
        CHECK(applied(whole, rank) == "PNWOY");
        CHECK(applied(pipelined, rank) == "PNWOYYPNWOYY");
        Section const& section = pipelined.sections[rank];
        auto const first = std::find_if(section.tasks.begin(), section.tasks.end(),
                                        [](schedule::Task const& task) { return task.is<Apply>(); });
        CHECK(section.region_of(*first).begin[0] == (rank == Rank{0} ? 12 : 0));  // s of the other rank's subblock
        CHECK(schedule::replay(section).peak < schedule::replay(whole.sections[rank]).peak);
    }
    CHECK(pipelined.header.prediction.bytes_sent == whole.header.prediction.bytes_sent);
}

TEST_CASE("what may wait comes right before its first reader, but for pipelines with which more would be live",
          "[scheduler][pipelining]") {
    auto const box = [](Extent length) { return Box{{0}, {length}}; };
    // B, of y, and A, of x, may wait; C reads B and then D reads A. While A waits, x is live.
    auto const lengths = [&](Extent of_x, scheduler::Room room) {
        scheduler::SectionBuilder b;
        TensorId tensors;
        auto const add_block = [&](Extent length) {
            TensorId const tensor = std::exchange(tensors, following(tensors));
            return b.add_block(tensor, DType::f64, box(length));
        };
        auto const load = [&](Extent length) {
            BlockId const made = add_block(length);
            b.add(Load{{}, made});
            return made;
        };
        auto const apply = [&](BlockId from, Extent length, bool may_wait) {
            BlockId const made = add_block(length);
            b.begin_node();
            b.add(Apply{{}, {&from, 1}, made, view(box(length))}, {.may_wait = may_wait});
            return made;
        };
        BlockId const x = load(of_x), y = load(1), made_b = apply(y, 2, true), made_a = apply(x, 4, true),
                      c = apply(made_b, 80, false), d = apply(made_a, 1, false);
        for (BlockId block : {c, d}) b.add(Store{{}, block});
        std::vector<Extent> out;
        Section const section = std::move(b).finish(room);
        for (schedule::Task const& task : section.tasks)
            if (task.is<Apply>()) out.push_back(section.region_of(task).length[0]);
        return out;
    };
    using scheduler::Room;
    std::vector<Extent> const all{2, 80, 4, 1}, only_b{4, 2, 80, 1};
    CHECK(lengths(2, Room::within_peak) == all);
    CHECK(lengths(6, Room::any) == all);  // 90 elements in place of 86
    CHECK(lengths(6, Room::within_peak) == only_b);
    CHECK(lengths(60, Room::any) == only_b);
}

TEST_CASE("pipelines may be as long as graphs", "[scheduler][pipelining]") {
    constexpr std::int32_t length = 300'000;
    scheduler::SectionBuilder b;
    Box const box{{0}, {1}};
    BlockId block = b.add_block(TensorId{0}, DType::f64, box);
    b.add(Load{{}, block});
    for (std::int32_t k = 1; k <= length; ++k) {
        BlockId const next = b.add_block(TensorId{k}, DType::f64, box);
        b.add(Apply{{}, {&block, 1}, next, view(box)}, {.may_wait = k < length});
        block = next;
    }
    b.add(Store{{}, block});
    CHECK(std::move(b).finish().tasks.size() == length + 2);
}
