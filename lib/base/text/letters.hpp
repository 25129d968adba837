// Letters of ASCII without regard to capitals: for names, units and dtypes that people write either way.
// Example: lowered("GiB") is "gib"; alike("FP16", "fp16") holds.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace ein {

constexpr char lower_letter(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
constexpr char upper_letter(char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }

inline std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower_letter(c);
    return out;
}

/// Whether two texts are the same but for capitals.
inline bool alike(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

}  // namespace ein
