#include "lib/graph/tra/read_cut.hpp"

#include <algorithm>

#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

/// A number that must divide an axis.
std::optional<Extent> read_divisor(Cursor const& at, std::optional<Extent> extent, std::string const& what) {
    auto const number = at.integer();
    if (!number) return std::nullopt;
    if (*number >= 1 && (!extent || *extent % *number == 0)) return number;
    at.fail(extent ? what + " that divides the axis, of extent " + std::to_string(*extent) : what + " of 1 or more",
            std::to_string(*number), "choose a divisor, or pad the tensor first");
    return std::nullopt;
}

/// null: whole; a number: the tile's length; {"into": n}: n tiles.
std::optional<std::optional<Extent>> read_axis(Cursor const& at, std::optional<Extent> extent) {
    if (at.value().is_null()) return std::optional<Extent>();
    if (!at.value().is_object() && !at.value().is_number()) {
        at.fail("a tile length, {\"into\": TILES}, or null for an axis that is not cut", brief(at.value()),
                "write for example 128");
        return std::nullopt;
    }
    if (at.value().is_number()) {
        auto const length = read_divisor(at, extent, "a tile length");
        return length ? std::optional(std::optional(*length)) : std::nullopt;
    }
    at.only_keys({"into"});
    auto const into = required(at, "into", "write the number of tiles: {\"into\": 4}");
    auto const count = into ? read_divisor(*into, extent, "a number of tiles") : std::nullopt;
    if (!count) return std::nullopt;
    return std::optional(std::optional(extent ? *extent / *count : 1));
}

}  // namespace

std::optional<TileLengths> read_cut(Cursor const& at, std::optional<Shape> const& shape) {
    if (!at.expect_list()) return std::nullopt;
    if (shape && at.size() != shape->size()) {
        at.fail(std::to_string(shape->size()) + " entries, one for each axis", std::to_string(at.size()),
                "write a tile length, {\"into\": TILES}, or null for an axis that is not cut");
        return std::nullopt;
    }
    TileLengths tiles;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        if (auto tile = read_axis(at.at(axis), shape ? std::optional((*shape)[axis]) : std::nullopt))
            tiles.push_back(*tile);
    return shape && tiles.size() == shape->size() ? std::optional(tiles) : std::nullopt;
}

tra::RelationType type_of_cut(Shape const& shape, TileLengths const& tiles) {
    tra::RelationType type;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (tiles[axis]) type.frontier.push_back(shape[axis] / *tiles[axis]);
        type.bound.push_back(tiles[axis].value_or(shape[axis]));
    }
    return type;
}

ResultAxes default_result(tra::RelationType const& type) {
    ResultAxes axes(std::max(type.frontier.size(), type.bound.size()));
    for (std::size_t d = 0; d < type.frontier.size(); ++d) axes[d].push_back(static_cast<int>(d));
    for (std::size_t d = 0; d < type.bound.size(); ++d) axes[d].push_back(type.arity() + static_cast<int>(d));
    return axes;
}

std::optional<ResultAxes> read_result(Cursor const& at, tra::RelationType const& type) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < type.frontier.size(); ++d) names.push_back("k" + std::to_string(d));
    for (std::size_t d = 0; d < type.bound.size(); ++d) names.push_back("a" + std::to_string(d));
    if (!at.expect_list()) return std::nullopt;
    std::vector<bool> used(names.size(), false);
    ResultAxes axes;
    bool good = true;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        axes.emplace_back();
        Cursor const list = at.at(axis);
        if (!list.expect_list()) return std::nullopt;
        if (list.size() == 0) {
            list.fail("one part or more", "none", "name a key part or an axis, or remove the list");
            good = false;
        }
        for (std::size_t k = 0; k < list.size(); ++k) {
            auto const name = list.at(k).string();
            if (!name) return std::nullopt;
            auto const found = std::find(names.begin(), names.end(), *name);
            auto const number = found - names.begin();
            if (found == names.end() || used[static_cast<std::size_t>(number)]) {
                list.at(k).fail("each of " + one_of(names) + " once",
                                quote(*name) + (found == names.end() ? "" : " again"),
                                "the relation has " + tra::text(type));
                good = false;
                continue;
            }
            used[static_cast<std::size_t>(number)] = true;
            axes.back().push_back(static_cast<int>(number));
        }
    }
    auto const lacking = std::find(used.begin(), used.end(), false);
    if (!good || lacking == used.end()) return good ? std::optional(axes) : std::nullopt;
    at.fail("each of " + one_of(names) + " once",
            "no " + quote(names[static_cast<std::size_t>(lacking - used.begin())]), "say to which axis it belongs");
    return std::nullopt;
}

}  // namespace ein::graph
