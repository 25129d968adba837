// The indices of an element that is counted in C order, for messages.
// Example: place_in({2, 3}, 4) is (1, 1), place_text({1, 1}) is "[1, 1]".
#pragma once

#include <span>
#include <string>

#include "lib/base/box.hpp"

namespace ein {

inline Shape place_in(std::span<Extent const> lengths, Extent linear) {
    Shape at(lengths.size());
    for (std::size_t axis = lengths.size(); axis-- > 0; linear /= lengths[axis]) at[axis] = linear % lengths[axis];
    return at;
}

inline std::string place_text(std::span<Extent const> at) {
    std::string out;
    for (Extent each : at) out += (out.empty() ? "" : ", ") + std::to_string(each);
    return "[" + out + "]";
}

}  // namespace ein
