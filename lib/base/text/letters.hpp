// Letters of ASCII without regard to capitals, for names, units and dtypes that people write either way; and what words
// are made of. Example: lowered("GiB") is "gib"; alike("FP16", "fp16") holds.
#pragma once

#include <algorithm>
#include <cctype>
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

/// A letter, a digit or '_': what words of expressions and of JSON are made of.
inline bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace ein
