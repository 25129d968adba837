#include "apps/explain/sharding_text.hpp"

#include "lib/base/error.hpp"

namespace ein::apps::explain {
namespace {

std::string times(Extent length, std::int64_t count) {
    return std::to_string(length) + (count == 1 ? "" : "x" + std::to_string(count));
}

}  // namespace

std::string uneven_text(Extent extent, std::int64_t parts) {
    std::int64_t const longer = extent % parts;
    if (longer == 0) return "";
    return times(extent / parts + 1, longer) + "+" + times(extent / parts, parts - longer);
}

std::string sharding_text(std::vector<std::string> const& labels, Shape const& shape, Sharding const& sharding,
                          Mesh const& mesh, std::vector<int> const& partial) {
    std::vector<std::string> words, uneven, remarks;
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
        std::int64_t const parts = sharding.parts[axis];
        words.push_back(labels[axis]);
        if (sharding.on_mesh && !sharding.axes[axis].empty())
            words.back() += "/" + joined(mesh.names(sharding.axes[axis]), ",");
        else if (parts > 1)
            words.back() += "/" + std::to_string(parts);
        if (std::string const lengths = uneven_text(shape[axis], parts); !lengths.empty())
            uneven.push_back(labels[axis] + ": " + lengths);
    }
    if (words.empty()) words.push_back("scalar");
    if (!partial.empty()) words.push_back("Partial over " + joined(mesh.names(partial), ","));
    if (!sharding.single.empty()) remarks.push_back("on one of " + joined(mesh.names(sharding.single), ","));
    if (!uneven.empty()) remarks.push_back("uneven " + joined(uneven, ", "));
    if (!sharding.on_mesh) remarks.push_back("across the mesh");
    return joined(words, " ") + (remarks.empty() ? "" : " (" + joined(remarks, "; ") + ")");
}

}  // namespace ein::apps::explain
