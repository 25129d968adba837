#include "planner/costs/lower_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "lib/graph/labels.hpp"

namespace ein::planner {

double matmul_lower_bound(double a, double b, double c, int ranks) {
    std::array<double, 3> sides{a, b, c};
    std::sort(sides.begin(), sides.end(), std::greater<>());
    auto const [m, n, k] = sides;
    if (k <= 0 || ranks <= 1) return 0;
    double const p = ranks;
    double needed = 0;  // elements that a rank has to see of the three matrices
    if (p <= m / n)
        needed = (m * n + m * k) / p + n * k;
    else if (p <= m * n / (k * k))
        needed = 2 * std::sqrt(m * n * k * k / p) + m * n / p;
    else
        needed = 3 * std::cbrt(m * n * k / p) * std::cbrt(m * n * k / p);
    return std::max(0.0, needed - (m * n + m * k + n * k) / p);
}

namespace {
bool repeats(std::vector<int> labels) {
    std::sort(labels.begin(), labels.end());
    return std::adjacent_find(labels.begin(), labels.end()) != labels.end();
}
}  // namespace

std::optional<double> lower_bound_words(graph::EinGraph const& graph, graph::Node const& node, int ranks) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    bool const sparse = std::any_of(node.inputs.begin(), node.inputs.end(),
                                    [&](ValueId input) { return graph.value(input).listing.has_value(); });
    return einsum != nullptr && !sparse ? lower_bound_words(*einsum, ranks) : std::nullopt;
}

std::optional<double> lower_bound_words(graph::EinSum const& einsum, int ranks) {
    if (einsum.operands() != 2 || repeats(einsum.inputs[0]) || repeats(einsum.inputs[1])) return std::nullopt;
    double left = 1, right = 1, contracted = 1;
    for (std::size_t l = 0; l < einsum.labels.size(); ++l) {
        int const label = static_cast<int>(l);
        bool const first = graph::has_label(einsum.inputs[0], label),
                   second = graph::has_label(einsum.inputs[1], label);
        bool const out = graph::has_label(einsum.output, label);
        if (first + second + out != 2) return std::nullopt;  // batch, broadcast, or summed within one operand
        (first && second ? contracted : first ? left : right) *= static_cast<double>(einsum.extents[l]);
    }
    return matmul_lower_bound(left, contracted, right, ranks);
}

}  // namespace ein::planner
