// Matrices and tensors taken apart into factors by gradient descent. Alternating least squares would need a linear
// solve, which the language lacks.
#include <algorithm>
#include <cmath>

#include "apps/eintool/make/descent.hpp"
#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// R ~ W H^T. Around the solution the loss bends by about 4 times the largest singular value of R, half the root of R's
/// elements: this rate is a fourth of what is still stable.
std::string factorization(Request const& request) {
    Extent const rows = request.size("ROWS"), columns = request.size("COLUMNS"), rank = request.size("RANK");
    GraphText g = request.graph();
    g.param("eta", rounded(0.25 / std::sqrt(static_cast<double>(rows) * static_cast<double>(columns))));
    g.param("lambda", 0.01);
    double const deviation = rounded(1 / std::sqrt(static_cast<double>(rank)));
    bool const sparse = request.has("--sparse");
    if (sparse) {
        g.sparse_uniform("R", {rows, columns}, 1, 2, request.number("--density"));
        g.einsum("places", "row column -> row column", {"R"}, {{"join", "where(x > 0, 1, 0)"}});
    } else {
        g.uniform("R", {rows, columns}, 0, 1);
    }
    g.normal("W", {rows, rank}, deviation);
    g.normal("H", {columns, rank}, deviation);
    Descent const weights{{{"W", "row factor"}, {"H", "column factor"}}};
    return g.text(weights.add_loop(g, request.extent("--iterations"), [&] {
        if (sparse)  // at the places that R lists
            g.einsum("WH", "row column, row factor, column factor -> row column", {"places", "W", "H"});
        else
            g.einsum("WH", "row factor, column factor -> row column", {"W", "H"});
        g.einsum("misfit", "row column, row column ->", {"R", "WH"}, {{"join", "(x - y)^2"}});
        g.einsum("W_size", "row factor ->", {"W"}, {{"join", "x^2"}});
        g.einsum("H_size", "column factor ->", {"H"}, {{"join", "x^2"}});
        g.einsum("loss", ",,->", {"misfit", "W_size", "H_size"}, {{"join", "x + lambda*(y + z)"}});
        weights.add_step(g);
    }));
}

/// T ~ the sum over r of A[:, r] B[:, r] C[:, r]. Factors begin with elements that give T's mean, 1/2; by one factor
/// the loss then bends by 2 R mean^4 times the extents of the other two.
std::string cp(Request const& request) {
    Extent const i = request.size("I"), j = request.size("J"), k = request.size("K"), r = request.size("R");
    auto const rank = static_cast<double>(r), mean = std::cbrt(0.5 / rank);
    double const others = static_cast<double>(i) * static_cast<double>(j) * static_cast<double>(k) /
                          static_cast<double>(std::min({i, j, k}));
    GraphText g = request.graph();
    g.param("eta", rounded(0.1 / (rank * std::pow(mean, 4) * others)));
    g.uniform("T", {i, j, k}, 0, 1);
    g.uniform("A", {i, r}, 0, rounded(2 * mean));
    g.uniform("B", {j, r}, 0, rounded(2 * mean));
    g.uniform("C", {k, r}, 0, rounded(2 * mean));
    Descent const weights{{{"A", "i r"}, {"B", "j r"}, {"C", "k r"}}};
    return g.text(weights.add_loop(g, request.extent("--iterations"), [&] {
        g.einsum("ABC", "ir,jr,kr->ijk", {"A", "B", "C"});
        g.einsum("loss", "ijk,ijk->", {"T", "ABC"}, {{"join", "(x - y)^2"}});
        weights.add_step(g);
    }));
}

}  // namespace

std::vector<GraphKind> factor_kinds() {
    return {{"factorization",
             "R ~ W H^T of rank RANK by gradient descent on |R - W H^T|^2 + lambda (|W|^2 + |H|^2), where R is listed",
             {{"ROWS", 500}, {"COLUMNS", 400}, {"RANK", 20}},
             {iterations_option(), sparse_option(), density_option()},
             real_dtypes,
             factorization},
            {"cp",
             "the CP decomposition of a tensor, of rank R, by gradient descent",
             {{"I", 60}, {"J", 50}, {"K", 40}, {"R", 8}},
             {iterations_option()},
             real_dtypes,
             cp}};
}

}  // namespace ein::apps::tool
