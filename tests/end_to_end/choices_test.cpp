// Products under conditions, one-hot products and counts, in whole graphs: with nan and infinities where a condition
// says no and where it says yes, on several ranks, with gradients, and with the same bits however the graph is cut.
// EIN_SEEDS=FIRST:COUNT draws other graphs.
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"

using namespace ein;

namespace {

class ChoiceDraw {
public:
    explicit ChoiceDraw(std::uint64_t seed) : engine_(seed) {}
    bool yes(int of = 2) { return engine_() % static_cast<std::uint64_t>(of) == 0; }
    std::string one_of(std::vector<std::string> const& list) { return list[engine_() % list.size()]; }
    int number(int below) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(below)); }

private:
    std::mt19937_64 engine_;
};

Json normal_leaf(Shape const& shape, int seed, std::string const& dtype) {
    return {{"shape", shape}, {"dtype", dtype}, {"data", {{"random", "normal"}, {"seed", seed}}}};
}
Json class_numbers(Extent count, int below) {
    return {{"shape", {count}},
            {"dtype", "i64"},
            {"data", {{"random", "uniform"}, {"low", -1}, {"high", below + 1}, {"seed", 7}}}};  // some name nothing
}

/// `from` with a nan or infinity in some places, or none.
Json hurt_in_places(ChoiceDraw& draw, std::string const& name, std::string const& from) {
    std::string const places = draw.one_of({"[a] == 3 && [b] == 5", "[a] > [b] + 30", "[b] == 7", "[a] == 11"});
    std::string const join =
        draw.yes() ? "x" : "where(" + places + ", " + draw.one_of({"inf", "-inf", "1/(x - x)", "0/(x - x)"}) + ", x)";
    return {{"name", name}, {"einsum", "ab->ab"}, {"inputs", {from}}, {"join", join}};
}

Json choice_graph(std::string const& dtype, Json tensors, Json nodes, std::vector<std::string> const& outputs) {
    return {{"eingraph", 1},
            {"dtype", dtype},
            {"tensors", std::move(tensors)},
            {"nodes", std::move(nodes)},
            {"outputs", outputs}};
}

Json masked_product_graph(ChoiceDraw& draw) {
    std::string const dtype = draw.one_of({"f32", "f32", "f64", "bf16", "f16", "c64"});
    std::string const product = draw.one_of({"x*y", "-x*y", "x*y*0.5", "y*x/2"});
    std::vector<std::string> conditions{
        "[i] >= [j]",       "[i] - [j] < 20 && [j] <= [i]",  "!([j] > [i] + 5)", "[j] < 20", "z",
        "mod([j], 5) != 2", "floor([i]/16) == floor([j]/16)"};
    if (dtype != "c64") conditions.insert(conditions.end(), {"x > 0", "x > 0 && [i] != [j]"});
    std::string const condition = draw.one_of(conditions);
    std::string const join =
        draw.one_of({"where(" + condition + ", " + product + ", 0)", "where(" + condition + ", 0, " + product + ")",
                     "2*where(" + condition + ", " + product + ", 0)"});
    bool const turned = draw.yes();
    Json nodes{hurt_in_places(draw, "A", "A0"), hurt_in_places(draw, "B", "B0")};
    bool const with_z = condition == "z";
    std::vector<std::string> inputs{"A", "B"};
    if (with_z) inputs.push_back("M");
    std::string const a = turned ? "ji" : "ij";
    nodes.push_back({{"name", "Z"},
                     {"einsum", a + ",jk" + (with_z ? "," + a : "") + (turned ? "->ki" : "->ik")},
                     {"inputs", inputs},
                     {"join", join}});
    std::vector<std::string> outputs{"Z"};
    if (dtype != "c64" && draw.yes(3)) {
        nodes.push_back({{"name", "L"}, {"einsum", "ik->"}, {"inputs", {"Z"}}, {"join", "x*x*0.01"}});
        nodes.push_back({{"name", "g"}, {"grad", {{"of", "L"}, {"wrt", {"A0", "B0"}}}}});
        outputs.insert(outputs.end(), {"g/A0", "g/B0"});
    }
    Shape const shape = turned ? Shape{50, 60} : Shape{60, 50};
    return choice_graph(dtype,
                        {{"A0", normal_leaf(shape, 1, dtype)},
                         {"B0", normal_leaf({50, 40}, 2, dtype)},
                         {"M", {{"shape", shape}, {"dtype", "bool"}, {"data", {{"random", "uniform"}, {"seed", 3}}}}}},
                        nodes, outputs);
}

Json one_hot_graph(ChoiceDraw& draw) {
    std::string const dtype = draw.one_of({"f32", "f64", "bf16"});
    Json nodes{hurt_in_places(draw, "W", "W0"), {{"name", "H"}, {"op", "one_hot"}, {"inputs", {"n"}}, {"depth", 30}}};
    std::vector<std::string> outputs{"Z", "C"};
    if (draw.yes()) {
        nodes.push_back({{"name", "Z"}, {"op", "matmul"}, {"inputs", {"H", "W"}}});
    } else {
        nodes.push_back({{"name", "Z"}, {"einsum", "i,vd->id"}, {"inputs", {"n", "W"}}, {"join", "(x == [v])*y"}});
        nodes.back()["dtype"] = dtype;
    }
    nodes.push_back({{"name", "C"}, {"einsum", "iv->v"}, {"inputs", {"H"}}});
    if (draw.yes()) {
        nodes.push_back(hurt_in_places(draw, "G", "G0"));
        nodes.push_back({{"name", "S"}, {"einsum", "iv,id->vd"}, {"inputs", {"H", "G"}}});
        outputs.emplace_back("S");
    }
    if (draw.yes()) {
        nodes.push_back({{"name", "L"}, {"einsum", "id->"}, {"inputs", {"Z"}}, {"join", "x*x*0.01"}});
        nodes.push_back({{"name", "g"}, {"grad", {{"of", "L"}, {"wrt", {"W0"}}}}});
        outputs.emplace_back("g/W0");
    }
    if (draw.yes(3)) outputs.emplace_back("H");
    return choice_graph(dtype,
                        {{"W0", normal_leaf({30, 48}, 1, dtype)},
                         {"G0", normal_leaf({200, 48}, 2, dtype)},
                         {"n", class_numbers(200, 30)}},
                        nodes, outputs);
}

void check_choices(Json const& graph, std::uint64_t seed) {
    CAPTURE(seed, graph["nodes"].dump());
    int const ranks[] = {1, 2, 3, 5};
    test::WholeRunSetup setup;
    setup.ranks = ranks[seed % 4];
    setup.threads = setup.ranks == 1 ? 3 : 1;
    test::check_results(test::whole_run(graph, setup));
    test::WholeRunSetup emulated;
    emulated.device = {executor::DeviceKind::emulated};
    emulated.device_memory = 0;
    test::check_results(test::whole_run(graph, emulated));

    test::WholeRunSetup same;
    same.reproducible = true;
    test::WholeRun const first = test::whole_run(graph, same);
    test::check_results(first);
    same.ranks = ranks[1 + seed % 3];
    same.split = test::smallest_pieces;
    same.compared = false;
    test::WholeRun const second = test::whole_run(graph, same);
    for (std::string const& failure : second.failures) FAIL_CHECK(failure);
    for (auto const& [name, result] : second.results) {
        CAPTURE(name);
        CHECK(test::same_bits_but_nans(result, first.results.at(name)));
    }
}

}  // namespace

TEST_CASE("products under conditions, with nan and infinities anywhere", "[end_to_end][choices]") {
    auto const [first, count] = test::seeds(12);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        ChoiceDraw draw(seed);
        check_choices(masked_product_graph(draw), seed);
    }
}

TEST_CASE("one-hot products and counts, with nan and infinities anywhere", "[end_to_end][choices]") {
    auto const [first, count] = test::seeds(8);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        ChoiceDraw draw(seed);
        check_choices(one_hot_graph(draw), seed);
    }
}
