// Links between nodes, as lists in place of matrices: PageRank, and Floyd and Warshall's shortest paths.
#include <limits>

#include "tests/end_to_end/programs/made_program.hpp"

using namespace ein;
using namespace ein::test;

TEST_CASE("pagerank follows links, from nodes without any to all", "[end_to_end][programs]") {
    int const n = 40;
    auto const [iterations, tolerance] = GENERATE(std::pair{"100", "1e-7"}, std::pair{"3", "0"});
    CAPTURE(iterations, tolerance);
    MadeProgram program(
        "pagerank",
        {.sizes = {n}, .options = {{"--iterations", iterations}, {"--tolerance", tolerance}, {"--links", "0.04"}}});
    Plain const draw = program.input("draw");
    std::vector<std::vector<int>> targets(n);
    for (int to = 0; to < n; ++to)
        for (int from = 0; from < n; ++from)
            if (draw(to, from) < 0.04) targets[static_cast<std::size_t>(from)].push_back(to);
    REQUIRE(std::any_of(targets.begin(), targets.end(), [](auto const& t) { return t.empty(); }));
    Plain score({n});
    for (double& s : score.numbers) s = 1.0 / n;
    double change = 0;
    int iteration = 0;
    for (bool moves = true; moves && iteration < std::stoi(iterations); ++iteration) {
        Plain next({n});
        for (double& s : next.numbers) s = 0.15 / n;
        for (int from = 0; from < n; ++from) {
            auto const& to = targets[static_cast<std::size_t>(from)];
            for (int target : to) next(target) += 0.85 * score(from) / static_cast<double>(to.size());
            for (int target = 0; to.empty() && target < n; ++target) next(target) += 0.85 * score(from) / n;
        }
        change = 0;
        for (int k = 0; k < n; ++k) change += std::abs(next(k) - score(k));
        score = next;
        moves = change > std::stod(tolerance);
    }
    double total = 0;
    for (double s : score.numbers) total += s;
    CHECK(std::abs(total - 1) < 1e-12);
    if (iterations == std::string("100")) CHECK(iteration < 100);
    program.expect("surf/score", score);
    program.expect("surf/change", scalar_of(change), 1);  // of scores whose sum is 1
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("shortest-paths are those of Floyd and Warshall", "[end_to_end][programs]") {
    int const n = GENERATE(1, 2, 17, 32);
    CAPTURE(n);
    MadeProgram program("shortest-paths", {.sizes = {n}, .options = {{"--links", "0.12"}}});
    Plain const draw = program.input("draw");
    Plain D({n, n});
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double const length =
                draw(i, j) < 0.12 ? 1 + 9 * draw(i, j) / 0.12 : std::numeric_limits<double>::infinity();
            D(i, j) = i == j ? 0 : length;
        }
    for (int via = 0; via < n; ++via)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) D(i, j) = std::min(D(i, j), D(i, via) + D(via, j));
    if (n == 17) CHECK(std::count(D.numbers.begin(), D.numbers.end(), std::numeric_limits<double>::infinity()) > 0);
    program.expect("square/D", D);
    program.run(GENERATE(1, 2, 3));
}
