#include "lib/graph/contract/sliced.hpp"

#include <map>

#include "lib/graph/contract.hpp"
#include "lib/graph/contract/orders.hpp"
#include "tests/lib/relation/interpreting.hpp"

using namespace ein;

namespace {

struct SlicedCase {
    std::string subscripts;
    std::vector<Shape> shapes;
    std::vector<std::string> sliced;
    test::Extras extras = {};
    DType dtype = DType::f64;
};

/// A product of small whole numbers: every order and slicing gives the same bits.
struct Product {
    graph::EinGraph graph;
    test::Leaves leaves;

    explicit Product(SlicedCase const& of) {
        test::GraphBuilder builder;
        std::vector<std::string> names;
        unsigned drawn = 7;
        for (std::size_t k = 0; k < of.shapes.size(); ++k) {
            names.push_back("t" + std::to_string(k));
            builder.leaf(names.back(), of.shapes[k], of.dtype);
            test::Numbers numbers;
            for (Extent i = 0; i < element_count(of.shapes[k]); ++i) {
                drawn = drawn * 1103515245u + 12345u;
                double const value = of.dtype == DType::boolean ? (drawn >> 16) % 2 : (drawn >> 16) % 5 - 2.0;
                numbers.emplace_back(value, is_complex(of.dtype) ? (drawn >> 20) % 3 : 0);
            }
            leaves.put(names.back(), test::tensor_of(of.dtype, of.shapes[k], numbers));
        }
        builder.einsum("Z", of.subscripts, names, of.extras);
        graph = builder.finish({"Z"});
    }

    test::Numbers value(graph::EinGraph const& of) {
        for (graph::Leaf const& leaf : of.leaves)
            if (std::holds_alternative<tensor::FillSource>(leaf.source)) {
                graph::Value const& zero = of.value(leaf.value);
                leaves.put(zero.name, test::tensor_of(zero.dtype, zero.shape, {0}));
            }
        relation::Interpreter interpreter(of, leaves.reader(of), {});
        return test::numbers_of(interpreter.whole(of.outputs[0]));
    }
};

graph::Path from_the_left(std::size_t operands) {
    graph::Path path{{0, 1}};
    while (path.size() + 1 < operands) path.emplace_back(0, static_cast<int>(operands - path.size() - 1));
    return path;
}

}  // namespace

TEST_CASE("a sliced product is what it is unsliced, however many slices are done at once", "[lib][relation]") {
    auto const of = GENERATE(
        SlicedCase{"ij,jk,kl,li->", {{4, 3}, {3, 5}, {5, 2}, {2, 4}}, {"i"}},
        SlicedCase{"ij,jk,kl,li->", {{4, 3}, {3, 5}, {5, 2}, {2, 4}}, {"k", "i", "j"}},
        SlicedCase{"ab,bc,cd->ad", {{2, 3}, {3, 4}, {4, 3}}, {"c", "b"}},
        SlicedCase{"ax,bx,cx,xy,y->abc", {{2, 5}, {3, 5}, {2, 5}, {5, 3}, {3}}, {"x"}},  // a hyperedge
        SlicedCase{"zab,zbc,zca->z", {{2, 3, 4}, {2, 4, 3}, {2, 3, 3}}, {"a", "b"}},     // a batch
        SlicedCase{"iij,jk,k->", {{3, 3, 4}, {4, 2}, {2}}, {"i"}},                       // a diagonal
        SlicedCase{"ij,kl,jm,n->k", {{3, 3}, {2, 2}, {3, 2}, {4}}, {"j"}},               // parts and labels alone
        SlicedCase{"ij,jk,ki->", {{3, 3}, {3, 3}, {3, 3}}, {"j"}, {}, DType::c128},
        SlicedCase{"ij,jk,kl->il", {{3, 4}, {4, 3}, {3, 2}}, {"j"}, {}, DType::i32},
        SlicedCase{"ij,jk,kl->il", {{3, 4}, {4, 3}, {3, 2}}, {"j"}, {.join = "x + y + z", .agg = scalar::Agg::min}},
        SlicedCase{"ij,jk,kl->il", {{3, 4}, {4, 3}, {3, 2}}, {"k"}, {.join = "x + y + z", .agg = scalar::Agg::max}},
        SlicedCase{"ij,jk,kl->il",
                   {{3, 4}, {4, 3}, {3, 2}},
                   {"j"},
                   {.join = "x && y && z", .agg = scalar::Agg::any},
                   DType::boolean},
        SlicedCase{"ij,jk,kl->il", {{3, 4}, {4, 3}, {3, 2}}, {"j"}, {.join = "abs(x)*y*(z+1)*3"}});
    Extent const at_once = GENERATE(1, 2, 3);
    CAPTURE(of.subscripts, of.sliced, at_once);
    Product product(of);
    test::Numbers const expected = product.value(product.graph);
    graph::EinGraph const sliced = graph::lower_contractions(graph::with_orders(
        product.graph, {{"Z", from_the_left(of.shapes.size()), graph::Slicing{of.sliced, at_once}}}));
    graph::verify(sliced, "lower_contractions");
    REQUIRE(sliced.loops.size() == 1);
    CHECK(product.value(sliced) == expected);
}

TEST_CASE("steps that no sliced label reaches stand before the loop", "[lib][relation]") {
    Product product({"ab,bc,cd,de,ea->", {{3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3}}, {}});
    graph::Path const path{{0, 1}, {0, 3}, {0, 2}, {0, 1}};  // ab,bc first; d is sliced
    graph::EinGraph const sliced =
        graph::lower_contractions(graph::with_orders(product.graph, {{"Z", path, graph::Slicing{{"d"}, 1}}}));
    for (graph::Node const& node : sliced.nodes)
        if (sliced.value(node.output).name == "Z:1") CHECK(node.loop == -1);
    CHECK(sliced.loops[0].iterations == 3);
}

TEST_CASE("labels that the graph slices over are sliced whatever the memory, and others where it is short",
          "[lib][relation]") {
    Product of({"ij,jk,kl,lm,mi->", {{4, 3}, {3, 5}, {5, 4}, {4, 3}, {3, 4}}, {"k"}});
    test::Numbers const expected = of.value(of.graph);
    of.graph.nodes.back().slicing = graph::Slicing{{"k"}, 0};
    graph::OrderLimits limits;
    limits.ranks = 2;
    limits.slice_bytes = GENERATE(1e9, 40.0);
    limits.always_slice = limits.slice_bytes < 1e9;
    CAPTURE(limits.slice_bytes);
    graph::SearchedOrders searched;
    graph::ChosenOrders const chosen = graph::choose_orders(of.graph, limits, "g.json", searched);
    REQUIRE(chosen.orders.size() == 1);
    REQUIRE(chosen.orders[0].slicing);
    graph::Slicing const& slicing = *chosen.orders[0].slicing;
    CHECK(slicing.labels[0] == "k");
    CHECK(slicing.at_once == 2);
    CHECK((slicing.labels.size() > 1) == limits.always_slice);
    double slices = 1;
    for (std::string const& label : slicing.labels)
        slices *= std::map<std::string, double>{{"i", 4}, {"j", 3}, {"k", 5}, {"l", 4}, {"m", 3}}.at(label);
    CHECK(chosen.reports[0].slices == slices);
    CHECK(of.value(graph::lower_contractions(graph::with_orders(of.graph, chosen.orders))) == expected);
    CHECK(of.value(graph::lower_contractions(of.graph)) == expected);  // nobody chose: it runs whole
}
