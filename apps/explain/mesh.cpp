#include "apps/explain/mesh.hpp"

#include <algorithm>
#include <set>

namespace ein::apps::explain {
namespace {

constexpr std::size_t most_orders = 24;  // of the prime factors that are tried

/// Cells of a rank along each axis as one number: all ranks have boxes of the same size, side by side.
struct Regular {
    Parts parts;
    std::vector<std::optional<std::vector<Extent>>> place;  // of each rank
    std::size_t base = 0;                                   // the rank at place 0 of every axis
};

std::optional<Regular> regular(Spread const& spread) {
    Regular out;
    auto const first = std::find_if(spread.of_rank.begin(), spread.of_rank.end(), [](auto const& b) { return !!b; });
    if (first == spread.of_rank.end()) return std::nullopt;
    Shape const length = (*first)->length;
    for (std::size_t axis = 0; axis < length.size(); ++axis) {
        if (length[axis] == 0 || spread.grid[axis] % length[axis] != 0) return std::nullopt;
        out.parts.push_back(spread.grid[axis] / length[axis]);
    }
    bool has_base = false;
    for (std::size_t rank = 0; rank < spread.of_rank.size(); ++rank) {
        std::optional<Box> const& box = spread.of_rank[rank];
        out.place.emplace_back();
        if (!box) continue;
        if (box->length != length) return std::nullopt;
        out.place.back().emplace();
        for (std::size_t axis = 0; axis < length.size(); ++axis) {
            if (box->begin[axis] % length[axis] != 0) return std::nullopt;
            out.place.back()->push_back(box->begin[axis] / length[axis]);
        }
        bool const origin =
            std::all_of(out.place.back()->begin(), out.place.back()->end(), [](Extent p) { return p == 0; });
        if (origin && !has_base) {
            out.base = rank;
            has_base = true;
        }
    }
    return has_base ? std::optional(out) : std::nullopt;
}

/// What one step along a mesh axis does to the place of a tensor.
struct AxisStep {
    enum class Kind { replicates, leaves, advances } kind = Kind::replicates;
    std::size_t axis = 0;
    Extent stride = 0;
};

class Fitting {
public:
    Fitting(Regular const& tensor, Mesh const& mesh) : tensor_(tensor), mesh_(mesh), stride_(mesh.sizes.size(), 1) {
        for (std::size_t m = mesh.sizes.size(); m-- > 1;)
            stride_[m - 1] = stride_[m] * static_cast<std::size_t>(mesh.sizes[m]);
    }

    std::optional<Sharding> fit() {
        for (std::size_t m = 0; m < mesh_.sizes.size(); ++m) {
            auto const step = step_along(m);
            if (!step) return std::nullopt;
            steps_.push_back(*step);
        }
        if (!holds_everywhere()) return std::nullopt;
        return sharding();
    }

private:
    std::size_t digit(std::size_t rank, std::size_t m) const {
        return rank / stride_[m] % static_cast<std::size_t>(mesh_.sizes[m]);
    }

    std::optional<AxisStep> step_along(std::size_t m) const {
        if (digit(tensor_.base, m) + 1 >= static_cast<std::size_t>(mesh_.sizes[m]))
            // The base is the first at place 0: it is at the end only if it is alone.
            return AxisStep{AxisStep::Kind::leaves};
        auto const& next = tensor_.place[tensor_.base + stride_[m]];
        if (!next) return AxisStep{AxisStep::Kind::leaves};
        AxisStep out;
        for (std::size_t axis = 0; axis < next->size(); ++axis) {
            if ((*next)[axis] == 0) continue;
            if (out.kind == AxisStep::Kind::advances) return std::nullopt;  // one mesh axis shards one axis
            out = {AxisStep::Kind::advances, axis, (*next)[axis]};
        }
        return out;
    }

    bool holds_everywhere() const {
        for (std::size_t rank = 0; rank < tensor_.place.size(); ++rank) {
            std::vector<Extent> expected(tensor_.parts.size(), 0);
            bool has = true;
            for (std::size_t m = 0; m < steps_.size(); ++m) {
                auto const digit_here = digit(rank, m), digit_of_base = digit(tensor_.base, m);
                if (steps_[m].kind == AxisStep::Kind::leaves) has = has && digit_here == digit_of_base;
                if (steps_[m].kind == AxisStep::Kind::advances)
                    expected[steps_[m].axis] += steps_[m].stride * static_cast<Extent>(digit_here);
            }
            std::optional<std::vector<Extent>> const& place = tensor_.place[rank];
            if (has != place.has_value() || (has && *place != expected)) return false;
        }
        return true;
    }

    /// The strides of the mesh axes that shard one axis must be those of a grid that fills it.
    std::optional<Sharding> sharding() const {
        Sharding out{true, tensor_.parts, std::vector<std::vector<int>>(tensor_.parts.size()), {}, false};
        for (std::size_t m = 0; m < steps_.size(); ++m) {
            if (mesh_.sizes[m] > 1 && steps_[m].kind == AxisStep::Kind::leaves)
                out.single.push_back(static_cast<int>(m));
            if (mesh_.sizes[m] > 1 && steps_[m].kind == AxisStep::Kind::replicates) out.replicated = true;
            if (steps_[m].kind == AxisStep::Kind::advances) out.axes[steps_[m].axis].push_back(static_cast<int>(m));
        }
        for (std::size_t axis = 0; axis < out.axes.size(); ++axis) {
            std::vector<int>& over = out.axes[axis];
            auto stride = [&](int m) { return steps_[static_cast<std::size_t>(m)].stride; };
            std::stable_sort(over.begin(), over.end(), [&](int a, int b) { return stride(a) > stride(b); });
            Extent expected = 1;
            for (std::size_t k = over.size(); k-- > 0;) {
                if (stride(over[k]) != expected) return std::nullopt;
                expected *= mesh_.sizes[static_cast<std::size_t>(over[k])];
            }
            if (expected != tensor_.parts[axis]) return std::nullopt;
        }
        return out;
    }

    Regular const& tensor_;
    Mesh const& mesh_;
    std::vector<std::size_t> stride_;
    std::vector<AxisStep> steps_;
};

/// Whether mesh axis m is always used as the outer neighbour of m + 1, or both are not used.
bool together(Sharding const& sharding, int m) {
    auto const single = [&](int axis) {
        return std::find(sharding.single.begin(), sharding.single.end(), axis) != sharding.single.end();
    };
    int const outer = sharding.axis_of(m), inner = sharding.axis_of(m + 1);
    if (outer != inner) return false;
    if (outer < 0) return single(m) == single(m + 1);
    std::vector<int> const& over = sharding.axes[static_cast<std::size_t>(outer)];
    auto const at = std::find(over.begin(), over.end(), m);
    return at + 1 != over.end() && *(at + 1) == m + 1;
}

Mesh merged(Mesh const& mesh, std::vector<Sharding> const& shardings) {
    Mesh out;
    for (std::size_t m = 0; m < mesh.sizes.size(); ++m) {
        bool const joins = m > 0 && std::all_of(shardings.begin(), shardings.end(), [&](Sharding const& sharding) {
                               return !sharding.on_mesh || together(sharding, static_cast<int>(m) - 1);
                           });
        if (joins)
            out.sizes.back() *= mesh.sizes[m];
        else
            out.sizes.push_back(mesh.sizes[m]);
    }
    return out;
}

}  // namespace

std::string Mesh::name(int axis) const {
    if (!given.empty()) return given[static_cast<std::size_t>(axis)];
    std::string const letter(1, static_cast<char>('a' + axis % 26));
    return axis < 26 ? letter : letter + std::to_string(axis / 26);
}

std::vector<std::string> Mesh::names(std::vector<int> const& axes) const {
    std::vector<std::string> out;
    for (int axis : axes) out.push_back(name(axis));
    return out;
}

int Sharding::axis_of(int mesh_axis) const {
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (std::find(axes[axis].begin(), axes[axis].end(), mesh_axis) != axes[axis].end())
            return static_cast<int>(axis);
    return -1;
}

Sharding sharding_of(Spread const& spread, Mesh const& mesh) {
    auto const tensor = regular(spread);
    if (tensor)
        if (auto const sharding = Fitting(*tensor, mesh).fit()) return *sharding;
    Sharding out;
    out.parts = tensor ? tensor->parts : spread.grid;
    Extent copies = 0;
    for (auto const& box : spread.of_rank) copies += box ? box->elements() : 0;
    out.replicated = copies > element_count(spread.grid);
    return out;
}

Mesh mesh_of(graph::Mesh const& mesh) {
    Mesh out;
    for (graph::MeshAxis const& axis : mesh) {
        out.sizes.push_back(static_cast<int>(axis.size));
        out.given.push_back(axis.name);
    }
    return out;
}

Mesh mesh_for(std::vector<Spread const*> const& spreads, int ranks) {
    auto const factors = prime_factors(ranks);
    std::vector<int> order(factors.begin(), factors.end());
    Mesh best;
    std::vector<Sharding> best_shardings;
    std::ptrdiff_t most = -1;
    for (std::size_t tried = 0; tried < most_orders; ++tried) {
        Mesh const mesh{order};
        std::vector<Sharding> shardings;
        for (Spread const* spread : spreads) shardings.push_back(sharding_of(*spread, mesh));
        auto const fit = std::count_if(shardings.begin(), shardings.end(), [](Sharding const& s) { return s.on_mesh; });
        if (fit > most) {
            most = fit;
            best = mesh;
            best_shardings = std::move(shardings);
        }
        if (!std::next_permutation(order.begin(), order.end())) break;
    }
    return merged(best, best_shardings);
}

}  // namespace ein::apps::explain
