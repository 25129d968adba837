#include "lib/relation/rounding_spread.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/tensor/compare.hpp"

namespace ein::relation {
namespace {

constexpr std::uint64_t rounds =
    12;  // that chance keeps all of them small happens less than once in a million elements

/// Where in `indices` a C-order position lies, axis by axis.
std::vector<Extent> place_of(IndexSets const& indices, Extent position) {
    std::vector<Extent> out(indices.size());
    for (std::size_t axis = indices.size(); axis-- > 0;) {
        auto const count = static_cast<Extent>(indices[axis].size());
        out[axis] = position % count;
        position /= count;
    }
    return out;
}

/// The smallest product of index sets that has the chosen positions, and where they are in it.
struct Around {
    IndexSets indices;
    std::vector<Extent> positions;

    Around(IndexSets const& all, std::vector<Extent> const& chosen) {
        std::vector<std::set<Extent>> sets(all.size());
        for (Extent position : chosen) {
            std::vector<Extent> const place = place_of(all, position);
            for (std::size_t axis = 0; axis < all.size(); ++axis)
                sets[axis].insert(all[axis][static_cast<std::size_t>(place[axis])]);
        }
        for (auto const& set : sets) indices.emplace_back(set.begin(), set.end());
        for (Extent position : chosen) {
            std::vector<Extent> const place = place_of(all, position);
            Extent linear = 0;
            for (std::size_t axis = 0; axis < all.size(); ++axis) {
                auto const& set = indices[axis];
                Extent const index = all[axis][static_cast<std::size_t>(place[axis])];
                linear = linear * static_cast<Extent>(set.size()) +
                         (std::lower_bound(set.begin(), set.end(), index) - set.begin());
            }
            positions.push_back(linear);
        }
    }
};

}  // namespace

std::vector<double> rounding_spread(Interpreter& judge, ValueId value, IndexSets const& indices,
                                    tensor::HostTensor const& expected, std::vector<Extent> const& chosen, bool tf32) {
    Around const around(indices, chosen);
    std::vector<double> spread(chosen.size(), 0);  // squares at first
    for (std::uint64_t round = 0; round < rounds; ++round) {
        scalar::Noise noise(round, tf32);
        tensor::HostTensor const moved = judge.sample(value, around.indices, &noise);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            double const apart = tensor::distance(moved.at(around.positions[i]), expected.at(chosen[i]));
            spread[i] += apart * apart / static_cast<double>(rounds);
        }
    }
    for (double& each : spread) each = std::sqrt(each);
    return spread;
}

}  // namespace ein::relation
