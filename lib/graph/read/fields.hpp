// The small things that every part of a graph file is made of: required keys, dtypes, shapes, lists of integers.
// Each reader adds a fault and returns nothing when the value is not what it should be.
// Example: read_shape(tensor.at("shape")) of [4, -1] adds "/tensors/A/shape/1: expected an extent of 0 or more, found
// -1; ...".
#pragma once

#include <optional>
#include <span>
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
std::optional<Cursor> required(Cursor const& object, std::string const& key, std::string const& fix);
std::optional<Cursor> optional_at(Cursor const& object, std::string const& key);

/// A fault for each key of a node that is not in `known`; who writes there what belongs at the top is told so.
void only_node_keys(Cursor const& node, std::span<std::string_view const> known);

/// The entries of a list; of one name or number alone, where a list of one is meant, that one: "inputs": "A" is
/// "inputs": ["A"], "shape": 4 is "shape": [4]. Nothing, and a fault, of anything else.
std::optional<std::vector<Cursor>> one_or_more(Cursor const& at);
/// Entry k of what one_or_more reads.
Cursor entry_at(Cursor const& at, std::size_t k);

std::optional<DType> read_dtype(Cursor const& at);
std::optional<Shape> read_shape(Cursor const& at);
std::optional<std::vector<std::int64_t>> read_integers(Cursor const& at);
/// A string that is not empty and has no control characters.
std::optional<std::string> read_name(Cursor const& at);

/// 'text' for messages.
std::string quote(std::string_view text);

/// What to do where a loop ends an iteration with another shape than it begins with.
std::string mend_carried_shape(Shape const& begins, Shape const& ends);

}  // namespace ein::graph
