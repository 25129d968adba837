#include "planner/resident/mesh.hpp"

#include <algorithm>
#include <functional>

#include "lib/base/partition.hpp"

namespace ein::planner {

Mesh::Mesh(std::int64_t ranks, std::size_t most_axes) : sizes_(prime_factors(ranks)) {
    auto descending = [&] { std::sort(sizes_.begin(), sizes_.end(), std::greater<>()); };
    descending();
    while (sizes_.size() > most_axes) {
        std::int64_t const smallest = sizes_.back();
        sizes_.pop_back();
        sizes_.back() *= smallest;
        descending();
    }
    products_.assign(std::size_t{1} << sizes_.size(), 1);
    for (std::size_t axes = 0; axes < products_.size(); ++axes)
        for (std::size_t k = 0; k < sizes_.size(); ++k)
            if (axes >> k & 1) products_[axes] *= sizes_[k];
}

}  // namespace ein::planner
