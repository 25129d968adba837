// What people write that is no JSON, but looks like it: a comma too many, comments, Python's quotes and constants. The
// parser says where it stumbled; this says what to do there.
// Example: json_mistake("[1,\n]", 5) is {3, "no comma before ']'", "one", "remove it"}: the comma's place, from 1.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ein {

struct JsonMistake {
    std::size_t byte;  // where it begins, from 1
    std::string expected, found, fix;
};

/// @param byte  where the parser stopped, from 1  @return nothing for what is none of these
std::optional<JsonMistake> json_mistake(std::string_view text, std::size_t byte);

/// What to do about a key that is none of `known`. The same word in another spelling comes first (its plural, capitals,
/// "_"), then the key that libraries and people call so, then the nearest. What the object has already is hardly meant.
/// Example: "iterations" among times, while and body: did you mean "times"?
/// @param has  whether the object has this key
std::string mend_key(std::string_view written, std::span<std::string const> known,
                     std::function<bool(std::string const&)> const& has);

}  // namespace ein
