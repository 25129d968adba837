// einrun --verify of planned schedules: what no loop over all terms could check is checked, and what is wrong is found.
// A result is made wrong by changing the graph that the schedule carries for verifying, not the data that it runs on.
#include "tests/apps/einrun/einrun_place.hpp"

using namespace ein;
using namespace ein::test;

namespace {

using Labels = std::vector<std::vector<std::string>>;

Json random_tensor(Shape const& shape, int seed) {
    return {{"shape", shape}, {"data", {{"random", "uniform"}, {"low", -1}, {"high", 1}, {"seed", seed}}}};
}

Json graph_of(Json const& tensors, std::vector<Json> const& nodes, std::vector<std::string> const& outputs,
              char const* dtype) {
    return {{"eingraph", 1}, {"dtype", dtype}, {"tensors", tensors}, {"nodes", nodes}, {"outputs", outputs}};
}

Json network(Labels const& operands, std::vector<std::string> const& output, Extent extent, char const* dtype) {
    Json tensors = Json::object();
    std::vector<std::string> names;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        names.push_back("t" + std::to_string(k));
        tensors[names.back()] = random_tensor(Shape(operands[k].size(), extent), 100 + static_cast<int>(k));
    }
    Json const einsum = {{"in", operands}, {"out", output}};
    Json const product{{"name", "Z"}, {"einsum", einsum}, {"inputs", names}};
    return graph_of(tensors, {product}, {"Z"}, dtype);
}

/// A 6 x 10 lattice with an open leg at two corners.
Labels lattice() {
    Labels out;
    auto const edge = [](char kind, int i, int j) { return kind + std::to_string(i) + "_" + std::to_string(j); };
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 10; ++j) {
            out.emplace_back();
            if (i > 0) out.back().push_back(edge('v', i - 1, j));
            if (i < 5) out.back().push_back(edge('v', i, j));
            if (j > 0) out.back().push_back(edge('h', i, j - 1));
            if (j < 9) out.back().push_back(edge('h', i, j));
        }
    out.front().push_back("a"), out.back().push_back("b");
    return out;
}

/// Thirty tensors: three to each of ten labels, six to each of five, and one label that all have.
Labels hyperedges() {
    Labels out;
    for (int k = 0; k < 30; ++k) out.push_back({"h" + std::to_string(k / 3), "g" + std::to_string(k % 5), "s"});
    return out;
}

Labels chain(int matrices) {
    Labels out;
    for (int k = 0; k < matrices; ++k) out.push_back({"i" + std::to_string(k), "i" + std::to_string(k + 1)});
    return out;
}

/// Plans a graph for a number of ranks as s.sched.
void plan(Place const& place, Json const& graph, int ranks) {
    std::ofstream(place / "g.json") << graph.dump();
    Outcome const planned = place.shell(std::string(EINPLAN) + " g.json -n " + std::to_string(ranks) + " -o s.sched");
    CAPTURE(planned.text);
    REQUIRE(planned.code == 0);
}

Outcome verified(Place const& place, int ranks, std::string const& options = "") {
    std::string const arguments = "s.sched --verify" + options + " --report r.json --threads 1";
#ifdef MPIRUN
    if (ranks > 1) return place.together(ranks, arguments);
#endif
    return place.alone(arguments);
}

/// Runs s.sched with a graph to verify in which `from` is `to`.
Outcome spoiled(Place const& place, int ranks, std::string const& from, std::string const& to) {
    schedule::Schedule schedule = schedule::read_file(place / "s.sched");
    std::size_t const at = schedule.header.graph_text.find(from);
    REQUIRE(at != std::string::npos);
    schedule.header.graph_text.replace(at, from.size(), to);
    schedule::write_file(schedule, place / "s.sched");
    return verified(place, ranks);
}

#ifdef MPIRUN
constexpr int most_ranks = 2;
#else
constexpr int most_ranks = 1;
#endif

}  // namespace

TEST_CASE("networks are verified in another order than they are run", "[einrun][verify]") {
    struct Row {
        char const* name;
        Json graph;
        Extent elements;
    };
    std::vector<Row> const rows{{"60 tensors", network(lattice(), {"a", "b"}, 2, "f32"), 4},
                                {"60 complex tensors, one number", network(chain(60), {}, 2, "c64"), 1},
                                {"hyperedges", network(hyperedges(), {"s"}, 4, "f32"), 4},
                                {"a long chain", network(chain(100), {"i0", "i100"}, 8, "f32"), 64}};
    for (Row const& row : rows) {
        Place const place;
        CAPTURE(row.name);
        plan(place, row.graph, most_ranks);
        Outcome const right = verified(place, most_ranks);
        CAPTURE(right.text);
        CHECK(right.code == 0);
        std::string const count = std::to_string(row.elements);
        CHECK(has(right, "verified   Z: " + count + " of " + count + " elements, 0 differ"));
        CHECK(has(right, "by another order of contraction in double precision, tolerance "));
        Json const report = place.json("r.json")["verify"];
        CHECK(report["elements"] == row.elements);
        CHECK(report["of"] == row.elements);
        CHECK(report["outputs"][0]["by"] == "another_order");
        CHECK(report["outputs"][0]["tolerance"] < 1e-3);
        CHECK(report["unchecked"] == Json::array());

        Outcome const wrong = spoiled(place, most_ranks, "\"seed\":117", "\"seed\":3");
        CAPTURE(wrong.text);
        CHECK(wrong.code == 5);
        CHECK(has(wrong, "output 'Z' ["));
        CHECK(has(wrong, "expected"));
    }
}

TEST_CASE("a small language model is verified whole", "[einrun][verify]") {
    Place const place;
    plan(place, parse_json(read_text_file(EIN_EXAMPLES "/llama.json"), "llama.json"), most_ranks);
    Outcome const right = verified(place, most_ranks);
    CAPTURE(right.text);
    CHECK(right.code == 0);
    Json const report = place.json("r.json")["verify"];
    CHECK(report["elements"] == report["of"]);
    CHECK(report["outputs"][0]["by"] != "run_order");
    CHECK(spoiled(place, most_ranks, "\"seed\":5", "\"seed\":6").code == 5);
}

namespace {

/// At 8000, 64 million exponentials: soon done by vector loops, not one by one.
Json long_sum(std::vector<std::string> const& outputs, Extent extent = 8000) {
    Json const tensors{
        {"X", random_tensor({extent}, 1)}, {"Y", random_tensor({extent}, 2)}, {"U", random_tensor({extent}, 3)}};
    std::vector<Json> const nodes{
        {{"name", "G"}, {"einsum", "i,j->i"}, {"inputs", {"X", "Y"}}, {"join", "exp(x*y)"}},
        {{"name", "H"}, {"einsum", "i,i->i"}, {"inputs", {"G", "U"}}, {"join", "x+y"}},
        {{"name", "L"}, {"einsum", "i->"}, {"inputs", Json::array({"H"})}, {"join", "abs(x)"}}};
    return graph_of(tensors, nodes, outputs, "f32");
}

/// Twenty thousand iterations, each of which changes all of a vector.
Json long_loop() {
    Json const body{{"name", "next"}, {"einsum", "i->i"}, {"inputs", Json::array({"V"})}, {"join", "exp(-x) + x/2"}};
    Json const loop{{"times", 20000}, {"carry", {{"V", "next"}}}, {"body", Json::array({body})}};
    return graph_of({{"V", random_tensor({2000}, 1)}}, {{{"name", "flow"}, {"loop", loop}}}, {"flow/V"}, "f64");
}

#ifdef MPIRUN
std::vector<int> const rank_counts{1, 3, 4};
#else
std::vector<int> const rank_counts{1};
#endif

/// That a run was verified by its calls alone.
void check_calls(Outcome const& run, Json const& report, int nodes) {
    CAPTURE(run.text, report.dump());
    CHECK(run.code == 0);
    CHECK(has(run, ": by the calls that it is made by, none of its "));
    CHECK(has(run, " nodes, against the blocks that they read: 0 differ"));
    CHECK(report["outputs"][0]["by"] == "calls");
    CHECK(report["outputs"][0]["elements"] == 0);
    CHECK(report["mismatches"] == 0);
    CHECK(report["unchecked"] == Json::array());
    Json const& calls = report["calls"];
    CHECK(calls["nodes"] == nodes);
    CHECK(calls["of_nodes"] == nodes);
    CHECK(calls["unchecked_nodes"] == Json::array());
    CHECK(calls["elements"] >= calls["calls"]);
    CHECK(calls["calls"] <= calls["of_calls"]);
    CHECK(calls["max_rel"] < calls["tolerance"]);
}

}  // namespace

TEST_CASE("what takes too long afterwards is verified while it runs, call by call", "[einrun][verify]") {
    for (int const ranks : rank_counts) {
        CAPTURE(ranks);
        Place const place;
        plan(place, long_sum({"L"}), ranks);
        Outcome const run = verified(place, ranks);
        check_calls(run, place.json("r.json")["verify"], 3);

        if (ranks > 3) continue;
        Outcome const every = verified(place, ranks, "-calls=2");
        CAPTURE(every.text);
        Json const calls = place.json("r.json")["verify"]["calls"];
        CHECK(calls["calls"] >= calls["of_calls"]);
    }
}

TEST_CASE("so is a long loop", "[einrun][verify]") {
    for (int const ranks : rank_counts) {
        CAPTURE(ranks);
        Place const place;
        plan(place, long_loop(), ranks);
        Outcome const run = verified(place, ranks);
        Json const report = place.json("r.json")["verify"];
        check_calls(run, report, 2);                  // what it begins with is copied
        CHECK(report["calls"]["calls"] > 5 * ranks);  // of several iterations
        CHECK(report["calls"]["of_calls"] == 20001 * ranks);
    }
}

TEST_CASE("so is a run that spills, and one on a device with memory of its own", "[einrun][verify]") {
    Place const place;
    plan(place, long_sum({"L"}), 1);
    Outcome const spilled = verified(place, 1, " --memory 100KiB --spill-dir .");
    check_calls(spilled, place.json("r.json")["verify"], 3);
    CHECK(place.json("r.json")["spill"]["blocks"] > 0);
    Outcome const emulated = verified(place, 1, " --device emulated");
    check_calls(emulated, place.json("r.json")["verify"], 2);  // H is computed by what reads it
}

TEST_CASE("a kernel that is wrong is code 5, with its node, task, rank and place", "[einrun][verify]") {
    for (int const ranks : {1, rank_counts.back()}) {
        CAPTURE(ranks);
        Place const place;
        plan(place, long_sum({"L"}, 40), ranks);
        for (int kernel = 1; kernel <= 2; ++kernel) {
            std::string const device = " --device emulated:wrong=" + std::to_string(kernel);
            Outcome const wrong = verified(place, ranks, "-calls=40" + device);
            CAPTURE(kernel, wrong.text);
            CHECK(wrong.code == 5);
            CHECK(has(wrong, kernel == 1 ? "node 'G' on rank " : "node 'L' on rank "));
            CHECK(has(wrong, ", task "));
            CHECK(has(wrong, kernel == 1 ? ", element [0]: expected " : ", element []: expected "));
            CHECK(has(wrong, " by the blocks that it read, found "));
            CHECK(place.json("r.json")["verify"]["mismatches"] > 0);
        }
    }
}

TEST_CASE("calls are left alone where outputs can be checked afterwards, unless they are asked for",
          "[einrun][verify]") {
    Place const place;
    plan(place, long_sum({"L", "G", "H"}), 1);
    Outcome const some = verified(place, 1);
    CAPTURE(some.text);
    CHECK(some.code == 0);
    CHECK(has(some, "verified   L: 1 of 1 elements, 0 differ; by "));
    CHECK(has(some, " from the written H, tolerance "));
    Json const report = place.json("r.json")["verify"];
    CHECK(report["outputs"][0]["from"] == Json::array({"H"}));
    CHECK(report["calls"].is_null());

    Outcome const both = verified(place, 1, "-calls");
    CAPTURE(both.text);
    CHECK(both.code == 0);
    CHECK(has(both, "verified   L: 1 of 1 elements, 0 differ; by "));
    CHECK(place.json("r.json")["verify"]["calls"]["nodes"] == 3);
    CHECK(verified(place, 1, "-calls=0").code == 2);
}

TEST_CASE("lone sums neither overflow nor lose what overflows, on any number of ranks", "[einrun][verify]") {
    auto const values = [](Json const& elements, Shape const& shape) {
        return Json{{"shape", shape}, {"data", {{"values", elements}}}};
    };
    // 6e38 is beyond f32: times 1e-30, times 0; and products of 1e40 that cancel
    Json const tensors{{"x", values({1e-30, 0, 1e20}, {3})},
                       {"Y", values({{3e38, 3e38, 0}, {3e38, 3e38, 0}, {1e20, -1e20, 1}}, {3, 3})}};
    Json const node{{"name", "Z"}, {"einsum", "i,ij->i"}, {"inputs", {"x", "Y"}}};
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        Place const place;
        plan(place, graph_of(tensors, {node}, {"Z"}, "f32"), ranks);
        Outcome const right = verified(place, ranks);
        CAPTURE(ranks, right.text);
        CHECK(right.code == 0);
        CHECK(place.json("r.json")["verify"]["excused"] == Json{{"ill_conditioned", 0}, {"overflow", 0}});
        tensor::HostTensor const z = tensor::read_npy(place / "results/Z.npy");
        CHECK(z.at(0).number.real() == Approx(6e8));
        CHECK(z.at(1).number.real() == 0);
        CHECK(z.at(2).number.real() == Approx(1e20));
    }
}
