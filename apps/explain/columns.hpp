// Text in columns for terminals: cut or wrapped to a width, counted in characters (code points), never inside one.
// Example: fitted("layer10.attention", 8) is "layer1..".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ein::apps::explain {

std::size_t width(std::string_view text);

/// At most `columns` wide; what is cut off is marked by two dots.
std::string fitted(std::string const& text, std::size_t columns);
/// Exactly `columns` wide.
std::string left(std::string const& text, std::size_t columns);
std::string right(std::string const& text, std::size_t columns);

/// `first` and then `text`, wrapped at spaces to `columns`; further lines begin with as many spaces as `first` is wide.
/// Ends with a newline.
/// @param most_lines  what is left after these is marked by " ..."
std::string wrapped(std::string const& first, std::string const& text, std::size_t columns, std::size_t most_lines = 4);

}  // namespace ein::apps::explain
