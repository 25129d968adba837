#include "planner/resident/mesh.hpp"

#include <algorithm>
#include <functional>

#include "lib/base/partition.hpp"

namespace ein::planner {

namespace {

std::vector<std::int64_t> factors_of(std::int64_t ranks, std::size_t most_axes) {
    std::vector<std::int64_t> sizes = prime_factors(ranks);
    auto descending = [&] { std::sort(sizes.begin(), sizes.end(), std::greater<>()); };
    descending();
    while (sizes.size() > most_axes) {
        std::int64_t const smallest = sizes.back();
        sizes.pop_back();
        sizes.back() *= smallest;
        descending();
    }
    return sizes;
}

}  // namespace

Mesh::Mesh(std::int64_t ranks, std::size_t most_axes) : Mesh(factors_of(ranks, most_axes)) {}

Mesh::Mesh(std::vector<std::int64_t> sizes) : sizes_(std::move(sizes)) {
    products_.assign(std::size_t{1} << sizes_.size(), 1);
    for (std::size_t axes = 0; axes < products_.size(); ++axes)
        for (std::size_t k = 0; k < sizes_.size(); ++k)
            if (axes >> k & 1) products_[axes] *= sizes_[k];
}

}  // namespace ein::planner
