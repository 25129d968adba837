#include "lib/graph/sparse/layout.hpp"

#include <algorithm>
#include <numeric>

#include "lib/graph/labels.hpp"

namespace ein::graph {
namespace {

std::vector<int> const& labels_of(EinSum const& einsum, int operand) {
    return einsum.inputs[static_cast<std::size_t>(operand)];
}

/// The set that is walked first: one whose operands share the output's first labels, and one of a single operand before
/// others.
std::vector<int> walked_first(EinSum const& einsum, std::span<std::vector<int> const> sets) {
    auto const cost = [&](std::vector<int> const& set) {
        auto const shared = std::find_if(einsum.output.begin(), einsum.output.end(), [&](int label) {
            return std::all_of(set.begin(), set.end(), [&](int k) { return has_label(labels_of(einsum, k), label); });
        });
        return std::pair(shared - einsum.output.begin(), set.size());
    };
    return *std::min_element(sets.begin(), sets.end(), [&](auto const& a, auto const& b) { return cost(a) < cost(b); });
}

/// Labels in the order in which they are to be sorted by; others come after them.
std::vector<int> order_of_labels(EinSum const& einsum, std::size_t operand,
                                 std::span<std::vector<int> const> idle_sets) {
    std::vector<int> order;
    if (auto const lookup = as_lookup(einsum); lookup && lookup->data == static_cast<int>(operand))
        order.push_back(lookup->label);
    std::vector<int> const first = idle_sets.empty() ? std::vector<int>{} : walked_first(einsum, idle_sets);
    if (!first.empty() && !has_label(first, static_cast<int>(operand))) {
        for (int label : einsum.output)  // of rows, then of what is summed
            for (int k : first)
                if (has_label(labels_of(einsum, k), label)) order.push_back(label);
        for (int k : first) order.insert(order.end(), labels_of(einsum, k).begin(), labels_of(einsum, k).end());
    }
    order.insert(order.end(), einsum.output.begin(), einsum.output.end());
    std::vector<int> rest = einsum.aggregated();
    std::stable_sort(rest.begin(), rest.end(), [&](int a, int b) {
        return einsum.extents[static_cast<std::size_t>(a)] < einsum.extents[static_cast<std::size_t>(b)];
    });
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
}

}  // namespace

tensor::SparseLayout preferred_layout(EinSum const& einsum, std::size_t operand,
                                      std::span<std::vector<int> const> idle_sets) {
    std::vector<int> const& labels = einsum.inputs[operand];
    std::vector<int> const order = order_of_labels(einsum, operand, idle_sets);
    auto const place = [&](int axis) {
        return std::find(order.begin(), order.end(), labels[static_cast<std::size_t>(axis)]) - order.begin();
    };
    tensor::SparseLayout out{std::vector<int>(labels.size()), !labels.empty()};
    std::iota(out.axes.begin(), out.axes.end(), 0);
    std::stable_sort(out.axes.begin(), out.axes.end(), [&](int a, int b) { return place(a) < place(b); });
    return out;
}

}  // namespace ein::graph
