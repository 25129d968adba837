#include "lib/relation/listed_results.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lib/base/error.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using relation::ListedCount;

namespace {

/// Random A, D of rows x inner and B of inner x columns, at this density, and one node Z.
std::string text_of(std::string const& node, double density, Extent rows = 60, Extent inner = 50, Extent columns = 40) {
    auto const tensor = [&](Extent a, Extent b, int seed) {
        return R"({"shape": [)" + std::to_string(a) + "," + std::to_string(b) +
               R"(], "sparse": true, "data": {"random": "uniform", "low": 1, "high": 2, "density": )" +
               std::to_string(density) + R"(, "seed": )" + std::to_string(seed) + "}}";
    };
    return R"({"eingraph": 1, "dtype": "f64", "tensors": {"A": )" + tensor(rows, inner, 1) + R"(, "B": )" +
           tensor(inner, columns, 2) + R"(, "D": )" + tensor(rows, inner, 3) + R"(, "x": {"shape": [)" +
           std::to_string(inner) + R"(], "data": {"fill": 1}}}, "nodes": [)" + node + R"(], "outputs": ["Z"]})";
}

struct Counted {
    graph::EinGraph graph;
    relation::ListedElements listed;
    graph::Value const& z() const { return graph.value(graph.outputs[0]); }
};

Counted counted(std::string const& text, relation::SparseResults which = relation::SparseResults::where_possible) {
    Counted out{graph::read_graph(text, "t.json"), {}};
    out.listed = relation::count_listed(out.graph, "");
    out.graph = relation::lower_by_size(std::move(out.graph), out.listed, "t.json", which);
    return out;
}

/// Places that a leaf lists.
std::set<std::pair<Extent, Extent>> places(graph::EinGraph const& graph, std::string const& name) {
    graph::Leaf const& leaf = *std::find_if(graph.leaves.begin(), graph.leaves.end(), [&](graph::Leaf const& each) {
        return graph.value(each.value).name == name;
    });
    graph::Value const& value = graph.value(leaf.value);
    auto const reader = tensor::open_sparse(leaf.source, value.name, value.dtype, value.shape, "");
    tensor::ListedElements const all = reader->elements(Box::whole(value.shape));
    std::set<std::pair<Extent, Extent>> out;
    for (std::size_t e = 0; e < all.coords[0].size(); ++e) out.emplace(all.coords[0][e], all.coords[1][e]);
    return out;
}

Extent listed_in_product(graph::EinGraph const& graph) {
    std::set<std::pair<Extent, Extent>> out;
    for (auto const& [i, j] : places(graph, "A"))
        for (auto const& [jb, k] : places(graph, "B"))
            if (j == jb) out.emplace(i, k);
    return static_cast<Extent>(out.size());
}

}  // namespace

TEST_CASE("what values list is known by the numbers that they have in the lowered graph", "[relation][sparse]") {
    Counted const c = counted(
        R"({"eingraph": 1, "dtype": "f64", "tensors": {"p": {"shape": [30], "dtype": "i64", "data": {"fill": 1}},
            "W": {"shape": [9, 20], "data": {"fill": 1}},
            "A": {"shape": [60, 50], "sparse": true, "data": {"random": "uniform", "density": 0.1, "seed": 1}},
            "B": {"shape": [50, 40], "sparse": true, "data": {"random": "uniform", "density": 0.1, "seed": 2}}},
            "nodes": [{"name": "H", "op": "one_hot", "inputs": ["p"], "depth": 9},
                      {"name": "L", "einsum": "iv,vd->id", "inputs": ["H", "W"]},
                      {"name": "P", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
                      {"name": "Z", "einsum": "ik,ik->i", "inputs": ["P", "P"]}], "outputs": ["L", "P", "Z"]})");
    int listings = 0;
    for (std::size_t v = 0; v < c.graph.values.size(); ++v) {
        graph::Value const& value = c.graph.values[v];
        if (!value.listing) continue;
        ++listings;
        CAPTURE(value.name);
        CHECK(c.listed.in_box(ValueId{static_cast<std::int32_t>(v)}, Box::whole(value.shape)) == value.listing->most);
    }
    CHECK(listings >= 3);
}

TEST_CASE("a product lists at most pairs with equal inner indices", "[relation][sparse]") {
    double const density = GENERATE(0.0, 0.005, 0.02, 0.1, 0.5, 1.0);
    Counted const c = counted(text_of(R"({"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"]})", density));
    Extent const found = listed_in_product(c.graph);
    CAPTURE(density, found);
    REQUIRE(c.z().listing);
    CHECK(c.z().listing->most >= found);
    CHECK(c.z().listing->most <= 60 * 40);
    CHECK(*c.z().listing->listed == Approx(static_cast<double>(found)).epsilon(0.1).margin(12));
    // Of boxes too, none of which lists more than it can.
    Extent sum = 0;
    for (Extent row : {0, 30}) sum += c.listed.in_box(c.graph.outputs[0], {{row, 0}, {30, 40}});
    CHECK(sum >= found);
    CHECK(c.listed.in_box(c.graph.outputs[0], {{0, 0}, {0, 40}}) == 0);
}

TEST_CASE("elementwise results list what both or either list", "[relation][sparse]") {
    Counted const both = counted(text_of(R"({"name": "Z", "einsum": "ij,ij->ij", "inputs": ["A", "D"]})", 0.1));
    Counted const either =
        counted(text_of(R"({"name": "Z", "einsum": "ij,ij->ij", "inputs": ["A", "D"], "join": "x+y"})", 0.1));
    CHECK(both.z().listing->most < 60);  // places that both list are counted
    CHECK(*both.z().listing->listed == Approx(30).epsilon(0.01));
    CHECK(either.z().listing->most == 600);
    CHECK(*either.z().listing->listed == Approx(570).epsilon(0.01));
}

TEST_CASE("one operand read twice lists the same twice", "[relation][sparse]") {
    Counted const c = counted(text_of(R"({"name": "Z", "einsum": "ij,ij->ij", "inputs": ["A", "A"]})", 0.1));
    CHECK(*c.z().listing->listed == Approx(300));
}

TEST_CASE("results of results have bounds, of their boxes too", "[relation][sparse]") {
    Counted const c = counted(text_of(R"({"name": "P", "einsum": "ij,j->ij", "inputs": ["A", "x"]},
                                         {"name": "Z", "einsum": "ij,jk->ik", "inputs": ["P", "B"]})",
                                      0.01));
    CHECK(c.z().listing->most >= listed_in_product(c.graph));
    CHECK(c.listed.in_box(c.graph.outputs[0], {{0, 0}, {60, 40}}) == c.z().listing->most);
}

TEST_CASE("a result is kept sparse where that is smaller", "[relation][sparse]") {
    std::string const product = R"({"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"]})";
    auto const kept = [](std::string const& text) {
        return counted(text, relation::SparseResults::where_smaller).z().listing.has_value();
    };
    CHECK(kept(text_of(product, 0.01)));
    CHECK_FALSE(kept(text_of(product, 0.2)));
    CHECK(kept(text_of(R"({"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"], "sparse": true})", 0.2)));
    CHECK_FALSE(kept(text_of(R"({"name": "Z", "einsum": "ij,j->i", "inputs": ["A", "x"]})", 0.1)));
}

TEST_CASE("of a slice with strides what it meets is counted, in any box", "[relation][sparse]") {
    std::string const slices = GENERATE("::2, ::3", "1::2, ::-3", "5:50:7, :", "::-1, 2::5");
    Counted const of =
        counted(text_of(R"({"name": "Z", "op": "slice", "inputs": ["A"], "slices": ")" + slices + "\"}", 0.2));
    REQUIRE(of.z().listing);
    graph::Move const& move = std::get<graph::Move>(of.graph.nodes[0].op);
    REQUIRE(move.regions.size() == 1);
    auto const met = [&](Box const& box) {
        auto const all = places(of.graph, "A");
        Extent count = 0;
        for_each_index(box.length, [&](std::vector<Extent> const& index) {
            std::vector<Extent> read;
            for (std::size_t axis = 0; axis < 2; ++axis)
                read.push_back(move.regions[0].axes[axis].start +
                               move.regions[0].axes[axis].step * (box.begin[axis] + index[axis]));
            count += static_cast<Extent>(all.count({read[0], read[1]}));
        });
        return count;
    };
    Shape const shape = of.z().shape;
    CAPTURE(slices, shape);
    CHECK(of.z().listing->most == met(Box::whole(shape)));
    CHECK(*of.z().listing->listed == static_cast<double>(met(Box::whole(shape))));
    Box const part{{1, 2}, {shape[0] - 2, shape[1] - 3}};
    CHECK(of.listed.in_box(of.graph.outputs[0], part) == met(part));
}

TEST_CASE("a scalar is dense, though it could list nothing", "[relation][sparse]") {
    std::string text = text_of(R"({"name": "Z", "einsum": "ij->", "inputs": ["A"]})", 0);
    text.replace(text.find("f64"), 3, "c128");
    CHECK_FALSE(counted(text, relation::SparseResults::where_smaller).z().listing);
    CHECK(counted(text, relation::SparseResults::where_possible).z().listing);
}

TEST_CASE("of rows that are looked up at most the longest is listed, for each", "[relation][sparse]") {
    std::string text = text_of(R"({"name": "Z", "op": "gather", "inputs": ["A", "n"]})", 0.1);
    text.replace(text.find(R"("x": )"), 5,
                 R"("n": {"shape": [7], "dtype": "i64", "data": {"random": "uniform", "low": 0, "high": 60}}, "x": )");
    Counted const found = counted(text);
    std::map<Extent, Extent> in_row;
    for (auto const& [i, j] : places(found.graph, "A")) ++in_row[i];
    Extent longest = 0;
    for (auto const& [row, listed] : in_row) longest = std::max(longest, listed);
    REQUIRE(found.z().listing);
    CHECK(found.z().listing->most == 7 * longest);
    CHECK(found.z().listing->listed.value() == Approx(7 * 50 * 0.1).epsilon(0.05));
}
