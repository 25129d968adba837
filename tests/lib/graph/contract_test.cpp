#include "lib/graph/contract.hpp"

#include <algorithm>
#include <random>

#include "lib/graph/contract/network.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;
using Lines = std::vector<std::string>;

namespace {

/// A graph of one einsum over inputs of the given shapes.
EinGraph einsum_graph(std::string const& einsum, std::vector<Shape> const& shapes, std::string const& more = "",
                      std::string const& dtype = "f64") {
    std::string tensors, inputs;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        std::string extents;
        for (Extent extent : shapes[k]) extents += (extents.empty() ? "" : ",") + std::to_string(extent);
        tensors += (k ? ", " : "") + ("\"t" + std::to_string(k)) + "\": {\"shape\": [" + extents + "]}";
        inputs += (k ? ", " : "") + ("\"t" + std::to_string(k)) + "\"";
    }
    return read_graph("{\"eingraph\": 1, \"dtype\": \"" + dtype + "\", \"tensors\": {" + tensors +
                          "}, \"nodes\": [{\"name\": \"Z\", \"einsum\": " + einsum + ", \"inputs\": [" + inputs + "]" +
                          more + "}], \"outputs\": [\"Z\"]}",
                      "g.json");
}

EinSum const& only_einsum(EinGraph const& graph) { return std::get<EinSum>(graph.nodes.back().op); }

double flops_of(EinGraph const& graph) {
    double total = 0;
    for (Node const& node : graph.nodes)
        if (auto const* einsum = std::get_if<EinSum>(&node.op)) total += flops(*einsum, einsum->extents);
    return total;
}

Lines lowered(std::string const& einsum, std::vector<Shape> const& shapes, std::string const& more = "",
              std::string const& dtype = "f64") {
    EinGraph const graph = lower_contractions(einsum_graph(einsum, shapes, more, dtype));
    verify(graph, "lower_contractions");
    return describe(graph);
}

/// The least cost of all orders, by trying every pair at every step.
double brute_force(Network const& network, SsaPath const& done, std::vector<int> const& live) {
    if (live.size() == 1) return path_cost(network, done);
    double best = INFINITY;
    for (std::size_t a = 0; a < live.size(); ++a)
        for (std::size_t b = a + 1; b < live.size(); ++b) {
            SsaPath path = done;
            path.emplace_back(live[a], live[b]);
            std::vector<int> rest;
            for (int number : live)
                if (number != live[a] && number != live[b]) rest.push_back(number);
            rest.push_back(static_cast<int>(network.operands.size() + done.size()));
            best = std::min(best, brute_force(network, path, rest));
        }
    return best;
}

Network random_network(std::mt19937& random, std::size_t operands, std::size_t labels) {
    Network network;
    auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
    for (std::size_t k = 0; k < labels; ++k) {
        network.extents.push_back(static_cast<double>(1 + draw(9)));
        network.kept.push_back(draw(4) == 0);
    }
    for (std::size_t k = 0; k < operands; ++k) {
        std::vector<int> own;
        for (std::size_t axis = 0, order = draw(4); axis < order; ++axis) own.push_back(static_cast<int>(draw(labels)));
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        network.operands.push_back(own);
    }
    for (std::size_t label = 0; label < labels; ++label) {  // what one operand has alone is not in a network
        auto const has = [&](std::vector<int> const& own) {
            return std::count(own.begin(), own.end(), static_cast<int>(label)) > 0;
        };
        if (std::count_if(network.operands.begin(), network.operands.end(), has) == 1) network.kept[label] = true;
    }
    return network;
}

std::vector<int> first_numbers(std::size_t count) {
    std::vector<int> numbers;
    for (std::size_t k = 0; k < count; ++k) numbers.push_back(static_cast<int>(k));
    return numbers;
}

/// A path contracts every operand and result once.
bool is_whole(SsaPath const& path, std::size_t operands) {
    std::vector<int> used(operands + path.size(), 0);
    for (std::size_t k = 0; k < path.size(); ++k)
        for (int number : {path[k].first, path[k].second}) {
            if (number < 0 || static_cast<std::size_t>(number) >= operands + k) return false;
            ++used[static_cast<std::size_t>(number)];
        }
    return path.size() + 1 == operands && std::count(used.begin(), used.end(), 1) == static_cast<long>(used.size() - 1);
}

std::string chain_einsum(int operands) {
    std::string in;
    for (int k = 0; k < operands; ++k)
        in += (k ? ", [\"i" : "[\"i") + std::to_string(k) + "\", \"i" + std::to_string(k + 1) + "\"]";
    return "{\"in\": [" + in + "], \"out\": [\"i0\", \"i" + std::to_string(operands) + "\"]}";
}

}  // namespace

TEST_CASE("optimal paths cost what the best of all orders costs", "[lib][graph]") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 60; ++trial) {
        std::size_t const operands = 2 + trial % 5;
        Network const network = random_network(random, operands, 2 + random() % 6);
        auto const path = optimal_path(network);
        REQUIRE(path);
        REQUIRE(is_whole(*path, operands));
        CHECK(path_cost(network, *path) == brute_force(network, {}, first_numbers(operands)));
    }
}

TEST_CASE("greedy paths are whole and near the optimum", "[lib][graph]") {
    std::mt19937 random(8);
    double worst = 1;
    for (int trial = 0; trial < 40; ++trial) {
        std::size_t const operands = 4 + trial % 6;
        Network const network = random_network(random, operands, 4 + random() % 6);
        SsaPath const path = greedy_path(network);
        REQUIRE(is_whole(path, operands));
        worst = std::max(worst, path_cost(network, path) / path_cost(network, *optimal_path(network)));
    }
    CHECK(worst < 1.5);
}

TEST_CASE("a chain of 60 matrices costs what the textbook's dynamic program finds", "[lib][graph]") {
    std::mt19937 random(9);
    std::vector<double> extents;
    for (int k = 0; k <= 60; ++k) extents.push_back(static_cast<double>(5 + random() % 46));
    std::vector<std::vector<double>> best(60, std::vector<double>(60, 0));
    for (std::size_t length = 1; length < 60; ++length)
        for (std::size_t i = 0; i + length < 60; ++i) {
            best[i][i + length] = INFINITY;
            for (std::size_t k = i; k < i + length; ++k)
                best[i][i + length] =
                    std::min(best[i][i + length], best[i][k] + best[k + 1][i + length] +
                                                      2 * extents[i] * extents[k + 1] * extents[i + length + 1]);
        }
    Network network;
    network.extents = extents;
    network.kept.assign(61, false);
    network.kept.front() = network.kept.back() = true;
    for (int k = 0; k < 60; ++k) network.operands.push_back({k, k + 1});
    CHECK(path_operations(network, good_path(network)) <= 1.1 * best[0][59]);
}

TEST_CASE("linear paths and SSA paths say the same", "[lib][graph]") {
    CHECK(to_linear({{0, 1}, {2, 3}}, 3) == Path{{0, 1}, {0, 1}});
    CHECK(to_linear({{1, 2}, {0, 3}}, 3) == Path{{1, 2}, {0, 1}});
    std::mt19937 random(10);
    for (std::size_t operands : {1, 2, 3, 7, 40}) {
        Path linear;
        for (std::size_t live = operands; live > 1; --live) {
            int const a = static_cast<int>(random() % live), b = static_cast<int>(random() % (live - 1));
            int const other = b >= a ? b + 1 : b;
            linear.emplace_back(std::min(a, other), std::max(a, other));
        }
        CHECK(to_linear(to_ssa(linear, operands), operands) == linear);
    }
}

TEST_CASE("a product of three is contracted where it is cheap first", "[lib][graph]") {
    CHECK(find_path(only_einsum(einsum_graph(R"("ij,jk,kl->il")", {{10, 1000}, {1000, 10}, {10, 1000}}))) ==
          Path{{0, 1}, {0, 1}});
    CHECK(lowered(R"("ij,jk,kl->il")", {{10, 1000}, {1000, 10}, {10, 1000}}) ==
          Lines{"Z:1 f64(10, 10) = t0(i j) t1(j k) -> (i k) sum x*y",
                "Z f64(10, 1000) = Z:1(i k) t2(k l) -> (i l) sum x*y"});
    CHECK(lowered(R"("ij,jk,kl->il")", {{10, 20}, {20, 30}, {30, 5}}, R"(, "path": [[0, 1], [0, 1]])")[0] ==
          "Z:1 f64(10, 30) = t0(i j) t1(j k) -> (i k) sum x*y");
}

TEST_CASE("results on the way are kept in the compute type", "[lib][graph]") {
    CHECK(lowered(R"("ij,jk,kl->il")", {{9, 9}, {9, 9}, {9, 9}}, "", "f16")[0].substr(0, 8) == "Z:1 f32(");
    CHECK(lowered(R"("ij,jk,kl->il")", {{9, 9}, {9, 9}, {9, 9}}, "", "c64")[0].substr(0, 8) == "Z:1 c64(");
    // the logarithm of integers is none
    CHECK(lowered(R"("ij,jk,kl->il")", {{9, 9}, {9, 9}, {9, 9}}, R"j(, "join": "x+y+z", "agg": "logsumexp")j", "i32")[0]
              .substr(0, 8) == "Z:1 f64(");
}

TEST_CASE("a lone sum of f32 is kept in f64 where that costs nothing", "[lib][graph]") {
    CHECK(lowered(R"("i,ij->i")", {{8}, {8, 9}}, "", "f32") ==
          Lines{"Z:1 f64(8,) = t1(i j) -> (i) sum x", "Z f32(8,) = t0(i) Z:1(i) -> (i) sum x*y"});
    auto const kept = [](char const* einsum, std::vector<Shape> const& shapes, char const* more, char const* dtype) {
        return lowered(einsum, shapes, more, dtype)[0].substr(4, 4);
    };
    CHECK(kept(R"("i,ij->i")", {{8}, {8, 9}}, "", "bf16") == "f64(");
    CHECK(kept(R"("i,ij->i")", {{8}, {8, 9}}, "", "c64") == "c128");
    CHECK(kept(R"("i,ij->i")", {{8}, {8, 9}}, R"j(, "join": "x*abs(-y)")j", "f32") == "f64(");
    CHECK(kept(R"("i,ij->i")", {{8}, {8, 9}}, R"j(, "join": "x*exp(y)")j", "f32") == "f32(");  // takes longer
    CHECK(kept(R"("ij,jk->i")", {{8, 9}, {9, 7}}, "", "f32") == "f32(");  // a product of a matrix would run in f64
    CHECK(kept(R"("i,ij->i")", {{8}, {8, 9}}, R"j(, "join": "x+y", "agg": "min")j", "f32") == "f32(");
    CHECK(kept(R"("i,ij->i")", {{8}, {8, 9}}, "", "i32") == "i32(");
}

TEST_CASE("another path is whole, affordable, and shares little with a known one", "[lib][graph]") {
    std::mt19937 random(12);
    std::size_t shared = 0, of = 0;
    for (int trial = 0; trial < 30; ++trial) {
        std::size_t const operands = 3 + trial % 10;
        Network const network = random_network(random, operands, 4 + random() % 8);
        SsaPath const known = good_path(network);
        OtherPath const other = other_path(network, known);
        REQUIRE(is_whole(other.path, operands));
        CHECK(path_cost(network, other.path) <= 4 * path_cost(network, known));
        shared += other.shared, of += operands - 2;
    }
    CHECK(10 * shared < 6 * of);
    CHECK(other_path({{2, 3, 4}, {true, false, true}, {{0, 1}, {1, 2}}}, {{0, 1}}).shared == 0);
    CHECK(other_path({{2, 3}, {true, true}, {{0, 1}}}, {}).path.empty());
}

TEST_CASE("what distributes is contracted, what does not stays one", "[lib][graph]") {
    struct Row {
        char const* more;
        bool pairwise;
    };
    auto const row = GENERATE(values<Row>({{R"()", true},
                                           {R"j(, "agg": "prod")j", false},
                                           {R"j(, "agg": "max")j", false},
                                           {R"j(, "join": "x+y+z", "agg": "min")j", true},
                                           {R"j(, "join": "x-y+z", "agg": "max")j", true},
                                           {R"j(, "join": "x+y+z")j", false},
                                           {R"j(, "join": "min(min(x,y),z)", "agg": "max")j", true},
                                           {R"j(, "join": "max(max(x,y),z)", "agg": "max")j", true},
                                           {R"j(, "join": "x&&y&&z", "agg": "any")j", true},
                                           {R"j(, "join": "x||y||z", "agg": "all")j", true},
                                           {R"j(, "join": "x||y||z", "agg": "any")j", true},
                                           {R"j(, "join": "x+y+z", "agg": "logsumexp")j", true},
                                           {R"j(, "join": "x*y*z*[i]")j", false},
                                           {R"j(, "join": "abs(x)*y*exp(z)*2")j", true},
                                           {R"j(, "join": "x*y")j", false},
                                           {R"j(, "join": "x*y*z*x")j", true},
                                           {R"j(, "join": "(x+y)*z")j", false},
                                           {R"j(, "join": "x/y*z")j", false}}));
    CAPTURE(row.more);
    EinGraph const graph = einsum_graph(R"("ij,jk,kl->il")", {{20, 20}, {20, 20}, {20, 20}}, row.more);
    CHECK(contracts_pairwise(only_einsum(graph)) == row.pairwise);
    CHECK(lower_contractions(graph).nodes.size() == (row.pairwise ? 2 : 1));
}

TEST_CASE("factors and constants go where their operand goes", "[lib][graph]") {
    CHECK(lowered(R"j("ij,jk,kl->il")j", {{10, 1000}, {1000, 10}, {10, 1000}}, R"j(, "join": "abs(x)*2*y*exp(z)")j") ==
          Lines{"Z:1 f64(10, 10) = t0(i j) t1(j k) -> (i k) sum abs(x)*y",
                "Z f64(10, 1000) = Z:1(i k) t2(k l) -> (i l) sum x*exp(y)*2"});
}

TEST_CASE("a label that one operand has alone is aggregated first", "[lib][graph]") {
    CHECK(lowered(R"("ij,jk->i")", {{8, 9}, {9, 7}}) ==
          Lines{"Z:1 f64(9,) = t1(j k) -> (j) sum x", "Z f64(8,) = t0(i j) Z:1(j) -> (i) sum x*y"});
    CHECK(lowered(R"j("ij,jk->i")j", {{8, 9}, {9, 7}}, R"j(, "join": "x+y", "agg": "min")j").size() == 2);
    CHECK(lowered(R"("ij,jk->ik")", {{8, 9}, {9, 7}}).size() == 1);
    CHECK(lowered(R"j("ij,jk->i")j", {{8, 9}, {9, 7}}, R"j(, "join": "x+y")j").size() == 1);
}

TEST_CASE("products that one pass computes as cheaply stay one", "[lib][graph]") {
    CHECK(lowered(R"("sa,s,a->sa")", {{20, 30}, {20}, {30}}).size() == 1);
    CHECK(lowered(R"("i,i,i->")", {{20}, {20}, {20}}).size() == 1);
}

TEST_CASE("expressions of opt_einsum's tests: lowered graphs are valid and cost no more than one pass",
          "[lib][graph]") {
    auto const text =
        GENERATE(as<std::string>{}, "a,ab,abc->abc", "a,b,ab->ab", "ea,fb,gc,hd,abcd->efgh", "ea,fb,abcd,gc,hd->efgh",
                 "abcd,ea,fb,gc,hd->efgh", "acdf,jbje,gihb,hfac,gfac,gifabc,hfac", "cd,bdhe,aidb,hgca,gc,hgibcd,hgac",
                 "abhe,hidj,jgba,hiab,gab", "bde,cdh,agdb,hica,ibd,hgicd,hiac", "chd,bde,agbc,hiad,hgc,hgi,hiad",
                 "ab,ab,c->", "ab,ab,c->c", "ab,ab,cd,cd->", "ab,ab,cd,cd->ac", "ab,ab,cd,cd->cd",
                 "ab,ab,cd,cd,ef,ef->", "ab,cd,ef->abcdef", "ab,cd,ef->acdf", "ab,cd,de->abcde", "ab,cd,de->be",
                 "ab,bcd,cd->abcd", "ab,bcd,cd->abd", "eb,cb,fb->cef", "dd,fb,be,cdb->cef", "bca,cdb,dbf,afc->",
                 "dcc,fce,ea,dbf->ab", "fdf,cdd,ccd,afe->ae", "abcd,ad", "ed,fcd,ff,bcf->be", "baa,dcf,af,cde->be",
                 "bd,db,eac->ace", "fff,fae,bef,def->abd", "efc,dbc,acf,fd->abe", "ba,ac,da->bcd");
    std::vector<Shape> shapes(1);
    std::size_t const arrow = text.find("->");
    for (char c : text.substr(0, arrow)) {
        if (c == ',')
            shapes.emplace_back();
        else
            shapes.back().push_back(2 + (c - 'a') % 4);
    }
    CAPTURE(text);
    EinGraph const whole = einsum_graph("\"" + text + "\"", shapes);
    EinGraph const parts = lower_contractions(whole);
    verify(parts, "lower_contractions");
    CHECK(flops_of(parts) <= flops_of(whole));
    CHECK(parts.value(parts.outputs[0]).shape == whole.value(whole.outputs[0]).shape);
}

TEST_CASE("hundreds of operands and a label in all of them are contracted quickly", "[lib][graph]") {
    std::string in = "[\"b\", \"i0\", \"i1\"]";
    std::vector<Shape> shapes{{2, 3, 3}};
    constexpr int operands = 20000;
    for (int k = 1; k < operands; ++k) {
        in += ", [\"b\", \"i" + std::to_string(k) + "\", \"i" + std::to_string(k + 1) + "\"]";
        shapes.push_back({2, 3, 3});
    }
    EinGraph graph =
        einsum_graph("{\"in\": [" + in + "], \"out\": [\"b\", \"i0\", \"i" + std::to_string(operands) + "\"]}", shapes);
    graph = lower_contractions(std::move(graph));
    verify(graph, "lower_contractions");
    CHECK(graph.nodes.size() == operands - 1);
    CHECK(flops_of(graph) == 2.0 * 2 * 27 * (operands - 1));
}

TEST_CASE("a chain read as lists has one node an inner label", "[lib][graph]") {
    std::vector<Shape> const shapes(30, Shape{4, 4});
    EinGraph const graph = lower_contractions(einsum_graph(chain_einsum(30), shapes));
    CHECK(graph.nodes.size() == 29);
    CHECK(flops_of(graph) == 2.0 * 64 * 29);
}
