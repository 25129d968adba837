// A 64-bit number as 16 hexadecimal digits: how hashes are shown to people and written to JSON.
// Example: hex(255) is "00000000000000ff".
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "lib/base/hash.hpp"

namespace ein {

inline std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

/// The hash of a text, so: what tells one graph file from another.
inline std::string text_hash(std::string_view text) {
    return hex(hash_bytes({reinterpret_cast<std::uint8_t const*>(text.data()), text.size()}));
}

}  // namespace ein
