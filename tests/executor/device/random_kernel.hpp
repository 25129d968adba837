// What random kernels are drawn from, for devices that are compared with the reference.
// Example: random_dtype(random) is f32 in every second case or so, any other as often.
#pragma once

#include <algorithm>
#include <iterator>
#include <random>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::executor {

inline std::size_t below(std::mt19937& random, std::size_t bound) { return random() % bound; }

inline DType random_dtype(std::mt19937& random) {
    return random() % 3 == 0 ? DType::f32 : static_cast<DType>(below(random, dtype_count));
}

inline std::vector<std::byte> random_bytes(Extent elements, DType dtype, std::mt19937& random) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * size_of(dtype));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

enum class Lengths : std::uint8_t { few, many, mixed };

/// Up to 6, some up to 150, or from 1 to 2049 and of 16,384 points at most.
inline Shape random_extents(std::mt19937& random, std::size_t labels, Lengths lengths) {
    static constexpr Extent mixed[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 40, 70, 130, 300, 512, 700, 1100, 2049};
    Shape extents;
    for (Extent points = 16384; lengths == Lengths::mixed && extents.size() < labels;
         points = std::max<Extent>(1, points / extents.back()))
        extents.push_back(std::min(points, mixed[below(random, std::size(mixed))]));
    std::shuffle(extents.begin(), extents.end(), random);
    if (lengths == Lengths::mixed) return extents;
    bool const long_labels = lengths == Lengths::many;
    for (std::size_t l = 0; l < labels; ++l)
        extents.push_back(static_cast<Extent>(long_labels && random() % 2 == 0 ? 20 + below(random, 130)
                                              : below(random, 20) == 0         ? 0
                                                                               : 1 + below(random, 6)));
    return extents;
}

inline std::vector<DType> random_dtypes(std::mt19937& random, std::size_t operands, DType common) {
    std::vector<DType> dtypes;
    for (std::size_t k = 0; k < operands; ++k) dtypes.push_back(random() % 3 == 0 ? random_dtype(random) : common);
    return dtypes;
}

/// A join that depends on index values: "where([i] >= [j], x*y, 2)", "(x*y) * [i]".
inline std::string random_indexed(std::mt19937& random, std::string const& join, std::string const& labels) {
    std::string const a(1, labels[below(random, labels.size())]), b(1, labels[below(random, labels.size())]);
    return random() % 2 == 0 ? "where([" + a + "] >= [" + b + "], " + join + ", 2)" : "(" + join + ") * [" + a + "]";
}

}  // namespace ein::executor
