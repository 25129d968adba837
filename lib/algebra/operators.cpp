#include "lib/algebra/operators.hpp"

#include <algorithm>
#include <map>

#include "lib/base/error.hpp"

namespace ein::tra {
namespace {

using Groups = std::map<Key, std::vector<Tuple const*>>;

Groups grouped(Tuples const& tuples, KeyDims const& dims) {
    Groups groups;
    for (Tuple const& tuple : tuples) groups[picked(tuple.key, dims)].push_back(&tuple);
    return groups;
}

Array run_one(Kernel const& kernel, Array const& array, Extent copy = 0) {
    return run(kernel, std::vector<Array const*>{&array}, copy);
}

Key mapped(KeyMap const& map, Key const& key, Extent copy) {
    Checked<Key> const made = map(key, copy);
    promise(problem(made) == nullptr, "a key function that was checked fails");
    return value(made);
}

Tuples sorted(Tuples tuples) {
    std::stable_sort(tuples.begin(), tuples.end(), [](Tuple const& a, Tuple const& b) { return a.key < b.key; });
    return tuples;
}

}  // namespace

Tuples applied(Join const& join, Tuples const& left, Tuples const& right) {
    Tuples out;
    Groups const partners = grouped(right, join.right);
    for (Tuple const& tuple : left) {
        auto const found = partners.find(picked(tuple.key, join.left));
        if (found == partners.end()) continue;
        for (Tuple const* const other : found->second) {
            Key key = tuple.key;
            for (int dim : complement(join.right, static_cast<int>(other->key.size())))
                key.push_back(other->key[static_cast<std::size_t>(dim)]);
            if (join.rekey) key = mapped(*join.rekey, key, 0);
            out.push_back({std::move(key), run(join.kernel, std::vector<Array const*>{&tuple.array, &other->array})});
        }
    }
    return sorted(std::move(out));
}

Tuples applied(Aggregation const& aggregation, Tuples const& tuples) {
    Tuples out;
    for (auto const& [key, members] : grouped(tuples, aggregation.group_by)) {
        Array sum = run_one(aggregation.start, members.front()->array);
        for (std::size_t k = 1; k < members.size(); ++k) {
            Array const next = run_one(aggregation.start, members[k]->array);
            sum = run(aggregation.combine, std::vector<Array const*>{&sum, &next});
        }
        out.push_back({key, run_one(aggregation.finish, sum)});
    }
    return out;
}

Tuples applied(Filter const& filter, Tuples const& tuples) {
    Tuples out;
    for (Tuple const& tuple : tuples)
        if (value(filter.accepts(tuple.key))) out.push_back(tuple);
    return out;
}

Tuples applied(Map const& map, Tuples const& tuples) {
    Tuples out;
    for (Tuple const& tuple : tuples)
        for (Extent copy = 0; copy < map.keys.copies; ++copy)
            out.push_back({mapped(map.keys, tuple.key, copy), run_one(map.array, tuple.array, copy)});
    return sorted(std::move(out));
}

Tuples applied(Concat const& concat, Tuples const& tuples) {
    if (tuples.empty()) return {};
    Tuples out;
    KeyDims const group_by = complement({concat.key_dim}, static_cast<int>(tuples.front().key.size()));
    for (auto const& [key, members] : grouped(tuples, group_by)) {  // members are in order of key_dim
        std::vector<Array const*> arrays;
        for (Tuple const* const member : members) arrays.push_back(&member->array);
        out.push_back({key, concatenated(arrays, concat.array_dim)});
    }
    return out;
}

std::string text(Join const& join) {
    std::string const rekey = join.rekey ? "," + text(*join.rekey) : "";
    return "(" + text(join.left) + "," + text(join.right) + "," + text(join.kernel) + rekey + ")";
}

std::string text(Aggregation const& aggregation) {
    std::string kernel = text(aggregation.combine);
    if (!aggregation.finish.is_identity()) kernel = text(aggregation.finish) + "∘" + kernel;
    if (!aggregation.start.is_identity()) kernel += "∘" + text(aggregation.start);
    return "(" + text(aggregation.group_by) + "," + kernel + ")";
}

std::string text(Filter const& filter) { return "(" + text(filter.accepts) + ")"; }

std::string text(Map const& map) { return "(" + text(map.keys) + "," + text(map.array) + ")"; }

std::string text(Concat const& concat) {
    return "(⟨" + std::to_string(concat.key_dim) + "⟩,⟨" + std::to_string(concat.array_dim) + "⟩)";
}

}  // namespace ein::tra
