// The small things that every part of a graph file is made of: required keys, dtypes, shapes, lists of integers.
// Each reader adds a fault and returns nothing when the value is not what it should be.
// Example: read_shape(tensor.at("shape")) of [4, -1] adds "/tensors/A/shape/1: expected an extent of 0 or more, found
// -1; ...".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/json.hpp"

namespace ein::graph {

/// The most axes that a tensor may have, as in NumPy 2.
inline constexpr std::size_t max_order = 64;

/// The value at `key`, or a fault that says how to write it.
std::optional<Cursor> required(Cursor const& object, std::string const& key, std::string const& mend);
std::optional<Cursor> optional_at(Cursor const& object, std::string const& key);

std::optional<DType> read_dtype(Cursor const& at);
std::optional<Shape> read_shape(Cursor const& at);
std::optional<std::vector<std::int64_t>> read_integers(Cursor const& at);
/// A number or a list of numbers: "axes": 1 is "axes": [1].
std::optional<std::vector<std::int64_t>> read_integer_or_list(Cursor const& at);
/// A string that is not empty and has no control characters.
std::optional<std::string> read_name(Cursor const& at);

/// "did you mean ...?" for a name that is none of `known`, or `otherwise`.
std::string did_you_mean(std::string_view name, std::span<std::string const> known, std::string const& otherwise);

/// 'text' for messages.
std::string quote(std::string_view text);

}  // namespace ein::graph
