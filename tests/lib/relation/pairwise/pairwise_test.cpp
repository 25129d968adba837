#include "lib/relation/pairwise/pairwise_run.hpp"

#include <random>

#include "lib/graph/contract.hpp"
#include "tests/lib/relation/interpreting.hpp"

using namespace ein;
using ein::test::Numbers;
using relation::IndexSets;
using relation::Sums;

namespace {

/// One EinSum over leaves that hold small numbers.
struct Contraction {
    graph::EinGraph graph;
    test::Leaves leaves;

    Contraction(std::string const& subscripts, std::vector<Shape> const& shapes, test::Extras const& extras = {},
                DType inputs = DType::f64) {
        test::GraphBuilder builder;
        std::mt19937 random(5);
        std::vector<std::string> names;
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            names.push_back("t" + std::to_string(k));
            builder.leaf(names.back(), shapes[k], inputs);
            Numbers numbers;
            for (Extent i = 0; i < element_count(shapes[k]); ++i) {
                double const real =
                    kind(inputs) == Kind::boolean ? random() % 2 : static_cast<double>(random() % 19) - 9;
                numbers.emplace_back(real / (is_exact(inputs) ? 1 : 4), is_complex(inputs) ? random() % 5 : 0);
            }
            leaves.put(names.back(), test::tensor_of(inputs, shapes[k], numbers));
        }
        builder.einsum("Z", subscripts, names, extras);
        graph = builder.finish({"Z"});
    }

    Numbers sample(Sums sums, IndexSets const& indices) const {
        relation::Interpreter interpreter(graph, leaves.reader(graph), {}, sums);
        return test::numbers_of(interpreter.sample(graph.outputs[0], indices));
    }
    Numbers whole(Sums sums) const {
        relation::Interpreter interpreter(graph, leaves.reader(graph), {}, sums);
        return test::numbers_of(interpreter.whole(graph.outputs[0]));
    }
    relation::Orders orders() const {
        relation::Interpreter interpreter(graph, leaves.reader(graph), {}, Sums::pairwise);
        IndexSets all;
        for (Extent extent : graph.value(graph.outputs[0]).shape) {
            all.emplace_back();
            for (Extent k = 0; k < extent; ++k) all.back().push_back(k);
        }
        return interpreter.orders(graph.outputs[0], all);
    }
    /// By a plan of whatever price.
    Numbers planned(double most_elements) const {
        graph::Node const& node = graph.nodes[0];
        auto const& einsum = std::get<graph::EinSum>(node.op);
        auto const plan = relation::plan_pairwise(einsum, graph::types_of(graph, node),
                                                  relation::order_of_run(einsum, {}), einsum.extents, most_elements);
        REQUIRE(plan);
        sliced = plan->sliced.size();
        std::vector<relation::Sampled> operands;
        for (graph::Leaf const& leaf : graph.leaves) {
            graph::Value const& value = graph.value(leaf.value);
            operands.push_back({relation::all_of(value.shape), tensor::HostTensor(value.dtype, value.shape)});
            leaves.reader(graph)(leaf, Box::whole(value.shape), operands.back().data.bytes());
        }
        std::vector<relation::Sampled const*> inputs;
        for (relation::Sampled const& operand : operands) inputs.push_back(&operand);
        relation::Sets const sets = relation::all_of(graph.value(node.output).shape);
        return test::numbers_of(relation::einsum_pairwise(graph, node, *plan, inputs, sets, {}).data);
    }
    mutable std::size_t sliced = 0;
};

void check_close(Numbers const& found, Numbers const& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        CAPTURE(k);
        CHECK(std::abs(found[k] - expected[k]) <= 1e-10 * (1 + std::abs(expected[k])));
    }
}

/// A 60-fold product of 3 x 3 matrices: 3^61 points.
Contraction chain_of(int matrices) {
    test::GraphBuilder builder;
    Contraction out("ij->ij", {{1, 1}});
    graph::EinSum einsum;
    std::vector<std::string> names;
    for (int k = 0; k <= matrices; ++k) {
        einsum.labels.push_back("i" + std::to_string(k));
        einsum.extents.push_back(3);
    }
    for (int k = 0; k < matrices; ++k) {
        names.push_back("t" + std::to_string(k));
        builder.leaf(names.back(), {3, 3});
        Numbers numbers;
        for (int i = 0; i < 9; ++i) numbers.emplace_back((i + k) % 4 == 0 ? 1 : 0);
        out.leaves.put(names.back(), test::tensor_of(DType::f64, {3, 3}, numbers));
        einsum.inputs.push_back({k, k + 1});
    }
    einsum.output = {0, matrices};
    einsum.join = scalar::product(matrices);
    builder.node("Z", einsum, names, {3, 3});
    out.graph = builder.finish({"Z"});
    return out;
}

}  // namespace

TEST_CASE("contracting pairwise gives what one pass gives", "[relation][pairwise]") {
    using Extras = test::Extras;
    struct Row {
        char const* subscripts;
        std::vector<Shape> shapes;
        Extras extras;
        DType inputs;
    };
    std::vector<Row> const rows{
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {}, DType::f64},
        {"ij,jk,kl->", {{3, 4}, {4, 5}, {5, 2}}, {}, DType::f64},
        {"ij,jk,j,jl->ikl", {{3, 4}, {4, 5}, {4}, {4, 2}}, {}, DType::f64},
        {"ii,ij,kk->j", {{4, 4}, {4, 3}, {5, 5}}, {}, DType::f64},
        {"ij,jk,kl->lir", {{3, 4}, {4, 5}, {5, 2}}, {.sizes = {{'r', 3}}}, DType::f64},
        {"i,ij->i", {{5}, {5, 7}}, {}, DType::f64},
        {"i,j,k->kij", {{2}, {3}, {4}}, {}, DType::f64},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.join = "abs(x)*conj(y)*exp(z/4)*2"}, DType::f64},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.dtype = DType::c128}, DType::c128},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.join = "x*conj(y)*z", .dtype = DType::c64}, DType::c64},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.dtype = DType::i8}, DType::i8},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.dtype = DType::boolean}, DType::boolean},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.dtype = DType::f32}, DType::boolean},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.join = "x + y - z", .agg = scalar::Agg::min}, DType::f64},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.join = "x + y + z", .agg = scalar::Agg::max}, DType::f64},
        {"ij,jk,kl->il",
         {{3, 4}, {4, 5}, {5, 2}},
         {.join = "max(max(x, y), z)", .agg = scalar::Agg::min, .dtype = DType::i32},
         DType::i32},
        {"ij,jk,kl->il",
         {{3, 4}, {4, 5}, {5, 2}},
         {.join = "(x > 0) && y && (z < 3)", .agg = scalar::Agg::any, .dtype = DType::boolean},
         DType::f64},
        {"ij,jk,kl->il",
         {{3, 4}, {4, 5}, {5, 2}},
         {.join = "x || y || z", .agg = scalar::Agg::all, .dtype = DType::boolean},
         DType::boolean},
        {"ij,jk,kl->il", {{3, 4}, {4, 5}, {5, 2}}, {.join = "x + y + z", .agg = scalar::Agg::logsumexp}, DType::f64},
    };
    for (Row const& row : rows) {
        CAPTURE(row.subscripts, row.extras.join, name(row.inputs), scalar::name(row.extras.agg));
        Contraction const each(row.subscripts, row.shapes, row.extras, row.inputs);
        Numbers const expected = each.whole(Sums::as_written);
        check_close(each.planned(1e9), expected);
        check_close(each.planned(6), expected);  // elements at a time: labels are sliced
    }
}

TEST_CASE("labels are sliced until everything on the way is small", "[relation][pairwise]") {
    Contraction const whole("ia,jb,ka,lb->ijkl", {{4, 3}, {4, 3}, {4, 3}, {4, 3}});
    Numbers const expected = whole.whole(Sums::as_written);
    check_close(whole.planned(1e9), expected);
    CHECK(whole.sliced == 0);
    check_close(whole.planned(20), expected);
    CHECK(whole.sliced >= 2);
}

TEST_CASE("what pairwise contraction would change is computed as written", "[relation][pairwise]") {
    // integers that wrap keep no order; an index is no factor of one operand
    CHECK(Contraction("ij,jk,kl->il", {{9, 9}, {9, 9}, {9, 9}},
                      {.join = "x + y + z", .agg = scalar::Agg::max, .dtype = DType::i32}, DType::i32)
              .orders() == relation::Orders::none);
    CHECK(Contraction("ij,jk,kl->il", {{9, 9}, {9, 9}, {9, 9}}, {.join = "x*y*z*[i]"}).orders() ==
          relation::Orders::none);
}

TEST_CASE("another order than the run's is found and named", "[relation][pairwise]") {
    CHECK(Contraction("ij,jk,kl->il", {{9, 9}, {9, 9}, {9, 9}}).orders() == relation::Orders::another);
    CHECK(Contraction("ij,jk->ik", {{60, 60}, {60, 60}}).orders() == relation::Orders::products);
    // Any other order takes 75 times as long.
    CHECK(Contraction("ij,jk,kl->il", {{300, 300}, {300, 2}, {2, 300}}).orders() == relation::Orders::of_run);
}

TEST_CASE("few elements of a network with more points than can be counted are soon there", "[relation][pairwise]") {
    Contraction const chain = chain_of(90);
    relation::Interpreter interpreter(chain.graph, chain.leaves.reader(chain.graph), {}, Sums::pairwise);
    ValueId const z = chain.graph.outputs[0];
    CHECK(interpreter.seconds(z, {{1}, {2}}) < 1e-3);
    CHECK(relation::Interpreter(chain.graph, chain.leaves.reader(chain.graph)).seconds(z, {{1}, {2}}) > 1e20);
    Numbers const all = chain.whole(Sums::pairwise);
    REQUIRE(all.size() == 9);
    CHECK(chain.sample(Sums::pairwise, {{1}, {0, 2}}) == Numbers{all[3], all[5]});
    graph::EinGraph const lowered = graph::lower_contractions(chain.graph);
    CHECK(test::numbers_of(relation::Interpreter(lowered, chain.leaves.reader(lowered)).whole(z)) == all);
}

TEST_CASE("products go on where their inner label is longer than a panel", "[relation][pairwise]") {
    Contraction const product("ij,jk->ik", {{7, 1300}, {1300, 9}});
    check_close(product.planned(1e9), product.whole(Sums::as_written));
}
