#include "apps/explain/mesh.hpp"

#include "apps/explain/collective.hpp"
#include "apps/explain/sharding_text.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::explain;

namespace {

std::vector<Rank> ranks(std::vector<int> const& numbers) {
    std::vector<Rank> out;
    for (int number : numbers) out.emplace_back(number);
    return out;
}

Spread calls(Parts const& parts, std::vector<int> const& numbers, int all) {
    std::vector<int> order;
    for (std::size_t k = 0; k < parts.size(); ++k) order.push_back(static_cast<int>(k));
    return spread_of_calls(parts, order, ranks(numbers), all).value();
}

std::string text(Spread const& spread, Mesh const& mesh) {
    std::vector<std::string> labels{"i", "j", "k"};
    labels.resize(spread.grid.size());
    return sharding_text(labels, Shape(labels.size(), 24), sharding_of(spread, mesh), mesh);
}

Exchange only(std::vector<Exchange> const& steps) {
    REQUIRE(steps.size() == 1);
    return steps[0];
}

}  // namespace

TEST_CASE("a cube of calls is sharded over three axes; what a tensor lacks it is replicated over",
          "[apps][explain][mesh]") {
    Spread const cube = calls({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, 8);
    Mesh const mesh{{2, 2, 2}};
    CHECK(text(cube, mesh) == "i/a j/b k/c");
    Sharding const left = sharding_of(projected(cube, {0, 1}), mesh);
    CHECK(left.on_mesh);
    CHECK(left.replicated);
    CHECK_FALSE(left.shards(2));
    CHECK(left.single.empty());
}

TEST_CASE("a mesh that the graph names is called so", "[apps][explain][mesh]") {
    graph::Mesh const given{{"dp", 2}, {"tp", 3}, {"sp", 2}};
    Sharding const sharding{true, {6, 1, 2}, {{0, 1}, {}, {2}}, {}, false};
    CHECK(sharding_text({"i", "j", "k"}, {24, 24, 24}, sharding, mesh_of(given)) == "i/dp,tp j k/sp");
    CHECK(sharding_text({}, {}, {true, {}, {}, {}, false}, mesh_of({})) == "scalar");
}

TEST_CASE("axes that are always used together are one", "[apps][explain][mesh]") {
    Spread const rows = calls({8, 1}, {0, 1, 2, 3, 4, 5, 6, 7}, 8);
    Spread const grid = calls({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}, 8);
    CHECK(mesh_for({&rows}, 8).sizes == std::vector{8});
    CHECK(mesh_for({&rows, &grid}, 8).sizes == std::vector{2, 4});
    CHECK(text(rows, {{2, 4}}) == "i/a,b j");
    CHECK(mesh_for({}, 1).sizes.empty());
}

TEST_CASE("the order of the factors is the one that explains most", "[apps][explain][mesh]") {
    Spread const grid = calls({3, 2}, {0, 1, 2, 3, 4, 5}, 6);
    Spread const other = calls({3, 1}, {0, 2, 4}, 6);
    Mesh const mesh = mesh_for({&grid, &other}, 6);
    CHECK(mesh.sizes == std::vector{3, 2});
    CHECK(text(other, mesh) == "i/a j (on one of b)");
}

TEST_CASE("calls that lie across the mesh are reported by their parts", "[apps][explain][mesh]") {
    CHECK(text(calls({4}, {0, 2, 3, 1}, 4), {{2, 2}}) == "i/4 (across the mesh)");
    CHECK(text(calls({4}, {0, 2, 1, 3}, 4), {{2, 2}}) == "i/b,a");
    CHECK_FALSE(spread_of_calls({4}, {0}, ranks({0, 1, 0, 1}), 2));  // every second call: no box
    CHECK(text(calls({4}, {0, 0, 1, 1}, 2), {{2}}) == "i/a");
}

TEST_CASE("uneven parts are reported", "[apps][explain][mesh]") {
    CHECK(uneven_text(29, 7) == "5+4x6");
    CHECK(uneven_text(30, 7) == "5x2+4x5");
    CHECK(uneven_text(28, 7).empty());
}

TEST_CASE("collectives are read off the axes", "[apps][explain][mesh]") {
    Mesh const mesh{{2, 2}};
    Sharding const rows = sharding_of(calls({2, 1}, {0, 2}, 4), mesh);  // i/a, on one of b
    Sharding const both = sharding_of(calls({2, 2}, {0, 1, 2, 3}, 4), mesh);
    Sharding const turned = sharding_of(calls({2, 2}, {0, 2, 1, 3}, 4), mesh);
    Sharding const four = sharding_of(calls({4, 1}, {0, 1, 2, 3}, 4), mesh);
    Sharding const half = sharding_of(projected(calls({2, 2}, {0, 1, 2, 3}, 4), {0}), mesh);  // i/a, replicated over b
    CHECK(only(exchanges(both, rows)) == Exchange{Collective::gather, {1}});
    CHECK(only(exchanges(rows, both)) == Exchange{Collective::scatter, {1}});
    CHECK(only(exchanges(four, both)) == Exchange{Collective::all_to_all, {1}});
    CHECK(only(exchanges(both, turned)) == Exchange{Collective::all_to_all, {0, 1}});
    CHECK(only(exchanges(both, both)) == Exchange{Collective::permute, {}});
    Sharding const column = sharding_of(projected(calls({4, 1}, {0, 1, 2, 3}, 4), {0}), mesh);  // i/a,b
    CHECK(only(exchanges(column, half)) == Exchange{Collective::all_gather, {1}});
    Sharding const one = sharding_of(calls({2}, {0, 2}, 4), mesh);
    CHECK(only(exchanges(one, half)) == Exchange{Collective::broadcast, {1}});
    CHECK(only(finishing({1}, {2, 1}, four)) == Exchange{Collective::reduce_scatter, {1}});
    CHECK(only(finishing({1}, {2, 1}, rows)) == Exchange{Collective::reduce, {1}});
    Sharding const across = sharding_of(calls({4, 1}, {0, 2, 3, 1}, 4), mesh);
    CHECK(only(finishing({1}, {2, 1}, across)) == Exchange{Collective::reduce_scatter, {1}});
    CHECK(only(finishing({1}, {4, 1}, across)) == Exchange{Collective::reduce, {1}});
    CHECK(only(finishing({}, {4, 1}, four)) == Exchange{Collective::reduce, {}});
}
