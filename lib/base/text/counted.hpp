// How many there are of a thing, as people say it. Example: counted(1, "rank") is "1 rank", counted(2, "rank") "2
// ranks".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace ein {

/// @param thing  one of them; more have an s behind
template <std::integral Count>
std::string counted(Count count, std::string_view thing) {
    return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

}  // namespace ein
