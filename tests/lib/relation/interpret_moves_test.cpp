#include "tests/lib/relation/interpreting.hpp"

using namespace ein;
using ein::test::Numbers;

namespace {

struct Moves {
    test::GraphBuilder builder;
    test::Leaves leaves;
    void leaf(std::string const& name, Shape shape, Numbers const& numbers) {
        leaves.put(name, test::tensor_of(DType::f64, shape, numbers));
        builder.leaf(name, shape);
    }
    Numbers whole(ValueId value) {
        graph::EinGraph const graph = builder.finish({});
        return test::numbers_of(relation::Interpreter(graph, leaves.reader(graph)).whole(value));
    }
};

}  // namespace

TEST_CASE("a move slices with steps, also backwards", "[relation][interpret]") {
    Moves moves;
    moves.leaf("X", {6}, {0, 1, 2, 3, 4, 5});
    graph::Move slice;
    slice.regions = {{Box{{0}, {3}}, {{5, -2}}}};
    CHECK(moves.whole(moves.builder.node("S", slice, {"X"}, {3})) == Numbers{5, 3, 1});
}

TEST_CASE("a move concatenates and pads", "[relation][interpret]") {
    Moves moves;
    moves.leaf("A", {2, 2}, {1, 2, 3, 4});
    moves.leaf("B", {2, 1}, {5, 6});
    graph::Move concat;
    concat.regions = {{Box{{0, 0}, {2, 2}}, {{}, {}}}, {Box{{0, 2}, {2, 1}}, {{}, {}}}};
    moves.builder.node("C", concat, {"A", "B"}, {2, 3});
    graph::Move pad;
    pad.regions = {{Box{{1, 0}, {2, 3}}, {{}, {}}}};
    pad.fill = scalar::Scalar::of(std::complex<double>(9));
    CHECK(moves.whole(moves.builder.node("P", pad, {"C"}, {4, 3})) == Numbers{9, 9, 9, 1, 2, 5, 3, 4, 6, 9, 9, 9});
}

TEST_CASE("a reshape keeps C order; scalars and empty tensors reshape", "[relation][interpret]") {
    Moves moves;
    moves.leaf("X", {2, 3}, {1, 2, 3, 4, 5, 6});
    moves.builder.einsum("T", "ij->ji", {"X"});
    moves.builder.node("R", graph::Reshape{}, {"T"}, {6});
    CHECK(moves.whole(moves.builder.node("Q", graph::Reshape{}, {"R"}, {1, 2, 3})) == Numbers{1, 4, 2, 5, 3, 6});
    Moves scalar;
    scalar.leaf("X", {1, 1}, {8});
    CHECK(scalar.whole(scalar.builder.node("R", graph::Reshape{}, {"X"}, {})) == Numbers{8});
    Moves empty;
    empty.leaf("X", {0, 3}, {});
    CHECK(empty.whole(empty.builder.node("R", graph::Reshape{}, {"X"}, {3, 0})).empty());
}

TEST_CASE("an embedding is looked up; positions outside give zero", "[relation][interpret]") {
    test::GraphBuilder builder;
    test::Leaves leaves;
    builder.leaf("W", {4, 2}, DType::f32);
    builder.leaf("at", {5}, DType::i64);
    leaves.put("W", test::tensor_of(DType::f32, {4, 2}, {0, 1, 10, 11, 20, 21, 30, 31}));
    leaves.put("at", test::tensor_of(DType::i64, {5}, {3, 0, 0, 7, -1}));
    ValueId const out =
        builder.einsum("E", "vd,t->td", {"W", "at"}, {.join = "where(y == [v], x, 0)", .dtype = DType::f32});
    graph::EinGraph const graph = builder.finish({"E"});
    REQUIRE(graph::as_lookup(std::get<graph::EinSum>(graph.nodes[0].op)).has_value());
    relation::Interpreter interpreter(graph, leaves.reader(graph));
    CHECK(test::numbers_of(interpreter.whole(out)) == Numbers{30, 31, 0, 1, 0, 1, 0, 0, 0, 0});
    CHECK(test::numbers_of(interpreter.sample(out, {{0, 2}, {1}})) == Numbers{31, 1});
    CHECK(interpreter.work(out, {{0, 2}, {1}}) == 2);
}
