// What is left of a graph at every place between two nodes, in every iteration: computed from what was saved there it
// gives the outputs of the whole graph, bit for bit.
#include "lib/graph/rest/rest_of.hpp"

#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/rest/graph_text.hpp"
#include "tests/lib/graph/rest/rest_check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::test;

TEST_CASE("what is left of random graphs gives their results", "[lib][graph][rest]") {
    auto const dtype = GENERATE("f64", "mixed", "bf16");
    auto const [first, count] = ein::test::seeds(8);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        CAPTURE(dtype, seed);
        check_everywhere(read_graph(random_graph(seed, {.dtype = dtype}).dump(), "random"), 6, seed);
    }
}

namespace {

/// Loops in loops, whose conditions end them early or not, of values that are read outside and not.
std::string nested(std::string const& outer, std::string const& inner) {
    return R"json({"eingraph": 1, "dtype": "f32", "params": {"eta": 0.25},
      "tensors": {"A": {"shape": [3, 3], "data": {"random": "uniform", "seed": 3}},
                  "x": {"shape": [3], "data": {"random": "uniform", "seed": 4}},
                  "t": {"shape": [3], "dtype": "i64", "data": {"values": [2, 0, 1]}},
                  "n": {"shape": [], "dtype": "i64", "data": {"fill": 0}}},
      "nodes": [{"name": "B", "einsum": "ij,jk->ik", "inputs": ["A", "A"]},
        {"name": "y", "einsum": "i->i", "inputs": ["x"], "join": "x + eta"},
        {"name": "train", "loop": {)json" +
           outer + R"json(, "carry": {"x": "x_next", "y": "w", "n": "n_next"}, "body": [
          {"name": "z", "einsum": "ij,j->i", "inputs": ["B", "x"], "join": "eta*x*y"},
          {"name": "at", "op": "gather", "inputs": ["t", "n"]},
          {"name": "inner", "loop": {)json" +
           inner + R"json(, "carry": {"z": "z_next", "n": "m"}, "body": [
             {"name": "v", "einsum": "i,i->i", "inputs": ["z", "x"], "join": "x*0.5 + y"},
             {"name": "z_next", "op": "softmax", "inputs": ["v"]},
             {"name": "far", "einsum": "i,->", "inputs": ["v", "n"], "join": "x + y < 9", "agg": "all"},
             {"name": "m", "einsum": ",->", "inputs": ["n", "at"], "join": "x + y + 1", "dtype": "i64"}]}},
          {"name": "w", "einsum": "i,,i->i", "inputs": ["inner/z", "inner/n", "y"], "join": "x + y*z", "dtype": "f32"},
          {"name": "x_next", "einsum": "i,i->i", "inputs": ["w", "z"], "join": "x/(1 + abs(y))"},
          {"name": "n_next", "einsum": "->", "inputs": ["n"], "join": "x + 1"},
          {"name": "more", "einsum": "->", "inputs": ["n"], "join": "x < 2"}]}},
        {"name": "out", "einsum": "i,ij->j", "inputs": ["train/x", "B"]}],
      "outputs": ["out", "train/y", "train/n", "B"]})json";
}

}  // namespace

TEST_CASE("loops in loops go on where they were", "[lib][graph][rest]") {
    auto const outer = GENERATE(
        values<std::string>({R"("times": 3)", R"("while": "more", "max": 3)", R"("while": "more", "max": 5)"}));
    auto const inner = GENERATE(values<std::string>({R"("times": 2)", R"("while": "far", "max": 3)", R"("times": 1)"}));
    CAPTURE(outer, inner);
    check_everywhere(read_graph(nested(outer, inner), "nested"), 20, outer.size() + 100 * inner.size());
}

TEST_CASE("what is left of what is left gives the results too", "[lib][graph][rest]") {
    EinGraph const graph = read_graph(nested(R"("while": "more", "max": 5)", R"("while": "far", "max": 3)"), "nested");
    Files files;
    std::vector<EinGraph> rests;
    OneByOne const whole(graph, {}, [&](Progress at, std::vector<Tensor> const& values, std::int64_t) {
        if (at.loop < 0 || at.done % 3 != 0) return;
        for (std::size_t k = 0; k < graph.nodes.size(); ++k) at.order.emplace_back(static_cast<std::int32_t>(k));
        std::vector<Saved> saved;
        for (ValueId value : known_at(graph, at)) {
            std::string const file = std::to_string(rests.size()) + " " + graph.value(value).name;
            saved.push_back({value, tensor::NpySource{file}});
            files[file] = values[ein::at(value)];
        }
        rests.push_back(read_graph(graph_text(rest_of(graph, at, saved)), "rest"));
    });
    CHECK(rests.size() > 10);
    for (EinGraph const& rest : rests) RestCheck(rest, 5, files).run(2);
}
