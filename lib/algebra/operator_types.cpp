#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lib/algebra/operators.hpp"

namespace ein::tra {
namespace {

/// What is wrong with listing the keys of a relation, if there are too many.
std::optional<Problem> too_many(double keys) {
    if (keys <= static_cast<double>(max_listed_keys)) return std::nullopt;
    return Problem{"at most " + std::to_string(max_listed_keys) + " keys", std::to_string(std::llround(keys)) + " keys",
                   "choose larger blocks"};
}

/// The new type's keys: each key's images under a map, all of them different.
Checked<RelationType> mapped(KeyMap const& map, RelationType const& type, Shape bound, std::string const& by) {
    if (auto const problem = too_many(static_cast<double>(type.keys()) * static_cast<double>(map.copies)))
        return *problem;
    std::map<Key, Key> made;  // to what it was made of
    std::optional<Problem> fault;
    type.for_each_key([&](Key const& key) {
        for (Extent copy = 0; copy < map.copies && !fault; ++copy) {
            Checked<Key> const image = map(key, copy);
            if (Problem const* const p = problem(image)) {
                fault = *p;
            } else if (auto const [at, fresh] = made.emplace(value(image), key); !fresh) {
                fault = Problem{"a key function that gives every key another key",
                                "keys " + text(at->second) + " and " + text(key) + " both give " + text(at->first),
                                "filter one of them out first, or keep a key part that tells them apart"};
            }
        }
    });
    if (fault) return *fault;
    std::vector<Key> keys;
    for (auto const& [key, source] : made) keys.push_back(key);
    RelationType out = type_of_keys(std::move(keys), map.made_arity(), std::move(bound), by);
    if (out.listed && !type.holes_by.empty()) out.holes_by = type.holes_by;
    return out;
}

Key joined_key(Key const& left, Key const& right, KeyDims const& rest) {
    Key key = left;
    for (int dim : rest) key.push_back(right[static_cast<std::size_t>(dim)]);
    return key;
}

RelationType joined_whole(Join const& join, RelationType const& left, RelationType const& right, Shape bound) {
    RelationType out{left.frontier, std::move(bound), std::nullopt, ""};
    for (std::size_t i = 0; i < join.left.size(); ++i) {
        Extent& end = out.frontier[static_cast<std::size_t>(join.left[i])];
        end = std::min(end, right.frontier[static_cast<std::size_t>(join.right[i])]);
    }
    for (Extent end : picked(right.frontier, complement(join.right, right.arity()))) out.frontier.push_back(end);
    return out;
}

/// Keys by their parts at `dims`.
std::map<Key, std::vector<Key>> grouped(RelationType const& type, KeyDims const& dims) {
    std::map<Key, std::vector<Key>> groups;
    type.for_each_key([&](Key const& key) { groups[picked(key, dims)].push_back(key); });
    return groups;
}

Checked<RelationType> joined_listed(Join const& join, RelationType const& left, RelationType const& right,
                                    Shape bound) {
    if (auto const problem = too_many(static_cast<double>(std::max(left.keys(), right.keys())))) return *problem;
    auto const partners = grouped(right, join.right);
    KeyDims const rest = complement(join.right, right.arity());
    std::vector<Key> keys;
    std::optional<Problem> fault;
    left.for_each_key([&](Key const& key) {
        auto const found = partners.find(picked(key, join.left));
        if (found == partners.end() || fault) return;
        fault = too_many(static_cast<double>(keys.size() + found->second.size()));
        if (fault) return;
        for (Key const& other : found->second) keys.push_back(joined_key(key, other, rest));
    });
    if (fault) return *fault;
    int const arity = left.arity() + static_cast<int>(rest.size());
    return type_of_keys(std::move(keys), arity, std::move(bound), left.listed ? left.holes_by : right.holes_by);
}

}  // namespace

KeyDims right_places(Join const& join, int left_arity, int right_arity) {
    KeyDims places;
    int next = left_arity;
    for (int dim = 0; dim < right_arity; ++dim) {
        auto const joined = position(join.right, dim);
        places.push_back(joined ? join.left[static_cast<std::size_t>(*joined)] : next++);
    }
    return places;
}

Checked<RelationType> type_of(Join const& join, RelationType const& left, RelationType const& right) {
    if (auto const fault = fault_in(join.left, left.arity(), "joinKeysL")) return *fault;
    if (auto const fault = fault_in(join.right, right.arity(), "joinKeysR")) return *fault;
    if (join.left.size() != join.right.size())
        return Problem{"as many key dimensions from the left as from the right",
                       text(join.left) + " and " + text(join.right), "name the dimensions in pairs"};
    std::vector<Shape> const bounds{left.bound, right.bound};
    Checked<Shape> const bound = bound_of(join.kernel, bounds);
    if (Problem const* const p = problem(bound)) return *p;
    bool const whole = left.continuous() && right.continuous();
    Checked<RelationType> out = whole ? Checked<RelationType>(joined_whole(join, left, right, value(bound)))
                                      : joined_listed(join, left, right, value(bound));
    if (!join.rekey || problem(out)) return out;
    if (join.rekey->arity != value(out).arity())
        return Problem{"a key function of " + std::to_string(value(out).arity()) + " key parts",
                       "one of " + std::to_string(join.rekey->arity), "correct the key function"};
    return mapped(*join.rekey, value(out), value(bound), "⋈" + text(join));
}

Checked<RelationType> type_of(Aggregation const& aggregation, RelationType const& type) {
    if (auto const fault = fault_in(aggregation.group_by, type.arity(), "groupByKeys")) return *fault;
    std::vector<Shape> bounds{type.bound};
    Checked<Shape> const start = bound_of(aggregation.start, bounds);
    if (Problem const* const p = problem(start)) return *p;
    bounds = {value(start), value(start)};
    Checked<Shape> const combined = bound_of(aggregation.combine, bounds);
    if (Problem const* const p = problem(combined)) return *p;
    if (value(combined) != value(start))
        return Problem{"an aggOp whose result has the bound of its operands, " + to_string(value(start)),
                       text(aggregation.combine) + " makes " + to_string(value(combined)),
                       "choose an element-wise kernel"};
    Checked<Shape> const finish = bound_of(aggregation.finish, std::vector<Shape>{value(start)});
    if (Problem const* const p = problem(finish)) return *p;
    if (type.continuous() && type.keys() > 0)
        return RelationType{picked(type.frontier, aggregation.group_by), value(finish), std::nullopt, ""};
    if (auto const fault = too_many(static_cast<double>(type.keys()))) return *fault;
    std::vector<Key> keys;
    for (auto const& [key, members] : grouped(type, aggregation.group_by)) keys.push_back(key);
    return type_of_keys(std::move(keys), static_cast<int>(aggregation.group_by.size()), value(finish), type.holes_by);
}

Checked<RelationType> type_of(Filter const& filter, RelationType const& type) {
    if (filter.accepts.arity != type.arity())
        return Problem{"a boolFunc of " + std::to_string(type.arity()) + " key parts",
                       "one of " + std::to_string(filter.accepts.arity), "correct the boolFunc"};
    if (auto const fault = too_many(static_cast<double>(type.keys()))) return *fault;
    std::vector<Key> keys;
    std::optional<Problem> fault;
    type.for_each_key([&](Key const& key) {
        if (fault) return;
        Checked<bool> const kept = filter.accepts(key);
        if (Problem const* const p = problem(kept))
            fault = *p;
        else if (value(kept))
            keys.push_back(key);
    });
    if (fault) return *fault;
    return type_of_keys(std::move(keys), type.arity(), type.bound, "σ" + text(filter));
}

Checked<RelationType> type_of(Map const& map, RelationType const& type) {
    if (map.keys.arity != type.arity())
        return Problem{"a key function of " + std::to_string(type.arity()) + " key parts",
                       "one of " + std::to_string(map.keys.arity), "correct the key function"};
    Checked<Shape> const bound = bound_of(map.array, std::vector<Shape>{type.bound});
    if (Problem const* const p = problem(bound)) return *p;
    RelationType out = type;
    if (auto const dim = map.keys.inserted(); dim && type.continuous())
        out.frontier.insert(out.frontier.begin() + *dim, map.keys.copies);
    else if (!map.keys.is_identity())
        return mapped(map.keys, type, value(bound),
                      map.array.is_identity() ? "REKEY(" + text(map.keys) + ")" : "λ" + text(map));
    out.bound = value(bound);
    return out;
}

Checked<RelationType> type_of(Concat const& concat, RelationType const& type) {
    if (auto const fault = fault_in({concat.key_dim}, type.arity(), "keyDim")) return *fault;
    if (concat.array_dim < 0 || static_cast<std::size_t>(concat.array_dim) >= type.bound.size())
        return Problem{"arrayDim: an axis below " + std::to_string(type.bound.size()), std::to_string(concat.array_dim),
                       "name an axis that the arrays have"};
    Extent const tiles = type.frontier[static_cast<std::size_t>(concat.key_dim)];
    auto const grown = [&] {  // asked only where there are so many tiles
        Shape bound = type.bound;
        bound[static_cast<std::size_t>(concat.array_dim)] *= tiles;
        return bound;
    };
    KeyDims const group_by = complement({concat.key_dim}, type.arity());
    if (type.continuous() && type.keys() > 0)
        return RelationType{picked(type.frontier, group_by), grown(), std::nullopt, ""};
    std::vector<Key> keys;
    for (auto const& [key, members] : grouped(type, group_by)) {
        if (static_cast<Extent>(members.size()) != tiles)
            return Problem{
                "all " + std::to_string(tiles) + " arrays of every group",
                std::to_string(members.size()) + " for key " + text(key) + ", others left out by " + type.holes_by,
                "filter whole groups only"};
        keys.push_back(key);
    }
    return type_of_keys(std::move(keys), static_cast<int>(group_by.size()), keys.empty() ? type.bound : grown(),
                        type.holes_by);
}

Checked<Map> tile_map(int dim, Extent size, int arity, Shape const& bound) {
    Kernel const kernel = Kernel::tile(dim, size);
    Checked<Shape> const made = bound_of(kernel, std::vector<Shape>{bound});
    if (Problem const* const p = problem(made)) return *p;
    return Map{KeyMap::insert(arity, arity, bound[static_cast<std::size_t>(dim)] / size), kernel};
}

}  // namespace ein::tra
