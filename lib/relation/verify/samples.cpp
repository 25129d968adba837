#include "lib/relation/verify/samples.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include "lib/base/hash.hpp"

namespace ein::relation {

IndexSets all_indices(Shape const& shape) {
    IndexSets out;
    for (Extent extent : shape) {
        out.emplace_back(static_cast<std::size_t>(extent));
        std::iota(out.back().begin(), out.back().end(), Extent{0});
    }
    return out;
}

Shape counts_of(IndexSets const& indices) {
    Shape out;
    for (auto const& set : indices) out.push_back(static_cast<Extent>(set.size()));
    return out;
}

std::vector<Extent> index_of(IndexSets const& indices, Extent linear) {
    std::vector<Extent> out = index_at(counts_of(indices), linear);
    for (std::size_t axis = 0; axis < out.size(); ++axis)
        out[axis] = indices[axis][static_cast<std::size_t>(out[axis])];
    return out;
}

IndexSets sampled_indices(Shape const& shape, std::int64_t count) {
    IndexSets out(shape.size());
    std::int64_t left = std::max<std::int64_t>(1, count);
    std::vector<double> behind(shape.size() + 1, 1);  // elements of the axes from here on
    for (std::size_t axis = shape.size(); axis-- > 0;)
        behind[axis] = behind[axis + 1] * static_cast<double>(shape[axis]);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        // The axes that follow share what is left: its root of as many as they are, or more where those that follow are
        // short.
        double const share = std::pow(static_cast<double>(left), 1.0 / static_cast<double>(shape.size() - axis)),
                     needed = behind[axis + 1] == 0 ? 1 : static_cast<double>(left) / behind[axis + 1];
        auto const wanted = std::min<std::int64_t>(
            shape[axis],
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::max(share, needed) - 1e-9))));
        std::set<Extent> chosen;
        std::uint64_t state = mix64(axis + 1) ^ static_cast<std::uint64_t>(shape[axis]);
        if (wanted >= 2) chosen.insert(0), chosen.insert(shape[axis] - 1);
        while (static_cast<std::int64_t>(chosen.size()) < wanted)
            chosen.insert(static_cast<Extent>((state = mix64(state + 0x9e3779b97f4a7c15u)) %
                                              static_cast<std::uint64_t>(shape[axis])));
        out[axis].assign(chosen.begin(), chosen.end());
        left = wanted == 0 ? left : (left + wanted - 1) / wanted;
    }
    return out;
}

}  // namespace ein::relation
