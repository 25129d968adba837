#include "lib/relation/verify/verify_outputs.hpp"

#include <unistd.h>

#include <filesystem>

#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/verify/written_outputs.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/read.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using relation::Reference;
using relation::Verification;
namespace fs = std::filesystem;

namespace {

Json random(Shape const& shape, int seed, double low = -1, double high = 1) {
    return {{"shape", shape}, {"data", {{"random", "uniform"}, {"low", low}, {"high", high}, {"seed", seed}}}};
}
Json values(Json const& elements, Shape const& shape) { return {{"shape", shape}, {"data", {{"values", elements}}}}; }
Json node(std::string const& name, Json const& einsum, std::vector<std::string> const& inputs,
          Json extras = Json::object()) {
    extras.update({{"name", name}, {"einsum", einsum}, {"inputs", inputs}});
    return extras;
}
Json graph_of(Json const& tensors, std::vector<Json> const& nodes, std::vector<std::string> const& outputs,
              char const* dtype) {
    return {{"eingraph", 1}, {"dtype", dtype}, {"tensors", tensors}, {"nodes", nodes}, {"outputs", outputs}};
}

/// One product of many tensors. @param operands  the labels of each  @param output  its labels
Json network(std::vector<std::vector<std::string>> const& operands, std::vector<std::string> const& output,
             Extent extent, char const* dtype = "f32") {
    Json tensors = Json::object();
    std::vector<std::string> names;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        names.push_back("t" + std::to_string(k));
        tensors[names.back()] = random(Shape(operands[k].size(), extent), static_cast<int>(k) + 1);
    }
    return graph_of(tensors, {node("Z", {{"in", operands}, {"out", output}}, names)}, {"Z"}, dtype);
}

std::string label(int a, int b) { return std::to_string(std::min(a, b)) + "-" + std::to_string(std::max(a, b)); }

/// A ring of tensors, each tied to its neighbours and to the one across: with extent 2, 2^90 points for 60.
std::vector<std::vector<std::string>> ring(int tensors) {
    std::vector<std::vector<std::string>> out;
    for (int k = 0; k < tensors; ++k)
        out.push_back({label(k, (k + 1) % tensors), label(k, (k + tensors - 1) % tensors), label(k, tensors - 1 - k)});
    return out;
}

/// What a run leaves: a folder with the outputs of the graph as it runs it.
class Run {
public:
    explicit Run(Json const& json)
        : graph_(graph::read_graph(json.dump(), "g.json")),
          folder_(fs::temp_directory_path() / ("ein-outputs-" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        graph::EinGraph const lowered = graph::lower_contractions(graph_);
        relation::Interpreter run(lowered, leaves(lowered), {}, relation::Sums::pairwise);
        for (ValueId output : graph_.outputs) write(graph_.value(output).name, run.whole(output));
    }
    ~Run() { fs::remove_all(folder_); }

    void write(std::string const& name, tensor::HostTensor const& tensor) const {
        tensor::write_npy(folder_ / (name + ".npy"), tensor);
    }
    tensor::HostTensor read(std::string const& name) const { return tensor::read_npy(folder_ / (name + ".npy")); }
    /// Changes one element.
    void spoil(std::string const& name, Extent at, double to) const {
        tensor::HostTensor tensor = read(name);
        tensor.set(at, scalar::Scalar::of(std::complex<double>(to)));
        write(name, tensor);
    }

    Verification verify(double seconds = 5, std::optional<std::int64_t> samples = {}) const {
        return relation::verify_outputs(request(seconds, samples));
    }
    std::vector<std::string> out_of_reach(double seconds) const {
        return relation::outputs_out_of_reach(request(seconds, {}));
    }
    graph::EinGraph const& graph() const { return graph_; }

private:
    relation::VerifyRequest request(double seconds, std::optional<std::int64_t> samples) const {
        return {.graph = graph_,
                .params = {},
                .leaves = [this](graph::EinGraph const& of) { return leaves(of); },
                .written = [this](graph::Value const& value) { return written(value); },
                .samples = samples,
                .seconds = seconds};
    }
    tensor::WrittenOutput written(graph::Value const& value) const { return {folder_ / (value.name + ".npy")}; }
    relation::ReadLeaf leaves(graph::EinGraph const& of) const {
        return [this, &of](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
            graph::Value const& value = of.value(leaf.value);
            if (std::holds_alternative<tensor::MissingSource>(leaf.source))
                return tensor::open_written(written(value), value.name, value.dtype, value.shape)->read(box, out);
            tensor::open(leaf.source, value.name, value.dtype, value.shape, "")->read(box, out);
        };
    }

    graph::EinGraph graph_;
    fs::path folder_;
};

/// H is a product of 300 x 300 matrices, L depends on all of it.
Json const deep = graph_of({{"A", random({300, 300}, 1)}, {"B", random({300, 300}, 2)}},
                           {node("H", "ij,jk->ik", {"A", "B"}), node("G", "ij,jk->ik", {"H", "B"}),
                            node("L", "ij->", {"G"}, {{"join", "x*x"}})},
                           {"L"}, "f32");
Json deep_with(std::vector<std::string> const& outputs) {
    Json out = deep;
    out["outputs"] = outputs;
    return out;
}

constexpr double moment = 1.5e-2;  // seconds that are enough for one of the matrices, not for two

}  // namespace

TEST_CASE("a network of 60 tensors is checked in another order than the run's", "[relation][verify]") {
    char const* const dtype = GENERATE("f32", "c64", "f64");
    CAPTURE(dtype);
    auto operands = ring(60);
    operands[3].push_back("a"), operands[40].push_back("b");
    Run const run(network(operands, {"a", "b"}, 2, dtype));
    Verification const right = run.verify();
    REQUIRE(right.outputs.size() == 1);
    CAPTURE(to_json(right).dump());
    CHECK(right.mismatches.empty());
    CHECK(right.unchecked.empty());
    CHECK(right.outputs[0].elements == 4);
    CHECK(right.outputs[0].by == Reference::another_order);
    CHECK(right.outputs[0].tolerance < 1e-3);  // not of 2^90 terms

    double const found = std::abs(run.read("Z").at(2).number);
    run.spoil("Z", 2, found * 1.01 + 1);
    CHECK(run.verify().mismatches.size() == 1);
    CHECK(run.verify().differ() == 1);
}

TEST_CASE("a network of one number is checked", "[relation][verify]") {
    Run const run(network(ring(40), {}, 2));
    Verification const right = run.verify();
    CHECK(right.mismatches.empty());
    CHECK(right.elements() == 1);
    run.spoil("Z", 0, 2 * run.read("Z").at(0).number.real());
    CHECK(run.verify().mismatches.size() == 1);
}

TEST_CASE("hyperedges and long chains are checked", "[relation][verify]") {
    std::vector<std::vector<std::string>> hyper, chain;
    for (int k = 0; k < 30; ++k) hyper.push_back({"h" + std::to_string(k / 3), "g" + std::to_string(k % 5), "s"});
    for (int k = 0; k < 120; ++k) chain.push_back({"i" + std::to_string(k), "i" + std::to_string(k + 1)});
    std::vector<std::pair<Json, Extent>> const each{{network(hyper, {"s"}, 4), 4},
                                                    {network(chain, {"i0", "i120"}, 12), 144}};
    for (auto const& [json, elements] : each) {
        Run const run(json);
        Verification const right = run.verify();
        CAPTURE(to_json(right).dump());
        CHECK(right.mismatches.empty());
        CHECK(right.elements() == elements);
        CHECK(right.outputs[0].by == Reference::another_order);
        run.spoil("Z", elements - 1, run.read("Z").at(elements - 1).number.real() * 1.5 + 1);
        CHECK(run.verify().mismatches.size() == 1);
    }
}

TEST_CASE("what takes long from the tensors is checked from other outputs, if those are", "[relation][verify]") {
    Run const run(deep_with({"L", "G"}));
    Verification const right = run.verify(moment);
    CAPTURE(to_json(right).dump());
    CHECK(right.mismatches.empty());
    REQUIRE(right.outputs.size() == 2);
    CHECK(right.outputs[0].from == std::vector<std::string>{"G"});
    CHECK(right.outputs[0].elements == 1);
    CHECK(right.outputs[1].from.empty());
    CHECK(right.outputs[1].elements > 0);
    run.spoil("L", 0, run.read("L").at(0).number.real() * 1.01);
    CHECK(run.verify(moment).mismatches.size() == 1);
}

TEST_CASE("where nothing can be checked, what to do is said", "[relation][verify]") {
    Run const run(deep_with({"L"}));
    Verification const none = run.verify(1e-3);
    CHECK(none.mismatches.empty());
    REQUIRE(none.unchecked.size() == 1);
    CHECK_THAT(none.unchecked[0],
               Catch::Contains("output 'L': expected at least one element checked, found none: one element would take "
                               "one process about a second; give --verify=1 to take that time; or make values on the "
                               "way outputs too, such as 'G'"));
    CHECK(none.outputs.at(0).elements == 0);
    CHECK(none.outputs.at(0).of == 1);
    CHECK(run.out_of_reach(1e-3) == std::vector<std::string>{"L"});
    CHECK(run.out_of_reach(5).empty());
    CHECK(run.verify(1e-3, 1).elements() == 1);  // asked for by number
    CHECK(run.verify(5).elements() == 1);
}

TEST_CASE("outputs share the time, and what one leaves the next may have", "[relation][verify]") {
    Run const run(deep_with({"H", "G", "L"}));
    Verification const shared = run.verify(2 * moment);
    CHECK(shared.unchecked.empty());
    for (auto const& output : shared.outputs) CHECK(output.elements > 0);
    CHECK(shared.elements() < run.verify(60).elements());
}

TEST_CASE("only what an output needs is read of other outputs, and never inside a loop", "[relation][verify]") {
    Json const looped = graph_of({{"W", random({4}, 1)}, {"X", random({4}, 2)}},
                                 {node("H", "i->i", {"X"}, {{"join", "2*x"}}),
                                  {{"name", "train"},
                                   {"loop",
                                    {{"times", 3},
                                     {"carry", {{"W", "next"}}},
                                     {"body", {node("next", "i,i->i", {"W", "H"}, {{"join", "x+y"}})}}}}},
                                  node("U", "i->i", {"X"}),
                                  node("Z", "i->i", {"train/W"}, {{"join", "x*x"}})},
                                 {"Z", "H", "U", "train/W"}, "f64");
    graph::EinGraph const graph = graph::read_graph(looped.dump(), "g.json");
    auto const reads = [&](std::size_t output) {
        auto const cut = relation::from_written_outputs(graph, graph.outputs[output]);
        return cut ? cut->read : std::vector<std::string>{};
    };
    CHECK(reads(0) == std::vector<std::string>{"train/W"});
    CHECK(reads(1).empty());
    CHECK(reads(2).empty());
    CHECK(reads(3) == std::vector<std::string>{"H"});
    auto const cut = relation::from_written_outputs(graph, graph.outputs[3]);
    relation::Interpreter interpreter(
        cut->graph, [](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
            bool const written = std::holds_alternative<tensor::MissingSource>(leaf.source);
            tensor::Source const ones = tensor::FillSource{1.0, 1};
            tensor::open(written ? ones : leaf.source, "", DType::f64, {4}, "")->read(box, out);
        });
    auto const w = tensor::read_all(graph.leaves[0].source, "W", DType::f64, {4}, "");
    CHECK(interpreter.whole(graph.outputs[3]).at(1).number.real() ==
          Approx(w.at(1).number.real() + 3));  // H is ones there
}

TEST_CASE("sums that overflow in one order only are excused by name, wrong numbers are not", "[relation][verify]") {
    Json const one = values({1.0}, {1});
    Json const large = values({{3e38, 3e38, -3e38, -2.9e38}}, {1, 4});
    Run const run(
        graph_of({{"x", one}, {"Y", large}}, {node("Z", "i,ij->i", {"x", "Y"}, {{"join", "x*(y+0)"}})}, {"Z"}, "f32"));
    CHECK(run.verify().mismatches.empty());
    double const infinity = std::numeric_limits<double>::infinity();
    for (double other : {infinity, -infinity, std::nan("")}) {  // what another order of adding up would leave
        run.spoil("Z", 0, other);
        Verification const excused = run.verify();
        CAPTURE(other, to_json(excused).dump());
        CHECK(excused.mismatches.empty());
        CHECK(excused.overflow() == 1);
        CHECK(excused.ill_conditioned() == 0);
    }
    run.spoil("Z", 0, 7e37);
    CHECK(run.verify().mismatches.size() == 1);
    CHECK(run.verify().overflow() == 0);
}

TEST_CASE("a sum with an infinite term is nan behind partial sums infinite the other way", "[relation][verify]") {
    double const infinity = std::numeric_limits<double>::infinity();
    auto const spoilt = [&](std::vector<double> const& terms, std::string const& join, double found) {
        Json row = Json::array();
        for (double const term : terms) row.push_back(std::isfinite(term) ? Json(term) : Json("-inf"));
        Run const run(graph_of({{"Y", values(Json::array({row}), {1, 4})}},
                               {node("Z", "ij->i", {"Y"}, {{"join", join}})}, {"Z"}, "f32"));
        run.spoil("Z", 0, found);
        return run.verify();
    };
    for (std::string const join : {"x", "x+0"}) {
        CAPTURE(join);
        Verification const excused = spoilt({3e38, 3e38, -3e38, -infinity}, join, std::nan(""));
        CHECK(excused.mismatches.empty());
        CHECK(excused.overflow() == 1);
        CHECK(spoilt({3e38, 1, -3e38, -infinity}, join, std::nan("")).mismatches.size() == 1);
        CHECK(spoilt({3e38, 3e38, -3e38, -infinity}, join, infinity).mismatches.size() == 1);
    }
}

TEST_CASE("whole numbers that reals are cut to may lie on either side of a step", "[relation][verify]") {
    // 64 - 1.7e-6 is 64 in f32 and 63 when it is cut: of twelve roundings at random one in fifty has none above.
    Run const run(graph_of({{"x", values(Json(std::vector<double>(600, 64)), {600})},
                            {"y", values(Json(std::vector<double>(600, 1.7e-6)), {600})}},
                           {node("Z", "i,i->i", {"x", "y"}, {{"join", "x-y"}, {"dtype", "i8"}})}, {"Z"}, "f32"));
    for (Extent k = 0; k < 600; ++k) run.spoil("Z", k, 64);
    Verification const right = run.verify();
    CHECK(right.mismatches.empty());
    CHECK(right.ill_conditioned() == 600);
    run.spoil("Z", 7, 50);
    run.spoil("Z", 8, 80);
    CHECK(run.verify().differ() == 2);
}

TEST_CASE("a sum beyond its type is infinite or nan by the order of its terms", "[relation][verify]") {
    Json const large = values({{3e38, 3e38, -3e38, -3e38, -3e38, -3e38}}, {1, 6});  // in all -6e38
    Run const run(graph_of({{"x", values({1.0}, {1})}, {"Y", large}},
                           {node("Z", "i,ij->i", {"x", "Y"}, {{"join", "x*(y+0)"}})}, {"Z"}, "f32"));
    run.spoil("Z", 0, -std::numeric_limits<double>::infinity());
    CHECK(run.verify().mismatches.empty());
    CHECK(run.verify().overflow() == 0);
    run.spoil("Z", 0, std::nan(""));  // as two partial sums leave it, one of each sign
    CHECK(run.verify().mismatches.empty());
    CHECK(run.verify().overflow() == 1);
    run.spoil("Z", 0, -1e38);
    CHECK(run.verify().mismatches.size() == 1);
    // Where all terms have one sign nothing but one infinity can come out.
    Run const one_sign(graph_of({{"x", values({1.0}, {1})}, {"Y", values({{-3e38, -3e38, -3e38}}, {1, 3})}},
                                {node("Z", "i,ij->i", {"x", "Y"}, {{"join", "x*(y+0)"}})}, {"Z"}, "f32"));
    for (double const other : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        one_sign.spoil("Z", 0, other);
        CHECK(one_sign.verify().mismatches.size() == 1);
    }
}

TEST_CASE("a product beside a zero is nan where the others leave their type first", "[relation][verify]") {
    Json const factors = values({{1e30, 1e30, 0.0}, {2.0, 3.0, 4.0}}, {2, 3});
    Run const run(graph_of(Json{{"Y", factors}}, {node("Z", "ij->i", {"Y"}, {{"agg", "prod"}})}, {"Z"}, "f32"));
    run.spoil("Z", 0, std::nan(""));
    CHECK(run.verify().mismatches.empty());
    CHECK(run.verify().overflow() == 1);
    run.spoil("Z", 1, std::nan(""));  // nothing of 2, 3 and 4 does
    CHECK(run.verify().differ() == 1);
    run.spoil("Z", 0, 1e30);
    CHECK(run.verify().differ() == 2);
}

TEST_CASE("a lone sum that leaves f32 where the result does not is right, and what else came out is wrong",
          "[relation][verify]") {
    // the sum of Y is 6e38: finite times x, and infinite times nothing
    Run const run(graph_of({{"x", values({1e-30, 0.0}, {2})}, {"Y", values({{3e38, 3e38}, {3e38, 3e38}}, {2, 2})}},
                           {node("Z", "i,ij->i", {"x", "Y"})}, {"Z"}, "f32"));
    CHECK(run.read("Z").at(0).number.real() == Approx(6e8));
    CHECK(run.read("Z").at(1).number.real() == 0);
    Verification const right = run.verify();
    CHECK(right.mismatches.empty());
    CHECK(right.overflow() == 0);
    run.spoil("Z", 0, std::numeric_limits<double>::infinity());
    run.spoil("Z", 1, std::nan(""));
    CHECK(run.verify().differ() == 2);
    CHECK(run.verify().overflow() == 0);
    // and the other way: products beyond f32 whose sum is not
    Run const cancels(graph_of({{"x", values({1e20}, {1})}, {"Y", values({{1e20, -1e20, 1e10}}, {1, 3})}},
                               {node("Z", "i,ij->i", {"x", "Y"})}, {"Z"}, "f32"));
    CHECK(cancels.read("Z").at(0).number.real() == Approx(1e30));
    CHECK(cancels.verify().mismatches.empty());
    cancels.spoil("Z", 0, std::nan(""));
    CHECK(cancels.verify().differ() == 1);
    // and an infinite factor, which is taken out of a sum of which it would make inf - inf
    Run const factor(graph_of({{"x", values({"inf"}, {1})}, {"Y", values({{1, -2}}, {1, 2})}},
                              {node("Z", "i,ij->i", {"x", "Y"})}, {"Z"}, "f32"));
    CHECK(factor.read("Z").at(0).number.real() == -std::numeric_limits<double>::infinity());
    CHECK(factor.verify().mismatches.empty());
    CHECK(factor.verify().overflow() == 1);
    factor.spoil("Z", 0, 1);
    CHECK(factor.verify().differ() == 1);
}
