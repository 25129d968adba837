#include "apps/explain/page/picture.hpp"

#include "lib/base/json.hpp"
#include "tests/apps/explain/explained.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::apps::explain;

namespace {

NodeReport node(std::string const& name, std::string const& operation, std::vector<std::optional<std::size_t>> makers) {
    NodeReport out;
    out.name = name;
    out.operation = operation;
    for (auto const& maker : makers) {
        Flow flow;
        flow.maker = maker;
        out.inputs.push_back(flow);
    }
    return out;
}

/// embed, then layers of norm, gate, up (both of the embedding too) and add, then head.
std::vector<NodeReport> network(std::size_t layers) {
    std::vector<NodeReport> out{node("embed", "embed", {std::nullopt})};
    for (std::size_t layer = 0; layer < layers; ++layer) {
        std::string const name = "block" + std::to_string(layer) + "/";
        std::size_t const before = out.size() - 1;
        out.push_back(node(name + "norm", "norm", {before}));
        out.push_back(node(name + "gate", "product", {before + 1, std::nullopt}));
        out.push_back(node(name + "up", "masked", {before + 1, 0}));
        out.push_back(node(name + "out", "add", {before, before + 2, before + 3}));
    }
    out.push_back(node("head", "head", {out.size() - 1}));
    return out;
}

}  // namespace

TEST_CASE("layers are drawn once, with their number, names and what passes their border", "[apps][explain][picture]") {
    Picture const picture = picture_of(network(8));
    REQUIRE(picture.scopes.size() == 2);
    Scope const &whole = picture.scopes[0], &layer = picture.scopes[1];
    REQUIRE(whole.items.size() == 3);
    REQUIRE(whole.groups.size() == 1);
    Group const& group = whole.groups[0];
    CHECK(group.first == 1);
    CHECK(group.period == 4);
    CHECK(group.copies == 8);
    CHECK(group.from_name == "block0/");
    CHECK(group.to_name == "block7/");
    REQUIRE(group.in.size() == 2);
    CHECK(group.in[0].sources == std::vector<Source>{{Source::From::step, 0}});  // the first layer's stream
    CHECK(group.in[0].carry == Carry{3, 1});
    CHECK(group.in[1].sources == std::vector<Source>(8, {Source::From::step, 0}));  // the same for all
    CHECK(!group.in[1].carry);
    CHECK(layer.out_ports == std::vector<std::size_t>{3});
    CHECK(layer.reads[1] == std::vector<Source>{{Source::From::step, 0}, {}});
    CHECK(layer.reads[3][0] == Source{Source::From::port, 0});
    CHECK(whole.vertices[1].height > layer.layout.height());
    CHECK(whole.vertices[1].in.size() == 2);
}

TEST_CASE("few nodes are drawn as they are", "[apps][explain][picture]") {
    Picture const picture = picture_of(network(3));
    CHECK(picture.scopes.size() == 1);
    CHECK(picture.scopes[0].items.size() == 14);
    CHECK(picture_of({}).scopes[0].items.empty());
}

TEST_CASE("layers are found however their nodes are listed", "[apps][explain][picture]") {
    // all norms cannot come first, but all gates and ups may come after the last layer's: list two networks in turn.
    auto const one = network(6);
    std::vector<NodeReport> both;
    for (std::size_t k = 0; k < one.size(); ++k)
        for (std::size_t of = 0; of < 2; ++of) {
            both.push_back(one[k]);
            both.back().name += of == 0 ? "" : "'";
            if (of == 1) both.back().operation += "'";
            for (Flow& flow : both.back().inputs)
                if (flow.maker) flow.maker = 2 * *flow.maker + of;
        }
    std::swap(both[9], both[10]);  // gate' before its neighbour up: no two layers are listed alike
    for (NodeReport& node : both)
        for (Flow& flow : node.inputs)
            if (flow.maker == 9 || flow.maker == 10) flow.maker = 19 - *flow.maker;
    Picture const picture = picture_of(both);
    REQUIRE(picture.scopes[0].groups.size() == 2);
    for (Group const& group : picture.scopes[0].groups) CHECK(group.copies == 6);
}

TEST_CASE("what is made once for all layers may be listed in the first", "[apps][explain][picture]") {
    std::vector<NodeReport> nodes = network(8);
    for (NodeReport& node : nodes)  // a mask after the first norm, read by every layer
        for (Flow& flow : node.inputs)
            if (flow.maker && *flow.maker > 1) ++*flow.maker;
    nodes.insert(nodes.begin() + 2, node("mask", "mask", {0}));
    for (std::size_t layer = 0; layer < 8; ++layer) nodes[4 + 4 * layer].inputs[1].maker = 2;
    Picture const picture = picture_of(nodes);
    REQUIRE(picture.scopes[0].groups.size() == 1);
    CHECK(picture.scopes[0].groups[0].copies == 8);
    CHECK(picture.order[1] == 2);
}

TEST_CASE("layers that are cut otherwise are copies, those of other extents are none", "[apps][explain][picture]") {
    auto nodes = network(8);
    nodes[14].cut.push_back({"i", 64, 2, false, ""});  // in the fourth layer
    for (std::size_t layer = 0; layer < 8; ++layer)
        if (layer != 3) nodes[2 + 4 * layer].cut.push_back({"i", 64, 1, false, ""});
    CHECK(picture_of(nodes).scopes[0].groups.at(0).copies == 8);
    nodes[14].cut[0].extent = 65;
    Picture const picture = picture_of(nodes);
    REQUIRE(picture.scopes[0].groups.size() == 1);
    CHECK(picture.scopes[0].groups[0].first == 17);
    CHECK(picture.scopes[0].groups[0].copies == 4);
}

TEST_CASE("every node of every example has its place, at every number of ranks", "[apps][explain][picture]") {
    int const ranks = GENERATE(1, 4);
    for (auto const& file : test::example_files()) {
        CAPTURE(file, ranks);
        Explanation const e = test::explained(test::graph_of(file), ranks);
        Picture const picture = picture_of(e.nodes);
        std::vector<std::size_t> order = picture.order;
        std::sort(order.begin(), order.end());
        for (std::size_t n = 0; n < order.size(); ++n) CHECK(order[n] == n);
        CHECK(order.size() == e.nodes.size());
        for (Scope const& scope : picture.scopes) {
            std::size_t steps = 0;
            for (Item const& item : scope.items) {
                CHECK(item.step == steps);
                steps += item.group ? scope.groups[*item.group].period * scope.groups[*item.group].copies : 1;
            }
            CHECK(steps == scope.reads.size());
            CHECK(scope.layout.vertices.size() == scope.in_ports + scope.items.size() + scope.out_ports.size());
        }
        CHECK(to_json(picture).at("scopes").size() == picture.scopes.size());
    }
}
