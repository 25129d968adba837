#include <cmath>
#include <random>

#include "lib/base/error.hpp"
#include "lib/graph/contract/network.hpp"
#include "lib/graph/contract/order/search_path.hpp"
#include "lib/graph/contract/order/simplify.hpp"
#include "lib/graph/contract/order/slice.hpp"
#include "lib/graph/contract/orders.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

/// Operands on a grid, a label for each two neighbours.
Network grid(int rows, int columns, double extent) {
    Network network;
    network.operands.resize(static_cast<std::size_t>(rows * columns));
    auto const connect = [&](int a, int b) {
        int const label = static_cast<int>(network.extents.size());
        network.extents.push_back(extent);
        network.kept.push_back(false);
        network.operands[static_cast<std::size_t>(a)].push_back(label);
        network.operands[static_cast<std::size_t>(b)].push_back(label);
    };
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            if (j + 1 < columns) connect(i * columns + j, i * columns + j + 1);
            if (i + 1 < rows) connect(i * columns + j, (i + 1) * columns + j);
        }
    return network;
}

/// A ring of operands of four labels each: neighbours share one, and those seven apart.
Network ring(int count) {
    Network network;
    network.operands.resize(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k)
        for (int other : {k + 1, k + 7}) {
            int const label = static_cast<int>(network.extents.size());
            network.extents.push_back(2);
            network.kept.push_back(false);
            network.operands[static_cast<std::size_t>(k)].push_back(label);
            network.operands[static_cast<std::size_t>(other % count)].push_back(label);
        }
    for (auto& labels : network.operands) std::sort(labels.begin(), labels.end());
    return network;
}

/// Operands of one to three labels, most in more than two operands, some of them kept.
Network hyperedges(std::size_t operands, std::size_t labels, unsigned seed) {
    std::mt19937 random(seed);
    Network network;
    std::vector<int> holders(labels, 0);
    for (std::size_t k = 0; k < operands; ++k) {
        std::vector<int> own;
        for (std::size_t axis = 0, order = 1 + random() % 3; axis < order; ++axis)
            own.push_back(static_cast<int>(random() % labels));
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        for (int label : own) ++holders[static_cast<std::size_t>(label)];
        network.operands.push_back(own);
    }
    for (std::size_t label = 0; label < labels; ++label) {
        network.extents.push_back(static_cast<double>(2 + random() % 3));
        network.kept.push_back(holders[label] == 1);
    }
    return network;
}

bool uses_each_once(SsaPath const& path, std::size_t operands) {
    std::vector<int> used(operands + path.size(), 0);
    for (std::size_t k = 0; k < path.size(); ++k)
        for (int number : {path[k].first, path[k].second}) {
            if (number < 0 || static_cast<std::size_t>(number) >= operands + k) return false;
            ++used[static_cast<std::size_t>(number)];
        }
    return path.size() + 1 == operands &&
           std::count(used.begin(), used.end(), 1) == static_cast<std::ptrdiff_t>(used.size() - 1);
}

EinGraph product_graph(Network const& network) {
    std::string in, inputs, tensors;
    for (std::size_t k = 0; k < network.operands.size(); ++k) {
        std::string labels, extents;
        for (int label : network.operands[k]) {
            labels += (labels.empty() ? "\"l" : ", \"l") + std::to_string(label) + "\"";
            extents += (extents.empty() ? "" : ", ") +
                       std::to_string(static_cast<long>(network.extents[static_cast<std::size_t>(label)]));
        }
        std::string const name = "\"t" + std::to_string(k) + "\"", comma = k > 0 ? ", " : "";
        in += comma + "[" + labels + "]";
        inputs += comma + name;
        tensors += comma + name + ": {\"shape\": [" + extents + "]}";
    }
    return read_graph("{\"eingraph\": 1, \"dtype\": \"f64\", \"tensors\": {" + tensors +
                          "}, \"nodes\": [{\"name\": \"Z\", \"einsum\": {\"in\": [" + in +
                          "], \"out\": []}, \"inputs\": [" + inputs + "]}], \"outputs\": [\"Z\"]}",
                      "g.json");
}

}  // namespace

TEST_CASE("a searched order is a whole one, the same each time, and no worse than greedy", "[lib][graph]") {
    auto const network = GENERATE(grid(6, 6, 2), grid(5, 9, 3), hyperedges(60, 30, 1), hyperedges(40, 60, 2));
    SsaPath const path = search_path(network, 2e7);
    CHECK(uses_each_once(path, network.operands.size()));
    CHECK(path == search_path(network, 2e7));
    CHECK(path_cost(network, path) <= 1.05 * path_cost(network, greedy_path(network)));
}

TEST_CASE("searching finds the optimum of products that can be compared with all orders", "[lib][graph]") {
    for (unsigned seed = 1; seed < 6; ++seed) {
        Network const network = hyperedges(13, 12, seed);
        double const least = path_cost(network, *optimal_path(network, 13));
        CHECK(path_cost(network, search_path(network, 5e7)) == least);  // few enough to compare all for that work
        CHECK(path_cost(network, search_path(network, 1e6)) <= path_cost(network, greedy_path(network)));
    }
    for (unsigned seed = 1; seed < 8; ++seed) {
        Network const network = hyperedges(10, 9, seed);
        CHECK(path_cost(network, search_path(network, 1e7)) == path_cost(network, *optimal_path(network)));
    }
}

TEST_CASE("a grid of 8 x 8 is contracted in few more operations than column by column takes", "[lib][graph]") {
    // Sweeping a boundary of 8 labels of extent 2 over 64 operands takes about 64 * 2^9 multiply-adds.
    Network const network = grid(8, 8, 2);
    CHECK(path_operations(network, search_path(network, 2e8)) < 2 * 64 * std::pow(2, 9.5));
}

TEST_CASE("what is absorbed makes nothing larger", "[lib][graph]") {
    Network network;
    network.extents = {2, 3, 4};
    network.kept = {false, false, false};
    network.operands = {{0, 1}, {1}, {1, 2}, {0, 2}, {0, 1}};
    Simplified const simplified = simplify(network);
    CHECK(simplified.rest.operands.size() == 3);
    SsaPath const path = whole_path(simplified, 5, good_path(simplified.rest));
    CHECK(uses_each_once(path, 5));
    CHECK(largest_result(network, path) <= 12);
}

TEST_CASE("slices hold no more than they may, and cost what their steps add up to", "[lib][graph]") {
    Network const network = grid(7, 7, 2);
    SsaPath const path = search_path(network, 1e7);
    double const most = peak_elements(network, path) / 16;
    Sliced const sliced = slice(network, path, most, Reorder::yes, 1e7);
    CHECK(sliced.peak <= most);
    CHECK(sliced.slices >= 2);
    CHECK(uses_each_once(sliced.path, network.operands.size()));
    CHECK(sliced.operations == sliced_operations(network, sliced.path, sliced.labels));
    CHECK(sliced.operations >= path_operations(network, sliced.path) * 0.999);  // nothing is done less than once
    Sliced const as_given = slice(network, path, most, Reorder::no, 0);
    CHECK(path_operations(network, as_given.path) == path_operations(network, path));
}

TEST_CASE("the operand that leaves less to be held comes first", "[lib][graph]") {
    Network const network = grid(5, 5, 3);
    SsaPath const path = good_path(network);
    SsaPath const ordered = order_for_memory(network, path);
    CHECK(uses_each_once(ordered, network.operands.size()));
    CHECK(path_cost(network, ordered) == Approx(path_cost(network, path)));
    CHECK(peak_elements(network, ordered) == peak_elements(network, path));
}

TEST_CASE("chosen orders are followed, and what has few operands keeps its own", "[lib][graph]") {
    EinGraph const graph = product_graph(grid(4, 4, 2));
    OrderLimits limits;
    limits.work = 1e9;
    SearchedOrders searched;
    ChosenOrders const chosen = choose_orders(graph, limits, "g.json", searched);
    REQUIRE(chosen.orders.size() == 1);
    CHECK(chosen.orders[0].value == "Z");
    CHECK_FALSE(chosen.orders[0].slicing);
    REQUIRE(chosen.reports.size() == 1);
    CHECK(chosen.reports[0].operands == 16);
    CHECK(with_orders(graph, chosen.orders).nodes.back().path == chosen.orders[0].path);
    CHECK(choose_orders(graph, limits, "g.json", searched).orders == chosen.orders);
    CHECK(choose_orders(product_graph(grid(1, 5, 2)), limits, "g.json", searched).orders.empty());
}

TEST_CASE("a product that does not fit on all ranks together is sliced for one of them", "[lib][graph]") {
    EinGraph const graph = product_graph(ring(40));
    OrderLimits limits;
    limits.ranks = 3;
    limits.rank_bytes = 24 * 1024;
    SearchedOrders searched;
    ChosenOrders const chosen = choose_orders(graph, limits, "g.json", searched);
    REQUIRE(chosen.orders.at(0).slicing);
    CHECK(chosen.orders[0].slicing->at_once == 3);
    CHECK(chosen.reports[0].slices >= 4);
    CHECK(chosen.reports[0].largest * 8 <= 24 * 1024);
}

TEST_CASE("a product that nobody can wait for is refused with what it takes", "[lib][graph]") {
    EinGraph const graph = product_graph(grid(20, 20, 16));
    OrderLimits limits;
    SearchedOrders searched;
    try {
        choose_orders(graph, limits, "g.json", searched);
        FAIL("accepted");
    } catch (MemoryError const& error) {
        std::string const text = error.what();
        CAPTURE(text);
        CHECK(text.find("g.json: the product 'Z' of 400 operands: expected at most 1e+18 operations, found that the "
                        "best order that was found takes") != std::string::npos);
        CHECK(text.find("with a largest intermediate of") != std::string::npos);
        CHECK(text.find("give --limit") != std::string::npos);
        CHECK(text.find("--memory") != std::string::npos);
    }
    CHECK_THROWS_AS(lower_contractions(graph), MemoryError);  // never one pass over all operands instead
}
