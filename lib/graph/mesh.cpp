#include "lib/graph/mesh.hpp"

namespace ein::graph {
namespace {

std::int64_t size_of(Mesh const& mesh, int axis) { return mesh[static_cast<std::size_t>(axis)].size; }

/// How far apart ranks are that are neighbours along each axis.
std::vector<std::int64_t> strides_of(Mesh const& mesh) {
    std::vector<std::int64_t> strides(mesh.size(), 1);
    for (std::size_t k = mesh.size(); k-- > 1;) strides[k - 1] = strides[k] * mesh[k].size;
    return strides;
}

}  // namespace

std::int64_t rank_count(Mesh const& mesh) {
    std::int64_t ranks = 1;
    for (MeshAxis const& axis : mesh) ranks *= axis.size;
    return ranks;
}

Parts parts_of(Mesh const& mesh, Sharding const& sharding) {
    Parts parts;
    for (std::vector<int> const& axes : sharding) {
        std::int64_t part = 1;
        for (int axis : axes) part *= size_of(mesh, axis);
        parts.push_back(part);
    }
    return parts;
}

std::vector<Rank> ranks_of(Mesh const& mesh, Sharding const& sharding) {
    std::vector<std::int64_t> const strides = strides_of(mesh);
    std::vector<Rank> ranks;
    for_each_index(parts_of(mesh, sharding), [&](std::vector<Extent> const& index) {
        std::int64_t rank = 0;
        for (std::size_t k = 0; k < sharding.size(); ++k) {
            std::int64_t rest = index[k];
            for (auto axis = sharding[k].rbegin(); axis != sharding[k].rend(); ++axis) {
                rank += rest % size_of(mesh, *axis) * strides[static_cast<std::size_t>(*axis)];
                rest /= size_of(mesh, *axis);
            }
        }
        ranks.emplace_back(static_cast<int>(rank));
    });
    return ranks;
}

std::vector<std::int64_t> replicas_of(Mesh const& mesh, Sharding const& sharding) {
    std::vector<std::int64_t> const strides = strides_of(mesh);
    Parts sizes;
    for (MeshAxis const& axis : mesh) sizes.push_back(axis.size);
    for (std::vector<int> const& axes : sharding)
        for (int axis : axes) sizes[static_cast<std::size_t>(axis)] = 1;
    std::vector<std::int64_t> offsets;
    for_each_index(sizes, [&](std::vector<Extent> const& index) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * strides[axis];
        offsets.push_back(offset);
    });
    return offsets;
}

}  // namespace ein::graph
