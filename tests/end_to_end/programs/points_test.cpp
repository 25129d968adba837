// Points and tensors: what is nearest, what belongs together, and products with factors.
#include <limits>

#include "tests/end_to_end/programs/made_program.hpp"

using namespace ein;
using namespace ein::test;

namespace {

struct Clusters {
    Plain centres, cluster;
    int empty = 0;  // how often a cluster had no points
};

Extent nearest_centre(Plain const& points, Extent p, Plain const& centres) {
    Extent best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Extent c = 0; c < centres.extent(0); ++c) {
        double distance = 0;
        for (Extent d = 0; d < points.extent(1); ++d) distance += std::pow(points(p, d) - centres(c, d), 2);
        if (distance < least) least = distance, best = c;
    }
    return best;
}

/// Lloyd's algorithm from the first points.
Clusters lloyd(Plain const& points, Extent clusters, int most_iterations) {
    Extent const n = points.extent(0), dimensions = points.extent(1);
    Clusters out{Plain({clusters, dimensions}), Plain({n})};
    for (Extent c = 0; c < clusters; ++c)
        for (Extent d = 0; d < dimensions; ++d) out.centres(c, d) = points(c, d);
    for (Extent p = 0; p < n; ++p) out.cluster(p) = -1;
    bool moves = true;
    for (int iteration = 0; moves && iteration < most_iterations; ++iteration) {
        moves = false;
        Plain sums({clusters, dimensions}), counts({clusters});
        for (Extent p = 0; p < n; ++p) {
            Extent const c = nearest_centre(points, p, out.centres);
            moves = moves || out.cluster(p) != static_cast<double>(c);
            out.cluster(p) = static_cast<double>(c);
            counts(c) += 1;
            for (Extent d = 0; d < dimensions; ++d) sums(c, d) += points(p, d);
        }
        for (Extent c = 0; c < clusters; ++c) {
            if (counts(c) == 0) ++out.empty;
            for (Extent d = 0; counts(c) > 0 && d < dimensions; ++d) out.centres(c, d) = sums(c, d) / counts(c);
        }
    }
    return out;
}

void check_k_means(MadeProgram& program, Clusters const& expected) {
    program.expect("lloyd/centres", expected.centres);
    program.expect("lloyd/cluster", expected.cluster);
    program.run(GENERATE(1, 2, 3));
}

}  // namespace

TEST_CASE("k-means is Lloyd's algorithm", "[end_to_end][programs]") {
    std::string const iterations = GENERATE("2", "100");
    CAPTURE(iterations);
    MadeProgram program("k-means", {.sizes = {60, 3, 5}, .options = {{"--iterations", iterations}}});
    check_k_means(program, lloyd(program.input("points"), 5, std::stoi(iterations)));
}

TEST_CASE("k-means: a cluster without points keeps its centre", "[end_to_end][programs]") {
    MadeProgram program("k-means", {.sizes = {5, 1, 3}});
    program.json()["tensors"]["points"]["data"] = {{"values", {{1}, {1}, {8}, {2}, {9}}}};  // the first one wins ties
    Clusters const expected = lloyd(program.input("points"), 3, 100);
    REQUIRE(expected.empty > 0);
    REQUIRE(expected.centres(1, 0) == 1);
    check_k_means(program, expected);
}

TEST_CASE("nearest-neighbour under a metric matrix", "[end_to_end][programs]") {
    MadeProgram program("nearest-neighbour", {.sizes = {40, 6}});
    Plain const X = program.input("X"), q = program.input("q"), A = program.input("A");
    double least = std::numeric_limits<double>::infinity(), nearest = -1;
    for (Extent p = 0; p < 40; ++p) {
        double distance = 0;
        for (int d = 0; d < 6; ++d)
            for (int e = 0; e < 6; ++e) distance += (X(p, d) - q(d)) * A(d, e) * (X(p, e) - q(e));
        if (distance < least) least = distance, nearest = static_cast<double>(p);
    }
    program.expect("nearest", scalar_of(nearest));
    program.expect("how_far", scalar_of(least));
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("mttkrp and ttmc are sums over two modes", "[end_to_end][programs]") {
    MadeProgram mttkrp("mttkrp", {.sizes = {7, 5, 6, 4}}), ttmc("ttmc", {.sizes = {7, 5, 6, 4, 3}});
    Plain const T = mttkrp.input("T"), B = mttkrp.input("B"), C = mttkrp.input("C"), D = ttmc.input("C");
    REQUIRE(ttmc.input("T").numbers == T.numbers);
    REQUIRE(ttmc.input("B").numbers == B.numbers);
    Plain A({7, 4}), Y({7, 4, 3});
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 6; ++k)
                for (int r = 0; r < 4; ++r) {
                    A(i, r) += T(i, j, k) * B(j, r) * C(k, r);
                    for (int s = 0; s < 3; ++s) Y(i, r, s) += T(i, j, k) * B(j, r) * D(k, s);
                }
    mttkrp.expect("A", A);
    ttmc.expect("Y", Y);
    int const ranks = GENERATE(1, 2, 3);
    mttkrp.run(ranks);
    ttmc.run(ranks);
}
