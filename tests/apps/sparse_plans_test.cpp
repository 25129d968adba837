// Bytes that plans of sparse tensors are predicted to move, beside the formulas of published algorithms. Both assume
// that every tensor lies on the ranks once, each element where the algorithm wants it first: inputs are read from files
// or made, and results may stay where they are made. Whatever a rank wants beyond that counts, sent or read again.
#include <algorithm>
#include <numeric>

#include "apps/einplan/planning.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/sparse/stored_size.hpp"
#include "lib/tensor/sparse/index_span.hpp"
#include "scheduler/loaded_again.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {

/// Sparse leaves list `density` of their elements, evenly.
apps::Planned planned(graph::EinGraph const& graph, int ranks, double density) {
    apps::PlanningOptions options;
    options.planner.ranks = ranks;
    options.scheduler.listed = [density](ValueId, Box const& box) {
        return static_cast<Extent>(static_cast<double>(box.elements()) * density);
    };
    return apps::plan_and_schedule(graph, options);
}

graph::EinGraph graph_of(std::string const& json, double density) {
    graph::EinGraph graph = graph::lower_graph(graph::read_graph(json, "g.json"));
    for (graph::Leaf const& leaf : graph.leaves) {
        graph::Value& value = graph.values[at(leaf.value)];
        if (!value.listing) continue;
        value.listing->listed = static_cast<double>(element_count(value.shape)) * density;
        value.listing->most = static_cast<Extent>(*value.listing->listed);
    }
    return graph;
}

std::string tensor(std::string const& name, std::string const& shape, bool sparse) {
    return "\"" + name + "\": {\"shape\": " + shape + (sparse ? ", \"sparse\": true}" : "}");
}

graph::EinGraph product(Extent rows, Extent inner, Extent columns, double density, bool both = false) {
    auto const shape = [](Extent a, Extent b) { return "[" + std::to_string(a) + ", " + std::to_string(b) + "]"; };
    return graph_of(R"({"eingraph": 1, "dtype": "f64", "tensors": {)" + tensor("A", shape(rows, inner), true) + ", " +
                        tensor("B", shape(inner, columns), both) +
                        R"(}, "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}],
                        "outputs": ["C"]})",
                    density);
}

double counted(apps::Planned const& plan) {
    std::vector<std::int64_t> const again = scheduler::loaded_again(plan.made.schedule);
    return static_cast<double>(plan.moved() + std::accumulate(again.begin(), again.end(), std::int64_t{0}));
}

/// Of C = A B the least of
/// - 1D: rows of A stay and all ranks get B; or columns of A stay and partial results of C are added; or A goes round;
/// - 2D (SUMMA): a grid r x s, with C, B or A staying where it is;
/// - 1.5D and 3D: c copies of the tensor that would move most, the others within a layer of p / c ranks.
/// All of these are grids r x s x t of the labels i, j, k: A is wanted t times, B r times, C has s partial results.
double best_formula(graph::EinGraph const& graph, int ranks) {
    double const a = graph::stored_bytes(graph.values[0]), b = graph::stored_bytes(graph.values[1]),
                 c = graph::stored_bytes(graph.values[2]);
    double best = -1;
    for (int r = 1; r <= ranks; ++r)
        for (int s = 1; s <= ranks / r; ++s) {
            if (ranks % (r * s) != 0) continue;
            int const t = ranks / (r * s);
            double const moved = (t - 1) * a + (r - 1) * b + (s - 1) * c;
            if (best < 0 || moved < best) best = moved;
        }
    return best;
}

std::vector<std::int64_t> parts_of(apps::Planned const& plan, std::size_t node = 0) {
    return plan.plan.nodes[node].parts;
}

}  // namespace

TEST_CASE("products with a sparse matrix move no more than 1D, 2D and 1.5D algorithms", "[apps][sparse]") {
    struct Case {
        Extent rows, inner, columns;
        double density;
        bool both;
    };
    for (Case const& of :
         {Case{20000, 20000, 64, 0.01, false}, Case{20000, 20000, 1024, 0.001, false},
          Case{20000, 20000, 4, 0.01, false}, Case{100000, 2000, 64, 0.01, false}, Case{2000, 100000, 64, 0.001, false},
          Case{20000, 20000, 128, 0.0002, false}, Case{8000, 8000, 8000, 0.01, true},
          Case{20000, 500, 20000, 0.1, true}, Case{1000, 200000, 1000, 0.05, true}}) {
        graph::EinGraph const graph = product(of.rows, of.inner, of.columns, of.density, of.both);
        for (int ranks : {4, 8, 16, 32, 64}) {
            apps::Planned const plan = planned(graph, ranks, of.density);
            CAPTURE(of.rows, of.inner, of.columns, of.density, ranks, parts_of(plan));
            CHECK(counted(plan) <= 1.1 * best_formula(graph, ranks));
        }
    }
}

TEST_CASE("an iteration of PageRank moves the vector alone", "[apps][sparse]") {
    constexpr Extent n = 20000;
    constexpr double turns = 10, vector = 8 * n;
    graph::EinGraph const graph = graph_of(R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "A": {"shape": [20000, 20000], "sparse": true}, "x": {"shape": [20000]}},
        "nodes": [{"name": "l", "loop": {"times": 10, "carry": {"x": "z"}, "body": [
            {"name": "y", "einsum": "ij,j->i", "inputs": ["A", "x"]},
            {"name": "z", "einsum": "i->i", "inputs": ["y"], "join": "0.85*x + 0.15"}]}}], "outputs": ["l/x"]})",
                                           0.01);
    for (int ranks : {2, 3, 4, 7, 16}) {
        double best = (ranks - 1) * vector;  // rows: all ranks get all of it
        for (int r = 2; r < ranks; ++r)      // a grid: along columns and rows of ranks, and the vector is transposed
            if (ranks % r == 0) best = std::min(best, (r - 1 + ranks / r - 1 + 1) * vector);
        CAPTURE(ranks);
        CHECK(counted(planned(graph, ranks, 0.01)) <= 1.1 * turns * best);
    }
}

TEST_CASE("of a vector each rank gets what its rows of a banded matrix want", "[apps][sparse]") {
    constexpr Extent n = 20'000, width = 20;  // on each side of the diagonal; all is listed there
    constexpr double turns = 10;
    graph::EinGraph const graph = graph_of(R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "A": {"shape": [20000, 20000], "sparse": true}, "x": {"shape": [20000]}},
        "nodes": [{"name": "l", "loop": {"times": 10, "carry": {"x": "z"}, "body": [
            {"name": "y", "einsum": "ij,j->i", "inputs": ["A", "x"]},
            {"name": "z", "einsum": "i->i", "inputs": ["y"], "join": "0.85*x + 0.15"}]}}], "outputs": ["l/x"]})",
                                           (2.0 * width + 1) / n);
    // Columns of a row in the band and in the box.
    auto const of_row = [](Box const& box, Extent row) {
        Extent const first = std::max(box.begin[1], row - width), end = std::min(box.end(1), row + width + 1);
        return Box{{row, first}, {1, std::max<Extent>(0, end - first)}};
    };
    apps::PlanningOptions options;
    options.scheduler.listed = [&](ValueId, Box const& box) {
        Extent count = 0;
        for (Extent row = box.begin[0]; row < box.end(0); ++row) count += of_row(box, row).elements();
        return count;
    };
    options.scheduler.hull = [&](ValueId, Box const& box) {
        tensor::IndexSpan span(2);
        for (Extent row = box.begin[0]; row < box.end(0); ++row) span.add(of_row(box, row));
        return span.box(box.begin);
    };
    for (int ranks : {2, 3, 4, 7, 16, 64}) {
        CAPTURE(ranks);
        options.planner.ranks = ranks;
        apps::Planned const plan = apps::plan_and_schedule(graph, options);
        CHECK(static_cast<double>(plan.moved()) <= turns * 8 * 2 * width * (ranks - 1));
        CHECK(counted(plan) == static_cast<double>(plan.moved()));  // each element is read once
    }
}

TEST_CASE("MTTKRP and sampled products keep the sparse tensor where it is", "[apps][sparse]") {
    graph::EinGraph const mttkrp = graph_of(R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "T": {"shape": [2000, 1500, 1000], "sparse": true}, "B": {"shape": [1500, 32]}, "C": {"shape": [1000, 32]}},
        "nodes": [{"name": "M", "einsum": "ijk,jr,kr->ir", "inputs": ["T", "B", "C"]}], "outputs": ["M"]})",
                                            0.001);
    graph::EinGraph const sampled = graph_of(R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "S": {"shape": [10000, 10000], "sparse": true}, "U": {"shape": [10000, 64]}, "V": {"shape": [10000, 64]}},
        "nodes": [{"name": "s", "einsum": "ij,ir,jr->", "inputs": ["S", "U", "V"]}], "outputs": ["s"]})",
                                             0.01);
    for (int ranks : {2, 3, 4, 7, 16}) {
        CAPTURE(ranks);
        apps::Planned const one = planned(mttkrp, ranks, 0.001), other = planned(sampled, ranks, 0.01);
        double best_mttkrp = -1, best_sampled = -1;
        for (int r = 1; r <= ranks; ++r)
            for (int s = 1; s <= ranks / r; ++s) {
                if (ranks % (r * s) != 0) continue;
                int const t = ranks / (r * s);
                double const factors = 256.0 * (1500 * (r * t - 1) + 1000 * (r * s - 1) + 2000 * (s * t - 1));
                if (best_mttkrp < 0 || factors < best_mttkrp) best_mttkrp = factors;
                double const rows = 512.0 * 10000 * (r - 1 + s - 1);
                if (t == 1 && (best_sampled < 0 || rows < best_sampled)) best_sampled = rows;
            }
        CHECK(counted(one) <= 1.1 * best_mttkrp);
        CHECK(counted(other) <= 1.1 * best_sampled + 8 * ranks);
        std::vector<std::int64_t> const again = scheduler::loaded_again(one.made.schedule);
        CHECK(std::all_of(again.begin(), again.end(), [](std::int64_t bytes) { return bytes == 0; }));
    }
}
