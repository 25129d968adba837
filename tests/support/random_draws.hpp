// What random graphs draw from: numbers, one of a list, paddings and factors. The same seed draws the same.
// Example: Draws(7).factors(24) is perhaps 4 x 3 x 2.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/json.hpp"

namespace ein::test {

class Draws {
public:
    explicit Draws(std::uint64_t seed) : random_(seed) {}

    template <class Count>
    int pick(Count count) {
        return static_cast<int>(random_() % static_cast<std::uint64_t>(count));
    }
    bool chance(int percent) { return pick(100) < percent; }
    template <class T>
    T const& any_of(std::vector<T> const& list) {
        return list[static_cast<std::size_t>(pick(list.size()))];
    }

    /// What a pad puts before and after each axis; the shape becomes the padded one.
    Json pad_widths(Shape& shape) {
        Json width = Json::array();
        for (Extent& extent : shape) {
            int const before = pick(3), after = pick(3);
            width.push_back({before, after});
            extent += before + after;
        }
        return width;
    }

    /// A shape of as many elements, of five axes at most.
    Shape factors(Extent elements) {
        Shape shape;
        while (elements > 1 && shape.size() < 4) {
            std::vector<Extent> divisors;
            for (Extent d = 1; d <= elements; ++d)
                if (elements % d == 0) divisors.push_back(d);
            shape.push_back(any_of(divisors));
            elements /= shape.back();
        }
        shape.push_back(elements);
        return shape;
    }

    std::mt19937_64& engine() { return random_; }

private:
    std::mt19937_64 random_;
};

}  // namespace ein::test
