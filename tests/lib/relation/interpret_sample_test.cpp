#include <random>

#include "tests/lib/relation/interpreting.hpp"

using namespace ein;
using ein::test::Numbers;

namespace {

std::vector<Extent> some_of(std::mt19937& random, Extent extent) {
    std::vector<Extent> picks;
    for (Extent k = 0; k < extent; ++k)
        if (random() % 3 == 0) picks.push_back(k);
    return picks;
}

Numbers elements_at(tensor::HostTensor const& whole, relation::IndexSets const& indices) {
    Numbers const all = test::numbers_of(whole);
    Numbers out;
    Shape sizes;
    for (auto const& set : indices) sizes.push_back(static_cast<Extent>(set.size()));
    std::vector<Extent> const strides = row_major_strides(whole.shape());
    for_each_index(sizes, [&](std::vector<Extent> const& at) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            linear += indices[axis][static_cast<std::size_t>(at[axis])] * strides[axis];
        out.push_back(all[static_cast<std::size_t>(linear)]);
    });
    return out;
}

/// Diagonals, hyperedges, broadcasts, moves and reshapes one after another.
struct Mixture {
    graph::EinGraph graph;
    test::Leaves leaves;

    Mixture() {
        test::GraphBuilder builder;
        auto leaf = [&](std::string const& name, Shape const& shape) {
            Numbers numbers;
            for (Extent k = 0; k < element_count(shape); ++k)
                numbers.emplace_back(static_cast<double>((k * 37) % 11) - 4);
            leaves.put(name, test::tensor_of(DType::f64, shape, numbers));
            builder.leaf(name, shape);
        };
        leaf("A", {6, 8});
        leaf("B", {8, 6});
        leaf("C", {6});
        builder.einsum("AB", "ij,jk->ik", {"A", "B"});
        builder.einsum("D", "ii,i,i->i", {"AB", "C", "C"});
        builder.einsum("M", "ij,j->ij", {"AB", "D"}, {.join = "max(x, y) + [i]"});
        builder.node("R", graph::Reshape{}, {"M"}, {4, 9});
        graph::Move move;
        move.regions = {{Box{{0, 0}, {4, 9}}, {{}, {8, -1}}}, {Box{{4, 3}, {6, 6}}, {{}, {}}}};
        move.fill = scalar::Scalar::of(std::complex<double>(-1));
        builder.node("V", move, {"R", "AB"}, {10, 9});
        builder.einsum("W", "ij,kj->ik", {"V", "V"}, {.join = "x - y", .agg = scalar::Agg::max});
        graph = builder.finish({"W"});
    }
};

}  // namespace

TEST_CASE("a sample has the elements that the whole has there", "[relation][interpret]") {
    Mixture const mixture;
    relation::Interpreter interpreter(mixture.graph, mixture.leaves.reader(mixture.graph));
    std::mt19937 random(3);
    for (std::size_t k = 0; k < mixture.graph.values.size(); ++k) {
        ValueId const value{static_cast<std::int32_t>(k)};
        Shape const& shape = mixture.graph.value(value).shape;
        tensor::HostTensor const whole = interpreter.whole(value);
        REQUIRE(whole.shape() == shape);
        for (int round = 0; round < 20; ++round) {
            relation::IndexSets indices;
            for (Extent extent : shape) indices.push_back(some_of(random, extent));
            CAPTURE(mixture.graph.value(value).name, indices);
            CHECK(test::numbers_of(interpreter.sample(value, indices)) == elements_at(whole, indices));
        }
    }
}

TEST_CASE("a few elements of a large product need few elements of its operands", "[relation][interpret]") {
    test::GraphBuilder builder;
    builder.leaf("A", {1 << 20, 4}, DType::f32);
    builder.leaf("B", {4, 1 << 20}, DType::f32);
    ValueId const out = builder.einsum("AB", "ij,jk->ik", {"A", "B"}, {.dtype = DType::f32});
    graph::EinGraph const graph = builder.finish({"AB"});
    Extent read = 0;
    relation::Interpreter interpreter(graph, [&](graph::Leaf const&, Box const& box, std::span<std::byte> bytes) {
        read += box.elements();
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
    });
    relation::IndexSets const few{{0, 5, 1 << 19}, {7, (1 << 20) - 1}};
    CHECK(test::numbers_of(interpreter.sample(out, few)) == Numbers(6, 0.0));
    CHECK(read <= 3 * 4 + 2 * 4);
    CHECK(interpreter.work(out, few) == 6 * 4 * 2);
}

TEST_CASE("work counts what samples need, lengths what stands behind a value", "[relation][interpret]") {
    test::GraphBuilder builder;
    builder.leaf("A", {10, 20});
    builder.leaf("B", {20, 30});
    builder.einsum("AB", "ij,jk->ik", {"A", "B"});
    ValueId const sum = builder.einsum("S", "ik->i", {"AB"});
    builder.einsum("R", "i->i", {"S"}, {.join = "relu(x)"});
    graph::EinGraph const graph = builder.finish({"R"});
    relation::Interpreter interpreter(graph, {});
    CHECK(interpreter.work(sum, {{3}}) == 1 * 30 * 20 * 2 + 30);
    CHECK(interpreter.reduction_length(ValueId{0}) == 0);
    CHECK(interpreter.reduction_length(sum) == 50);
    CHECK(interpreter.reduction_length(ValueId{4}) == 51);
}

TEST_CASE("a chain of a hundred thousand nodes is interpreted without deep recursion", "[relation][interpret]") {
    test::GraphBuilder builder;
    test::Leaves leaves;
    builder.leaf("0", {2});
    leaves.put("0", test::tensor_of(DType::f64, {2}, {0, 5}));
    int const count = 100000;
    ValueId last;
    for (int k = 1; k <= count; ++k)
        last = builder.einsum(std::to_string(k), "i->i", {std::to_string(k - 1)}, {.join = "x + 1"});
    graph::EinGraph const graph = builder.finish({std::to_string(count)});
    relation::Interpreter interpreter(graph, leaves.reader(graph));
    CHECK(test::numbers_of(interpreter.whole(last)) == Numbers{100000, 100005});
    CHECK(test::numbers_of(interpreter.sample(last, {{1}})) == Numbers{100005});
    CHECK(interpreter.reduction_length(last) == count);
}
