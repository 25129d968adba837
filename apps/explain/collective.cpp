#include "apps/explain/collective.hpp"

#include <algorithm>

namespace ein::apps::explain {
namespace {

bool has(std::vector<int> const& list, int item) { return std::find(list.begin(), list.end(), item) != list.end(); }

int mesh_axes(Sharding const& held, Sharding const& wanted) {
    int most = -1;
    for (Sharding const* side : {&held, &wanted}) {
        for (auto const& over : side->axes)
            for (int axis : over) most = std::max(most, axis);
        for (int axis : side->single) most = std::max(most, axis);
    }
    return most + 1;
}

/// What happens to one mesh axis; nothing when both sides use it alike.
std::optional<Collective> change(Sharding const& held, Sharding const& wanted, int axis, Order order) {
    int const from = held.axis_of(axis), to = wanted.axis_of(axis);
    bool const from_one = has(held.single, axis), to_one = has(wanted.single, axis);
    if (from >= 0 && to >= 0)
        return from == to && order == Order::kept ? std::nullopt : std::optional(Collective::all_to_all);
    if (from >= 0) return to_one ? Collective::gather : Collective::all_gather;
    if (from_one && !to_one) return to >= 0 ? Collective::scatter : Collective::broadcast;
    return std::nullopt;
}

std::vector<Exchange> across_the_mesh(Sharding const& held, Sharding const& wanted) {
    if (held.parts.size() != wanted.parts.size()) return {{Collective::all_to_all, {}}};
    bool finer = false, coarser = false;
    for (std::size_t axis = 0; axis < held.parts.size(); ++axis) {
        finer = finer || wanted.parts[axis] > held.parts[axis];
        coarser = coarser || wanted.parts[axis] < held.parts[axis];
    }
    if (finer && coarser) return {{Collective::all_to_all, {}}};
    if (finer) return {{Collective::scatter, {}}};
    if (coarser) return {{wanted.replicated ? Collective::all_gather : Collective::gather, {}}};
    return {{wanted.replicated ? Collective::broadcast : Collective::permute, {}}};
}

}  // namespace

std::string_view name(Collective kind) {
    switch (kind) {
        case Collective::all_gather: return "all-gather";
        case Collective::reduce_scatter: return "reduce-scatter";
        case Collective::reduce: return "reduce";
        case Collective::all_to_all: return "all-to-all";
        case Collective::broadcast: return "broadcast";
        case Collective::scatter: return "scatter";
        case Collective::gather: return "gather";
        case Collective::permute: return "permute";
    }
    return "";
}

std::vector<Exchange> exchanges(Sharding const& held, Sharding const& wanted, Order order) {
    if (!held.on_mesh || !wanted.on_mesh) return across_the_mesh(held, wanted);
    std::vector<Exchange> steps;
    for (int axis = 0; axis < mesh_axes(held, wanted); ++axis) {
        auto const kind = change(held, wanted, axis, order);
        if (!kind) continue;
        auto const same = std::find_if(steps.begin(), steps.end(), [&](Exchange const& s) { return s.kind == *kind; });
        if (same == steps.end())
            steps.push_back({*kind, {axis}});
        else
            same->axes.push_back(axis);
    }
    if (steps.empty()) steps.push_back({Collective::permute, {}});  // the same cut on other ranks
    return steps;
}

std::vector<Exchange> finishing(std::vector<int> const& partial, Parts const& output, Sharding const& made) {
    if (!made.on_mesh || partial.empty())
        return {{made.parts == output ? Collective::reduce : Collective::reduce_scatter, partial}};
    Exchange scattered{Collective::reduce_scatter, {}}, reduced{Collective::reduce, {}};
    for (int axis : partial) (made.shards(axis) ? scattered : reduced).axes.push_back(axis);
    std::vector<Exchange> steps;
    for (Exchange const& step : {scattered, reduced})
        if (!step.axes.empty()) steps.push_back(step);
    return steps;
}

}  // namespace ein::apps::explain
