#include "lib/algebra/tensor_relation.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::tra {

TensorRelation TensorRelation::make(Tuples tuples, int arity, Shape bound) {
    auto const refuse = [](std::string expected, std::string found, std::string fix) {
        throw InputError(Fault{"", "", std::move(expected), std::move(found), std::move(fix)});
    };
    TensorRelation made;
    std::stable_sort(tuples.begin(), tuples.end(), [](Tuple const& a, Tuple const& b) { return a.key < b.key; });
    std::vector<Key> keys;
    for (Tuple const& tuple : tuples) {
        if (static_cast<int>(tuple.key.size()) != arity ||
            std::any_of(tuple.key.begin(), tuple.key.end(), [](Extent part) { return part < 0; }))
            refuse("keys of " + std::to_string(arity) + " parts, each at least 0", "key " + text(tuple.key),
                   "correct the key");
        if (tuple.array.bound != bound)
            refuse("arrays of bound " + to_string(bound),
                   "bound " + to_string(tuple.array.bound) + " under key " + text(tuple.key),
                   "pad the array, or cut the tensor evenly");
        if (!keys.empty() && keys.back() == tuple.key)
            refuse("distinct keys", "two arrays under key " + text(tuple.key), "keep one of them");
        keys.push_back(tuple.key);
    }
    made.type_ = type_of_keys(std::move(keys), arity, std::move(bound), "its data");
    made.tuples_ = std::move(tuples);
    return made;
}

TensorRelation TensorRelation::chunked(Shape const& shape, Shape const& block,
                                       std::function<double(std::vector<Extent> const&)> const& element) {
    Shape counts;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis >= block.size() || block[axis] < 1 || shape[axis] % block[axis] != 0)
            throw InputError(Fault{"", "", "blocks that divide shape " + to_string(shape), to_string(block),
                                   "choose divisors of the extents"});
        counts.push_back(shape[axis] / block[axis]);
    }
    Tuples tuples;
    for_each_index(counts, [&](Key const& key) {
        Array array{block, {}};
        for_each_index(block, [&](std::vector<Extent> const& inside) {
            std::vector<Extent> index = inside;
            for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] += key[axis] * block[axis];
            array.values.push_back(element(index));
        });
        tuples.push_back({key, std::move(array)});
    });
    return make(std::move(tuples), static_cast<int>(shape.size()), block);
}

Array const& TensorRelation::at(Key const& key) const {
    auto const found = std::lower_bound(tuples_.begin(), tuples_.end(), key,
                                        [](Tuple const& tuple, Key const& wanted) { return tuple.key < wanted; });
    promise(found != tuples_.end() && found->key == key, "a tensor relation is asked for a key that it lacks");
    return found->array;
}

}  // namespace ein::tra
