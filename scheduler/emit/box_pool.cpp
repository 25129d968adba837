#include "scheduler/emit/box_pool.hpp"

#include <algorithm>

namespace ein::scheduler {
namespace {

constexpr std::size_t remembered = 512;
constexpr schedule::CoordsPlace nowhere = -1;

std::size_t hash_of(BoxView box) {
    std::uint64_t hash = box.order();
    for (auto const list : {box.begin, box.length})
        for (Extent number : list)
            hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15ULL, hash ^= hash >> 29;
    return hash;
}

}  // namespace

schedule::CoordsPlace BoxPool::add_box(BoxView box) {
    if (box.order() == 0) return 0;
    places_.resize(remembered, nowhere);
    schedule::CoordsPlace& known = places_[hash_of(box) % remembered];
    auto const is_at = [&](schedule::CoordsPlace at) {
        auto const here = section_.coords.begin() + at;
        auto const order = static_cast<std::ptrdiff_t>(box.order());
        return section_.coords.end() - here >= 2 * order && std::equal(box.begin.begin(), box.begin.end(), here) &&
               std::equal(box.length.begin(), box.length.end(), here + order);
    };
    if (known == nowhere || !is_at(known)) known = section_.add_box(box);
    return known;
}

}  // namespace ein::scheduler
