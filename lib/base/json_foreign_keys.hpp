// Keys that other libraries have and that carry a meaning: what is written in their place. To remove one, or to take
// the nearest key of ours, would change what is computed without a word. Example: of an op node with "transpose_b" this
// is: write "einsum": "ij,kj->ik", which names the axes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ein {

/// @param known  what the object may have  @return "" for other keys
std::string mend_foreign_key(std::string_view written, std::span<std::string const> known);

}  // namespace ein
